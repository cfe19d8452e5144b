"""Make a new dataset of questions degraded on purpose, for sanity campaigns and quality control."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from analysis.scoring.actions.degrading import (
    BESIDE,
    KINDS,
    REFERENCES,
    Degraded,
    WantedDegradation,
    chosen_sets,
    degrade_systems,
    degraded_study,
)
from analysis.scoring.actions.versions import MAX_SEED
from judging.base.limits import MAX_NAME_CHARACTERS
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import InvalidInput, check_between, check_length
from judging.datasets.actions import datasets
from judging.datasets.models.dataset import Dataset, Question, Reference, System
from judging.formats.frames import Problem
from judging.formats.records import StudyRecords
from judging.imports.actions import exports
from judging.imports.actions.files import CannotImport
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from quaestor_metrics._degradations import knows_noise
from quaestor_metrics._languages import language_name

KIND = "analysis.degrade"
LARGE = 2_000  # questions; more are a job
HELD = 20_000  # questions of the dataset, which is read whole; with more it is a job
UNCHANGED = {
    "function_words": "It has no function word that could go and leave a question.",
    "entities": "It has no capitalised word that could go and leave a question.",
    "content_words": "It has no content word that could go and leave a question.",
    "question_type": "It has none of the seven question words.",
}


class NothingToDegrade(jobs.CannotDo):
    """None of the chosen questions can be degraded in one of the chosen ways."""

    code = "cannot_degrade"
    field = "noise"


def name_of_copy(dataset: Dataset) -> str:
    """Return the usual name of a degraded copy."""
    return f"{dataset.name[:180]}, degraded"


def degradable_systems(dataset: Dataset) -> QuerySet[System]:
    """Return the systems whose questions are not degraded already."""
    return dataset.systems.exclude(kind=System.Kind.DEGRADATION)


def check_degradation(dataset: Dataset, wanted: WantedDegradation) -> None:
    """Raise InvalidInput for the first setting of a degradation that cannot be used."""
    known = set(degradable_systems(dataset).values_list("name", flat=True))
    if not (wanted.systems or wanted.references):
        raise InvalidInput("Choose the systems whose questions are degraded.", field="systems")
    if unknown := [name for name in wanted.systems if name not in known]:
        raise InvalidInput(f"“{unknown[0]}” cannot be degraded here.", field="systems")
    references = Reference.objects.filter(source__dataset=dataset)
    if wanted.references and not references.exists():
        raise InvalidInput("The dataset has no references.", field="references")
    if not wanted.noise or not set(wanted.noise) <= set(KINDS):
        raise InvalidInput(f"The kinds of degradation are {', '.join(KINDS)}.", field="noise")
    if wanted.beside not in BESIDE:
        raise InvalidInput(f"The choices are {', '.join(BESIDE)}.", field="beside")
    check_between(wanted.percent, 1, 100, field="percent")
    check_between(wanted.seed, 0, MAX_SEED, field="seed")
    if not wanted.name.strip():
        raise InvalidInput("The new dataset needs a name.", field="name")
    check_length(wanted.name, MAX_NAME_CHARACTERS, field="name")


def start_degradation(*, dataset: Dataset, wanted: WantedDegradation, by: User) -> Job:
    """Create a queued job that degrades questions. The caller notifies workers."""
    check_degradation(dataset, wanted)
    return jobs.enqueue(kind=KIND, parameters=asdict(wanted), by=by, dataset=dataset)


def execute_degradation(work: jobs.Work) -> dict[str, Any]:
    """Degrade as the job asks. Called by the worker inside one transaction."""
    job = work.job
    if job.dataset is None:
        raise jobs.CannotDo("The dataset is no longer there.")
    wanted = WantedDegradation(**job.parameters)
    made = degrade_dataset(
        dataset=job.dataset, wanted=wanted, by=job.created_by, progress=work.progress
    )
    return {"dataset": made.pk}


def is_large(*, dataset: Dataset, wanted: WantedDegradation) -> bool:
    """Return whether it takes so long that it must be a job."""
    held = Question.objects.filter(unit__question_set__source__dataset=dataset)
    return held[: HELD + 1].count() > HELD or size(dataset=dataset, wanted=wanted) > LARGE


def size(*, dataset: Dataset, wanted: WantedDegradation) -> int:
    """Return the largest number of questions that the job degrades and copies."""
    given = Question.objects.filter(unit__question_set__source__dataset=dataset)
    chosen = given.filter(unit__question_set__system__name__in=wanted.systems).count()
    chosen += Reference.objects.filter(source__dataset=dataset).count() if wanted.references else 0
    kept = {"all": given.count(), "chosen": chosen, "none": 0}[wanted.beside]
    return kept + chosen * len(wanted.noise) * wanted.percent // 100


def degrade_dataset(
    *,
    dataset: Dataset,
    wanted: WantedDegradation,
    by: User,
    progress: TellProgress = ignore_progress,
) -> Dataset:
    """Make a dataset of the same material with degraded questions; scores are not copied.

    Raises
    ------
    NothingToDegrade
        Where no question is changed; nothing is stored.
    """
    from judging.imports.actions import adding  # loads pandas

    if not knows_noise(dataset.language):
        raise NothingToDegrade(
            f"Degradations are not for this language: they know English words, the texts are "
            f"{language_name(dataset.language)}."
        )
    progress(0, 0, "Reading the dataset")
    read = exports.export_dataset(dataset=dataset)
    sets = chosen_sets(read, wanted)
    made = list(
        degrade_systems(
            sets,
            wanted,
            taken={*read.systems, REFERENCES},
            tell=lambda: progress(0, 0, "Degrading the questions"),
        )
    )
    if not any(each.questions for each in made):
        raise NothingToDegrade("None of the chosen questions has words of the chosen sorts.")
    with transaction.atomic():
        new = Dataset.objects.create(
            name=wanted.name,
            owner=by,
            licence=dataset.licence,
            language=dataset.language,
            mapping={"degraded": _how(dataset, wanted, made)},
        )
        study = degraded_study(read, sets, wanted, made)
        try:
            adding.store_records(
                records=study,
                dataset=new,
                by=by,
                now=timezone.now(),
                progress=progress,
            )
        except CannotImport as refused:
            raise NothingToDegrade(refused.reasons[0]) from None
        _say_kinds(new, dataset, made)
        datasets.quarantine_values(dataset=new, problems=_excluded(read, made))
        history.record_event(
            Event.Act.DATASET_DEGRADED,
            by=by,
            about=datasets.dataset_name(dataset),
            after=datasets.dataset_name(new),
        )
    return new


def _say_kinds(new: Dataset, old: Dataset, made: Sequence[Degraded]) -> None:
    """Mark degradations as such; copied systems stay what they were, and references are human."""
    for kind in System.Kind.values:
        names = old.systems.filter(kind=kind).values_list("name", flat=True)
        new.systems.filter(name__in=list(names)).update(kind=kind)
    copied = old.systems.values_list("name", flat=True)
    new.systems.exclude(name__in=list(copied)).update(kind=System.Kind.HUMAN)
    new.systems.filter(name__in=[each.system for each in made]).update(kind=System.Kind.DEGRADATION)


def _excluded(read: StudyRecords, made: Iterable[Degraded]) -> list[Problem]:
    rows = {source.key: row for row, source in enumerate(read.sources, start=1)}
    return [
        Problem(
            row=rows[one.source_key],
            column=each.system,
            value=one.text or "",
            reason=UNCHANGED[each.noise],
        )
        for each in made
        for one in each.unchanged
    ]


def _how(dataset: Dataset, wanted: WantedDegradation, made: Iterable[Degraded]) -> dict[str, Any]:
    systems = [
        {
            "system": each.system,
            "noise": each.noise,
            "degraded": len(each.questions),
            "excluded": len(each.unchanged),
        }
        for each in made
    ]
    of = {"dataset": dataset.pk, "name": dataset.name}
    return {
        "of": of,
        "seed": wanted.seed,
        "percent": wanted.percent,
        "beside": wanted.beside,
        "systems": systems,
    }
