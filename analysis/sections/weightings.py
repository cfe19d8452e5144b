"""How far the ranking by the combined aggregate depends on the weights of its criteria."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.reports.layout import Cell, Line, PageTable
from analysis.reports.numerals import known, percent, plain
from analysis.reports.system_names import system_name
from analysis.sections.aggregates import (
    Aggregates,
    combined_best,
    has_sums_of_unequal_numbers,
)
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.stats.arrays import FloatArray
from analysis.stats.ranks import rank_probabilities
from analysis.stats.weightings import randomly_weighted
from judging.protocols.rubric_schema import RubricDocument
from judging.rules import Fatal

DRAWS = 10_000
PROTOCOL, ALONE, RANDOM = "protocol", "criterion", "random"


@dataclass(frozen=True)
class WeightingRow:
    """The place of a system under one weighting of the criteria, or over many.

    system: name of the system
    weighting: protocol (its own weights), criterion (one criterion alone) or random
    criterion: key of the criterion that is taken alone
    place: place of the system, 1 for the best; equal systems share their mean place; over random
      weightings the mean
    first: share of the weightings in which the system is first; equal systems share it
    weightings: number of weightings
    """

    system: str
    weighting: str
    criterion: str
    place: float
    first: float
    weightings: int


class Weightings(Section[WeightingRow]):
    """The ranking under the protocol's weights, under each criterion alone and under random
    weights."""

    key = "weightings"
    title = "Sensitivity to the weights of criteria"
    identity = ("system", "weighting", "criterion")
    note = (
        "The combined aggregate depends on the weights of its criteria, and there is no right choice of them. Random "
        f"weights are {DRAWS:,} sets that sum to 1, every set equally probable (Dirichlet(1, …, 1)), drawn with the "
        "run's seed; they multiply the aggregates by the protocol, without rescaling. The shares describe these "
        "aggregates; they are no probabilities that a system is better."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[WeightingRow]:
        rubric = inputs.said.rubric
        best, weights = combined_best(rubric), rubric.combined_weights()
        if rubric.aggregate.combined == "none" or best == "none" or len(weights) < 2:
            return []
        values = _values(rubric, list(weights), found)
        if len(values) < 2 or has_sums_of_unequal_numbers(found):
            return []
        systems = sorted(values)
        table = np.array([values[system] for system in systems])
        oriented = table if best == "highest" else -table
        own = oriented @ np.array([*weights.values()], dtype=np.float64)
        rows = _rows(systems, PROTOCOL, "", own[None, :])
        for place, key in enumerate(weights):
            rows += _rows(systems, ALONE, key, oriented[None, :, place])
        sums = randomly_weighted(oriented, rng=chance.rng, draws=DRAWS)
        return rows + _rows(systems, RANDOM, "", sums)

    def tables(self, found: Found) -> list[PageTable]:
        rows = found.of(Weightings)
        if not rows:
            return []
        by_place = {(row.system, row.weighting, row.criterion): row for row in rows}
        keys = [row.criterion for row in rows if row.weighting == ALONE]
        criteria = list(dict.fromkeys(keys))
        lines = []
        for own in sorted(_of_protocol(found), key=lambda row: row.place):
            alone = [by_place[own.system, ALONE, key] for key in criteria]
            drawn = by_place[own.system, RANDOM, ""]
            places = [Cell(plain(row.place)) for row in (own, *alone)]
            share = Cell(percent(drawn.first), f"mean place {plain(drawn.place)}")
            lines.append(Line(system_name(own.system), [*places, share]))
        heads = ["Protocol's weights", *map(found.name_of, criteria), "First, random weights"]
        caption = (
            "Place of each system under the protocol's weights and under each criterion alone, 1 for the best, and "
            f"the share of {DRAWS:,} random weightings in which it is first."
        )
        return [PageTable(self.title, heads, lines, first="System", caption=caption)]

    def sentences(self, found: Found) -> Iterator[str]:
        leaders = [row.system for row in _of_protocol(found) if row.first == 1]
        for leader in leaders:
            own = [row for row in found.of(Weightings) if row.system == leader]
            alone = [row for row in own if row.weighting == ALONE]
            (drawn,) = (row for row in own if row.weighting == RANDOM)
            ahead = sum(row.first == 1 for row in alone)
            yield (
                f"{system_name(leader)} is first by the protocol's combined aggregate, on {ahead} of "
                f"{len(alone)} criteria taken alone, and in {percent(drawn.first)} of {DRAWS:,} "
                "random weightings of the criteria."
            )


def _of_protocol(found: Found) -> list[WeightingRow]:
    return [row for row in found.of(Weightings) if row.weighting == PROTOCOL]


def _values(rubric: RubricDocument, keys: Sequence[str], found: Found) -> dict[str, list[float]]:
    """Return the aggregates on the criteria, by the protocol and its own form of a fatal rule, of
    each system that has all of them."""
    fatal = next((rule for rule in rubric.rules if isinstance(rule, Fatal)), None)
    form = ("by_protocol", fatal.applied if fatal else "", fatal.others if fatal else "")
    by_system: dict[str, dict[str, float]] = {}
    for row in found.of(Aggregates):
        if row.form == form and known(row.aggregate):
            by_system.setdefault(row.system, {})[row.criterion] = row.aggregate
    return {
        system: [own[key] for key in keys]
        for system, own in by_system.items()
        if all(key in own for key in keys)
    }


def _rows(
    systems: Sequence[str], weighting: str, criterion: str, sums: FloatArray
) -> list[WeightingRow]:
    """Return a row for each system; sums : (n_weightings, n_systems), higher is better."""
    probabilities = rank_probabilities(sums)
    places = np.arange(1, len(systems) + 1)
    return [
        WeightingRow(
            system=system,
            weighting=weighting,
            criterion=criterion,
            place=float(own @ places),
            first=float(own[0]),
            weightings=len(sums),
        )
        for system, own in zip(systems, probabilities, strict=True)
    ]
