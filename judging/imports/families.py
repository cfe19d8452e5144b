"""Columns of ratings by several people, found by a common stem and the same small set of values.

`User Score 1` and `User Score 2`, `Rel_1` and `Rel_2`, `clarity (Ann)` and `clarity (Ben)`: the common
part of the names gives the criterion, the different part the rater. `clarity`, `clarity.1` and
`clarity.2` are one name that occurs three times: pandas and survey tools number it so.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from judging.imports.facts import MOST, Facts, are_of_one_scale
from judging.imports.texts import as_number
from judging.imports.vocabulary import (
    is_adjudicated,
    is_criterion,
    is_model,
    pieces,
    statistic,
    vocabulary,
)

_REPEATED = re.compile(r"(?:[._]| ?\()(?P<number>[1-9][0-9]?)\)?$")
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


def families(
    free: Sequence[Facts],
    *,
    has_mean: Callable[[Facts, Sequence[Facts]], bool],
    others: Sequence[str],
) -> list[Rated]:
    """Return the columns that hold the ratings of one person each, in the order of the file.

    `has_mean` says whether a column equals the mean of others; `others` are the names of the other
    columns of the table.
    """
    usable = [each for each in free if each.total and len(each.words) <= 12]
    found: dict[str, Rated] = {each.column: each for each in _named_with_at(usable)}
    has_capitals = any(name[:1].isupper() for name in others)
    for rated in _repeated_names(usable, has_mean):
        found.setdefault(rated.column, rated)
    groups = sorted(_groups(usable).items(), key=lambda group: _sureness(*group), reverse=True)
    for (place, rest), members in groups:
        left = [part for part in members if part.facts.name not in found]
        for rated in _family(place, rest, left, has_mean, has_capitals):
            found[rated.column] = rated
    for rated in _beside_families(usable, found):
        found[rated.column] = rated
    return [found[each.name] for each in free if each.name in found]


def _named_with_at(columns: Sequence[Facts]) -> Iterator[Rated]:
    """Yield columns named `criterion@rater`."""
    for each in columns:
        criterion, at, rater = (part.strip() for part in each.name.partition("@"))
        if at and criterion and rater and "." not in rater:
            yield Rated(
                each.name, criterion, rater, "Its name gives the criterion and the annotator."
            )


def _repeated_names(
    columns: Sequence[Facts], has_mean: Callable[[Facts, Sequence[Facts]], bool]
) -> Iterator[Rated]:
    """Yield the columns of one name that occurs several times, numbered from its second."""
    by_name = {each.name: each for each in columns}
    numbered: dict[str, dict[int, Facts]] = {}
    for each in columns:
        match = _REPEATED.search(each.name)
        stem = each.name[: match.start()] if match else ""
        if match and stem in by_name and any(map(str.isalpha, stem)):
            numbered.setdefault(stem, {})[int(match["number"])] = each
    for stem, others in numbered.items():
        rest = [others[number] for number in sorted(others)]
        same = [by_name[stem], *rest]
        consecutive = list(range(min(others), min(others) + len(others)))
        if sorted(others) != consecutive or min(others) > 2 or _holds_no_ratings(same[0].words):
            continue
        if len(rest) > 1 and has_mean(same[0], rest):
            continue
        if are_of_one_scale(same, is_sure=is_criterion(stem)):
            criterion = _criterion(same[0].words) or _PLACEHOLDER
            why = f"“{stem}” occurs {len(same)} times: one column for each annotator."
            for number, each in enumerate(same, 1):
                yield Rated(each.name, criterion, str(number), why)


def _groups(columns: Sequence[Facts]) -> dict[tuple[int, Rest], list[_Part]]:
    """Return the columns grouped by the place of one piece and the rest of the name without it."""
    groups: dict[tuple[int, Rest], list[_Part]] = {}
    for each in columns:
        parts, number = _without_round(_parts(each.name))
        plain = tuple(part.casefold() for part in parts)
        for place, piece in enumerate(parts):
            rest = (*plain[:place], *plain[place + 1 :])
            groups.setdefault((place, rest), []).append(_Part(each, piece, number))
    return groups


def _parts(name: str) -> list[str]:
    """Return the pieces of a name; a full name in brackets or before a colon is one piece. A name
    that was opened from an object, as in `gen.score`, counts without its owner."""
    owner, dot, inner = name.partition(".")
    if dot and owner and not inner.strip().isdecimal():
        name = inner
    before, colon, after = name.partition(":")
    if colon and _is_full_name(before):
        return [before.strip(), *pieces(after)]
    stem, bracket, inside = name.rstrip().removesuffix(")").rpartition("(")
    if bracket and name.rstrip().endswith(")") and _is_full_name(inside):
        return [*pieces(stem), inside.strip()]
    return pieces(name)


def _is_full_name(text: str) -> bool:
    found = pieces(text)
    return 1 < len(found) <= 3 and all(each.isalpha() and each[0].isupper() for each in found)


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
    counted = all(len(part.piece) == 1 or part.piece.isdecimal() for part in members)
    return is_criterion(_criterion(rest)), counted, len(members), place


def _family(
    place: int,
    rest: Rest,
    members: Sequence[_Part],
    has_mean: Callable[[Facts, Sequence[Facts]], bool],
    has_capitals: bool,
) -> list[Rated]:
    """Return the ratings in the columns of a group, none if it is no family of people."""
    people, named = set(vocabulary()["people"]), _persons(rest, members)
    core = [
        part.facts for part in named if not (is_model(part.piece) or is_adjudicated(part.piece))
    ]
    criterion = _criterion(rest) or _PLACEHOLDER
    is_sure = bool(people.intersection(rest)) or is_criterion(criterion) or _is_scored(rest)
    counted = all(len(part.piece) == 1 or part.piece.isdecimal() for part in named)
    if len(core) < 2 or not are_of_one_scale(core, is_sure=is_sure):
        return []
    if not (is_sure or counted) and not _look_like_people(named, rest, has_capitals=has_capitals):
        return []
    means = [e for e in core if len(core) > 2 and has_mean(e, [o for o in core if o is not e])]
    why = _why([each for each in core if each not in means], criterion)
    return [
        Rated(part.facts.name, criterion, _rater(part, place, rest, people), why, part.round)
        for part in named
        if part.facts not in means
    ]


def _persons(rest: Rest, members: Sequence[_Part]) -> list[_Part]:
    """Return the columns of a group that may name one person each; none if the names have no two
    people, or are about something else than ratings."""
    counts = statistic(" ".join(rest)) in ("number of ratings", "sum")
    is_about_people = not set(vocabulary()["people"]).isdisjoint(rest)
    if (_holds_no_ratings(rest) or counts) and not is_about_people:
        return []
    named = [part for part in members if not _is_no_person(part.piece, rest)]
    raters = [(part.piece.casefold(), part.round) for part in named]
    several = len(set(raters)) == len(raters) and len({name for name, _ in raters}) > 1
    return named if several else []


def _holds_no_ratings(words: Sequence[str]) -> bool:
    return not set(vocabulary()["not_ratings"]).isdisjoint(words)


def _is_scored(words: Sequence[str]) -> bool:
    return not set(vocabulary()["scores"]).isdisjoint(words)


def _is_no_person(piece: str, rest: Rest) -> bool:
    """Return whether a piece of a name is a criterion, a statistic or a word that names nobody."""
    plain = piece.casefold()
    is_letter = len(piece) == 1 or piece.isdecimal()
    if is_letter or is_adjudicated(piece):
        return False
    words = {*vocabulary()["scores"], *vocabulary()["people"]} - {"ann"}
    if not set(vocabulary()["people"]).intersection(rest):
        words |= set(vocabulary()["not_ratings"])
    return is_criterion(piece) or bool(statistic(piece)) or plain in words


def _look_like_people(named: Sequence[_Part], rest: Rest, *, has_capitals: bool) -> bool:
    """Return whether the differing words of a family may be names of people, on a scale of more
    than two points; names alone are capitalised in a table whose other columns are not."""
    points = set().union(*(part.facts.counts for part in named))
    capital = all(part.piece[0].isupper() or not part.piece.isascii() for part in named)
    lower_rest = all(
        not part.facts.name[:1].isupper() or part.facts.name.startswith(part.piece)
        for part in named
    )
    words = all(not any(sign.isdecimal() for sign in part.piece) for part in named)
    if not rest:
        return len(points) > 2 and words and capital and not has_capitals
    return len(points) > 2 and words and (capital or lower_rest)


def _criterion(words: Sequence[str]) -> str:
    """Return the criterion in the words of a name, without words for people and scores."""
    others = {*vocabulary()["people"], *vocabulary()["scores"]}
    kept = [word for word in words if word not in others and not word.isdecimal()]
    initials = {"a", "j", "r", "u", "w"}  # annotators, judges, raters, users, workers
    return "_".join(word for word in kept if word not in initials or len(kept) > 2)


def _rater(part: _Part, place: int, rest: Rest, people: set[str]) -> str:
    """Return the name of the person: the differing piece, with the word for people beside it."""
    words = _without_round(_parts(part.facts.name))[0]
    before = words[place - 1] if place else ""
    if part.piece.isdecimal() and len(before) == 1 and before.isalpha():
        return before + part.piece
    beside = next((word for word in words if word.casefold() in people), "")
    return " ".join(filter(None, (beside if beside != part.piece else "", part.piece)))


def _why(core: Sequence[Facts], criterion: str) -> str:
    named = ", ".join(f"“{each.name}”" for each in core[:4])
    numbers = sorted(set().union(*(each.numbers for each in core)))
    about = f", with numbers from {numbers[0]:g} to {numbers[-1]:g}" if numbers else ""
    sentence = f"{named} hold “{criterion}” by {len(core):,} annotators{about}."
    if criterion == _PLACEHOLDER:
        sentence += " The file does not name the criterion."
    return sentence


def _beside_families(columns: Sequence[Facts], found: dict[str, Rated]) -> Iterator[Rated]:
    """Yield columns of a language model or an adjudication on a criterion that people rated, and
    the ratings of one person under a known criterion and a single letter."""
    criteria = {each.criterion for each in found.values()}
    for each in columns:
        if each.name in found:
            continue
        if judged := _judged(each, criteria):
            yield judged
            continue
        letters = [word for word in pieces(each.name) if len(word) == 1 and word.isalpha()]
        rest = tuple(word for word in each.words if word not in [x.casefold() for x in letters])
        is_named = len(letters) == 1 and is_criterion(_criterion(rest))
        if is_named and not statistic(letters[0]) and are_of_one_scale([each], is_sure=True):
            why = "Its name gives a criterion and a letter for the annotator."
            yield Rated(each.name, _criterion(rest), letters[0], why)


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


def mean_of(column: Facts, others: Sequence[Facts]) -> tuple[int, int] | None:
    """Return in how many rows a column equals the mean of others, and of how many; None unless it
    nearly always does, up to rounding."""
    if column in others or not column.is_numeric or len(others) < 2:
        return None
    values = column.values()
    ratings = pd.DataFrame({each.name: each.values() for each in others})
    means = ratings.mean(axis=1)
    both = values.notna() & (ratings.notna().sum(axis=1) > 1)
    if both.sum() < 3:
        return None
    plain = [as_number(value, column.written) for value in column.counts]
    written = [value.partition(".")[2] for value in plain if "." in value]
    decimals = max((len(part.rstrip("0")) for part in written), default=0)
    # half a unit of the last decimal: halves are rounded in both ways
    near = (values - means).abs() <= 0.5 * 10.0**-decimals + 1e-9
    equal, rows = int((near & both).sum()), int(both.sum())
    if decimals == 0 and statistic(column.name) != "mean":
        return None
    return _enough(equal, rows)


def _enough(equal: int, rows: int) -> tuple[int, int] | None:
    return (equal, rows) if equal >= MOST * rows else None
