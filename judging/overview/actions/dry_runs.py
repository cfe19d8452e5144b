"""Dry runs: copies of a draft that simulated annotators fill by the same functions as people.

Simulated annotators have no accounts. A copy has a secret of its own, so that it does not reveal
how the study itself will be laid out, and it is closed once it is filled: no annotator can join it.
It can be deleted with all that was simulated.
"""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max

from judging.base.actions import bulk
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.actions import campaigns, panels, selections
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.dry_run import DryRun, DryRunQuerySet
from judging.campaigns.models.members import Enrollment, Erasure, Exclusion, Membership
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.campaigns.selection import selection_to_document
from judging.datasets.models.dataset import Unit
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.spans import Marked, range_of
from judging.quality.actions import check_items, checks, exclusions, exercises, qualifications
from judging.quality.actions.qualifications import ExerciseValues, QualificationStanding
from judging.quality.models.exercise import Exercise
from judging.work.actions import drafts, judgments, sheets
from judging.work.actions.assignments import Here
from judging.work.actions.drafts import SentPage
from judging.work.models.assignment import Draft, Marking, Note, SpanMark

MARK = "SIMULATED: "
# (enrollment, unit, criterion, whether in a check) -> value
Answer = Callable[[int, int, str, bool], int]
# (enrollment, number of values on the page, the task's number, whether in a check) -> seconds
Seconds = Callable[[int, int, int, bool], float]
TryAnswers = Callable[[int, int], ExerciseValues]  # (annotator's number, try's number) -> answers
TOLD_EVERY = 25  # tasks between two reports of progress
NO_MANAGER = "The user who asked for the dry run is no longer a manager of the draft."


class CannotTry(Refused):
    """This campaign cannot be tried with simulated annotators; the message says why."""

    code = "cannot_dry_run"


def check_can_dry_run(campaign: Campaign) -> None:
    """Raise CannotTry unless a campaign is a study that annotators will judge and is not open yet."""
    if campaign.origin != Campaign.Origin.JUDGED:
        raise CannotTry("Only a study that annotators will judge can have a dry run.")
    if campaign.state not in (Campaign.State.DRAFT, Campaign.State.LOCKED):
        raise CannotTry("A dry run is possible only before the campaign is opened.")


def copy_draft(*, draft: Campaign, by: User, now: datetime, settings: Mapping[str, Any]) -> DryRun:
    """Make a copy of a draft with its plan and checks, lay it out and open it to simulated
    annotators. No user sees the copy before `show`.

    It takes a moment, in which the draft and its dataset are locked. Filling the copy takes minutes
    and is a separate step, so that users who join or leave the draft do not wait for it.
    """
    # copies of a worker that died, or that has yet to notice that it lost its job
    delete_unfilled_copies(draft.dry_runs.all())
    with transaction.atomic():
        locked = Campaign.objects.select_for_update(no_key=True).get(pk=draft.pk)
        check_can_dry_run(locked)
        if not locked.memberships.filter(user=by, role=Membership.Role.MANAGER).exists():
            raise CannotTry(NO_MANAGER)
        number = (locked.dry_runs.aggregate(last=Max("number"))["last"] or 0) + 1
        copy = _create_copy(draft, by)
        run = DryRun.objects.create(
            campaign=copy, draft=draft, number=number, settings=dict(settings)
        )
        exercises.copy_exercises(draft, copy)
        check_items.copy_checks(draft, copy)
        seed = f"dry run {draft.uuid} {settings.get('seed', number)}"
        secret = hashlib.sha256(seed.encode()).hexdigest()
        campaigns.lock_plan(campaign=copy, now=now, by=by, secret=secret)
        campaigns.open_campaign(campaign=copy, now=now, by=by)
    return run


def _create_copy(draft: Campaign, by: User) -> Campaign:
    """Create a campaign with a draft's plan and selection, which no user sees."""
    longest = Campaign._meta.get_field("title").max_length or 0
    plan = {key: getattr(draft, key) for key in campaigns.PLANNED}
    copy = campaigns.create_campaign(
        by=by,
        dataset=draft.dataset,
        protocol=draft.protocol,
        plan=plan | {"title": f"{MARK}{draft.title}"[:longest]},
        created_by=draft.created_by,  # their right to the dataset decides who sees both
        origin=Campaign.Origin.SIMULATED,
        selection=selection_to_document(selections.planned_selection(draft)),
    )
    copy.memberships.all().delete()
    return copy


