"""The checklist of a draft: what is planned, what is missing, and the values of a locked plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.campaigns import hypotheses, quality_plan
from judging.campaigns.actions import locked_plans, selections
from judging.campaigns.actions.campaigns import AMENDABLE
from judging.campaigns.forms.plans import PARTS, AmendForm, PlanForm
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.crowd.actions import crowd_platforms
from judging.quality import pay
from judging.work.actions import sheets

STATUS_LENGTH = 110  # characters of a text on its line
NEEDED = ("consent", "contact", "ethics")  # texts without which opening asks once more


@dataclass(frozen=True)
class ChecklistLine:
    """A part of a draft's plan: its status in a sentence, and the form or page that changes it."""

    key: str
    title: str
    status: str
    state: str  # set, none or missing
    form: PlanForm | None = None
    url: str = ""

    @property
    def act(self) -> str:
        return _("Change") if self.state == "set" else _("Add")


@dataclass(frozen=True)
class Lack:
    """Something without which a campaign can open, but should not: a sentence and the line or page
    where it is added."""

    name: str
    sentence: str
    url: str


@dataclass(frozen=True)
class PlanValue:
    """A value of a locked plan, the changes to it with their reasons, and the form to amend it."""

    key: str
    title: str
    value: str
    changes: list[Deviation]
    form: AmendForm | None = None


def checklist_lines(campaign: Campaign, forms: Mapping[str, PlanForm]) -> list[ChecklistLine]:
    """Return the checklist of a draft in the order in which a plan is made."""
    parts = {
        part: ChecklistLine(
            part,
            str(PARTS[part].title),
            _status_of(campaign, part),
            _state_of(campaign, part),
            form=form,
        )
        for part, form in forms.items()
    }
    pages = {line.key: line for line in _lines_with_pages(campaign)}
    order = (
        "design items introduction consent contact ethics pay rate hypotheses analysis "
        "training qualification checks exit_form withdrawal pages"
    )
    return [parts.get(key) or pages[key] for key in order.split()]


def _status_of(campaign: Campaign, part: str) -> str:
    if part == "design":
        return ", ".join(
            [
                campaign.protocol.title,
                ngettext(
                    "%(n)s annotator a task",
                    "%(n)s annotators a task",
                    campaign.annotators_per_task,
                )
                % {"n": campaign.annotators_per_task},
                campaign.get_order_display(),
            ]
        )
    if part == "analysis":
        return _("written") if campaign.analysis_plan or campaign.sample_reason else _("none")
    if part == "withdrawal":
        return ", ".join(_withdrawal(campaign))
    if part == "pages":
        return ", ".join(
            [
                str(dict(settings.LANGUAGES)[campaign.text_language]),
                campaign.time_zone,
                _("reserved for %(n)s minutes") % {"n": campaign.lease_minutes},
            ]
        )
    text = getattr(campaign, part)
    if text:
        return Truncator(" ".join(text.split())).chars(STATUS_LENGTH)
    return _("missing") if part in NEEDED else _("none")


def _withdrawal(campaign: Campaign) -> Iterator[str]:
    yield _("annotators may withdraw") if campaign.withdrawal else _("no withdrawal")
    if campaign.retention_days:
        yield (
            ngettext(
                "accounts forgotten after %(n)s day",
                "accounts forgotten after %(n)s days",
                campaign.retention_days,
            )
            % {"n": campaign.retention_days}
        )
    else:
        yield _("accounts kept")


def _state_of(campaign: Campaign, part: str) -> str:
    if part in ("design", "withdrawal", "pages"):
        return "set"
    is_set = any(getattr(campaign, name) for name in PARTS[part].fields)
    return "set" if is_set else "missing" if part in NEEDED else "none"


def _lines_with_pages(campaign: Campaign) -> Iterator[ChecklistLine]:
    """Yield the lines of parts that have pages of their own."""

    def line(
        key: str, title: str, status: str, name: str, *args: str, without: str = _("none")
    ) -> ChecklistLine:
        url = reverse(name, args=[campaign.uuid, *args])
        state = "set" if status else "none"
        return ChecklistLine(key, title, status or without, state, url=url)

    yield line("items", _("Items"), selections.describe_judged(campaign), "judging:selection")
    rate = pay.rate_of(campaign.rate)
    amount = f"{rate.amount} {rate.currency}" if rate else ""
    yield line("rate", _("Rate of pay"), amount, "judging:pay")
    declared = " ".join(declared_hypotheses(campaign)) if campaign.hypotheses else ""
    exploratory = _("none, so every test is exploratory")
    yield line("hypotheses", _("Hypotheses"), declared, "judging:declarations", without=exploratory)
    for kind, title in (("training", _("Training")), ("qualification", _("Qualification"))):
        n = campaign.exercises.filter(kind=kind).count()
        items = ngettext("%(n)s item", "%(n)s items", n) % {"n": n} if n else ""
        yield line(kind, title, items, "judging:exercises", kind)
    yield line("checks", _("Checks and exclusion"), _checks(campaign), "judging:quality")
    n = campaign.exit_questions.count()
    questions = ngettext("%(n)s question", "%(n)s questions", n) % {"n": n} if n else ""
    yield line("exit_form", _("Exit form"), questions, "judging:exit_form")


