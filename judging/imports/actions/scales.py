"""The ratings in a file, read against a protocol's scales; nothing is stored here."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from pandas import DataFrame

from judging.formats.frames import shorten_line
from judging.formats.tiers import NONE, iterate_cells
from judging.imports.actions.fit import (
    RatingTally,
    StoredScale,
    decimal_in,
    plain_criterion,
    scales_of,
)
from judging.protocols.models.protocol import Criterion, Protocol

SHOWN_WORDS = 10
NOT_OF_SETS = "{} is asked of each question, and this rates a set as a whole."
ABOUT = ["question", "source", "system", "rater", "criterion"]


@dataclass(frozen=True, slots=True)
class RatingsRead:
    """The ratings of a file under a protocol.

    `values`: question (NONE for the whole set), source, system, rater, criterion (primary key),
    point, rating (its number in the file) and metadata. `refused` gives the reason and a sentence
    by the number of the rating; `unmapped` has a sentence for each word that is no scale point.
    """

    values: DataFrame
    refused: Mapping[int, tuple[str, str]]
    unmapped: tuple[str, ...]
    scales: Mapping[str, StoredScale]


def read_ratings(ratings: DataFrame, questions: DataFrame, protocol: Protocol) -> RatingsRead:
    """Read ratings under a protocol: the unit and the scale point of each, or why it has none."""
    scales = scales_of(protocol)
    cells = list(zip(ratings["criterion"], ratings["value"], strict=True))
    readings = {
        pair: _reading(*pair, protocol=protocol, scales=scales) for pair in dict.fromkeys(cells)
    }
    refused = {
        rating: why
        for rating, pair in zip(ratings.index, cells, strict=True)
        if (why := readings[pair].refused)
    }
    values = ratings.assign(
        criterion=[readings[pair].criterion for pair in cells],
        point=[readings[pair].point for pair in cells],
        rating=ratings.index,
    )
    values, of_sets = _placed(values.drop(list(refused)), questions, scales)
    values, second = _first_values(values)
    return RatingsRead(
        values=values,
        refused=dict(sorted((refused | of_sets | second).items())),
        unmapped=_unmapped(cells, readings, scales),
        scales=scales,
    )


class _Reading(NamedTuple):
    """A value on a criterion: its scale point, or why it has none."""

    criterion: int = 0
    point: int = 0
    refused: tuple[str, str] | None = None
    is_word: bool = False


def _reading(
    criterion: str, text: str, *, protocol: Protocol, scales: Mapping[str, StoredScale]
) -> _Reading:
    scale = scales.get(plain_criterion(criterion))
    if scale is None:
        sentence = f"{protocol} has no criterion “{shorten_line(criterion)}”."
        return _Reading(refused=("no_criterion", sentence))
    point = scale.read(text)
    if point is None:
        sentence = f"It is not on the scale of {scale.criterion.name}: {scale}."
        return _Reading(refused=("off_scale", sentence), is_word=decimal_in(text) is None)
    return _Reading(scale.criterion.pk, point)


def _placed(
    values: DataFrame, questions: DataFrame, scales: Mapping[str, StoredScale]
) -> tuple[DataFrame, dict[int, tuple[str, str]]]:
    """Give each value its unit: the set for a criterion of sets; each question of the set for a
    rating of the whole set on a criterion that is asked once per set."""
    criteria = {scale.criterion.pk: scale.criterion for scale in scales.values()}
    of_set = values["criterion"].map(lambda pk: criteria[pk].unit == Criterion.Unit.SET)
    units = values["question"].mask(of_set.astype(bool), NONE)
    values = values.assign(question=units)
    whole, single = values[units.isna()], values.dropna(subset=["question"])
    once = whole["criterion"].isin(_asked_once(criteria))
    spread = _spread(whole[once], questions)
    refused = {}
    for rating, pk in _missing(whole, spread):
        refused[rating] = ("no_criterion", NOT_OF_SETS.format(criteria[pk].name))
    return _in_order([single, spread]), refused


def _asked_once(criteria: Mapping[int, Criterion]) -> list[int]:
    return [pk for pk, each in criteria.items() if each.asked == Criterion.Asked.ONCE_PER_SET]


def _missing(whole: DataFrame, spread: DataFrame) -> Iterator[tuple[int, int]]:
    lost = whole[~whole["rating"].isin(spread["rating"])]
    yield from zip(lost["rating"], lost["criterion"], strict=True)


def _in_order(parts: Sequence[DataFrame]) -> DataFrame:
    values = pd.concat([part for part in parts if len(part)] or parts[:1])
    values = values.astype({"question": int, "criterion": int, "point": int})
    return values.sort_values("rating", kind="stable", ignore_index=True)


def _spread(whole: DataFrame, questions: DataFrame) -> DataFrame:
    """Return ratings of sets as ratings of each of their questions."""
    members = questions.loc[questions["text"].notna(), ["source", "system"]]
    members = members.assign(question=members.index)
    return whole.drop(columns="question").merge(members, on=["source", "system"])


def _first_values(values: DataFrame) -> tuple[DataFrame, dict[int, tuple[str, str]]]:
    """Refuse a second value of a rater: only a set's value may be repeated, in the row of each
    member."""
    again = values.duplicated(ABOUT)
    if not again.any():
        return values, {}
    first = values.groupby(ABOUT)[["point", "row"]].transform("first")
    repeats = again & (values["question"] == NONE) & (values["point"] == first["point"])
    second = values.assign(before=first["point"], before_row=first["row"])[again & ~repeats]
    refused: dict[int, tuple[str, str]] = {}
    for _, rating, rater, row, point in iterate_cells(
        second, "rating", "rater", "before_row", "before"
    ):
        sentence = f"{shorten_line(rater)} rated the same in row {row:,}, as {point}."
        refused[rating] = ("second", sentence)
    return values[~again & ~values["rating"].isin(refused)], refused


def count_excluded(
    ratings: DataFrame,
    lost: Mapping[tuple[str, str], int],
    scales: Mapping[str, StoredScale],
    *,
    excluded: Mapping[int, str],
    already_there: Collection[int],
) -> RatingTally:
    """Return how many ratings are excluded; `excluded` and `already_there` name ratings by their
    numbers, `lost` counts those of which no record was made."""
    criterion = ratings["criterion"]
    read = Counter(criterion.drop(list(already_there)).tolist())
    counts = Counter(
        zip(criterion.reindex(list(excluded)), excluded.values(), strict=True)
    ) + Counter(lost)
    for (name, _why), count in lost.items():
        read[name] += count
    named = Counter[str]()
    named_excluded = Counter[tuple[str, str]]()
    for name, count in read.items():
        named[_name_of(name, scales)] += count
    for (name, why), count in counts.items():
        named_excluded[_name_of(name, scales), why] += count
    return RatingTally(named, named_excluded)


def _name_of(criterion: str, scales: Mapping[str, StoredScale]) -> str:
    scale = scales.get(plain_criterion(criterion))
    return scale.criterion.name if scale else criterion


def _unmapped(
    cells: Sequence[tuple[str, str]],
    readings: Mapping[tuple[str, str], _Reading],
    scales: Mapping[str, StoredScale],
) -> tuple[str, ...]:
    """Return a sentence for each of the first words that are no scale point."""
    words = Counter(pair for pair in cells if readings[pair].is_word)
    sentences = []
    for (criterion, word), count in list(words.items())[:SHOWN_WORDS]:
        ratings = f"{count:,} ratings" if count > 1 else "1 rating"
        scale = scales[plain_criterion(criterion)]
        sentences.append(
            f"{scale.criterion.name}: the word “{shorten_line(word)}” ({ratings}) is no point of the scale "
            f"{scale}. Map it to a point, or exclude it, where the columns are named."
        )
    return tuple(sentences)
