"""The annotators themselves: severity, use of the scale, straight-lining, and what agreement is without each."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from analysis.frames import Material
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.alpha import Level, krippendorff_alpha
from analysis.stats.arrays import FloatArray
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.raters import leave_one_out, scale_use, severity, with_the_others
from judging.formats.rubric_schema import Criterion

MOST_CELLS = 200_000_000  # units x annotators x annotators: some four seconds
NO_REPEATS = "not assessed: no question was shown to the same annotator twice"
NO_ORDER = "not known: imported ratings have no order"


def records(material: Material) -> list[Record]:
    """Return each annotator's number of judgments, mean, severity, straight-lining and correlation with the others.

    Severity is the mean distance from the others' mean on the same units; below 0 is harsh where high is best.
    """
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        ratings = material.ratings(criterion.key)
        runs = _longest_runs(material, criterion)
        gaps, others = severity(ratings.to_numpy()), with_the_others(ratings.to_numpy())
        for place, label in enumerate(ratings.columns):
            own = ratings[label].dropna()
            row = {"criterion": criterion.key, "annotator": label, "n": len(own), "mean": number(own.mean())}
            top = float((own == own.mode().iloc[0]).mean()) if len(own) else None
            row |= {"severity": number(gaps[place]), "shared": others[place].n, "top_share": number(top)}
            row |= {"longest_run": runs.get(label), "run_reason": "" if label in runs else NO_ORDER}
            row |= {"rho_with_others": number(others[place].value), "rho_reason": others[place].reason}
            found.append(row)
    return found


def _longest_runs(material: Material, criterion: Criterion) -> dict[str, int]:
    """Return the most equal values in a row of each annotator, in the order handed in; none for imported values."""
    rows = material.judgments[material.judgments["criterion"] == criterion.key]
    ordered = rows[rows["origin"] != "imported"].sort_values(["created_at", "unit"], kind="stable")
    return {
        str(label): int(scale_use(_column(part["value"]), scale=criterion.values()).longest_run[0])
        for label, part in ordered.groupby("annotator")
    }


def _column(values: "pd.Series[float]") -> FloatArray:
    return np.asarray(values, dtype=np.float64)[:, None]


def use_of_scale(material: Material) -> list[Record]:
    """Return how often each annotator gave each point of each scale."""
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        ratings, labels = material.ratings(criterion.key), {point.value: point.label for point in criterion.points}
        if ratings.empty:
            continue
        use = scale_use(ratings.to_numpy(), scale=criterion.values())
        for label, counts in zip(ratings.columns, use.counts, strict=True):
            for value, count in zip(use.scale, counts, strict=True):
                row = {"criterion": criterion.key, "annotator": label, "value": int(value), "label": labels[int(value)]}
                found.append({**row, "count": int(count), "share": number(count / max(counts.sum(), 1))})
    return found


def level_of(criterion: Criterion) -> Level:
    """Return the level at which a criterion's alpha is told: two points have no order that could matter."""
    return "nominal" if criterion.level == "nominal" or len(criterion.values()) == 2 else "ordinal"


def left_out(material: Material) -> list[Record]:
    """Return what alpha is without each annotator in turn: one that rises is owed to the one left out."""
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        ratings, level = material.ratings(criterion.key), level_of(criterion)
        whole = krippendorff_alpha(ratings.to_numpy(), level=level, scale=criterion.values(), interval=None)
        for label, without in zip(ratings.columns, _without_each(ratings.to_numpy(), criterion, level), strict=True):
            where = {"criterion": criterion.key, "without": label, "coefficient": "krippendorff_alpha", "level": level}
            found.append(of_estimate(without, **where) | {"change": number(without.value - whole.value)})
    return found


def _without_each(table: FloatArray, criterion: Criterion, level: Level) -> list[Estimate]:
    if table.size * table.shape[1] > MOST_CELLS:
        reason = f"left out: {table.shape[1]} annotators are too many to leave out one by one"
        return [undefined(f"Krippendorff's alpha, {level}", reason, n=len(table))] * table.shape[1]
    return leave_one_out(table, lambda rest: krippendorff_alpha(rest, level=level, scale=criterion.values()))


def repeats(material: Material) -> list[Record]:
    """Return the agreement of annotators with themselves, which nobody can tell without questions shown twice."""
    return list(_not_assessed(material)) if np.size(material.judgments["unit"]) else []


def _not_assessed(material: Material) -> Iterator[Record]:
    for criterion in material.rubric.criteria:
        yield of_estimate(undefined("agreement of annotators with themselves", NO_REPEATS), criterion=criterion.key)
