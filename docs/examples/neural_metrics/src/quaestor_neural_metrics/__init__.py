"""BARTScore, QRelScore, RQUGE, UniEval, SummaC and QAScore with models in local folders.

Each metric follows its authors' released program. None was compared with its published weights.
"""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from quaestor_metrics import (
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Scale,
    ScoredQuestion,
    ScoredUnit,
    TransformerModel,
    interruptible,
    normalize_answer,
    undefined,
)
from quaestor_neural_metrics.local_scorers import LocalScorer, ScorerNumbers, scorer

Scorers = Sequence[LocalScorer]
BART, MASKED, CAUSAL = "QUAESTOR_BART_MODEL", "QUAESTOR_MASKED_MODEL", "QUAESTOR_CAUSAL_MODEL"
READS, RATES = "QUAESTOR_RQUGE_QA_MODEL", "QUAESTOR_RQUGE_SCORER_MODEL"
YES_NO, ENTAILS = "QUAESTOR_UNIEVAL_MODEL", "QUAESTOR_NLI_MODEL"
ANSWER_PIECES = 30  # of what RQUGE's reader writes
SHORTEST_SENTENCE = 10  # characters; SummaC leaves out what is no longer
SENTENCES_READ = 100  # of a passage, as SummaC reads them
SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+")
TINY = 1e-8  # that QRelScore adds to its divisor
VERDICTS = {
    "fluency": "question: Is this a fluent paragraph? </s> paragraph: {question}",
    "consistency": (
        "question: Is this claim consistent with the document? </s> claim: {question}"
        " </s> document: {passage}"
    ),
}


@dataclass(frozen=True)
class ModelMetric:
    """A metric of one question by one or two models, each in the folder that a variable names."""

    id: str
    name: str
    models: tuple[tuple[str, str], ...]  # variable and kind
    needs: frozenset[Need]
    scored: Callable[[Scorers, ScoredQuestion, Mapping[str, Any]], MetricResult]
    range: tuple[float, float] = (0.0, 1.0)
    scale: Scale = Scale.FRACTION
    parameters: tuple[Parameter, ...] = ()

    def loaded_models(self) -> list[tuple[TransformerModel, str]]:
        """Return the models whose folders are set, each with its kind."""
        named = [(os.environ.get(variable), kind) for variable, kind in self.models]
        return [
            (TransformerModel(str(Path(folder).resolve())), kind)
            for folder, kind in named
            if folder
        ]

    @property
    def spec(self) -> MetricSpec:
        described = [model.description() for model, _ in self.loaded_models()]
        return MetricSpec(
            neural=True,
            id=self.id,
            name=self.name,
            version="1",
            unit=ScoredUnit.PAIR if Need.REFS in self.needs else ScoredUnit.MULTI_REF,
            range=self.range,
            scale=self.scale,
            needs=self.needs,
            parameters=self.parameters,
            library="; ".join(f"{one['name']} {one['revision']}" for one in described),
            tokenises=True,
        )

    def available(self) -> tuple[bool, str]:
        missing = [variable for variable, _ in self.models if not os.environ.get(variable)]
        if missing:
            return False, f"set {missing[0]} to the folder of a downloaded transformer"
        reasons = (model.reason_against() for model, _ in self.loaded_models())
        reason = next(filter(None, reasons), "")
        return not reason, reason

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        loaded = [scorer(model, kind) for model, kind in self.loaded_models()]
        return [self.scored(loaded, question, params) for question in interruptible(batch)]


def _bartscore(
    scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]
) -> MetricResult:
    hypothesis, reference = question.hypothesis, question.references[0]
    sides = {"precision": (reference, hypothesis), "recall": (hypothesis, reference)}
    parts = sides if params["part"] == "f" else {params["part"]: sides[params["part"]]}
    found = {
        name: float(scorers[0].target_log_likelihoods(*pair).mean()) for name, pair in parts.items()
    }
    return MetricResult(float(np.mean(list(found.values()))), detail=found)


def _bartscore_source(
    scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]
) -> MetricResult:
    found = scorers[0].target_log_likelihoods(question.context, question.hypothesis)
    return MetricResult(float(found.mean()))


def gained(before: float, after: float) -> float:
    """Return what a context gains in likelihood by a question before it, relative; never below 0.

    Examples
    --------
    >>> gained(0.2, 0.3), gained(0.2, 0.1)
    (0.5, 0.0)
    """
    return max(round((after - before) / before, 12), 0.0)


def _qrelscore(
    scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]
) -> MetricResult:
    masked, causal = scorers
    local = masked.attended_likeness(question.hypothesis, question.context)
    together = f"{question.hypothesis} {question.context}"
    alone, after = (causal.next_piece_probabilities(text) for text in (question.context, together))
    if isnan(local) or not alone.size:
        return undefined(
            "the question or the passage is too short, or the question too long for the model"
        )
    whole = gained(float(alone.mean()), float(after.mean()))
    detail = {"local": local, "global": whole}
    if local + whole <= 0:
        return MetricResult(0.0, detail=detail)
    return MetricResult(2 * local * whole / (local + whole + TINY), detail=detail)


