"""Which rows of a file are about which questions of a dataset, found in tiers. Pure: no database.

Each row goes through the tiers, surest first, until one finds exactly one question.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from judging.imports.actions import tiers
from judging.imports.actions.held import Held, HeldSlot, HeldSource, SlotKey
from judging.imports.actions.tiers import Index, Similar, Slots, Sources, Tier, key_of
from judging.imports.readers.records import QuestionRecord, SourceRecord, StudyRecords
from judging.imports.readers.sameness import normalized, plain
from judging.imports.readers.tables import shorten

By = Literal["auto", "ids", "texts"]
MIN_CLOSEST = 0.5  # similarity from which a question is shown as the closest to an unmatched row
SHOWN_CLOSEST = 100  # unmatched rows for which the closest question is sought


@dataclass(frozen=True, slots=True)
class Match:
    """The questions and sources of a dataset that match one question of a file."""

    candidates: Slots
    sources: Sources
    tier: Tier | None = None  # None if no tier found exactly one question
    similarity: float = 1.0  # of the two texts, if they were matched as similar
    taken: bool = False  # another row of the file is about the only candidate
    closest: Similar | None = None  # if there is no candidate
    of_id: HeldSlot | None = None  # the question of the row's id, if no tier matched: another text

    @property
    def slot(self) -> HeldSlot | None:
        """Return the matched slot; None if there is none or more than one."""
        return self.candidates[0] if self.tier else None


@dataclass(frozen=True, slots=True)
class Matching:
    """The matches of all questions and sources of a file."""

    questions: Mapping[SlotKey, Match]
    sources: Mapping[str, Sources]
    nearby: Mapping[str, HeldSource]  # with the same passage, for sources without a match
    doubtful_ids: tuple[int, int] | None = None  # ids that disagree with texts, and compared


def match(
    study: StudyRecords,
    held: Held,
    *,
    by: By = "auto",
    has_ids: bool = False,
    any_system: bool = False,
    similar: bool = True,
    declined: Collection[str] = (),
) -> Matching:
    """Match a file with a dataset.

    `has_ids`: the file names sources by ids of its own, rather than by numbers that the reader
    gave. `any_system`: the file names no system. With `auto` ids are used unless most of them
    disagree with the texts. `similar`: texts that are nearly the same are matched, except for
    questions that are `declined`, which are texts as pages show them.
    """
    if not held.sources:
        return _unmatched(study)
    return _Matcher(study, held, by, has_ids, any_system, similar, declined).matching()


def _unmatched(study: StudyRecords) -> Matching:
    """Return the matching of a file with an empty dataset."""
    questions = {key_of(question): Match((), ()) for question in study.questions}
    sources: dict[str, Sources] = {source.key: () for source in study.sources}
    return Matching(questions, sources, {}, None)


@dataclass
class _Matcher:
    study: StudyRecords
    held: Held
    by: By
    has_ids: bool
    any_system: bool
    similar: bool
    declined: Collection[str]
    found: dict[SlotKey, Match] = field(default_factory=dict)
    left: dict[SlotKey, QuestionRecord] = field(default_factory=dict)
    candidates: dict[SlotKey, Slots] = field(default_factory=dict)  # of the surest tier with any
    taken: set[int] = field(default_factory=set)
    of_id: dict[SlotKey, Slots] = field(default_factory=dict)
    doubtful_ids: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        fields = tiers.shared_fields(self.study.sources, self.held.sources)
        self.records = {each.key: each for each in self.study.sources if not each.repeat_of}
        self.exact = Index(self.held, fields, plain, any_system=self.any_system)
        self.loose = Index(self.held, fields, normalized, any_system=self.any_system)
        self.source_of_id = {source.key: (pk,) for pk, source in self.exact.originals.items()}

    def matching(self) -> Matching:
        self.left = {
            key_of(each): each for each in self.study.questions if each.source_key in self.records
        }
        if self.by != "texts":
            self._match_ids()
        if self.by != "ids":
            record = self.records
            self._take("parts", lambda q: tiers.by_parts(q, record[q.source_key], self.exact))
            self._take("passage", lambda q: tiers.by_passage(q, record[q.source_key], self.exact))
            self._take("question", lambda q: tiers.by_question(q, record[q.source_key], self.exact))
            self._take(
                "normalized", lambda q: tiers.by_normalized(q, record[q.source_key], self.loose)
            )
        self.sources = {key: self._sources(each) for key, each in self.records.items()}
        if self.similar and self.by != "ids":
            self._take_similar()
        self._keep_unmatched()
        repeated = dict(self._repeats())
        order = (repeated.get(key) or self.found[key] for key in map(key_of, self.study.questions))
        keys = map(key_of, self.study.questions)
        questions = dict(zip(keys, order, strict=True))
        nearby = {
            key: self.exact.originals[found[0]]
            for key, record in self.records.items()
            if not self.sources[key] and (found := self.exact.sources_of_passage(record))
        }
        return Matching(questions, self.sources, nearby, self.doubtful_ids)

    def _match_ids(self) -> None:
        """Match by ids, unless most of those that are found disagree with the texts."""
        self.of_id = {
            key: tiers.by_id(each, self._id(each), self.exact) for key, each in self.left.items()
        }
        verdicts = [
            verdict
            for key, slots in self.of_id.items()
            if (verdict := self._agrees(self.left[key], slots)) is not None
        ]
        disagreeing = verdicts.count(False)
        if self.by == "auto" and 2 * disagreeing > len(verdicts):
            self.doubtful_ids = disagreeing, len(verdicts)
            self.of_id, self.has_ids = {}, False
        self._take("id", self._confirmed)

    def _confirmed(self, question: QuestionRecord) -> Slots:
        """Return the slots of a question's id that do not have another text."""
        slots = self.of_id.get(key_of(question), ())
        if question.text is None or any(slot.text is None for slot in slots):
            return slots
        return tuple(slot for slot in slots if tiers.is_same(question.text, slot.text or ""))

    def _id(self, question: QuestionRecord) -> Sources:
        return self.source_of_id.get(question.source_key, ()) if self.has_ids else ()

    def _agrees(self, question: QuestionRecord, slots: Slots) -> bool | None:
        """Return whether the texts agree with the ids; None if they cannot be compared.

        Another question about the same passage may have that passage's id.
        """
        record, given = self.records[question.source_key], self._id(question)
        source = self.exact.originals[given[0]] if given else None
        has_passages = source and source.passage and record.passage
        if source and has_passages and not self.exact.share_words(record, source.pk):
            return False
        if question.text is None or len(slots) != 1 or slots[0].text is None:
            return True if has_passages else None
        is_equal = normalized(question.text) == normalized(slots[0].text)
        return None if has_passages and not is_equal else is_equal

    def _take(self, tier: Tier, find: Callable[[QuestionRecord], Slots]) -> None:
        """Match the rows for which a tier finds exactly one question.

        As many equal questions in the file as in the dataset are matched one by one, in order.
        """
        groups: dict[tuple[int, ...], list[SlotKey]] = {}
        units_of: dict[int, tuple[int, ...]] = {}
        found = {key: slots for key, each in self.left.items() if (slots := find(each))}
        for key, slots in found.items():
            self.candidates.setdefault(key, slots)
            units = units_of.setdefault(id(slots), tuple(slot.unit for slot in slots))
            groups.setdefault(units, []).append(key)
        for keys in sorted(groups.values(), key=lambda each: len(found[each[0]])):
            slots = found[keys[0]]
            free = [slot for slot in slots if slot.unit not in self.taken]
            if len(free) == len(keys) or len(slots) == 1:
                for key, slot in zip(keys, free, strict=False):
                    self._match(key, Match((slot,), (), tier))

    def _match(self, key: SlotKey, match: Match) -> None:
        self.found[key] = match
        self.taken.add(match.candidates[0].unit)
        del self.left[key]

    def _sources(self, record: SourceRecord) -> Sources:
        """Return the sources that one of the file may be: by id, by texts, or by its questions."""
        votes = Counter(self._matched_in.get(record.key, ()))
        found: Sources = self.source_of_id.get(record.key, ()) if self.has_ids else ()
        if found and (not votes or found[0] in votes):
            return found
        if self.by != "ids":
            found = self.exact.sources_of_parts(record) or self.loose.sources_of_parts(record)
        if len(found) == 1:
            return found
        ranked = [each for each in votes.most_common() if not found or each[0] in found]
        is_clear = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
        return (ranked[0][0],) if is_clear else found

    @cached_property
    def _matched_in(self) -> Mapping[str, tuple[int, ...]]:
        """The dataset's sources in which questions of each source of the file were found."""
        return tiers.grouped(
            (key[0], match.candidates[0].source) for key, match in self.found.items()
        )

    def _take_similar(self) -> None:
        """Match the remaining questions with nearly equal ones, most similar first."""
        found = [
            (similar, key)
            for key, question in self.left.items()
            if question.text is not None and shorten(question.text) not in self.declined
            if key not in self.candidates
            if (similar := tiers.by_similarity(question, self._pool(question), self.loose))
        ]
        for similar, key in sorted(found, key=lambda each: -each[0].similarity):
            if similar.slot.unit not in self.taken:
                self._match(key, Match((similar.slot,), (), "similar", similar.similarity))

    def _pool(self, question: QuestionRecord) -> list[HeldSlot]:
        """Return the free questions of the same passage; if there is no passage, those that share
        rare words."""
        record = self.records[question.source_key]
        sources = self._sources_nearby(record)
        if sources:
            slots = self._slots_in(sources, question, self._rare_words)
        elif self._has_passages and (record.passage or record.sentence):
            return []
        else:
            slots = self._rare_words.slots(question)
        return [slot for slot in slots if slot.text is not None and slot.unit not in self.taken]

    @staticmethod
    def _slots_in(
        sources: Sources, question: QuestionRecord, rare_words: tiers.RareWords
    ) -> list[HeldSlot]:
        """Return the questions of some sources; of very many, those that share rare words."""
        slots = rare_words.index.within(sources, question.system).slots
        if len(slots) <= tiers.MAX_POSTINGS:
            return slots
        return [slot for slot in rare_words.slots(question) if slot.source in sources]

    def _sources_nearby(self, record: SourceRecord) -> Sources:
        return self.loose.sources_of_passage(record) or self.sources[record.key]

    @cached_property
    def _has_passages(self) -> bool:
        return any(each.passage or each.sentence for each in self.held.sources)

    @cached_property
    def _rare_words(self) -> tiers.RareWords:
        return tiers.RareWords(self.loose)

    def _keep_unmatched(self) -> None:
        """Keep unmatched questions, with their candidates or, for the first, the closest one."""
        sought = 0
        for key, question in self.left.items():
            slots, closest = self.candidates.get(key, ()), None
            if not slots and question.text is not None and sought < SHOWN_CLOSEST:
                sought += 1
                closest = self._closest(question)
            taken = len(slots) == 1
            of_id = self.of_id.get(key, ())
            other = of_id[0] if len(of_id) == 1 and not slots else None
            self.found[key] = Match(slots, (), taken=taken, closest=closest, of_id=other)
        for key, found in self.found.items():
            self.found[key] = replace(found, sources=self.sources[key[0]])

    def _closest(self, question: QuestionRecord) -> Similar | None:
        """Return the most similar question: in the same passage, else by question text only."""
        if sources := self._sources_nearby(self.records[question.source_key]):
            pool = self._slots_in(sources, question, self._words_of_anybody)
            if ranked := tiers.rank(question, pool, self.loose, least=MIN_CLOSEST):
                return ranked[0]._replace(in_passage=True)
        pool = self._words_of_anybody.slots(question)
        return next(iter(tiers.rank(question, pool, self.loose, least=MIN_CLOSEST)), None)

    @cached_property
    def _words_of_anybody(self) -> tiers.RareWords:
        return tiers.RareWords(Index(self.held, self.loose.fields, normalized, any_system=True))

    def _repeats(self) -> Iterator[tuple[SlotKey, Match]]:
        """Yield the questions in repeated sources: each is found through the question it
        repeats."""
        copies = {(each.repeat_of, each.repeat): each.pk for each in self.held.sources}
        slots_of = tiers.grouped(((slot.source, slot.system), slot) for slot in self.held.slots)
        repeats = {each.key: each for each in self.study.sources if each.repeat_of}
        for record in repeats.values():
            firsts = self.sources[record.repeat_of]
            copied = tuple(
                copies[pk, record.repeat] for pk in firsts if (pk, record.repeat) in copies
            )
            self.sources[record.key] = copied
        for question in self.study.questions:
            if question.source_key in repeats:
                record = repeats[question.source_key]
                first = self.found[record.repeat_of, question.system, question.position]
                slots: Slots = ()
                if first.slot and (pk := copies.get((first.slot.source, record.repeat))):
                    slots = tuple(
                        slot
                        for slot in slots_of.get((pk, first.slot.system), ())
                        if slot.position == first.slot.position or slot.text == first.slot.text
                    )[:1]
                tier = first.tier if slots else None
                yield key_of(question), Match(slots, self.sources[record.key], tier)
