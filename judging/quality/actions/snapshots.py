"""The counts of a campaign's overview, made once for all viewers: progress, pace, use of the scales,
severity.

Counting a small campaign takes milliseconds and is done for each page. The counts of a large one
are stored (`Snapshot`) and made again in the background, less often the longer counting takes; the
page shows when they were made.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import groupby, starmap
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from judging.base.models.statements import named_statements, query_rows
from judging.base.percentages import format_difference
from judging.campaigns.actions import selections
from judging.campaigns.guards import hidden_enrollments
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.quality_plan import quality_plan_from_document
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Criterion
from judging.quality import quality
from judging.quality.actions import check_results
from judging.quality.counts import (
    AnswerCounts,
    CampaignCounts,
    DayCounts,
    IdleTask,
    LongestRun,
    MeanDistance,
    PaidWork,
    PlaceCounts,
    ReportedQuestions,
    SubmittedWork,
    SystemUnits,
    ValueCount,
    counts_from_json,
    counts_to_json,
)
from judging.quality.drift import Day, SourceSpread, find_drifts
from judging.quality.models.snapshot import Snapshot
from judging.quality.pay import Earned, rate_of
from judging.quality.quality import Checked, Flag, Forecast, Use, Workload

LARGE = 10_000  # values or places; fewer are counted in some ten milliseconds and not stored
QUICK_ANSWER = 400  # milliseconds
REST = 30  # times the duration of a count, before an open campaign is counted again
AT_LEAST, SELDOM = timedelta(seconds=15), timedelta(hours=1)
HOURS = 24 * 14  # hours whose submissions are counted for the pace
RUNNING = (Campaign.State.OPEN, Campaign.State.PAUSED)
SQL = named_statements(Path(__file__).with_suffix(".sql"))
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class _Scale:
    """A criterion's key, the width of its scale, and 1 if high is best, -1 if low is, else 0."""

    key: str
    width: float
    sign: int


@dataclass(frozen=True, slots=True)
class AnnotatorStanding:
    """One annotator's work, severity and flags.

    severity: mean distance from the others on the same units as a share of the scale; below 0 is
    harsher.
    """

    work: Workload
    enrollment: int
    extras: int
    last_at: datetime
    severity: float | None
    flags: Sequence[Flag]

    @property
    def quick(self) -> int:
        """Return how many answers were given within 400 ms of the criterion's first showing."""
        return self.work.quick

    @property
    def signed_severity(self) -> str:
        return format_difference(self.severity)


@dataclass(frozen=True, slots=True)
class Counted:
    """A campaign's counts at one moment; `questions` is None if it has no main round.

    idle: the flags of annotators who hold a task without a save, also before their first submission.
    """

    at: datetime
    questions: int | None
    places: int
    filled: int
    held: int
    annotators: Mapping[int, AnnotatorStanding]
    criteria: Mapping[str, Mapping[int, int]]
    systems: Mapping[int, Mapping[int, int]]
    by_hour: Sequence[int]
    earned: Mapping[str, Earned]
    days: Mapping[str, Sequence[Day]]
    reported: Mapping[int, ReportedQuestions]
    idle: Mapping[int, Flag]

    def flags_of(self, enrollment: int) -> list[Flag]:
        """Return all flags of an annotator."""
        standing, idle = self.annotators.get(enrollment), self.idle.get(enrollment)
        return [*(standing.flags if standing else ()), *([idle] if idle else ())]

    @property
    def earned_so_far(self) -> Decimal:
        return sum((earned.amount for earned in self.earned.values()), Decimal(0))

    @property
    def empty(self) -> int:
        """How many tasks were submitted without a value, because their questions are broken."""
        return sum(reported.empty for reported in self.reported.values())

    @property
    def below_floor(self) -> int:
        """The number of annotators who were paid less per hour than the floor."""
        return sum(bool(earned.top_up) for earned in self.earned.values())

    @property
    def forecast(self) -> Forecast | None:
        return quality.forecast_completion(self.by_hour, self.places - self.filled)

    @property
    def flagged(self) -> list[AnnotatorStanding]:
        return [standing for standing in self.annotators.values() if standing.flags]


