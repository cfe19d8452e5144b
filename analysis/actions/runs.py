"""Analyses: asking for one, doing it, and keeping what it found with how it was made."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max

from analysis import frames
from analysis.actions import (
    about,
    aggregations,
    agreement,
    annotators,
    beyond,
    comparisons,
    correlations,
    levels,
    mixed_models,
    readings,
    scores,
    set_facts,
    slices,
    spans,
    systems,
)
from analysis.actions.resampling import Resampling
from analysis.frames import Material
from analysis.metrics.contract import Preparation
from analysis.models import Result, Run
from analysis.reports import charts, sentences
from analysis.reports.records import Record
from judging import storage
from judging.actions import jobs
from judging.models import Campaign, Exclusion, Job, User

KIND = "analysis.run"
LIBRARIES = ("numpy", "scipy", "statsmodels", "krippendorff", "pandas", "altair")
DEFAULTS: Mapping[str, Any] = {
    "metrics": list(scores.CORE),
    "prepare_hypothesis": "nqg",
    "prepare_reference": "nqg",
    "resamples": 1000,
    "extras": False,
    "with_excluded": False,
    "slices": [],
    "mixed_model": "quick",
    "reading": "as_released",
}
# their places seed them: add at the end
CHANCE = ("correlations", "differences", "agreement", "comparisons", "levels", "beyond")


def start(*, campaign: Campaign, by: User, seed: int, parameters: Mapping[str, Any]) -> Run:
    """Write down a run and its job; the caller rings for it. One that nobody has begun yet is not asked for twice."""
    wanted = {"campaign": campaign, "seed": seed, "parameters": {**DEFAULTS, **parameters}}
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if waiting := Run.objects.filter(**wanted, job__state=Job.State.QUEUED).first():
            return waiting
        last = Run.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
        job = jobs.enqueue(kind=KIND, parameters={}, by=by, campaign=campaign)
        return Run.objects.create(job=job, number=last + 1, **wanted)


def latest(campaign: Campaign) -> Run | None:
    """Return the newest run that is done."""
    return Run.objects.filter(campaign=campaign, job__state=Job.State.DONE).order_by("-number").first()


@dataclass(frozen=True)
class Scored:
    """That a run's metrics were computed: which could not be had and why, and how many steps of the run it took."""

    failures: Mapping[str, str]
    steps: int


def score(*, run: Run, work: jobs.Work) -> Scored:
    """Compute what a run's metrics lack, chunk by chunk; what a dead worker has kept is not computed again."""
    settings = {**DEFAULTS, **run.parameters}
    steps = _Steps(work)
    computed = scores.compute(
        run.campaign.collection,
        chosen=[scores.Chosen(id) for id in settings["metrics"]],
        preparation=Preparation(settings["prepare_hypothesis"], settings["prepare_reference"]),
        step=lambda done, total, name: steps.take(f"Computing {name}" if name else "Computing metrics"),
    )
    return Scored(computed.failures, steps.done)


def analyse(*, run: Run, work: jobs.Work, scored: Scored) -> dict[str, Any]:
    """Read, compute, draw and keep. Called by the worker inside one transaction."""
    settings = {**DEFAULTS, **run.parameters}
    steps = _Steps(work, scored.steps)
    steps.take("Reading judgments")
    read = _read(run, settings)
    tables = _tables(run, read, settings, scored.failures, steps)
    steps.take("Drawing")
    _keep(run, tables, charts.drawn(tables))
    Run.objects.filter(pk=run.pk).update(input_sha256=frames.digest(read), versions=versions())
    return {"run": run.number}


def execute(*, run: Run, work: jobs.Work) -> dict[str, Any]:
    """Do all of a run at once, for whoever has no worker."""
    return analyse(run=run, work=work, scored=score(run=run, work=work))


def _read(run: Run, settings: Mapping[str, Any]) -> Material:
    excluded: Sequence[str] | None = () if settings["with_excluded"] else None
    return frames.material(run.campaign, extras=settings["extras"], excluded=excluded)


def _tables(
    run: Run, read: Material, settings: Mapping[str, Any], failures: Mapping[str, str], steps: "_Steps"
) -> dict[str, Any]:
    """Work out every table; `read` is what people said, `counted` that in the reading asked for."""
    chance = _chance(run, settings, steps)
    counted = readings.read_as(read, settings["reading"])
    tables: dict[str, Any] = {"criteria": about.criteria(read)}
    tables |= _of_annotators(read, chance, steps)
    tables |= _of_systems(run, read, counted, settings, chance, steps)
    tables |= _of_metrics(counted, chance)
    tables |= _of_sets(read, steps)
    steps.take("Slices")
    tables["slices"] = slices.records(counted, attributes=settings["slices"], said=read)
    tables |= {"spans": spans.records(read), "span_marks": spans.every(read)}
    tables["metrics"] = about.metrics(read, failures)
    tables["violations"] = about.violations(read)
    readings.name_rows(tables, settings["reading"])
    tables["about"] = about.study(read, settings)
    tables["about"]["readings"] = readings.of_tables(tables, settings["reading"])
    tables["sentences"] = sentences.in_short(tables)
    return tables


