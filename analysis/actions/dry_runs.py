"""Trying a draft with simulated annotators: a ranking is planted, and its report must find it
again."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Self

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from analysis import frames
from analysis.actions import runs
from analysis.frames import Material
from analysis.models import Result, Run
from analysis.planning import arrivals, simulated, timing
from analysis.planning.arrivals import Gate
from analysis.planning.simulated import Assumed, Newcomer, Seen, SimulatedAnnotator
from analysis.planning.timing import TimeSpent
from analysis.reports.rows import number
from analysis.sections.comparisons import DEFAULT, SURE, Comparisons
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.exclusions import Exclusions
from analysis.sections.section import Found
from analysis.sections.system_means import SystemMeans
from judging.actions import campaigns, dry_runs, exclusion_rules, exercises, jobs
from judging.actions.dry_runs import CannotTry, SimulatedArrival
from judging.actions.rounds import NothingToJudge, TellProgress, silent
from judging.models import (
    Assignment,
    Campaign,
    CheckItem,
    CheckKind,
    DryRun,
    Enrollment,
    Job,
    Judgment,
    TaskUnit,
    Unit,
    User,
)
from judging.pay import rate_of
from judging.protocols.rubric_schema import RubricCriterion, RubricDocument
from judging.rules import Force

KIND = "analysis.dry_run"
MOST_PEOPLE = 500
WAVES = 10  # times as many come as are wanted, before a qualification lets in too few
UNIT = (
    "pk",
    "question_set__source",
    "question_set__source__key",
    "question_set__system__name",
    "position",
)


def start(*, campaign: Campaign, by: User, parameters: Mapping[str, Any]) -> Job:
    """Write down that a draft is to be tried; the caller rings for it. One that waits is not asked
    for twice."""
    dry_runs.check(campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if waiting := campaign.jobs.filter(kind=KIND).unfinished().first():
            return waiting
        return jobs.enqueue(kind=KIND, parameters=parameters, by=by, campaign=campaign)


def execute(work: jobs.Work) -> dict[str, Any]:
    """Copy the draft, fill the copy, work out the power, and make the copy's report."""
    draft, by = work.job.campaign, work.job.created_by
    if draft is None:
        raise jobs.CannotDo("A dry run belongs to a campaign.")
    asked = dict(work.job.parameters)
    count = asked.pop("annotators", None)
    try:
        made = fill(
            draft=draft,
            by=by,
            now=timezone.now(),
            assumed=Assumed(**asked),
            count=count,
            progress=work.progress,
        )
    except (CannotTry, campaigns.NotAllowedNow, NothingToJudge) as refused:
        raise jobs.CannotDo(str(refused)) from None
    _report(made.campaign, by, int(asked["seed"]), work)
    return {"campaign": str(made.campaign.uuid)}


def fill(
    *,
    draft: Campaign,
    by: User,
    now: datetime,
    assumed: Assumed,
    count: int | None = None,
    progress: TellProgress = silent,
) -> DryRun:
    """Copy a draft, have simulated annotators come, qualify and fill the copy, leave out whom its
    rules propose, and note what was planted and how often it is found."""
    made = dry_runs.copy(draft=draft, by=by, now=now, settings=asdict(assumed))
    copy = made.campaign
    wanted = min(count or dry_runs.needed(copy), MOST_PEOPLE)
    came = _admitted(made, wanted, assumed, now)
    enrolled = [each.enrollment for each, _who in came if each.is_let_in]
    let_in = {each.enrollment.label: who for each, who in came if each.is_let_in}
    annotators = simulated.people(let_in, assumed)
    rubric, order = frames.rubric_of(copy), simulated.planted_order(_systems(copy), assumed)
    answering = _Answering(copy, enrolled, annotators, order, rubric, assumed)
    filled = dry_runs.fill(
        campaign=copy,
        people=enrolled,
        answer=answering,
        seconds=answering.seconds,
        progress=progress,
    )
    everybody = frames.material(copy)
    proposed = exclusion_rules.proposals(copy, now=now)
    chosen = [each.enrollment.pk for each in proposed]
    exclusion_rules.apply(campaign=copy, chosen=chosen, by=by, now=now)
    campaigns.close(campaign=copy, now=now, by=by)
    progress(filled.places, filled.places, "Repeating the study for its power")
    asked: dict[str, Any] = {
        "criteria": rubric.criteria,
        "order": order,
        "annotators": annotators,
        "assumed": assumed,
    }
    of_all = power(everybody, **asked)
    made.outcome = {
        "order": order,
        "people": [{**asdict(each), "severity": number(each.severity)} for each in annotators],
        "filled": asdict(filled),
        "rules": exclusion_rules.standing_rules(copy),
        "left_out": {each.enrollment.label: list(each.rules) for each in proposed},
        "lacking": exclusion_rules.lacking(copy),
        "criteria": power(frames.material(copy), **asked) if proposed else of_all,
        "with_all": of_all if proposed else [],
        **_passed(copy, came, wanted, assumed),
        **_cost(copy, came, assumed),
    }
    made.save(update_fields=["outcome"])
    return made


