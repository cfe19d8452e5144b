"""Counts of a study before it is stored, samples of it, and texts cut at the borders of their
marks."""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from judging.imports.readers.records import QuestionRecord, SourceRecord, StudyRecords
from judging.imports.readers.tables import shorten
from judging.limits import MAX_NAME_CHARACTERS, MAX_PAGE_ROWS
from judging.rules import same_text
from judging.spans import Range, range_of


@dataclass(frozen=True, slots=True)
class SystemCounts:
    """The output of one system: its questions, expected slots without one, and questions equal to
    another of their set."""

    name: str
    returned: int
    missing: int
    duplicates: int


@dataclass(frozen=True, slots=True)
class Sample:
    """A source with questions of each system, and how many more questions there are."""

    source: SourceRecord
    questions: tuple[QuestionRecord, ...]
    more: int = 0


def per_system(study: StudyRecords) -> tuple[SystemCounts, ...]:
    """Return the counts of the first systems, in the order of the file."""
    returned, missing, duplicates = study.returned, study.missing, _duplicates(study.questions)
    return tuple(
        SystemCounts(
            shorten(name, most=MAX_NAME_CHARACTERS), returned[name], missing[name], duplicates[name]
        )
        for name in study.systems[:MAX_PAGE_ROWS]
    )


def _duplicates(questions: Sequence[QuestionRecord]) -> Mapping[str, int]:
    texts: Counter[tuple[str, str, str]] = Counter()
    for question in questions:
        if question.text is not None:
            texts[question.source_key, question.system, same_text(question.text)] += 1
    found: Counter[str] = Counter()
    for (_, system, _), count in texts.items():
        found[system] += count - 1
    return found


def _sample(source: SourceRecord, questions: Sequence[QuestionRecord]) -> Sample:
    shown = tuple(
        replace(question, system=shorten(question.system, most=MAX_NAME_CHARACTERS))
        for question in questions[:MAX_PAGE_ROWS]
    )
    references = source.references[:MAX_PAGE_ROWS]
    return Sample(replace(source, references=references), shown, len(questions) - len(shown))


def handful(study: StudyRecords, *, most: int, seed: int) -> tuple[Sample, ...]:
    """Return a few random sources in the order of the file, each with its systems in random
    order."""
    rng = Random(seed)
    count = len(study.sources)
    chosen = [study.sources[place] for place in sorted(rng.sample(range(count), min(most, count)))]
    by_source = _questions_about(study, chosen)
    return tuple(_sample(source, _shuffled(by_source[source.key], rng)) for source in chosen)


def _shuffled(questions: Sequence[QuestionRecord], rng: Random) -> tuple[QuestionRecord, ...]:
    """Shuffle the systems; the questions of each stay together, in their order."""
    systems = list(dict.fromkeys(question.system for question in questions))
    rng.shuffle(systems)
    places = {system: place for place, system in enumerate(systems)}
    return tuple(
        sorted(questions, key=lambda question: (places[question.system], question.position))
    )


def _questions_about(
    study: StudyRecords, sources: Sequence[SourceRecord]
) -> Mapping[str, list[QuestionRecord]]:
    found: dict[str, list[QuestionRecord]] = {source.key: [] for source in sources}
    for question in study.questions:
        if question.source_key in found:
            found[question.source_key].append(question)
    return found


def pieces(
    text: str, *, answer: Range | None, sentence: Range | None
) -> tuple[tuple[str, str], ...]:
    """Return the text in pieces, each with its marking: `mark`, `sentence`, `sentence_mark`, or
    blank."""
    spans = [span for span in (answer, sentence) if span]
    edges = sorted({0, len(text), *(min(edge, len(text)) for span in spans for edge in span)})
    found = []
    for start, end in itertools.pairwise(edges):
        inside = [
            name
            for name, span in (("sentence", sentence), ("mark", answer))
            if span and span[0] <= start < span[1]
        ]
        found.append((text[start:end], "_".join(inside)))
    return tuple(found)


def source_pieces(source: SourceRecord) -> tuple[tuple[str, str], ...]:
    """Return the text of a source with its answer and sentence marked; without a passage, its
    sentence."""
    text = source.sentence if source.passage is None else source.passage
    answer = range_of(source.answer, source.answer_start, text)
    if source.passage is None:
        return pieces(text, answer=answer, sentence=None)
    sentence = range_of(source.sentence, source.sentence_start, text)
    return pieces(text, answer=answer, sentence=sentence)


def surroundings(
    text: str, start: int, length: int, *, most: int = 60
) -> tuple[tuple[str, str], ...]:
    """Return one marked place of a text with a little of the text before and after it."""
    first, last = max(0, start - most), min(len(text), start + length + most)
    before, after = "…" if first else "", "…" if last < len(text) else ""
    return (
        (before + text[first:start], ""),
        (text[start : start + length], "mark"),
        (text[start + length : last] + after, ""),
    )