def show(*, run: DryRun) -> None:
    """Show a filled copy to the draft's staff."""
    staff = Membership.objects.filter(campaign=run.draft).exclude(role=Membership.Role.ANNOTATOR)
    for user, role in staff.values_list("user", "role"):
        Membership.objects.get_or_create(campaign=run.campaign, user_id=user, role=role)


def conclude_dry_run(*, run: DryRun, by: User) -> None:
    """Leave a copy to the users who are the draft's staff at the end; raise CannotTry if the user
    who asked for it is none of its managers. Users who leave the draft from here on wait for the
    end of this transaction, and leave the copy too."""
    staff = Membership.objects.filter(campaign=run.draft).exclude(role=Membership.Role.ANNOTATOR)
    roles = {(member.user_id, member.role) for member in staff.select_for_update(no_key=True)}
    visible = Campaign.objects.visible_to(by).filter(dry_runs=run)
    if (by.pk, Membership.Role.MANAGER) not in roles or not visible.exists():
        raise CannotTry(NO_MANAGER)
    for member in run.campaign.memberships.all():
        if (member.user_id, member.role) not in roles:
            member.delete()
    history.record_event(Event.Act.DRY_RUN_MADE, by=by, campaign=run.draft, about=str(run))


def delete_unfilled_copies(runs: DryRunQuerySet) -> None:
    """Delete those of these copies that were not filled to the end."""
    with transaction.atomic():
        for run in runs.unfilled().select_for_update(of=("self",)):
            delete_copy(campaign=run.campaign, by=run.campaign.created_by)


def forget_left() -> None:
    """Delete unfilled copies whose job has ended: its workers died too often for another attempt."""
    at_work = Job.objects.filter(kind=jobs.DRY_RUN).unfinished()
    delete_unfilled_copies(
        DryRun.objects.exclude(draft__in=at_work.filter(campaign__isnull=False).values("campaign"))
    )


