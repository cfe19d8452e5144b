"""How far annotators agree, criterion by criterion."""

from collections.abc import Iterator
from itertools import combinations

import pandas as pd

from analysis.frames import Material
from analysis.reports.records import Record, number, of_check, of_estimate
from analysis.stats.alpha import Level, krippendorff_alpha
from analysis.stats.arrays import FloatArray
from analysis.stats.crosscheck import check_alpha, check_fleiss
from analysis.stats.fleiss import fleiss_kappa
from analysis.stats.kappa import WEIGHTS, kappa_matrix
from analysis.stats.percent import percent_agreement
from judging.formats.rubric_schema import Criterion

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
MANY_FORCED = 0.01  # above this share of values that rules forced, agreement without them stands beside


def records(material: Material) -> list[Record]:
    """Return percent agreement, alpha at three levels and Fleiss' kappa of every criterion."""
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        for basis, judgments in _bases(material, criterion.key):
            table = material.ratings(criterion.key, judgments=judgments).to_numpy()
            found += [{"criterion": criterion.key, "basis": basis, **row} for row in _coefficients(table, criterion)]
    return found


def _bases(material: Material, criterion: str) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the judgments agreement is computed on: all, and where rules forced many, those that people gave."""
    yield "all", material.judgments
    rows = material.judgments[material.judgments["criterion"] == criterion]
    forced = rows["origin"] == "rule"
    if len(rows) and forced.mean() > MANY_FORCED:
        yield "without forced values", rows[~forced]


def _coefficients(table: FloatArray, criterion: Criterion) -> Iterator[Record]:
    scale = criterion.values()
    yield of_estimate(percent_agreement(table, scale=scale), coefficient="percent_agreement", level="nominal")
    for level in LEVELS:
        alpha = krippendorff_alpha(table, level=level, scale=scale)
        check = check_alpha(table, level=level, ours=alpha.value)
        yield {**of_estimate(alpha, coefficient="krippendorff_alpha", level=level), **of_check(check)}
    fleiss = fleiss_kappa(table, scale=scale)
    check = check_fleiss(table, scale=scale, ours=fleiss.value)
    yield {**of_estimate(fleiss, coefficient="fleiss_kappa", level="nominal"), **of_check(check)}


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
                    row = {
                        "criterion": criterion.key,
                        "weights": weights,
                        "first": table.columns[i],
                        "second": table.columns[j],
                    }
                    found.append({**row, "value": number(matrix.values[i, j]), "n": int(matrix.shared[i, j])})
    return found


def annotators(material: Material) -> list[Record]:
    """Return each annotator's number of judgments, mean and distance from the others on the same units."""
    found = []
    for criterion in material.rubric.criteria:
        table = material.ratings(criterion.key)
        for label in table.columns:
            own, others = table[label], table.drop(columns=label).mean(axis=1)
            gap = (own - others).dropna()
            found.append(
                {
                    "criterion": criterion.key,
                    "annotator": label,
                    "n": int(own.notna().sum()),
                    "mean": number(own.mean()),
                    "severity": number(gap.mean()) if len(gap) else None,
                    "shared": len(gap),
                }
            )
    return found
