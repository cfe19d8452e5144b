"""Analyses: asking for one, doing it, and keeping what it found with how it was made."""

import logging
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import Max

from analysis import frames, sections
from analysis.frames import Material
from analysis.models import ReportPage, Result, Run
from analysis.reports import charts, typeset
from analysis.reports.rows import Record, encode
from analysis.reports.system_names import system_name
from analysis.reports.typeset import CannotSet
from analysis.runs.actions import papers
from analysis.scoring.actions import scores, scoring_parts
from analysis.scoring.actions.versions import versions
from analysis.sections.llm_judges.bias import JudgedItems
from analysis.sections.omitted_tables import OmittedTables, too_long
from analysis.sections.page import results_in_words
from analysis.sections.rule_application import read_as
from analysis.sections.section import Found, Inputs, chance_of
from judging.base.refusals import Refused
from judging.campaigns.actions import live_agreements
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Exclusion
from judging.datasets.models.score import Score
from judging.jobs import storage
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.llm_judges.models.llm_judge import LLMJudge
from judging.overview.actions import erasures
from judging.people.models.user import User
from judging.quality.models.adjudication import SettledValue
from judging.work.models.judgment import Judgment
from quaestor_metrics import Preparation
from quaestor_metrics._languages import default_preparation
from quaestor_stats._design import Design

KIND = "analysis.run"
LOG = logging.getLogger(__name__)
PREPARED = ("prepare_hypothesis", "prepare_reference")
EXCLUDABLE = ("systems", "criteria", "metrics", "annotators")
DEFAULTS: Mapping[str, Any] = {
    "name": "",
    "metrics": list(scores.CORE),
    "prepare_hypothesis": "nqg",
    "prepare_reference": "nqg",
    "resamples": 1000,
    "design": "sources",
    "clusters": "",
    "metric_level": "pooled",
    "items": "own",
    "extras": False,
    "further": [],
    "with_excluded": False,
    "adjudicated": False,
    "slices": [],
    "mixed_model": "quick",
    "reading": "as_released",
    "judge_epsilon": 0.1,
    **{f"without_{what}": [] for what in EXCLUDABLE},
}


class IsDraft(Refused):
    """The campaign is a draft, which has no judgments."""

    code = "is_draft"


def start_run(*, campaign: Campaign, by: User, seed: int, parameters: Mapping[str, Any]) -> Run:
    """Create a run and its queued job, or return an equal run that is still queued. The caller
    notifies workers. Raise IsDraft for a campaign without judgments."""
    if campaign.state == Campaign.State.DRAFT:
        raise IsDraft("A draft has no judgments to analyse. Open the campaign first.")
    defaults = {
        **DEFAULTS,
        **dict.fromkeys(PREPARED, default_preparation(campaign.dataset.language)),
    }
    wanted = {"campaign": campaign, "seed": seed, "parameters": {**defaults, **parameters}}
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)
        if waiting := Run.objects.filter(**wanted, job__state=Job.State.QUEUED).first():
            return waiting
        last = Run.objects.filter(campaign=campaign).aggregate(last=Max("number"))["last"] or 0
        job = jobs.enqueue(kind=KIND, parameters={}, by=by, campaign=campaign)
        return Run.objects.create(job=job, number=last + 1, **wanted)


def latest_run(campaign: Campaign) -> Run | None:
    """Return the newest run that is done."""
    return (
        Run.objects.filter(campaign=campaign, job__state=Job.State.DONE).order_by("-number").first()
    )


@dataclass(frozen=True)
class MetricsScored:
    """Outcome of computing a run's metrics: those that failed and why, and the steps it took."""

    failures: Mapping[str, str]
    steps: int


def score_run(*, run: Run, work: jobs.Work) -> MetricsScored:
    """Compute the missing scores of a run's metrics, chunk by chunk; scores that a dead worker has
    stored are not computed again."""
    chosen, preparation = _metrics_of(run)
    steps = _RunSteps(work)
    computed = scores.compute_scores(
        run.campaign.dataset,
        chosen=chosen,
        preparation=preparation,
        step=lambda done, total, name: steps.take(
            f"Computing {name}" if name else "Computing metrics"
        ),
        again=work.again,
    )
    return MetricsScored(computed.failures, steps.done)