def campaign_counts(campaign: Campaign) -> Counted:
    """Return a campaign's counts: the stored ones of a large campaign, else counted now."""
    if stored := Snapshot.objects.filter(campaign=campaign).first():
        counts = counts_from_json(stored.document)
    else:
        counts = take_snapshot(campaign=campaign, now=timezone.now())
    return read_counts(campaign, counts)


def counted_for(user: User, campaign: Campaign) -> Counted:
    """Return a campaign's counts; without the user's own if they judge in it and must not know
    which of their tasks are checks."""
    counted = campaign_counts(campaign)
    hidden = hidden_enrollments(user, campaign)

    def shown(by_annotator: Mapping[int, Row]) -> dict[int, Row]:
        return {who: row for who, row in by_annotator.items() if who not in hidden}

    return replace(
        counted,
        annotators=shown(counted.annotators),
        reported=shown(counted.reported),
        idle=shown(counted.idle),
    )


@dataclass(frozen=True, slots=True)
class SystemStanding:
    """The number of judged units of a system, with the range over annotators."""

    name: str
    judged: int
    fewest: int
    most: int


def systems_so_far(campaign: Campaign, counted: Counted) -> Iterator[SystemStanding]:
    """Yield the systems of a campaign in the order of their names; none before there is an
    annotator."""
    everybody = counted.annotators.keys()
    if not everybody:
        return
    for pk, name in selections.judged_systems(campaign).order_by("name").values_list("pk", "name"):
        by_annotator = counted.systems.get(pk, {})
        units = [by_annotator.get(who, 0) for who in everybody]
        yield SystemStanding(name, sum(units), min(units), max(units))


def take_snapshot(*, campaign: Campaign, now: datetime) -> CampaignCounts:
    """Count a campaign, and store the counts if it is large."""
    began = time.monotonic()
    counts = count_campaign(campaign, now)
    seconds = time.monotonic() - began
    if max(sum(row.count for row in counts.uses), counts.places.total) > LARGE:
        Snapshot.objects.update_or_create(
            campaign=campaign,
            defaults={"document": counts_to_json(counts), "taken_at": now, "seconds": seconds},
        )
    else:
        Snapshot.objects.filter(campaign=campaign).delete()
    return counts


def refresh_one(*, now: datetime) -> bool:
    """Count the campaign again whose stored counts are the oldest of those that are due; return
    whether there was one."""
    acts = Event.objects.filter(campaign=OuterRef("campaign__uuid"), at__gt=OuterRef("taken_at"))
    ahead = Q(taken_at__gt=now)  # the clock was set back since
    due = Q(campaign__state__in=RUNNING) | Q(taken_at__lt=now - SELDOM) | Q(Exists(acts)) | ahead
    for snapshot in Snapshot.objects.filter(due).order_by("taken_at").select_related("campaign"):
        rest = max(AT_LEAST, timedelta(seconds=REST * snapshot.seconds))
        if not timedelta() <= now - snapshot.taken_at <= rest:
            take_snapshot(campaign=snapshot.campaign, now=now)
            return True
    return False


def count_campaign(campaign: Campaign, now: datetime) -> CampaignCounts:
    """Count a campaign's places, work and values."""
    main = campaign.rounds.filter(kind=Round.Kind.MAIN).first()
    if main is None:
        return CampaignCounts(at=now)
    arguments = {
        "campaign": campaign.pk,
        "round": main.pk,
        "most": campaign.tasks_per_annotator,
        "quick": QUICK_ANSWER,
        "now": now,
        "since": max(main.opened_at or now, now - timedelta(hours=HOURS)),
        "zone": campaign.time_zone,
    }
    counts = _count_work(campaign, arguments)
    if not counts.submitted:
        return counts
    counts = _count_values(counts, arguments)
    counts = replace(counts, checked=check_results.results_by_annotator(campaign))
    if campaign.origin == Campaign.Origin.IMPORTED:  # imported ratings have no order
        return counts
    return _count_order(counts, arguments)