def _chance(run: Run, settings: Mapping[str, Any], steps: "_Steps") -> dict[str, Resampling]:
    """Return a generator for each table that uses chance, so that one table cannot shift another."""
    return {
        table: Resampling(np.random.default_rng([run.seed, number]), int(settings["resamples"]), steps.take)
        for number, table in enumerate(CHANCE, 1)
    }


def _of_annotators(read: Material, chance: Mapping[str, Resampling], steps: "_Steps") -> dict[str, Any]:
    steps.take("Agreement")
    tables: dict[str, Any] = {"agreement": agreement.records(read, by=chance["agreement"])}
    steps.take("Annotators")
    return tables | {
        "pairs": agreement.pairs(read),
        "annotators": annotators.records(read),
        "use_of_scale": annotators.use_of_scale(read),
        "left_out": annotators.left_out(read),
        "repeats": annotators.repeats(read),
    }


def _of_systems(
    run: Run,
    read: Material,
    counted: Material,
    settings: Mapping[str, Any],
    chance: Mapping[str, Resampling],
    steps: "_Steps",
) -> dict[str, Any]:
    steps.take("Systems")
    tables: dict[str, Any] = {
        "systems": systems.means(counted),
        "distributions": systems.distributions(counted),
        "returned": systems.returned(read),
        "aggregates": systems.aggregates(read),
        "aggregations": aggregations.records(counted),
        "exclusions": _exclusions(run, read, settings),
        "comparisons": comparisons.records(counted, by=chance["comparisons"]),
    }
    tables["groups"] = comparisons.groups(counted, tables["comparisons"])
    tables["mixed_models"] = mixed_models.records(counted, when=settings["mixed_model"], step=steps.take)
    return tables


def _exclusions(run: Run, read: Material, settings: Mapping[str, Any]) -> list[Record]:
    """Return the core numbers with and without the annotators left out, where there are any."""
    if not Exclusion.objects.standing().filter(enrollment__campaign=run.campaign).exists():
        return []
    other = _read(run, {**settings, "with_excluded": not settings["with_excluded"]})
    everything, kept = (read, other) if settings["with_excluded"] else (other, read)
    return aggregations.with_and_without(everything, kept, reading=settings["reading"])


def _of_metrics(read: Material, chance: Mapping[str, Resampling]) -> dict[str, Any]:
    tables: dict[str, Any] = {"correlations": correlations.records(read, by=chance["correlations"])}
    tables["differences"] = correlations.differences(read, by=chance["differences"])
    tables["levels"] = levels.records(read, questions=tables["correlations"], by=chance["levels"])
    tables["levels"] += beyond.correlations(read, by=chance["beyond"])
    tables["system_scores"] = beyond.system_scores(read)
    return tables


def _of_sets(read: Material, steps: "_Steps") -> dict[str, Any]:
    steps.take("Question sets")
    held = set_facts.held_sets(read)
    return {
        "set_facts": set_facts.records(read, held, frames.references(read.campaign)),
        "set_rules": set_facts.computed(read, held),
        "sets": set_facts.set_by_set(read, held),
    }


def _keep(run: Run, tables: Mapping[str, Any], figures: Mapping[str, bytes]) -> None:
    rows = [Result(run=run, key=key, document=document) for key, document in tables.items()]
    rows += [
        Result(run=run, key=f"figure-{key}", file=storage.keep(svg), media_type="image/svg+xml")
        for key, svg in figures.items()
    ]
    Result.objects.bulk_create(rows)


def tables_of(run: Run) -> dict[str, Any]:
    """Return what a run found, by table."""
    return {result.key: result.document for result in Result.objects.filter(run=run, file__isnull=True).order_by("pk")}


def versions() -> dict[str, str]:
    """Return what the numbers were made with."""
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}


class _Steps:
    """A run's progress, counted in steps whose number grows as tables are found to need more."""

    def __init__(self, work: jobs.Work, done: int = 0) -> None:
        self._work, self.done = work, done

    def take(self, message: str) -> None:
        self.done += 1
        self._work.progress(self.done, max(40, self.done + 5), message)
