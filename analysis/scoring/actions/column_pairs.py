"""Two columns of scores side by side: how they go together, and, on one scale, how far they differ
and where most."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from django.db import connection

from analysis.reports.rows import Record, stable_number
from judging.datasets.models.dataset import Question, System, Unit
from judging.datasets.models.score import Metric
from quaestor_stats._correlation import REQUIRED_ITEMS, coefficients
from quaestor_stats._inputs import FloatArray, IntArray

EQUAL = 1e-6  # between values of which neither was written with fewer digits
SHOWN = 20
DRAWN = 400  # points of the scatter
SCORES_SQL = """
SELECT COALESCE(unit_id, -system_id), value, text FROM judging_score
WHERE metric_id = %s AND value IS NOT NULL ORDER BY id
"""
Key = tuple[int | None, int | None]  # unit or system


def compare_columns(first: Metric, second: Metric) -> dict[str, Any]:
    """Compare two columns on the targets that both have scored; if one is in percent and the other
    a fraction, percents are divided by a hundred.

    Two values are equal if they differ by no more than the digits of the coarser one leave open.
    Columns on different scales have no difference, only a correlation.
    """
    left, right = _ScoreColumn.of(first), _ScoreColumn.of(second)
    shared = np.isin(left.keys, right.keys)
    both = left.keys[shared]
    scales = {left.scale, right.scale}
    is_scaled = scales == {"percent", "fraction"}
    found: dict[str, Any] = {
        "n": len(both),
        "only_first": len(left.keys) - len(both),
        "only_second": len(right.keys) - len(both),
        "scaled": is_scaled,
        "comparable": len(scales) == 1 or is_scaled,
        "largest": None,
        "mean": None,
        "share": None,
        "tolerance": None,
        "rows": [],
    }
    if not len(both):
        return found
    (a, digits_a), (b, digits_b) = left.beside(right, both), right.beside(left, both)
    found |= {
        "pearson": _pearson(a, b),
        "spearman": _pearson(_mid_ranks(a), _mid_ranks(b)),
        "points": _points(a, b),
    }
    if found["comparable"]:
        found |= _differences(a, b, both, tolerance=np.maximum(digits_a, digits_b))
    return found


def _pearson(a: FloatArray, b: FloatArray) -> float | None:
    """Return Pearson's r; None with too few values, and if a column does not vary."""
    if len(a) < REQUIRED_ITEMS:
        return None
    return stable_number(coefficients(np.column_stack([a, b]), method="pearson")[0, 1])


def _mid_ranks(values: FloatArray) -> FloatArray:
    """Return mid-ranks without scipy, which a page takes seconds to load."""
    _different, place, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[place])


def _differences(
    a: FloatArray, b: FloatArray, keys: IntArray, *, tolerance: FloatArray
) -> dict[str, Any]:
    """Return how far the values differ, and the questions or systems where they differ most."""
    apart = np.abs(a - b)
    same = apart <= tolerance * (1 + 1e-9)
    worst = [place for place in np.argsort(-apart, kind="stable") if not same[place]][:SHOWN]
    rows: list[Record] = [
        {
            "key": _key(int(keys[place])),
            "first": stable_number(a[place]),
            "second": stable_number(b[place]),
            "difference": stable_number(a[place] - b[place]),
        }
        for place in worst
    ]
    return {
        "largest": stable_number(float(apart.max())),
        "mean": stable_number(float(apart.mean())),
        "share": stable_number(float(same.mean())),
        "tolerance": stable_number(float(tolerance.max())),
        "rows": _named(rows),
    }


@dataclass(frozen=True, slots=True)
class _ScoreColumn:
    """A metric's scores, and its scale; one of unknown scale whose values all lie between 0 and 1
    is a fraction.

    keys: units, and systems below zero. halves: half a unit of the last digit that each value was
    written with.
    """

    keys: IntArray
    values: FloatArray
    halves: FloatArray
    scale: str

    @classmethod
    def of(cls, metric: Metric) -> Self:
        with connection.cursor() as cursor:
            cursor.execute(SCORES_SQL, [metric.pk])
            rows = cursor.fetchall()
        keys = np.array([key for key, _value, _text in rows], dtype=np.int64)
        values = np.array([value for _key, value, _text in rows], dtype=np.float64)
        half_of = {text: _half(text) for _key, _value, text in rows}
        halves = np.array([half_of[text] for _key, _value, text in rows], dtype=np.float64)
        is_fraction = bool(len(values)) and bool(((values >= 0) & (values <= 1)).all())
        scale = str(metric.scale)
        if metric.kind == Metric.Kind.HUMAN_MEAN:
            scale = "people"
        elif metric.scale == Metric.Scale.OTHER and is_fraction:
            scale = str(Metric.Scale.FRACTION)
        return cls(keys, values, halves, scale)

    def beside(self, other: Self, keys: IntArray) -> tuple[FloatArray, FloatArray]:
        """Return values and half digits of these keys; of percents beside fractions, a hundredth."""
        whole = 100.0 if (self.scale, other.scale) == ("percent", "fraction") else 1.0
        order = np.argsort(self.keys, kind="stable")
        places = order[np.searchsorted(self.keys, keys, sorter=order)]
        return self.values[places] / whole, self.halves[places] / whole


def _key(number: int) -> Key:
    return (number, None) if number >= 0 else (None, -number)


def _half(text: str) -> float:
    """Return half a unit of the last digit of a number as it was written, such as .005 for 0.53."""
    digits, _letter, power = text.strip().lower().partition("e")
    _whole, point, fraction = digits.partition(".")
    if not digits or not (point or power) or (not power.lstrip("+-").isdigit() and power):
        return EQUAL
    # a zero may be written with any power of ten, also with one that no float has
    return float(max(EQUAL, 0.5 * 10.0 ** min(int(power or 0) - len(fraction), 300)))


def _points(a: FloatArray, b: FloatArray) -> list[tuple[float, float]]:
    """Return places between 0 and 100 for a scatter, spread over all values where there are
    many."""
    kept = np.unique(np.linspace(0, len(a) - 1, min(len(a), DRAWN)).astype(int))
    across, up = (_placed(values)[kept] for values in (a, b))
    return [(round(float(x), 1), round(100 - float(y), 1)) for x, y in zip(across, up, strict=True)]


def _placed(values: FloatArray) -> FloatArray:
    spread = values.max() - values.min()
    return np.full(len(values), 50.0) if spread == 0 else 100 * (values - values.min()) / spread


def _named(rows: list[Record]) -> list[Record]:
    """Add the question or system to each row."""
    units = {row["key"][0] for row in rows if row["key"][0]}
    sets = Unit.objects.filter(pk__in=units).values_list(
        "pk", "question_set__source__key", "question_set__system__name"
    )
    where: dict[Key, tuple[str, str]] = {
        (pk, None): (source, system) for pk, source, system in sets
    }
    systems = System.objects.filter(pk__in={row["key"][1] for row in rows if row["key"][1]})
    where |= {(None, pk): ("", name) for pk, name in systems.values_list("pk", "name")}
    texts = dict(Question.objects.filter(unit__in=units).values_list("unit", "text"))
    return [
        {
            **row,
            "source": where[row["key"]][0],
            "system": where[row["key"]][1],
            "text": texts.get(row["key"][0], ""),
        }
        for row in rows
    ]