def score_by_workers(*, run: Run, work: jobs.Work) -> MetricsScored:
    """Compute the missing scores of a run's metrics with all workers (`scoring_parts.compute`)."""
    chosen, preparation = _metrics_of(run)
    computed = scoring_parts.compute_job_scores(
        work, run.campaign.dataset, chosen=chosen, preparation=preparation
    )
    return MetricsScored(computed.failures, steps=0)


def _metrics_of(run: Run) -> tuple[list[scores.ChosenMetric], Preparation]:
    settings = {**DEFAULTS, **run.parameters}
    chosen = [scores.ChosenMetric(id) for id in settings["metrics"]]
    return chosen, Preparation(settings["prepare_hypothesis"], settings["prepare_reference"])


def analyse(*, run: Run, work: jobs.Work, scored: MetricsScored) -> dict[str, Any]:
    """Read the ratings, compute and draw the results, and store them. Called by the worker inside
    one transaction."""
    settings = {**DEFAULTS, **run.parameters}
    steps = _RunSteps(work, scored.steps)
    steps.take("Reading judgments")
    before = list(run.campaign.erasures.values_list("pk", flat=True))
    state = analysis_state(run.campaign)
    read, inputs = read_inputs(run, settings, scored.failures)
    documents = _documents(inputs, seed=run.seed, resamples=int(settings["resamples"]), steps=steps)
    steps.take("Drawing")
    found = Found(documents)
    figures = _drawn(found)
    used = frames.with_adjudicated(read) if settings["adjudicated"] else read
    run.input_sha256, run.versions, run.read_state = frames.hash_data(used), versions(), state
    run.save(update_fields=["input_sha256", "versions", "read_state"])
    steps.take("Setting the PDF")
    report = _pdf(run, found, figures)
    erasures.hold_erasures(campaign=run.campaign)
    _keep(run, documents, figures, report)
    if erased := list(run.campaign.erasures.exclude(pk__in=before).values_list("label", flat=True)):
        forget_annotators(run=run, labels=erased)
    live_agreements.request_agreement(run.campaign)
    return {"run": run.number}


def read_inputs(
    run: Run, settings: Mapping[str, Any], failures: Mapping[str, str]
) -> tuple[Material, Inputs]:
    """Return what a run reads, and the input of its sections."""
    everything = _read(run.campaign, settings)
    without_excluded = frames.without_excluded(everything)
    read, other = everything, without_excluded
    if not settings["with_excluded"]:
        read, other = other, read
    said = _narrowed(read, settings)
    counted = frames.with_adjudicated(said) if settings["adjudicated"] else said
    return read, Inputs(
        said=said,
        counted=read_as(counted, settings["reading"]),
        design=Design.from_key(settings["design"]),
        settings={**settings, "exclusion_words": exclusion_words(run)},
        failures=failures,
        other=_narrowed(other, settings) if _has_exclusions(run.campaign) else None,
    )


def forget_annotators(*, run: Run, labels: Collection[str]) -> bool:
    """Remove data about erased annotators from a finished run; return whether there was any.

    Sums and means over several annotators are kept. Figures and the PDF are made again.
    """
    with transaction.atomic():
        Run.objects.select_for_update(no_key=True).get(pk=run.pk)  # two may be erased at once
        kept = Result.objects.filter(run=run).select_related("file").defer("file__content")
        documents = {each.key: each.document for each in kept.order_by("pk") if not each.file}
        left = {key: _without(key, rows, labels) for key, rows in documents.items()}
        ReportPage.objects.filter(run=run).delete()
        # items judged by LLM judges name no annotator: their human means are removed only if
        # another table names an erased annotator
        if all(left[key] == documents[key] for key in left if key != JudgedItems.key):
            return False
        files = [each.file for each in kept if each.file]
        Result.objects.filter(run=run).delete()
        _keep(run, *_made_again(run, left))
        for file in files:
            storage.release_file(file)
    return True


