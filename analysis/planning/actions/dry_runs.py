"""Trying a draft with simulated annotators: a ranking is planted, and its report must find it
again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from functools import partial
from math import inf
from typing import Any

from django.db import transaction
from django.db.models import Count, Sum
from django.utils import timezone

from analysis import frames
from analysis.frames import Material
from analysis.models import Result, Run
from analysis.planning import arrivals, simulated, timing
from analysis.planning.actions.simulated_answers import SimulatedAnswers
from analysis.planning.arrivals import Gate
from analysis.planning.simulated import Assumed, Newcomer, SimulatedAnnotator
from analysis.planning.timing import TimeSpent
from analysis.reports.rows import stable_number
from analysis.runs.actions import runs
from analysis.scoring.actions import versions
from analysis.sections.metrics.columns import clusters_of
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import InvalidInput, check_bounds
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, TaskUnit
from judging.campaigns.models.dry_run import DryRun
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.overview.actions import dry_runs
from judging.overview.actions.dry_runs import CannotTry, SimulatedArrival
from judging.people.models.user import User
from judging.protocols.rules import Force
from judging.quality.actions import exclusion_rules, exercises
from judging.quality.pay import rate_of
from judging.work.models.judgment import Judgment
from quaestor_stats._design import Design

KIND, REMOVE = jobs.DRY_RUN, "analysis.remove_dry_run"
WAVES = 10  # at most so many candidates per wanted annotator try to qualify


@dataclass(frozen=True, kw_only=True, slots=True)
class DryRunSettings:
    """Settings of simulated annotators as people enter them: those of PERCENTAGES in per cent, the
    first four of a scale's length."""

    gap: int = 15
    question: int = 15
    severity: int = 10
    noise: int = 20
    hurry: int = 20
    knows: int = 90
    knows_spread: int = 8
    wary: int = 50
    design: str = "sources"
    annotators: int | None = None  # as many as the plan needs
    careless: int = 0
    seconds: float | None = None  # as the protocol estimates a page
    seconds_spread: float = 0.6
    pace_spread: float = 0.3
    seed: int = 1

    def assumed(self) -> Assumed:
        """Return the assumptions of the simulation, with percentages as shares."""
        return Assumed(
            **{name: getattr(self, name) / 100 for name in PERCENTAGES},
            careless=self.careless,
            seconds=self.seconds or 0.0,
            seconds_spread=self.seconds_spread,
            pace_spread=self.pace_spread,
            seed=self.seed,
        )


PERCENTAGES = ("gap", "question", "severity", "noise", "hurry", "knows", "knows_spread", "wary")
BOUNDS = {
    "gap": (0, 80),
    "question": (0, 100),
    "severity": (0, 100),
    "noise": (0, 100),
    "hurry": (1, 100),
    "knows": (0, 100),
    "knows_spread": (0, 50),
    "wary": (0, 100),
    "annotators": (1, inf),
    "careless": (0, inf),
    "seconds": (0.1, 3_600),
    "seconds_spread": (0, 3),
    "pace_spread": (0, 3),
    "seed": (0, versions.MAX_SEED),
}
DESIGNS = ("sources", "sources+annotators")


def start_dry_run(*, campaign: Campaign, by: User, settings: DryRunSettings) -> Job:
    """Create a queued job for a dry run of a draft, or return its unfinished one. The caller
    notifies workers."""
    check_bounds(settings, BOUNDS)
    if settings.design not in DESIGNS:
        raise InvalidInput(f"The designs are {', '.join(DESIGNS)}.", field="design")
    dry_runs.check_can_dry_run(campaign)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if waiting := campaign.jobs.filter(kind=KIND).unfinished().first():
            return waiting
        return jobs.enqueue(kind=KIND, parameters=asdict(settings), by=by, campaign=campaign)


