"""Outputs present: the questions expected of each system, and those it returned."""

from dataclasses import dataclass

from analysis.sections.section import Chance, Found, Inputs, Section


@dataclass(frozen=True)
class ReturnedRow:
    """Numbers of expected and returned questions of one system.

    system: its name
    expected: questions it was expected to return
    returned: questions it returned
    missing: the difference
    sources: sources it was given
    """

    system: str
    expected: int
    returned: int
    missing: int
    sources: int


class Returned(Section[ReturnedRow]):
    """Questions expected and returned, system by system."""

    key = "returned"
    title = "Questions expected and returned"
    identity = ("system",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[ReturnedRow]:
        grouped = inputs.said.questions.groupby("system")
        counted = grouped.agg(
            expected=("text", "size"), returned=("text", "count"), sources=("source", "nunique")
        )
        return [
            ReturnedRow(
                system=str(name),
                expected=int(row.expected),
                returned=int(row.returned),
                missing=int(row.expected - row.returned),
                sources=int(row.sources),
            )
            for name, row in counted.iterrows()
        ]
