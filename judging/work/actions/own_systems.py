"""Systems that an annotator worked on, whose outputs they do not judge."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef

from judging.base.refusals import Refused
from judging.campaigns.actions import selections
from judging.campaigns.actions.authorships import bar_own_tasks, tasks_with_systems
from judging.campaigns.guards import judges_now
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.authorship import BarredTask, SystemAuthor
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import QuestionSet, System
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol
from judging.work.actions import assignments


class CannotBar(Refused):
    """The author could judge nothing, or has judged their own system already; the message says
    which."""

    code = "cannot_bar_author"


def set_systems(*, enrollment: Enrollment, systems: Iterable[System], by: User) -> None:
    """Store which systems an annotator made; a task with one of them that they hold is given to
    another annotator."""
    with transaction.atomic():
        enrollment = (
            Enrollment.objects.select_for_update(no_key=True, of=("self",))
            .select_related("campaign__protocol")
            .get(pk=enrollment.pk)
        )
        authored = {system.pk: system.name for system in systems}
        rows = SystemAuthor.objects.filter(enrollment=enrollment)
        before = dict(rows.values_list("system", "system__name"))
        if authored == before:
            return
        _check_blind(enrollment, by)
        _check(enrollment, authored)
        rows.delete()
        SystemAuthor.objects.bulk_create(
            SystemAuthor(enrollment=enrollment, system_id=pk) for pk in authored
        )
        _bar_tasks(enrollment)
        history.record_event(
            Event.Act.AUTHOR_NOTED,
            by=by,
            campaign=enrollment.campaign,
            about=enrollment.label,
            before=", ".join(sorted(before.values())),
            after=", ".join(sorted(authored.values())),
        )


def _bar_tasks(enrollment: Enrollment) -> None:
    """Bar an annotator from the tasks with their systems, and release those that they hold."""
    barred = BarredTask.objects.filter(enrollment=enrollment)
    barred.delete()
    for round in enrollment.campaign.rounds.exclude(kind=Round.Kind.CHECKS):
        bar_own_tasks(round=round, enrollment=enrollment)
    for assignment in Assignment.objects.held_by(enrollment).filter(task__in=barred.values("task")):
        assignments.give_back(assignment=assignment)
    # tasks that were barred may be free now
    Enrollment.objects.filter(pk=enrollment.pk).update(cursor_round=None)


def _check_blind(enrollment: Enrollment, by: User) -> None:
    """Raise CannotBar if the user judges this dataset and the annotator has begun to judge.

    The message is the same for all systems: a refusal or a released task would reveal to the user
    which systems the annotator judged, who may be the user under an anonymous link.
    """
    if not judges_now(by, enrollment.campaign.dataset):
        return
    begun = [Assignment.State.HELD, Assignment.State.SUBMITTED, Assignment.State.EXTRA]
    if enrollment.assignments.filter(state__in=begun).exists():
        raise CannotBar(
            f"{enrollment.label} has begun to judge, and you judge this dataset too: until the campaigns in which "
            "you do are closed you cannot note systems here. Another manager can note it."
        )


def _check(enrollment: Enrollment, wanted: Iterable[int]) -> None:
    """Raise CannotBar if the author would have nothing left to judge, or judged a system already."""
    campaign, wanted = enrollment.campaign, list(wanted)
    if not wanted:
        return
    if campaign.order == Campaign.Order.PANEL:
        raise CannotBar(
            "In a rotated panel every annotator judges every system, so an author of one cannot have a seat."
        )
    judged = {"assignments__enrollment": enrollment, "assignments__submitted_at__isnull": False}
    if (
        done := tasks_with_systems(Task.objects.filter(round__campaign=campaign, **judged), wanted)
        .distinct()
        .count()
    ):
        raise CannotBar(
            f"{enrollment.label} has judged {done} tasks with this system already. Exclude the annotator from the "
            "analysis, or erase their answers."
        )
    tasks = Task.objects.filter(round__campaign=campaign, round__kind=Round.Kind.MAIN)
    if tasks.exists():
        is_left = tasks.exclude(pk__in=tasks_with_systems(tasks, wanted).values("pk")).exists()
    elif campaign.protocol.task == Protocol.Task.SOURCE:
        own = QuestionSet.objects.filter(source=OuterRef("pk"), system__in=wanted)
        is_left = selections.judged_sources(campaign).filter(~Exists(own)).exists()
    else:
        is_left = selections.judged_systems(campaign).exclude(pk__in=wanted).exists()
    if not is_left:
        raise CannotBar(
            "Every task shows a question of this system, so its author could judge nothing here."
        )
