"""Answers by a local question-answering model: whether a question leads back to the given answer,
and how probable it is that its passage answers it at all."""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Need,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._local_model import folder_of, identity, reason_against
from quaestor_metrics._reader import QA_VARIABLE, Reading, reader, reason_against_reader

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalised(answer: str) -> str:
    """Return an answer as SQuAD compares it: lower case, no punctuation, no articles, single
    spaces."""
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(answer: str, given: str) -> float:
    """Return 1 where two answers are the same once normalised, else 0 (Rajpurkar et al. 2016,
    section 6.1).

    Examples
    --------
    >>> exact_match("The Amazon.", "amazon")
    1.0
    """
    return float(normalised(answer) == normalised(given))


def token_f1(answer: str, given: str) -> float:
    """Return the F1 of the words of two answers as bags, once normalised (Rajpurkar et al. 2016,
    section 6.1).

    If either is empty after normalisation, it is their exact match, as in SQuAD 2.

    Examples
    --------
    >>> token_f1("the old bridge", "an old stone bridge")
    0.8
    """
    mine, theirs = normalised(answer).split(), normalised(given).split()
    if not mine or not theirs:
        return float(mine == theirs)
    shared = (Counter(mine) & Counter(theirs)).total()
    return 2 * shared / (len(mine) + len(theirs))


def reader_available() -> tuple[bool, str]:
    """Return whether the operator's question-answering model can be used, and if not, why."""
    folder = folder_of(QA_VARIABLE)
    reason = reason_against(folder, QA_VARIABLE) or (
        reason_against_reader(folder) if folder else ""
    )
    return not reason, reason


def read(asked: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Reading]:
    """Return the answer of the operator's model for each pair of question and passage."""
    folder = folder_of(QA_VARIABLE)
    if folder is None:
        raise MetricUnavailable(f"no model: set {QA_VARIABLE}")
    return reader(folder).readings(asked)


@dataclass(frozen=True, slots=True)
class AnswerConsistency:
    """Similarity of the answer that the operator's local model finds in the passage to the given
    answer."""

    part: str
    title: str
    measure: Callable[[str, str], float]

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id=f"answer_consistency_{self.part}",
            name=f"Answer consistency ({self.title})",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=frozenset({Need.CONTEXT, Need.ANSWER, Need.CASED}),
            languages=ENGLISH,  # answers are compared without English articles
            library=identity(folder_of(QA_VARIABLE)),
        )

    def available(self) -> tuple[bool, str]:
        return reader_available()

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        found = read([(question.hypothesis, question.context) for question in batch])
        return [
            self._result(question, found[question.hypothesis, question.context].answer)
            for question in batch
        ]

    def _result(self, question: ScoredQuestion, answer: str) -> MetricResult:
        return MetricResult(self.measure(answer, question.answer), detail={"answer": answer})


@dataclass(frozen=True, slots=True)
class AnswerProbability:
    """The probability that the operator's local model finds an answer to the question in its
    passage (Ray Chowdhury et al. 2022, section 5)."""

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="answer_probability",
            name="Answer probability",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=frozenset({Need.CONTEXT, Need.CASED}),
            library=identity(folder_of(QA_VARIABLE)),
        )

    def available(self) -> tuple[bool, str]:
        return reader_available()

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        found = read([(question.hypothesis, question.context) for question in batch])
        readings = [found[question.hypothesis, question.context] for question in batch]
        return [MetricResult(each.probability, detail={"answer": each.answer}) for each in readings]


CONSISTENCY = (
    AnswerConsistency("f1", "F1 of words", token_f1),
    AnswerConsistency("em", "exact match", exact_match),
)
