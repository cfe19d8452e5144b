"""The metrics that can score a dataset, why others cannot, and the variants of each."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Left

from analysis.scoring.actions import items, scores
from analysis.scoring.actions.site_metrics import registry
from judging.datasets.models.dataset import Dataset, Reference, Source
from quaestor_metrics import Need, Parameter
from quaestor_metrics._languages import default_preparation, is_spaced
from quaestor_metrics._preparation import is_prepared, not_for
from quaestor_metrics._registry import RegisteredMetric
from quaestor_metrics._scoring import QUESTION_UNITS

# settings that variants add to those of their base
VARIANT_SETTINGS = ("dedupe", "delta", "prepare", "reader")
LOOKED_AT = 200  # references, to see whether they were prepared before,
BEGINNING = 500  # characters of each reference to read, because a page waits for it
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "qgbench": {
        "metrics": ["bleu_4", "rouge_l", "meteor", "bertscore", "moverscore"],
        "prepare_hypothesis": "nqg",
        "prepare_reference": "raw",
        "settings": {"bertscore": {"part": "precision"}},
    },
    "rouge_score": {
        "metrics": ["rouge_score_1", "rouge_score_2", "rouge_score_l"],
        "prepare_hypothesis": "raw",
        "prepare_reference": "raw",
        "settings": {},
    },
    "nltk": {
        "metrics": ["nltk_bleu", "nltk_meteor"],
        "prepare_hypothesis": "lower",
        "prepare_reference": "lower",
        "settings": {},
    },
}
WORDS = "answerability"  # whose settings Q-metrics share


@dataclass(frozen=True)
class MetricOffer:
    """A metric, with the reason if it cannot be computed, and the variants that it has."""

    id: str
    name: str
    origin: str
    of: str
    lower_is_better: bool
    library: str
    reason: str
    variants: tuple[str, ...] = ()


def list_metric_offers(dataset: Dataset) -> list[MetricOffer]:
    """List every metric with its variants; usable ones can be computed on this dataset."""
    lacking = lacking_in(dataset)
    entries = registry().list_metrics()
    return [_offer(entry, lacking, dataset.language) for entry in entries]


def _offer(entry: RegisteredMetric, lacking: Mapping[Need, str], language: str) -> MetricOffer:
    if entry.metric is None:
        return MetricOffer(entry.id, entry.id, entry.origin, "", False, "", entry.reason)
    spec = entry.metric.spec
    can_be_english = any(parameter.name == "as_english" for parameter in spec.parameters)
    reasons = [
        "" if can_be_english else not_for(spec, language),
        entry.reason,
        *(lacking[need] for need in sorted(spec.needs) if need in lacking),
    ]
    return MetricOffer(
        id=entry.id,
        name=spec.name,
        origin=entry.origin,
        of="question" if spec.unit in QUESTION_UNITS else str(spec.unit),
        lower_is_better=not spec.higher_is_better,
        library=spec.library,
        reason=next(filter(None, reasons), ""),
        variants=tuple(
            name
            for name in registry().variants(entry.id)
            if not not_for(registry().get(f"{name}_{entry.id}").spec, language)
        ),
    )


def reference_preparation(dataset: Dataset) -> str:
    """Return the proposed preparation of a dataset's references: that of its questions, or "raw" if
    they are already prepared."""
    usual = default_preparation(dataset.language)
    if not is_spaced(dataset.language):
        return usual
    some = (
        Reference.objects.filter(source__dataset=dataset)
        .order_by("pk")
        .values_list(Left("text", BEGINNING), flat=True)
    )
    return "raw" if is_prepared(list(some[:LOOKED_AT])) else usual


def lacking_in(dataset: Dataset) -> dict[Need, str]:
    """Return the inputs of metrics that no source of a dataset has, each with a reason."""
    sources = Source.objects.filter(dataset=dataset)
    found = {
        Need.REFS: "" if items.has_references(dataset) else scores.NO_REFERENCES,
        Need.CONTEXT: ""
        if sources.exclude(passage=None).exists()
        else "no source of this dataset has a passage",
        Need.ANSWER: ""
        if sources.exclude(answer="").exists()
        else "no source of this dataset has an answer",
    }
    return {need: reason for need, reason in found.items() if reason}


def settings() -> dict[str, list[Parameter]]:
    """Return the settings that a page can offer: by base metric, and under "" those of variants."""
    usable = [entry for entry in registry().list_metrics() if entry.usable and entry.metric]
    by_metric = {
        entry.id: list(entry.metric.spec.parameters)
        for entry in usable
        if entry.metric and registry().base_of(entry.id) == entry.id
    }
    added = {
        parameter.name: parameter
        for id in ("multi_q_bleu_1", "rank5_avg_bleu_4")
        for parameter in registry().get(id).spec.parameters
    }
    if not registry().readers:
        del added["reader"]
    shared = [added[name] for name in VARIANT_SETTINGS if name in added]
    return {id: some for id, some in by_metric.items() if some} | {"": shared}


def chosen_metrics(ids: list[str], values: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each metric with those of the settings that are its own, checked; `values` are by
    base metric."""
    metrics = []
    for id in dict.fromkeys(ids):
        own = values.get(registry().base_of(id), {})
        every = {**values.get(WORDS, {}), **values.get("", {}), **own}
        metrics.append({"id": id, "params": scores.metric_settings(registry().get(id), every)})
    return metrics


def with_variants(ids: Sequence[str], variants: Sequence[str]) -> list[str]:
    """Return metrics, and of each the variants that it has."""
    return [
        id
        for base in ids
        for id in (base, *(f"{one}_{base}" for one in registry().variants(base) if one in variants))
    ]


def usable_metrics(dataset: Dataset) -> list[tuple[str, str]]:
    """Return id and name of every listed metric that can be computed on a dataset."""
    return [(offer.id, offer.name) for offer in list_metric_offers(dataset) if not offer.reason]


def is_variant(id: str, bases: Container[str]) -> bool:
    """Return whether a metric is a variant of one of the bases."""
    base = registry().base_of(id)
    variant = id.removesuffix(base).rstrip("_")
    return base in bases and variant in registry().variants(base)
