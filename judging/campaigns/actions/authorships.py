"""Annotators never judge a system that they made: who made which system, and which tasks are barred
to them."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, QuerySet

from judging.campaigns.models.authorship import BarredTask, SystemAuthor
from judging.campaigns.models.campaign import Campaign, Round, Task, TaskUnit
from judging.campaigns.models.members import Enrollment


def tasks_with_systems(tasks: QuerySet[Task], systems: Iterable[int]) -> QuerySet[Task]:
    """Return the tasks that show something of these systems."""
    shown = TaskUnit.objects.filter(
        task=OuterRef("pk"), unit__question_set__system__in=list(systems)
    )
    return tasks.filter(Exists(shown))


def bar_own_tasks(*, round: Round, enrollment: Enrollment | None = None) -> None:
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
                for task in tasks_with_systems(Task.objects.filter(round=round), systems)
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
