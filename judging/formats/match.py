"""Which questions of a file are about which questions of a dataset, found in tiers. No database.

Each tier merges the questions that are not matched yet with the dataset's on its key columns,
surest tier first, and matches a group of equal questions if the dataset has one such slot, or as
many free ones as the file has questions.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd
from pandas import DataFrame, Series

from judging.formats.choices import JoiningChoices
from judging.formats.frames import iterate_rows, shorten_line
from judging.formats.similar import Close, Texts, is_same, most_similar
from judging.formats.tiers import (
    FORMS,
    NONE,
    FoundUnits,
    Held,
    Sides,
    by_keys,
    by_parts,
    by_passage,
    by_question,
    first_of,
    iterate_cells,
    lookup,
    may_be_one,
    passage_of,
    prepare_questions,
    prepare_sides,
    sources_of_parts,
    sources_of_passage,
    units_by_row,
)

Tier = Literal["id", "parts", "passage", "letter", "question", "normalized", "similar"]
MIN_CLOSEST = 50.0  # similarity from which a question is shown as the closest to an unmatched row
SHOWN_CLOSEST = 100  # unmatched rows for which the closest question is sought
Candidates = dict[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The matches of all questions and sources of a file.

    `questions`: unit (NA without a match), tier ("" without one), similarity, alike (the number of
    slots that the surest tier found), pointed_at (the unit of a question's id, if its text is
    another), closest (the unit of the closest question to an unmatched one), closeness, in_passage
    and reason ("", "ambiguous", "conflicting" or "unmatched").

    `sources`: candidates (primary keys), and nearby: the dataset's source with the same passage, if
    there is no candidate. `doubtful_ids` counts the ids that disagree with the texts, and those
    compared; it is None if ids are used.
    """

    questions: DataFrame
    sources: DataFrame
    doubtful_ids: tuple[int, int] | None = None


@dataclass
class _Search:
    """The questions that are not matched yet, and what was found about all."""

    left: DataFrame
    sides: Sides
    found: dict[int, tuple[int, Tier]] = field(default_factory=dict)
    alike: dict[int, int] = field(default_factory=dict)  # slots in the surest tier with any
    taken: set[int] = field(default_factory=set)
    similarity: dict[int, float] = field(default_factory=dict)
    source_of: dict[int, int] = field(init=False)
    pointed_at: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep the source of each question."""
        self.source_of = lookup(self.left["source"])

    def match(self, pairs: dict[int, int], tier: Tier) -> None:
        """Match questions with units."""
        self.found |= {question: (unit, tier) for question, unit in pairs.items()}
        self.taken.update(pairs.values())
        self.left = self.left.drop(list(pairs))

    def open(self) -> Iterator[tuple[int, int, str, str]]:
        """Yield the questions with a text for which no tier found any slot, with their sources,
        systems and texts."""
        left = self.left[self.left["has_text"]]
        for question, *about in iterate_cells(left, "source", "system", "text"):
            if question not in self.alike:
                yield question, *about


def match(
    sources: DataFrame,
    questions: DataFrame,
    held: Held,
    choices: JoiningChoices,
    *,
    has_ids: bool = False,
    any_system: bool = False,
    lettered: FoundUnits | None = None,
) -> Matched:
    """Match the questions of a file with those of a dataset.

    `has_ids`: the file names sources by ids of its own, rather than by numbers of the reader.
    `any_system`: the file names no system. `lettered`: questions whose texts several systems gave,
    with the slots of the system that votes decided on.
    """
    search = _begin(sources, questions, held, any_system=any_system)
    ids = _source_ids(search.sides) if has_ids else {}
    doubtful = None
    if choices.by != "texts" and (doubtful := _match_ids(search, ids, by=choices.by)):
        ids = {}
    if choices.by != "ids":
        _match_texts(search, lettered)
    candidates = _candidates(search, ids, by_texts=choices.by != "ids")
    texts = Texts(search.sides, search.left, candidates)
    if choices.similar and choices.by != "ids":
        _match_similar(search, texts, choices.declined)
    closest = _closest(search, texts)
    _match_copies(search, candidates, sources, questions, held)
    return Matched(
        questions=_result(questions.index, search).join(_closest_frame(closest, questions.index)),
        sources=_source_frame(sources, candidates, search.sides),
        doubtful_ids=doubtful,
    )


def _begin(sources: DataFrame, questions: DataFrame, held: Held, *, any_system: bool) -> _Search:
    """Return a search for all questions but copies, or for none if the dataset is empty."""
    firsts, ours = (frame[frame["copy_of"] == NONE] for frame in (questions, sources))
    if held.sources.empty:
        firsts, ours = firsts[:0], ours[:0]
    sides = prepare_sides(ours, held, any_system=any_system)
    return _Search(prepare_questions(firsts, any_system=any_system), sides)


def _take(search: _Search, tier: Tier, found: FoundUnits) -> None:
    """Match the questions for which a tier finds exactly one slot; as many equal questions in the
    file as in the dataset are matched one by one, in order."""
    labels = found.labels[found.labels.index.isin(search.left.index)]
    sizes = labels.map(found.members.groupby("group").size())
    search.alike = lookup(sizes) | search.alike
    for size in sorted(sizes.unique()):
        asked = labels[sizes == size].rename_axis("question").reset_index(name="group")
        slots = found.members[~found.members["unit"].isin(search.taken)]
        free = asked["group"].map(slots.groupby("group").size())
        count = asked.groupby("group")["group"].transform("size")
        pairs = _one_by_one(asked[(count == free) | (size == 1)], slots)
        search.match(dict(zip(pairs["question"], pairs["unit"], strict=True)), tier)


def _one_by_one(asked: DataFrame, slots: DataFrame) -> DataFrame:
    """Return pairs of the questions and slots of each group, in order."""
    ours = asked.assign(place=asked.groupby("group").cumcount())
    theirs = slots.assign(place=slots.groupby("group").cumcount())
    return ours.merge(theirs, on=["group", "place"]).drop_duplicates("unit")


def _source_ids(sides: Sides) -> dict[int, int]:
    """Return the dataset's source that has the id of each source of the file."""
    known = dict(zip(sides.theirs["key"], sides.theirs.index, strict=True))
    return {source: known[key] for source, key in iterate_cells(sides.ours, "key") if key in known}


