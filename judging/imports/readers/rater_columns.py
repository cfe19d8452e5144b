"""Columns of ratings by several raters, recognised by their shape: names with a common stem that
differ in one number, letter or name, over values of one scale.

`User Score 1` and `User Score 2`, `rater_2` and `rater_3`, `Annotator A` and `Annotator B`,
`clarity (Ann)` and `clarity (Ben)`, `R1: clarity` and `R2: clarity`. The common part of the names
gives the criterion, the different part the rater. `clarity`, `clarity.1` and `clarity.2` are one
name that occurs three times: pandas and survey tools number it so.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judging.imports.readers.cells import CellCounts, nearly_all
from judging.imports.readers.columns import RatingColumn
from judging.imports.readers.rater_names import (
    PIECES_OF_A_NAME,
    STATISTIC_WORDS,
    is_counted,
    named_as,
    pieces,
)

LABELS_OF_A_SCALE = 7  # distinct answers on a scale of words
POINTS_OF_A_SCALE = 101  # of a scale of numbers: 0 to 100
POINTS_OF_PEOPLE = 11  # of a scale that no name confirms: 0 to 10
END_OF_A_SCALE = 10  # of a scale that no name confirms
SLIDER = 100  # the end of a scale on which decimals are ratings too
_NUMBER_AT_END = re.compile(r"(?P<style>[._]| ?\()(?P<number>[1-9][0-9]?)\)?$")
_LONGEST_END = 5  # characters of the longest number at the end: “ (12)”
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
    "slider",
    "by",
    "from",
    "of",
    "no",
    "nr",
}
# Words in names of numbered columns that hold no ratings.
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
    "seconds",
    "minutes",
    "duration",
    "words",
    "characters",
    "chars",
    "count",
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
    columns: Sequence[str], cells: Mapping[str, CellCounts], criteria: Collection[str]
) -> tuple[RatingColumn, ...]:
    """Return the columns that are ratings by several raters, in the order of the file.

    `cells` are each column's values, `criteria` the known names of criteria.
    """
    groups = _alike(columns)
    found: dict[str, RatingColumn] = {}
    for (place, alike), members in sorted(
        groups.items(), key=lambda each: _sureness(*each), reverse=True
    ):
        free = [name for name in members if name.column not in found]
        named = _may_be_raters(place, alike, free, criteria) if len(free) > 1 else []
        if len(named) > 1:
            fitting = _of_one_scale(place, named, cells, _is_sure(alike, criteria))
            found |= {rating.column: rating for rating in _ratings(place, alike, fitting)}
    for (place, alike), members in sorted(
        groups.items(), key=lambda group: _name_sureness(*group), reverse=True
    ):
        free = [name for name in members if name.column not in found]
        people = _named_by_values(place, alike, free, cells, criteria)
        found |= {rating.column: rating for rating in _ratings(place, alike, people)}
    return tuple(found[column] for column in columns if column in found)


def alone(
    columns: Sequence[str], cells: Mapping[str, CellCounts], criteria: Collection[str]
) -> Iterator[RatingColumn]:
    """Yield the ratings of one annotator under a known criterion and a single letter."""
    for column in columns:
        name = _name(column)
        letters = [piece for piece in name.pieces if len(piece) == 1 and piece.isalpha()]
        if (
            len(name.pieces) > PIECES_OF_A_NAME
            or len(letters) != 1
            or letters[0].casefold() in STATISTIC_WORDS
        ):
            continue
        place = name.pieces.index(letters[0])
        criterion = _criterion((*name.plain[:place], *name.plain[place + 1 :]))
        if criterion in criteria and one_scale([column], cells, is_sure=True):
            yield RatingColumn(column=column, criterion=criterion, rater=letters[0])


def is_confirmed_by_name(rating: RatingColumn, criteria: Collection[str]) -> bool:
    """Return whether a column's name shows that annotators rated: by a known criterion, a word for
    people, or a number or letter that counts them."""
    words = {piece.casefold() for piece in pieces(rating.column)}
    return (
        "@" in rating.column
        or rating.criterion in criteria
        or is_counted(rating.rater)
        or bool(words & (_PEOPLE - {"human"}))
    )


def _of_one_scale(
    place: int, members: Sequence[_Name], cells: Mapping[str, CellCounts], is_sure: bool
) -> list[_Name]:
    """Return the members that are of one scale, if annotators are among them. A mean, a model or a
    word among numbers and letters may have a scale of its own and is checked separately."""
    counted = [name for name in members if is_counted(name.pieces[place])]
    core = [
        name
        for name in (counted if len(counted) > 1 else members)
        if named_as(name.pieces[place]) == "annotator"
    ]
    columns = [name.column for name in core]
    if not one_scale(columns, cells, is_sure):
        return []
    fitting = [
        name
        for name in members
        if name in core
        or one_scale([*columns, name.column], cells, is_sure)
        or (named_as(name.pieces[place]) == "llm_judge" and cells[name.column].has_numbers)
    ]
    return fitting if len(fitting) > 1 else []


def repeated(
    columns: Sequence[str], cells: Mapping[str, CellCounts], criteria: Collection[str]
) -> tuple[RatingColumn, ...]:
    """Return the columns of one name that occurs several times, numbered from its second: each
    holds the ratings of one annotator.

    If the numbers start at 1 after an underscore (`x`, `x_1`, `x_2`), the first column may be the
    mean of the others: it is excluded if it has decimals and they have none.
    """
    numbered: dict[tuple[str, str], dict[int, str]] = defaultdict(dict)
    for column in columns:
        match = _NUMBER_AT_END.search(column[-_LONGEST_END:])
        stem = column.removesuffix(match[0]) if match else ""
        if match and stem in columns and any(map(str.isalpha, stem)):
            numbered[stem, match["style"]][int(match["number"])] = column
    found = []
    for (stem, style), others in numbered.items():
        ordered = [others[number] for number in sorted(others)]
        consecutive = range(min(others), min(others) + len(others))
        words = _Name(stem, tuple(pieces(stem))).plain
        if (
            min(others) > 2
            or sorted(others) != list(consecutive)
            or _OTHER.intersection(words)
            or (style == "_" and cells[stem].has_decimals and not cells[ordered[0]].has_decimals)
            or not one_scale([stem, *ordered], cells, _is_sure(words, criteria))
        ):
            continue
        criterion = _criterion(words) or "rating"
        found += [
            RatingColumn(column=column, criterion=criterion, rater=str(place))
            for place, column in enumerate([stem, *ordered], 1)
        ]
    return tuple(found)


def may_be_rated(column: str) -> bool:
    """Return whether no word of a column's name shows that its numbers are something other than
    ratings."""
    words = {piece.casefold() for piece in pieces(column)}
    return not words & _OTHER


def _alike(columns: Sequence[str]) -> dict[tuple[int, tuple[str, ...]], list[_Name]]:
    """Return the names grouped by the place of one piece and the rest of the name without that
    piece."""
    groups: dict[tuple[int, tuple[str, ...]], list[_Name]] = {}
    for column in columns:
        name = _name(column)
        for place in range(len(name.pieces) if len(name.pieces) <= PIECES_OF_A_NAME else 0):
            groups.setdefault((place, (*name.plain[:place], *name.plain[place + 1 :])), []).append(
                name
            )
    return groups


def _name(column: str) -> _Name:
    """Return a column's name in pieces; a full name in brackets or before a colon is one piece."""
    before, colon, after = column.partition(":")
    if colon and _is_full_name(before):
        return _Name(column, (before.strip(), *pieces(after)))
    stem, bracket, inside = column.rstrip().removesuffix(")").rpartition("(")
    if bracket and column.rstrip().endswith(")") and _is_full_name(inside):
        return _Name(column, (*pieces(stem), inside.strip()))
    return _Name(column, tuple(pieces(column)))


