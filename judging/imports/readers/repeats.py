"""Repeated ratings of one rater, rearranged so that each has a unit of its own.

A unit has one value of a rater on a criterion. A second one becomes a value of a copy of the unit,
in a source that is marked as the repeat of the first (ADR 0013).
"""

from collections.abc import Iterator
from dataclasses import replace

from judging.imports.readers.records import QuestionRecord, RatingRecord, SourceRecord, StudyRecords


def unrolled(study: StudyRecords) -> StudyRecords:
    """Return a study in which no rater rates a unit twice: repeated ratings are about copies of its
    source."""
    copies = dict.fromkeys(
        (each.source_key, each.repeat) for each in study.ratings if each.repeat > 1
    )
    if not copies:
        return study
    sets = {
        (each.source_key, each.system, each.repeat) for each in study.ratings if each.repeat > 1
    }
    of_source: dict[str, list[int]] = {}
    for key, repeat in copies:
        of_source.setdefault(key, []).append(repeat)
    expected = {
        (_key(key, n), system): study.expected[key, system] for key, system, n in sorted(sets)
    }
    return replace(
        study,
        sources=(*study.sources, *_sources(study, of_source)),
        questions=(*study.questions, *_questions(study, of_source, sets)),
        ratings=tuple(_rating(each) for each in study.ratings),
        expected={**study.expected, **expected},
    )


def _key(key: str, repeat: int) -> str:
    return f"{key} (repeat {repeat})"


def _sources(study: StudyRecords, of_source: dict[str, list[int]]) -> Iterator[SourceRecord]:
    for source in study.sources:
        for repeat in of_source.get(source.key, ()):
            yield replace(
                source,
                key=_key(source.key, repeat),
                references=(),
                attributes={},
                repeat_of=source.key,
                repeat=repeat,
            )


def _questions(
    study: StudyRecords, of_source: dict[str, list[int]], sets: set[tuple[str, str, int]]
) -> Iterator[QuestionRecord]:
    """Yield the questions of each set with repeated ratings; scores and metadata are only on the
    first."""
    for question in study.questions:
        for repeat in of_source.get(question.source_key, ()):
            if (question.source_key, question.system, repeat) in sets:
                key = _key(question.source_key, repeat)
                yield replace(question, source_key=key, key="", scores={}, attributes={})


def _rating(rating: RatingRecord) -> RatingRecord:
    return (
        rating
        if rating.repeat == 1
        else replace(rating, source_key=_key(rating.source_key, rating.repeat), repeat=1)
    )
