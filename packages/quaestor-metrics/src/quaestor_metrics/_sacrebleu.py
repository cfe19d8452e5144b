"""sacreBLEU and chrF of one question, by the library `sacrebleu` (extra of that name). In percent,
as it gives them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import zip_longest
from typing import Any

from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    Parameter,
    Scale,
    ScoredQuestion,
    ScoredSystem,
    ScoredUnit,
    Scorer,
)
from quaestor_metrics._languages import UNSPACED
from quaestor_metrics._metric import Derived, QuestionMetric
from quaestor_metrics._progress import interruptible


@cache
def sacrebleu_version() -> str:
    """Return the library's version, or nothing where it is not installed."""
    try:
        return version("sacrebleu")
    except PackageNotFoundError:
        return ""


LOWERCASE = Parameter("lowercase", False, "ignore case", choices=(True, False))


class LibraryMetric(QuestionMetric):
    """A sentence metric of sacrebleu; its signature goes into the detail of each result."""

    def metric(self, params: Mapping[str, Any]) -> Any:
        """Return the metric of the library with its settings."""
        raise NotImplementedError

    def of_corpus(self) -> Scorer:
        return CorpusLibraryMetric(self)

    def available(self) -> tuple[bool, str]:
        return bool(
            sacrebleu_version()
        ), "" if sacrebleu_version() else "sacrebleu is not installed"

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        metric = self.metric(params)
        values = [
            metric.sentence_score(question.hypothesis, list(question.references)).score
            for question in interruptible(batch)
        ]
        detail = {"signature": str(metric.get_signature())} if batch else {}
        return [MetricResult(float(value), detail=detail) for value in values]

    def _spec(self, id: str, name: str, *parameters: Parameter) -> MetricSpec:
        return MetricSpec(
            id=id,
            name=name,
            version="1",
            unit=ScoredUnit.MULTI_REF,
            range=(0.0, 100.0),
            scale=Scale.PERCENT,
            parameters=parameters,
            library=f"sacrebleu {sacrebleu_version()}",
            tokenises=True,
        )


class CorpusLibraryMetric(Derived):
    """The corpus score of a metric of sacrebleu."""

    base: LibraryMetric

    def __init__(self, base: LibraryMetric) -> None:
        self.base = base
        super().__init__()

    def described(self) -> MetricSpec:
        inner = self.base.spec
        name = f"corpus {inner.id}"
        return replace(inner, id=f"corpus_{inner.id}", name=name, unit=ScoredUnit.SYSTEM)

    def score(self, batch: Sequence[ScoredSystem], params: Mapping[str, Any]) -> list[MetricResult]:
        results = []
        for system in batch:
            hypotheses = [question.hypothesis for question in system.questions]
            # one list for each place of a reference, None where a question has fewer
            references = zip_longest(*(question.references for question in system.questions))
            value = self.base.metric(params).corpus_score(hypotheses, list(map(list, references)))
            results.append(MetricResult(float(value.score)))
        return results


class SacreBLEU(LibraryMetric):
    """Sentence BLEU of the library sacrebleu, in percent.

    Parameters
    ----------
    **settings
        `tokenize`, `smooth`, `smooth_value`, `effective_order` and `lowercase`, as sacrebleu has
        them.

    References
    ----------
    Post 2018, A call for clarity in reporting BLEU scores.
    """

    def described(self) -> MetricSpec:
        return self._spec(
            "sacrebleu",
            "sacreBLEU (sentence)",
            Parameter(
                "tokenize",
                "13a",
                "tokeniser; languages without spaces take their characters",
                choices=("13a", "intl", "char", "zh", "ja-mecab", "ko-mecab", "none"),
                by_language={"zh": "zh", **dict.fromkeys(sorted(UNSPACED - {"zh"}), "char")},
            ),
            Parameter("smooth", "exp", "smoothing", choices=("exp", "floor", "add-k", "none")),
            Parameter(
                "smooth_value", None, "value of floor or add-k smoothing", least=0, most=1_000
            ),
            Parameter(
                "effective_order",
                True,
                "skip orders that the hypothesis is too short for",
                choices=(True, False),
            ),
            LOWERCASE,
        )

    def metric(self, params: Mapping[str, Any]) -> Any:
        rest = {name: value for name, value in params.items() if name != "smooth"}
        return import_module("sacrebleu").BLEU(smooth_method=params["smooth"], **rest)


class CHRF(LibraryMetric):
    """Sentence chrF of the library sacrebleu, in percent.

    Parameters
    ----------
    **settings
        `char_order` (default 6), `word_order` (default 0; 2 is chrF++) and `lowercase`.

    References
    ----------
    Popović 2015, chrF: character n-gram F-score for automatic MT evaluation.
    """

    def described(self) -> MetricSpec:
        return self._spec(
            "chrf",
            "chrF",
            # the package keeps every run of every length up to these at once
            Parameter("char_order", 6, "longest run of characters", least=1, most=10),
            Parameter("word_order", 0, "longest run of words (2 is chrF++)", least=0, most=5),
            LOWERCASE,
        )

    def metric(self, params: Mapping[str, Any]) -> Any:
        return import_module("sacrebleu").CHRF(**params)


LIBRARY_METRICS = (SacreBLEU(), CHRF())