def _by_own_id(left: DataFrame, slots: DataFrame) -> list[FoundUnits]:
    """Find questions by their own ids; of several with one id, by their texts."""
    keys = ["key", "system"]
    ours, theirs = left[left["key"] != ""], slots[slots["key"] != ""]
    return [
        by_keys(ours[ours["has_text"]], theirs, [*keys, "loose"]),
        by_keys(ours[~ours["has_text"]], theirs, keys),
        by_keys(ours, theirs[~theirs.duplicated(keys, keep=False)], keys),
    ]


def _by_source_id(left: DataFrame, slots: DataFrame, ids: dict[int, int]) -> list[FoundUnits]:
    """Find questions by the id of their source and their system: by the text, if there is only one,
    or by the position."""
    keys = ["pk", "system"]
    ours = left.assign(pk=left["source"].map(ids)).dropna(subset=["pk"]).astype({"pk": int})
    theirs = slots.assign(pk=slots["source"])
    return [
        by_keys(ours[ours["has_text"]], theirs[theirs["has_text"]], [*keys, "exact"]),
        by_keys(ours, theirs[~theirs.duplicated(keys, keep=False)], keys),
        by_keys(ours, theirs, [*keys, "position"]),
    ]


def _match_ids(search: _Search, ids: dict[int, int], *, by: str) -> tuple[int, int] | None:
    """Match by ids, except those of questions with another text.

    If most ids disagree with the texts and no person decided on ids, none is used: return how many
    disagree, and how many could be compared.
    """
    left, slots = search.left, search.sides.slots
    found = first_of([*_by_own_id(left, slots), *_by_source_id(left, slots, ids)])
    compared = _compared(left, slots, found)
    equal = lookup(compared["loose"] == compared["loose_there"])
    verdicts = _verdicts(left, search.sides, ids, equal)
    if by == "auto" and 2 * verdicts.count(False) > len(verdicts):
        return verdicts.count(False), len(verdicts)
    other = [
        question
        for question, text, there in iterate_cells(compared, "text", "text_there")
        if not (equal[question] or is_same(text, there))
    ]
    search.pointed_at = lookup(compared["unit"])
    _take(search, "id", FoundUnits(found.labels.drop(other), found.members))
    return None


