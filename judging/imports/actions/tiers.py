"""The ways in which a row of a file finds its question in a dataset, surest first. Pure.

Each tier is one function. It returns the dataset's slots that a question of the file may be; the
caller takes a slot if there is exactly one, and otherwise tries the next tier.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, TypeVar

from judging.imports.actions.held import Held, HeldSlot, HeldSource, SlotKey
from judging.imports.readers.records import QuestionRecord, SourceRecord
from judging.imports.readers.sameness import normalized, words

Tier = Literal["id", "parts", "passage", "question", "normalized", "similar"]
TIERS: tuple[Tier, ...] = ("id", "parts", "passage", "question", "normalized", "similar")
Slots = tuple[HeldSlot, ...]
Sources = tuple[int, ...]  # primary keys
AnySource = HeldSource | SourceRecord
Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

GIVEN = ("passage", "sentence", "answer", "target_type")
MIN_SIMILARITY = 0.85  # of two normalized texts: matching characters, as difflib counts them
MIN_LEAD = 0.03  # by which the most similar question leads the next one
MIN_SHARED_WORDS = 0.9  # of the words of the shorter of two passages that may be one
MAX_ALIKE = 20  # questions of one text whose passages are compared
MAX_POSTINGS = 200  # questions that have a rare word
RARE_WORDS, MAX_COMPARED = 4, 8  # words looked up, and questions compared, for each row


class Index:
    """The questions of a dataset by their texts, in one text form.

    `any_system`: questions are looked up without regard to their system.
    """

    def __init__(
        self,
        held: Held,
        fields: tuple[str, ...],
        form: Callable[[str], str],
        *,
        any_system: bool = False,
    ) -> None:
        self.held, self.fields, self.any_system = held, fields, any_system
        self.form = lru_cache(maxsize=None)(form)
        self.words = lru_cache(maxsize=None)(lambda text: frozenset(words(text)))
        self.originals = {source.pk: source for source in held.sources if not source.repeat_of}
        self.slots = [slot for slot in held.slots if slot.source in self.originals]
        self._of_pattern: dict[tuple[str, ...], dict[tuple[str, ...], Sources]] = {}
        self._of_record: dict[str, Sources] = {}
        self._within: dict[tuple[int, str], SlotsWithin] = {}

    def system(self, name: str) -> str:
        """Return the system that questions are looked up by."""
        return "" if self.any_system else name

    @cached_property
    def of_set(self) -> Mapping[tuple[int, str], Slots]:
        """The slots of each source and system."""
        return grouped(((slot.source, self.system(slot.system)), slot) for slot in self.slots)

    @cached_property
    def of_key(self) -> Mapping[tuple[str, str], Slots]:
        """The slots by the ids of their questions."""
        return grouped(
            ((slot.key, self.system(slot.system)), slot) for slot in self.slots if slot.key
        )

    @cached_property
    def of_text(self) -> Mapping[tuple[str, str], Slots]:
        """The slots by the texts of their questions."""
        return grouped(
            ((self.form(slot.text), self.system(slot.system)), slot)
            for slot in self.slots
            if slot.text is not None
        )

    @cached_property
    def _of_given(self) -> Mapping[tuple[str, str], Sources]:
        """The sources by their passages and by their sentences."""
        return grouped(
            ((name, self.form(getattr(source, name))), pk)
            for pk, source in self.originals.items()
            for name in ("passage", "sentence")
            if getattr(source, name)
        )

    def sources_of_passage(self, record: SourceRecord) -> Sources:
        """Return the sources with the same passage, or else with the same sentence."""
        for name in ("passage", "sentence"):
            text = getattr(record, name)
            if text and (found := self._of_given.get((name, self.form(text)))):
                return found
        return ()

    def sources_of_parts(self, record: SourceRecord) -> Sources:
        """Return the sources that agree in every part that neither side leaves blank."""
        if record.key not in self._of_record:
            self._of_record[record.key] = self._agreeing(record)
        return self._of_record[record.key]

    def _agreeing(self, record: SourceRecord) -> Sources:
        parts = self._parts(record)
        if parts not in self._of_pattern:
            self._of_pattern[parts] = grouped(
                ((*common, *self._texts(source, common)), pk)
                for pk, source in self.originals.items()
                if (common := tuple(name for name in self._parts(source) if name in parts))
            )
        known = self._of_pattern[parts]
        for common in self._commons(parts):
            if found := known.get((*common, *self._texts(record, common))):
                return found
        return ()

    @cached_property
    def _patterns(self) -> set[tuple[str, ...]]:
        return {self._parts(source) for source in self.originals.values()}

    def _commons(self, parts: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return which parts a source with these may share with one of the dataset, most first."""
        found = {tuple(name for name in theirs if name in parts) for theirs in self._patterns}
        return sorted(filter(None, found), key=lambda common: (-len(common), common))

    def _parts(self, source: AnySource) -> tuple[str, ...]:
        return tuple(name for name in self.fields if getattr(source, name))

    def _texts(self, source: AnySource, parts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(self.form(getattr(source, name)) for name in parts)

    def share_words(self, record: SourceRecord, source: int) -> bool:
        """Return whether two passages may be one: either is blank, or they share most words."""
        original = self.originals[source]
        ours = self.words(record.passage or record.sentence)
        theirs = self.words(original.passage or original.sentence)
        shorter = min(len(ours), len(theirs))
        return not shorter or len(ours & theirs) >= MIN_SHARED_WORDS * shorter

    def within(self, sources: Sources, system: str) -> "SlotsWithin":
        """Return the slots of a system in some sources. Thousands of rows share one tuple of
        sources, so it is cached by identity."""
        place = id(sources), self.system(system)
        if place not in self._within:
            slots = [slot for pk in sources for slot in self.of_set.get((pk, place[1]), ())]
            self._within[place] = SlotsWithin(sources, slots, self.form)
        return self._within[place]


class SlotsWithin:
    """Slots of some sources, by their texts and by their positions."""

    def __init__(self, sources: Sources, slots: list[HeldSlot], form: Callable[[str], str]) -> None:
        self.sources, self.slots, self.form = sources, slots, form

    @cached_property
    def of_text(self) -> Mapping[str, Slots]:
        return grouped((self.form(slot.text), slot) for slot in self.slots if slot.text is not None)

    @cached_property
    def of_position(self) -> Mapping[int, Slots]:
        return grouped((slot.position, slot) for slot in self.slots)

    def like(self, question: QuestionRecord) -> Slots:
        """Return the slots of the same text; of the same position if the file gives no text."""
        if question.text is None:
            return self.of_position.get(question.position, ())
        return self.of_text.get(self.form(question.text), ())


def by_id(question: QuestionRecord, sources: Sources, index: Index) -> Slots:
    """Find a question by its own id, or by its source's id, its system and its position."""
    system = index.system(question.system)
    if question.key and (found := index.of_key.get((question.key, system))):
        return found
    within = index.within(sources, question.system)
    if question.text is not None and (found := within.like(question)):
        return found
    if len(within.slots) == 1:
        return tuple(within.slots)
    return within.of_position.get(question.position, ())


def by_parts(question: QuestionRecord, record: SourceRecord, index: Index) -> Slots:
    """Find a question by its text, its passage and its answer."""
    return index.within(index.sources_of_parts(record), question.system).like(question)


def by_passage(question: QuestionRecord, record: SourceRecord, index: Index) -> Slots:
    """Find a question by its text within the same passage or sentence."""
    if question.text is None:
        return ()
    return index.within(index.sources_of_passage(record), question.system).like(question)


def by_question(question: QuestionRecord, record: SourceRecord, index: Index) -> Slots:
    """Find a question by its text alone; if both sides give passages, these share most words."""
    if question.text is None:
        return ()
    found = index.of_text.get((index.form(question.text), index.system(question.system)), ())
    if not (record.passage or record.sentence):
        return found
    if len(found) > MAX_ALIKE:
        return ()
    return tuple(slot for slot in found if index.share_words(record, slot.source))


def by_normalized(question: QuestionRecord, record: SourceRecord, index: Index) -> Slots:
    """Find a question in the three ways above by normalized texts; `index` holds these."""
    return (
        by_parts(question, record, index)
        or by_passage(question, record, index)
        or by_question(question, record, index)
    )


class Similar(NamedTuple):
    """A question of the dataset that is not equal to one of a file, and how similar they are."""

    slot: HeldSlot
    similarity: float
    in_passage: bool = False


class RareWords:
    """The questions of a dataset by their words, which are looked up if few questions have them."""

    def __init__(self, index: Index) -> None:
        self.index = index

    @cached_property
    def of_word(self) -> Mapping[str, Slots]:
        return grouped(
            (word, slot) for slot in self.index.slots for word in set(words(slot.text or ""))
        )

    def slots(self, question: QuestionRecord) -> list[HeldSlot]:
        """Return the questions of its system that share most of its rarest words."""
        system = self.index.system(question.system)
        known = {word for word in words(question.text or "") if word in self.of_word}
        rarest = sorted(known, key=lambda word: (len(self.of_word[word]), word))[:RARE_WORDS]
        shared: Counter[HeldSlot] = Counter()
        for word in rarest:
            if len(self.of_word[word]) <= MAX_POSTINGS:
                shared.update(
                    slot for slot in self.of_word[word] if self.index.system(slot.system) == system
                )
        return [slot for slot, _count in shared.most_common(MAX_COMPARED)]


def by_similarity(
    question: QuestionRecord, pool: Iterable[HeldSlot], index: Index
) -> Similar | None:
    """Find the one question of a pool whose text is nearly the same, with the same numbers."""
    ranked = rank(question, pool, index, least=MIN_SIMILARITY - MIN_LEAD)
    if not ranked or ranked[0].similarity < MIN_SIMILARITY:
        return None
    if len(ranked) > 1 and ranked[0].similarity - ranked[1].similarity < MIN_LEAD:
        return None
    same_numbers = numbers(question.text or "") == numbers(ranked[0].slot.text or "")
    return ranked[0] if same_numbers else None


def rank(
    question: QuestionRecord, pool: Iterable[HeldSlot], index: Index, *, least: float
) -> list[Similar]:
    """Return a pool's questions with at least this similarity, most similar first."""
    matcher = SequenceMatcher(None, "", index.form(question.text or ""), autojunk=False)
    found = []
    for slot in pool:
        matcher.set_seq1(index.form(slot.text or ""))
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) >= least:
            similarity = matcher.ratio()
            if similarity >= least:
                found.append(Similar(slot, similarity))
    return sorted(found, key=lambda each: -each.similarity)


def is_same(text: str, other: str) -> bool:
    """Return whether two texts under one id are one question: equal, or nearly so."""
    one, two = normalized(text), normalized(other)
    return one == two or (SequenceMatcher(None, one, two, autojunk=False).ratio() >= MIN_SIMILARITY)


def numbers(text: str) -> list[str]:
    """Return the numbers in a text; questions with different numbers are different questions."""
    return [word for word in words(text) if any(map(str.isdigit, word))]


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, tuple[Value, ...]]:
    """Return the values of each key, in their order."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return {key: tuple(values) for key, values in found.items()}


def shared_fields(ours: Sequence[AnySource], theirs: Sequence[AnySource]) -> tuple[str, ...]:
    """Return the parts of sources that both sides give."""
    return tuple(
        name
        for name in GIVEN
        if any(getattr(source, name) for source in ours)
        and any(getattr(source, name) for source in theirs)
    )


def key_of(question: QuestionRecord) -> SlotKey:
    """Return the key of a question within its file."""
    return question.source_key, question.system, question.position
