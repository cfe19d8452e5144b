"""Datasets: sharing them, handing them over, quarantining rows, and deleting."""

from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models import Model, QuerySet

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.base.refusals import InvalidInput
from judging.datasets.models.added_file import AddedFile, FilledBlank
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    DatasetShare,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.formats.frames import Problem
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

LARGE = 20_000  # slots and sets; above that, removing them is a job with progress
SetPair = tuple[str, str]
Put = Callable[[type[Model], tuple[str, ...], Iterable[tuple[object, ...]]], None]


def share_dataset(*, dataset: Dataset, user: User, by: User | None = None) -> DatasetShare:
    """Give a user the right to read a dataset and to plan campaigns about it."""
    if user.pk == dataset.owner_id:
        raise InvalidInput("This user owns the dataset.", field="username")
    with transaction.atomic():
        right, new = DatasetShare.objects.get_or_create(dataset=dataset, user=user)
        if new:
            history.record_event(
                Event.Act.DATASET_SHARED,
                by=by,
                about=dataset_name(dataset),
                after=history.account_name(user),
            )
    return right


def dataset_name(dataset: Dataset) -> str:
    """Return the name of a dataset for events."""
    return f"dataset {dataset.pk}"


def quarantine_values(
    *, dataset: Dataset, problems: Iterable[Problem], added_file: AddedFile | None = None
) -> int:
    """Store what could not be imported: row, column, value and reason of each; return how many."""
    rows = [
        Quarantine(
            dataset=dataset,
            row=problem.row,
            column=problem.column[:MAX_NAME_CHARACTERS],
            value=problem.value,
            reason=problem.reason,
            added_file=added_file,
        )
        for problem in problems
    ]
    return len(Quarantine.objects.bulk_create(rows, batch_size=1_000))


def is_slow_to_delete(dataset: Dataset) -> bool:
    """Return whether deleting a dataset takes so long that a job does it."""
    units = Unit.objects.filter(question_set__source__dataset=dataset)
    return not dataset.campaigns.exists() and units.count() > LARGE


def remove_scores(*, metric: Metric, by: User) -> None:
    """Delete a metric with all its scores."""
    with transaction.atomic():
        scores = Score.objects.filter(metric=metric)
        scores._raw_delete(scores.db)
        about, name = dataset_name(metric.dataset), metric.name
        history.record_event(Event.Act.SCORES_REMOVED, by=by, about=about, before=name)
        metric.delete()


def contents(dataset: Dataset) -> tuple[QuerySet[Any], ...]:
    """Return all rows of a dataset, in an order in which they can be deleted."""
    sets = {"question_set__source__dataset": dataset}
    units = {f"unit__{path}": value for path, value in sets.items()}
    return (
        Score.objects.filter(metric__dataset=dataset),
        Attribute.objects.filter(**units),
        Question.objects.filter(**units),
        Unit.objects.filter(**sets),
        QuestionSet.objects.filter(source__dataset=dataset),
        Reference.objects.filter(source__dataset=dataset),
        FilledBlank.objects.filter(source__dataset=dataset),
        dataset.sources.all(),
        dataset.passages.all(),
        dataset.systems.all(),
        dataset.metrics.all(),
        dataset.quarantine.all(),
    )
