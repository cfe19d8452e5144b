"""sacreBLEU and chrF of one question, by the library `sacrebleu` (extra of that name). In percent,
as it gives them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    Parameter,
    Scale,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._languages import UNSPACED
from quaestor_metrics._progress import told


@cache
def installed() -> str:
    """Return the library's version, or nothing where it is not installed."""
    try:
        return version("sacrebleu")
    except PackageNotFoundError:
        return ""


def _bleu(params: Mapping[str, Any]) -> Any:
    return import_module("sacrebleu").BLEU(
        tokenize=params["tokenize"],
        smooth_method=params["smooth"],
        smooth_value=params["smooth_value"],
        lowercase=params["lowercase"],
        effective_order=params["effective_order"],
    )


def _chrf(params: Mapping[str, Any]) -> Any:
    return import_module("sacrebleu").CHRF(
        char_order=params["char_order"],
        word_order=params["word_order"],
        lowercase=params["lowercase"],
    )


LOWERCASE = Parameter("lowercase", False, "ignore case", choices=(True, False))


@dataclass(frozen=True)
class Sacre:
    """A sentence metric of sacrebleu; its signature goes into each result's detail."""

    id: str
    name: str
    parameters: tuple[Parameter, ...]
    make: Callable[[Mapping[str, Any]], Any]

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            id=self.id,
            name=self.name,
            version="1",
            unit=ScoredUnit.MULTI_REF,
            range=(0.0, 100.0),
            scale=Scale.PERCENT,
            parameters=self.parameters,
            library=f"sacrebleu {installed()}",
            tokenises=True,
        )

    def available(self) -> tuple[bool, str]:
        return (
            (True, "")
            if installed()
            else (False, "sacrebleu is not installed: python3 run.py extras sacrebleu")
        )

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        metric = self.make(params)
        values = [
            metric.sentence_score(question.hypothesis, list(question.references)).score
            for question in told(batch)
        ]
        detail = {"signature": str(metric.get_signature())} if batch else {}
        return [MetricResult(float(value), detail=detail) for value in values]


SACRE = (
    Sacre(
        "sacrebleu",
        "sacreBLEU (sentence)",
        (
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
        ),
        _bleu,
    ),
    Sacre(
        "chrf",
        "chrF",
        (
            # the package keeps every run of every length up to these at once
            Parameter("char_order", 6, "longest run of characters", least=1, most=10),
            Parameter("word_order", 0, "longest run of words (2 is chrF++)", least=0, most=5),
            LOWERCASE,
        ),
        _chrf,
    ),
)
