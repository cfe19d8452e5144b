"""Properties of a question set that need no judgment of its questions: overlap, number, types,
duplicates."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quaestor_metrics._bleu import bleu
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Scale,
    ScoredSet,
    ScoredUnit,
    undefined,
)
from quaestor_metrics._metric import SetMetric
from quaestor_metrics._progress import interruptible
from quaestor_metrics._question_types import question_type, type_by_head, type_evenness
from quaestor_metrics._rouge import lcs_length
from quaestor_metrics._treebank import ptb

NEAR = 0.8
# 0 is best, between too few and too many
WITHOUT_BETTER_END = frozenset({"cardinality_difference"})
NO_QUESTIONS = "the set has no questions"


def self_bleu_2(hypotheses: Sequence[str], *, duplicates: str = "keep") -> float:
    """Return Self-BLEU2, the mean BLEU-2 of each question against the others; lower is more
    diverse.

    Two equal questions score 1 against each other. With `duplicates="drop"`, the papers' script, a
    question is not compared with its copies. A question without others counts 0.
    """
    scores = []
    for place, hypothesis in enumerate(interruptible(hypotheses)):
        others = [*hypotheses[:place], *hypotheses[place + 1 :]]
        if duplicates == "drop":
            others = [other for other in others if other != hypothesis]
        scores.append(bleu(hypothesis, others)[1] if others else 0.0)
    return sum(scores) / len(scores)


def normalised(question: str) -> str:
    """Return a question with its white space made single: what Task B calls identical."""
    return " ".join(question.split())


def exact_duplicates(hypotheses: Sequence[str]) -> int:
    """Count the questions that repeat an earlier one, white space aside."""
    return len(hypotheses) - len({normalised(hypothesis) for hypothesis in hypotheses})


def near_duplicates(hypotheses: Sequence[str], *, threshold: float = NEAR) -> int:
    """Count the questions that are at least so like an earlier one (exact repetitions included)."""
    worded = [ptb(hypothesis).split() for hypothesis in hypotheses]
    return sum(
        any(_likeness(words, earlier) >= threshold for earlier in worded[:place])
        for place, words in enumerate(interruptible(worded))
    )


def _likeness(a: Sequence[str], b: Sequence[str]) -> float:
    """Return 2 LCS / (|a| + |b|) of treebank words: 1 for the same words in the same order."""
    return 2 * lcs_length(a, b) / (len(a) + len(b)) if a or b else 1.0


def types_of(one: ScoredSet, *, by: str = "word") -> list[str]:
    """Return the type of each question of a set, by its question word or by the head of its
    wh-phrase."""
    answers = one.answers or ("",) * len(one.hypotheses)
    type_of = type_by_head if by == "head" else question_type
    return [
        type_of(question, answer) for question, answer in zip(one.hypotheses, answers, strict=True)
    ]


class SetProperty(SetMetric):
    """A metric that measures something in a question set."""

    def __init__(
        self,
        spec: MetricSpec,
        measure: Callable[[ScoredSet, Mapping[str, Any]], MetricResult],
    ) -> None:
        self._spec, self.measure = spec, measure
        super().__init__()

    def described(self) -> MetricSpec:
        return self._spec

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        return [self.measure(one, params) for one in interruptible(batch)]


def _spec(id: str, name: str, **rest: Any) -> MetricSpec:
    return MetricSpec(
        id=id, name=name, version="1", unit=ScoredUnit.SET, **{"needs": frozenset(), **rest}
    )


def _self_bleu(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    if not one.hypotheses:
        return undefined(NO_QUESTIONS)
    return MetricResult(self_bleu_2(one.hypotheses, duplicates=params["duplicates"]))


def _cardinality(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    return MetricResult(float(len(one.references) - len(one.hypotheses)))


def _cardinality_error(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    return MetricResult(float(abs(len(one.references) - len(one.hypotheses))))


def _type_ratio(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    types = types_of(one, by=params["by"])
    return (
        MetricResult(len(set(types)) / len(types), detail={"types": types})
        if types
        else undefined(NO_QUESTIONS)
    )


def _type_balance(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    types = types_of(one, by=params["by"])
    return (
        MetricResult(type_evenness(types), detail={"types": types})
        if types
        else undefined(NO_QUESTIONS)
    )


def _exact(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    return MetricResult(float(exact_duplicates(one.hypotheses)))


def _near(one: ScoredSet, params: Mapping[str, Any]) -> MetricResult:
    return MetricResult(float(near_duplicates(one.hypotheses, threshold=params["threshold"])))


_COUNTS: dict[str, Any] = {
    "range": (0.0, float("inf")),
    "scale": Scale.NUMBER,
    "higher_is_better": False,
}
_REFS: dict[str, Any] = {"needs": frozenset({Need.REFS})}
_TYPES: dict[str, Any] = {
    "languages": ENGLISH,
    "parameters": (
        Parameter(
            "by",
            "word",
            "what tells the type: question word or head of the wh-phrase",
            choices=("word", "head"),
        ),
    ),
}

SET_PROPERTIES = (
    SetProperty(
        _spec(
            "self_bleu_2",
            "Self-BLEU2",
            higher_is_better=False,
            needs=frozenset({Need.WORDS}),
            parameters=(
                Parameter(
                    "duplicates",
                    "keep",
                    "compare a question with its exact copies",
                    choices=("keep", "drop"),
                ),
            ),
        ),
        _self_bleu,
    ),
    SetProperty(
        _spec(
            "cardinality_difference",
            "Cardinality difference (references - predictions; 0 is best)",
            **{**_COUNTS, **_REFS, "range": (float("-inf"), float("inf"))},
        ),
        _cardinality,
    ),
    SetProperty(
        _spec("cardinality_error", "Absolute cardinality difference", **_COUNTS, **_REFS),
        _cardinality_error,
    ),
    SetProperty(_spec("type_ratio", "Distinct question types per question", **_TYPES), _type_ratio),
    SetProperty(_spec("type_balance", "Balance of question types", **_TYPES), _type_balance),
    SetProperty(_spec("exact_duplicates", "Exact duplicates", **_COUNTS), _exact),
    SetProperty(
        _spec(
            "near_duplicates",
            "Near duplicates",
            needs=frozenset({Need.WORDS}),
            parameters=(
                Parameter(
                    "threshold",
                    NEAR,
                    "likeness from which two questions count as one",
                    least=0,
                    most=1,
                ),
            ),
            **_COUNTS,
        ),
        _near,
    ),
)
