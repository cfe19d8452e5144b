"""Make a new dataset of questions degraded on purpose, for sanity campaigns and quality control."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.utils import timezone

from analysis.actions.degrading import (
    REFERENCES,
    Degraded,
    WantedDegradation,
    chosen_sets,
    degraded,
    study_of,
)
from analysis.metrics.languages import name_of
from analysis.metrics.noise import knows_noise
from judging.actions import collections, exports, history, jobs
from judging.actions.rounds import TellProgress, silent
from judging.imports.actions import adding
from judging.imports.actions.joining import JoiningChoices, join
from judging.imports.readers.records import Problem, StudyRecords
from judging.models import Collection, Event, Job, Question, Reference, System, User

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


def start(*, collection: Collection, wanted: WantedDegradation, by: User) -> Job:
    """Create a queued job that degrades questions. The caller notifies workers."""
    return jobs.enqueue(kind=KIND, parameters=asdict(wanted), by=by, collection=collection)


def execute(work: jobs.Work) -> dict[str, Any]:
    """Degrade as the job asks. Called by the worker inside one transaction."""
    job = work.job
    if job.collection is None:
        raise jobs.CannotDo("The dataset is no longer there.")
    wanted = WantedDegradation(**job.parameters)
    made = degrade(
        collection=job.collection, wanted=wanted, by=job.created_by, progress=work.progress
    )
    return {"collection": made.pk}


def is_large(*, collection: Collection, wanted: WantedDegradation) -> bool:
    """Return whether it takes so long that it must be a job."""
    held = Question.objects.filter(unit__question_set__source__collection=collection)
    return held[: HELD + 1].count() > HELD or size(collection=collection, wanted=wanted) > LARGE


def size(*, collection: Collection, wanted: WantedDegradation) -> int:
    """Return the largest number of questions that the job degrades and copies."""
    given = Question.objects.filter(unit__question_set__source__collection=collection)
    chosen = given.filter(unit__question_set__system__name__in=wanted.systems).count()
    chosen += (
        Reference.objects.filter(source__collection=collection).count() if wanted.references else 0
    )
    kept = {"all": given.count(), "chosen": chosen, "none": 0}[wanted.beside]
    return kept + chosen * len(wanted.noise) * wanted.percent // 100


def degrade(
    *, collection: Collection, wanted: WantedDegradation, by: User, progress: TellProgress = silent
) -> Collection:
    """Make a dataset of the same material with degraded questions; scores are not copied.

    Raises
    ------
    NothingToDegrade
        Where no question is changed; nothing is stored.
    """
    if not knows_noise(collection.language):
        raise NothingToDegrade(
            f"Degradations are not for this language: they know English words, the texts are "
            f"{name_of(collection.language)}."
        )
    progress(0, 0, "Reading the dataset")
    read = exports.material_of(collection=collection)
    sets = chosen_sets(read, wanted)
    made = list(
        degraded(
            sets,
            wanted,
            taken={*read.systems, REFERENCES},
            tell=lambda: progress(0, 0, "Degrading the questions"),
        )
    )
    if not any(each.questions for each in made):
        raise NothingToDegrade("None of the chosen questions has words of the chosen sorts.")
    with transaction.atomic():
        new = Collection.objects.create(
            name=wanted.name,
            owner=by,
            licence=collection.licence,
            language=collection.language,
            mapping={"degraded": _how(collection, wanted, made)},
        )
        study = study_of(read, sets, wanted, made)
        joined = join(
            study=study,
            columns=None,
            collection=new,
            choices=JoiningChoices(unmatched="add"),
            rubric=None,
        )
        if joined.obstacles:
            raise NothingToDegrade(joined.obstacles[0])
        adding.store(
            joined=joined,
            collection=new,
            added=None,
            rubric=None,
            by=by,
            now=timezone.now(),
            progress=progress,
        )
        _say_kinds(new, collection, made)
        collections.quarantine(collection=new, problems=_left_out(read, made))
        history.note(
            Event.Act.COLLECTION_DEGRADED,
            by=by,
            about=collections.name_of(collection),
            after=collections.name_of(new),
        )
    return new


def _say_kinds(new: Collection, old: Collection, made: Sequence[Degraded]) -> None:
    """Mark degradations as such; copied systems stay what they were, and references are human."""
    for kind in System.Kind.values:
        names = old.systems.filter(kind=kind).values_list("name", flat=True)
        new.systems.filter(name__in=list(names)).update(kind=kind)
    copied = old.systems.values_list("name", flat=True)
    new.systems.exclude(name__in=list(copied)).update(kind=System.Kind.HUMAN)
    new.systems.filter(name__in=[each.system for each in made]).update(kind=System.Kind.DEGRADATION)


def _left_out(read: StudyRecords, made: Iterable[Degraded]) -> list[Problem]:
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


def _how(
    collection: Collection, wanted: WantedDegradation, made: Iterable[Degraded]
) -> dict[str, Any]:
    systems = [
        {
            "system": each.system,
            "noise": each.noise,
            "degraded": len(each.questions),
            "left_out": len(each.unchanged),
        }
        for each in made
    ]
    of = {"collection": collection.pk, "name": collection.name}
    return {
        "of": of,
        "seed": wanted.seed,
        "percent": wanted.percent,
        "beside": wanted.beside,
        "systems": systems,
    }