def needed(campaign: Campaign) -> int:
    """Return how many annotators it takes to fill an opened campaign: a panel's seats, or as many
    as the plan's share of tasks per annotator requires."""
    if seats := panels.seats(campaign):
        return seats
    share = campaign.tasks_per_annotator
    if share is None:
        return campaign.annotators_per_task
    places = Assignment.objects.filter(round__campaign=campaign).count()
    return max(campaign.annotators_per_task, -(-places // share))


@dataclass(frozen=True, slots=True)
class SimulatedArrival:
    """A simulated annotator who came: their number, enrollment, count of tries at the
    qualification, and whether they were admitted."""

    number: int
    enrollment: Enrollment
    tries: int
    is_let_in: bool


def admit_simulated(
    *,
    run: DryRun,
    count: int,
    most: int,
    answer: TryAnswers,
    now: datetime,
    progress: TellProgress = ignore_progress,
) -> list[SimulatedArrival]:
    """Have simulated annotators join a copy, train and try the qualification until `count` are
    admitted, or `most` have come."""
    arrivals: list[SimulatedArrival] = []
    admitted = 0
    training = list(run.campaign.exercises.filter(kind=Exercise.Kind.TRAINING))
    while admitted < count and len(arrivals) < most:
        number = len(arrivals) + 1
        enrollment = _enroll(run, number)
        for exercise in training:
            qualifications.train(enrollment=enrollment, exercise=exercise, now=now)
        progress(admitted, count, f"Newcomer {number} tries the qualification")
        standing = _qualify(enrollment, number, answer, now)
        is_let_in = standing.outcome != "failed"
        if not is_let_in and enrollment.seat is not None:
            exclusions.free_seat(enrollment=enrollment)
        admitted += is_let_in
        arrivals.append(SimulatedArrival(number, enrollment, len(standing.tries), is_let_in))
    return arrivals


def _qualify(
    enrollment: Enrollment, number: int, answer: TryAnswers, now: datetime
) -> QualificationStanding:
    """Try the qualification until it is passed or no try is left; return the last standing."""
    while (standing := qualifications.qualification_standing(enrollment)).outcome == "open":
        answers = answer(number, standing.next)
        qualifications.attempt(enrollment=enrollment, number=standing.next, given=answers, now=now)
        enrollment.refresh_from_db(fields=["qualified_at"])
    return standing


def _enroll(run: DryRun, number: int) -> Enrollment:
    """Enrol one more annotator without account in a copy; their checks are drawn as for other
    annotators."""
    label = f"S{number:02d}"
    drawn_for = uuid.uuid5(run.campaign.uuid, label)
    if run.draft is not None:  # the same draft's first dry run is the same whenever it is made
        drawn_for = uuid.uuid5(run.draft.uuid, f"{run.number}/{label}")
    return Enrollment.objects.create(
        campaign=run.campaign,
        label=label,
        seat=panels.next_seat(run.campaign),
        draw_id=drawn_for,
    )


@dataclass(frozen=True, slots=True)
class Filled:
    """How many places the main round has, how many of them were judged, and how many checks."""

    places: int
    filled: int
    checks: int


def fill_copy(
    *,
    campaign: Campaign,
    people: Iterable[Enrollment],
    answer: Answer,
    seconds: Seconds,
    progress: TellProgress = ignore_progress,
) -> Filled:
    """Have simulated annotators judge one task each in turn until none of them gets a task."""
    main = campaign.rounds.get(kind=Round.Kind.MAIN)
    main.campaign = campaign
    waiting, done = list(people), 0
    places = Assignment.objects.filter(round=main).count()
    while waiting:
        for enrollment in list(waiting):
            outcome = checks.claim_with_checks(enrollment=enrollment, round=main)
            if not isinstance(outcome, Here):
                # no annotator holds a task between two turns, so none can become free
                waiting.remove(enrollment)
                continue
            _judge(outcome.assignment, answer, seconds)
            done += 1
            if done % TOLD_EVERY == 0:
                progress(min(done, places), places, "Simulated annotators are judging")
    submitted = Assignment.objects.filter(
        round__campaign=campaign, state=Assignment.State.SUBMITTED
    )
    return Filled(
        places=places,
        filled=submitted.filter(round=main).count(),
        checks=submitted.filter(round__kind=Round.Kind.CHECKS).count(),
    )


def _judge(taken: Assignment, answer: Answer, seconds: Seconds) -> None:
    """Judge one task, stage by stage as the protocol shows it, and store the simulated time that
    it took."""
    related = ("task", "enrollment", "round__campaign__protocol")
    assignment = Assignment.objects.select_related(*related).get(pk=taken.pk)
    sheet = sheets.sheet_of_assignment(assignment)
    who, is_check = assignment.enrollment_id or 0, assignment.round.kind == Round.Kind.CHECKS
    stages, values = len(sheet.protocol.stages), 0
    for stage in range(stages):
        answers = [
            (control, answer(who, control.unit, control.criterion.key, is_check))
            for control in sheet.asked()
            if control.stage == stage
        ]
        values += len(answers)
        marks = {mark: _marked(mark.unit) for mark in sheet.marks() if mark.stage == stage}
        page = SentPage(answers, sequence=stage + 1, marks=marks)
        drafts.save_draft(assignment=assignment, page=page)
        if stage + 1 < stages:
            drafts.freeze_stage(assignment=assignment, stage=stage, sheet=sheet)
    judgments.submit_task(assignment=assignment, token=assignment.submit_token, sheet=sheet)
    duration = seconds(who, values, assignment.task.number, is_check)
    Assignment.objects.filter(pk=assignment.pk).update(active_seconds=duration)


def _marked(unit: int) -> Marked:
    """Return the answer's range in the passage, or, if it is not known, that nothing answers the
    question."""
    with_passage = Unit.objects.select_related("question_set__source__passage")
    source = with_passage.get(pk=unit).question_set.source
    text = source.passage.text if source.passage else source.sentence
    place = range_of(source.answer, source.answer_start, text)
    return Marked(ranges=(place,)) if place else Marked(nothing=True)


def delete_copy(*, campaign: Campaign, by: User, progress: TellProgress = ignore_progress) -> None:
    """Delete a copy with all that was simulated in it; the caller has removed its analyses."""
    judged = {"assignment__round__campaign": campaign}
    with transaction.atomic():
        bulk.check_at_once()
        with connection.cursor() as cursor:
            # this function writes the event too, so that no judgment is deleted unrecorded
            cursor.execute("SELECT judging_remove_dry_run_judgments(%s, %s)", [campaign.pk, by.pk])
        bulk.delete_rows(
            *(model._base_manager.filter(**judged) for model in (Draft, Note, SpanMark, Marking)),
            *campaigns.laid_out(campaign),
            SelectedUnit.objects.filter(campaign=campaign),
            progress=progress,
        )
        check_items.discard_checks(campaign)
        Exclusion.objects.filter(enrollment__campaign=campaign).delete()
        Erasure.objects.filter(campaign=campaign).delete()
        campaign.enrollments.all().delete()  # with their tries, which refer to exercises
        campaign.exercises.all().delete()
        campaign.deviations.all().delete()
        campaign.rounds.all().delete()
        jobs.delete_campaign_jobs(campaign)
        Campaign.objects.get(pk=campaign.pk).delete()
