"""The preregistration of a study, as a document to deposit: the plan that was locked before its
data, in words and as JSON.

Right answers of training, qualification and checks are omitted, so that the document can be public
while annotators judge; the plan's hash covers them, and the whole plan can be published
later beside it.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from judging.base.markdown import escape_markdown, marked_lines
from judging.base.refusals import Refused
from judging.campaigns import hypotheses
from judging.campaigns.actions import locked_plans, selections
from judging.campaigns.models.campaign import Campaign
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolDocument
from judging.quality.actions import exclusion_rules

LEVELS = {
    "nominal": "names",
    "ordinal": "ordered",
    "interval": "ordered, even steps",
    "ratio": "ratio",
}
BEST = {
    "lowest": "the lowest value is best",
    "highest": "the highest value is best",
    "none": "no end is best",
}
ORDERS = {
    "depth": "tasks are finished one after the other",
    "breadth": "one annotator on everything, then the next",
    "panel": "a rotated panel: each annotator meets each source once, with the systems in turn",
}
PAID = {True: ", paid", False: ", not paid", None: ""}
COMPUTED = (
    "Agreement on each criterion by Krippendorff's α (nominal if the values are names or two, else ordinal), "
    "with an interval by a jackknife that omits one source at a time.",
    "Systems by their means; each pair by a paired permutation test over sources, or by a mixed model if annotators "
    "are declared random or an annotator's counts of ratings differ between systems by more than 20%; p corrected "
    "after Holm over all pairs of a criterion.",
    "Correlation of metrics with human ratings by Spearman's ρ (pooled, per source and at system level), with all "
    "questions of one source kept together; the highest is named with those not significantly different from it.",
)


class NotLocked(Refused):
    """The plan is not locked, so nothing is fixed yet."""

    code = "not_locked"


def as_json(campaign: Campaign) -> dict[str, Any]:
    """Return what the plan fixed, with its texts for annotators, as plain data."""
    _check_locked(campaign)
    locked_plan: dict[str, Any] = campaign.locked_plan or {}
    fixed = {
        key: value for key, value in locked_plan.items() if key not in ("training", "qualification")
    }
    for kind in ("training", "qualification"):
        if kind in locked_plan:
            fixed[kind] = {**locked_plan[kind], "items": len(locked_plan[kind]["items"])}
    return {
        "title": campaign.title,
        "locked_at": campaign.locked_at.isoformat() if campaign.locked_at else None,
        "plan_sha256": campaign.locked_digest,
        "plan": fixed,
        "protocol": campaign.protocol.document,
        "deviations": [
            {
                "at": deviation.made_at.isoformat(),
                "what": deviation.what,
                "before": deviation.before,
                "after": deviation.after,
                "reason": deviation.reason,
            }
            for deviation in campaign.deviations.all()
        ],
    }


def as_markdown(campaign: Campaign) -> str:
    """Return what the plan fixed as Markdown; Markdown in users' texts is escaped."""
    _check_locked(campaign)
    locked_plan = locked_plans.read_locked_plan(campaign)
    protocol = documents.protocol_from_document(campaign.protocol.document)
    judged = escape_markdown(selections.describe_judged(campaign))
    parts = [
        f"# Preregistration: {escape_markdown(campaign.title)}",
        f"Locked on {campaign.locked_at:%Y-%m-%d %H:%M} UTC, before the first judgment of the main round. SHA-256 of "
        f"the plan: `{campaign.locked_digest}`.",
        "## What is judged",
        f"{escape_markdown(campaign.dataset.name)}: {judged}.".replace("..", "."),
        *_files(locked_plan),
        "## What annotators are asked",
        escape_markdown(f"{protocol.title}, version {protocol.version}. {protocol.citation}"),
        *(part for criterion in protocol.criteria for part in _criterion(criterion)),
        "## Annotators and design",
        _bullets(_design(protocol, locked_plan)),
        "## Checks and exclusion",
        _bullets(_checks(campaign, locked_plan)),
        "## Sample size",
        marked_lines(locked_plan["texts"]["sample_reason"]) or "No reason was written down.",
        "## Hypotheses",
        _bullets(_hypotheses(protocol, locked_plan)),
        "## Analysis",
        marked_lines(locked_plan["texts"]["analysis_plan"])
        or "No plan was written down beyond what the report always computes.",
        "The report always computes:",
        _bullets(COMPUTED),
        "## Consent and ethics",
        _bullets(_ethics(locked_plan["texts"])),
        "## Changes after the lock",
        _bullets(_deviations(campaign)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _check_locked(campaign: Campaign) -> None:
    if campaign.locked_plan is None:
        raise NotLocked("The plan is not locked yet: until then nothing is fixed.")


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _files(locked_plan: dict[str, Any]) -> Iterator[str]:
    dataset = locked_plan["dataset"]
    hashes = dataset.get("files") or [dataset["file_sha256"]]
    if any(hashes):
        yield _bullets(f"file, SHA-256 `{each}`" for each in hashes if each)


def _criterion(criterion: Any) -> Iterator[str]:
    yield f"### {escape_markdown(criterion.name)}"
    if criterion.definition:
        yield marked_lines(criterion.definition)
    yield f"> {escape_markdown(criterion.prompt)}"
    yield _bullets(
        f"{point.value}: {escape_markdown(point.label)}" + (" (missing)" if point.missing else "")
        for point in criterion.points
    )
    per = "of each set" if criterion.unit == "set" else "of each question"
    yield f"Asked {per}; {LEVELS.get(criterion.level, criterion.level)}; {BEST[criterion.best]}."
    if criterion.standard:
        yield f"In standard terms (QCET, HEDS): {criterion.standard.in_words}."


def _design(protocol: ProtocolDocument, locked_plan: dict[str, Any]) -> Iterator[str]:
    design = locked_plan["design"]
    yield f"{design['annotators_per_task']} annotators for each task; {ORDERS[design['order']]}."
    if design["tasks_per_annotator"]:
        yield f"At most {design['tasks_per_annotator']:,} tasks for each annotator."
    yield f"A task takes about {protocol.estimated_seconds:,} seconds; it is kept {design['lease_minutes']} minutes."
    if design["review_before_submit"]:
        may_stop = " They may switch the review off after three tasks."
        optional = may_stop if design["review_is_optional"] else ""
        yield f"Annotators review all answers of a task before they submit it.{optional}"
    if design["highlight_keywords"]:
        yield "Words of the question in view are highlighted in the passage."
    if drawn := locked_plan.get("draws"):
        yield f"Orders are drawn by {drawn['method']}; SHA-256 of the secret: `{drawn['secret_sha256']}`."
    for kind in ("training", "qualification"):
        if kind in locked_plan:
            marks = locked_plan[kind]
            passed = (
                f", passed with {marks['pass_mark']} %, {marks['tries']} tries{PAID[marks['paid']]}"
                if "pass_mark" in marks
                else ""
            )
            yield f"{kind.capitalize()} before the first task: {len(marks['items'])} questions{passed}."
    if pay := locked_plan["texts"]["pay"]:
        yield f"Pay: {escape_markdown(pay)}"


def _checks(campaign: Campaign, locked_plan: dict[str, Any]) -> Iterator[str]:
    for kind, count in locked_plan["checks"].items():
        yield (
            f"{kind.replace('_', ' ')}: {count}"
            if kind != "sha256"
            else f"SHA-256 of the checks: `{count}`"
        )
    rules = exclusion_rules.standing_rules(campaign)
    yield from (
        f"Excluded from the analysis: an annotator who is {rule}"
        if rule.startswith("flagged")
        else f"Excluded from the analysis: an annotator who {rule}"
        for rule in rules
    )
    if not rules:
        yield "No rule excludes annotators; the report names each excluded annotator with the reason."
    yield "Results are shown side by side with and without excluded annotators."


def _hypotheses(protocol: ProtocolDocument, locked_plan: dict[str, Any]) -> Iterator[str]:
    declared = hypotheses.hypotheses_from_document(locked_plan["hypotheses"])
    names = {criterion.key: criterion.name for criterion in protocol.criteria}
    return map(escape_markdown, hypotheses.describe_hypotheses(declared, names))


def _ethics(texts: dict[str, Any]) -> Iterator[str]:
    yield (
        f"Consent: {escape_markdown(texts['consent'])}" if texts["consent"] else "No consent text."
    )
    yield (
        f"Ethics approval: {escape_markdown(texts['ethics'])}"
        if texts["ethics"]
        else "No ethics approval is named."
    )
    if texts["withdrawal"]:
        yield "Annotators may withdraw until the study is closed."
    if days := texts["retention_days"]:
        yield f"Accounts of annotators are forgotten {days} days after the study is closed."


def _deviations(campaign: Campaign) -> Iterator[str]:
    found = list(campaign.deviations.all())
    for each in found:
        when = f"{each.made_at:%Y-%m-%d %H:%M} UTC"
        change = f"from “{each.before}” to “{each.after}”" if each.before else each.after
        yield escape_markdown(f"{when}, {each.what}: {change}. {each.reason}")
    if not found:
        yield "Nothing."


def preregistration_text(campaign: Campaign) -> str:
    """Return the preregistration as JSON for download."""
    return json.dumps(as_json(campaign), ensure_ascii=False, indent=2, sort_keys=True) + "\n"
