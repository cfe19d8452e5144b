"""manage.py correlate TABLE: which metric follows people, from a table with a row per question; no campaign."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import (
    Record,
    as_json,
    as_text,
    full,
    labels,
    numbers,
    of_check,
    of_estimate,
    read,
)
from analysis.stats.clustered import cluster_interval, difference_interval, swap_test
from analysis.stats.columns import Complete, complete, oriented
from analysis.stats.correlation import METHODS, Method, coefficients, correlate_all
from analysis.stats.crosscheck import check_correlation
from analysis.stats.dependent import williams
from analysis.stats.multiplicity import holm

CORRELATIONS = ("criterion", "metric", "coefficient", "value", "low", "high", "p", "n", "dropped", "reason")
DIFFERENCES = (
    *("criterion", "better", "other", "coefficient", "difference", "low", "high", "n", "sources"),
    *("p_swap", "p_swap_holm", "williams_t", "p_williams", "p_williams_one_sided", "p_williams_holm", "reason"),
)
NOTES = """\
Williams' test takes every row as independent; where rows share a source it finds differences that are not there.
Its one-sided p is for the better of the two as found: it counts only where that was expected beforehand."""


@dataclass(frozen=True)
class Asked:
    """How to compare."""

    method: Method
    clusters: Sequence[str] | None
    rng: np.random.Generator
    resamples: int


class Command(BaseCommand):
    help = "Correlation of metrics with human scores, and tests of their differences, from a plain table."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, TSV, JSON Lines or workbook")
        parser.add_argument("--human", required=True, help="columns of human scores, with commas between")
        parser.add_argument("--metric", required=True, help="columns of metrics, with commas between")
        parser.add_argument("--method", choices=METHODS, default="spearman")
        parser.add_argument("--cluster", help="column of what rows share, as a rule the source")
        parser.add_argument("--lower", default="", help="those of the columns where lower is better")
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--json", action="store_true", help="a list of records at full precision")

    def handle(self, *, table: Path, json: bool, **options: Any) -> None:
        human, metrics, lower = (_names(options[name]) for name in ("human", "metric", "lower"))
        if unknown := set(lower) - {*human, *metrics}:
            raise CommandError(f"--lower: {', '.join(sorted(unknown))} is neither among --human nor --metric")
        rows = read(table)
        scores = {
            name: oriented(numbers(rows, name), higher_is_better=name not in lower) for name in {*human, *metrics}
        }
        clusters = labels(rows, options["cluster"]) if options["cluster"] else None
        asked = Asked(options["method"], clusters, np.random.default_rng(options["seed"]), options["resamples"])
        each = [row for name in human for row in _correlations(name, metrics, scores, asked)]
        pairs = [row for name in human for row in _differences(name, metrics, scores, asked)]
        self.stdout.write(as_json(each + pairs) if json else _text(each, pairs))


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _text(each: list[Record], pairs: list[Record]) -> str:
    parts = [as_text(each, CORRELATIONS)]
    if pairs:
        parts += ["", as_text(pairs, DIFFERENCES), "", NOTES]
    return "\n".join(parts)


def _correlations(human: str, metrics: list[str], scores: dict[str, Any], asked: Asked) -> Iterator[Record]:
    """Yield every metric's correlation, over the rows complete in all of them."""
    found = correlate_all([scores[human]], [scores[name] for name in metrics], method=asked.method)
    items = complete([scores[human], *(scores[name] for name in metrics)])
    clusters = _kept(asked.clusters, items)
    for place, (metric, estimate) in enumerate(zip(metrics, found.estimates[0], strict=True), 1):
        x, y = items.columns[:, 0], items.columns[:, place]
        record = {"table": "correlations", "criterion": human, "metric": metric, "coefficient": asked.method}
        record = of_estimate(estimate, **record) | {"interval": estimate.method}
        if clusters is not None:
            how: dict[str, Any] = {"rng": asked.rng, "method": asked.method, "resamples": asked.resamples}
            drawn = cluster_interval(x, y, clusters=clusters, **how)
            record |= {"low": full(drawn.low), "high": full(drawn.high), "interval": drawn.method}
        yield record | of_check(check_correlation(x, y, method=asked.method, ours=estimate.value))


def _differences(human: str, metrics: list[str], scores: dict[str, Any], asked: Asked) -> list[Record]:
    """Return every pair of metrics, the better one first; Holm within this human column, test by test."""
    items = complete([scores[human], *(scores[name] for name in metrics)])
    size = len(metrics) + 1
    r = coefficients(items.columns, method=asked.method) if items.n >= 3 else np.full((size, size), np.nan)
    clusters = _kept(asked.clusters, items)
    rows = []
    for i, j in combinations(range(1, size), 2):
        better, other = (j, i) if r[0, i] < r[0, j] else (i, j)
        names = {"better": metrics[better - 1], "other": metrics[other - 1], "coefficient": asked.method}
        row = {"table": "differences", "criterion": human, **names, "n": items.n, "dropped": items.dropped}
        row |= _williams(float(r[0, better]), float(r[0, other]), float(r[better, other]), items.n)
        if clusters is not None:
            row |= _clustered(items.columns[:, [0, better, other]], clusters, asked)
        rows.append(row)
    for test in ("p_williams", "p_swap"):
        _adjust(rows, test)
    return rows


def _kept(clusters: Sequence[str] | None, items: Complete) -> list[str] | None:
    if clusters is None:
        return None
    return [cluster for cluster, keep in zip(clusters, items.kept, strict=True) if keep]


def _williams(r12: float, r13: float, r23: float, n: int) -> Record:
    two, one = (williams(r12, r13, r23, n, alternative=side) for side in ("two-sided", "greater"))
    return {
        "difference": full(r12 - r13),
        "williams_t": full(two.statistic),
        "p_williams": full(two.p),
        "p_williams_one_sided": full(one.p),
        "reason": two.reason,
    }


def _adjust(rows: list[Record], test: str) -> None:
    if rows and test in rows[0]:
        adjusted = holm([np.nan if row[test] is None else row[test] for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            row[f"{test}_holm"] = full(float(p))


def _clustered(columns: Any, clusters: list[str], asked: Asked) -> Record:
    how: dict[str, Any] = {
        "clusters": clusters,
        "rng": asked.rng,
        "method": asked.method,
        "resamples": asked.resamples,
    }
    swap, drawn = swap_test(*columns.T, **how), difference_interval(*columns.T, **how)
    return {
        "sources": len(set(clusters)),
        "p_swap": full(swap.p),
        "swap_method": swap.method,
        "swap_reason": swap.reason,
        "low": full(drawn.low),
        "high": full(drawn.high),
        "interval": drawn.method,
    }
