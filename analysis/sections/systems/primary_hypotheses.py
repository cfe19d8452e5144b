"""The primary hypotheses that the plan declared before data collection."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import (
    coefficient,
    format_list,
    format_p,
    format_signed,
    inside_sentence,
    is_defined,
    two,
)
from analysis.reports.rows import TestedResult, row_field, table_row
from analysis.sections.criteria import criterion_rows
from analysis.sections.metrics.correlations import Correlations
from analysis.sections.metrics.metric_comparisons import MetricComparisons
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.system_comparisons import (
    TEST_NAMES,
    corrected_together,
    deciding_pairs,
    negate_difference,
)
from judging.campaigns.hypotheses import (
    GREATER,
    IN_ORDER,
    NON_INFERIOR,
    TWO_SIDED,
    Hypotheses,
    PrimaryHypothesis,
)
from quaestor_stats._equivalence import two_one_sided
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import Result, undefined_result
from quaestor_stats._system_differences import PERMUTATION

NOT_COMPARED = "this run does not compare the two systems on this criterion"
NOT_CORRELATED = (
    "this run has no Spearman correlation of this metric with this criterion at this level"
)
METRICS_NOT_COMPARED = "this run does not compare the two metrics on this criterion at this level"
TESTS = TEST_NAMES | {
    "correlation": "test of Spearman's ρ",
    "difference_of_correlations": "test of the difference of two Spearman correlations",
}


@table_row
class PrimaryRow:
    """A primary hypothesis and its test; no row if the plan declares none."""

    criterion: str = row_field("key of the criterion")
    first: str = row_field("the first system or metric")
    second: str = row_field("the second; empty for a hypothesis about one metric")
    direction: str = row_field(
        "two_sided, greater (the first system is better, the correlation is positive, or the first "
        "metric correlates more strongly) or non_inferior (the first system is not worse by the "
        "margin or more)"
    )
    metric_level: str = row_field(
        "level of the metrics' correlation: pooled, within_source or systems; empty for a "
        "hypothesis about systems"
    )
    margin: float = row_field(
        "the criterion's margin in scale points, if the test is of non-inferiority"
    )
    level: float = row_field("declared level of the tests")
    correction: str = row_field(
        "over several primary hypotheses: holm, or in_order (each only if all before it are "
        "supported)"
    )
    test: str = row_field(
        "permutation or contrast (which compares the systems), correlation, or "
        "difference_of_correlations"
    )
    estimate: TestedResult = row_field(
        "the difference of the systems' means, first minus second, the correlation, or the first "
        "metric's correlation less the second's"
    )
    p_declared: float = row_field(
        "p in the declared direction, not corrected; a lower bound if a permutation test finds a "
        "difference in the other direction"
    )
    p_adjusted: float = row_field("p after the declared correction over the primary hypotheses")
    supported: bool = row_field("whether p_adjusted is below the declared level")

    @property
    def hypothesis(self) -> PrimaryHypothesis:
        return PrimaryHypothesis(
            self.criterion, self.first, self.second, self.direction, self.metric_level
        )

    def in_words(self, found: Found) -> str:
        """Return the hypothesis as a sentence without its end."""
        return self.hypothesis.in_words(inside_sentence(found.name_of(self.criterion)))

    @property
    def result_in_words(self) -> str:
        """Return the estimate, the test and the verdict; or why there is none."""
        if not is_defined(self.p_adjusted):
            return f"not tested: {self.estimate.reason}"
        margin = f"margin {self.margin:g}; " if is_defined(self.margin) else ""
        verdict = "supported" if self.supported else "not supported"
        return f"{self._estimate_in_words}, {margin}{self.p_in_words(self.p_adjusted)}; {verdict}"

    def p_in_words(self, p: float) -> str:
        """Return a p of the hypothesis, after ≥ if it is a lower bound. A permutation test in the
        other direction than declared counts the order at hand, too, by which its one-sided p is
        larger than 1 - p/2."""
        is_permuted = self.test == PERMUTATION or self.metric_level == "systems"
        is_bound = is_permuted and self.direction == GREATER and self.p_declared >= 0.5
        return format_p(p).replace("=", "≥") if is_bound else format_p(p)

    @property
    def _estimate_in_words(self) -> str:
        if not self.metric_level:
            what = f"difference {format_signed(self.estimate.value)}"
        elif self.second:
            what = f"difference of ρ {_signed_coefficient(self.estimate.value)}"
        else:
            what = f"ρ = {coefficient(self.estimate.value)}"
        return ", ".join(filter(None, [what, self.interval_in_words]))

    @property
    def interval_in_words(self) -> str:
        if not self.estimate.ci.defined:
            return ""
        write = coefficient if self.metric_level else two
        return f"95% CI [{write(self.estimate.ci.low)}, {write(self.estimate.ci.high)}]"


class PrimaryHypotheses(Section[PrimaryRow]):
    """The primary hypotheses, tested first."""

    key = "primary_hypotheses"
    version = 2
    title = "Primary hypotheses"
    identity = ("criterion", "first", "second", "direction", "metric_level")
    by_reading = True
    leads = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[PrimaryRow]:
        declared = inputs.declared
        lowest = {
            criterion.key
            for criterion in inputs.counted.protocol.criteria
            if criterion.best == "lowest"
        }
        rows = [
            _row(hypothesis, declared, found, lower_is_better=hypothesis.criterion in lowest)
            for hypothesis in declared.primary
        ]
        adjusted = _adjusted([row.p_declared for row in rows], declared.multiplicity)
        return [
            replace(row, p_adjusted=p, supported=p < row.level)
            for row, p in zip(rows, adjusted, strict=True)
        ]

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(PrimaryHypotheses)
        if not rows:
            return []
        lines = [
            Line(
                f"{row.in_words(found)} ({row.hypothesis.sides})",
                [
                    Cell(_value(row), row.interval_in_words),
                    Cell(_p_alone(row, row.p_declared)),
                    Cell(_p_alone(row, row.p_adjusted), best=row.supported),
                ],
            )
            for row in rows
        ]
        return [
            PageTable(
                self.title,
                ["estimate", "p", "p corrected"],
                lines,
                first="Hypothesis",
                caption=f"Declared in the plan before data collection; {how_tested(rows)}.",
                reasons=sorted({row.estimate.reason for row in rows} - {""}),
            )
        ]

    def sentences(self, found: Found) -> Iterator[str]:
        for row in found.of(PrimaryHypotheses):
            test = TESTS.get(row.test, "")
            result = row.result_in_words
            yield (
                f"Declared before data collection: {row.in_words(found)} ({row.hypothesis.sides}): "
                f"{f'{test}, ' if is_defined(row.p_adjusted) else ''}{result}."
            )

    def caveats(self, found: Found) -> Iterator[str]:
        if rows := found.of(PrimaryHypotheses):
            yield f"Primary hypotheses are {how_tested(rows)}; all other tests are exploratory."
            yield from across_criteria(found)


def primary_in_short(found: Found) -> Iterator[str]:
    """Yield each primary hypothesis with its result, and whether the test supports it."""
    for row in found.of(PrimaryHypotheses):
        yield f"{row.in_words(found)} ({row.hypothesis.sides}): {row.result_in_words}."


def across_criteria(found: Found) -> Iterator[str]:
    """Yield over which criteria the p of comparisons of systems are corrected."""
    criteria = [row.criterion for row in criterion_rows(found) if row.averaged]
    if len(criteria) < 2:
        return
    together = max((corrected_together(found, key) for key in criteria), key=len)
    if len(together) < 2:
        yield f"p-values are corrected within each criterion, not across the {len(criteria)} criteria."
        return
    names = format_list([inside_sentence(found.name_of(key)) for key in together])
    alone = "; those of each other criterion alone" if len(together) < len(criteria) else ""
    yield f"p-values of comparisons of systems are corrected together over {names}{alone}."


def how_tested(rows: Sequence[PrimaryRow]) -> str:
    """Return level and correction of the primary hypotheses."""
    declared = Hypotheses(tuple(row.hypothesis for row in rows), multiplicity=rows[0].correction)
    return f"tested at the {100 * rows[0].level:g}% level {declared.correction}"


def _row(
    hypothesis: PrimaryHypothesis, declared: Hypotheses, found: Found, *, lower_is_better: bool
) -> PrimaryRow:
    if hypothesis.is_about_systems:
        test, estimate = _of_systems(hypothesis, found)
    elif hypothesis.second:
        test, estimate = "difference_of_correlations", _of_metrics(hypothesis, found)
        lower_is_better = False  # correlations are sign-aligned
    else:
        test, estimate = "correlation", _of_metric(hypothesis, found)
        lower_is_better = False
    margin = nan
    if hypothesis.direction == NON_INFERIOR:
        margin = declared.margins[hypothesis.criterion].points
        tested = two_one_sided(estimate, margin=margin)
        p = tested.p_upper if lower_is_better else tested.p_lower
        if tested.reason:
            p, estimate = nan, replace(estimate, reason=tested.reason)
    else:
        p = _p_declared(hypothesis, estimate, is_better=(estimate.value > 0) != lower_is_better)
    return PrimaryRow(
        criterion=hypothesis.criterion,
        first=hypothesis.first,
        second=hypothesis.second,
        direction=hypothesis.direction,
        metric_level=hypothesis.metric_level,
        margin=margin,
        level=declared.level,
        correction=declared.multiplicity,
        test=test,
        estimate=estimate,
        p_declared=p,
        p_adjusted=nan,
        supported=False,
    )


def _of_systems(hypothesis: PrimaryHypothesis, found: Found) -> tuple[str, Result]:
    """Return the test of a pair of systems under the declared design, first minus second."""
    asked = hypothesis.first, hypothesis.second
    for row in deciding_pairs(found, hypothesis.criterion):
        if (row.first, row.second) == asked:
            return row.p_from, row.estimate
        if (row.second, row.first) == asked:
            return row.p_from, negate_difference(row.estimate)
    return "", undefined_result("", NOT_COMPARED)


def _of_metric(hypothesis: PrimaryHypothesis, found: Found) -> Result:
    """Return the Spearman correlation of a metric with the human ratings."""
    asked = hypothesis.first, hypothesis.metric_level, "spearman"
    for row in found.on(Correlations, hypothesis.criterion):
        if (row.metric, row.level, row.coefficient) == asked:
            return row.estimate
    return undefined_result("", NOT_CORRELATED)


def _of_metrics(hypothesis: PrimaryHypothesis, found: Found) -> Result:
    """Return the first metric's Spearman correlation less the second's."""
    asked = hypothesis.first, hypothesis.second
    for row in found.on(MetricComparisons, hypothesis.criterion):
        if row.level == hypothesis.metric_level and row.coefficient == "spearman":
            if (row.better, row.other) == asked:
                return row.estimate
            if (row.other, row.better) == asked:
                return negate_difference(row.estimate)
    return undefined_result("", METRICS_NOT_COMPARED)


def _p_declared(hypothesis: PrimaryHypothesis, estimate: Result, *, is_better: bool) -> float:
    """Return p in the declared direction. The tests are symmetric: half of the two-sided p is the
    one-sided p of the side on which the estimate lies. On the other side the one-sided p is 1 less
    that half, or more if the test permutes (see `PrimaryRow.p_in_words`)."""
    if not is_defined(estimate.pvalue) or hypothesis.direction == TWO_SIDED:
        return estimate.pvalue
    return estimate.pvalue / 2 if is_better else 1 - estimate.pvalue / 2


def _adjusted(p_values: Sequence[float], multiplicity: str) -> list[float]:
    """Return the p of primary hypotheses after the declared correction; one that has no test counts
    as not supported in an order, and not at all in Holm's correction."""
    if multiplicity != IN_ORDER:
        return [float(p) for p in holm(np.array(p_values))]
    adjusted, largest = [], 0.0
    for p in p_values:
        largest = max(largest, p if is_defined(p) else 1.0)
        adjusted.append(largest if is_defined(p) else nan)
    return adjusted


def _p_alone(row: PrimaryRow, p: float) -> str:
    """Write a p of a hypothesis for a column of its own."""
    return row.p_in_words(p).removeprefix("p = ").removeprefix("p ") if is_defined(p) else "–"


def _value(row: PrimaryRow) -> str:
    if not row.metric_level:
        return format_signed(row.estimate.value)
    return coefficient(row.estimate.value)


def _signed_coefficient(value: float) -> str:
    return coefficient(value) if value < 0 else f"+{coefficient(value)}"
