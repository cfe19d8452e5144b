"""manage.py correlate TABLE: correlate metrics with human ratings, from a table with a row per
question; without a campaign."""

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandError

from analysis.management.plain_tables import (
    PlainRecord,
    add_encoding,
    as_json,
    as_text,
    full,
    labels,
    numbers,
    of_estimate,
    read,
)
from quaestor_stats._arrays import FloatArray
from quaestor_stats._associations import Association, against_people
from quaestor_stats._columns import Complete, complete, oriented
from quaestor_stats._correlation import METHODS, REQUIRED_ITEMS, Method, coefficients, correlate
from quaestor_stats._design import declared
from quaestor_stats._facets import Facets, facets
from quaestor_stats._metric_differences import (
    Indistinct,
    MetricDifference,
    in_every_set,
    indistinct,
    metric_differences,
)
from quaestor_stats._multiplicity import holm
from quaestor_stats._result import Tested
from quaestor_stats._shared_questions import Items
from quaestor_stats._williams import williams

CORRELATIONS = (
    *(
        "criterion",
        "metric",
        "coefficient",
        "value",
        "low",
        "high",
        "p",
        "p_as_published",
        "n",
        "dropped",
        "reason",
    ),
)
DIFFERENCES = (
    *(
        "criterion",
        "better",
        "other",
        "coefficient",
        "difference",
        "low",
        "high",
        "n",
        "sources",
        "p",
        "p_holm",
    ),
    *(
        "williams_t",
        "p_williams",
        "p_williams_one_sided",
        "p_williams_holm",
        "reason",
    ),
)
AT_LEVELS = (
    *(
        "criterion",
        "metric",
        "level",
        "measure",
        "value",
        "low",
        "high",
        "p",
        "p_as_published",
        "smallest_p",
    ),
    *("epsilon", "baseline", "in_sample", "n", "sources", "systems", "dropped", "reason"),
)
PAIRS = (
    *(
        "criterion",
        "better",
        "other",
        "level",
        "measure",
        "difference",
        "low",
        "high",
        "p",
        "p_holm",
    ),
    *("n", "sources", "systems", "williams_t", "p_williams", "p_williams_holm", "reason"),
)
SETS = ("criterion", "level", "measure", "highest", "not_told_apart", "behind", "unknown")
NOTES = """\
Williams' test takes every row as independent; where rows share a source it finds differences that are not there.
Its one-sided p is for the better of the two as found: it counts only where that was expected beforehand."""
DESIGNS = ("sources", "sources+systems")


@dataclass(frozen=True)
class ComparisonAsked:
    """Settings of a comparison."""

    method: Method
    facets: Facets | None
    items: Items
    rng: np.random.Generator
    resamples: int

    @property
    def how(self) -> dict[str, Any]:
        return {
            "facets": self.facets,
            "rng": self.rng,
            "items": self.items,
        }


class Command(BaseCommand):
    help = "Correlation of metrics with human scores, and tests of their differences, from a plain table."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, TSV, JSON Lines or workbook")
        add_encoding(parser)
        parser.add_argument(
            "--human", required=True, help="columns of human scores, with commas between"
        )
        parser.add_argument(
            "--metric", required=True, help="columns of metrics, with commas between"
        )
        parser.add_argument(
            "--method", choices=METHODS, default="spearman", help="what differences are of"
        )
        parser.add_argument(
            "--source", "--cluster", dest="source", help="column of what rows share: the source"
        )
        parser.add_argument(
            "--system",
            help="column of the system that wrote the question; with --source: all levels",
        )
        parser.add_argument("--design", choices=DESIGNS, default="sources", help="what is random")
        parser.add_argument(
            "--items", choices=("own", "common"), default="own", help="rows of each pair, or of all"
        )
        parser.add_argument(
            "--lower", default="", help="those of the columns where lower is better"
        )
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument(
            "--json", action="store_true", help="a list of records at full precision"
        )

    def handle(self, *, table: Path, json: bool, **options: Any) -> None:
        human, metrics, lower = (_names(options[name]) for name in ("human", "metric", "lower"))
        if unknown := set(lower) - {*human, *metrics}:
            raise CommandError(
                f"--lower: {', '.join(sorted(unknown))} is neither among --human nor --metric"
            )
        if options["system"] and not options["source"]:
            raise CommandError("--system needs --source: what rows of several systems share")
        if options["design"] != "sources" and not options["system"]:
            raise CommandError(f"--design {options['design']} needs --system")
        rows = read(table, options["encoding"])
        scores = {
            name: oriented(numbers(rows, name), higher_is_better=name not in lower)
            for name in {*human, *metrics}
        }
        asked = ComparisonAsked(
            options["method"],
            _facets(rows, options),
            options["items"],
            np.random.default_rng(options["seed"]),
            options["resamples"],
        )
        people, own = (
            {name: scores[name] for name in human},
            {name: scores[name] for name in metrics},
        )
        made = _of_levels(people, own, asked) if options["system"] else _of_rows(people, own, asked)
        records = [record for part, _ in made for record in part]
        self.stdout.write(as_json(records) if json else _text(made))


