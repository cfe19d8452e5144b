"""Analyses: asking for one, doing it, and keeping what it found with how it was made."""

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Max

from analysis import frames
from analysis.actions import about, agreement, correlations, scores, systems
from analysis.actions.correlations import Resampling
from analysis.frames import Material
from analysis.metrics.contract import Preparation
from analysis.models import Result, Run
from analysis.reports import charts, sentences
from judging import storage
from judging.actions import jobs
from judging.models import Campaign, Job, User

KIND = "analysis.run"
LIBRARIES = ("numpy", "scipy", "statsmodels", "krippendorff", "pandas", "altair")
DEFAULTS: Mapping[str, Any] = {
    "metrics": list(scores.CORE),
    "prepare_hypothesis": "nqg",
    "prepare_reference": "nqg",
    "resamples": 1000,
    "reading": "by_protocol",
    "extras": False,
    "with_excluded": False,
}


def start(*, campaign: Campaign, by: User, seed: int, parameters: Mapping[str, Any]) -> Run:
    """Write down a run and its job; the caller rings for it."""
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        last = Run.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
        job = jobs.enqueue(kind=KIND, parameters={}, by=by, campaign=campaign)
        return Run.objects.create(
            job=job, campaign=campaign, number=last + 1, seed=seed, parameters={**DEFAULTS, **parameters}
        )


def latest(campaign: Campaign) -> Run | None:
    """Return the newest run that is done."""
    return Run.objects.filter(campaign=campaign, job__state=Job.State.DONE).order_by("-number").first()


def execute(*, run: Run, work: jobs.Work) -> dict[str, Any]:
    """Do a run: read, score, compute, draw and keep. Called by the worker inside one transaction."""
    settings = {**DEFAULTS, **run.parameters}
    steps = _Steps(work)
    steps.take("Reading judgments")
    read = _read(run, settings)
    preparation = Preparation(settings["prepare_hypothesis"], settings["prepare_reference"])
    failures = scores.compute(read, ids=settings["metrics"], preparation=preparation, step=steps.take)
    read = _read(run, settings)
    tables = _tables(run, read, settings, failures, steps)
    steps.take("Drawing")
    _keep(run, tables, charts.drawn(tables))
    Run.objects.filter(pk=run.pk).update(input_sha256=frames.digest(read), versions=versions())
    return {"run": run.number}


def _read(run: Run, settings: Mapping[str, Any]) -> Material:
    excluded: Sequence[str] | None = () if settings["with_excluded"] else None
    return frames.material(run.campaign, extras=settings["extras"], excluded=excluded)


def _tables(
    run: Run, read: Material, settings: Mapping[str, Any], failures: Mapping[str, str], steps: "_Steps"
) -> dict[str, Any]:
    """Work out every table; each resampling table has a generator of its own, so that one cannot shift another."""
    one, two = (
        Resampling(np.random.default_rng([run.seed, part]), int(settings["resamples"]), steps.take) for part in (1, 2)
    )
    steps.take("Agreement")
    tables: dict[str, Any] = {
        "criteria": about.criteria(read),
        "agreement": agreement.records(read),
        "pairs": agreement.pairs(read),
    }
    tables["annotators"] = agreement.annotators(read)
    steps.take("Systems")
    tables["systems"] = systems.means(read)
    tables["distributions"] = systems.distributions(read)
    tables["returned"] = systems.returned(read)
    tables["aggregates"] = systems.aggregates(read)
    tables["correlations"] = correlations.records(read, by=one)
    tables["differences"] = correlations.differences(read, by=two)
    tables["metrics"] = about.metrics(read, failures)
    tables["violations"] = about.violations(read)
    tables["about"] = about.study(read, settings)
    tables["sentences"] = sentences.in_short(tables)
    return tables


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

    def __init__(self, work: jobs.Work) -> None:
        self._work, self._done = work, 0

    def take(self, message: str) -> None:
        self._done += 1
        self._work.progress(self._done, max(40, self._done + 5), message)
