"""Systems compared with severity of annotators and difficulty of sources as random effects, in bounded time."""

from collections.abc import Callable, Iterator
from itertools import combinations
from time import monotonic

import numpy as np
import pandas as pd

from analysis.frames import Material
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.estimate import untested
from analysis.stats.mixed import MixedModel, Stopped, Unfit, mixed_model
from analysis.stats.multiplicity import holm
from judging.formats.rubric_schema import Criterion

WHEN = ("quick", "always", "never")
QUICK = 2e7  # sources x (systems + annotators) squared, the cost of one evaluation: below it a fit takes seconds
SECONDS = 20.0  # for each criterion
METHOD = "mixed model, REML, crossed annotator and source effects"


def records(material: Material, *, when: str, step: Callable[[str], None]) -> list[Record]:
    """Return the model's differences of systems and its variances, criterion by criterion, or why there are none.

    `when`: "quick" fits it where that takes seconds, "always" for as long as is allowed, "never" not at all.
    """
    systems = material.slots.set_index("unit")[["system", "source"]]
    found: list[Record] = []
    for criterion in material.rubric.criteria if when != "never" else ():
        step(f"Mixed model of {criterion.key}")
        rows = material.judgments[material.judgments["criterion"] == criterion.key].dropna(subset=["value"])
        found += _rows(rows.join(systems, on="unit"), criterion, when)
    return found


def _rows(rows: pd.DataFrame, criterion: Criterion, when: str) -> Iterator[Record]:
    if rows["system"].nunique() < 2:
        return
    try:
        if when == "quick" and _cost(rows) > QUICK:
            raise Unfit(f"not fitted: with {len(rows):,} judgments it would take long; ask for it before the run")
        model = _fit(rows)
    except Unfit as reason:
        yield {"criterion": criterion.key, "effect": "difference", **of_estimate(untested(METHOD, str(reason)))}
        return
    yield from _differences(model, criterion)
    yield from _variances(model, criterion)


def _cost(rows: pd.DataFrame) -> float:
    columns = rows["system"].nunique() + rows["annotator"].nunique()
    return float(rows["source"].nunique()) * columns**2


def _fit(rows: pd.DataFrame) -> MixedModel:
    end = monotonic() + SECONDS
    labels = {name: rows[column].to_numpy(dtype=object) for name, column in COLUMNS.items()}
    try:
        return mixed_model(rows["value"].to_numpy(dtype="float64"), stop=lambda: monotonic() > end, **labels)
    except Stopped:
        raise Unfit(f"stopped after {SECONDS:.0f} seconds without an answer") from None


COLUMNS = {"systems": "system", "raters": "annotator", "items": "source"}


def _differences(model: MixedModel, criterion: Criterion) -> Iterator[Record]:
    tests = {pair: model.difference(*pair) for pair in combinations(model.systems, 2)}
    adjusted = holm(np.array([test.p for test in tests.values()]))
    for ((first, second), test), p in zip(tests.items(), adjusted, strict=True):
        where = {"criterion": criterion.key, "effect": "difference", "first": first, "second": second}
        yield of_estimate(test, **where) | {"p_holm": number(float(p))}


def _variances(model: MixedModel, criterion: Criterion) -> Iterator[Record]:
    for name in ("rater_variance", "item_variance", "residual_variance"):
        effect = {"rater_variance": "annotators", "item_variance": "sources"}.get(name, "rest")
        row = {"criterion": criterion.key, "effect": f"variance of {effect}", "value": number(getattr(model, name))}
        yield {**row, "n": model.n, "method": METHOD}
