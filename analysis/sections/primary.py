"""The primary hypothesis that the plan declared before data collection."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import nan

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import coefficient, inside, known, p_alone, p_value, signed, two
from analysis.reports.rows import TestedResult
from analysis.sections.comparisons import TEST_NAMES, deciding_pairs
from analysis.sections.criteria import criterion_rows
from analysis.sections.levels import Levels
from analysis.sections.section import Chance, Found, Inputs, Section
from judging import hypotheses
from judging.actions import locked_protocols
from judging.hypotheses import GREATER, Hypotheses, PrimaryHypothesis
from quaestor_stats._result import ConfidenceInterval, Result, undefined

NOT_COMPARED = "this run does not compare the two systems on this criterion"
NOT_CORRELATED = "this run has no pooled Spearman correlation of this metric with this criterion"
CORRELATION = "pooled Spearman correlation"


@dataclass(frozen=True)
class PrimaryRow:
    """The primary hypothesis and its test; no row if the plan declares none.

    criterion: key of the criterion
    first: the first system; empty for a hypothesis about a metric
    second: the second system
    metric: name of the metric; empty for a hypothesis about systems
    direction: two_sided, or greater (the first system is better; the correlation is positive)
    level: declared level of the test
    test: permutation or contrast (which compares the systems), or pooled Spearman correlation
    estimate: the difference of the systems' means, first minus second, or the correlation
    p_declared: p in the declared direction, not corrected
    significant: whether p is below the declared level
    """

    criterion: str
    first: str
    second: str
    metric: str
    direction: str
    level: float
    test: str
    estimate: TestedResult
    p_declared: float
    significant: bool

    @property
    def hypothesis(self) -> PrimaryHypothesis:
        return PrimaryHypothesis(
            self.criterion, self.direction, self.level, self.first, self.second, self.metric
        )

    def in_words(self, found: Found) -> str:
        """Return the hypothesis with the direction and level of its test."""
        name = inside(found.name_of(self.criterion))
        return f"{self.hypothesis.in_words(name)} ({self.hypothesis.test_in_words})"


class PrimaryHypotheses(Section[PrimaryRow]):
    """The primary hypothesis, tested first and without a correction."""

    key = "primary_hypothesis"
    title = "Primary hypothesis"
    identity = ("criterion",)
    by_reading = True
    leads = True

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[PrimaryRow]:
        primary = declared_hypotheses(inputs).primary
        if primary is None:
            return []
        find_test = _of_metric if primary.metric else _of_systems
        test, estimate = find_test(primary, found)
        lower_is_better = not primary.metric and any(
            each.key == primary.criterion and each.best == "lowest"
            for each in inputs.counted.rubric.criteria
        )
        p = _p_declared(primary, estimate, is_better=(estimate.value > 0) != lower_is_better)
        return [
            PrimaryRow(
                criterion=primary.criterion,
                first=primary.first,
                second=primary.second,
                metric=primary.metric,
                direction=primary.direction,
                level=primary.level,
                test=test,
                estimate=estimate,
                p_declared=p,
                significant=p < primary.level,
            )
        ]

    def tables(self, found: Found) -> list[PageTable]:
        lines = [
            Line(
                row.in_words(found),
                [
                    Cell(_value(row), _interval(row)),
                    Cell(p_alone(row.p_declared), best=row.significant),
                ],
            )
            for row in found.of(PrimaryHypotheses)
        ]
        if not lines:
            return []
        reasons = {row.estimate.reason for row in found.of(PrimaryHypotheses)} - {""}
        caption = "Declared in the plan before data collection; tested without a correction."
        heads = ["estimate", "p"]
        return [
            PageTable(
                self.title,
                heads,
                lines,
                first="Hypothesis",
                caption=caption,
                reasons=sorted(reasons),
            )
        ]

    def sentences(self, found: Found) -> Iterator[str]:
        for row in found.of(PrimaryHypotheses):
            yield f"Declared before data collection: {row.in_words(found)}."
            yield _result(row, found)

    def caveats(self, found: Found) -> Iterator[str]:
        if found.of(PrimaryHypotheses):
            yield "All other tests are exploratory."
            yield from across_criteria(found)


def primary_in_short(found: Found) -> Iterator[str]:
    """Yield the primary hypothesis with its result, and whether the test supports it."""
    for row in found.of(PrimaryHypotheses):
        hypothesis = row.in_words(found)
        if not known(row.p_declared):
            yield f"{hypothesis}: not tested: {row.estimate.reason}."
            continue
        verdict = "supported" if row.significant else "not supported"
        what = "Spearman's ρ" if row.metric else "difference of means"
        yield f"{hypothesis}: {_estimate(row, what)}, {p_value(row.p_declared)}; {verdict}."


def declared_hypotheses(inputs: Inputs) -> Hypotheses:
    """Return what the locked plan declares about tests."""
    protocol = locked_protocols.read(inputs.said.campaign)
    return hypotheses.from_document(protocol["hypotheses"])


def across_criteria(found: Found) -> Iterator[str]:
    """Yield the sentence that no correction is made across criteria, if there are several."""
    count = sum(each.averaged for each in criterion_rows(found))
    if count > 1:
        yield f"p-values are corrected within each criterion, not across the {count} criteria."


def _of_systems(primary: PrimaryHypothesis, found: Found) -> tuple[str, Result]:
    """Return the test of a pair of systems under the declared design, first minus second."""
    for row in deciding_pairs(found, primary.criterion):
        estimate = row.estimate
        if (row.first, row.second) == (primary.first, primary.second):
            return row.p_from, estimate
        if (row.first, row.second) == (primary.second, primary.first):
            return row.p_from, replace(
                estimate,
                value=-estimate.value,
                ci=ConfidenceInterval(-estimate.ci.high, -estimate.ci.low),
                statistic=-estimate.statistic,
            )
    return "", undefined("", NOT_COMPARED)


def _of_metric(primary: PrimaryHypothesis, found: Found) -> tuple[str, Result]:
    """Return the pooled Spearman correlation of a metric with the human ratings."""
    for row in found.on(Levels, primary.criterion):
        if (row.metric, row.level, row.coefficient) == (primary.metric, "pooled", "spearman"):
            return CORRELATION, row.estimate
    return CORRELATION, undefined(CORRELATION, NOT_CORRELATED)


def _p_declared(primary: PrimaryHypothesis, estimate: Result, *, is_better: bool) -> float:
    """Return p in the declared direction. The tests are symmetric: half of the two-sided p is the
    one-sided p of the side on which the estimate lies."""
    if not known(estimate.pvalue):
        return nan
    if primary.direction != GREATER:
        return estimate.pvalue
    return estimate.pvalue / 2 if is_better else 1 - estimate.pvalue / 2


def _value(row: PrimaryRow) -> str:
    return coefficient(row.estimate.value) if row.metric else signed(row.estimate.value)


def _interval(row: PrimaryRow) -> str:
    if not known(row.estimate.ci.low) or not known(row.estimate.ci.high):
        return ""
    written = coefficient if row.metric else two
    return f"95% CI [{written(row.estimate.ci.low)}, {written(row.estimate.ci.high)}]"


def _result(row: PrimaryRow, found: Found) -> str:
    if not known(row.p_declared):
        return f"It is not tested: {row.estimate.reason}."
    what = "Spearman's ρ" if row.metric else "Difference of means"
    test = TEST_NAMES.get(row.test, row.estimate.method)
    verdict = "significant" if row.significant else "not significant"
    told = [_estimate(row, what), test, f"{p_value(row.p_declared)}, {verdict}"]
    return f"{'; '.join(told)}."


def _estimate(row: PrimaryRow, what: str) -> str:
    return ", ".join(filter(None, [f"{what} {_value(row)}", _interval(row)]))