def _compared(left: DataFrame, slots: DataFrame, found: FoundUnits) -> DataFrame:
    """Return the questions with one slot, both with a text, beside each other."""
    alone = found.members.drop_duplicates("group", keep=False)
    pairs = found.labels.rename_axis("question").reset_index(name="group").merge(alone, on="group")
    pairs = pairs.join(left[["text", "loose"]], on="question")
    there = slots.set_index("unit")[["text", "loose"]].add_suffix("_there")
    pairs = pairs.join(there, on="unit").set_index("question")
    return pairs.dropna(subset=["text", "text_there"])


def _verdicts(
    left: DataFrame, sides: Sides, ids: dict[int, int], equal: dict[int, bool]
) -> list[bool]:
    """Return whether the id of each question agrees with its texts, if they can be compared.

    Another question about the same passage may have that passage's id.
    """
    agrees = {
        source: may_be_one(passage_of(sides.ours, source), passage_of(sides.theirs, pk))
        for source, pk in ids.items()
        if sides.ours.at[source, "passage"] and sides.theirs.at[pk, "passage"]
    }
    verdicts = []
    for question, source in iterate_cells(left, "source"):
        if source not in agrees:
            verdicts += [equal[question]] if question in equal else []
        elif not agrees[source] or equal.get(question, True):
            verdicts.append(agrees[source])
    return verdicts


def _match_texts(search: _Search, lettered: FoundUnits | None) -> None:
    """Match by equal texts: with passage and answer, with the passage, by the letter's system, and
    alone; then the same normalized."""
    sides = search.sides
    _take(search, "parts", by_parts(search.left, sides, "exact"))
    _take(search, "passage", by_passage(search.left, sides, "exact"))
    if lettered:
        _take(search, "letter", lettered)
    _take(search, "question", by_question(search.left, sides, "exact"))
    ways = by_parts, by_passage, by_question
    _take(search, "normalized", first_of([way(search.left, sides, "loose") for way in ways]))


def _candidates(search: _Search, ids: dict[int, int], *, by_texts: bool) -> Candidates:
    """Return the sources that each one of the file may be: by id, by texts, or by the sources in
    which most of its questions were found."""
    place = lookup(search.sides.slots.set_index("unit")["source"])
    votes: dict[int, Counter[int]] = {}
    for question, (unit, _) in search.found.items():
        votes.setdefault(search.source_of[question], Counter())[place[unit]] += 1
    texts: Candidates = {source: (pk,) for source, pk in ids.items()}
    if by_texts:
        texts = units_by_row(first_of([sources_of_parts(search.sides, form) for form in FORMS]))
    candidates: Candidates = {}
    for source in search.sides.ours.index:
        cast = votes.get(source, Counter())
        if source in ids and (not cast or ids[source] in cast):
            candidates[source] = (ids[source],)
        else:
            candidates[source] = _elected(texts.get(source, ()), cast)
    return candidates


def _elected(found: tuple[int, ...], votes: Counter[int]) -> tuple[int, ...]:
    """Return the one source with most votes, else all that were found."""
    if len(found) == 1:
        return found
    ranked = [each for each in votes.most_common() if not found or each[0] in found]
    is_clear = ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1])
    return (ranked[0][0],) if is_clear else found


def _match_similar(search: _Search, texts: Texts, declined: Collection[str]) -> None:
    """Match the remaining questions with nearly equal ones, most similar first."""
    found: list[tuple[Close, int]] = []
    for question, source, system, text in search.open():
        if shorten_line(text) in declined:
            continue
        pool = texts.pool(source, system, text)
        free = {unit: there for unit, there in pool.items() if unit not in search.taken}
        if close := most_similar(text, free):
            found.append((close, question))
    pairs: dict[int, int] = {}
    for close, question in sorted(found, key=lambda each: -each[0].similarity):
        if close.unit not in pairs.values():
            pairs[question] = close.unit
            search.similarity[question] = close.similarity
    search.match(pairs, "similar")


def _closest(search: _Search, texts: Texts) -> dict[int, Close]:
    """Return the closest question to each of the first that are unmatched."""
    closest: dict[int, Close] = {}
    for question, source, _, text in list(search.open())[:SHOWN_CLOSEST]:
        if close := texts.closest(source, text, least=MIN_CLOSEST):
            closest[question] = close
    return closest


