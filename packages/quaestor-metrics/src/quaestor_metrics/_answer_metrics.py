"""Answers by a local question-answering model: whether a question leads back to the given answer,
and how probable it is that its passage answers it at all."""

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from quaestor_metrics._answer_reader import Reading, reader, reason_against_reader
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._metric import QuestionMetric
from quaestor_metrics._models import ModelMetric, TransformerModel, libraries

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(answer: str) -> str:
    """Return an answer as SQuAD compares it.

    Parameters
    ----------
    answer : str
        English text.

    Returns
    -------
    str
        Lower case, no ASCII punctuation, no articles, single spaces.

    References
    ----------
    Rajpurkar et al. 2016, SQuAD: 100,000+ questions for machine comprehension of text, section 6.1.

    Examples
    --------
    >>> normalize_answer("The Amazon.")
    'amazon'
    """
    return " ".join(_ARTICLES.sub(" ", answer.lower().translate(_NO_PUNCTUATION)).split())


def exact_match(answer: str, given: str) -> float:
    """Return 1 where two answers are the same once normalised, else 0 (Rajpurkar et al. 2016,
    section 6.1).

    Examples
    --------
    >>> exact_match("The Amazon.", "amazon")
    1.0
    """
    return float(normalize_answer(answer) == normalize_answer(given))


def token_f1(answer: str, given: str) -> float:
    """Return the F1 of the words of two answers as bags, once normalised (Rajpurkar et al. 2016,
    section 6.1).

    If either is empty after normalisation, it is their exact match, as in SQuAD 2.

    Examples
    --------
    >>> token_f1("the old bridge", "an old stone bridge")
    0.8
    """
    mine, theirs = normalize_answer(answer).split(), normalize_answer(given).split()
    if not mine or not theirs:
        return float(mine == theirs)
    shared = (Counter(mine) & Counter(theirs)).total()
    return 2 * shared / (len(mine) + len(theirs))


class ReaderMetric(ModelMetric):
    """A metric by a model that answers questions from their passage."""

    chooser = "reader"

    def reason_against(self, model: TransformerModel) -> str:
        return reason_against_reader(model)

    def read(
        self, pairs: Sequence[tuple[str, str]], params: Mapping[str, Any]
    ) -> dict[tuple[str, str], Reading]:
        """Return what the chosen model reads for each pair of question and passage."""
        return reader(self.chosen(params)).readings(pairs)


MEASURES: Mapping[str, tuple[str, Callable[[str, str], float]]] = {
    "f1": ("F1 of words", token_f1),
    "em": ("exact match", exact_match),
}


class AnswerConsistency(ReaderMetric, QuestionMetric):
    """Similarity of the answer that a model reads in the passage to the given answer.

    Parameters
    ----------
    model : str, or mapping of str to TransformerModel, optional
        A model trained for extractive question answering, as for `BERTScore`.
    measure : str
        `f1`, the F1 of words, or `em`, exact match.
    **options
        `revision`, `device`, `batch_size`, as for `BERTScore`.

    References
    ----------
    Rajpurkar et al. 2016, section 6.1, for the two measures.
    """

    def __init__(self, model: Any = None, *, measure: str = "f1", **options: Any) -> None:
        self.measure = measure
        super().__init__(model, **options)

    def described(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id=f"answer_consistency_{self.measure}",
            name=f"Answer consistency ({MEASURES[self.measure][0]})",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=frozenset({Need.CONTEXT, Need.ANSWER, Need.CASED}),
            parameters=(self.model_parameter(),),
            languages=ENGLISH,  # answers are compared without English articles
            library=libraries(),
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        readings = self.read([(one.hypothesis, one.context) for one in batch], params)
        answers = [readings[one.hypothesis, one.context].answer for one in batch]
        likeness = MEASURES[self.measure][1]
        return [
            MetricResult(likeness(answer, question.answer), detail={"answer": answer})
            for answer, question in zip(answers, batch, strict=True)
        ]


class AnswerProbability(ReaderMetric, QuestionMetric):
    """The probability that a model finds an answer to the question in its passage.

    Parameters
    ----------
    model, revision, device, batch_size
        As for `AnswerConsistency`; the model must have been trained to decline (SQuAD 2.0).

    References
    ----------
    Ray Chowdhury, Mahata and Caragea 2022, On the evaluation of answer-agnostic paragraph-level
    multi-question generation, section 5.
    """

    def described(self) -> MetricSpec:
        return MetricSpec(
            neural=True,
            id="answer_probability",
            name="Answer probability",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=frozenset({Need.CONTEXT, Need.CASED}),
            parameters=(self.model_parameter(),),
            library=libraries(),
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        readings = self.read([(one.hypothesis, one.context) for one in batch], params)
        ordered = [readings[one.hypothesis, one.context] for one in batch]
        return [MetricResult(one.probability, detail={"answer": one.answer}) for one in ordered]