def copy_for_dry_run(work: jobs.Work) -> DryRun:
    """Copy the draft; its row is locked only for the copying."""
    draft, by = work.job.campaign, work.job.created_by
    if draft is None:
        raise jobs.CannotDo("A dry run belongs to a campaign.")
    assumed = DryRunSettings(**work.job.parameters).assumed()
    return dry_runs.copy_draft(draft=draft, by=by, now=timezone.now(), settings=asdict(assumed))


def execute_dry_run(work: jobs.Work, made: DryRun) -> dict[str, Any]:
    """Fill the copy, compute the power, make the copy's report, and show it to the draft's
    staff."""
    by, settings = work.job.created_by, DryRunSettings(**work.job.parameters)
    assumed = settings.assumed()
    simulate_study(
        made=made,
        by=by,
        now=timezone.now(),
        assumed=assumed,
        design=settings.design,
        count=settings.annotators,
        progress=work.progress,
    )
    dry_runs.show(run=made)
    _report(made.campaign, by, settings.seed, settings.design, work)
    dry_runs.conclude_dry_run(run=made, by=by)
    return {"campaign": str(made.campaign.uuid)}


def remove_unfilled_copy(made: DryRun) -> None:
    """Remove a copy that was not filled completely, unless another process has removed it."""
    dry_runs.delete_unfilled_copies(DryRun.objects.filter(pk=made.pk))


def simulate_study(
    *,
    made: DryRun,
    by: User,
    now: datetime,
    assumed: Assumed,
    design: str = "sources",
    count: int | None = None,
    progress: TellProgress = ignore_progress,
) -> None:
    """Let simulated annotators join, qualify and fill the copy, exclude those whom its rules
    propose, and store what was planted and how often it is found."""
    copy = made.campaign
    wanted = count or dry_runs.needed(copy)
    came = _admitted(made, wanted, assumed, now, progress)
    order = simulated.planted_order(_systems(copy), assumed)
    annotators = simulated.people(
        {each.label: each.who for each in came if each.arrival.is_let_in}, assumed
    )
    filled = _fill_tasks(copy, came, annotators, order, assumed, progress)
    everybody = frames.read_campaign(copy)
    proposed = _exclude_proposed(copy, by, now)
    campaigns.close_campaign(campaign=copy, now=now, by=by)

    def tell(criterion: str) -> None:
        progress(filled.places, filled.places, f"Repeating the study for its power: {criterion}")

    of_study = partial(
        estimate_power,
        order=order,
        annotators=annotators,
        assumed=assumed,
        design=Design.from_key(design),
        tell=tell,
    )
    of_all = of_study(everybody)
    made.outcome = {
        "order": order,
        "design": design,
        "people": [
            {**asdict(annotator), "severity": stable_number(annotator.severity)}
            for annotator in annotators
        ],
        "filled": asdict(filled),
        "rules": exclusion_rules.standing_rules(copy),
        "excluded": {each.enrollment.label: list(each.rules) for each in proposed},
        "lacking": exclusion_rules.count_lacking_assignments(copy),
        "criteria": of_study(frames.read_campaign(copy)) if proposed else of_all,
        "with_all": of_all if proposed else [],
        **_passed(copy, came, wanted, assumed, progress),
        **_cost(copy, came, assumed),
    }
    made.save(update_fields=["outcome"])


def _exclude_proposed(copy: Campaign, by: User, now: datetime) -> list[exclusion_rules.Proposal]:
    """Exclude the annotators whom the copy's rules propose, and return them."""
    proposed = exclusion_rules.proposals(copy, now=now)
    chosen = [each.enrollment.pk for each in proposed]
    exclusion_rules.exclude_proposed(campaign=copy, chosen=chosen, by=by, now=now)
    return proposed