def _passed(
    copy: Campaign,
    came: Sequence[tuple[SimulatedArrival, Newcomer]],
    wanted: int,
    assumed: Assumed,
) -> dict[str, Any]:
    """Return who came to a copy and was let in, and what share of others its qualification would
    let in."""
    gate = _gate(copy)
    people = [
        {"label": each.enrollment.label, "tries": each.tries, "in": each.is_let_in} | asdict(who)
        for each, who in came
    ]
    share = arrivals.forecast(gate, wanted, assumed) if gate else None
    return {"wanted": wanted, "came": people, "gate": share}


def _cost(
    copy: Campaign, came: Sequence[tuple[SimulatedArrival, Newcomer]], assumed: Assumed
) -> dict[str, Any]:
    """Return how long everybody took in a copy, and how long and dear a study like it is."""
    page = frames.rubric_of(copy).estimated_seconds
    spent = _spent(copy, {each.enrollment.label: who for each, who in came})
    return {
        "page": page,
        "spent": {label: asdict(each) for label, each in spent.items()},
        "time": timing.forecast([*spent.values()], page, rate_of(copy.rate), assumed),
        "gate_hours": _gate_hours(copy, came, spent),
    }


def _admitted(
    made: DryRun, wanted: int, assumed: Assumed, now: datetime
) -> list[tuple[SimulatedArrival, Newcomer]]:
    """Have people come to the copy's training and qualification until enough are let in; return
    everybody who came."""
    gate = _gate(made.campaign)
    most = min(MOST_PEOPLE, WAVES * wanted) if gate else wanted

    def answer(place: int, attempt: int) -> dict[tuple[int, int], int]:
        who = arrivals.newcomer(place, wanted, assumed)
        return arrivals.answers_of(place, attempt, who, gate, assumed) if gate else {}

    came = dry_runs.admit(run=made, count=wanted, most=most, answer=answer, now=now)
    if not any(each.is_let_in for each in came):
        raise CannotTry(
            f"The qualification lets in none of {len(came):,} simulated annotators. Lower its mark, "
            "or assume that they know more."
        )
    return [(each, arrivals.newcomer(each.number, wanted, assumed)) for each in came]


def _gate(copy: Campaign) -> Gate | None:
    """Return the qualification of a copy; None where it has none."""
    items = exercises.qualification_items(copy)
    if not items:
        return None
    points = {
        each.pk: [point.value for point in each.points.all()]
        for each in copy.rubric.criteria.prefetch_related("points")
    }
    return Gate(items, points, copy.pass_mark, copy.tries)


def _spent(copy: Campaign, people: Mapping[str, Newcomer]) -> dict[str, TimeSpent]:
    """Return what every annotator did in the copy, checks among it."""
    done = Assignment.objects.filter(round__campaign=copy, submitted_at__isnull=False)
    tasks = done.values_list("enrollment__label").annotate(n=Count("pk"), s=Sum("active_seconds"))
    said = Judgment.objects.filter(assignment__in=done, origin=Judgment.Origin.JUDGED)
    values = dict(said.values_list("assignment__enrollment__label").annotate(n=Count("pk")))
    return {
        label: TimeSpent(n, values.get(label, 0), seconds, people[label].careless)
        for label, n, seconds in tasks.order_by("enrollment__label")
    }


