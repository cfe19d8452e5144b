"""Automatic metrics on a dataset: computed in chunks, each value once, and stored with their
recipe."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from django.db import transaction

from analysis.scoring.actions import items
from analysis.scoring.actions.site_metrics import registry
from judging.base.limits import MAX_EXCERPT_CHARACTERS
from judging.datasets.models.dataset import Dataset
from judging.datasets.models.score import Metric, Score
from quaestor_metrics import (
    MetricFailed,
    MetricResult,
    MetricUnavailable,
    Need,
    Preparation,
    Scale,
    ScoredUnit,
    Scorer,
    UnknownMetric,
    UnknownParameter,
    keep_running,
    recipe,
    score_items,
)
from quaestor_metrics._contract import Item, NotForLanguage, recipe_fingerprint, resolve_parameters
from quaestor_metrics._preparation import UnknownPreparation, require_language
from quaestor_metrics._progress import on_each_text
from quaestor_metrics._scoring import QUESTION_UNITS, EmptyReference

CHUNKS = {ScoredUnit.SET: 250, ScoredUnit.SYSTEM: 1}
CHUNK = 1_000  # questions between two commits
CORE = ("bleu_1", "bleu_2", "bleu_3", "bleu_4", "rouge_l")


def core_metrics(dataset: Dataset) -> list[str]:
    """Return the core metrics to compute by default: no BLEU if the dataset has a column of BLEU,
    and no ROUGE if it has one of ROUGE."""
    columns = dataset.metrics.exclude(kind=Metric.Kind.COMPUTED)
    brought = " ".join(columns.values_list("name", flat=True)).casefold()
    return [metric for metric in CORE if metric.partition("_")[0] not in brought]


SCALES = {
    Scale.FRACTION: Metric.Scale.FRACTION,
    Scale.PERCENT: Metric.Scale.PERCENT,
    Scale.NUMBER: Metric.Scale.OTHER,
}
NO_REFERENCES = "no source of this dataset has a reference"
REFUSALS = (
    MetricUnavailable,
    MetricFailed,
    EmptyReference,
    UnknownMetric,
    UnknownParameter,
    UnknownPreparation,
)
TellStep = Callable[[int, int, str], None]


@dataclass(frozen=True)
class ChosenMetric:
    """A metric to compute, with the settings that differ from its own."""

    id: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Computed:
    """The number of new values, and for each metric that could not be computed the reason."""

    values: int
    failures: Mapping[str, str]


@dataclass(frozen=True)
class MissingScores:
    """A metric and the targets (units or systems) that it has not scored yet.

    `targets`: all that it scores of the part, in the dataset's order.
    """

    id: str
    recipe: Scorer
    params: Mapping[str, Any]
    preparation: Preparation
    targets: Sequence[int]
    todo: frozenset[int]

    @property
    def unit(self) -> ScoredUnit:
        """The unit of text to read for it; all metrics of questions share one kind of unit."""
        unit = self.recipe.spec.unit
        return ScoredUnit.PAIR if unit in QUESTION_UNITS else unit

    @property
    def is_whole(self) -> bool:
        """Whether it reads all targets at once."""
        return Need.STUDY in self.recipe.spec.needs


def compute_scores(
    dataset: Dataset,
    *,
    chosen: Sequence[ChosenMetric],
    preparation: Preparation,
    step: TellStep,
    again: Callable[[], None] = lambda: None,
    within: tuple[int, int] | None = None,
) -> Computed:
    """Compute the missing scores, and store them chunk by chunk; `again` is called within a metric,
    before each text. `within`: only targets whose keys lie between these two, inclusive.

    A score belongs to a fingerprint, and a dataset's texts never change: targets with a score are
    not scored again, and an attempt after a failed one continues where that one ended. A metric
    that fails is reported; the others continue.
    """
    found, failures = missing(dataset, chosen=chosen, preparation=preparation, within=within)
    return compute_missing(dataset, found, failures, step=step, again=again)


def compute_missing(
    dataset: Dataset,
    found: Sequence[MissingScores],
    failures: dict[str, str],
    *,
    step: TellStep,
    again: Callable[[], None],
) -> Computed:
    """Compute the scores that were found missing; add the metrics that fail to `failures`."""
    works = sorted(found, key=lambda work: (work.unit, work.is_whole))
    total, done = sum(len(work.todo) for work in works), 0
    step(0, total, "")
    with on_each_text(again), keep_running([work.recipe for work in works]):
        for _, group in groupby(works, key=lambda work: (work.unit, work.is_whole)):
            for name, fresh in _of_group(dataset, list(group), failures):
                done += fresh
                step(done, total, name)
    return Computed(done, failures)


def missing(
    dataset: Dataset,
    *,
    chosen: Sequence[ChosenMetric],
    preparation: Preparation,
    within: tuple[int, int] | None = None,
) -> tuple[list[MissingScores], dict[str, str]]:
    """Return the targets that each chosen metric has not scored yet, and why some metrics cannot
    be computed."""
    found: list[MissingScores] = []
    failures: dict[str, str] = {}
    targets: dict[ScoredUnit, Sequence[int]] = {}
    referenced, languages = items.has_references(dataset), items.languages(dataset)
    for each in chosen:
        try:
            metric = registry().get(each.id)
            _require_usable(metric, referenced)
            _require_a_language(metric, each, preparation, languages)
            unit = metric.spec.unit
            if unit not in targets:
                targets[unit] = items.targets(dataset, unit, within=within)
            found.append(_missing(dataset, metric, each, preparation, targets[unit]))
        except REFUSALS as error:
            failures[each.id] = str(error)
    return found, failures


def _require_a_language(
    metric: Scorer, each: ChosenMetric, preparation: Preparation, languages: Sequence[str]
) -> None:
    """Refuse a metric that has no recipe for any language of the sources."""
    refusals = []
    for language in languages:
        try:
            require_language(metric.spec, each.params, preparation, language)
        except NotForLanguage as refused:
            refusals.append(refused)
    if len(refusals) == len(languages):
        raise refusals[0]


def _require_usable(metric: Scorer, referenced: bool) -> None:
    if Need.REFS in metric.spec.needs and not referenced:
        raise MetricUnavailable(NO_REFERENCES)
    usable, reason = metric.available()
    if not usable:
        raise MetricUnavailable(f"{metric.spec.id}: {reason}")


def _missing(
    dataset: Dataset,
    metric: Scorer,
    each: ChosenMetric,
    preparation: Preparation,
    targets: Sequence[int],
) -> MissingScores:
    column = "system" if metric.spec.unit is ScoredUnit.SYSTEM else "unit"
    has = Score.objects.filter(
        metric__dataset=dataset,
        metric__fingerprint=recipe_fingerprint(
            metric.spec, each.params, preparation, dataset.language
        ),
    )
    if targets:
        has = has.filter(**{f"{column}__gte": min(targets), f"{column}__lte": max(targets)})
    todo = frozenset(targets) - set(has.values_list(column, flat=True))
    return MissingScores(each.id, metric, each.params, preparation, targets, todo)


def _of_group(
    dataset: Dataset, group: Sequence[MissingScores], failures: dict[str, str]
) -> Iterator[tuple[str, int]]:
    """Score a chunk by all metrics of a group before the next; yield each metric's name, then how
    much is new."""
    first = group[0]
    keys = [
        key for key in first.targets if first.is_whole or any(key in work.todo for work in group)
    ]
    size = max(1, len(keys) if first.is_whole else CHUNKS.get(first.unit, CHUNK))
    for start in range(0, len(keys), size):
        part = keys[start : start + size]
        try:
            batch = items.read_metric_items(dataset, first.unit, part)
        except EmptyReference as error:
            failures.update({work.id: str(error) for work in group})
            return
        for work in group:
            if work.id not in failures and work.todo.intersection(part):
                yield work.recipe.spec.name, 0
                yield work.recipe.spec.name, _kept(dataset, work, part, batch, failures)


def _kept(
    dataset: Dataset,
    work: MissingScores,
    part: Sequence[int],
    batch: Sequence[Item],
    failures: dict[str, str],
) -> int:
    """Score what one metric lacks of a chunk and commit it; a metric of the whole study reads all
    of it for that."""
    asked = [
        (key, item)
        for key, item in zip(part, batch, strict=True)
        if work.is_whole or key in work.todo
    ]
    try:
        results = score_items(
            work.recipe,
            [item for _, item in asked],
            params=work.params,
            preparation=work.preparation,
            language=dataset.language,
        )
    except REFUSALS as error:
        failures[work.id] = str(error)
        return 0
    fresh = [
        (key, result) for (key, _), result in zip(asked, results, strict=True) if key in work.todo
    ]
    with transaction.atomic():
        row = _row(dataset, work)
        # a worker taken for dead may still have written: the same values, by the same recipe
        Score.objects.bulk_create(
            (_score(row, work, *each) for each in fresh), ignore_conflicts=True
        )
    return len(fresh)


def _row(dataset: Dataset, work: MissingScores) -> Metric:
    """Return the column of a metric, created if there is none yet; jobs and files that create
    columns of one dataset wait for each other."""
    spec = work.recipe.spec
    own = recipe_fingerprint(spec, work.params, work.preparation, dataset.language)
    if known := dataset.metrics.filter(fingerprint=own).first():
        return known
    Dataset.objects.select_for_update(no_key=True).get(pk=dataset.pk)
    if known := dataset.metrics.filter(fingerprint=own).first():
        return known
    return Metric.objects.create(
        dataset=dataset,
        fingerprint=own,
        name=spec.name[:100],
        kind=Metric.Kind.COMPUTED,
        direction=Metric.Direction.HIGHER if spec.higher_is_better else Metric.Direction.LOWER,
        scale=SCALES[spec.scale],
        made=recipe(spec, work.params, work.preparation, dataset.language),
    )


def metric_settings(metric: Scorer, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the values that are parameters of a metric, checked."""
    known = {parameter.name for parameter in metric.spec.parameters}
    asked = {name: value for name, value in values.items() if name in known}
    resolve_parameters(metric.spec, asked)
    return asked


def _score(row: Metric, work: MissingScores, key: int, result: MetricResult) -> Score:
    whose = {"system_id": key} if work.recipe.spec.unit is ScoredUnit.SYSTEM else {"unit_id": key}
    return Score(
        metric=row,
        value=result.value,
        reason="" if result.value is not None else result.reason[:300],
        detail=_plain(result.detail),
        **whose,
    )


def _plain(detail: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the short values of a result's detail; matrices of pair scores are not stored but
    computed again when they are shown."""
    short = {
        name: value for name, value in detail.items() if isinstance(value, bool | int | float | str)
    }
    return {
        name: value[:MAX_EXCERPT_CHARACTERS] if isinstance(value, str) else value
        for name, value in short.items()
    } or None