def _made_again(
    run: Run, documents: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, bytes], bytes | None]:
    """Return the tables with the sentences that follow from them, the figures, and the PDF. Parts
    that cannot be made again are dropped rather than kept unchanged."""
    found = Found(documents)
    try:
        documents = {**documents, "sentences": results_in_words(found)}
        figures = _drawn(found)
        return documents, figures, _pdf(run, found, figures)
    except Exception:
        LOG.exception("run %s has no figures any more", run.pk)
        return {**documents, "sentences": []}, {}, None


def _without(key: str, rows: Any, labels: Collection[str]) -> Any:
    section = sections.section_of(key)
    if section is None:
        return rows
    return section.without(rows, labels)


def execute_run(*, run: Run, work: jobs.Work) -> dict[str, Any]:
    """Compute a whole run at once, for callers without workers."""
    return analyse(run=run, work=work, scored=score_run(run=run, work=work))


def analysis_state(campaign: Campaign) -> Record:
    """Return counts and last ids that show whether judgments, exclusions or scores have changed,
    without reading them all."""
    judgments = Judgment.objects.filter(
        assignment__round__campaign=campaign, assignment__round__kind="main"
    )
    submitted = Assignment.objects.filter(
        round__campaign=campaign, round__kind="main", state__in=["submitted", "extra"]
    )
    standing = Exclusion.objects.standing().filter(enrollment__campaign=campaign).order_by("pk")
    scored = Score.objects.filter(metric__dataset=campaign.dataset_id)
    return {
        "submitted": submitted.count(),
        "last_judgment": judgments.aggregate(last=Max("pk"))["last"] or 0,
        "exclusions": list(standing.values_list("pk", flat=True)),
        "llm_judges": list(
            LLMJudge.objects.filter(campaign=campaign).order_by("pk").values_list("pk", flat=True)
        ),
        "last_score": scored.aggregate(last=Max("pk"))["last"] or 0,
        "adjudicated": _adjudicated_state(campaign),
    }


def _adjudicated_state(campaign: Campaign) -> list[int]:
    """Return the last valid adjudicated rating's id and their number; empty if there is none."""
    standing = SettledValue.objects.standing().filter(campaign=campaign)
    last = standing.aggregate(last=Max("pk"))["last"]
    return [last, standing.count()] if last else []


def changed_since(run: Run) -> list[str]:
    """Return the kinds of data that have changed since a run read its campaign; none before it
    read."""
    before, now = run.read_state, analysis_state(run.campaign)
    if not before:
        return []
    told = {
        "judgments": ("submitted", "last_judgment"),
        "exclusions": ("exclusions",),
        "LLM judges": ("llm_judges",),
        "scores of metrics": ("last_score",),
    }
    if run.parameters.get("adjudicated"):
        told["adjudicated ratings"] = ("adjudicated",)
    return [what for what, keys in told.items() if any(before[key] != now[key] for key in keys)]


def exclusion_words(run: Run) -> list[str]:
    """Return names of systems, criteria, metrics and annotators that a run excludes by choice."""
    settings = {**DEFAULTS, **run.parameters}
    protocol = frames.protocol_of(run.campaign)
    names = {criterion.key: criterion.name for criterion in protocol.criteria}
    names |= dict(run.campaign.dataset.metrics.values_list("fingerprint", "name"))
    singular = {
        "systems": "system",
        "criteria": "criterion",
        "metrics": "metric",
        "annotators": "annotator",
    }
    return [
        f"{singular[what]} {system_name(names.get(key, key))}"
        for what in EXCLUDABLE
        for key in settings[f"without_{what}"]
    ]


def _read(campaign: Campaign, settings: Mapping[str, Any]) -> Material:
    """Read the study with the judgments of excluded annotators."""
    read = frames.read_campaign(campaign, extras=settings["extras"], excluded=())
    column = settings["clusters"]
    return frames.with_declared_clusters(read, column) if column else read


def _narrowed(read: Material, settings: Mapping[str, Any]) -> Material:
    kept = frames.exclude_parts(read, **{what: settings[f"without_{what}"] for what in EXCLUDABLE})
    return frames.without_doubles(kept)


def _has_exclusions(campaign: Campaign) -> bool:
    """Return whether a manager excludes an annotator."""
    return Exclusion.objects.standing().filter(enrollment__campaign=campaign).exists()


