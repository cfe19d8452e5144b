"""Read the input of metrics from a dataset: its questions, question sets and systems, in chunks."""

from collections.abc import Iterable, Sequence

from judging.datasets.models.dataset import (
    Dataset,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from quaestor_metrics import ScoredQuestion, ScoredSet, ScoredSystem, ScoredUnit
from quaestor_metrics._contract import Item
from quaestor_metrics._scoring import QUESTION_UNITS, EmptyReference

COLUMNS = (
    "unit",
    "unit__question_set",
    "text",
    "unit__question_set__source",
    "unit__question_set__source__answer",
    "unit__question_set__source__passage__text",
    "unit__question_set__source__language",
)


def targets(
    dataset: Dataset, unit: ScoredUnit, *, within: tuple[int, int] | None = None
) -> list[int]:
    """Return the keys of all that a metric of this kind scores, in the file's order: units, or
    systems. `within`: only keys from the first to the last of these."""
    if unit is ScoredUnit.SYSTEM:
        asked = System.objects.filter(dataset=dataset, question_sets__units__question__isnull=False)
        if within:
            asked = asked.filter(pk__range=within)
        return sorted(set(asked.values_list("pk", flat=True)))
    units = Unit.objects.filter(
        question_set__source__dataset=dataset, question_set__source__repeat_of__isnull=True
    )
    if unit is ScoredUnit.SET:
        _require_sets(dataset)
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


def read_metric_items(dataset: Dataset, unit: ScoredUnit, keys: Sequence[int]) -> list[Item]:
    """Return the input of metrics of this unit for each key; a blank reference is refused with its
    source."""
    if unit in QUESTION_UNITS:
        by_unit = {row[0]: row for row in _rows(unit__in=keys)}
        given = _references({row[3] for row in by_unit.values()})
        return [_question(by_unit[key], given) for key in keys]
    if unit is ScoredUnit.SET:
        return _sets(keys)
    return [ScoredSystem(tuple(_of_system(key))) for key in keys]


def languages(dataset: Dataset) -> list[str]:
    """Return the languages of a dataset's sources, that of most texts first."""
    own = dataset.sources.exclude(language="").order_by("language")
    return list(dict.fromkeys([dataset.language, *own.values_list("language", flat=True)]))


def has_references(dataset: Dataset) -> bool:
    """Return whether any source of a dataset has a reference."""
    return Reference.objects.filter(source__dataset=dataset).exists()


ItemRow = tuple[int, int, str, int, str, str | None, str]


def _rows(**where: object) -> list[ItemRow]:
    return list(
        Question.objects.filter(**where)
        .order_by("unit__question_set", "unit__position")
        .values_list(*COLUMNS)
    )


def _question(row: ItemRow, given: dict[int, tuple[str, ...]]) -> ScoredQuestion:
    _, _, text, source, answer, passage, language = row
    return ScoredQuestion(text, given.get(source, ()), passage or "", answer, language)


def _sets(keys: Sequence[int]) -> list[Item]:
    sets = dict(Unit.objects.filter(pk__in=keys).values_list("pk", "question_set"))
    sources = dict(QuestionSet.objects.filter(pk__in=sets.values()).values_list("pk", "source"))
    given = _references(sources.values())
    about = _language_and_passage(sources.values())
    held: dict[int, list[ItemRow]] = {}
    for row in _rows(unit__question_set__in=list(sets.values())):
        held.setdefault(row[1], []).append(row)
    found: list[Item] = []
    for key in keys:
        rows, source = held.get(sets[key], []), sources[sets[key]]
        language, passage = about[source]
        found.append(
            ScoredSet(
                hypotheses=tuple(row[2] for row in rows),
                references=given.get(source, ()),
                answers=tuple(row[4] for row in rows),
                language=language,
                context=passage,
            )
        )
    return found


def _language_and_passage(sources: Iterable[int]) -> dict[int, tuple[str, str]]:
    rows = Source.objects.filter(pk__in=list(sources))
    found = rows.values_list("pk", "language", "passage__text")
    return {key: (language, passage or "") for key, language, passage in found}


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


def _require_sets(dataset: Dataset) -> None:
    """Create the unit for the set as a whole for each question set that lacks one."""
    lacking = QuestionSet.objects.filter(source__dataset=dataset).exclude(
        units__position__isnull=True
    )
    Unit.objects.bulk_create((Unit(question_set=one) for one in lacking), ignore_conflicts=True)
