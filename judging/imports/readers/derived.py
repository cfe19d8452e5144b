"""Columns, and raters of long tables, whose values are a statistic of annotators' ratings.

Each is compared with every statistic of its family in every row; a name alone decides nothing.
Statistics are of the ratings in a row: blank cells do not count.
"""

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from statistics import median

from judging.imports.readers.cells import MISSING_WORDS, number_in
from judging.imports.readers.numbers import with_point
from judging.imports.readers.rater_names import named_as, named_statistic

DERIVED_SHARE = 0.95  # share of the rows in which a column must equal a statistic
_UNUSUAL_SHARE = 0.8  # share of the rows whose value is not the column's most common one
_TRIED_ROWS = 100  # after which a column is dropped that equals no statistic in half of them
_DECIMALS = 6
_SHOWN = 3  # columns of a family that a sentence names
_AS_TEXT = ("mode", "largest mode", "majority", "unanimous")
_LABELS = {
    "mean": "the mean",
    "median": "the median",
    "mode": "the mode",
    "largest mode": "the mode",
    "majority": "the majority vote",
    "sum": "the sum",
    "count": "the number of ratings",
    "minimum": "the minimum",
    "maximum": "the maximum",
    "standard deviation": "the standard deviation",
    "population standard deviation": "the standard deviation",
    "agreement": "the agreement",
    "share of the mode": "the agreement",
    "unanimous": "the agreement",
}
_ORDER = {name: place for place, name in enumerate(_LABELS)}
_ROUNDED = {
    "mean",
    "median",
    "standard deviation",
    "population standard deviation",
    "agreement",
    "share of the mode",
}
_PERCENT = {"agreement", "share of the mode"}
_TRUTH = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_TIED = {"tie", "tied", "no majority"}

Family = tuple[str, ...]
Rule = tuple[str, str]  # a statistic, and how it is rounded


@dataclass(frozen=True, slots=True)
class Derivation:
    """A statistic that values are equal to, its family, and the number of rows."""

    statistic: str
    family: Family
    equal: int
    rows: int

    def of_column(self, column: str) -> str:
        """Return the sentence that the columns page shows beside the column."""
        return (
            f"“{column}” is {_LABELS[self.statistic]} of {named(self.family)} "
            f"in {self.equal:,} of {self.rows:,} rows: excluded."
        )

    def of_rater(self, rater: str) -> str:
        """Return the sentence that the columns page shows beside the rater."""
        others = "annotator" if len(self.family) == 1 else f"{len(self.family):,} annotators"
        return (
            f"“{rater}” is {_LABELS[self.statistic]} of the other {others} "
            f"in {self.equal:,} of {self.rows:,} cases: excluded."
        )


def named(columns: Sequence[str]) -> str:
    """Return the names of a few columns, and how many more there are.

    >>> named(("x_A", "x_B")), named(("a", "b", "c", "d", "e"))
    ('“x_A” and “x_B”', '“a”, “b”, “c” and 2 more')
    """
    quoted = [f"“{column}”" for column in columns]
    if len(quoted) > _SHOWN + 1:
        quoted = [*quoted[:_SHOWN], f"{len(quoted) - _SHOWN:,} more"]
    return " and ".join(filter(None, [", ".join(quoted[:-1]), quoted[-1]]))


class _Comparison:
    """Counts of how often one column equals each statistic of one family."""

    def __init__(self, usual: str, decimals: int) -> None:
        self.usual, self.decimals = usual, decimals
        self.rows = self.unusual = 0
        self.equal: Counter[Rule] = Counter()
        self.equal_unusual: Counter[Rule] = Counter()

    def take(self, cell: str, values: tuple[str, ...]) -> None:
        rules = _equalled(cell, values, self.decimals)
        self.rows += 1
        self.equal.update(rules)
        if cell != self.usual:
            self.unusual += 1
            self.equal_unusual.update(rules)

    @property
    def is_hopeless(self) -> bool:
        most = max(self.equal.values(), default=0)
        return self.rows >= _TRIED_ROWS and 2 * most < self.rows

    def found(self, name: str, family: Family) -> Derivation | None:
        """Return the statistic that the column equals, if it equals one."""
        said = named_statistic(name)
        fits = [
            rule
            for rule, count in self.equal.items()
            if count >= DERIVED_SHARE * self.rows and (rule[0] != "count" or said == "count")
        ]
        if not said:  # a column of equal values equals every statistic of other such columns
            fits = [
                rule
                for rule in fits
                if self.unusual > 1 and self.equal_unusual[rule] >= _UNUSUAL_SHARE * self.unusual
            ]
        best = min(
            fits,
            key=lambda rule: (rule[0] != said, -self.equal[rule], _ORDER[rule[0]]),
            default=None,
        )
        return Derivation(best[0], family, self.equal[best], self.rows) if best else None


