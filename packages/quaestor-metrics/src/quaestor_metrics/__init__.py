"""Automatic metrics of generated questions, with signatures.

`score` scores lists of texts by several metrics; `list_metrics` names them; a class such as `BLEU`
is one metric with its settings. A metric of another package has the entry-point group
`quaestor.metrics`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quaestor_metrics._answer_metrics import (
        AnswerConsistency,
        AnswerProbability,
        normalize_answer,
    )
    from quaestor_metrics._answerability import Answerability
    from quaestor_metrics._bertscore import BERTScore
    from quaestor_metrics._bleu import BLEU
    from quaestor_metrics._contract import (
        MetricFailed,
        MetricResult,
        MetricSpec,
        MetricUnavailable,
        Need,
        Parameter,
        Preparation,
        Scale,
        ScoredQuestion,
        ScoredSet,
        ScoredSystem,
        ScoredUnit,
        Scorer,
        Status,
        UnknownParameter,
        recipe,
        undefined,
    )
    from quaestor_metrics._degradations import degrade
    from quaestor_metrics._meteor import METEOR
    from quaestor_metrics._models import TransformerModel
    from quaestor_metrics._moverscore import MoverScore
    from quaestor_metrics._nist import NIST
    from quaestor_metrics._preparation import prepare
    from quaestor_metrics._progress import interruptible
    from quaestor_metrics._q_metric import QMetric
    from quaestor_metrics._registry import Registry, UnknownMetric, get, list_metrics
    from quaestor_metrics._rouge import ROUGEL
    from quaestor_metrics._sacrebleu import CHRF, SacreBLEU
    from quaestor_metrics._scoring import keep_running, score_items
    from quaestor_metrics._table_scoring import score
    from quaestor_metrics._version import __version__
    from quaestor_metrics._weight_tuning import tune

__all__ = [
    "BLEU",
    "CHRF",
    "METEOR",
    "NIST",
    "ROUGEL",
    "AnswerConsistency",
    "AnswerProbability",
    "Answerability",
    "BERTScore",
    "MetricFailed",
    "MetricResult",
    "MetricSpec",
    "MetricUnavailable",
    "MoverScore",
    "Need",
    "Parameter",
    "Preparation",
    "QMetric",
    "Registry",
    "SacreBLEU",
    "Scale",
    "ScoredQuestion",
    "ScoredSet",
    "ScoredSystem",
    "ScoredUnit",
    "Scorer",
    "Status",
    "TransformerModel",
    "UnknownMetric",
    "UnknownParameter",
    "__version__",
    "degrade",
    "get",
    "interruptible",
    "keep_running",
    "list_metrics",
    "normalize_answer",
    "prepare",
    "recipe",
    "score",
    "score_items",
    "tune",
    "undefined",
]

# A name is imported with its first use, so that importing the package takes no time
_NAMES_OF = {
    "_answer_metrics": (
        "AnswerConsistency",
        "AnswerProbability",
        "normalize_answer",
    ),
    "_answerability": ("Answerability",),
    "_bertscore": ("BERTScore",),
    "_bleu": ("BLEU",),
    "_contract": (
        "MetricFailed",
        "MetricResult",
        "MetricSpec",
        "MetricUnavailable",
        "Need",
        "Parameter",
        "Preparation",
        "Scale",
        "ScoredQuestion",
        "ScoredSet",
        "ScoredSystem",
        "ScoredUnit",
        "Scorer",
        "Status",
        "UnknownParameter",
        "recipe",
        "undefined",
    ),
    "_degradations": ("degrade",),
    "_meteor": ("METEOR",),
    "_models": ("TransformerModel",),
    "_moverscore": ("MoverScore",),
    "_nist": ("NIST",),
    "_preparation": ("prepare",),
    "_progress": ("interruptible",),
    "_q_metric": ("QMetric",),
    "_registry": (
        "Registry",
        "UnknownMetric",
        "get",
        "list_metrics",
    ),
    "_rouge": ("ROUGEL",),
    "_sacrebleu": (
        "CHRF",
        "SacreBLEU",
    ),
    "_scoring": (
        "keep_running",
        "score_items",
    ),
    "_table_scoring": ("score",),
    "_version": ("__version__",),
    "_weight_tuning": ("tune",),
}
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f"{__name__}.{_MODULE_OF[name]}")
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
