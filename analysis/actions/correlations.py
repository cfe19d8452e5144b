"""How well automatic metrics follow people: every score against every criterion, and whether a lead is real."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from analysis.actions.resampling import Resampling
from analysis.frames import Material, aligned
from analysis.reports.records import Record, number, of_check, of_estimate
from analysis.stats.arrays import FloatArray
from analysis.stats.clustered import cluster_intervals, difference_interval, swap_matrix, swap_test
from analysis.stats.columns import Complete, complete, oriented
from analysis.stats.correlation import METHODS, Method, coefficients, correlate_all
from analysis.stats.crosscheck import check_correlation
from analysis.stats.dependent import williams
from analysis.stats.dependent_z import meng, steiger, zou
from analysis.stats.estimate import Estimate, Tested, undefined
from analysis.stats.multiplicity import holm
from analysis.stats.tau_c import kendall_tau_c
from judging.models import Metric

COMPARED: Method = "spearman"
PER_PAIR = 100  # swaps for each pair of metrics: Holm multiplies the smallest p by the number of pairs
MOST_RANKED = 50_000_000  # pairs x swaps x questions: some three seconds
MOST_SIGNS = 20_000_000  # swaps x sources: 160 MB
FEWEST_SOURCES = 3
Sources: TypeAlias = NDArray[np.object_]


@dataclass(frozen=True)
class Human:
    """A column of what people said: a criterion judged here, or an imported column of means."""

    key: str
    values: FloatArray  # (n_questions,), oriented
    note: str = ""


@dataclass(frozen=True)
class Scored:
    """A metric's column, oriented, with the name it goes by."""

    name: str
    metric: Metric
    values: FloatArray


def humans(material: Material) -> list[Human]:
    """Return every human column over the questions, turned so that higher is better."""
    units, found = material.questions["unit"], []
    for criterion in material.rubric.criteria:
        values = aligned(units, material.human(criterion.key))
        note = "has no best end, so it is not turned" if criterion.best == "none" else ""
        found.append(Human(criterion.key, oriented(values, higher_is_better=criterion.best != "lowest"), note))
    for metric in material.metrics:
        if metric.kind == Metric.Kind.HUMAN_MEAN:
            values = aligned(units, material.score(metric))
            found.append(Human(f"{metric.name} (imported mean)", oriented(values, higher_is_better=_up(metric))))
    return [human for human in found if not np.isnan(human.values).all()]


def scored(material: Material) -> list[Scored]:
    """Return every metric's column over the questions, turned so that higher is better; empty ones are left out."""
    units, names = material.questions["unit"], metric_names(material.metrics)
    columns = [
        Scored(names[metric.pk], metric, oriented(aligned(units, material.score(metric)), higher_is_better=_up(metric)))
        for metric in material.metrics
        if metric.kind != Metric.Kind.HUMAN_MEAN
    ]
    return [column for column in columns if not np.isnan(column.values).all()]


def _up(metric: Metric) -> bool:
    return metric.direction != Metric.Direction.LOWER


def metric_names(metrics: Sequence[Metric]) -> dict[int, str]:
    """Name metrics; where some share a name, say which was imported, and on what texts the computed ones were made."""
    found = {metric.pk: metric.name for metric in metrics}
    for more in (Metric.get_kind_display, _prepared, lambda metric: metric.fingerprint[:6]):
        alike: dict[str, set[str]] = {}
        for metric in metrics:
            alike.setdefault(found[metric.pk], set()).add(more(metric))
        found = {
            metric.pk: f"{name} ({more(metric)})" if len(alike[name]) > 1 else name
            for metric, name in zip(metrics, found.values(), strict=True)
        }
    return found


def _prepared(metric: Metric) -> str:
    sides = metric.made.get("preparation", {})
    return "/".join(filter(None, (sides.get("hypothesis"), sides.get("reference")))) or "file"


def records(material: Material, *, by: Resampling) -> list[Record]:
    """Return Pearson, Spearman and Kendall of every metric with every human column, on one common complete set each.

    The interval of Pearson and Spearman draws whole sources; p treats questions as independent, and says so.
    """
    metrics, sources, found = scored(material), material.questions["source"].to_numpy(), []
    for human in humans(material) if metrics else []:
        items = complete([human.values, *(each.values for each in metrics)])
        for method in METHODS:
            by.step(f"Correlations with {human.key}")
            found += list(_of_method(human.key, metrics, items, sources[items.kept], method, by))
        found += _tau_c(human.key, metrics, items)
    return found


def _tau_c(human: str, metrics: Sequence[Scored], items: Complete) -> list[Record]:
    """Return Stuart's tau-c, for scales of few points beside metrics of many values."""
    columns = zip(metrics, items.columns.T[1:], strict=True)
    where = {"criterion": human, "coefficient": "kendall_c"}
    return [of_estimate(kendall_tau_c(items.columns[:, 0], each), metric=m.name, **where) for m, each in columns]


def _of_method(
    human: str, metrics: Sequence[Scored], items: Complete, sources: Sources, method: Method, by: Resampling
) -> Iterator[Record]:
    first, *others = items.columns.T
    estimates = correlate_all([first], others, method=method).estimates[0]
    drawn = over_sources(first, items.columns[:, 1:], sources, method, by)
    for place, (column, estimate) in enumerate(zip(metrics, estimates, strict=True)):
        row = of_estimate(estimate, criterion=human, metric=column.name, coefficient=method)
        check = check_correlation(first, others[place], method=method, ours=estimate.value)
        yield row | {"dropped": items.dropped} | interval_of(drawn[place]) | of_check(check)


