"""Automatic metrics on a campaign's own questions, computed once and kept with how they were made."""

from collections.abc import Callable, Sequence

from django.db import transaction

from analysis.frames import Material, references
from analysis.metrics import registry, scoring
from analysis.metrics.contract import Metric as Recipe
from analysis.metrics.contract import (
    MetricFailed,
    MetricResult,
    MetricUnavailable,
    Preparation,
    Question,
    Scale,
    fingerprint,
    recipe,
)
from judging.models import Metric, Score

CHUNK = 2_000
CORE = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l")
SCALES = {Scale.FRACTION: Metric.Scale.FRACTION, Scale.PERCENT: Metric.Scale.PERCENT, Scale.NUMBER: Metric.Scale.OTHER}


def compute(
    material: Material, *, ids: Sequence[str], preparation: Preparation, step: Callable[[str], None]
) -> dict[str, str]:
    """Compute metrics that have no scores yet in this form; return the reason of each that could not be had.

    Existing scores of the same fingerprint are kept: a collection's texts never change.
    """
    questions, failures = _questions(material), {}
    if not any(question.references for _, question in questions):
        return dict.fromkeys(ids, "no source of this collection has a reference")
    for id in ids:
        step(f"Computing {id}")
        try:
            _compute_one(material, registry.get(id), questions, preparation)
        except (MetricUnavailable, MetricFailed, scoring.EmptyReference) as error:
            failures[id] = str(error)
    return failures


def _questions(material: Material) -> list[tuple[int, Question]]:
    given = references(material.campaign)
    rows = material.questions.dropna(subset=["text"])
    columns = zip(rows["unit"].tolist(), rows["text"].tolist(), rows["source"].tolist(), strict=True)
    return [(unit, Question(text, given.get(source, ()))) for unit, text, source in columns]


def _compute_one(
    material: Material, metric: Recipe, questions: Sequence[tuple[int, Question]], preparation: Preparation
) -> None:
    spec = metric.spec
    with transaction.atomic():
        row, new = Metric.objects.get_or_create(
            collection=material.campaign.collection,
            fingerprint=fingerprint(spec, {}, preparation),
            defaults={
                "name": spec.name,
                "kind": Metric.Kind.COMPUTED,
                "direction": Metric.Direction.HIGHER if spec.higher_is_better else Metric.Direction.LOWER,
                "scale": SCALES[spec.scale],
                "made": recipe(spec, {}, preparation),
            },
        )
        if not new:
            return
        for start in range(0, len(questions), CHUNK):
            part = questions[start : start + CHUNK]
            results = scoring.score(metric, [question for _, question in part], preparation=preparation)
            Score.objects.bulk_create(
                _score(row, unit, result) for (unit, _), result in zip(part, results, strict=True)
            )


def _score(metric: Metric, unit: int, result: MetricResult) -> Score:
    return Score(
        metric=metric, unit_id=unit, value=result.value, reason="" if result.value is not None else result.reason[:300]
    )
