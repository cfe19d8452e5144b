"""Rating distributions of the systems, beside the distribution that a protocol asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from analysis.reports import charts
from analysis.reports.evidence import ItemQuery
from analysis.reports.layout import Cell, Figure, Line, PageTable
from analysis.reports.rows import row_field, table_row
from analysis.reports.system_names import system_name
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.criteria import CriterionRow, criterion_rows
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.base.percentages import percent
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._system_means import system_distributions

if TYPE_CHECKING:
    import pandas as pd

MANY_POINTS = 12  # points of a scale up to which its use is drawn


@table_row
class PointShare:
    """Number of times that one system got one point of a scale."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    value: int = row_field("the point")
    label: str = row_field("its label")
    count: int = row_field("ratings with this value")
    share: float = row_field("its share of the system's ratings")


class Distributions(Section[PointShare]):
    """Number of times that each system got each point of each scale."""

    key = "distributions"
    listed = True
    title = "Rating distributions"
    identity = ("criterion", "system", "value")
    by_reading = True
    note = "The share of each value of the scale among all ratings of a system."

    def sizes(self, inputs: Inputs) -> dict[str, int]:
        systems = inputs.counted.slots["system"].nunique()
        return {
            criterion.key: systems * len(criterion.points)
            for criterion in inputs.counted.protocol.criteria
        }

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[PointShare]:
        material, excluded = inputs.counted, found.excluded(Distributions)
        rows: list[PointShare] = []
        system_of = material.slots.set_index("unit")["system"]
        for criterion in material.protocol.criteria:
            table = material.ratings(criterion.key)
            if not table.empty and criterion.key not in excluded:
                rows += _point_shares(table, system_of.loc[table.index], criterion)
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        """Return the distribution of each criterion; if it may not be averaged its table is open
        and shows the target."""
        return [
            table
            for criterion in criterion_rows(found)
            if len(criterion.points) <= MANY_POINTS
            for table in _distribution(found, criterion)
        ]

    def figures(self, found: Found) -> list[Figure]:
        rows = [
            {
                "name": found.name_of(row.criterion),
                "system": system_name(row.system),
                "value": row.value,
                "share": row.share,
            }
            for row in _shares(found)
        ]
        chart = partial(charts.distributions, rows, list(found.names.values()))
        alt = "The share of each value of the scale among the ratings of each system"
        return [Figure("distributions", alt, chart)]

    def technical_notes(self, found: Found) -> list[str]:
        return charts.not_drawn(len(_shares(found)))

    def caveats(self, found: Found) -> Iterator[str]:
        for row in criterion_rows(found):
            is_rated = found.on(Distributions, row.criterion) or (
                row.criterion in found.excluded(Distributions)
            )
            if not row.averaged and is_rated:
                yield (
                    f"{row.name} has no better end, so it is shown as a distribution and neither averaged "
                    "nor tested."
                )


def _point_shares(
    ratings: pd.DataFrame, systems: pd.Series[str], criterion: ProtocolCriterion
) -> Iterator[PointShare]:
    labels = {point.value: point.label for point in criterion.points}
    spread = system_distributions(
        ratings.to_numpy(), systems=systems.to_numpy(), scale=criterion.values()
    )
    for system, points in sorted(spread.items(), key=lambda pair: str(pair[0])):
        for value, count, share in zip(points.scale, points.counts, points.shares, strict=True):
            label = labels[int(value)]
            yield PointShare(
                criterion.key, str(system), int(value), label, int(count), float(share)
            )


def _shares(found: Found) -> list[PointShare]:
    """Return the shares of systems that have ratings."""
    return [row for row in found.of(Distributions) if row.count or row.share == row.share]


def _distribution(found: Found, criterion: CriterionRow) -> list[PageTable]:
    """Return the table of a criterion: systems by values, below them the protocol's target."""
    caption = f"{criterion.name} has no better end: its values are counted, never averaged."
    table = ReportTable[PointShare](
        title=criterion.name,
        lines="system",
        columns=Pivot(
            "value",
            _share_cell,
            note=lambda row: criterion.labels.get(row.value, ""),
            order=lambda row: row.value,
        ),
        caption="" if criterion.averaged else caption,
        folded=criterion.averaged,
    )
    return [
        replace(drawn, lines=[*drawn.lines, *_target_lines(criterion, drawn.columns)])
        for drawn in draw(table, found.on(Distributions, criterion.criterion), found.names)
    ]


def _share_cell(row: PointShare) -> Cell:
    query = ItemQuery(criterion=row.criterion, system=row.system, value=str(row.value))
    return Cell(percent(row.share), f"{row.count:,}", items=query)


def _target_lines(criterion: CriterionRow, values: Sequence[str]) -> Iterator[Line]:
    target = {str(value): int(count) for value, count in criterion.target}
    if total := sum(target.values()):
        counts = [target.get(value, 0) for value in values]
        cells = [Cell(percent(count / total), f"{count} of {total}") for count in counts]
        yield Line("Asked for by the protocol", cells)
