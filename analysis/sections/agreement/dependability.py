"""The annotators and sources that a study needs, from its variance components."""

from collections import Counter
from math import nan

from analysis.reports.layout import Cell, PageTable
from analysis.reports.numerals import or_dash, two
from analysis.reports.rows import row_field, table_row
from analysis.reports.table_engine import Pivot, ReportTable, draw
from analysis.sections.metrics.columns import averaged_criteria
from analysis.sections.section import Chance, Found, Inputs, Section
from quaestor_stats._generalisability import NotGeneralisable, systems_apart
from quaestor_stats._reml import Unfit

KEY = "dependability"  # also of the further analysis that adds other sizes
ANNOTATORS = (1, 2, 3, 5, 10)
FACTORS = (0.5, 1, 2, 4)  # of the sources that the study has


@table_row
class DependabilityRow:
    """How well a study with these numbers of annotators and sources distinguishes systems, on texts
    and by annotators like these."""

    criterion: str = row_field("key of the criterion")
    annotators: int = row_field("annotators of every question")
    sources: int = row_field("sources")
    generalisability: float = row_field(
        "share of the variance of differences between systems that is the systems' own", default=nan
    )
    dependability: float = row_field(
        "share of the variance of their means that is the systems' own", default=nan
    )
    error_of_mean: float = row_field("standard error of a system's mean", default=nan)
    error_of_difference: float = row_field(
        "standard error of the difference of two systems", default=nan
    )
    reason: str = row_field("why there are no numbers", default="")


class DependabilityOfSystems(Section[DependabilityRow]):
    """Generalisability and dependability of the systems' means in this study; if asked for, also for
    other numbers of annotators and sources."""

    key = KEY
    title = "Required annotators and sources"
    identity = ("criterion", "annotators", "sources")
    by_reading = True
    note = (
        "Expected precision of studies of other sizes with annotators and sources like these, from the "
        "variance components (Brennan 2001): the standard error of a difference of two systems, and below "
        "it the generalisability coefficient (the share of the variance of system means that is due to "
        "the systems)."
    )

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[DependabilityRow]:
        rows: list[DependabilityRow] = []
        if inputs.settings["mixed_model"] == "never":
            return rows
        for criterion in averaged_criteria(inputs.counted):
            chance.step(f"Variance components of {criterion.key}")
            try:
                model = inputs.models_of_random_annotators[criterion.key].components
                studies = systems_apart(model, **_sizes(inputs, model.sources))
            except (Unfit, NotGeneralisable) as reason:
                rows.append(DependabilityRow(criterion.key, 0, 0, reason=str(reason)))
                continue
            rows += [
                DependabilityRow(
                    criterion.key,
                    study.annotators,
                    study.sources,
                    study.generalisability,
                    study.dependability,
                    study.error_of_mean,
                    study.error_of_difference,
                )
                for study in studies
            ]
        return rows

    def tables(self, found: Found) -> list[PageTable]:
        table = ReportTable[DependabilityRow](
            split="criterion",
            where=lambda row: not row.reason,
            lines="annotators",
            columns=Pivot(
                "sources",
                lambda row: Cell(or_dash(row.error_of_difference), two(row.generalisability)),
                head=lambda row: f"{row.sources:,} sources",
                order=lambda row: row.sources,
            ),
            reasons=lambda rows: [row.reason for row in rows if row.reason],
            folded=True,
        )
        rows = sorted(found.of(DependabilityOfSystems), key=lambda row: row.annotators)
        sizes = Counter(row.criterion for row in rows if not row.reason)
        if set(sizes.values()) == {1}:
            return []  # of the study itself alone, as the summary says it
        return draw(table, rows, found.names)


def _sizes(inputs: Inputs, sources: int) -> dict[str, list[int]]:
    """Return the numbers of annotators and sources to compute precision for: those of the study,
    and others if they are asked for."""
    annotators = inputs.said.judgments["annotator"].nunique()
    if KEY not in inputs.settings["further"]:
        return {"annotators": [annotators], "sources": [sources]}
    return {
        "annotators": sorted({*ANNOTATORS, annotators}),
        "sources": sorted({max(2, round(sources * factor)) for factor in FACTORS}),
    }
