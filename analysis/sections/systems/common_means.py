"""Means of the systems over the sources on which every system has a rated output."""

from collections.abc import Sequence, Set
from dataclasses import replace

from analysis.frames import Material
from analysis.reports.cells import estimate_cell
from analysis.reports.layout import PageTable
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.about import run_facts
from analysis.sections.metrics.columns import averaged_criteria, placed_ratings
from analysis.sections.section import Chance, Found, Inputs, Section
from analysis.sections.systems.systems import declared_means_on
from judging.protocols.protocol_schema import ProtocolCriterion
from quaestor_stats._result import Result


@table_row
class CommonMean:
    """One system's mean on one criterion, over the sources on which every system has a rated
    output."""

    criterion: str = row_field("key of the criterion")
    system: str = row_field("name of the system")
    mean: Result = row_field(
        "mean of the question means; `n` counts questions, `clusters` the sources of its interval"
    )


class CommonMeans(Section[CommonMean]):
    """The systems' means over common sources, on criteria on which some system has no rated output
    on a source."""

    key = "common_means"
    title = "Means over common sources"
    identity = ("criterion", "system")
    by_reading = True
    listed = True
    note = (
        "Some systems have no rated output on some sources, so the means above rest on different sources. These means "
        "rest on the sources on which every system has one."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CommonMean]:
        rows = []
        for criterion in averaged_criteria(inputs.counted):
            sources = _common_sources(inputs.counted, criterion)
            if sources:
                part = replace(inputs, counted=_on_sources(inputs.counted, sources))
                rows += [
                    CommonMean(row.criterion, row.system, row.mean)
                    for row in declared_means_on(part, criterion)
                ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        def caption(rows: Sequence[CommonMean]) -> str:
            unit, units = run_facts(found).unit, run_facts(found).units
            sizes = {
                row.criterion: f"{row.mean.clusters:,} of {unit.counted(units)}" for row in rows
            }
            parts = [f"{found.name_of(key)}: {sizes[key]}" for key in found.names if key in sizes]
            return f"{'; '.join(parts)}."

        table = ReportTable[CommonMean](
            title=self.title,
            lines="system",
            columns=Pivot("criterion", lambda row: estimate_cell(row.mean, with_n=False)),
            caption=caption,
            reasons=lambda rows: sorted({row.mean.reason for row in rows} - {""}),
            folded=True,
        )
        return draw(table, found.of(CommonMeans), found.names)


def _common_sources(material: Material, criterion: ProtocolCriterion) -> Set[str]:
    """Return the sources on which every system has a rated output; none if these are all sources."""
    rated = placed_ratings(material, criterion)
    sources_of = [set(part) for _, part in rated.groupby("system")["source"]]
    if not sources_of:
        return set()
    common = set.intersection(*sources_of)
    return common if common != set.union(*sources_of) else set()


def _on_sources(material: Material, sources: Set[str]) -> Material:
    """Return the material of these sources alone."""
    slots = material.slots[material.slots["source"].isin(sources)].reset_index(drop=True)
    of_sources = material.judgments["unit"].isin(slots["unit"])
    judgments = material.judgments[of_sources].reset_index(drop=True)
    return replace(material, slots=slots, judgments=judgments)