Tables = list[tuple[list[PlainRecord], Sequence[str]]]
NumberColumns = Mapping[str, FloatArray]


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _facets(rows: Any, options: Mapping[str, Any]) -> Facets | None:
    if not options["source"]:
        return None
    systems = labels(rows, options["system"]) if options["system"] else None
    return facets(labels(rows, options["source"]), systems, design=declared(options["design"]))


def _text(made: Tables) -> str:
    parts = [as_text(part, columns) for part, columns in made if part]
    return "\n\n".join([*parts, NOTES] if len(parts) > 1 else parts)


def _of_levels(people: NumberColumns, metrics: NumberColumns, asked: ComparisonAsked) -> Tables:
    """Return all levels, the differences at each, and the metrics not significantly different from
    the highest."""
    each = against_people(people, metrics, **asked.how)
    pairs = (
        metric_differences(
            people, metrics, measure=asked.method, resamples=asked.resamples, **asked.how
        )
        if len(metrics) > 1
        else []
    )
    published = {
        (row["criterion"], frozenset((row["better"], row["other"]))): row
        for row in _differences(people, metrics, asked, [])
    }
    sets = indistinct(each, pairs)
    return [
        ([_at_level(row) for row in each], AT_LEVELS),
        ([_pair(row, published) for row in pairs], PAIRS),
        ([_set(row, sets) for row in sets], SETS),
    ]


def _at_level(row: Association) -> PlainRecord:
    record: PlainRecord = {"table": "levels", "criterion": row.human}
    record |= {
        key: full(value) for key, value in asdict(row).items() if key not in ("human", "found")
    }
    return of_estimate(row.found, **record)


def _pair(row: MetricDifference, published: Mapping[Any, PlainRecord]) -> PlainRecord:
    found = of_estimate(row.found)
    record = {
        "table": "differences",
        "criterion": row.human,
        "better": row.better,
        "other": row.other,
        "level": row.level,
        "measure": row.measure,
        "difference": found.pop("value"),
    }
    found |= {
        "p_holm": full(row.p_holm),
        "questions": row.questions,
        "sources": row.sources,
        "systems": row.systems,
    }
    beside = {}
    if row.level == "pooled":
        of = published[row.human, frozenset((row.better, row.other))]
        beside = {
            key: of[key]
            for key in ("williams_t", "p_williams", "p_williams_one_sided", "p_williams_holm")
        }
    return record | found | beside


def _set(row: Indistinct, sets: Sequence[Indistinct]) -> PlainRecord:
    return {
        "table": "indistinct",
        "criterion": row.human,
        "level": row.level,
        "measure": row.measure,
        "highest": row.highest,
        "not_told_apart": ", ".join(row.members),
        "behind": ", ".join(row.behind),
        "unknown": ", ".join(row.unknown),
        "at_every_level": ", ".join(in_every_set(sets, row.human)),
        "alpha": row.alpha,
    }


