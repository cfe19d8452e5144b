"""Equivalence of systems within the margin that the plan declared."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import Self

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import counted, inside, known, p_alone, p_value, signed, two
from analysis.sections.columns import averaged_criteria
from analysis.sections.comparisons import SURE, SystemPair, deciding_pairs
from analysis.sections.criteria import criterion_rows
from analysis.sections.primary import declared_hypotheses
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.hypotheses import PrimaryHypothesis
from quaestor_stats._equivalence import Equivalence, two_one_sided
from quaestor_stats._multiplicity import holm


@dataclass(frozen=True)
class EquivalenceRow:
    """Two one-sided tests of the difference of two systems on one criterion.

    criterion: key of the criterion
    first: one system
    second: the other
    margin: declared margin in scale points
    test: permutation or contrast, which compares the systems; the interval of the difference gives the
      standard error and degrees of freedom
    value: difference of the means, first minus second
    low: lower end of its 90% interval
    high: upper end of its 90% interval
    df: degrees of freedom
    p_lower: p of the test that the difference is above minus the margin
    p_upper: p of the test that the difference is below the margin
    p: the larger of both, not corrected
    p_holm: p after Holm's correction over the tested pairs of the criterion
    equivalent: whether p_holm is below .05
    reason: why there is no test
    """

    criterion: str
    first: str
    second: str
    margin: float
    test: str
    value: float
    low: float
    high: float
    df: float
    p_lower: float
    p_upper: float
    p: float
    p_holm: float
    equivalent: bool
    reason: str


class Equivalences(Section[EquivalenceRow]):
    """Two one-sided tests of the declared pair of systems; of all pairs if the plan declares
    none."""

    key = "equivalence"
    title = "Equivalence of systems"
    identity = ("criterion", "first", "second")
    by_reading = True
    note = (
        "Two one-sided tests within the margin that the plan declares, by the standard error of the test that compares "
        "the systems. p is the larger of both, with Holm's correction over the pairs of a criterion, bold below .05."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[EquivalenceRow]:
        declared = declared_hypotheses(inputs)
        if declared.margin is None:
            return []
        rows: list[EquivalenceRow] = []
        for criterion in averaged_criteria(inputs.counted):
            pairs = [
                pair
                for pair in deciding_pairs(found, criterion.key)
                if _is_asked(pair, criterion.key, declared.primary)
            ]
            rows += _rows(pairs, declared.margin)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        tables = []
        for criterion in criterion_rows(found):
            rows = found.on(Equivalences, criterion.criterion)
            if rows:
                tables.append(
                    PageTable(
                        criterion.name,
                        ["difference", "p above −margin", "p below margin", "p"],
                        [_line(row) for row in rows],
                        first="Systems",
                        notes=["90% CI", "", "", "Holm"],
                        caption=f"Margin: {rows[0].margin:g} scale points.",
                        reasons=sorted({row.reason for row in rows} - {""}),
                        folded=True,
                    )
                )
        return tables

    def sentences(self, found: Found) -> Iterator[str]:
        for criterion in criterion_rows(found):
            rows = found.on(Equivalences, criterion.criterion)
            if len(rows) == 1:
                yield _of_one(rows[0], inside(criterion.name))
            elif rows:
                equivalent = sum(row.equivalent for row in rows)
                yield (
                    f"On {inside(criterion.name)}, {equivalent} of {counted(len(rows), 'pair')} of "
                    f"systems are equivalent within ±{rows[0].margin:g} scale points (two one-sided "
                    "tests, Holm, 5% level)."
                )


@dataclass(frozen=True)
class EquivalenceResults:
    """The results of the declared equivalence tests on one criterion, by pair of systems."""

    margin: float
    equivalent: frozenset[frozenset[str]]
    not_shown: frozenset[frozenset[str]]

    @classmethod
    def of(cls, found: Found, criterion: str) -> Self:
        tested = [row for row in found.on(Equivalences, criterion) if not row.reason]
        return cls(
            margin=tested[0].margin if tested else nan,
            equivalent=_systems_of(row for row in tested if row.equivalent),
            not_shown=_systems_of(row for row in tested if not row.equivalent),
        )

    def are_equivalent(self, systems: Collection[str], other: str) -> bool:
        """Return whether another system is shown to be equivalent to each of these systems."""
        return _pairs(systems, other) <= self.equivalent

    def are_tested(self, systems: Collection[str], other: str) -> bool:
        """Return whether the equivalence of another system and each of these systems was tested."""
        return _pairs(systems, other) <= self.equivalent | self.not_shown


NO_RESULTS = EquivalenceResults(nan, frozenset(), frozenset())


def _pairs(systems: Collection[str], other: str) -> set[frozenset[str]]:
    return {frozenset((system, other)) for system in systems}


def _systems_of(rows: Iterable[EquivalenceRow]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset((row.first, row.second)) for row in rows)


def _is_asked(pair: SystemPair, criterion: str, primary: PrimaryHypothesis | None) -> bool:
    """Return whether a pair is tested: the declared one alone, if there is one."""
    if primary is None or primary.metric:
        return True
    is_pair = {pair.first, pair.second} == {primary.first, primary.second}
    return is_pair and criterion == primary.criterion


def _rows(pairs: Sequence[SystemPair], margin: float) -> Iterator[EquivalenceRow]:
    tests = [two_one_sided(pair.estimate, margin=margin) for pair in pairs]
    adjusted = holm(np.array([_p(each) for each in tests]))
    for pair, each, p_holm in zip(pairs, tests, adjusted, strict=True):
        yield EquivalenceRow(
            criterion=pair.criterion,
            first=pair.first,
            second=pair.second,
            margin=margin,
            test=pair.p_from,
            value=each.value,
            low=each.low,
            high=each.high,
            df=each.df,
            p_lower=each.p_lower,
            p_upper=each.p_upper,
            p=_p(each),
            p_holm=float(p_holm),
            equivalent=bool(p_holm < SURE),
            reason=each.reason,
        )


def _p(test: Equivalence) -> float:
    return nan if test.reason else test.p


def _interval(row: EquivalenceRow) -> str:
    return f"[{two(row.low)}, {two(row.high)}]" if known(row.low) else ""


def _line(row: EquivalenceRow) -> Line:
    return Line(
        f"{row.first} – {row.second}",
        [
            Cell(signed(row.value), _interval(row)),
            Cell(p_alone(row.p_lower)),
            Cell(p_alone(row.p_upper)),
            Cell(p_alone(row.p_holm), best=row.equivalent),
        ],
    )


def _of_one(row: EquivalenceRow, criterion: str) -> str:
    systems = f"On {criterion}, “{row.first}” and “{row.second}”"
    if row.reason:
        return f"{systems} have no equivalence test: {row.reason}."
    are = "are equivalent" if row.equivalent else "are not shown to be equivalent"
    return (
        f"{systems} {are} within ±{row.margin:g} scale points (difference {signed(row.value)}, 90% CI "
        f"{_interval(row)}; two one-sided tests, {p_value(row.p_holm)})."
    )