def _result(index: pd.Index, search: _Search) -> DataFrame:
    """Return a line for each question with its match, or the reason why it has none."""
    nothing: tuple[Any, str] = pd.NA, ""
    matches = [search.found.get(each, nothing) for each in index]
    units = Series([unit for unit, _ in matches], index, dtype="Int64")
    alike = Series([search.alike.get(each, 0) for each in index], index, dtype=int)
    pointed_at = _numbers(search.pointed_at, index).where(units.isna() & (alike == 0))
    reasons = Series("unmatched", index, dtype=object).where(units.isna(), "")
    reasons = reasons.mask(units.isna() & (alike > 0), "ambiguous")
    return DataFrame(
        {
            "unit": units,
            "tier": Series([tier for _, tier in matches], index, dtype=object),
            "similarity": [search.similarity.get(each, 100.0) for each in index],
            "alike": alike,
            "pointed_at": pointed_at,
            "reason": reasons.mask(pointed_at.notna(), "conflicting"),
        }
    )


def _closest_frame(closest: dict[int, Close], index: pd.Index) -> DataFrame:
    frame = DataFrame(index=index)
    frame["closest"] = _numbers({each: close.unit for each, close in closest.items()}, index)
    nothing = Close(NONE, 0.0)
    frame["closeness"] = [closest.get(each, nothing).similarity for each in index]
    frame["in_passage"] = [closest.get(each, nothing).in_passage for each in index]
    return frame


def _numbers(values: dict[int, int], index: pd.Index) -> Series:
    return Series([values.get(each, pd.NA) for each in index], index, "Int64")


def _source_frame(sources: DataFrame, candidates: Candidates, sides: Sides) -> DataFrame:
    """Return a line for each source with its candidates, or another with the same passage."""
    frame = DataFrame(index=sources.index)
    found = [candidates.get(source, ()) for source in frame.index]
    frame["candidates"] = Series(found, frame.index, dtype=object)
    of_passage = units_by_row(sources_of_passage(sides, "exact"))
    nearby = {source: pks[0] for source, pks in of_passage.items() if not candidates[source]}
    frame["nearby"] = _numbers(nearby, frame.index)
    return frame


def _match_copies(
    search: _Search, candidates: Candidates, sources: DataFrame, questions: DataFrame, held: Held
) -> None:
    """Match copies of sources, and the questions in them: each through the one that it repeats."""
    copied = held.sources[held.sources["repeat_of"] != NONE]
    copies = {
        (pk, repeat): copy for copy, pk, repeat in iterate_cells(copied, "repeat_of", "repeat")
    }
    _match_copied_sources(candidates, sources, copies)
    slots = held.slots[held.slots["source"].isin(copied.index)]
    of_set = _by_set(slots)
    again = questions[questions["copy_of"].isin(search.found)]
    repeats = lookup(sources["repeat"])
    for question, first, source in iterate_cells(again, "copy_of", "source"):
        unit, tier = search.found[first]
        [slot] = iterate_rows(held.slots.loc[[unit]])
        pk = copies.get((slot.source, repeats[source]))
        if copy := _same_slot(slot, of_set.get((pk, slot.system), ())):
            search.found[question] = copy, tier


def _by_set(slots: DataFrame) -> dict[tuple[int | None, str], list[Any]]:
    """Return slots by their source and system."""
    of_set: dict[tuple[int | None, str], list[Any]] = {}
    for slot in iterate_rows(slots):
        of_set.setdefault((slot.source, slot.system), []).append(slot)
    return of_set


def _match_copied_sources(
    candidates: Candidates, sources: DataFrame, copies: dict[tuple[int, int], int]
) -> None:
    again = sources[sources["copy_of"] != NONE]
    for source, first, repeat in iterate_cells(again, "copy_of", "repeat"):
        pks = [copies.get((pk, repeat), NONE) for pk in candidates.get(first, ())]
        candidates[source] = tuple(pk for pk in pks if pk != NONE)


def _same_slot(slot: Any, copies: Sequence[Any]) -> int:
    """Return the unit among copies with the position or the text of a slot, 0 for none."""
    for copy in copies:
        if copy.position == slot.position or copy.text == slot.text:
            return int(copy.Index)
    return 0