def _is_full_name(text: str) -> bool:
    """Return whether a text is two or three capitalised words or initials, none with another known
    meaning."""
    words = pieces(text)
    known = _PEOPLE | _SCORES | _OTHER | STATISTIC_WORDS.keys()
    return 1 < len(words) <= 3 and all(
        word.isalpha() and word[0].isupper() and word.casefold() not in known for word in words
    )


def _sureness(group: tuple[int, tuple[str, ...]], members: Sequence[_Name]) -> tuple[bool, int]:
    """Return a sort key: numbers and letters count people more likely than words do; then the
    larger family is likelier."""
    place, _ = group
    return all(
        len(name.pieces[place]) == 1 or name.pieces[place].isdecimal() for name in members
    ), len(members)


def _may_be_raters(
    place: int, alike: tuple[str, ...], members: Sequence[_Name], criteria: Collection[str]
) -> list[_Name]:
    """Return the names whose different part may be people, judging by the common part: a word for
    people, a known criterion, or, for numbers and letters, any long word without another known
    meaning. There are none if two names are equal."""
    stem = _criterion(alike)
    about_people = bool(_PEOPLE.intersection(alike))
    others = {*criteria, *_SCORES, *_PEOPLE} - {"ann"}  # who may be called so
    others |= set() if about_people else _OTHER
    named = [
        name
        for name in members
        if name.plain[place] not in others or named_as(name.plain[place]) == "adjudicated"
    ]
    differing = {name.plain[place] for name in named}
    if len(differing) < len(named):
        return []
    if about_people or stem in criteria:
        return named
    if _OTHER.intersection(alike):
        return []
    if _SCORES.intersection(alike):
        return named
    if len(stem) <= 3 and stem not in _INITIALS:
        return []
    return [
        name
        for name in named
        if is_counted(name.plain[place]) or named_as(name.plain[place]) != "annotator"
    ]