def _gate_hours(
    copy: Campaign,
    came: Sequence[tuple[SimulatedArrival, Newcomer]],
    spent: Mapping[str, TimeSpent],
) -> float | None:
    """Return the hours of all who came on training and qualification, a value taking as long there
    as in tasks on average; None where there is neither."""
    keys = dict(copy.exercises.values_list("kind").annotate(n=Count("keys")))
    slow = [each for each in spent.values() if not each.careless] or [*spent.values()]
    mean = sum(each.seconds for each in slow) / max(sum(each.values for each in slow), 1)
    values = sum(
        who.pace * (keys.get("training", 0) + each.tries * keys.get("qualification", 0))
        for each, who in came
    )
    return number(values * mean / 3600) if keys else None


def _report(copy: Campaign, by: User, seed: int, work: jobs.Work) -> None:
    """Make the copy's report within the dry run's own job, so that both are there at once or not at
    all."""
    run = runs.start(campaign=copy, by=by, seed=seed, parameters={"metrics": [], "name": "dry run"})
    own = jobs.claim(job_id=run.job_id)
    if own is not None:
        jobs.finish(job=own, result=runs.execute(run=run, work=work))


def _systems(copy: Campaign) -> list[str]:
    held = TaskUnit.objects.filter(task__round__campaign=copy)
    return sorted(set(held.values_list("unit__question_set__system__name", flat=True)))


class _Answering:
    """What each simulated annotator answers, whatever the order in which tasks come to them."""

    def __init__(
        self,
        copy: Campaign,
        enrolled: list[Enrollment],
        annotators: list[SimulatedAnnotator],
        order: list[str],
        rubric: RubricDocument,
        assumed: Assumed,
    ) -> None:
        self.criteria, self.assumed, self.page = rubric.criteria, assumed, rubric.estimated_seconds
        self.people = {
            each.pk: (place, who)
            for place, (each, who) in enumerate(zip(enrolled, annotators, strict=True))
        }
        self.seen = _seen(copy, simulated.planted_quality(order, assumed), self.criteria)
        self.on_all = lru_cache(maxsize=4_096)(self._on_all)

    def __call__(self, enrollment: int, unit: int, criterion: str, again: bool) -> int:
        return self.on_all(enrollment, unit, again)[criterion]

    def seconds(self, enrollment: int, values: int, task: int, again: bool) -> float:
        """Return how long one of them takes for a page of so many values."""
        place, who = self.people[enrollment]
        mean, stream = timing.mean_of(1, values, self.page, self.assumed), (place, task, int(again))
        return timing.seconds_of(values, mean, who.pace, stream, self.assumed)

    def _on_all(self, enrollment: int, unit: int, again: bool) -> dict[str, int]:
        place, who = self.people[enrollment]
        return simulated.answers(
            self.seen[unit], who, place, again=again, criteria=self.criteria, assumed=self.assumed
        )


def _seen(
    copy: Campaign, quality: Mapping[str, float], criteria: tuple[RubricCriterion, ...]
) -> dict[int, Seen]:
    """Return what stands behind every unit that may be met, those of checks among them.

    Units are numbered by source, system and position, so that chance is the same wherever the study
    is stored.
    """
    sets = TaskUnit.objects.filter(task__round__campaign=copy).values("unit__question_set")
    units = Unit.objects.filter(question_set__in=sets).values_list(*UNIT)
    rows = sorted(units, key=lambda row: (row[2], row[3], row[4] or 0))
    found: dict[int, Seen] = {}
    places: dict[tuple[int, str, int | None], Seen] = {}
    for place, (pk, source, _key, system, position) in enumerate(rows):
        own = Seen(place, simulated.qualities(criteria, quality.get(system, 0.5)))
        found[pk] = places[source, system, position] = own
    return found | _seen_in_checks(copy, places, len(rows), criteria)


def _seen_in_checks(
    copy: Campaign,
    places: Mapping[tuple[int, str, int | None], Seen],
    numbered: int,
    criteria: tuple[RubricCriterion, ...],
) -> dict[int, Seen]:
    """Return what stands behind the units of checks: of a gold question the accepted values, of a
    degraded copy something worse, and around either what is copied; `numbered`: so many units have
    a number."""
    middle = Seen(numbered, simulated.qualities(criteria, 0.5))
    found: dict[int, Seen] = {}
    items = copy.check_items.select_related("unit__question_set", "original__question_set")
    items = items.prefetch_related("accepted__criterion").order_by("pk")
    for place, item in enumerate(items, start=numbered + 1):
        of = item.original.question_set.source_id
        copied = Unit.objects.filter(question_set__source=item.unit.question_set.source_id)
        for pk, _source, _key, system, position in copied.values_list(*UNIT):
            found[pk] = places.get((of, system, position), middle)
        own = found[item.unit_id]
        if item.kind == CheckKind.GOLD:
            found[item.unit_id] = Seen(place, _accepted_quality(item, criteria), clear=True)
        else:
            worse = {key: value - simulated.WORSE for key, value in own.quality.items()}
            found[item.unit_id] = Seen(own.number, worse)
    return found