def _rquge(scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]) -> MetricResult:
    reader, rater = scorers
    answer = reader.written(rf"{question.hypothesis} \n {question.context}", ANSWER_PIECES)
    parts = map(normalize_answer, (question.hypothesis, question.answer, answer, question.context))
    text = "{} <q> {} <r> {} <c> {}".format(*parts)
    return MetricResult(float(rater.class_logits(text)[0]), detail={"answer": answer})


def _unieval(scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]) -> MetricResult:
    asked = VERDICTS[params["dimension"]]
    text = asked.format(question=question.hypothesis, passage=question.context)
    return MetricResult(scorers[0].answer_share(text, "Yes", "No"))


def sentences(passage: str) -> list[str]:
    """Return a passage's sentences, those that are very short aside; of none, the passage."""
    parts = SENTENCE_ENDS.split(passage.strip())
    return [one for one in parts if len(one) > SHORTEST_SENTENCE][:SENTENCES_READ] or [passage]


def zero_shot(entailed: ScorerNumbers, contradicted: ScorerNumbers) -> float:
    """Return SummaC-ZS: the most that a sentence entails minus the most that one contradicts.

    Examples
    --------
    >>> round(zero_shot(np.array([0.1, 0.7]), np.array([0.6, 0.2])), 12)
    0.1
    """
    return float(entailed.max() - contradicted.max())


def _summac(scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]) -> MetricResult:
    rater = scorers[0]
    names = {str(name).lower()[:6]: at for at, name in rater.model.config.id2label.items()}
    if not {"entail", "contra"} <= names.keys():
        return undefined("the model's labels name no entailment and contradiction")
    logits = np.array(
        [rater.class_logits(one, question.hypothesis) for one in sentences(question.context)]
    )
    shares = np.exp(logits - logits.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    value = zero_shot(shares[:, int(names["entail"])], shares[:, int(names["contra"])])
    return MetricResult(value)


def _qascore(scorers: Scorers, question: ScoredQuestion, params: Mapping[str, Any]) -> MetricResult:
    rater = scorers[0]
    passage, asked, answer = (
        rater.pieces(text) for text in (question.context, question.hypothesis, question.answer)
    )
    between = rater.tokenizer.sep_token_id
    tables, places = rater.masked_tables([*passage, between, *asked, between], answer)
    if not tables:
        return undefined("the model reads nothing of the answer")
    if params["formula"] == "script":
        return MetricResult(float(np.mean([table.mean() for table in tables])))
    own = [table[place] for table, place in zip(tables, places, strict=True)]
    return MetricResult(float(np.mean(own)))


PASSAGE, REFERENCE = frozenset({Need.CONTEXT}), frozenset({Need.REFS})
WITH_ANSWER = frozenset({Need.CONTEXT, Need.ANSWER})
BELOW_0 = (-inf, 0.0)
PART = Parameter(
    "part",
    "f",
    "likelihood of the question after the reference (precision), the other way round (recall), or their mean",
    choices=("f", "precision", "recall"),
)
FORMULA = Parameter(
    "formula",
    "masked",
    "the masked pieces of the answer alone, or every piece of the text as the authors' script has it",
    choices=("masked", "script"),
)
DIMENSION = Parameter(
    "dimension", "fluency", "what the model is asked about", choices=tuple(VERDICTS)
)
BARTSCORE = ModelMetric(
    "bartscore",
    "BARTScore",
    ((BART, "seq2seq"),),
    REFERENCE,
    _bartscore,
    parameters=(PART,),
    range=BELOW_0,
    scale=Scale.NUMBER,
)
BARTSCORE_SOURCE = ModelMetric(
    "bartscore_source",
    "BARTScore, question after passage",
    ((BART, "seq2seq"),),
    PASSAGE,
    _bartscore_source,
    range=BELOW_0,
    scale=Scale.NUMBER,
)
QRELSCORE = ModelMetric(
    "qrelscore",
    "QRelScore",
    ((MASKED, "encoder"), (CAUSAL, "causal")),
    PASSAGE,
    _qrelscore,
    range=(0.0, inf),
    scale=Scale.NUMBER,
)
RQUGE = ModelMetric(
    "rquge",
    "RQUGE",
    ((READS, "seq2seq"), (RATES, "classifier")),
    WITH_ANSWER,
    _rquge,
    range=(-inf, inf),
    scale=Scale.NUMBER,
)
UNIEVAL = ModelMetric(
    "unieval", "UniEval", ((YES_NO, "seq2seq"),), PASSAGE, _unieval, parameters=(DIMENSION,)
)
SUMMAC_ZS = ModelMetric(
    "summac_zs", "SummaC-ZS", ((ENTAILS, "classifier"),), PASSAGE, _summac, range=(-1.0, 1.0)
)
QASCORE = ModelMetric(
    "qascore",
    "QAScore",
    ((MASKED, "masked"),),
    WITH_ANSWER,
    _qascore,
    parameters=(FORMULA,),
    range=BELOW_0,
    scale=Scale.NUMBER,
)
METRICS = (BARTSCORE, BARTSCORE_SOURCE, QRELSCORE, RQUGE, UNIEVAL, SUMMAC_ZS, QASCORE)