def _name_sureness(
    place_and_alike: tuple[int, tuple[str, ...]], members: Sequence[_Name]
) -> tuple[bool, bool, int]:
    """Return a sort key: of two places that may hold a personal name, the one in capitals, in
    brackets or before a colon is likelier, then the later one."""
    place, _ = place_and_alike
    rest = [
        piece for name in members for piece in (*name.pieces[:place], *name.pieces[place + 1 :])
    ]
    is_capital = all(name.pieces[place][0].isupper() for name in members)
    return (
        all(_is_set_off(name.column, name.pieces[place]) for name in members),
        is_capital and not any(piece[0].isupper() for piece in rest),
        place,
    )


def _is_set_off(column: str, piece: str) -> bool:
    return column.startswith(f"{piece}:") or column.rstrip().endswith(f"({piece})")


def _named_by_values(
    place: int,
    alike: tuple[str, ...],
    members: Sequence[_Name],
    cells: Mapping[str, CellCounts],
    criteria: Collection[str],
) -> list[_Name]:
    """Return the names that differ in a word which may be a personal name, if their values are
    whole numbers of one scale of few points."""
    stem = _criterion(alike)
    known = {*criteria, *_SCORES, *_PEOPLE, *_OTHER, *STATISTIC_WORDS}
    counts = _OTHER | STATISTIC_WORDS.keys() | {"number"}
    if (stem.isascii() and len(stem) <= 3) or counts.intersection(alike):
        return []
    people = [
        name
        for name in members
        if (len(name.pieces[place]) > 1 or not name.pieces[place].isascii())
        and name.plain[place] not in known
        and not any(sign.isdecimal() for sign in name.pieces[place])
        and named_as(name.pieces[place]) == "annotator"
        and _are_few_points(cells[name.column])
    ]
    differing = {name.plain[place] for name in people}
    columns = [cells[name.column].numbers for name in people]
    is_family = 1 < len(people) == len(differing) and _share_a_scale(columns)
    return people if is_family else []


