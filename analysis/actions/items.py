"""What metrics read of a collection: its questions, question sets and systems, a chunk at a
time."""

from collections.abc import Iterable, Sequence

from django.db.models import BigIntegerField, F, Q
from django.db.models.functions import Coalesce

from analysis.metrics.contract import (
    Item,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
    qa_pair,
)
from analysis.metrics.scoring import QUESTION_UNITS, EmptyReference
from judging.models import Collection, Question, QuestionSet, Reference, Source, System, Unit

COLUMNS = (
    "unit",
    "unit__question_set",
    "text",
    "unit__question_set__source",
    "unit__question_set__source__answer",
    "unit__question_set__source__passage__text",
)


def targets(
    collection: Collection, unit: ScoredUnit, *, within: tuple[int, int] | None = None
) -> list[int]:
    """Return the keys of all that a metric of this kind scores, in the file's order: units, or
    systems. `within`: only keys from the first to the last of these."""
    if unit is ScoredUnit.SYSTEM:
        asked = System.objects.filter(
            collection=collection, question_sets__units__question__isnull=False
        )
        if within:
            asked = asked.filter(pk__range=within)
        return sorted(set(asked.values_list("pk", flat=True)))
    units = Unit.objects.filter(
        question_set__source__collection=collection, question_set__source__repeat_of__isnull=True
    )
    if unit is ScoredUnit.SET:
        _require_sets(collection)
        found = units.filter(position__isnull=True)
    else:
        found = units.filter(question__isnull=False)
    if within:
        found = found.filter(pk__range=within)
    return list(
        found.order_by("question_set__source__position", "question_set", "position").values_list(
            "pk", flat=True
        )
    )


def read(collection: Collection, unit: ScoredUnit, keys: Sequence[int]) -> list[Item]:
    """Return what a metric of this kind reads of each; a blank reference is refused with its
    source."""
    if unit in QUESTION_UNITS:
        by_unit = {row[0]: row for row in _rows(unit__in=keys)}
        given = _references({row[3] for row in by_unit.values()})
        return [_question(by_unit[key], given) for key in keys]
    if unit is ScoredUnit.SET:
        return _sets(keys)
    return [ScoredSystem(tuple(_of_system(key))) for key in keys]


def has_references(collection: Collection) -> bool:
    """Say whether any source of a collection has a reference."""
    return Reference.objects.filter(source__collection=collection).exists()


ItemRow = tuple[int, int, str, int, str, str | None]


def _rows(**where: object) -> list[ItemRow]:
    return list(
        Question.objects.filter(**where)
        .order_by("unit__question_set", "unit__position")
        .values_list(*COLUMNS)
    )


def _question(row: ItemRow, given: dict[int, tuple[str, ...]]) -> ScoredQuestion:
    _, _, text, source, answer, passage = row
    return ScoredQuestion(text, given.get(source, ()), passage or "", answer)


def _sets(keys: Sequence[int]) -> list[Item]:
    sets = dict(Unit.objects.filter(pk__in=keys).values_list("pk", "question_set"))
    sources = dict(QuestionSet.objects.filter(pk__in=sets.values()).values_list("pk", "source"))
    given = _references(sources.values())
    held: dict[int, list[ItemRow]] = {}
    for row in _rows(unit__question_set__in=list(sets.values())):
        held.setdefault(row[1], []).append(row)
    generated, gold = _qa_pairs(list(sets.values()))
    return [
        ScoredSet(
            hypotheses=tuple(row[2] for row in held.get(sets[key], ())),
            references=given.get(sources[sets[key]], ()),
            answers=tuple(row[4] for row in held.get(sets[key], ())),
            qa_pairs=generated[sets[key]],
            reference_qa_pairs=gold[sets[key]],
        )
        for key in keys
    ]


QaPairs = dict[int, tuple[str, ...]]


def _qa_pairs(sets: Sequence[int]) -> tuple[QaPairs, QaPairs]:
    """Return for each set its system's questions with their answers on all sources of the set's
    passage, and those sources' references with theirs; without a passage, on its source alone.

    A question's answer is the one that was submitted with it, or the source's.
    """
    place = Coalesce(F("source__passage"), -F("source"), output_field=BigIntegerField())
    told = QuestionSet.objects.filter(pk__in=sets).annotate(place=place)
    where = {pk: (at, system) for pk, at, system in told.values_list("pk", "place", "system")}
    of_source = _answers_at({at for at, _ in where.values()})
    asked = Question.objects.filter(
        unit__question_set__source__in=of_source,
        unit__question_set__system__in={system for _, system in where.values()},
    ).order_by("unit__question_set", "unit__position")
    generated: dict[tuple[int, int], list[str]] = {}
    for text, submitted, source, system in asked.values_list(
        "text", "submitted_answer", "unit__question_set__source", "unit__question_set__system"
    ):
        at, answer = of_source[source]
        generated.setdefault((at, system), []).append(qa_pair(text, submitted or answer))
    gold: dict[int, list[str]] = {}
    given = Reference.objects.filter(source__in=of_source).order_by("source", "position")
    for source, text in given.values_list("source", "text"):
        at, answer = of_source[source]
        gold.setdefault(at, []).append(qa_pair(text, answer))
    return (
        {pk: tuple(filter(None, generated.get(key, []))) for pk, key in where.items()},
        {pk: tuple(filter(None, gold.get(at, []))) for pk, (at, _) in where.items()},
    )


def _answers_at(places: set[int]) -> dict[int, tuple[int, str]]:
    """Return place and answer of every source at some places: a passage, or minus a source."""
    passages, sources = (
        {at for at in places if at > 0},
        {-at for at in places if at < 0},
    )
    near = Source.objects.filter(
        Q(passage__in=passages) | Q(pk__in=sources), repeat_of__isnull=True
    )
    rows = near.values_list("pk", "passage", "answer")
    return {pk: (passage or -pk, answer) for pk, passage, answer in rows}


def _of_system(system: int) -> list[ScoredQuestion]:
    rows = _rows(unit__question_set__system=system)
    given = _references({row[3] for row in rows})
    return [_question(row, given) for row in rows]


def _references(sources: Iterable[int]) -> dict[int, tuple[str, ...]]:
    rows = Reference.objects.filter(source__in=list(sources)).order_by("source", "position")
    found: dict[int, list[str]] = {}
    for source, key, place, text in rows.values_list("source", "source__key", "position", "text"):
        if not text.strip():
            raise EmptyReference(f"reference {place} of source {key} is empty")
        found.setdefault(source, []).append(text)
    return {source: tuple(texts) for source, texts in found.items()}


def _require_sets(collection: Collection) -> None:
    """Give each question set the unit that stands for the set as a whole, where it has none yet."""
    lacking = QuestionSet.objects.filter(source__collection=collection).exclude(
        units__position__isnull=True
    )
    Unit.objects.bulk_create((Unit(question_set=one) for one in lacking), ignore_conflicts=True)
