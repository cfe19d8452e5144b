"""The texts in the preview of a file: some sources as annotators will see them, the questions of
each system, and answers that occur more than once in their passage."""

from collections.abc import Container
from dataclasses import asdict
from typing import Any

from judging.design import letter
from judging.imports.readers.likely_language import likely_language
from judging.imports.readers.overview import (
    Sample,
    handful,
    per_system,
    source_pieces,
    surroundings,
)
from judging.imports.readers.records import Problem, SourceRecord, StudyRecords
from judging.spans import range_of

SHOWN = 50
SAMPLES = 5
SEED = 1


def shown_of(study: StudyRecords, new_sources: Container[str]) -> dict[str, Any]:
    """Return samples, systems and ambiguous answers of a file that contains new sources."""
    asks = [each for each in study.problems_of("ask") if each.source_key in new_sources]
    sources = {source.key: source for source in study.sources}
    return {
        "per_system": [asdict(each) for each in per_system(study)],
        "samples": [_sample(each) for each in handful(study, most=SAMPLES, seed=SEED)],
        "asks": [_ask(each, sources[each.source_key]) for each in asks[:SHOWN]],
        "ask_count": len(asks),
        "language": language_of(study),
    }


def language_of(study: StudyRecords) -> str:
    """Return the language that passages and questions are probably in."""
    passages = (source.passage or source.sentence for source in study.sources[:SHOWN])
    questions = (question.text for question in study.questions[:SHOWN])
    return likely_language(filter(None, [*passages, *questions]))


def _sample(sample: Sample) -> dict[str, Any]:
    """Return a source with its questions under letters; nothing names a system."""
    questions = [(letter(place), question.text) for place, question in enumerate(sample.questions)]
    return {
        "source": asdict(sample.source),
        "text": source_pieces(sample.source),
        "more": sample.more,
        "questions": questions,
    }


def _ask(ask: Problem, source: SourceRecord) -> dict[str, Any]:
    """Return an answer that occurs more than once, with each of its positions."""
    text = source.sentence if source.passage is None else source.passage
    ranges = [place for start in ask.choices if (place := range_of(source.answer, start, text))]
    places = [(start, surroundings(text, start, end - start)) for start, end in ranges]
    return {"row": ask.row, "value": ask.value, "source_key": ask.source_key, "places": places}
