"""How metrics follow people at four levels: over questions, question sets, on each source, and over systems."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from analysis.actions.correlations import Human, Scored, Sources, humans, interval_of, over_sources, scored
from analysis.actions.resampling import Resampling
from analysis.frames import Material
from analysis.reports.records import Record, number, of_estimate
from analysis.stats.arrays import FloatArray
from analysis.stats.columns import complete
from analysis.stats.correlation import METHODS, correlate
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.levels import per_source
from analysis.stats.multiplicity import holm
from analysis.stats.system_level import system_intervals
from analysis.stats.systems import by_source
from analysis.stats.ties import pairwise_accuracy

MOST_PAIRS = 1_000_000  # of items, for pairwise accuracy
COLUMNS = ("criterion", "metric", "level", "coefficient", "value", "low", "high", "interval", "p", "p_holm", "n",
           "dropped", "method", "reason")  # fmt: skip


@dataclass(frozen=True)
class Joint:
    """A human column and all metrics over their common questions, with what the questions belong to."""

    human: FloatArray  # (n,)
    metrics: FloatArray  # (n, k)
    systems: Sources
    sources: Sources
    dropped: int

    def sets(self) -> "Joint":
        """Return the means of each system's questions on each source."""
        columns = [self.human, *self.metrics.T]
        tables = [by_source(column, systems=self.systems, sources=self.sources) for column in columns]
        names, places = tables[0][1], tables[0][2]
        flat = np.column_stack([table.ravel() for table, _, _ in tables])
        held = ~np.isnan(flat[:, 0])
        systems = np.repeat(np.array(names, dtype=object), len(places))
        sources = np.tile(np.array(places, dtype=object), len(names))
        return Joint(flat[held, 0], flat[held, 1:], systems[held], sources[held], self.dropped)

    def crossed(self) -> tuple[FloatArray, list[FloatArray]]:
        """Return the human column and each metric as (n_systems, n_sources)."""
        tables = [by_source(x, systems=self.systems, sources=self.sources)[0] for x in (self.human, *self.metrics.T)]
        return tables[0], tables[1:]


def records(material: Material, *, questions: Sequence[Record], by: Resampling) -> list[Record]:
    """Return every metric's correlations with every human column at every level, over common complete questions.

    `questions`: the correlations over questions, which are one of the levels. p over questions and sets takes them as
    independent; intervals draw whole sources. Holm's correction runs over the metrics at one level.
    """
    columns, found = scored(material), []
    for human in humans(material) if columns else []:
        by.step(f"Levels of {human.key}")
        own = [{**row, "level": "question"} for row in questions if row["criterion"] == human.key]
        rows = [*own, *_of_human(material, human, columns, by)]
        for key in dict.fromkeys((row["level"], row["coefficient"]) for row in rows):
            _adjust([row for row in rows if (row["level"], row["coefficient"]) == key])
        found += [{key: row.get(key) for key in COLUMNS} for row in rows]
    return found


def _of_human(material: Material, human: Human, columns: Sequence[Scored], by: Resampling) -> Iterator[Record]:
    joint = _joint(material, human, columns)
    yield from _accuracies("question", joint, human, columns)
    if material.questions.groupby(["system", "source"]).size().max() > 1:
        yield from _over_sets(joint.sets(), human, columns, by)
    yield from _on_sources(joint, human, columns)
    yield from _over_systems(joint, human, columns, by)


def _joint(material: Material, human: Human, columns: Sequence[Scored]) -> Joint:
    items = complete([human.values, *(each.values for each in columns)])
    kept = material.questions[items.kept]
    systems, sources = kept["system"].to_numpy(dtype=object), kept["source"].to_numpy(dtype=object)
    return Joint(items.columns[:, 0], items.columns[:, 1:], systems, sources, items.dropped)


def _over_sets(over: Joint, human: Human, columns: Sequence[Scored], by: Resampling) -> Iterator[Record]:
    for method in METHODS:
        drawn = over_sources(over.human, over.metrics, over.sources, method, by)
        for place, column in enumerate(columns):
            found = correlate(over.human, over.metrics[:, place], method=method)
            row = _row(found, human, column, "set", method) | {"dropped": over.dropped}
            yield row | interval_of(drawn[place])
    yield from _accuracies("set", over, human, columns)


def _accuracies(level: str, over: Joint, human: Human, columns: Sequence[Scored]) -> Iterator[Record]:
    for place, column in enumerate(columns):
        yield _row(_accuracy(over, place), human, column, level, "pairwise_accuracy")


def _accuracy(over: Joint, place: int, groups: Sources | None = None) -> Estimate:
    """Return the tie-calibrated accuracy over all pairs of items, or those within groups, where they are not many."""
    sizes = np.array([len(over.human)]) if groups is None else np.unique(groups, return_counts=True)[1]
    pairs = int((sizes * (sizes - 1) // 2).sum())
    if pairs > MOST_PAIRS:
        reason = f"{pairs:,} pairs are too many to compare" + ("" if groups is not None else ": see it per source")
        return undefined("pairwise accuracy", reason, dropped=over.dropped)
    if not _orders(over.human, groups):
        return undefined("pairwise accuracy", "people order no two of them", n=pairs, dropped=over.dropped)
    return pairwise_accuracy(over.human, over.metrics[:, place], groups=groups).accuracy


def _orders(human: FloatArray, groups: Sources | None) -> bool:
    """Say whether people told any two of the compared items apart; if not, every metric would be right."""
    if groups is None:
        return bool(np.ptp(human) > 0) if human.size else True
    return bool((pd.Series(human).groupby(groups).nunique() > 1).any())


def _on_sources(joint: Joint, human: Human, columns: Sequence[Scored]) -> Iterator[Record]:
    people, tables = joint.crossed()
    for column, table in zip(columns, tables, strict=True):
        for method in METHODS:
            yield _row(per_source(people, table, method=method), human, column, "source", method)
    for place, column in enumerate(columns):
        yield _row(_accuracy(joint, place, joint.sources), human, column, "source", "pairwise_accuracy")


def _over_systems(joint: Joint, human: Human, columns: Sequence[Scored], by: Resampling) -> Iterator[Record]:
    drawn = system_intervals(
        joint.human, joint.metrics, systems=joint.systems, sources=joint.sources, rng=by.rng, resamples=by.resamples
    )
    means = [_per_system(column, joint.systems) for column in (joint.human, *joint.metrics.T)]
    for place, column in enumerate(columns):
        for method in METHODS:
            found = correlate(means[0], means[place + 1], method=method)
            row = _row(found, human, column, "system", method) | {"dropped": joint.dropped, "low": None, "high": None}
            yield row | interval_of(drawn[method][place])
    nowhere = np.zeros(0, dtype=object)
    averaged = Joint(means[0], np.column_stack(means[1:]), nowhere, nowhere, joint.dropped)
    yield from _accuracies("system", averaged, human, columns)


def _per_system(values: FloatArray, systems: Sources) -> FloatArray:
    return by_source(values, systems=systems, sources=np.zeros(len(values), dtype=np.intp))[0].ravel()


def _row(found: Estimate, human: Human, column: Scored, level: str, coefficient: str) -> Record:
    where = {"criterion": human.key, "metric": column.name, "level": level, "coefficient": coefficient}
    return {"p": None, "interval": "", **of_estimate(found, **where)}


def _adjust(rows: Sequence[Record]) -> None:
    p = np.array([np.nan if row["p"] is None else row["p"] for row in rows])
    for row, adjusted in zip(rows, holm(p), strict=True):
        row["p_holm"] = number(float(adjusted))
