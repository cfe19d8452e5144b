"""Find the recipe that computed an imported column: each is tried on a sample of the dataset's
questions, METEOR and BERTScore on request."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from analysis.scoring.actions import items
from analysis.scoring.actions.column_pairs import EQUAL
from analysis.scoring.actions.scores import CORE, REFUSALS
from analysis.scoring.actions.site_metrics import registry
from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric, Score
from quaestor_metrics import (
    Preparation,
    ScoredQuestion,
    ScoredUnit,
    Scorer,
    keep_running,
    score_items,
)
from quaestor_metrics._contract import Item
from quaestor_metrics._languages import default_preparation, is_spaced
from quaestor_metrics._other_programs import PROGRAMS
from quaestor_metrics._sacrebleu import LIBRARY_METRICS
from quaestor_metrics._scoring import EmptyReference

SAMPLE = 200
REQUIRED_QUESTIONS = 3
SHOWN = 3
QUICK = (*CORE, *(metric.spec.id for metric in (*PROGRAMS, *LIBRARY_METRICS)))
SPACED = (("nqg", "raw"), ("nqg", "nqg"), ("ptb", "ptb"), ("lower", "lower"), ("raw", "raw"))
PERCENT = 100.0
SLOW: tuple[
    tuple[str, Mapping[str, Any]], ...
] = (  # tried on request, on fewer questions: a program or a model must start
    ("meteor", {}),
    *(("bertscore", {"part": part}) for part in ("f1", "precision", "recall")),
)
SLOW_SAMPLE = 50


@dataclass(frozen=True)
class Fit:
    """One recipe beside the column: the share of equal values and the mean difference, on a
    sample."""

    id: str
    name: str
    hypothesis: str
    reference: str
    share: float
    mean: float
    n: int
    divided: bool  # the column is in percent, the recipe a fraction
    setting: str = ""

    @property
    def is_it(self) -> bool:
        """Whether the recipe gives the column's values."""
        return self.share >= 0.99


@dataclass(frozen=True)
class Fits:
    """The recipes nearest to a column, best first, and those that were not tried, each with why;
    "" where it only takes longer."""

    best: list[Fit]
    not_tried: list[tuple[str, str]]


def nearest_recipes(dataset: Dataset, column: Metric, *, slow: bool = False) -> Fits | None:
    """Return the recipes whose values are nearest to a column's; None if nothing can be compared.
    `slow`: METEOR and BERTScore too, if they can run."""
    sample = _sample(dataset, column)
    if sample is None:
        return None
    batch, values = sample
    tried: list[tuple[Scorer, Mapping[str, Any], int]]
    tried = [(metric, {}, SAMPLE) for metric in _quick_metrics()]
    tried += _slow_metrics() if slow else []
    fits: list[Fit] = []
    with keep_running([metric for metric, _, size in tried if size == SLOW_SAMPLE]):
        for metric, params, size in tried:
            for preparation in _preparations(metric, dataset.language):
                columns = (batch[:size], values[:size], preparation)
                if fit := _fit(metric, params, *columns, dataset.language):
                    fits.append(fit)
    best = sorted(fits, key=lambda fit: (-fit.share, fit.mean))[:SHOWN]
    return Fits(best, _missing(slow=slow)) if best else None


def _sample(dataset: Dataset, column: Metric) -> tuple[list[Item], Any] | None:
    """Return questions spread over a column, with their values in it; None if there are too few."""
    scores = Score.objects.filter(metric=column, unit__position__isnull=False, value__isnull=False)
    units = list(scores.order_by("unit").values_list("unit", flat=True))
    keys = units[:: max(1, len(units) // SAMPLE)][:SAMPLE]
    if len(keys) < REQUIRED_QUESTIONS or not items.has_references(dataset):
        return None
    values = dict(scores.filter(unit__in=keys).values_list("unit", "value"))
    try:
        batch = _readable(items.read_metric_items(dataset, ScoredUnit.PAIR, keys))
    except EmptyReference:
        return None
    if len(batch) < REQUIRED_QUESTIONS:
        return None
    return batch, np.array([values[key] for key in keys[: len(batch)]])


def _slow_metrics() -> list[tuple[Scorer, Mapping[str, Any], int]]:
    """Return the slow metrics that can run, each with its parameters and size of sample."""
    metrics = ((registry().get(id), params) for id, params in SLOW)
    return [(metric, params, SLOW_SAMPLE) for metric, params in metrics if metric.available()[0]]


def _readable(batch: list[Item]) -> list[Item]:
    """Return the first items of a sample, as many as have the characters of one document."""
    lengths = [
        len(item.hypothesis) + sum(map(len, item.references))
        for item in batch
        if isinstance(item, ScoredQuestion)
    ]
    within = sum(total <= MAX_DOCUMENT_CHARACTERS for total in accumulate(lengths))
    return batch[:within]


def _missing(*, slow: bool) -> list[tuple[str, str]]:
    """Return the slow recipes that are not tried, each with why; "" where it only takes longer."""
    found = []
    for id in dict.fromkeys(id for id, _ in SLOW):
        metric = registry().get(id)
        usable, reason = metric.available()
        if not usable or not slow:
            found.append((metric.spec.name, reason))
    return found


def _quick_metrics() -> Iterator[Scorer]:
    entries = {entry.id: entry for entry in registry().list_metrics()}
    for id in QUICK:
        if entries[id].usable and (metric := entries[id].metric):
            yield metric


def _preparations(metric: Scorer, language: str) -> list[Preparation]:
    if metric.spec.tokenises:
        return [Preparation("raw", "raw")]
    if not is_spaced(language):
        return [Preparation(*[default_preparation(language)] * 2)]
    return [Preparation(*pair) for pair in SPACED]


def _fit(
    metric: Scorer,
    params: Mapping[str, Any],
    batch: list[Item],
    column: Any,
    preparation: Preparation,
    language: str,
) -> Fit | None:
    try:
        results = score_items(
            metric, batch, params=params, preparation=preparation, language=language
        )
    except REFUSALS:
        return None
    ours = np.array([np.nan if result.value is None else result.value for result in results])
    both = ~np.isnan(ours)
    if both.sum() < REQUIRED_QUESTIONS:
        return None
    # a column may be in percent where the recipe is a fraction, or the other way round
    gaps = {
        scale: np.abs(ours[both] * scale - column[both]) / max(scale, 1.0)
        for scale in (1.0, PERCENT, 1 / PERCENT)
    }
    scale = min(gaps, key=lambda each: float(gaps[each].mean()))
    return Fit(
        id=metric.spec.id,
        name=metric.spec.name,
        hypothesis=preparation.hypothesis,
        reference=preparation.reference,
        share=float((gaps[scale] <= EQUAL).mean()),
        mean=float(gaps[scale].mean()),
        n=int(both.sum()),
        divided=scale == PERCENT,
        setting=", ".join(f"{name}={value}" for name, value in params.items()),
    )
