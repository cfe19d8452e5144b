"""Columns of ratings by several raters, known by their shape: names with a common stem that differ
in one number, letter or name, over values of one scale.

`User Score 1` and `User Score 2`, `rater_2` and `rater_3`, `Annotator A` and `Annotator B`,
`clarity (Ann)` and `clarity (Ben)`. What is alike in the names says the criterion, what differs
says who rated.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.imports.readers.columns import RatingColumn
from judging.imports.readers.numbers import is_number

LABELS_OF_A_SCALE = 7  # different answers on a scale of words
POINTS_OF_A_SCALE = 101  # of a scale of numbers: 0 to 100
PIECES_OF_A_NAME = 12  # of a name in which one may be a rater
_PIECE = re.compile(r"[^\W\d_]+|[0-9]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_PEOPLE = {
    "user",
    "rater",
    "annotator",
    "judge",
    "worker",
    "evaluator",
    "expert",
    "reviewer",
    "assessor",
    "participant",
    "coder",
    "ann",
    "annot",
    "person",
    "turker",
    "human",
}
_INITIALS = {"j", "r", "u", "w"}  # judges, raters, users and workers, before a number
_SCORES = {
    "score",
    "rating",
    "judgment",
    "judgement",
    "value",
    "vote",
    "mark",
    "label",
    "by",
    "from",
    "of",
    "no",
    "nr",
}
# What numbered columns are that hold no ratings.
_OTHER = {
    "model",
    "system",
    "question",
    "reference",
    "ref",
    "answer",
    "passage",
    "paragraph",
    "sentence",
    "hypothesis",
    "prediction",
    "output",
    "source",
    "gold",
    "option",
    "choice",
    "id",
    "index",
    "time",
    "date",
    "page",
    "position",
    "rank",
    "token",
    "tokens",
    "length",
    "batch",
    "seed",
    "run",
    "fold",
    "topic",
    "bleu",
    "rouge",
    "meteor",
    "nist",
    "bertscore",
    "chrf",
    "ngram",
    "start",
    "end",
    "offset",
    "column",
    "feature",
    "dim",
    "embedding",
    "key",
}


@dataclass(frozen=True, slots=True)
class _Name:
    """A column's name in pieces."""

    column: str
    pieces: tuple[str, ...]

    @property
    def plain(self) -> tuple[str, ...]:
        return tuple(piece.casefold() for piece in self.pieces)


def families(
    columns: Sequence[str], cells: Mapping[str, Sequence[str]], criteria: Collection[str]
) -> tuple[RatingColumn, ...]:
    """Return the columns that are ratings by several raters, in the order of the file.

    `cells` are a few of each column's values, `criteria` the names of criteria that are known.
    """
    groups = _alike(columns)
    found: dict[str, RatingColumn] = {}
    for (place, alike), members in sorted(
        groups.items(), key=lambda each: _sureness(*each), reverse=True
    ):
        free = [name for name in members if name.column not in found]
        if (
            len(free) > 1
            and _may_be_raters(place, alike, free, criteria)
            and _one_scale(free, cells)
        ):
            found |= {rating.column: rating for rating in _ratings(place, alike, free)}
    return tuple(found[column] for column in columns if column in found)


def may_be_rated(column: str) -> bool:
    """Say whether no word of a column's name says that its numbers are something else than
    ratings."""
    words = {piece.casefold() for piece in _PIECE.findall(_CAMEL.sub(" ", column))}
    return not words & _OTHER


def _alike(columns: Sequence[str]) -> dict[tuple[int, tuple[str, ...]], list[_Name]]:
    """Return the names by what is left of each when one of its pieces is taken out, and at which
    place."""
    groups: dict[tuple[int, tuple[str, ...]], list[_Name]] = {}
    for column in columns:
        name = _Name(column, tuple(_PIECE.findall(_CAMEL.sub(" ", column))))
        for place in range(len(name.pieces) if len(name.pieces) <= PIECES_OF_A_NAME else 0):
            groups.setdefault((place, (*name.plain[:place], *name.plain[place + 1 :])), []).append(
                name
            )
    return groups


def _sureness(group: tuple[int, tuple[str, ...]], members: Sequence[_Name]) -> tuple[bool, int]:
    """Numbers and letters count people sooner than words do; then the larger family is the
    likelier."""
    place, _ = group
    return all(
        len(name.pieces[place]) == 1 or name.pieces[place].isdecimal() for name in members
    ), len(members)


def _may_be_raters(
    place: int, alike: tuple[str, ...], members: Sequence[_Name], criteria: Collection[str]
) -> bool:
    """Say whether what differs may be people, by what is alike: a word for people, a known
    criterion, or with numbers and letters any long word that is not known to be something else."""
    differing = {name.plain[place] for name in members}
    stem = _criterion(alike)
    counted = all(len(each) == 1 or each.isdecimal() for each in differing)
    if len(differing) < len(members) or differing & {*criteria, *_SCORES, *_PEOPLE}:
        return False
    if _PEOPLE.intersection(alike) or (stem in criteria and (counted or not differing & _OTHER)):
        return True
    if _OTHER.intersection(alike) or differing & _OTHER:
        return False
    return bool(_SCORES.intersection(alike)) or (counted and (len(stem) > 3 or stem in _INITIALS))


def _one_scale(members: Sequence[_Name], cells: Mapping[str, Sequence[str]]) -> bool:
    """Say whether the values are of one scale: numbers of a few points in one range, or a few words
    that all use."""
    values = [
        {cell.strip() for cell in cells.get(name.column, ()) if cell.strip()} for name in members
    ]
    given = [each for each in values if each]
    if not given:
        return False
    every = set.union(*given)
    if all(is_number(cell) for cell in every):
        numbers = {float(cell) for cell in every}
        whole = all((2 * number).is_integer() for number in numbers)
        return (
            whole
            and min(numbers) >= -100
            and max(numbers) <= 100
            and len(numbers) <= POINTS_OF_A_SCALE
        )
    shared = len(given) == 1 or any(one & other for one, other in pairwise(given))
    return len(every) <= LABELS_OF_A_SCALE and shared and all(len(cell) <= 30 for cell in every)


def _ratings(
    place: int, alike: tuple[str, ...], members: Sequence[_Name]
) -> Iterator[RatingColumn]:
    criterion = _criterion(alike) or next(
        (word for word in alike if word in ("score", "vote")), "rating"
    )
    if criterion in _INITIALS:
        yield from (
            RatingColumn(column=name.column, criterion="rating", rater=name.column)
            for name in members
        )
        return
    for name in members:
        people = next((piece for piece in name.pieces if piece.casefold() in _PEOPLE), "")
        rater = " ".join(filter(None, (people, name.pieces[place])))
        yield RatingColumn(column=name.column, criterion=criterion, rater=rater)


def _criterion(alike: tuple[str, ...]) -> str:
    return "_".join(
        word
        for word in alike
        if word not in _PEOPLE and word not in _SCORES and not word.isdecimal()
    )