def over_sources(
    human: FloatArray, metrics: FloatArray, sources: Sources, method: Method, by: Resampling
) -> list[Estimate]:
    """Return each metric's interval from drawing whole sources, all from the same draws; ranks are taken once.

    Kendall's would cost too much and are undefined here: it keeps the interval for independent items.
    """
    if method == "kendall":
        return [undefined(method, "not drawn") for _ in metrics.T]
    return cluster_intervals(
        human, metrics, clusters=sources, rng=by.rng, method=method, ranks="once", resamples=by.resamples
    )


def interval_of(drawn: Estimate) -> Record:
    """Return the interval to stand in place of that for independent items; nothing where there is none."""
    if not drawn.defined or np.isnan(drawn.low):
        return {"interval": ""}
    return {"low": number(drawn.low), "high": number(drawn.high), "interval": drawn.method}


def differences(material: Material, *, by: Resampling) -> list[Record]:
    """Compare every pair of metrics on every human column: by the swap test that keeps sources together, with an
    interval over sources, and by Williams, Steiger, Meng and Zou as papers do, who take questions as independent.

    Holm's correction runs over the pairs within one human column, for each test by itself.
    """
    metrics, sources = scored(material), material.questions["source"].to_numpy()
    found: list[Record] = []
    for human in humans(material) if len(metrics) > 1 else []:
        by.step(f"Comparing metrics on {human.key}")
        items = complete([human.values, *(each.values for each in metrics)])
        rows = list(_pairs(human, metrics, items.columns, sources[items.kept], by))
        for test in ("p_swap", "p_williams", "p_steiger", "p_meng"):
            adjusted = holm(np.array([np.nan if row[test] is None else row[test] for row in rows]))
            for row, p in zip(rows, adjusted, strict=True):
                row[f"{test}_holm"] = number(p)
        found += rows
    return found


def _pairs(
    human: Human, metrics: Sequence[Scored], columns: FloatArray, sources: Sources, by: Resampling
) -> Iterator[Record]:
    r = coefficients(columns, method=COMPARED) if len(columns) >= 3 else np.full((len(metrics) + 1,) * 2, np.nan)
    swapped = _swaps(columns, sources, by)
    for i, j in combinations(range(1, len(metrics) + 1), 2):
        first, second = (i, j) if not r[0, i] < r[0, j] else (j, i)
        triple = float(r[0, first]), float(r[0, second]), float(r[first, second])
        yield {
            "criterion": human.key,
            "better": metrics[first - 1].name,
            "other": metrics[second - 1].name,
            "coefficient": COMPARED,
            "n": len(columns),
            "sources": len(set(sources)),
            "difference": number(float(r[0, first] - r[0, second])),
            **_drawn(columns[:, [0, first, second]], sources, by),
            **_tested(swapped(first, second), williams(*triple, len(columns))),
            **_as_in_papers(*triple, len(columns)),
        }


def _swaps(columns: FloatArray, sources: Sources, by: Resampling) -> Callable[[int, int], Tested]:
    """Return the swap test of two columns: ranks anew in each swap where all pairs can bear it, else ranks taken once.

    The swaps are as many as Holm's correction over the pairs needs; a smallest p of 1/1000 would be nothing after it.
    """
    size = columns.shape[1] - 1
    pairs = size * (size - 1) // 2
    swaps, clusters = max(by.resamples, PER_PAIR * pairs), len(set(sources))
    if pairs * swaps * len(columns) <= MOST_RANKED or clusters < FEWEST_SOURCES:
        return lambda first, second: swap_test(
            *columns[:, [0, first, second]].T, clusters=sources, rng=by.rng, method=COMPARED, resamples=swaps
        )
    swaps = max(by.resamples, min(swaps, MOST_SIGNS // clusters))
    gaps, p = swap_matrix(columns[:, 0], columns[:, 1:], clusters=sources, rng=by.rng, resamples=swaps)
    method = f"Spearman's rho, difference; swap permutation by cluster, {swaps} resamples, ranks once"

    def looked_up(first: int, second: int) -> Tested:
        given = float(p[first - 1, second - 1])
        reason = "a score is the same for every item" if np.isnan(given) else ""
        gap = float(gaps[first - 1, second - 1])
        return Tested(value=gap, n=len(columns), method=method, p=given, reason=reason)

    return looked_up


def _drawn(columns: FloatArray, sources: Sources, by: Resampling) -> Record:
    found = difference_interval(
        *columns.T, clusters=sources, rng=by.rng, method=COMPARED, ranks="once", resamples=by.resamples
    )
    return {"low": number(found.low), "high": number(found.high), "interval": found.reason or found.method}


def _tested(swap: Tested, published: Tested) -> Record:
    return {
        "p_swap": number(swap.p),
        "swap_method": swap.method,
        "swap_reason": swap.reason,
        "williams_t": number(published.statistic),
        "p_williams": number(published.p),
        "williams_reason": published.reason,
    }


def _as_in_papers(r12: float, r13: float, r23: float, n: int) -> Record:
    """Return Steiger's and Meng's z and Zou's interval, for comparison with papers."""
    by_steiger, by_meng = steiger(r12, r13, r23, n), meng(r12, r13, r23, n)
    by_zou = zou(r12, r13, r23, n)
    return {
        "steiger_z": number(by_steiger.statistic),
        "p_steiger": number(by_steiger.p),
        "meng_z": number(by_meng.statistic),
        "p_meng": number(by_meng.p),
        "zou_low": number(by_zou.low),
        "zou_high": number(by_zou.high),
        "z_reason": by_steiger.reason,
    }
