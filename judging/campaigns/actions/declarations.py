"""Checks of the hypotheses that a plan declares."""

from collections.abc import Mapping, Set
from dataclasses import replace

from judging.base.refusals import InvalidInput, check_between
from judging.campaigns.hypotheses import (
    DIRECTIONS,
    HOLM,
    IN_ORDER,
    METRIC_LEVELS,
    NON_INFERIOR,
    TWO_SIDED,
    Hypotheses,
    Margin,
    PrimaryHypothesis,
)
from judging.datasets.models.dataset import Dataset, System
from judging.protocols.actions.protocols import document_of
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_schema import ProtocolCriterion

LEVELS = (0.0001, 0.5)  # of the primary tests


def check_hypotheses(declared: Hypotheses, *, protocol: Protocol, dataset: Dataset) -> Hypotheses:
    """Return declarations with criteria by their keys.

    Raises
    ------
    InvalidInput
        For the first part that cannot be used; `field` is its name, such as
        `hypotheses.primary.0.criterion`.
    """
    if declared == Hypotheses():
        return declared
    check_between(declared.level, *LEVELS, field="hypotheses.level")
    if declared.multiplicity not in (HOLM, IN_ORDER):
        raise InvalidInput(f"Choose {HOLM} or {IN_ORDER}.", field="hypotheses.multiplicity")
    criteria = _Criteria(protocol)
    margins = {}
    for name, margin in declared.margins.items():
        field = f"hypotheses.margins.{name}"
        criterion = criteria.find(name, field)
        _check_margin(margin, criterion, field)
        margins[criterion.key] = margin
    systems = set(System.objects.filter(dataset=dataset).values_list("name", flat=True))
    primary = []
    for place, hypothesis in enumerate(declared.primary):
        field = f"hypotheses.primary.{place}"
        criterion = criteria.find(hypothesis.criterion, f"{field}.criterion")
        _check_test(hypothesis, criterion, margins, field)
        _check_names(hypothesis, systems, field)
        primary.append(replace(hypothesis, criterion=criterion.key))
    together = [
        criteria.find(name, "hypotheses.corrected_together").key
        for name in declared.corrected_together
    ]
    return replace(
        declared, primary=tuple(primary), margins=margins, corrected_together=tuple(together)
    )


class _Criteria:
    """The criteria of a protocol whose values can be averaged, by key and by name."""

    def __init__(self, protocol: Protocol) -> None:
        criteria = document_of(protocol).criteria
        averaged = [criterion for criterion in criteria if criterion.is_averaged]
        self.by_name = {criterion.name.casefold(): criterion for criterion in averaged}
        self.by_name |= {criterion.key.casefold(): criterion for criterion in averaged}

    def find(self, name: str, field: str) -> ProtocolCriterion:
        try:
            return self.by_name[name.casefold()]
        except KeyError:
            raise InvalidInput(
                "The protocol has no criterion of this name whose values can be averaged.",
                field=field,
            ) from None


def _check_margin(margin: Margin, criterion: ProtocolCriterion, field: str) -> None:
    reach = max(criterion.values()) - min(criterion.values())
    if not 0 < margin.points < reach:
        raise InvalidInput(
            f"The margin is {margin.points:g}; it must be above 0 and below {reach:g}, the length of the "
            "criterion's scale.",
            field=f"{field}.points",
        )
    if not margin.reason.strip():
        raise InvalidInput("Give the reason for the margin.", field=f"{field}.reason")


def _check_test(
    hypothesis: PrimaryHypothesis,
    criterion: ProtocolCriterion,
    margins: Mapping[str, Margin],
    field: str,
) -> None:
    """Check that a hypothesis can be tested on its criterion."""
    direction, level = hypothesis.direction, hypothesis.metric_level
    if direction not in DIRECTIONS:
        raise InvalidInput(f"Choose {', '.join(DIRECTIONS)}.", field=f"{field}.direction")
    if level and level not in METRIC_LEVELS:
        raise InvalidInput(f"Choose {', '.join(METRIC_LEVELS)}.", field=f"{field}.metric_level")
    if hypothesis.is_about_systems and direction != TWO_SIDED and criterion.best == "none":
        raise InvalidInput(
            "This criterion has no better end. Choose the two-sided test.",
            field=f"{field}.direction",
        )
    if direction == NON_INFERIOR and level:
        raise InvalidInput(
            "Non-inferiority is tested for systems, not for metrics.", field=f"{field}.direction"
        )
    if direction == NON_INFERIOR and criterion.key not in margins:
        raise InvalidInput(
            f"Declare the margin of {criterion.name} for this test.", field=f"{field}.direction"
        )


def _check_names(hypothesis: PrimaryHypothesis, systems: Set[str], field: str) -> None:
    """Check that a hypothesis names two systems of the dataset, or one or two metrics."""
    names = {"first": hypothesis.first, "second": hypothesis.second}
    for name, value in names.items():
        if hypothesis.is_about_systems and value not in systems:
            raise InvalidInput("The dataset has no system of this name.", field=f"{field}.{name}")
    if not hypothesis.first:
        raise InvalidInput("Name the metric.", field=f"{field}.first")
    if hypothesis.first == hypothesis.second:
        raise InvalidInput("Name two different ones.", field=f"{field}.second")
