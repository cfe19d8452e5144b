"""The metrics that can score a dataset, why others cannot, and the metrics derived from each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Left

from analysis.actions import items, scores
from judging.models import Collection, Reference, Source
from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import Need, Parameter
from quaestor_metrics._languages import default_preparation, is_spaced
from quaestor_metrics._preparation import is_prepared, not_for
from quaestor_metrics._registry import RegisteredMetric
from quaestor_metrics._scoring import QUESTION_UNITS

# settings that Q-metrics and set metrics add to those of their base
MADE = (
    "dedupe",
    "delta",
    "prepare",
)
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
    """A metric, with the reason if it cannot be computed, and derived metrics as (id, name)."""

    id: str
    name: str
    origin: str
    of: str
    lower_is_better: bool
    library: str
    reason: str
    made: tuple[tuple[str, str], ...] = ()


def offers(collection: Collection) -> list[MetricOffer]:
    """List every metric that is not derived from another, each with the metrics derived from it;
    usable ones can be computed on this dataset."""
    entries, lacking = registry.all_metrics(), lacking_in(collection)
    made: dict[str, list[tuple[str, str]]] = {}
    for entry in entries:
        if entry.made_of and entry.metric and not not_for(entry.metric.spec, collection.language):
            made.setdefault(entry.made_of, []).append((entry.id, entry.metric.spec.name))
    return [
        _offer(entry, lacking, tuple(made.get(entry.id, ())), collection.language)
        for entry in entries
        if not entry.made_of
    ]


def _offer(
    entry: RegisteredMetric,
    lacking: Mapping[Need, str],
    made: tuple[tuple[str, str], ...],
    language: str,
) -> MetricOffer:
    if entry.metric is None:
        return MetricOffer(entry.id, entry.id, entry.origin, "", False, "", entry.reason)
    spec = entry.metric.spec
    of = "question" if spec.unit in QUESTION_UNITS else str(spec.unit)
    can_be_english = any(parameter.name == "as_english" for parameter in spec.parameters)
    unsuited = "" if can_be_english else not_for(spec, language)
    reasons = [
        unsuited,
        entry.reason,
        *(lacking[need] for need in sorted(spec.needs) if need in lacking),
    ]
    reason = next(filter(None, reasons), "")
    return MetricOffer(
        entry.id, spec.name, entry.origin, of, not spec.higher_is_better, spec.library, reason, made
    )


def reference_preparation(collection: Collection) -> str:
    """Return the proposed preparation of a dataset's references: that of its questions, or "raw" if
    they are already prepared."""
    usual = default_preparation(collection.language)
    if not is_spaced(collection.language):
        return usual
    some = (
        Reference.objects.filter(source__collection=collection)
        .order_by("pk")
        .values_list(Left("text", BEGINNING), flat=True)
    )
    return "raw" if is_prepared(list(some[:LOOKED_AT])) else usual


def lacking_in(collection: Collection) -> dict[Need, str]:
    """Return the inputs of metrics that no source of a dataset has, each with a reason."""
    sources = Source.objects.filter(collection=collection)
    found = {
        Need.REFS: "" if items.has_references(collection) else scores.NO_REFERENCES,
        Need.CONTEXT: ""
        if sources.exclude(passage=None).exists()
        else "no source of this dataset has a passage",
        Need.ANSWER: ""
        if sources.exclude(answer="").exists()
        else "no source of this dataset has an answer",
    }
    return {need: reason for need, reason in found.items() if reason}


def settings() -> dict[str, list[Parameter]]:
    """Return the settings that a page can offer: by metric that is not derived from another, and
    under "" those of derived metrics."""
    found: dict[str, list[Parameter]] = {}
    for entry in registry.all_metrics():
        if entry.usable and entry.metric and not entry.made_of:
            found[entry.id] = list(entry.metric.spec.parameters)
    made = registry.get("multi_q_bleu_1").spec.parameters
    return {id: simple for id, simple in found.items() if simple} | {
        "": [one for one in made if one.name in MADE]
    }


def chosen(ids: list[str], values: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return each metric with those of the settings that are its own, checked; `values` are by
    metric."""
    entries = {entry.id: entry for entry in registry.all_metrics()}
    found = []
    for id in ids:
        entry = entries[id]
        of_words = values.get(WORDS, {}) if entry.made_of != WORDS else {}
        every = {**of_words, **values.get("", {}), **values.get(entry.made_of or id, {})}
        found.append({"id": id, "params": scores.settings_of(registry.get(id), every)})
    return found


def usable_ids(collection: Collection) -> list[tuple[str, str]]:
    """Return id and name of every metric that can be computed on a dataset."""
    usable = [offer for offer in offers(collection) if not offer.reason]
    return [pair for offer in usable for pair in ((offer.id, offer.name), *offer.made)]