def _of_rows(people: NumberColumns, metrics: NumberColumns, asked: ComparisonAsked) -> Tables:
    """Return correlations over all rows and the differences between metrics."""
    pairs: list[MetricDifference] = []
    if asked.facets is not None and len(metrics) > 1:
        pairs = metric_differences(
            people,
            metrics,
            measure=asked.method,
            levels=["pooled"],
            resamples=asked.resamples,
            **asked.how,
        )
    return [
        (list(_correlations(people, metrics, asked)), CORRELATIONS),
        (_differences(people, metrics, asked, pairs), DIFFERENCES),
    ]


def _correlations(
    people: NumberColumns, metrics: NumberColumns, asked: ComparisonAsked
) -> Iterator[PlainRecord]:
    """Yield every metric's correlation; over sources if they are given, else with rows as
    independent."""
    clustered: dict[tuple[str, str], Tested] = {}
    if asked.facets is not None:
        of = against_people(
            people, metrics, measures=[asked.method], levels=["pooled"], **asked.how
        )
        clustered = {(row.human, row.metric): row.found for row in of}
    for human, scores in people.items():
        common = complete([scores, *metrics.values()]).kept
        for metric, column in metrics.items():
            items = complete(
                [scores, column] if asked.items == "own" else [scores[common], column[common]]
            )
            x, y = items.columns.T
            alone = correlate(x, y, method=asked.method)
            where = {
                "table": "correlations",
                "criterion": human,
                "metric": metric,
                "coefficient": asked.method,
            }
            found = clustered.get((human, metric), alone)
            record = of_estimate(found, **where) | {
                "interval": found.method,
                "p_as_published": full(alone.p),
            }
            record |= {"n": items.n, "dropped": len(scores) - items.n}
            yield record


def _differences(
    people: NumberColumns,
    metrics: NumberColumns,
    asked: ComparisonAsked,
    pairs: Sequence[MetricDifference],
) -> list[PlainRecord]:
    """Return every pair of metrics, the better one first; Holm within a human column, test by
    test."""
    tested = {(row.human, frozenset((row.better, row.other))): row for row in pairs}
    found = []
    for human, scores in people.items():
        common = complete([scores, *metrics.values()])
        rows = []
        for names in combinations(metrics, 2):
            columns = [scores, *(metrics[name] for name in names)]
            items = complete(
                columns if asked.items == "own" else [column[common.kept] for column in columns]
            )
            row = _pair_of_rows(human, names, items, len(scores), asked.method)
            if one := tested.get((human, frozenset(names))):
                row |= _clustered(one)
            rows.append(row)
        _adjust(rows, "p_williams")
        found += rows
    return found


def _pair_of_rows(
    human: str, names: tuple[str, str], items: Complete, n: int, method: Method
) -> PlainRecord:
    r = (
        coefficients(items.columns, method=method)
        if items.n >= REQUIRED_ITEMS
        else np.full((3, 3), np.nan)
    )
    better, other = (2, 1) if r[0, 1] < r[0, 2] else (1, 2)
    row: PlainRecord = {
        "table": "differences",
        "criterion": human,
        "better": names[better - 1],
        "other": names[other - 1],
        "coefficient": method,
        "n": items.n,
        "dropped": n - items.n,
    }
    return row | _williams(
        float(r[0, better]), float(r[0, other]), float(r[better, other]), items.n
    )


def _williams(r12: float, r13: float, r23: float, n: int) -> PlainRecord:
    two, one = (williams(r12, r13, r23, n, alternative=side) for side in ("two-sided", "greater"))
    return {
        "difference": full(r12 - r13),
        "williams_t": full(two.statistic),
        "p_williams": full(two.p),
        "p_williams_one_sided": full(one.p),
        "reason": two.reason,
    }


def _clustered(one: MetricDifference) -> PlainRecord:
    low, high, p = (full(value) for value in (one.found.low, one.found.high, one.found.p))
    return {
        "sources": one.sources,
        "low": low,
        "high": high,
        "interval": one.found.method,
        "p": p,
        "p_holm": full(one.p_holm),
    }


def _adjust(rows: list[PlainRecord], test: str) -> None:
    if rows and test in rows[0]:
        adjusted = holm([np.nan if row[test] is None else row[test] for row in rows])
        for row, p in zip(rows, adjusted, strict=True):
            row[f"{test}_holm"] = full(float(p))
