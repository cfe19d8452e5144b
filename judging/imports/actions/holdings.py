"""The contents of a dataset as matching and joining read them from the database."""

from collections.abc import Collection as Names
from collections.abc import Iterable

from judging.imports.actions.held import CollectionSet, Held, HeldSlot, HeldSource
from judging.models import (
    Attribute,
    Campaign,
    Collection,
    Judgment,
    Metric,
    Question,
    Reference,
    Score,
    Unit,
)

SOURCE = (
    "pk",
    "key",
    "passage__text",
    "sentence",
    "answer",
    "target_type",
    "modality",
    "language",
    "repeat_of",
    "repeat",
)
UNIT = (
    "pk",
    "position",
    "question_set",
    "question_set__expected",
    "question_set__source",
    "question_set__system__name",
)
ScoreCell = tuple[int, str]


def has_questions(collection: Collection) -> bool:
    """Return whether a dataset has any question."""
    asked = Question.objects.filter(unit__question_set__source__collection=collection)
    return asked.exists()


def held(collection: Collection) -> Held:
    """Return the sources, sets and slots of a dataset."""
    kept = collection.sources.order_by("position")
    sources = [
        HeldSource(
            pk, key, passage or "", sentence, answer, target_type, modality, language, of, repeat
        )
        for pk, key, passage, sentence, answer, target_type, modality, language, of, repeat in kept.values_list(
            *SOURCE
        ).iterator()
    ]
    within = {"question_set__source__collection": collection}
    asked = Question.objects.filter(**{f"unit__{path}": value for path, value in within.items()})
    texts = {
        unit: (text, key) for unit, text, key in asked.values_list("unit", "text", "key").iterator()
    }
    slots, sets = [], {}
    units = Unit.objects.filter(**within).order_by("question_set", "position").values_list(*UNIT)
    for pk, position, question_set, expected, source, system in units.iterator():
        if position is None:
            sets[source, system] = CollectionSet(question_set, pk, expected)
        else:
            text, key = texts.get(pk, (None, ""))
            slots.append(HeldSlot(pk, source, system, position, text, key))
    return Held(sources=sources, slots=slots, sets=sets)


def metrics_of(collection: Collection, names: Names[str]) -> dict[str, Metric]:
    """Return the imported columns of these names, the first of each."""
    found = (
        collection.metrics.filter(name__in=names).exclude(kind=Metric.Kind.COMPUTED).order_by("-pk")
    )
    return {metric.name: metric for metric in found}


def scores_of(metrics: Iterable[Metric]) -> dict[ScoreCell, str]:
    """Return the stored values of these columns, as written in the file, by unit and column."""
    rows = Score.objects.filter(metric__in=list(metrics), unit__isnull=False)
    return {
        (unit, name): text or str(value)
        for unit, name, text, value in rows.values_list(
            "unit", "metric__name", "text", "value"
        ).iterator()
    }


def attributes_of(collection: Collection, names: Names[str]) -> dict[ScoreCell, str]:
    """Return metadata of these names by unit."""
    if not names:
        return {}
    rows = Attribute.objects.filter(
        unit__question_set__source__collection=collection, name__in=names
    )
    return {
        (unit, name): value
        for unit, name, value in rows.values_list("unit", "name", "value").iterator()
    }


def references_of(collection: Collection) -> dict[int, list[str]]:
    """Return the references of each source, in their order."""
    found: dict[int, list[str]] = {}
    rows = Reference.objects.filter(source__collection=collection).order_by("source", "position")
    for source, text in rows.values_list("source", "text").iterator():
        found.setdefault(source, []).append(text)
    return found


def judgments_of(campaign: Campaign, raters: Names[str]) -> dict[tuple[int, str, int], int]:
    """Return the current values of these raters, by unit, rater and criterion."""
    rows = Judgment.objects.standing().filter(
        assignment__round__campaign=campaign, assignment__enrollment__label__in=raters
    )
    wanted = rows.values_list("unit", "assignment__enrollment__label", "criterion", "value")
    return {(unit, rater, criterion): value for unit, rater, criterion, value in wanted.iterator()}


def resting(collection: Collection) -> list[Campaign]:
    """Return the campaigns whose items are fixed, without their long texts: all past their draft
    that annotators judge in."""
    fixed = collection.campaigns.exclude(state=Campaign.State.DRAFT)
    return list(fixed.filter(origin=Campaign.Origin.JUDGED).listed().order_by("title"))


def computed_on(sources: Names[int]) -> list[str]:
    """Return the names of metrics that were computed here on questions of these sources."""
    scored = Score.objects.filter(
        metric__kind=Metric.Kind.COMPUTED, unit__question_set__source__in=list(sources)
    )
    return sorted(set(scored.values_list("metric__name", flat=True)))