def _fill_tasks(
    copy: Campaign,
    came: Sequence[_Candidate],
    annotators: list[SimulatedAnnotator],
    order: list[str],
    assumed: Assumed,
    progress: TellProgress,
) -> dry_runs.Filled:
    """Have the admitted annotators do all tasks of a copy."""
    enrolled = [each.arrival.enrollment for each in came if each.arrival.is_let_in]
    answers = SimulatedAnswers(copy, enrolled, annotators, order, frames.protocol_of(copy), assumed)
    return dry_runs.fill_copy(
        campaign=copy,
        people=enrolled,
        answer=answers,
        seconds=answers.seconds,
        progress=progress,
    )


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A simulated candidate for a copy: the simulated annotator, and the outcome of joining."""

    who: Newcomer
    arrival: SimulatedArrival

    @property
    def label(self) -> str:
        return self.arrival.enrollment.label


def _passed(
    copy: Campaign,
    came: Sequence[_Candidate],
    wanted: int,
    assumed: Assumed,
    progress: TellProgress,
) -> dict[str, Any]:
    """Return the candidates of a copy, which of them qualified, and a forecast of the share of
    others who would."""
    gate = _gate(copy)
    people = [
        {
            "label": each.label,
            "tries": each.arrival.tries,
            "in": each.arrival.is_let_in,
            **asdict(each.who),
        }
        for each in came
    ]

    def tell(done: int) -> None:
        progress(done, arrivals.FORECAST, "Forecasting how many are admitted")

    share = arrivals.forecast_arrivals(gate, wanted, assumed, tell) if gate else None
    return {"wanted": wanted, "came": people, "gate": share}


def _cost(copy: Campaign, came: Sequence[_Candidate], assumed: Assumed) -> dict[str, Any]:
    """Return the time that each annotator took in a copy, and a forecast of time and cost of such a
    study."""
    page = frames.protocol_of(copy).estimated_seconds
    spent = _spent(copy, {each.label: each.who for each in came})
    return {
        "page": page,
        "spent": {label: asdict(each) for label, each in spent.items()},
        "time": timing.forecast_hours([*spent.values()], page, rate_of(copy.rate), assumed),
        "gate_hours": _gate_hours(copy, came, spent),
    }


def _admitted(
    made: DryRun, wanted: int, assumed: Assumed, now: datetime, progress: TellProgress
) -> list[_Candidate]:
    """Let simulated annotators take the copy's training and qualification until enough qualify;
    return all candidates."""
    gate = _gate(made.campaign)
    most = WAVES * wanted if gate else wanted

    def answer(place: int, attempt: int) -> dict[tuple[int, int], int]:
        who = arrivals.newcomer(place, wanted, assumed)
        return arrivals.answers_of(place, attempt, who, gate, assumed) if gate else {}

    came = dry_runs.admit_simulated(
        run=made, count=wanted, most=most, answer=answer, now=now, progress=progress
    )
    if not any(each.is_let_in for each in came):
        raise CannotTry(
            f"The qualification admits none of {len(came):,} simulated annotators. Lower its pass mark, "
            "or assume that they know more."
        )
    return [_Candidate(arrivals.newcomer(each.number, wanted, assumed), each) for each in came]


def _gate(copy: Campaign) -> Gate | None:
    """Return the qualification of a copy; None if it has none."""
    items = exercises.qualification_items(copy)
    if not items:
        return None
    points = {
        criterion.pk: [point.value for point in criterion.points.all()]
        for criterion in copy.protocol.criteria.prefetch_related("points")
    }
    return Gate(items, points, copy.pass_mark, copy.tries)


def _spent(copy: Campaign, people: Mapping[str, Newcomer]) -> dict[str, TimeSpent]:
    """Return each annotator's tasks, values and time in the copy, including checks."""
    done = Assignment.objects.filter(round__campaign=copy, submitted_at__isnull=False)
    tasks = done.values_list("enrollment__label").annotate(n=Count("pk"), s=Sum("active_seconds"))
    said = Judgment.objects.filter(assignment__in=done, origin=Judgment.Origin.JUDGED)
    values = dict(said.values_list("assignment__enrollment__label").annotate(n=Count("pk")))
    return {
        label: TimeSpent(n, values.get(label, 0), seconds, people[label].careless)
        for label, n, seconds in tasks.order_by("enrollment__label")
    }


