"""Q-metrics (Nema and Khapra 2018, equation 1): answerability mixed into any metric of one
question."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from quaestor_metrics._metric import Derived, QuestionMetric
from quaestor_metrics._nist import NIST, NormalizedNIST
from quaestor_metrics._preparation import preparation_step
from quaestor_metrics._progress import interruptible
from quaestor_metrics._scoring import QUESTION_UNITS, score_items

PUBLISHED_DELTA = 0.66  # Q-BLEU1 on SQuAD, with answerability's published weights
OWN = tuple(parameter.name for parameter in PARAMETERS)


class QMetric(Derived, QuestionMetric):
    """delta * answerability + (1 - delta) * base metric.

    Answerability reads the cased text, the base metric the prepared one.

    Parameters
    ----------
    base : Scorer
        A metric of one question that compares with references. For `NIST`, which has no upper end,
        NIST divided by the NIST of the reference against itself is mixed.
    **settings
        `delta` (default .66), `prepare` (preparation for the base, default `ptb`), the parameters
        of `Answerability` and those of the base.

    References
    ----------
    Nema and Khapra 2018, Towards a better metric for evaluating question generation systems,
    equation 1.

    Examples
    --------
    >>> from quaestor_metrics import BLEU
    >>> q_bleu_1 = QMetric(BLEU(order=1), delta=0.5)
    >>> round(q_bleu_1.sentence_score("Who sang it?", "Who sang it?").value, 6)
    1.0
    """

    def __init__(self, base: Scorer, **settings: Any) -> None:
        self.base = NormalizedNIST(**base.settings) if isinstance(base, NIST) else base
        super().__init__(**settings)

    def described(self) -> MetricSpec:
        mine = (
            Parameter("delta", PUBLISHED_DELTA, "weight of answerability", least=0, most=1),
            Parameter(
                "prepare",
                "ptb",
                "preparation of both sides for the base metric",
                check=preparation_step,
            ),
            *PARAMETERS,
        )
        inner = self.base.spec
        return replace(
            inner,
            id=f"q_{inner.id}",
            name=f"Q-{inner.name}",
            needs=inner.needs | {Need.REFS, Need.CASED},
            parameters=mine + inner.parameters,
            languages=ENGLISH,
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        base_params = {
            parameter.name: params[parameter.name] for parameter in self.base.spec.parameters
        }
        preparation = Preparation(params["prepare"], params["prepare"])
        results = score_items(self.base, batch, params=base_params, preparation=preparation)
        return [
            self._mixed(question, result, params)
            for question, result in interruptible(zip(batch, results, strict=True))
        ]

    def _mixed(
        self, question: ScoredQuestion, result: MetricResult, params: Mapping[str, Any]
    ) -> MetricResult:
        if result.value is None:
            return result
        settings = {name: params[name] for name in OWN}
        unit = 100.0 if self.base.spec.scale is Scale.PERCENT else 1.0
        answer = best_answerability(question, settings) * unit
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
    # of NIST, which has no upper end, a fraction is mixed
    bounded = spec.scale is not Scale.NUMBER or spec.id == "nist"
    likeness = spec.higher_is_better and not spec.needs & {Need.CONTEXT, Need.ANSWER}
    is_question = spec.unit in QUESTION_UNITS
    return bounded and likeness and is_question and not names & {"delta", "prepare", *OWN, *CLASSES}