class DerivedColumns:
    """Compares columns with families of columns, row by row."""

    def __init__(
        self,
        header: Sequence[str],
        families: Iterable[Family],
        candidates: Mapping[str, Sequence[str]],
    ) -> None:
        """Compare these candidates, whose first cells are given, with these families."""
        place = {name: number for number, name in enumerate(header)}
        self._families = [(family, [place[name] for name in family]) for family in families]
        self._candidates = [(name, place[name]) for name in candidates]
        self._comparisons = {
            (name, family): _Comparison(_usual(cells), _decimals(cells))
            for name, cells in _with_points(candidates).items()
            for family, _ in self._families
            if name not in family
        }

    def take(self, cells: Sequence[str]) -> None:
        """Compare the cells of one row."""
        for family, places in self._families:
            values = tuple(
                value
                for place in places
                if not _is_blank(value := with_point(cells[place].strip()))
            )
            if len(values) < 2:
                continue
            for name, place in self._candidates:
                comparison = self._comparisons.get((name, family))
                if comparison is None or _is_blank(cell := with_point(cells[place].strip())):
                    continue
                comparison.take(cell, values)
                if comparison.is_hopeless:
                    del self._comparisons[name, family]

    def found(self, families: Iterable[Family]) -> dict[str, Derivation]:
        """Return the statistic that each column equals, out of these families."""
        wanted, best = set(families), dict[str, Derivation]()
        for (name, family), comparison in self._comparisons.items():
            derivation = comparison.found(name, family) if family in wanted else None
            if derivation and (name not in best or _is_better(derivation, best[name])):
                best[name] = derivation
        return best


class DerivedRaters:
    """Keeps every value with its rater, in a table with a row for each rating, to compare raters
    whose names suggest that they are no annotators."""

    def __init__(
        self, header: Sequence[str], *, rater: str, unit: Sequence[str], values: Sequence[str]
    ) -> None:
        """Compare the raters in the column `rater`; `unit` names the columns of the rated item."""
        place = {name: number for number, name in enumerate(header)}
        self._rater = place[rater]
        self._unit = [place[name] for name in unit]
        self._values = [place[name] for name in values]
        self._units, self._raters, self._cells = array("q"), array("L"), array("L")
        self._numbers: dict[str, int] = {}

    def take(self, cells: Sequence[str]) -> None:
        """Keep the values of one row."""
        rater = self._number(cells[self._rater].strip())
        unit = [cells[place] for place in self._unit]
        for place in self._values:
            if not _is_blank(cell := with_point(cells[place].strip())):
                self._units.append(hash((*unit, place)))
                self._raters.append(rater)
                self._cells.append(self._number(cell))

    def found(self) -> tuple[tuple[str, ...], dict[str, Derivation]]:
        """Return all raters, and those who are statistics of the others."""
        texts = list(self._numbers)
        raters = tuple(texts[number] for number in dict.fromkeys(self._raters))
        said = {rater for rater in raters if named_as(rater) != "annotator"}
        asked = {rater for rater in said if named_as(rater) != "llm_judge"}
        others = tuple(rater for rater in raters if rater not in said)
        if not asked or not others:
            return raters, {}
        cells: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for values in self._by_unit(texts):
            own = tuple(value for rater, value in values if rater not in said)
            for rater, value in values if len(own) > 1 else ():
                if rater in asked:
                    cells[rater].append((value, own))
        found = {}
        for rater, pairs in cells.items():
            comparison = _Comparison("", _decimals([cell for cell, _ in pairs]))
            for cell, own in pairs:
                comparison.take(cell, own)
            if derivation := comparison.found(rater, others):
                found[rater] = derivation
        return raters, found

    def _by_unit(self, texts: Sequence[str]) -> Iterator[list[tuple[str, str]]]:
        places = sorted(range(len(self._units)), key=self._units.__getitem__)
        for _, same in groupby(places, key=self._units.__getitem__):
            yield [(texts[self._raters[place]], texts[self._cells[place]]) for place in same]

    def _number(self, text: str) -> int:
        return self._numbers.setdefault(text, len(self._numbers))


