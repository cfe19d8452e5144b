"""Questions of a dataset whose texts are nearly those of a file's questions. No database."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from pandas import DataFrame
from rapidfuzz import fuzz, process

from judging.formats.tiers import (
    Sides,
    lookup,
    normalize_for_match,
    passage_of,
    sources_of_passage,
    units_by_row,
    words_for_match,
)

MIN_SIMILARITY = 85.0  # of two normalized texts, in percent, as rapidfuzz counts it
MIN_LEAD = 3.0  # by which the most similar question leads the next one
MAX_POSTINGS = 200  # questions that have a rare word
RARE_WORDS, MAX_COMPARED = 4, 8  # words looked up, and questions compared, for each question


class Close(NamedTuple):
    """A question of the dataset that is similar to one of a file, and how similar, in percent."""

    unit: int
    similarity: float
    in_passage: bool = False


def is_same(text: str, other: str) -> bool:
    """Return whether two texts under one id are one question: equal, or nearly so."""
    return fuzz.ratio(text, other, processor=normalize_for_match) >= MIN_SIMILARITY


def rank(text: str, texts: Mapping[int, str], *, least: float) -> list[Close]:
    """Return the units whose texts have at least this similarity, the most similar first."""
    found = process.extract(
        text,
        texts,
        scorer=fuzz.ratio,
        processor=normalize_for_match,
        score_cutoff=least,
        limit=None,
    )
    return [Close(unit, similarity) for _, similarity, unit in found]


def most_similar(text: str, texts: Mapping[int, str]) -> Close | None:
    """Return the one unit whose text is nearly the same, with the same numbers."""
    ranked = rank(text, texts, least=MIN_SIMILARITY - MIN_LEAD)
    if not ranked or ranked[0].similarity < MIN_SIMILARITY:
        return None
    if len(ranked) > 1 and ranked[0].similarity - ranked[1].similarity < MIN_LEAD:
        return None
    return ranked[0] if _numbers(text) == _numbers(texts[ranked[0].unit]) else None


def _numbers(text: str) -> list[str]:
    """Return the numbers in a text; questions with different numbers are different questions."""
    return [word for word in words_for_match(text) if any(map(str.isdigit, word))]


class Texts:
    """The questions of a dataset by their sources and by their words."""

    def __init__(
        self, sides: Sides, left: DataFrame, candidates: Mapping[int, Sequence[int]]
    ) -> None:
        """Take the questions that are left, and the sources that each one of the file may be."""
        self.sides, self.left, self.candidates = sides, left, candidates
        slots = sides.slots[sides.slots["has_text"]].set_index("unit")
        self.text: dict[int, str] = lookup(slots["text"])
        self.system: dict[int, str] = lookup(slots["system"])
        self.source: dict[int, int] = lookup(slots["source"])

    @cached_property
    def _of_source(self) -> dict[int, list[int]]:
        units: dict[int, list[int]] = {}
        for unit, source in self.source.items():
            units.setdefault(source, []).append(unit)
        return units

    @cached_property
    def _of_word(self) -> dict[str, list[int]]:
        """The units whose questions have a word, for words of the questions that are left."""
        wanted = {word for text in self.left["text"].dropna() for word in words_for_match(text)}
        units: dict[str, list[int]] = {}
        for unit, text in self.text.items():
            for word in wanted.intersection(words_for_match(text)):
                units.setdefault(word, []).append(unit)
        return units

    @cached_property
    def _of_passage(self) -> dict[int, tuple[int, ...]]:
        return units_by_row(sources_of_passage(self.sides, "loose"))

    @cached_property
    def _has_passages(self) -> bool:
        theirs = self.sides.theirs
        return bool((theirs["passage"] != "").any() or (theirs["sentence"] != "").any())

    def nearby(self, source: int) -> Sequence[int]:
        """Return the sources with the same passage, or else those that this one may be."""
        return self._of_passage.get(source) or self.candidates[source]

    def _in_sources(self, sources: Sequence[int], text: str, system: str | None) -> list[int]:
        """Return the questions of some sources; of very many, those that share rare words."""
        units = [unit for source in sources for unit in self._of_source.get(source, ())]
        units = [unit for unit in units if system is None or self.system[unit] == system]
        if len(units) <= MAX_POSTINGS:
            return units
        return [unit for unit in self._rare(text, system) if self.source[unit] in sources]

    def _rare(self, text: str, system: str | None) -> list[int]:
        """Return the questions of a system, or of any, that share most of the rarest words."""
        known = {word for word in words_for_match(text) if word in self._of_word}
        rarest = sorted(known, key=lambda word: (len(self._of_word[word]), word))[:RARE_WORDS]
        shared: Counter[int] = Counter()
        for word in rarest:
            units = self._of_word[word]
            if len(units) <= MAX_POSTINGS:
                shared.update(unit for unit in units if system in (None, self.system[unit]))
        return [unit for unit, _ in shared.most_common(MAX_COMPARED)]

    def pool(self, source: int, system: str, text: str) -> dict[int, str]:
        """Return the questions of a system about the same passage; without a passage, those that
        share rare words."""
        if nearby := self.nearby(source):
            units = self._in_sources(nearby, text, system)
        elif self._has_passages and passage_of(self.sides.ours, source):
            units = []
        else:
            units = self._rare(text, system)
        return {unit: self.text[unit] for unit in units}

    def closest(self, source: int, text: str, *, least: float) -> Close | None:
        """Return the most similar question: in the same passage, else by question text only."""
        pools = (self._in_sources(self.nearby(source), text, None), self._rare(text, None))
        for in_passage, units in zip((True, False), pools, strict=True):
            if ranked := rank(text, {unit: self.text[unit] for unit in units}, least=least):
                return ranked[0]._replace(in_passage=in_passage)
        return None
