"""Rank@5 (Ray Chowdhury et al. 2022, section 5): a set's five questions that its passage most
probably answers, scored by a set metric."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from quaestor_metrics._answer_metrics import ReaderMetric
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Preparation,
    ScoredSet,
    ScoredUnit,
    Scorer,
    undefined,
)
from quaestor_metrics._metric import Derived, SetMetric
from quaestor_metrics._models import libraries
from quaestor_metrics._preparation import preparation_step
from quaestor_metrics._scoring import score_items

LARGEST = 5  # questions of a set
LEAST_PROBABILITY = 0.5


def most_answerable(hypotheses: Sequence[str], probabilities: Sequence[float]) -> tuple[str, ...]:
    """Return the five questions with the highest probability of an answer, the highest first.

    None with a probability below .5 is among them. Equal ones keep their order.

    Examples
    --------
    >>> most_answerable(["Who?", "Why?", "When?"], [0.6, 0.4, 0.9])
    ('When?', 'Who?')
    """
    ranked = sorted(
        zip(hypotheses, probabilities, strict=True), key=lambda pair: pair[1], reverse=True
    )
    answerable = [question for question, probability in ranked if probability >= LEAST_PROBABILITY]
    return tuple(answerable[:LARGEST])


class RankAt5(Derived, ReaderMetric, SetMetric):
    """A set metric of the five questions of a set that its passage most probably answers.

    The model reads the raw texts, the set metric the prepared ones.
    """

    def __init__(self, base: Scorer, *args: Any, **options: Any) -> None:
        self.base = base
        super().__init__(*args, **options)

    def described(self) -> MetricSpec:
        inner = self.base.spec
        prepare = Parameter(
            "prepare", "ptb", "preparation of both sides for the set metric", check=preparation_step
        )
        return replace(
            inner,
            id=f"rank5_{inner.id}",
            name=f"Rank@5 {inner.name}",
            needs=inner.needs | {Need.CONTEXT, Need.CASED},
            parameters=(self.model_parameter(), prepare, *inner.parameters),
            languages=ENGLISH,
            library=" / ".join(dict.fromkeys(filter(None, [inner.library, libraries()]))),
            neural=True,
        )

    def available(self) -> tuple[bool, str]:
        usable, reason = self.base.available()
        return ReaderMetric.available(self) if usable else (usable, reason)

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        pairs = [(text, one.context) for one in batch for text in one.hypotheses]
        readings = self.read(pairs, params)
        selected = [
            replace(
                one,
                hypotheses=most_answerable(
                    one.hypotheses,
                    [readings[text, one.context].probability for text in one.hypotheses],
                ),
            )
            for one in batch
        ]
        inner = {name: params[name] for name in params if name not in ("prepare", "reader")}
        preparation = Preparation(params["prepare"], params["prepare"])
        results = score_items(self.base, selected, params=inner, preparation=preparation)
        return [
            result if one.context.strip() else undefined("the source has no passage")
            for one, result in zip(batch, results, strict=True)
        ]


def can_rank(spec: MetricSpec) -> bool:
    """Return whether Rank@5 can select questions for a metric: it compares sets with references."""
    names = {parameter.name for parameter in spec.parameters}
    return (
        spec.unit is ScoredUnit.SET
        and Need.REFS in spec.needs
        and not names & {"prepare", "reader"}
    )