def _documents(inputs: Inputs, *, seed: int, resamples: int, steps: "_RunSteps") -> dict[str, Any]:
    """Compute every section's rows as stored records."""
    documents: dict[str, Any] = {}
    for section in sections.order_sections(sections.sections_of(inputs)):
        steps.take(section.title)
        chance = chance_of(section.key, seed=seed, resamples=resamples, step=steps.take)
        rows = section.records(inputs, Found(documents), chance)
        if unlisted := too_long(section, len(rows)):
            documents[OmittedTables.key].append(encode(unlisted))
            rows = []
        documents[section.key] = rows
    documents["sentences"] = results_in_words(Found(documents))
    documents["sections"] = {
        section.key: section.version for section in sections.SECTIONS if section.key in documents
    }
    return documents


def _drawn(found: Found) -> dict[str, bytes]:
    return charts.draw_figures(
        [figure for section in sections.SECTIONS for figure in section.figures(found)]
    )


def _pdf(run: Run, found: Found, figures: Mapping[str, bytes]) -> bytes | None:
    """Return the report as PDF; None if typesetting fails, so that the run is kept without it."""
    try:
        return papers.make_pdf(run, found, figures)
    except CannotSet:
        LOG.exception("run %s has no PDF", run.pk)
        return None


def _keep(
    run: Run, tables: Mapping[str, Any], figures: Mapping[str, bytes], report: bytes | None
) -> None:
    rows = [Result(run=run, key=key, document=document) for key, document in tables.items()]
    rows += [
        Result(
            run=run, key=f"figure-{key}", file=storage.store_bytes(svg), media_type="image/svg+xml"
        )
        for key, svg in figures.items()
    ]
    rows += [
        Result(
            run=run,
            key=f"print-{name}",
            file=storage.store_bytes(content),
            media_type=typeset.PRINT_TYPES[name.rpartition(".")[2]],
        )
        for name, content in typeset.print_figures(charts.light(figures)).items()
    ]
    if report is not None:
        rows.append(
            Result(
                run=run,
                key=papers.PDF,
                file=storage.store_bytes(report),
                media_type="application/pdf",
            )
        )
    Result.objects.bulk_create(rows)


def found_by(run: Run) -> Found:
    """Return a run's results as rows, without the tables that are too long for a page. Tables are
    read only when they are used."""
    return Found(StoredTables(run, with_long=False))


class StoredTables(Mapping[str, Any]):
    """The tables of a run by key, each read from the database on access.

    `keep`: whether a table stays in memory after it was read. If not, a loop over all tables holds
    only one at a time.
    """

    def __init__(self, run: Run, *, with_long: bool = True, keep: bool = True) -> None:
        self._of_page = Result.objects.filter(run=run, file__isnull=True)
        if not with_long:
            long = [section.key for section in sections.SECTIONS if section.download_only]
            self._of_page = self._of_page.exclude(key__in=long)
        self._read: dict[str, Any] = {}
        self._keeps = keep

    @cached_property
    def _keys(self) -> list[str]:
        # versions of sections are no table; `Found` asks for them by name
        kept = self._of_page.exclude(key="sections").order_by("pk")
        return list(kept.values_list("key", flat=True))

    def __getitem__(self, key: str) -> Any:
        if key in self._read:
            return self._read[key]
        document = self._of_page.filter(key=key).values_list("document", flat=True).first()
        if document is None:
            raise KeyError(key)
        if self._keeps:
            self._read[key] = document
        return document

    def __contains__(self, key: object) -> bool:
        return key in self._keys

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def filled(self) -> set[str]:
        """Return the keys of the tables that have rows, without reading these."""
        return set(self._of_page.exclude(document=[]).values_list("key", flat=True))


class _RunSteps:
    """A run's progress, counted in steps whose number grows as tables are found to need more.

    A long step is reported repeatedly, in the same words, to learn whether the job was cancelled.
    """

    def __init__(self, work: jobs.Work, done: int = 0) -> None:
        self._work, self.done, self._message = work, done, ""

    def take(self, message: str) -> None:
        self.done += message != self._message
        self._message = message
        self._work.progress(self.done, max(40, self.done + 5), message)
