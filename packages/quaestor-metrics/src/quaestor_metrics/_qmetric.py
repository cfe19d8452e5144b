"""Q-metrics (Nema and Khapra 2018, equation 1): answerability mixed into any metric of one
question."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from quaestor_metrics._answerability import CLASSES, PARAMETERS, best_answerability, has_capitals
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Preparation,
    Scale,
    ScoredQuestion,
    Scorer,
)
from quaestor_metrics._preparation import step
from quaestor_metrics._progress import told
from quaestor_metrics._scoring import kept, score

PUBLISHED_DELTA = 0.66  # Q-BLEU1 on SQuAD, with answerability's published weights
OWN = tuple(parameter.name for parameter in PARAMETERS)


@dataclass(frozen=True)
class QMetric:
    """Q-M = delta * answerability + (1 - delta) * M. Answerability reads the cased text, M the
    prepared one."""

    base: Scorer

    @property
    def spec(self) -> MetricSpec:
        mine = (
            Parameter("delta", PUBLISHED_DELTA, "weight of answerability", least=0, most=1),
            Parameter(
                "prepare", "ptb", "preparation of both sides for the base metric", check=step
            ),
            *PARAMETERS,
        )
        return replace(
            self.base.spec,
            id=f"q_{self.base.spec.id}",
            name=f"Q-{self.base.spec.name}",
            needs=self.base.spec.needs | {Need.REFS, Need.CASED},
            parameters=mine + self.base.spec.parameters,
            languages=ENGLISH,
        )

    def available(self) -> tuple[bool, str]:
        return self.base.available()

    @contextmanager
    def kept(self) -> Iterator[None]:
        with kept([self.base]):
            yield

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        asked = {parameter.name: params[parameter.name] for parameter in self.base.spec.parameters}
        preparation = Preparation(params["prepare"], params["prepare"])
        found = score(self.base, batch, params=asked, preparation=preparation)
        return [
            self._mixed(question, result, params)
            for question, result in told(zip(batch, found, strict=True))
        ]

    def _mixed(
        self, question: ScoredQuestion, result: MetricResult, params: Mapping[str, Any]
    ) -> MetricResult:
        if result.value is None:
            return result
        own = {name: params[name] for name in OWN}
        unit = 100.0 if self.base.spec.scale is Scale.PERCENT else 1.0
        answer = best_answerability(question, own) * unit
        delta = float(params["delta"])
        detail = {
            "answerability": answer,
            "base": result.value,
            "cased": has_capitals((question.hypothesis, *question.references)),
        }
        return MetricResult(delta * answer + (1 - delta) * result.value, detail=detail)


def can_mix(spec: MetricSpec) -> bool:
    """Return whether a metric has a Q-variant: it compares with references, as a fraction or
    percent, and no parameter has a name that Q-metrics add."""
    names = {parameter.name for parameter in spec.parameters}
    bounded = spec.scale in (Scale.FRACTION, Scale.PERCENT)
    likeness = spec.higher_is_better and not spec.needs & {Need.CONTEXT, Need.ANSWER}
    return bounded and likeness and not names & {"delta", "prepare", *OWN, *CLASSES}
