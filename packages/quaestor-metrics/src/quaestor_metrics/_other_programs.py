"""The programs behind many papers' columns, by name: rouge-score and NLTK (extra `recipes`)."""

from collections.abc import Iterator, Mapping, Sequence
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
from quaestor_metrics._metric import QuestionMetric
from quaestor_metrics._progress import interruptible

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
def package_version(package: str) -> str:
    """Return a package's version, or nothing where it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


class ProgramMetric(QuestionMetric):
    """A sentence metric as the program of a package computes it."""

    package: str
    tokenises = False

    def available(self) -> tuple[bool, str]:
        if package_version(self.package):
            return True, ""
        return False, f"{self.package} is not installed (extra recipes)"

    def values(self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> Iterator[float]:
        """Yield the score of each question."""
        raise NotImplementedError

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        return [MetricResult(float(value)) for value in self.values(batch, params)]

    def _spec(self, id: str, name: str, *parameters: Parameter) -> MetricSpec:
        return MetricSpec(
            id=id,
            name=name,
            version="1",
            unit=ScoredUnit.MULTI_REF,
            needs=WORDS,
            parameters=parameters,
            library=f"{self.package} {package_version(self.package)}",
            languages=ENGLISH if self.tokenises else None,  # rouge-score drops all but a to z
            tokenises=self.tokenises,
        )


class RougeScore(ProgramMetric):
    """ROUGE F1 of the package rouge-score, best of several references."""

    package, tokenises = "rouge-score", True

    def __init__(self, kind: str = "l", **settings: Any) -> None:
        self.kind = kind
        super().__init__(**settings)

    def described(self) -> MetricSpec:
        name = f"ROUGE-{self.kind.upper()} F1 (rouge-score)"
        return self._spec(f"rouge_score_{self.kind}", name, STEMMER)

    def values(self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> Iterator[float]:
        kind = f"rouge{self.kind.upper()}"
        library = import_module("rouge_score.rouge_scorer")
        scorer = library.RougeScorer([kind], use_stemmer=params["stemmer"])
        for one in batch:
            yield max(
                scorer.score(reference, one.hypothesis)[kind].fmeasure
                for reference in interruptible(one.references)
            )


class NLTKBLEU(ProgramMetric):
    """Sentence BLEU of NLTK."""

    package = "nltk"

    def described(self) -> MetricSpec:
        order = Parameter("order", 4, "longest run of words", choices=(1, 2, 3, 4))
        return self._spec("nltk_bleu", "BLEU (NLTK)", order, SMOOTHING)

    def values(self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> Iterator[float]:
        library = import_module("nltk.translate.bleu_score")
        smooth = getattr(library.SmoothingFunction(), f"method{params['smoothing']}")
        weights = (1 / params["order"],) * params["order"]
        for question in interruptible(batch):
            words = question.hypothesis.split()
            references = [one.split() for one in question.references]
            yield library.sentence_bleu(references, words, weights, smooth) if words else 0.0


class _NoSynonyms:
    """A WordNet without words: what is left of METEOR are exact and stem matches."""

    @staticmethod
    def synsets(word: str) -> list[Any]:
        return []


class NLTKMETEOR(ProgramMetric):
    """METEOR of NLTK without WordNet, best of several references."""

    package = "nltk"

    def described(self) -> MetricSpec:
        return self._spec(
            "nltk_meteor",
            "METEOR (NLTK, without WordNet)",
            Parameter("alpha", 0.9, "weight of precision against recall", least=0, most=1),
            Parameter("beta", 3.0, "how fast the penalty grows with chunks", least=0, most=100),
            Parameter("gamma", 0.5, "the largest penalty", least=0, most=1),
        )

    def values(self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]) -> Iterator[float]:
        library = import_module("nltk.translate.meteor_score")
        for question in batch:
            words = question.hypothesis.split()
            yield max(
                library.single_meteor_score(one.split(), words, wordnet=_NoSynonyms(), **params)
                for one in interruptible(question.references)
            )


PROGRAMS = (RougeScore("1"), RougeScore("2"), RougeScore("l"), NLTKBLEU(), NLTKMETEOR())
