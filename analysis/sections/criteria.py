"""The criteria of the study and their scales."""

from typing import Any

from analysis.reports.rows import row_field, table_row
from analysis.sections.section import Chance, Found, Inputs, Section
from judging.protocols.protocol_schema import ProtocolCriterion, ProtocolDocument, Quota
from quaestor_stats._alpha import Level


@table_row
class CriterionRow:
    """A criterion of the protocol."""

    criterion: str = row_field("its key")
    name: str = row_field("its name")
    level: str = row_field("level of measurement: nominal, ordinal or interval")
    best: str = row_field("which end of its scale is best: highest, lowest or none")
    unit: str = row_field("what is judged: a question, or a set of questions")
    averaged: bool = row_field(
        "whether its values may be averaged and tested; without a better end they may not"
    )
    points: list[Any] = row_field("its scale, each point a value and a label")
    target: list[Any] = row_field(
        "how many questions of a set ought to have each value, where the protocol asks for it: "
        "pairs of a value and a number"
    )

    @property
    def alpha_level(self) -> Level:
        """The level of measurement of the reported alpha."""
        return alpha_level(self.level, points=len(self.points))

    @property
    def labels(self) -> dict[int, str]:
        return {int(value): str(label) for value, label in self.points}


def alpha_level(level: str, *, points: int) -> Level:
    """Return the level of measurement of the reported alpha; with two points the order makes no
    difference."""
    return "nominal" if level == "nominal" or points == 2 else "ordinal"


class Criteria(Section[CriterionRow]):
    """The criteria and their scales."""

    key = "criteria"
    title = "Criteria and scales"
    identity = ("criterion",)

    def compute(self, inputs: Inputs, found: Found, chance: Chance) -> list[CriterionRow]:
        protocol = inputs.said.protocol
        return [
            CriterionRow(
                criterion=criterion.key,
                name=criterion.name,
                level=criterion.level,
                best=criterion.best,
                unit=criterion.unit,
                averaged=criterion.is_averaged,
                points=[[point.value, point.label] for point in criterion.points],
                target=_target(protocol, criterion),
            )
            for criterion in protocol.criteria
        ]


def _target(protocol: ProtocolDocument, criterion: ProtocolCriterion) -> list[Any]:
    quotas = [
        fact.quota
        for fact in protocol.facts
        if isinstance(fact, Quota) and fact.criterion == criterion.key
    ]
    return [[value, count] for quota in quotas for value, count in sorted(quota.items())]


def criterion_rows(found: Found) -> list[CriterionRow]:
    """Return the criteria of a run, in the protocol's order."""
    return found.of(Criteria)