def _accepted_quality(item: CheckItem, criteria: tuple[RubricCriterion, ...]) -> dict[str, float]:
    """Return the quality that stands at the middle of the values that a gold question accepts; the
    scale's middle where none is named."""
    found = {}
    for each in criteria:
        points = simulated.points_of(each)
        accepted = [one.value for one in item.accepted.all() if one.criterion.key == each.key]
        places = sorted(points.index(value) for value in accepted if value in points)
        middle = places[len(places) // 2] / max(len(points) - 1, 1) if places else 0.5
        found[each.key] = middle
    return found


def power(
    read: Material,
    *,
    criteria: tuple[RubricCriterion, ...],
    order: list[str],
    annotators: list[SimulatedAnnotator],
    assumed: Assumed,
) -> list[dict[str, Any]]:
    """Return how often a study laid out as what was read finds the planted order, by criterion."""
    slots = read.slots[["unit", "system", "source"]]
    rows = read.judgments[["unit", "criterion", "annotator"]].merge(slots, on="unit")
    if rows.empty or len(order) < 2:
        return []
    rows["set"] = rows["source"] + "\t" + rows["system"]
    forces = [rule for rule in read.rubric.rules if isinstance(rule, Force)]
    return simulated.power_of(
        rows,
        criteria=criteria,
        forces=forces,
        order=order,
        annotators=annotators,
        assumed=assumed,
        resamples=int(runs.DEFAULTS["resamples"]),
    )


@dataclass(frozen=True, slots=True)
class Recovery:
    """What the copy's report made of one criterion: the order of means, and which pairs its own
    test tells apart."""

    criterion: str
    name: str
    order: list[str]
    is_planted: bool
    told: int
    reversed: int
    pairs: int
    with_all: list[str]  # the order of means with nobody left out; empty where nobody is

    @classmethod
    def of(cls, criterion: CriterionRow, found: Found, planted: list[str]) -> Self | None:
        """Return what a report found on one criterion; None where nobody judged it."""
        means = {
            row.system: row.mean.value
            for row in found.of(SystemMeans)
            if row.criterion == criterion.criterion
        }
        if not means:
            return None
        everybody = {
            row.system: row.estimate.value
            for row in found.of(Exclusions)
            if (row.criterion, row.data, row.measure) == (criterion.criterion, "all", "mean")
        }
        is_high_best = criterion.best != "lowest"
        order = sorted(means, key=lambda name: means[name], reverse=is_high_best)
        told = right = 0
        for row in found.of(Comparisons):
            if (row.criterion, row.test) == (criterion.criterion, DEFAULT) and row.p_holm < SURE:
                told += 1
                is_first_better = (row.estimate.value > 0) == is_high_best
                right += is_first_better == (planted.index(row.first) < planted.index(row.second))
        return cls(
            criterion=criterion.criterion,
            name=criterion.name,
            order=order,
            is_planted=order == planted,
            told=right,
            reversed=told - right,
            pairs=len(means) * (len(means) - 1) // 2,
            with_all=sorted(everybody, key=lambda name: everybody[name], reverse=is_high_best),
        )


def recovery(run: DryRun) -> list[Recovery] | None:
    """Read from the copy's report whether the planted order was found; None while there is no
    report."""
    report = runs.latest(run.campaign)
    if report is None:
        return None
    found, planted = runs.found_by(report), list(run.outcome.get("order", ()))
    rows = (Recovery.of(each, found, planted) for each in criterion_rows(found) if each.averaged)
    return [row for row in rows if row]


def remove(*, campaign: Campaign, by: User) -> None:
    """Delete a copy with its reports and all that was simulated in it."""
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if campaign.jobs.unfinished().exists():
            raise CannotTry(
                "Its report is under way. Delete the copy once that is done, or cancel it first."
            )
        Result.objects.filter(run__campaign=campaign).delete()
        Run.objects.filter(campaign=campaign).delete()
        dry_runs.remove(campaign=campaign, by=by)