def _checks(campaign: Campaign) -> str:
    planned = quality_plan.quality_plan_from_document(campaign.quality)
    said = [_("checks")] * planned.has_checks + [_("rules of exclusion")] * planned.has_rules
    return ", ".join(said)


def declared_hypotheses(campaign: Campaign) -> list[str]:
    """Return the plan's declarations about tests, as sentences."""
    stored = (
        locked_plans.read_locked_plan(campaign)["hypotheses"]
        if campaign.locked_plan
        else campaign.hypotheses
    )
    declared = hypotheses.hypotheses_from_document(stored)
    names = {
        criterion.key: criterion.name
        for criterion in sheets.cached_protocol(campaign.protocol).document.criteria
    }
    return list(hypotheses.describe_hypotheses(declared, names))


def lacks(campaign: Campaign) -> list[Lack]:
    """Return what a campaign lacks before it opens."""
    if campaign.origin != Campaign.Origin.JUDGED:
        return []
    plan = reverse("judging:plan", args=[campaign.uuid])
    sentences = {
        "consent": _("There is no consent text: annotators agree to nothing before they begin."),
        "contact": _("No contact is named whom annotators may ask."),
        "ethics": _("No ethics approval is named. Write “none” if none was required."),
    }
    found = [
        Lack(name, sentence, f"{plan}?open={name}#line-{name}")
        for name, sentence in sentences.items()
        if not getattr(campaign, name)
    ]
    gold = reverse("judging:gold", args=[campaign.uuid])
    for kind in unmade_checks(campaign):
        sentence = _("The plan includes %(kind)s, but there are none yet.") % {"kind": kind}
        found.append(Lack(kind, sentence, gold))
    if unmet := len(crowd_platforms.unmet(campaign)):
        sentence = ngettext(
            "%(n)s rule of the crowd platform is not met.",
            "%(n)s rules of the crowd platform are not met.",
            unmet,
        ) % {"n": unmet}
        crowd = reverse("judging:crowd", args=[campaign.uuid])
        found.append(Lack("rules of the crowd platform", sentence, crowd))
    return found


def unmade_checks(campaign: Campaign) -> list[str]:
    """Return the kinds of checks that a draft plans but has no question for yet."""
    if campaign.state != Campaign.State.DRAFT or not campaign.checked:
        return []
    there = set(campaign.check_items.filter(retired_at__isnull=True).values_list("kind", flat=True))
    names = {"gold": _("gold questions"), "degraded": _("degraded copies")}
    return [
        name for kind, name in names.items() if campaign.quality.get(kind) and kind not in there
    ]


def values(campaign: Campaign, amended: AmendForm | None) -> list[PlanValue]:
    """Return the values of a locked plan. `amended` is a form that was refused."""
    changes: dict[str, list[Deviation]] = {}
    for deviation in campaign.deviations.shortened().select_related("made_by"):
        changes.setdefault(deviation.what, []).append(deviation)
    refused = amended.data.get("what") if amended else ""

    def form_of(name: str, text: str) -> AmendForm | None:
        if name not in AMENDABLE:
            return None
        if name == refused:
            return amended
        return AmendForm(initial={"what": name, "value": text}, auto_id=f"amend-{name}-%s")

    return [
        PlanValue(name, title, text, changes.get(name, []), form_of(name, text))
        for name, title, text in _locked_values(campaign)
    ]


def _locked_values(campaign: Campaign) -> Iterator[tuple[str, str, str]]:
    """Yield the name, title and text of each value of a locked plan."""
    order = campaign.get_order_display()
    if campaign.tasks_per_annotator:
        limit = _("at most %(n)s tasks each") % {"n": campaign.tasks_per_annotator}
        order = f"{order}, {limit}"
    yield "protocol", _("Protocol"), str(campaign.protocol)
    yield "dataset", _("Dataset"), campaign.dataset.name
    yield "items", _("Items"), selections.describe_judged(campaign)
    annotators = str(campaign.annotators_per_task)
    yield "annotators_per_task", _("Annotators for each task"), annotators
    yield "order", _("Order of the tasks"), order
    yield "lease_minutes", _("Minutes an assignment stays reserved"), str(campaign.lease_minutes)
    for name in ("introduction", "consent", "contact", "ethics", "pay"):
        yield name, str(PARTS[name].title), getattr(campaign, name)
    for code, texts in campaign.translated_texts.items():
        for name, text in texts.items():
            yield f"{name}-{code}", f"{PARTS[name].title} ({code})", text
    yield "withdrawal", _("Withdrawal and accounts"), ", ".join(_withdrawal(campaign))
    yield "hypotheses", _("Hypotheses"), " ".join(declared_hypotheses(campaign))
    yield "analysis_plan", _("Analysis plan"), campaign.analysis_plan
    yield "sample_reason", _("Reason for the sample size"), campaign.sample_reason
    yield "hash", _("Hash"), f"{campaign.locked_digest[:16]}…"
