"""BERTScore (Zhang et al. 2020): each word piece matched to its nearest in the other text by
cosine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Parameter,
    ScoredQuestion,
    ScoredUnit,
    undefined,
)
from quaestor_metrics._encoder import LAYER, MODEL_VARIABLE, NOT_KNOWN, Encoded, encoder
from quaestor_metrics._local_model import folder_of, identity, reason_against

PAIRS_AT_ONCE = 512


def bert_score(hypothesis: Encoded, reference: Encoded) -> tuple[float, float, float]:
    """Return precision, recall and F1, without idf weights and without rescaling.

    The special pieces at both ends can be matched to, but their own match does not count in the
    mean.
    """
    cosine = hypothesis.vectors @ reference.vectors.T
    precision = float(cosine.max(axis=1)[~hypothesis.special].mean())
    recall = float(cosine.max(axis=0)[~reference.special].mean())
    total = precision + recall
    return precision, recall, 2 * precision * recall / total if total > 0 else 0.0


@dataclass(frozen=True, slots=True)
class BertScore:
    """BERTScore of one question, best of several references, by the operator's local model."""

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="bertscore",
            name="BERTScore",
            version="1",
            unit=ScoredUnit.PAIR,
            range=(-1.0, 1.0),
            parameters=(
                Parameter(
                    "part", "f1", "which of the three", choices=("f1", "precision", "recall")
                ),
                LAYER,
            ),
            library=identity(folder_of(MODEL_VARIABLE)),
            tokenises=True,
        )

    def available(self) -> tuple[bool, str]:
        reason = reason_against(folder_of(MODEL_VARIABLE), MODEL_VARIABLE)
        return not reason, reason

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        results: list[MetricResult] = []
        for start in range(0, len(batch), PAIRS_AT_ONCE):
            results.extend(
                self._chunk(batch[start : start + PAIRS_AT_ONCE], params["part"], params["layer"])
            )
        return results

    @staticmethod
    def _chunk(batch: Sequence[ScoredQuestion], part: str, layer: int) -> list[MetricResult]:
        folder = folder_of(MODEL_VARIABLE)
        if folder is None:
            raise MetricUnavailable(f"no model: set {MODEL_VARIABLE}")
        texts = [
            text for question in batch for text in (question.hypothesis, question.references[0])
        ]
        found = encoder(folder).encoded(texts, layer)
        return [
            _result(found[question.hypothesis], found[question.references[0]], part)
            for question in batch
        ]


def unknown_to_model(hypothesis: Encoded, reference: Encoded) -> MetricResult | None:
    """Return why a pair has no score where the model does not know the words of either text, else
    None."""
    if hypothesis.mostly_unknown or reference.mostly_unknown:
        which = "the question" if hypothesis.mostly_unknown else "the reference"
        return undefined(NOT_KNOWN.format(which=which))
    return None


def _result(hypothesis: Encoded, reference: Encoded, part: str) -> MetricResult:
    if nothing := unknown_to_model(hypothesis, reference):
        return nothing
    three = dict(zip(("precision", "recall", "f1"), bert_score(hypothesis, reference), strict=True))
    return MetricResult(
        three[part],
        detail={
            **three,
            "truncated": hypothesis.truncated or reference.truncated,
            "unknown": hypothesis.unknown + reference.unknown,
        },
    )
