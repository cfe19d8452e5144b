"""The key columns of questions and sources, and the merges on them that find questions of a file
among those of a dataset. No database.

Questions and slots with equal keys form a group. Each way of finding returns the group of every
question and the units of every group, so nothing grows with the number of pairs.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import pandas as pd
from pandas import DataFrame, Series

Form = Literal["exact", "loose"]
GIVEN = ("passage", "sentence", "answer", "target_type")
QUOTES = str.maketrans("‘’‚‛“”„‟«»–—−‐‑", '\'\'\'\'""""""-----')
SPACES_AND_QUOTES = str.maketrans("", "", " '\"")
FINAL_PUNCTUATION = ".,:;!?。，：；！？؟،؛।"
MIN_SHARED_WORDS = 0.9  # of the words of the shorter of two passages that may be one
MAX_ALIKE = 20  # questions of one text whose passages are compared
NONE = -1  # in place of the number of a question or source


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """The contents of a dataset.

    `sources` (index: primary key): the parts in `GIVEN`, key, modality, language, repeat_of (NONE
    for an original) and repeat. `slots` (index: unit): source, system, position, text (None if
    the question is missing) and key. `sets`: source, system, set (primary key), whole (the unit
    without a position) and expected.
    """

    sources: DataFrame
    slots: DataFrame
    sets: DataFrame

    @property
    def systems(self) -> set[str]:
        """Return the names of the systems that have question sets."""
        return set(self.sets["system"])


class FoundUnits(NamedTuple):
    """The group of each question or source of the file, and the units of each group."""

    labels: Series  # by number
    members: DataFrame  # group, unit


NOTHING = FoundUnits(Series(dtype=int), DataFrame({"group": [], "unit": []}, dtype=int))


class Sides(NamedTuple):
    """The key columns of the file's sources, and of the dataset's sources and slots."""

    ours: DataFrame
    theirs: DataFrame
    slots: DataFrame


def unify_for_match(text: str) -> str:
    """Return a text in one Unicode form, with straight quotes and single spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(QUOTES).split())


def normalize_for_match(text: str) -> str:
    """Return a text without case, whitespace, quotation marks and final punctuation."""
    kept = unify_for_match(text).casefold().translate(SPACES_AND_QUOTES)
    return kept.rstrip(FINAL_PUNCTUATION) or kept


def words_for_match(text: str) -> list[str]:
    """Return the words of a text, without case."""
    return re.findall(r"\w+", unify_for_match(text).casefold())


def iterate_cells(frame: DataFrame, *columns: str) -> Iterator[tuple[Any, ...]]:
    """Yield the index and these cells of each row."""
    return zip(frame.index, *(frame[name] for name in columns), strict=True)


def cell(frame: DataFrame, row: object, column: str) -> Any:
    """Return one cell."""
    return frame.at[row, column]


def lookup(series: Series) -> dict[Any, Any]:
    """Return the values of a series by its index."""
    return series.to_dict()


FORMS: dict[Form, Callable[[str], str]] = {"exact": unify_for_match, "loose": normalize_for_match}


def prepare_sides(sources: DataFrame, held: Held, *, any_system: bool = False) -> Sides:
    """Return the key columns of both sides, without copies made for repeated ratings."""
    originals = held.sources[held.sources["repeat_of"] == NONE]
    slots = held.slots[held.slots["source"].isin(originals.index)]
    prepared = prepare_questions(slots, any_system=any_system)
    return Sides(
        _prepare_sources(sources), _prepare_sources(originals), prepared.assign(unit=slots.index)
    )


def prepare_questions(questions: DataFrame, *, any_system: bool = False) -> DataFrame:
    """Return the key columns of questions; with `any_system` they have no system."""
    prepared = questions[["source", "system", "position", "text", "key"]]
    prepared = prepared.astype({"source": int, "position": int})
    prepared["has_text"] = questions["text"].notna()
    for form in FORMS:
        prepared[form] = _text_keys(questions["text"], form)
    return prepared.assign(system="") if any_system else prepared