def _gate_hours(
    copy: Campaign, came: Sequence[_Candidate], spent: Mapping[str, TimeSpent]
) -> float | None:
    """Return the hours of all who came on training and qualification, a value taking as long there
    as in tasks on average; None where there is neither."""
    keys = dict(copy.exercises.values_list("kind").annotate(n=Count("keys")))
    slow = [each for each in spent.values() if not each.careless] or [*spent.values()]
    mean = sum(each.seconds for each in slow) / max(sum(each.values for each in slow), 1)
    values = sum(
        each.who.pace
        * (keys.get("training", 0) + each.arrival.tries * keys.get("qualification", 0))
        for each in came
    )
    return stable_number(values * mean / 3600) if keys else None


def _report(copy: Campaign, by: User, seed: int, design: str, work: jobs.Work) -> None:
    """Make the copy's report within the dry run's own job, so that both are there at once or not at
    all."""
    parameters = {"metrics": [], "name": "dry run", "design": design}
    run = runs.start_run(campaign=copy, by=by, seed=seed, parameters=parameters)
    own = jobs.claim_job(job_id=run.job_id)
    if own is not None:
        jobs.finish_job(job=own, result=runs.execute_run(run=run, work=work))


def _systems(copy: Campaign) -> list[str]:
    held = TaskUnit.objects.filter(task__round__campaign=copy)
    return sorted(set(held.values_list("unit__question_set__system__name", flat=True)))


def estimate_power(
    read: Material,
    *,
    order: list[str],
    annotators: list[SimulatedAnnotator],
    assumed: Assumed,
    design: Design,
    tell: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Return how often a study laid out as what was read finds the planted order, by criterion."""
    import pandas as pd

    slots = read.slots[["unit", "system", "source"]]
    slots = slots.assign(cluster=clusters_of(read, pd.Index(slots["unit"])))
    rows = read.judgments[["unit", "criterion", "annotator"]].merge(slots, on="unit")
    if rows.empty or len(order) < 2:
        return []
    rows["set"] = rows["source"] + "\t" + rows["system"]
    forces = [rule for rule in read.protocol.rules if isinstance(rule, Force)]
    return simulated.power_of(
        rows,
        criteria=read.protocol.criteria,
        forces=forces,
        order=order,
        annotators=annotators,
        assumed=assumed,
        resamples=int(runs.DEFAULTS["resamples"]),
        design=design,
        unit=read.cluster_unit,
        tell=tell,
    )


def execute_removal(work: jobs.Work) -> dict[str, Any]:
    """Delete the copy that a job is about."""
    copy = work.job.campaign
    if copy is None:
        raise jobs.CannotDo("The copy is gone already.")
    try:
        remove_dry_run(campaign=copy, by=work.job.created_by, progress=work.progress)
    except DryRun.DoesNotExist as gone:
        raise jobs.CannotDo(str(gone)) from None
    return {"removed": copy.title}


def remove_dry_run(
    *, campaign: Campaign, by: User, progress: TellProgress = ignore_progress
) -> None:
    """Delete a copy with its reports and all that was simulated in it."""
    made = DryRun.objects.select_related("draft").get(campaign=campaign)
    if made.outcome == {} and made.draft and made.draft.jobs.filter(kind=KIND).unfinished():
        raise CannotTry("The copy is being filled: this dry run is under way.")
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        by_itself = (*jobs.REMOVE_CAMPAIGN, jobs.LIVE_AGREEMENT)
        if campaign.jobs.unfinished().exclude(kind__in=by_itself).exists():
            raise CannotTry(
                "Its report is under way. Delete the copy once that is done, or cancel it first."
            )
        Result.objects.filter(run__campaign=campaign).delete()
        Run.objects.filter(campaign=campaign).delete()
        dry_runs.delete_copy(campaign=campaign, by=by, progress=progress)