def _count_work(campaign: Campaign, arguments: Mapping[str, Any]) -> CampaignCounts:
    """Count places and tasks: what was submitted, is paid, was reported or is idle."""
    is_judged = campaign.origin == Campaign.Origin.JUDGED
    is_open = campaign.state == Campaign.State.OPEN
    [places] = _rows(PlaceCounts, SQL["places"], arguments)
    return CampaignCounts(
        at=arguments["now"],
        questions=selections.question_count(campaign),
        places=places,
        submitted=_rows(SubmittedWork, SQL["submitted"], arguments),
        paid=_rows(PaidWork, SQL["paid"], arguments) if campaign.rate else (),
        by_hour=_tasks_by_hour(arguments),
        reported=_rows(ReportedQuestions, SQL["reported"], arguments) if is_judged else (),
        idle=_rows(IdleTask, SQL["idle"], arguments) if is_open else (),
    )


def _count_values(counts: CampaignCounts, arguments: Mapping[str, Any]) -> CampaignCounts:
    """Add the counts of the values that annotators gave."""
    ratings = SQL["with_ratings"]
    return replace(
        counts,
        answers=_rows(AnswerCounts, SQL["answers"], arguments),
        uses=_rows(ValueCount, ratings + SQL["uses"], arguments),
        distances=_rows(MeanDistance, ratings + SQL["distances"], arguments),
        systems=_rows(SystemUnits, ratings + SQL["by_system"], arguments),
    )


def _count_order(counts: CampaignCounts, arguments: Mapping[str, Any]) -> CampaignCounts:
    """Add what depends on when values were given: runs, and values by day."""
    ratings = SQL["with_ratings"]
    days = ratings + SQL["with_days"]
    return replace(
        counts,
        runs=_rows(LongestRun, ratings + SQL["runs"], arguments),
        days=_rows(DayCounts, days + SQL["by_day"], arguments),
        days_of_all=_rows(DayCounts, days + SQL["of_all_by_day"], arguments),
    )


def _rows(row_type: type[Row], statement: str, arguments: Mapping[str, Any]) -> tuple[Row, ...]:
    return tuple(starmap(row_type, query_rows(statement, arguments)))


def _tasks_by_hour(arguments: Mapping[str, Any]) -> tuple[int, ...]:
    tasks = dict(query_rows(SQL["by_hour"], arguments))
    hours = (arguments["now"] - arguments["since"]) // timedelta(hours=1)
    return tuple(tasks.get(ago, 0) for ago in range(hours - 1, -1, -1))


def read_counts(campaign: Campaign, counts: CampaignCounts) -> Counted:
    """Return a campaign's counts with what follows from its current plan and labels."""
    labels = dict(campaign.enrollments.values_list("pk", "label"))
    scales = _scales(campaign)
    works = _works(counts, labels, scales)
    return Counted(
        at=counts.at,
        questions=counts.questions,
        places=counts.places.total,
        filled=counts.places.submitted,
        held=counts.places.held,
        annotators=_standings(campaign, counts, works, scales),
        criteria=quality.count_given_values(works.values()),
        systems=_units_by_system(counts.systems),
        by_hour=counts.by_hour,
        earned=_earned(campaign, counts.paid, labels),
        days=_days_by_criterion(counts.days_of_all, scales),
        reported={row.enrollment: row for row in counts.reported},
        idle={
            row.enrollment: Flag("idle", "", row.hours, None, 0, day=row.day) for row in counts.idle
        },
    )


def _scales(campaign: Campaign) -> dict[int, _Scale]:
    """Return the scales of a campaign's criteria; one of a single value has no better end."""
    scales: dict[int, _Scale] = {}
    for criterion in Criterion.objects.filter(protocol=campaign.protocol_id).prefetch_related(
        "points"
    ):
        values = [point.value for point in criterion.points.all() if not point.missing]
        sign = {"highest": 1, "lowest": -1}.get(criterion.best, 0) if len(values) > 1 else 0
        width = max(values) - min(values) if values else 0
        scales[criterion.pk] = _Scale(criterion.key, width, sign)
    return scales