def _share_a_scale(columns: Sequence[Counter[float]]) -> bool:
    """Return whether columns have 3 to 11 different numbers, and most cells of each a number that
    another column has too."""
    columns_with = Counter(number for numbers in columns for number in numbers)
    points = [number for number in columns_with if number.is_integer()]
    if not 2 < len(points) <= POINTS_OF_PEOPLE:
        return False
    for numbers in columns:
        shared = sum(count for number, count in numbers.items() if columns_with[number] > 1)
        if 2 * shared <= numbers.total():
            return False
    return True


def _are_few_points(counts: CellCounts) -> bool:
    """Return whether nearly all values are whole numbers of a usual scale."""
    whole = sum(
        count
        for number, count in counts.numbers.items()
        if number.is_integer() and abs(number) <= END_OF_A_SCALE
    )
    return nearly_all(whole, counts.total)


def _is_sure(alike: Sequence[str], criteria: Collection[str]) -> bool:
    """Return whether the names themselves contain people, ratings or a known criterion."""
    return bool((_PEOPLE | _SCORES).intersection(alike) or _criterion(tuple(alike)) in criteria)


def one_scale(members: Sequence[str], cells: Mapping[str, CellCounts], is_sure: bool) -> bool:
    """Return whether nearly all values are of one scale: numbers of a few points in one range, or a
    few words used in all columns. In certain rating columns, decimals up to 100 are a slider's."""
    given = [counts for name in members if (counts := cells[name]).total]
    if not given:
        return False
    if all(counts.has_numbers for counts in given):
        return _are_points(given) or (is_sure and _is_slider(given))
    shared = len(given) == 1 or any(
        one.values.keys() & other.values.keys() for one, other in pairwise(given)
    )
    return shared and all(map(_are_few_words, given))


def _are_points(given: Sequence[CellCounts]) -> bool:
    """Return whether nearly all numbers of each column are whole or half, and those few."""
    points: set[float] = set()
    for counts in given:
        of_column = {
            number: count
            for number, count in counts.numbers.items()
            if (2 * number).is_integer() and -SLIDER <= number <= SLIDER
        }
        if not nearly_all(sum(of_column.values()), counts.total):
            return False
        points.update(of_column)
    return len(points) <= POINTS_OF_A_SCALE


def _is_slider(given: Sequence[CellCounts]) -> bool:
    return max(max(counts.numbers) for counts in given) >= SLIDER / 2 and all(
        nearly_all(
            sum(count for number, count in counts.numbers.items() if 0 <= number <= SLIDER),
            counts.numbers.total(),
        )
        for counts in given
    )


def _are_few_words(counts: CellCounts) -> bool:
    words = Counter({word: count for word, count in counts.values.items() if len(word) <= 30})
    usual = sum(count for _, count in words.most_common(LABELS_OF_A_SCALE))
    return nearly_all(usual, counts.total)


def _ratings(
    place: int, alike: tuple[str, ...], members: Sequence[_Name]
) -> Iterator[RatingColumn]:
    criterion = _criterion(alike) or next(
        (word for word in alike if word in ("score", "vote")), "rating"
    )
    initial = alike[place - 1] if place and alike[place - 1] in _INITIALS else ""
    if initial:
        others = (*alike[: place - 1], *alike[place:])
        for name in members:
            rater = name.pieces[place - 1] + name.pieces[place]
            yield RatingColumn(
                column=name.column, criterion=_criterion(others) or "rating", rater=rater
            )
        return
    for name in members:
        others = (*name.pieces[:place], *name.pieces[place + 1 :])
        people = next((piece for piece in others if piece.casefold() in _PEOPLE), "")
        rater = " ".join(filter(None, (people, name.pieces[place])))
        yield RatingColumn(column=name.column, criterion=criterion, rater=rater)


def _criterion(alike: tuple[str, ...]) -> str:
    return "_".join(
        word
        for word in alike
        if word not in _PEOPLE and word not in _SCORES and not word.isdecimal()
    )
