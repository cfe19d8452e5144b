"""Columns of ratings by several people, found by a common stem and the same small set of values.

`User Score 1` and `User Score 2`, `Rel_1` and `Rel_2`, `clarity (Ann)` and `clarity (Ben)`: the common
part of the names gives the criterion, the different part the rater. `clarity`, `clarity.1` and
`clarity.2` are one name that occurs three times: pandas and survey tools number it so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from judging.formats.facts import MOST, Facts, are_of_one_scale
from judging.formats.vocabulary import (
    is_adjudicated,
    is_criterion,
    is_model,
    pieces,
    statistic,
    vocabulary,
)

_REPEATED = re.compile(r"(?:[._]| ?\()(?P<number>[1-9][0-9]?)\)?")
_FULL_NAME = re.compile(r"\(([^\W\da-z_]\w+(?: [^\W\da-z_]\w+){1,2})\)$")
_PLACEHOLDER = "rating"  # the criterion of ratings whose name the file does not give


@dataclass(frozen=True)
class Rated:
    """A column of ratings by one person on one criterion, with the reason."""

    column: str
    criterion: str
    rater: str
    why: str
    round: int = 1


class _Part(NamedTuple):
    """A column whose name differs from others in one piece."""

    facts: Facts
    piece: str
    round: int


Rest = tuple[str, ...]  # the other pieces of a name


def find_rater_columns(free: Sequence[Facts], others: Sequence[str]) -> list[Rated]:
    """Return the columns that hold the ratings of one person each, in the order of the file.

    `others` are the names of the other columns of the table.
    """
    usable = [each for each in free if each.total and len(each.words) <= 12]
    found = {each.column: each for each in _named_with_at(usable)}
    has_capitals = any(name[:1].isupper() for name in others)
    for rated in _repeated_names(usable):
        found.setdefault(rated.column, rated)
    groups = sorted(_groups(usable).items(), key=lambda group: _sureness(*group), reverse=True)
    for (place, rest), members in groups:
        left = [part for part in members if part.facts.name not in found]
        for rated in _family(place, rest, left, has_capitals=has_capitals):
            found[rated.column] = rated
    found |= {judged.column: judged for judged in _judges(usable, found)}
    return [found[each.name] for each in free if each.name in found]


def _named_with_at(columns: Sequence[Facts]) -> Iterator[Rated]:
    """Yield columns named `criterion@rater`."""
    for column in columns:
        criterion, at, rater = (part.strip() for part in column.name.partition("@"))
        if at and criterion and rater and "." not in rater:
            yield Rated(
                column.name, criterion, rater, "Its name gives the criterion and the annotator."
            )


def _repeated_names(columns: Sequence[Facts]) -> Iterator[Rated]:
    """Yield the columns of one name that occurs several times, numbered from its second."""
    for first in columns:
        others = _numbered(first.name, columns)
        same = [first, *others]
        if not others or _are_named(first.words, "not_ratings") or count_mean_rows(first, others):
            continue
        if are_of_one_scale(same, is_sure=is_criterion(first.name)):
            criterion = _criterion(first.words) or _PLACEHOLDER
            why = f"“{first.name}” occurs {len(same)} times: one column for each annotator."
            for number, each in enumerate(same, 1):
                yield Rated(each.name, criterion, str(number), why)


def _numbered(stem: str, columns: Sequence[Facts]) -> list[Facts]:
    """Return the columns of this name and a number, in order; none unless the numbers are
    consecutive from 1 or 2."""
    numbered: dict[int, Facts] = {}
    for column in columns:
        is_like = column.name.startswith(stem)
        if is_like and (match := _REPEATED.fullmatch(column.name, len(stem))):
            numbered[int(match["number"])] = column
    first, last = min(numbered, default=1), max(numbered, default=0)
    if first > 2 or last - first + 1 > len(numbered):
        return []
    return [numbered[number] for number in range(first, last + 1)]


def _groups(columns: Sequence[Facts]) -> dict[tuple[int, Rest], list[_Part]]:
    """Return the columns grouped by the place of one piece and the rest of the name without it."""
    groups: dict[tuple[int, Rest], list[_Part]] = {}
    for column in columns:
        parts, number = _without_round(_parts(column.name))
        plain = tuple(part.casefold() for part in parts)
        for place, piece in enumerate(parts):
            rest = (*plain[:place], *plain[place + 1 :])
            groups.setdefault((place, rest), []).append(_Part(column, piece, number))
    return groups


def _parts(name: str) -> list[str]:
    """Return the pieces of a name, without the owner of one opened from an object (`gen.score`); a
    full name in brackets is one piece."""
    owner, dot, inner = name.partition(".")
    if dot and owner and not inner.strip().isdecimal():
        name = inner
    if match := _FULL_NAME.search(name):
        return [*pieces(name[: match.start()]), match[1]]
    return pieces(name)


def _without_round(parts: list[str]) -> tuple[list[str], int]:
    """Return the pieces without a round such as `round 2`, and its number."""
    for place, part in enumerate(parts[:-1]):
        if part.casefold() in vocabulary()["rounds"] and parts[place + 1].isdecimal():
            return [*parts[:place], *parts[place + 2 :]], int(parts[place + 1])
    return parts, 1


def _sureness(group: tuple[int, Rest], members: Sequence[_Part]) -> tuple[bool, bool, int, int]:
    """Return a sort key: a known criterion beside the differing piece, and numbers and letters as
    such, are the surest; then the larger family and the later piece."""
    place, rest = group
    return is_criterion(_criterion(rest)), _are_counted(members), len(members), place


def _are_counted(members: Sequence[_Part]) -> bool:
    """Return whether names differ in a number or a letter."""
    return all(len(part.piece) == 1 or part.piece.isdecimal() for part in members)


def _family(
    place: int, rest: Rest, members: Sequence[_Part], *, has_capitals: bool
) -> Iterator[Rated]:
    """Yield the ratings in the columns of a group, none if it is no family of people."""
    named = _persons(rest, members)
    core = [
        part.facts for part in named if not (is_model(part.piece) or is_adjudicated(part.piece))
    ]
    criterion = _criterion(rest) or _PLACEHOLDER
    is_sure = _are_named(rest, "people", "scores") or is_criterion(criterion)
    if len(core) < 2 or not are_of_one_scale(core, is_sure=is_sure):
        return
    if is_sure or _are_counted(named) or _look_like_people(named, rest, has_capitals=has_capitals):
        means = [each for each in core if count_mean_rows(each, core)]
        why = _why([each for each in core if each not in means], criterion)
        for part in named:
            if part.facts not in means:
                rater = _rater(part, place)
                yield Rated(part.facts.name, criterion, rater, why, part.round)


def _persons(rest: Rest, members: Sequence[_Part]) -> list[_Part]:
    """Return the columns of a group that may name one person each; none if the names have no two
    people, or are about something else than ratings."""
    is_count = statistic(" ".join(rest)) in ("number of ratings", "sum")
    if not _are_named(rest, "people") and (is_count or _are_named(rest, "not_ratings")):
        return []
    named = [part for part in members if not _is_no_person(part.piece, rest)]
    raters = [(part.piece.casefold(), part.round) for part in named]
    several = len(set(raters)) == len(raters) and len({name for name, _ in raters}) > 1
    return named if several else []


def _are_named(words: Sequence[str], *kinds: str) -> bool:
    """Return whether a word of a name is one of these kinds of the vocabulary."""
    return any(not set(vocabulary()[kind]).isdisjoint(words) for kind in kinds)


def _is_no_person(piece: str, rest: Rest) -> bool:
    """Return whether a piece of a name is a criterion, a statistic or a word that names nobody."""
    if len(piece) == 1 or piece.isdecimal() or is_adjudicated(piece):
        return False
    kinds = (
        ["scores", "people"] if _are_named(rest, "people") else ["scores", "people", "not_ratings"]
    )
    is_word = piece.casefold() != "ann" and _are_named([piece.casefold()], *kinds)
    return is_word or is_criterion(piece) or bool(statistic(piece))


def _look_like_people(named: Sequence[_Part], rest: Rest, *, has_capitals: bool) -> bool:
    """Return whether the differing words of a family may be names of people, on a scale of more
    than two points; names alone are capitalised in a table whose other columns are not."""
    points = set().union(*(part.facts.counts for part in named))
    if len(points) < 3 or any(sign.isdecimal() for part in named for sign in part.piece):
        return False
    if all(part.piece[0].isupper() or not part.piece.isascii() for part in named):
        return bool(rest) or not has_capitals
    return bool(rest) and not any(
        part.facts.name[0].isupper() and not part.facts.name.startswith(part.piece)
        for part in named
    )


def _criterion(words: Sequence[str]) -> str:
    """Return the criterion in the words of a name, without words for people and scores."""
    others = {*vocabulary()["people"], *vocabulary()["scores"]}
    kept = [word for word in words if word not in others and not word.isdecimal()]
    initials = {"a", "j", "r", "u", "w"}  # annotators, judges, raters, users, workers
    return "_".join(word for word in kept if word not in initials or len(kept) > 2)


def _rater(part: _Part, place: int) -> str:
    """Return the name of the person: the differing piece, with the word for people beside it."""
    words = _without_round(_parts(part.facts.name))[0]
    before = words[place - 1] if place else ""
    if part.piece.isdecimal() and len(before) == 1 and before.isalpha():
        return before + part.piece
    beside = next((word for word in words if _are_named([word.casefold()], "people")), "")
    return part.piece if beside in ("", part.piece) else f"{beside} {part.piece}"


def _why(core: Sequence[Facts], criterion: str) -> str:
    named = ", ".join(f"“{each.name}”" for each in core[:4])
    sentence = f"{named} hold “{criterion}” by {len(core):,} annotators."
    if criterion == _PLACEHOLDER:
        sentence += " The file does not name the criterion."
    return sentence


def _judges(columns: Sequence[Facts], found: dict[str, Rated]) -> Iterator[Rated]:
    """Yield columns of a language model or an adjudication on a criterion that people rated."""
    criteria = {each.criterion for each in found.values()}
    for column in columns:
        if column.name not in found and (judged := _judged(column, criteria)):
            yield judged


def _judged(column: Facts, criteria: set[str]) -> Rated | None:
    """Return the ratings by a language model or an adjudication, on one of these criteria or a
    known one; None if the name means neither."""
    name, words = column.name, column.words
    if _PLACEHOLDER in criteria and (is_model(name) or is_adjudicated(name)):
        return Rated(name, _PLACEHOLDER, name, "")
    parts = [words[:n] for n in range(1, len(words))] + [words[n:] for n in range(1, len(words))]
    for criterion in (*criteria, *filter(is_criterion, map("_".join, parts))):
        pattern = r"[\W_]*".join(map(re.escape, criterion.split("_")))
        rater = re.sub(pattern, "", name, count=1, flags=re.I).strip(" _-:.()[]")
        is_about = set(criterion.split("_")) <= set(words)
        if is_about and rater and (is_model(rater) or is_adjudicated(rater)):
            return Rated(name, criterion, rater, "")
    return None


def count_mean_rows(column: Facts, others: Sequence[Facts]) -> tuple[int, int] | None:
    """Return in how many rows a column equals the mean of others, and of how many; None unless it
    nearly always does, up to rounding."""
    others = [other for other in others if other is not column]
    if len(others) < 2 or not column.is_numeric:
        return None
    decimals = max(_decimals(number) for number in column.numbers)
    if decimals == 0 and statistic(column.name) != "mean":
        return None
    ratings = pd.DataFrame({other.name: other.values() for other in others})
    several = ratings.notna().sum(axis=1) > 1
    errors = (column.values() - ratings.mean(axis=1))[several].abs().dropna()
    # half a unit of the last decimal: halves are rounded in both ways
    equal, rows = int((errors <= 0.5 * 10.0**-decimals + 1e-9).sum()), len(errors)
    return (equal, rows) if rows > 2 and equal >= MOST * rows else None


def _decimals(number: float) -> int:
    """Return how many decimals a number has.

    >>> _decimals(2.0), _decimals(2.75)
    (0, 2)
    """
    return len(f"{number:.10g}".partition(".")[2])
