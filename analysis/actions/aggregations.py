"""Other ways from annotators' ratings to a system's number, and what excluding annotators changes."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from analysis.actions import readings, systems
from analysis.actions.annotators import level_of
from analysis.frames import Material
from analysis.reports.records import Record, of_estimate
from analysis.stats.aggregation import (
    min_max,
    rank_scores,
    unit_majorities,
    unit_means,
    unit_medians,
    z_scores,
)
from analysis.stats.alpha import krippendorff_alpha
from analysis.stats.arrays import FloatArray
from analysis.stats.systems import system_means
from judging.rules import Reading

OfUnits: TypeAlias = Callable[[FloatArray], FloatArray]
WAYS: Mapping[str, OfUnits] = {
    "mean": unit_means,
    "median": unit_medians,
    "majority": lambda table: unit_majorities(table).values,
    "z_scores": lambda table: unit_means(z_scores(table)),
    "min_max": lambda table: unit_means(min_max(table)),
    "ranks": lambda table: unit_means(rank_scores(table)),
}


def records(material: Material) -> list[Record]:
    """Return each system's mean under every way from ratings to one number per unit.

    z scores, extremes (min_max) and ranks are taken within each annotator first. A unit whose majority is tied has
    none: `tied` counts them.
    """
    place = material.slots.set_index("unit")[["system", "source"]]
    found: list[Record] = []
    for criterion in material.rubric.criteria:
        ratings = material.ratings(criterion.key)
        if ratings.empty:
            continue
        units, table = place.loc[ratings.index], ratings.to_numpy()
        names, sources = units["system"].to_numpy(), units["source"].to_numpy()
        tied = unit_majorities(table).tied
        for way, of_units in WAYS.items():
            for system, mean in system_means(of_units(table), systems=names, sources=sources).items():
                row = of_estimate(mean, criterion=criterion.key, system=system, aggregation=way)
                ties = int(tied[names == system].sum()) if way == "majority" else None
                found.append(row | {"tied": ties})
    return found


def with_and_without(everything: Material, kept: Material, *, reading: Reading) -> list[Record]:
    """Return alpha (as released) and the systems' means over all data, and beside them after exclusions."""
    return [
        {"data": data, **row}
        for data, material in (("all", everything), ("after exclusions", kept))
        for row in (*_alphas(material), *_means(readings.read_as(material, reading)))
    ]


def _alphas(material: Material) -> Iterator[Record]:
    for criterion in material.rubric.criteria:
        level = level_of(criterion)
        table = material.ratings(criterion.key).to_numpy()
        alpha = krippendorff_alpha(table, level=level, scale=criterion.values())
        yield of_estimate(alpha, measure="krippendorff_alpha", criterion=criterion.key, system="")


def _means(material: Material) -> Iterator[Record]:
    for row in systems.means(material):
        yield {"measure": "mean", **row}
