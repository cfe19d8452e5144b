"""Outputs present: the questions expected of each system, and those it returned."""

from analysis.reports.rows import row_field, table_row
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.datasets.models.dataset import System


@table_row
class CoverageRow:
    """Numbers of expected and returned questions of one system."""

    system: str = row_field("its name")
    kind: str = row_field("model, human, or degradation: worse on purpose")
    expected: int = row_field("questions it was expected to return")
    returned: int = row_field("questions it returned")
    missing: int = row_field("the difference")
    sources: int = row_field("sources it was given")


class Coverage(Section[CoverageRow]):
    """Questions expected and returned, system by system."""

    key = "coverage"
    title = "Coverage"
    identity = ("system",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CoverageRow]:
        systems = System.objects.filter(dataset=inputs.said.campaign.dataset_id)
        kinds = dict(systems.values_list("name", "kind"))
        grouped = inputs.said.questions.groupby("system")
        counted = grouped.agg(
            expected=("text", "size"), returned=("text", "count"), sources=("source", "nunique")
        )
        return [
            CoverageRow(
                system=str(name),
                kind=kinds.get(str(name), ""),
                expected=int(row.expected),
                returned=int(row.returned),
                missing=int(row.expected - row.returned),
                sources=int(row.sources),
            )
            for name, row in counted.iterrows()
        ]
