"""Two columns of scores side by side: how far they differ, and where most."""

from typing import Any

import numpy as np

from analysis.reports.rows import Record, number
from judging.models import Metric, Question, Score, System, Unit

EQUAL = 1e-6
SHOWN = 20
Key = tuple[int | None, int | None]


def compare(first: Metric, second: Metric) -> dict[str, Any]:
    """Compare two columns on what both have scored; a percent beside a fraction is divided by a hundred."""
    left, right = _values(first), _values(second)
    both = [key for key in left if key in right]
    a = np.array([left[key] for key in both]) / _unit(first, second)
    b = np.array([right[key] for key in both]) / _unit(second, first)
    apart = np.abs(a - b)
    found: dict[str, Any] = {
        "n": len(both),
        "only_first": len(left) - len(both),
        "only_second": len(right) - len(both),
        "scaled": first.scale != second.scale and {first.scale, second.scale} <= {"percent", "fraction"},
    }
    if not both:
        return found | {"largest": None, "mean": None, "share": None, "rows": []}
    worst = [place for place in np.argsort(-apart, kind="stable")[:SHOWN] if apart[place] > 0]
    rows = [_row(both[place], a[place], b[place]) for place in worst]
    return found | {
        "largest": number(float(apart.max())),
        "mean": number(float(apart.mean())),
        "share": number(float((apart <= EQUAL).mean())),
        "rows": _named(rows),
    }


def _values(metric: Metric) -> dict[Key, float]:
    rows = Score.objects.filter(metric=metric).order_by("pk").values_list("unit", "system", "value")
    return {(unit, system): value for unit, system, value in rows if value is not None}


def _unit(metric: Metric, other: Metric) -> float:
    return 100.0 if (metric.scale, other.scale) == ("percent", "fraction") else 1.0


def _row(key: Key, first: float, second: float) -> Record:
    return {"key": key, "first": number(first), "second": number(second), "difference": number(first - second)}


def _named(rows: list[Record]) -> list[Record]:
    """Say what each row is about."""
    units = {row["key"][0] for row in rows if row["key"][0]}
    sets = Unit.objects.filter(pk__in=units).values_list(
        "pk", "question_set__source__key", "question_set__system__name"
    )
    where: dict[Key, tuple[str, str]] = {(pk, None): (source, system) for pk, source, system in sets}
    systems = System.objects.filter(pk__in={row["key"][1] for row in rows if row["key"][1]})
    where |= {(None, pk): ("", name) for pk, name in systems.values_list("pk", "name")}
    texts = dict(Question.objects.filter(unit__in=units).values_list("unit", "text"))
    return [
        {**row, "source": where[row["key"]][0], "system": where[row["key"]][1], "text": texts.get(row["key"][0], "")}
        for row in rows
    ]
