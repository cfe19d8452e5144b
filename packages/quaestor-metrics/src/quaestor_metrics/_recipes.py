"""The programs behind many papers' columns, by name: rouge-score and NLTK (extra `recipes`)."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from quaestor_metrics._contract import (
    ENGLISH,
    WORDS,
    MetricResult,
    MetricSpec,
    Parameter,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._progress import told

Scored = Callable[[Sequence[ScoredQuestion], Mapping[str, Any]], list[float]]
RUN = re.compile("[a-z0-9]+")  # what rouge-score takes for a word
STEMMER = Parameter(
    "stemmer", True, "Porter's stems, as most papers have it", choices=(True, False)
)
SMOOTHING = Parameter(
    "smoothing",
    1,
    "NLTK's smoothing method; 0 is none, 1 adds a tiny count",
    choices=(0, 1, 2, 3, 4, 5, 6, 7),
)


@cache
def installed(package: str) -> str:
    """Return a package's version, or nothing where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _rouge(kind: str) -> Scored:
    def scored(batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> list[float]:
        scorer = import_module("rouge_score.rouge_scorer").RougeScorer(
            [kind], use_stemmer=params["stemmer"]
        )
        return [
            max(
                float(scorer.score(reference, one.hypothesis)[kind].fmeasure)
                for reference in told(one.references)
            )
            for one in batch
        ]

    return scored


def _nltk_bleu(batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> list[float]:
    library = import_module("nltk.translate.bleu_score")
    smooth = getattr(library.SmoothingFunction(), f"method{params['smoothing']}")
    weights = (1 / params["order"],) * params["order"]
    return [
        float(
            library.sentence_bleu(
                [one.split() for one in question.references],
                question.hypothesis.split(),
                weights,
                smooth,
            )
        )
        if question.hypothesis.split()
        else 0.0
        for question in told(batch)
    ]


class _NoSynonyms:
    """A WordNet without words: what is left of METEOR are exact and stem matches."""

    @staticmethod
    def synsets(word: str) -> list[Any]:
        return []


def _nltk_meteor(batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> list[float]:
    library = import_module("nltk.translate.meteor_score")
    return [
        max(
            float(
                library.single_meteor_score(
                    reference.split(),
                    question.hypothesis.split(),
                    wordnet=_NoSynonyms(),
                    alpha=params["alpha"],
                    beta=params["beta"],
                    gamma=params["gamma"],
                )
            )
            for reference in told(question.references)
        )
        for question in batch
    ]


@dataclass(frozen=True)
class PublishedRecipe:
    """A sentence metric as one program computes it."""

    id: str
    name: str
    package: str
    parameters: tuple[Parameter, ...]
    scored: Scored
    tokenises: bool = False

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            id=self.id,
            name=self.name,
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=WORDS,
            parameters=self.parameters,
            library=f"{self.package} {installed(self.package)}",
            languages=ENGLISH
            if self.tokenises
            else None,  # rouge-score drops every letter but a to z
            tokenises=self.tokenises,
        )

    def words(self, text: str) -> int:
        """Return how many words the package makes of a prepared text."""
        return sum(1 for _ in RUN.finditer(text.lower())) if self.tokenises else len(text.split())

    def available(self) -> tuple[bool, str]:
        if installed(self.package):
            return True, ""
        return False, f"{self.package} is not installed: python3 run.py extras recipes"

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        return [MetricResult(value) for value in self.scored(batch, params)]


RECIPES = (
    PublishedRecipe(
        "rouge_score_1",
        "ROUGE-1 F1 (rouge-score)",
        "rouge-score",
        (STEMMER,),
        _rouge("rouge1"),
        True,
    ),
    PublishedRecipe(
        "rouge_score_2",
        "ROUGE-2 F1 (rouge-score)",
        "rouge-score",
        (STEMMER,),
        _rouge("rouge2"),
        True,
    ),
    PublishedRecipe(
        "rouge_score_l",
        "ROUGE-L F1 (rouge-score)",
        "rouge-score",
        (STEMMER,),
        _rouge("rougeL"),
        True,
    ),
    PublishedRecipe(
        "nltk_bleu",
        "BLEU (NLTK)",
        "nltk",
        (Parameter("order", 4, "longest run of words", choices=(1, 2, 3, 4)), SMOOTHING),
        _nltk_bleu,
    ),
    PublishedRecipe(
        "nltk_meteor",
        "METEOR (NLTK, without WordNet)",
        "nltk",
        (
            Parameter("alpha", 0.9, "weight of precision against recall", least=0, most=1),
            Parameter("beta", 3.0, "how fast the penalty grows with chunks", least=0, most=100),
            Parameter("gamma", 0.5, "the largest penalty", least=0, most=1),
        ),
        _nltk_meteor,
    ),
)