def _prepare_sources(sources: DataFrame) -> DataFrame:
    prepared = DataFrame({"unit": sources.index, "key": sources["key"]}, index=sources.index)
    for name in GIVEN:
        prepared[name] = [text or "" for text in sources[name]]
        for form in FORMS:
            prepared[f"{form}_{name}"] = _text_keys(prepared[name], form)
    return prepared


def _text_keys(texts: Series, form: Form) -> list[int]:
    """Return a number for each text: equal for texts that are equal in this form, 0 for none.

    A hash of 8 bytes takes the place of a passage of thousands.
    """
    keys = {text: hash(FORMS[form](text)) for text in set(texts) if isinstance(text, str)}
    return [keys[text] if isinstance(text, str) and text else 0 for text in texts]


def by_keys(left: DataFrame, right: DataFrame, keys: Sequence[str]) -> FoundUnits:
    """Group what has a unit on the right by its keys, and find the group of each row on the left."""
    if left.empty or right.empty:
        return NOTHING
    columns = list(keys)
    groups = right.groupby(columns, sort=False).ngroup().astype(int)
    of_key = right[columns].assign(found=groups).drop_duplicates("found")
    merged = left[columns].assign(row=left.index).merge(of_key, on=columns)
    members = DataFrame({"group": groups, "unit": right["unit"]})
    return FoundUnits(merged.set_index("row")["found"].astype(int), members)


def first_of(tries: Sequence[FoundUnits]) -> FoundUnits:
    """Return for each row what the first of several ways finds."""
    tries = [found for found in tries if len(found.labels)]
    if len(tries) < 2:
        return tries[0] if tries else NOTHING
    labels, members, start = [], [], 0
    for found in tries:
        labels.append(found.labels + start)
        members.append(found.members.assign(group=found.members["group"] + start))
        start += len(found.members)
    joined = pd.concat(labels)
    return FoundUnits(joined[~joined.index.duplicated()].sort_index(), pd.concat(members))


def units_by_row(found: FoundUnits) -> dict[int, tuple[int, ...]]:
    """Return the units that are found for each row, by its number."""
    used = found.members[found.members["group"].isin(found.labels)]
    units: dict[int, list[int]] = {}
    for _, group, unit in iterate_cells(used, "group", "unit"):
        units.setdefault(group, []).append(unit)
    tuples = {group: tuple(each) for group, each in units.items()}
    return {row: tuples[group] for row, group in lookup(found.labels).items()}


def sources_of_passage(sides: Sides, form: Form) -> FoundUnits:
    """Find the sources with the same passage, or else with the same sentence."""
    ours, theirs = sides.ours, sides.theirs
    names = f"{form}_passage", f"{form}_sentence"
    return first_of(
        [by_keys(ours[ours[name] != 0], theirs[theirs[name] != 0], [name]) for name in names]
    )


def sources_of_parts(sides: Sides, form: Form) -> FoundUnits:
    """Find the sources that agree in every part that neither side leaves blank, those with most
    parts in common first."""
    names = [f"{form}_{name}" for name in GIVEN]
    names = [name for name in names if sides.ours[name].any() and sides.theirs[name].any()]
    given, their_given = _given(sides.ours, names), _given(sides.theirs, names)
    tries = []
    for parts in given.unique():
        common = their_given & parts
        for shared in sorted(set(common) - {0}, key=lambda each: (-each.bit_count(), each)):
            keys = [name for place, name in enumerate(names) if shared & 1 << place]
            tries.append(by_keys(sides.ours[given == parts], sides.theirs[common == shared], keys))
    return first_of(tries)


def _given(sources: DataFrame, names: Sequence[str]) -> Series:
    """Return a number for the parts that each source gives, with a bit for each of the names."""
    given = Series(0, sources.index, dtype=int)
    for place, name in enumerate(names):
        given += (sources[name] != 0) * 2**place
    return given


