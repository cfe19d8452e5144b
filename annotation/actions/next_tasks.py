"""The next task of an annotator: the rounds open to them, what comes first, and the claim."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.crowd.actions import participations
from judging.crowd.models.crowd import Participation
from judging.enrolments.actions import enrollments
from judging.people.models.user import User
from judging.quality.actions import checks, qualifications
from judging.quality.actions.qualifications import ExerciseStep
from judging.work.actions import assignments
from judging.work.actions.assignments import Finished, Here, NoneNow

WorkOutcome = Here | NoneNow | Finished


NextStep = Literal["consent", "start", "training", "qualification", "tasks", "none"]


@dataclass(frozen=True, slots=True)
class AnnotatorState:
    """What an annotator does next, the rounds in which they may claim tasks, their part in a crowd
    platform's study, and the exercise that comes before the main round's tasks."""

    next_step: NextStep
    rounds: list[Round] = field(default_factory=list)
    participation: Participation | None = None
    exercise: ExerciseStep = ""


def enrollment_of(user: User, campaign: Campaign) -> Enrollment:
    """Return the user's enrolment. A user whom a manager made an annotator is enrolled by the first
    visit."""
    found = Enrollment.objects.filter(user=user, campaign=campaign).first()
    enrollment = found or enrollments.enroll_member(campaign=campaign, user=user)
    enrollment.campaign = campaign
    return enrollment


def annotator_state(
    *, enrollment: Enrollment, now: datetime, skips_start: bool = False
) -> AnnotatorState:
    """Return what an annotator does next. `skips_start`: they have read the start page."""
    if not enrollments.has_agreed(enrollment):
        return AnnotatorState("consent")
    rounds = open_rounds(enrollment.campaign)
    participation = participations.participation_of(enrollment)
    if participation is not None:
        participation = participations.go_on(participation=participation, now=now)
        rounds = [round for round in rounds if round.pk == participation.round_id]
    is_main = any(round.kind == Round.Kind.MAIN for round in rounds)
    exercise = qualifications.qualification_step(enrollment) if is_main else ""
    has_ended = participation is not None and bool(participation.end)
    has_left = participation is not None and bool(participation.left)
    next_step: NextStep = exercise or "tasks"
    if rounds and not has_ended and not (skips_start or has_begun(enrollment)):
        next_step = "start"
    elif exercise and (has_ended or has_left):
        next_step = "none"
    return AnnotatorState(next_step, rounds, participation, exercise)


def has_begun(enrollment: Enrollment) -> bool:
    """Return whether an annotator was ever given a task: the start page comes before the first."""
    return enrollment.assignments.exists()


def open_rounds(campaign: Campaign) -> list[Round]:
    """Return the rounds that give out tasks now, the earliest first."""
    opened = list(
        Round.objects.filter(campaign=campaign, opened_at__isnull=False).order_by("opened_at", "pk")
    )
    # checks come between the main round's tasks
    opened = [each for each in opened if each.kind != Round.Kind.CHECKS]
    for round in opened:
        round.campaign = campaign
    return [round for round in opened if assignments.assigns_tasks(round)]


def claim_task(*, enrollment: Enrollment, rounds: list[Round]) -> WorkOutcome | None:
    """Claim a task in one of the rounds, the earliest first; None if there is no round."""
    outcomes: list[WorkOutcome] = []
    for round in rounds:
        outcomes.append(checks.claim_with_checks(enrollment=enrollment, round=round))
        if isinstance(outcomes[-1], Here):
            break
    return next(
        (
            outcome
            for kind in (Here, NoneNow, Finished)
            for outcome in outcomes
            if isinstance(outcome, kind)
        ),
        None,
    )
