"""The next task of an annotator: the rounds open to them, what comes first, and the claim."""

from dataclasses import dataclass
from datetime import datetime

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


@dataclass(frozen=True, slots=True)
class Standing:
    """The rounds in which an annotator may claim tasks, their part in a crowd platform's study, and
    the exercise that comes first."""

    rounds: list[Round]
    participation: Participation | None
    step: ExerciseStep

    @property
    def has_ended(self) -> bool:
        """Whether the annotator's part in a crowd platform's study has ended."""
        return self.participation is not None and bool(self.participation.end)


def enrollment_of(user: User, campaign: Campaign) -> Enrollment:
    """Return the user's enrolment. A user whom a manager made an annotator is enrolled by the first
    visit."""
    found = Enrollment.objects.filter(user=user, campaign=campaign).first()
    enrollment = found or enrollments.enroll_member(campaign=campaign, user=user)
    enrollment.campaign = campaign
    return enrollment


def annotator_standing(*, enrollment: Enrollment, now: datetime) -> Standing:
    """Return the rounds in which an annotator may work now, and what comes first."""
    rounds = open_rounds(enrollment.campaign)
    own = participations.participation_of(enrollment)
    if own is not None:
        own = participations.go_on(participation=own, now=now)
        rounds = [each for each in rounds if each.pk == own.round_id]
    is_main = any(each.kind == Round.Kind.MAIN for each in rounds)
    return Standing(rounds, own, qualifications.qualification_step(enrollment) if is_main else "")


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
        (each for kind in (Here, NoneNow, Finished) for each in outcomes if isinstance(each, kind)),
        None,
    )
