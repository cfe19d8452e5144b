"""How far annotators agree, criterion by criterion."""

from collections.abc import Iterator
from itertools import combinations

import pandas as pd

from analysis import frames
from analysis.actions import coefficients
from analysis.actions.resampling import Resampling
from analysis.frames import Material
from analysis.reports.records import Record, number, of_check
from analysis.stats.crosscheck import check_cohen
from analysis.stats.kappa import WEIGHTS, Weights, kappa_matrix
from judging.formats.rubric_schema import Criterion
from judging.models import Campaign

MOST_CHECKED = 10  # annotators whose pairs another library is asked about
MANY_FORCED = 0.01  # above this share of values that rules forced, agreement without them stands beside


def records(material: Material, *, by: Resampling | None = None) -> list[Record]:
    """Return every coefficient of every criterion; with `by`, a bootstrap interval stands beside the jackknife's."""
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        for basis, judgments in _bases(material, criterion.key):
            table = material.ratings(criterion.key, judgments=judgments).to_numpy()
            rows = coefficients.of_table(table, criterion, by=by)
            found += [{"criterion": criterion.key, "basis": basis, **row} for row in rows]
    return found


def counted(campaign: Campaign, *, round: str = "main", by: Resampling | None = None) -> list[Record]:
    """Return the coefficients that need no more than value counts, which the database makes from any number of rows."""
    patterns = frames.counted(campaign, round=round)
    return [
        {"criterion": criterion.key, **row}
        for criterion in frames.rubric_of(campaign).criteria
        for row in coefficients.of_counts(patterns[criterion.key], criterion, by=by)
    ]


def _bases(material: Material, criterion: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the judgments agreement is computed on: all, and where rules forced many, those that people gave."""
    yield "all", material.judgments
    rows = material.judgments[material.judgments["criterion"] == criterion]
    forced = rows["origin"] == "rule"
    if len(rows) and forced.mean() > MANY_FORCED:
        yield "without forced values", rows[~forced]


def pairs(material: Material) -> list[Record]:
    """Return Cohen's kappa of every pair of annotators under three weightings, over the units both judged."""
    found = []
    for criterion in material.rubric.criteria:
        table = material.ratings(criterion.key)
        if table.shape[1] < 2:
            continue
        for weights in WEIGHTS:
            matrix = kappa_matrix(table.to_numpy(), scale=criterion.values(), weights=weights)
            for i, j in combinations(range(table.shape[1]), 2):
                if matrix.shared[i, j]:
                    value = float(matrix.values[i, j])
                    row = {
                        "criterion": criterion.key,
                        "weights": weights,
                        "first": table.columns[i],
                        "second": table.columns[j],
                        "value": number(value),
                        "n": int(matrix.shared[i, j]),
                    }
                    found.append(row | _checked(table.iloc[:, [i, j]], criterion, weights, value, table.shape[1]))
    return found


def _checked(pair: pd.DataFrame, criterion: Criterion, weights: Weights, ours: float, annotators: int) -> Record:
    """Return what statsmodels says of the same kappa; it takes milliseconds a pair, so not of very many."""
    if annotators > MOST_CHECKED:
        return {"unchecked_because": f"pairs of more than {MOST_CHECKED} annotators are not asked about"}
    first, second = pair.to_numpy().T
    return of_check(check_cohen(first, second, scale=criterion.values(), weights=weights, ours=ours))