def _works(
    counts: CampaignCounts, labels: Mapping[int, str], scales: Mapping[int, _Scale]
) -> dict[int, Workload]:
    """Return what each annotator has done, by the enrollment's key."""
    widths = {scale.key: scale.width for scale in scales.values() if scale.sign}
    uses = _uses(counts, scales)
    days = {
        who: _days_by_criterion(rows, scales)
        for who, rows in groupby(counts.days, key=attrgetter("enrollment"))
    }
    answers = {row.enrollment: row for row in counts.answers}
    works = {}
    for row in counts.submitted:
        who = row.enrollment
        if who not in labels:  # erased after these counts were stored
            continue
        answered = answers.get(who, AnswerCounts(who, 0, 0, 0))
        works[who] = Workload(
            label=labels[who],
            tasks=row.tasks,
            seconds=row.seconds,
            values=answered.clicked,
            uses=uses.get(who, {}),
            checked=counts.checked.get(who, Checked()),
            days=days.get(who, {}),
            drifts=find_drifts(days.get(who, {}), widths),
            quick=answered.quick,
            timed=answered.timed,
        )
    return works


def _uses(counts: CampaignCounts, scales: Mapping[int, _Scale]) -> dict[int, dict[str, Use]]:
    """Return how each annotator used each scale, by the enrollment's key and the criterion's."""
    times: defaultdict[tuple[int, int], dict[int, int]] = defaultdict(dict)
    for row in counts.uses:
        times[row.enrollment, row.criterion][row.value] = row.count
    runs = {(run.enrollment, run.criterion): (run.length, run.value) for run in counts.runs}
    uses: defaultdict[int, dict[str, Use]] = defaultdict(dict)
    for (who, criterion), by_value in sorted(times.items()):
        length, value = runs.get((who, criterion), (0, 0))
        uses[who][scales[criterion].key] = Use(by_value, length, value)
    return dict(uses)


def _days_by_criterion(
    rows: Iterable[DayCounts], scales: Mapping[int, _Scale]
) -> dict[str, list[Day]]:
    """Return days in their order, by the criterion's key."""
    days: defaultdict[str, list[Day]] = defaultdict(list)
    for row in rows:
        spread = SourceSpread(row.sources, row.mean, row.deviation)
        distances = SourceSpread(row.compared, row.distance, row.distance_deviation)
        day = Day(row.day, row.values, spread, distances if row.compared else None)
        days[scales[row.criterion].key].append(day)
    return dict(days)


def _standings(
    campaign: Campaign,
    counts: CampaignCounts,
    works: Mapping[int, Workload],
    scales: Mapping[int, _Scale],
) -> dict[int, AnnotatorStanding]:
    """Return each annotator's work, severity and flags, by the enrollment's key."""
    flags: Mapping[str, Sequence[Flag]] = {}
    if campaign.origin != Campaign.Origin.IMPORTED:
        plan = quality_plan_from_document(campaign.quality)
        flags = quality.flag_annotators(list(works.values()), plan)
    severities = _severities(counts.distances, scales)
    return {
        row.enrollment: AnnotatorStanding(
            work=works[row.enrollment],
            enrollment=row.enrollment,
            extras=row.extras,
            last_at=row.last_at,
            severity=severities.get(row.enrollment),
            flags=flags.get(works[row.enrollment].label, ()),
        )
        for row in counts.submitted
        if row.enrollment in works
    }


def _severities(
    distances: Iterable[MeanDistance], scales: Mapping[int, _Scale]
) -> dict[int, float]:
    """Return each annotator's mean distance from the others as a share of the scale, below 0 if the
    annotator is harsher."""
    sums, ratings = defaultdict[int, float](float), defaultdict[int, int](int)
    for row in distances:
        scale = scales[row.criterion]
        if scale.sign:
            sums[row.enrollment] += scale.sign * row.mean / scale.width * row.n
            ratings[row.enrollment] += row.n
    return {who: sums[who] / ratings[who] for who in sums}


def _units_by_system(rows: Iterable[SystemUnits]) -> dict[int, dict[int, int]]:
    """Return how many units each annotator judged, by system and the enrollment's key."""
    units: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for row in rows:
        units[row.system][row.enrollment] = row.units
    return dict(units)


def _earned(
    campaign: Campaign, rows: Iterable[PaidWork], labels: Mapping[int, str]
) -> dict[str, Earned]:
    """Return what each annotator has earned, by label; empty if no rate is planned."""
    rate = rate_of(campaign.rate)
    if rate is None:
        return {}
    earned = {
        labels[row.enrollment]: Earned(row.tasks, row.seconds, rate)
        for row in rows
        if row.enrollment in labels
    }
    return dict(sorted(earned.items()))