def _within(
    found: FoundUnits, left: DataFrame, slots: DataFrame, keys: Sequence[str]
) -> FoundUnits:
    """Find questions by these keys among the slots of the sources that were found for theirs."""
    if found.labels.empty or left.empty:
        return NOTHING
    mine = left.assign(group=left["source"].map(found.labels)).dropna(subset=["group"])
    used = found.members[found.members["group"].isin(found.labels)]
    theirs = slots.merge(used.rename(columns={"unit": "source"}), on="source")
    return by_keys(mine.astype({"group": int}), theirs, ["group", *keys])


def by_parts(left: DataFrame, sides: Sides, form: Form) -> FoundUnits:
    """Find questions by text, passage and answer; those without a text by their position."""
    sources, slots = sources_of_parts(sides, form), sides.slots
    texts = _within(sources, left[left["has_text"]], slots[slots["has_text"]], ["system", form])
    places = _within(sources, left[~left["has_text"]], slots, ["system", "position"])
    return first_of([texts, places])


def by_passage(left: DataFrame, sides: Sides, form: Form) -> FoundUnits:
    """Find questions by their text within the same passage or sentence."""
    sources, slots = sources_of_passage(sides, form), sides.slots
    return _within(sources, left[left["has_text"]], slots[slots["has_text"]], ["system", form])


def by_question(left: DataFrame, sides: Sides, form: Form) -> FoundUnits:
    """Find questions by their text alone; if both sides give passages, these share most words."""
    slots = sides.slots[sides.slots["has_text"]]
    found = by_keys(left[left["has_text"]], slots, ["system", form])
    if found.labels.empty:
        return NOTHING
    is_located = left["source"].reindex(found.labels.index).map(_has_passage(sides.ours))
    located = found.labels[is_located]
    located = located[located.map(found.members.groupby("group").size()) <= MAX_ALIKE]
    pairs = located.rename_axis("question").reset_index(name="group")
    pairs = pairs.merge(found.members, on="group")
    pairs["ours"] = pairs["question"].map(left["source"])
    pairs["theirs"] = pairs["unit"].map(slots.set_index("unit")["source"])
    of_pairs = _regrouped(pairs[_share_words(pairs, sides)])
    return first_of([FoundUnits(found.labels[~is_located], found.members), of_pairs])


def _regrouped(pairs: DataFrame) -> FoundUnits:
    """Group pairs of a question and a unit: questions with the same units form a group."""
    units = pairs.groupby("question")["unit"].agg(tuple).astype(object)
    groups, distinct = pd.factorize(units)
    members = [(group, unit) for group, each in enumerate(distinct) for unit in each]
    return FoundUnits(
        Series(groups, units.index, dtype=int),
        DataFrame(members, columns=["group", "unit"], dtype=int),
    )


def _has_passage(sources: DataFrame) -> Series:
    return (sources["passage"] != "") | (sources["sentence"] != "")


def passage_of(sources: DataFrame, source: int) -> str:
    """Return the passage of a source, or else its sentence."""
    return str(sources.at[source, "passage"] or sources.at[source, "sentence"])


def _share_words(pairs: DataFrame, sides: Sides) -> Series:
    distinct = {(ours, theirs) for _, ours, theirs in iterate_cells(pairs, "ours", "theirs")}
    known = {
        (ours, theirs): may_be_one(passage_of(sides.ours, ours), passage_of(sides.theirs, theirs))
        for ours, theirs in distinct
    }
    shared = [known[ours, theirs] for _, ours, theirs in iterate_cells(pairs, "ours", "theirs")]
    return Series(shared, pairs.index, dtype=bool)


def may_be_one(passage: str, other: str) -> bool:
    """Return whether two passages may be one: either is blank, or they share most words."""
    if passage == other:
        return True
    ours, theirs = set(words_for_match(passage)), set(words_for_match(other))
    shorter = min(len(ours), len(theirs))
    return not shorter or len(ours & theirs) >= MIN_SHARED_WORDS * shorter
