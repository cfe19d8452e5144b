"""Statistics of a run computed a second time by other packages, on the run's own ratings."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from typing import Any

import numpy as np

from analysis.reports.numerals import is_defined
from analysis.reports.rows import row_field, table_row
from analysis.sections.agreement.agreement import alpha_row
from analysis.sections.criteria import criterion_rows
from analysis.sections.metrics.correlations import Correlations
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.limits import MAX_RATING_CELLS
from quaestor_stats._inputs import complete

Compared = tuple[str, str, float, float]  # statistic, package, ours, theirs


@table_row
class ExternalCheck:
    """One statistic as another package computes it."""

    statistic: str = row_field("Krippendorff's α or Spearman's ρ (pooled)")
    package: str = row_field("the package that computed it too")
    version: str = row_field("its version")
    values: int = row_field("number of values that were compared")
    largest_difference: float = row_field("the largest absolute difference")


class ExternalChecks(Section[ExternalCheck]):
    """Alpha and Spearman's rho by other packages."""

    key = "external_checks"
    title = "Checks by other packages"
    identity = ("statistic",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ExternalCheck]:
        gaps: dict[tuple[str, str], list[float]] = {}
        for statistic, package, ours, theirs in (
            *_agreement(inputs, found),
            *_correlations(inputs, found),
        ):
            if np.isfinite(ours) and np.isfinite(theirs):
                gaps.setdefault((statistic, package), []).append(abs(ours - theirs))
        return [
            ExternalCheck(statistic, package, metadata.version(package), len(own), max(own))
            for (statistic, package), own in gaps.items()
        ]


def _agreement(inputs: Inputs, found: Found) -> Iterator[Compared]:
    import krippendorff

    for criterion in criterion_rows(found):
        table = inputs.said.ratings(criterion.criterion).to_numpy(dtype=float)
        rated = table[(~np.isnan(table)).sum(axis=1) >= 2]
        distinct = np.unique(rated[~np.isnan(rated)]).size
        if distinct < 2 or len(rated) * distinct**2 > MAX_RATING_CELLS:
            continue  # the package needs two values, and holds units x values x values
        if alpha := alpha_row(found, criterion):
            level: Any = alpha.level
            theirs = krippendorff.alpha(rated.T, level_of_measurement=level)
            yield "Krippendorff's α", "krippendorff", alpha.estimate.value, float(theirs)


def _correlations(inputs: Inputs, found: Found) -> Iterator[Compared]:
    from scipy.stats import spearmanr

    asked = inputs.compared_columns
    if asked is None:
        return
    for row in found.of(Correlations):
        if (row.level, row.coefficient) == ("pooled", "spearman") and is_defined(
            row.estimate.pvalue
        ):
            both = complete([asked.humans[row.criterion], asked.metrics[row.metric]])
            if both.n == row.questions:
                theirs = spearmanr(*both.columns.T).statistic
                yield "Spearman's ρ (pooled)", "scipy", row.estimate.value, float(theirs)
