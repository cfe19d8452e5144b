"""Annotators never judge a system that they made: who made which system, and which tasks are barred
to them."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from judging.actions import assignments, history, selections
from judging.guards import judges_now
from judging.models import (
    Assignment,
    BarredTask,
    Campaign,
    Enrollment,
    Event,
    QuestionSet,
    Round,
    Rubric,
    System,
    SystemAuthor,
    Task,
    TaskUnit,
    User,
)
from judging.refusals import Refused


class CannotBar(Refused):
    """The author could judge nothing, or has judged their own system already; the message says
    which."""

    code = "cannot_bar_author"


def set_systems(*, enrollment: Enrollment, systems: Iterable[System], by: User) -> None:
    """Store which systems an annotator made; a task with one of them that they hold is given to
    another annotator."""
    with transaction.atomic():
        rows = Enrollment.objects.select_for_update(no_key=True, of=("self",)).select_related(
            "campaign__rubric"
        )
        held = rows.get(pk=enrollment.pk)
        wanted = {each.pk: each.name for each in systems}
        before = dict(
            SystemAuthor.objects.filter(enrollment=held).values_list("system", "system__name")
        )
        if wanted == before:
            return
        _check_blind(held, by)
        _check(held, wanted)
        SystemAuthor.objects.filter(enrollment=held).delete()
        SystemAuthor.objects.bulk_create(
            SystemAuthor(enrollment=held, system_id=pk) for pk in wanted
        )
        BarredTask.objects.filter(enrollment=held).delete()
        for round in held.campaign.rounds.exclude(kind=Round.Kind.CHECKS):
            bar(round=round, enrollment=held)
        for own in Assignment.objects.held_by(held).filter(
            task__in=BarredTask.objects.filter(enrollment=held).values("task")
        ):
            assignments.give_back(assignment=own)
        # tasks that were barred may be free now
        Enrollment.objects.filter(pk=held.pk).update(cursor_round=None)
        history.note(
            Event.Act.AUTHOR_NOTED,
            by=by,
            campaign=held.campaign,
            about=held.label,
            before=", ".join(sorted(before.values())),
            after=", ".join(sorted(wanted.values())),
        )


def _check_blind(enrollment: Enrollment, by: User) -> None:
    """Raise CannotBar if the user judges this dataset and the annotator has begun to judge.

    The message is the same for all systems: a refusal or a released task would reveal to the user
    which systems the annotator judged, who may be the user under an anonymous link.
    """
    if not judges_now(by, enrollment.campaign.collection):
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
        done := _with(Task.objects.filter(round__campaign=campaign, **judged), wanted)
        .distinct()
        .count()
    ):
        raise CannotBar(
            f"{enrollment.label} has judged {done} tasks with this system already. Exclude the annotator from the "
            "analysis, or erase their answers."
        )
    tasks = Task.objects.filter(round__campaign=campaign, round__kind=Round.Kind.MAIN)
    if tasks.exists():
        is_left = tasks.exclude(pk__in=_with(tasks, wanted).values("pk")).exists()
    elif campaign.rubric.task == Rubric.Task.SOURCE:
        own = QuestionSet.objects.filter(source=OuterRef("pk"), system__in=wanted)
        is_left = selections.sources_of(campaign).filter(~Exists(own)).exists()
    else:
        is_left = selections.systems_of(campaign).exclude(pk__in=wanted).exists()
    if not is_left:
        raise CannotBar(
            "Every task shows a question of this system, so its author could judge nothing here."
        )


def _with(tasks: QuerySet[Task], systems: Iterable[int]) -> QuerySet[Task]:
    """Return the tasks that show something of these systems."""
    shown = TaskUnit.objects.filter(
        task=OuterRef("pk"), unit__question_set__system__in=list(systems)
    )
    return tasks.filter(Exists(shown))


def bar(*, round: Round, enrollment: Enrollment | None = None) -> None:
    """Store which tasks of a round show a system that an annotator made; by default for all
    annotators of its campaign."""
    authors = SystemAuthor.objects.filter(enrollment__campaign=round.campaign_id)
    if enrollment is not None:
        authors = authors.filter(enrollment=enrollment)
    made: dict[int, list[int]] = {}
    for who, system in authors.values_list("enrollment", "system"):
        made.setdefault(who, []).append(system)
    for who, systems in made.items():
        BarredTask.objects.bulk_create(
            (
                BarredTask(enrollment_id=who, task=task)
                for task in _with(Task.objects.filter(round=round), systems)
            ),
            ignore_conflicts=True,
        )


def own_names(enrollment: Enrollment) -> list[str]:
    """Return the names of the systems that an annotator made."""
    return list(
        SystemAuthor.objects.filter(enrollment=enrollment).values_list("system__name", flat=True)
    )


def check_plan(campaign: Campaign) -> str:
    """Return why a draft's plan does not fit its authors; "" if it does."""
    if campaign.order != Campaign.Order.PANEL:
        return ""
    labels = (
        campaign.enrollments.filter(authorships__isnull=False)
        .distinct()
        .values_list("label", flat=True)
    )
    if not (names := ", ".join(sorted(labels))):
        return ""
    return f"In a rotated panel every annotator judges every system. Authors of one are: {names}."
