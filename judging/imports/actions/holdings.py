"""The contents of a dataset, read from the database as frames and dictionaries."""

from collections.abc import Collection as Names
from collections.abc import Iterable

from pandas import DataFrame, Series

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Attribute, Dataset, Question, Reference, Unit
from judging.datasets.models.score import Metric, Score
from judging.formats.tiers import NONE, Held
from judging.work.models.judgment import Judgment

OF_SET = ("question_set__source", "question_set__system__name")
SOURCE = {
    "pk": int,
    "key": object,
    "passage": object,
    "sentence": object,
    "answer": object,
    "target_type": object,
    "modality": object,
    "language": object,
    "repeat_of": object,
    "repeat": int,
}
SLOT = {"pk": int, "source": int, "system": object, "position": int, "text": object, "key": object}
SET = {"source": int, "system": object, "set": int, "whole": int, "expected": int}


def frame_of(rows: Iterable[tuple[object, ...]], columns: dict[str, type]) -> DataFrame:
    """Return rows as a frame with these columns and their types."""
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    pairs = zip(columns.items(), cells, strict=True)
    return DataFrame({name: Series(each, dtype=kind) for (name, kind), each in pairs})


def has_questions(dataset: Dataset) -> bool:
    """Return whether a dataset has any question."""
    asked = Question.objects.filter(unit__question_set__source__dataset=dataset)
    return asked.exists()


def read_holdings(dataset: Dataset) -> Held:
    """Return the sources, sets and slots of a dataset."""
    names = [{"passage": "passage__text"}.get(name, name) for name in SOURCE]
    rows = dataset.sources.order_by("position").values_list(*names)
    sources = frame_of(rows.iterator(), SOURCE).set_index("pk").rename_axis(None)
    sources = sources.assign(repeat_of=sources["repeat_of"].fillna(NONE).astype(int))
    units = Unit.objects.filter(question_set__source__dataset=dataset)
    slots = units.filter(position__isnull=False).order_by("question_set", "position")
    texts = slots.values_list("pk", *OF_SET, "position", "question__text", "question__key")
    frame = frame_of(texts.iterator(), SLOT).set_index("pk").rename_axis(None)
    wholes = units.filter(position__isnull=True).order_by("question_set")
    sets = wholes.values_list(*OF_SET, "question_set", "pk", "question_set__expected")
    return Held(
        sources=_without_blanks(sources, "passage"),
        slots=_without_blanks(frame, "key"),
        sets=frame_of(sets.iterator(), SET),
    )


def _without_blanks(frame: DataFrame, name: str) -> DataFrame:
    return frame.assign(**{name: frame[name].where(frame[name].notna(), "")})


def metrics_of(dataset: Dataset, names: Names[str]) -> dict[str, Metric]:
    """Return the imported columns of these names, the first of each."""
    found = dataset.metrics.filter(name__in=names).exclude(kind=Metric.Kind.COMPUTED)
    return {metric.name: metric for metric in found.order_by("-pk")}


def stored_scores(metrics: Iterable[Metric]) -> DataFrame:
    """Return the stored values of these columns, as written in the file, by unit and name."""
    rows = Score.objects.filter(metric__in=list(metrics), unit__isnull=False)
    values = rows.values_list("unit", "metric__name", "text", "value").iterator()
    cells = ((unit, name, text or str(value)) for unit, name, text, value in values)
    return frame_of(cells, {"unit": int, "name": object, "old": object})


def attributes_of(dataset: Dataset, names: Names[str]) -> DataFrame:
    """Return the metadata of these names by unit."""
    within = {"unit__question_set__source__dataset": dataset}
    rows = Attribute.objects.filter(**within, name__in=names) if names else Attribute.objects.none()
    values = rows.values_list("unit", "name", "value").iterator()
    return frame_of(values, {"unit": int, "name": object, "old": object})


def references_of(dataset: Dataset) -> dict[int, list[str]]:
    """Return the references of each source, in their order."""
    found: dict[int, list[str]] = {}
    rows = Reference.objects.filter(source__dataset=dataset).order_by("source", "position")
    for source, text in rows.values_list("source", "text").iterator():
        found.setdefault(source, []).append(text)
    return found


def judgments_of(campaign: Campaign | None, raters: Names[str]) -> DataFrame:
    """Return the current values of these raters by unit, rater and criterion."""
    rows = Judgment.objects.standing().filter(
        assignment__round__campaign=campaign, assignment__enrollment__label__in=raters
    )
    names = ("unit", "assignment__enrollment__label", "criterion", "value")
    values = rows.values_list(*names).iterator() if campaign else ()
    return frame_of(values, {"unit": float, "rater": object, "criterion": int, "old": float})


def computed_on(sources: Names[int]) -> list[str]:
    """Return the names of metrics that were computed here on questions of these sources."""
    scored = Score.objects.filter(
        metric__kind=Metric.Kind.COMPUTED, unit__question_set__source__in=list(sources)
    )
    return sorted(set(scored.values_list("metric__name", flat=True)))