def _with_points(candidates: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    return {name: [with_point(cell) for cell in cells] for name, cells in candidates.items()}


def _is_better(one: Derivation, other: Derivation) -> bool:
    shares = one.equal / one.rows, other.equal / other.rows
    return shares[0] > shares[1]


def _is_blank(cell: str) -> bool:
    return not cell or cell.casefold() in MISSING_WORDS


def _usual(cells: Sequence[str]) -> str:
    """Return the most common value."""
    return Counter(cell for cell in cells if cell).most_common(1)[0][0] if any(cells) else ""


def _decimals(cells: Iterable[str]) -> int:
    """Return the largest number of decimals of any number, without trailing zeros.

    >>> _decimals(["3.0", "2.50", "x"]), _decimals(["3.0", "2.0"])
    (1, 0)
    """
    found = (
        len(cell.partition(".")[2].rstrip("0")) for cell in cells if number_in(cell) is not None
    )
    return min(_DECIMALS, max(found, default=0))


@lru_cache(maxsize=20_000)
def _equalled(cell: str, values: tuple[str, ...], decimals: int) -> tuple[Rule, ...]:
    """Return the statistics of the values that a cell equals, each with the rounding."""
    return tuple(_rules(cell, values, decimals))


def _rules(cell: str, values: tuple[str, ...], decimals: int) -> Iterator[Rule]:
    numbers = [number for value in values if (number := number_in(value)) is not None]
    if len(numbers) < len(values):
        for name, text in _of_texts([value.casefold() for value in values]).items():
            if cell.casefold() in text:
                yield name, ""
        return
    if cell.casefold() in _TIED and _majority(numbers) is None:
        yield "majority", ""
    number = number_in(cell)
    if number is None:
        number = _TRUTH.get(cell.casefold())
        if number is not None and (number == 1) == (len(set(numbers)) == 1):
            yield "unanimous", ""
        return
    for name, value in _of_numbers(numbers).items():
        scales = (1, 100) if name in _PERCENT else (1,)
        if any(math.isclose(number, value * scale, abs_tol=1e-6) for scale in scales):
            yield from ((name, how) for how in ("up", "even"))
        elif name in _ROUNDED and decimals:
            half = 0.5 * 10**-decimals + 1e-9
            if any(abs(number - value * scale) <= half for scale in scales):
                yield from ((name, how) for how in ("up", "even"))
        elif name in _ROUNDED and name not in _PERCENT:
            # two annotators who differ by 1 have a mean that both roundings take to another point
            if number == math.floor(value + 0.5):
                yield name, "up"
            if number == round(value):
                yield name, "even"


def _of_texts(values: Sequence[str]) -> dict[str, set[str]]:
    """Return the texts that a cell may have as statistics of words."""
    counts = Counter(values)
    most = max(counts.values())
    modes = sorted(value for value, count in counts.items() if count == most)
    majority = {modes[0]} if 2 * most > len(values) else _TIED
    unanimous = {"1", "1.0", "true", "yes"} if len(counts) == 1 else {"0", "0.0", "false", "no"}
    return dict(zip(_AS_TEXT, ({modes[0]}, {modes[-1]}, majority, unanimous), strict=True))


def _of_numbers(numbers: Sequence[float]) -> dict[str, float]:
    counts = Counter(numbers)
    most = max(counts.values())
    modes = sorted(value for value, count in counts.items() if count == most)
    total = len(numbers)
    mean = math.fsum(numbers) / total
    squares = math.fsum((number - mean) ** 2 for number in numbers)
    equal_pairs = sum(count * (count - 1) for count in counts.values())
    found = {
        "mean": mean,
        "median": median(numbers),
        "mode": modes[0],
        "largest mode": modes[-1],
        "sum": math.fsum(numbers),
        "count": total,
        "minimum": min(numbers),
        "maximum": max(numbers),
        "standard deviation": math.sqrt(squares / (total - 1)),
        "population standard deviation": math.sqrt(squares / total),
        "agreement": equal_pairs / (total * (total - 1)),
        "share of the mode": most / total,
        "unanimous": float(len(counts) == 1),
    }
    if (majority := _majority(numbers)) is not None:
        found["majority"] = majority
    return found


def _majority(numbers: Sequence[float]) -> float | None:
    value, count = Counter(numbers).most_common(1)[0]
    return value if 2 * count > len(numbers) else None
