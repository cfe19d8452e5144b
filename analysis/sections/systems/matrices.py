"""Correlations between every pair of metrics, and between every pair of criteria."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations
from math import nan
from typing import TypeAlias

import numpy as np

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import coefficient
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.metrics.columns import human_columns, metric_columns
from analysis.sections.metrics.correlations import MEASURES, SHADES
from analysis.sections.section import Chance, Found, Inputs, Section
from quaestor_stats._correlation import REQUIRED_ITEMS, Method, pairwise
from quaestor_stats._inputs import FloatArray

COEFFICIENTS: tuple[Method, ...] = ("spearman", "pearson")
NOT_TESTED = (
    "The coefficients describe this dataset only: questions on one source or from one system are "
    "dependent, so there is no interval and no test. The file of this table has Pearson's r, too."
)


@table_row
class MetricCorrelation:
    """Two metrics over the questions that both have scored, sign-aligned so that higher is better."""

    first: str = row_field("one metric")
    second: str = row_field("the other")
    coefficient: str = row_field("spearman or pearson")
    value: float = row_field("the coefficient; empty where it is undefined")
    n: int = row_field("questions that both have scored")
    reason: str = row_field("why it is undefined")


@table_row
class CriterionCorrelation:
    """Two criteria over the questions that both were judged on: their means over annotators, higher
    is better."""

    first: str = row_field("key of one criterion, or the name of an imported column of means")
    second: str = row_field("the other")
    coefficient: str = row_field("spearman or pearson")
    value: float = row_field("the coefficient; empty where it is undefined")
    n: int = row_field("questions that have both means")
    reason: str = row_field("why it is undefined")


Correlation: TypeAlias = MetricCorrelation | CriterionCorrelation


class MetricMatrix(Section[MetricCorrelation]):
    """Every metric with every other metric."""

    key = "metric_matrix"
    title = "Correlations between metrics"
    identity = ("first", "second", "coefficient")
    note = (
        "Correlations between metrics over the questions that both scored, sign-aligned so that "
        f"higher is better. {NOT_TESTED}"
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[MetricCorrelation]:
        columns = {column.name: column.values for column in metric_columns(inputs.counted)}
        return [MetricCorrelation(*told) for told in _pairs(columns)]

    def tables(self, found: Found) -> list[PageTable]:
        rows: list[MetricCorrelation] = found.of(MetricMatrix)
        return _half_square(rows, {}, first="Metric")


class CriterionMatrix(Section[CriterionCorrelation]):
    """Every criterion with every other criterion."""

    key = "criterion_matrix"
    title = "Correlations between criteria"
    identity = ("first", "second", "coefficient")
    by_reading = True
    note = (
        "Correlations between the mean ratings of criteria over the questions judged on both, "
        f"sign-aligned so that higher is better. {NOT_TESTED}"
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CriterionCorrelation]:
        columns = {column.key: column.values for column in human_columns(inputs.counted)}
        return [CriterionCorrelation(*told) for told in _pairs(columns)]

    def tables(self, found: Found) -> list[PageTable]:
        rows: list[CriterionCorrelation] = found.of(CriterionMatrix)
        return _half_square(rows, found.names, first="Criterion")


def _pairs(columns: dict[str, FloatArray]) -> list[tuple[str, str, str, float, int, str]]:
    """Return every pair of columns under each coefficient, with what it rests on."""
    if len(columns) < 2:
        return []
    table, names, rows = np.column_stack(list(columns.values())), list(columns), []
    for method in COEFFICIENTS:
        values, shared = pairwise(table, method=method)
        for i, j in combinations(range(len(names)), 2):
            value, n, reason = float(values[i, j]), int(shared[i, j]), ""
            if np.isnan(value):
                value = nan
                reason = (
                    f"{n} questions have both: too few"
                    if n < REQUIRED_ITEMS
                    else "one of them is the same for every question"
                )
            rows.append((names[i], names[j], str(method), value, n, reason))
    return rows


def _half_square(
    rows: Sequence[Correlation], names: dict[str, str], *, first: str
) -> list[PageTable]:
    """Return half a square of the first coefficient: the pairs above its diagonal."""
    method = COEFFICIENTS[0]
    pairs = [row for row in rows if row.coefficient == method]
    sizes = {row.n for row in pairs}
    n = f"n = {pairs[0].n:,}" if len(sizes) == 1 else "with the number of questions"
    table = ReportTable[Correlation](
        title=MEASURES[method],
        lines="first",
        first=first,
        name=lambda row: names.get(row.first, row.first),
        columns=Pivot(
            "second",
            partial(_cell, with_n=len(sizes) > 1),
            missing=Cell(""),
            head=lambda row: names.get(row.second, row.second),
        ),
        caption=f"{MEASURES[method]} over questions, {n}.",
        reasons=lambda rows: sorted({row.reason for row in rows} - {""}),
        heat=True,
    )
    return draw(table, pairs, names)


def _cell(row: Correlation, *, with_n: bool) -> Cell:
    n = f"n = {row.n:,}" if with_n else ""
    if np.isnan(row.value):
        return Cell("–", n)
    shade = round(SHADES * abs(row.value))
    return Cell(coefficient(row.value), n, shade=shade, minus=row.value < -0.005)
