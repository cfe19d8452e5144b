"""The numbers of items and annotators that a study needs: power and precision, from a pilot or the
literature."""

from dataclasses import asdict, dataclass
from typing import Any

from analysis import frames
from analysis.planning.reports import planning as drawing
from analysis.reports.rows import Record, stable_number
from analysis.scoring.actions.versions import versions
from analysis.sections.metrics.columns import placed_ratings
from judging.base.refusals import InvalidInput, check_bounds
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from judging.work.models.judgment import Judgment
from quaestor_stats._power import (
    LIBRARY,
    Variances,
    half_width,
    half_width_for_others,
    items_needed,
    of_components,
    power,
)
from quaestor_stats._variance_components import variance_components

KIND = "analysis.planning"
STEPS = (10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 1600)
PUBLISHED_FOR = 3  # annotators whose means the published deviations are of
ROUNDS = ("pilot", "main")
CODE = """\
from quaestor_stats._power import Variances, items_needed

variances = Variances(question={question!r}, residual={residual!r})
for annotators in {annotators}:
    found = items_needed(
        variances, difference={difference!r}, judges=annotators, target={power!r}, level={level!r}
    )
    print(annotators, found.items, round(found.power.value, 12))
"""


def variance_sources(campaign: Campaign) -> list[tuple[str, str, str]]:
    """Return the possible sources of variances, as (key, kind, name): rounds of the campaign, on
    criteria that may be averaged, and the literature."""
    protocol = frames.protocol_of(campaign)
    criteria = [
        (criterion.key, criterion.name) for criterion in protocol.criteria if criterion.is_averaged
    ]
    own = [(f"{kind}/{key}", kind, name) for kind in _judged(campaign) for key, name in criteria]
    return own + [(key, "QGEval", key.partition("/")[2].replace("_", " ")) for key in LIBRARY]


def _judged(campaign: Campaign) -> list[str]:
    # one query per round: for all at once the database would join every judgment
    said = Judgment.objects.filter(assignment__state="submitted")
    rounds = {
        each.kind
        for each in campaign.rounds.filter(kind__in=ROUNDS)
        if said.filter(assignment__round=each).exists()
    }
    return [kind for kind in ROUNDS if kind in rounds]


@dataclass(frozen=True, kw_only=True, slots=True)
class PowerSettings:
    """Settings of a power analysis: the source of variances, the difference to find, the power, and
    the number of annotators."""

    variances: str  # a key of `choices`
    difference: float = 0.1
    annotators: int = 5
    power: float = 0.8
    level: float = 0.05
    comparisons: int = 1


BOUNDS = {
    "difference": (0.001, 100),
    "annotators": (1, 10),
    "power": (0.5, 0.99),
    "level": (0.0001, 0.2),
    "comparisons": (1, 1000),
}


def start_planning(*, campaign: Campaign, by: User, settings: PowerSettings) -> Job:
    """Create a queued job for a plan. The caller notifies workers."""
    if settings.variances not in {key for key, _kind, _name in variance_sources(campaign)}:
        raise InvalidInput("There are no such variances.", field="variances")
    check_bounds(settings, BOUNDS)
    return jobs.enqueue(kind=KIND, parameters=asdict(settings), by=by, campaign=campaign)


def latest_plan(campaign: Campaign) -> Job | None:
    """Return the newest plan that is done."""
    return campaign.jobs.done(KIND).first()


def execute_planning(work: jobs.Work) -> dict[str, Any]:
    """Compute a plan: the items needed by each number of annotators, and power along the way."""
    asked, campaign = PowerSettings(**work.job.parameters), work.job.campaign
    if campaign is None:
        raise jobs.CannotDo("A plan belongs to a campaign.")
    variances, systems = _variances(campaign, asked.variances)
    is_published = asked.variances in LIBRARY
    annotators = [PUBLISHED_FOR] if is_published else list(range(1, asked.annotators + 1))
    level = asked.level / asked.comparisons
    needed = [_needed(variances, judges, level, systems, asked) for judges in annotators]
    curve = [
        _point(variances, items, judges, level, asked) for judges in annotators for items in STEPS
    ]
    drawn = drawing.draw_power(curve, target=asked.power)
    return {
        "source": variances.source,
        "question": stable_number(variances.question),
        "residual": stable_number(variances.residual),
        "annotator_system": stable_number(variances.annotator_system),
        "fixed": is_published,
        "code": _code(variances, annotators, level, asked),
        "level": level,
        "versions": versions(),
        "needed": needed,
        "curve": curve,
        "figures": {ink: storage.store_bytes(svg).sha256 for ink, svg in drawn.items()},
    }


def _code(variances: Variances, annotators: list[int], level: float, asked: PowerSettings) -> str:
    return CODE.format(
        question=variances.question,
        residual=variances.residual,
        annotators=annotators,
        level=level,
        difference=asked.difference,
        power=asked.power,
    )


def _variances(campaign: Campaign, key: str) -> tuple[Variances, int]:
    """Return the variances, and the number of systems they are estimated from (0: published)."""
    if key in LIBRARY:
        return LIBRARY[key], 0
    kind, _, criterion = key.partition("/")
    read = frames.read_campaign(campaign, round=kind)
    rows = placed_ratings(read, read.protocol.criterion(criterion))
    try:
        found = variance_components(
            rows["value"].to_numpy(dtype="float64"),
            systems=rows["system"].to_numpy(dtype=object),
            sources=rows["source"].to_numpy(dtype=object),
            annotators=rows["annotator"].to_numpy(dtype=object),
            questions=rows["unit"].to_numpy(),
        )
        return of_components(found, source=f"{kind} round, {criterion}"), len(found.systems)
    except ValueError as reason:
        raise jobs.CannotDo(
            f"Variances cannot be estimated from the {kind} round: {reason}."
        ) from None


def _needed(
    variances: Variances, judges: int, level: float, systems: int, asked: PowerSettings
) -> Record:
    """Return the items needed by a number of annotators, or why there is no such number."""
    nothing = {"annotators": judges, "items": None, "power": None, "half_width": None}
    if variances.of_difference(judges) <= 0:
        reason = "the systems never differ by more or less on one item than on another"
        return {**nothing, "reason": reason, "half_width_others": None}
    try:
        found = items_needed(
            variances, difference=asked.difference, judges=judges, target=asked.power, level=level
        )
    except ValueError as refused:
        return {**nothing, "reason": str(refused), "half_width_others": None}
    reach = half_width(variances, items=found.items, judges=judges, confidence=1 - level)
    reach_of_others = half_width_for_others(
        variances, items=found.items, judges=judges, systems=systems, confidence=1 - level
    )
    return {
        "annotators": judges,
        "items": found.items,
        "power": stable_number(found.power.value),
        "half_width": stable_number(reach),
        "half_width_others": stable_number(reach_of_others),
        "ratings_a_system": found.items * judges,
        "reason": "",
    }


def _point(
    variances: Variances, items: int, judges: int, level: float, asked: PowerSettings
) -> Record:
    """Return power and precision of a study of so many items."""
    found = power(variances, difference=asked.difference, items=items, judges=judges, level=level)
    reach = half_width(variances, items=items, judges=judges, confidence=1 - level)
    return {
        "annotators": judges,
        "items": items,
        "power": stable_number(found.value),
        "half_width": stable_number(reach),
    }
