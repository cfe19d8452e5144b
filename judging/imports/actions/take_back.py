"""Taking a file back: its rows are removed, and the dataset is as it was before. If other data
depend on the file, they are reported instead."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Exists, Model, OuterRef, ProtectedError, Q, QuerySet

from judging.base.actions.bulk import check_at_once, let_planner_know
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.actions import live_agreements
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Task, TaskUnit
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.added_file import AddedFile, FilledBlank
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    Question,
    QuestionSet,
    Reference,
    Source,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.imports.actions.files import lock_dataset_files
from judging.imports.actions.rated_campaigns import count_annotators
from judging.jobs.actions import jobs
from judging.llm_judges.models.llm_judge import LLMJudge, LLMJudgment
from judging.people.models.user import User
from judging.work.models.assignment import Marking, Note, SpanMark
from judging.work.models.judgment import Judgment

TAKEN_BACK = AddedFile.State.TAKEN_BACK
NAMED = 5
LARGE = 500_000  # bytes; a larger file is taken back by a job
BLANK: dict[str, dict[str, Any]] = {
    "passage": {"passage": None},
    "answer": {"answer": "", "answer_start": None},
    "sentence": {"sentence": "", "sentence_start": None},
    "target_type": {"target_type": ""},
    "modality": {"modality": ""},
    "language": {"language": ""},
}


class Rests(Refused):
    """Other data depend on the file; `reasons` are sentences that name them."""

    code = "others_depend"

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(" ".join(reasons))
        self.reasons = reasons


def is_slow(added: AddedFile) -> bool:
    """Return whether taking a file back takes so long that a job must do it."""
    return added.file.size > LARGE


def remove_added_rows(
    *, added: AddedFile, by: User, now: datetime, progress: TellProgress = ignore_progress
) -> None:
    """Remove everything that a file added, in one transaction. The file stays listed, with the user
    who took it back.

    Raises
    ------
    Rests
        If other data depend on the file; nothing is removed.
    """
    with transaction.atomic():
        lock_dataset_files(added.dataset)
        added.refresh_from_db(fields=["state"])
        if reasons := rests_on(added):
            raise Rests(reasons)
        check_at_once()
        steps, grown = list(_steps(added)), _grown_sets(added)
        _remove_judgments(added, by)
        for done, rows in enumerate(steps):
            progress(done, len(steps), f"Removing {rows.model._meta.verbose_name_plural}")
            if rows.model is not Judgment:
                rows._raw_delete(rows.db)
            elif added.campaign_id:
                _clear_campaign(Campaign.objects.get(pk=added.campaign_id))
        _count_slots(grown)
        _clear_dataset(added.dataset)
        added.state, added.taken_back_at, added.taken_back_by = TAKEN_BACK, now, by
        added.campaign = None
        added.save(update_fields=["state", "taken_back_at", "taken_back_by", "campaign"])
        _name_first_file(added.dataset)
        let_planner_know(Source, QuestionSet, Unit, Question, Score, Assignment, Judgment)


def _remove_judgments(added: AddedFile, by: User) -> None:
    """Remove the file's judgments by a function of the database owner, which writes the event: the
    web server's own role may not delete judgments."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT judging_take_back_judgments(%s, %s)", [added.pk, by.pk])


def rests_on(added: AddedFile) -> list[str]:
    """Return a sentence for everything that depends on the file; an empty list if it can be taken
    back."""
    if added.state != AddedFile.State.ADDED:
        return ["The file is not in the dataset."]
    return [*_campaigns(added), *_other_files(added), *_computed(added), *_machines(added)]


def _of(added: AddedFile) -> dict[str, QuerySet[Any]]:
    """Return the rows that a file added."""
    dataset = added.dataset
    return {
        "sources": Source.objects.filter(dataset=dataset, added_file=added),
        "sets": QuestionSet.objects.filter(source__dataset=dataset, added_file=added),
        "units": Unit.objects.filter(question_set__source__dataset=dataset, added_file=added),
        "questions": Question.objects.filter(
            unit__question_set__source__dataset=dataset, added_file=added
        ),
    }


def _campaigns(added: AddedFile) -> Iterator[str]:
    """Yield campaigns that judge the file's questions, or whose items are fixed."""
    material = _of(added)
    if not (
        material["units"].exists() or material["questions"].exists() or added.filled_blanks.exists()
    ):
        return
    units = Q(unit__in=material["units"]) | Q(unit__in=material["questions"].values("unit"))
    judged = TaskUnit.objects.filter(units).values("task__round__campaign")
    about = Campaign.objects.filter(dataset=added.dataset).exclude(origin=Campaign.Origin.IMPORTED)
    for campaign in about.filter(Q(pk__in=judged) | ~Q(state=Campaign.State.DRAFT)).order_by(
        "title"
    )[:NAMED]:
        yield f"The campaign “{campaign.title}” ({campaign.get_state_display()}) judges questions of this file."


def _other_files(added: AddedFile) -> Iterator[str]:
    """Yield files whose rows are about rows of this one."""
    counts = Counter[int]()
    for model, condition in _resting_rows(added):
        rows = model._default_manager.filter(condition, added_file__isnull=False).exclude(
            added_file=added
        )
        counts.update(dict(rows.order_by().values_list("added_file").annotate(n=Count("pk"))))
    for file in AddedFile.objects.filter(pk__in=counts).order_by("number")[:NAMED]:
        what = f"“{file.name}” (file {file.number}) added {counts[file.pk]:,} values about its questions"
        yield f"{what}; take that file back first."


def _resting_rows(added: AddedFile) -> tuple[tuple[type[Model], Q], ...]:
    """Return the conditions under which rows of each model are about rows of this file."""
    material = _of(added)
    on_units = Q(unit__in=material["units"]) | Q(unit__in=material["questions"].values("unit"))
    return (
        (Question, Q(unit__in=material["units"])),
        (Score, on_units),
        (Attribute, on_units),
        (Judgment, on_units),
        (Unit, Q(question_set__in=material["sets"])),
        (QuestionSet, Q(source__in=material["sources"])),
        (Reference, Q(source__in=material["sources"])),
        (FilledBlank, Q(source__in=material["sources"])),
    )


def _computed(added: AddedFile) -> Iterator[str]:
    """Yield metrics whose scores were computed here from data of this file."""
    material = _of(added)
    computed = Score.objects.filter(
        metric__dataset=added.dataset, metric__kind=Metric.Kind.COMPUTED
    )
    about = Q(unit__in=material["units"]) | Q(unit__in=material["questions"].values("unit"))
    if material["questions"].exists():
        about |= Q(system__isnull=False)
    touched = Reference.objects.filter(source__dataset=added.dataset, added_file=added).values(
        "source"
    )
    about |= Q(unit__question_set__source__in=touched)
    about |= Q(unit__question_set__source__in=added.filled_blanks.values("source"))
    names = sorted(set(computed.filter(about).order_by().values_list("metric__name", flat=True)))
    if names:
        yield f"Scores of {', '.join(names[:NAMED])} were computed here from its data; remove them first."


def _machines(added: AddedFile) -> Iterator[str]:
    """Yield LLM judges that judged this file's questions, or whose campaign would be deleted with
    its ratings."""
    material = _of(added)
    units = Q(unit__in=material["units"]) | Q(unit__in=material["questions"].values("unit"))
    judges = Q(pk__in=LLMJudgment.objects.filter(units).values("judge"))
    if added.campaign_id:
        judges |= Q(campaign=added.campaign_id)
    about = LLMJudge.objects.filter(campaign__dataset=added.dataset).filter(judges)
    for judge in about.select_related("campaign").order_by("pk")[:NAMED]:
        yield f"The LLM judge “{judge.name}” of “{judge.campaign.title}” judged with it; remove that judge first."


def _steps(added: AddedFile) -> Iterator[QuerySet[Any]]:
    """Yield the file's rows, in an order in which no remaining row needs a removed one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('quaestor.take_back', %s, true)", [str(added.pk)])
    dataset, material = added.dataset, _of(added)
    campaigns = {"assignment__round__campaign__dataset": dataset, "added_file": added}
    if added.campaign_id:
        for model in (Note, Marking, SpanMark):
            yield model._default_manager.filter(**campaigns)
        yield Judgment.objects.filter(**campaigns)
    yield Score.objects.filter(metric__dataset=dataset, added_file=added)
    yield Attribute.objects.filter(unit__question_set__source__dataset=dataset, added_file=added)
    yield material["questions"]
    yield material["units"]
    yield material["sets"]
    yield Reference.objects.filter(source__dataset=dataset, added_file=added)
    _empty(added)
    yield added.filled_blanks.all()
    yield material["sources"]
    yield dataset.quarantine.filter(added_file=added)


def _grown_sets(added: AddedFile) -> list[int]:
    """Return the sets of other files to which the file added slots."""
    grown = _of(added)["units"].exclude(question_set__added_file=added)
    return list(grown.values_list("question_set", flat=True).distinct())


def _count_slots(keys: Sequence[int]) -> None:
    """Have sets that lost slots expect as many questions as they have slots."""
    sets = QuestionSet.objects.filter(pk__in=keys)
    for pk, slots in sets.annotate(
        slots=Count("units", filter=Q(units__position__isnull=False))
    ).values_list("pk", "slots"):
        QuestionSet.objects.filter(pk=pk).update(expected=slots)


def _empty(added: AddedFile) -> None:
    """Blank the fields that the file filled."""
    for name, blank in BLANK.items():
        filled = added.filled_blanks.filter(name=name).values("source")
        Source.objects.filter(pk__in=filled).update(**blank)


def _clear_campaign(campaign: Campaign) -> None:
    """Remove what no longer holds a rating; if the campaign has none left, remove everything that
    no report depends on."""
    gone = Assignment.objects.filter(round__campaign=campaign)
    for model in (Judgment, Note, Marking):
        gone = gone.exclude(Exists(model._default_manager.filter(assignment=OuterRef("pk"))))
    gone._raw_delete(gone.db)
    rated = Judgment.objects.filter(assignment__task=OuterRef("task"), unit=OuterRef("unit"))
    units = TaskUnit.objects.filter(~Exists(rated), task__round__campaign=campaign)
    units._raw_delete(units.db)
    tasks = Task.objects.filter(
        ~Exists(TaskUnit.objects.filter(task=OuterRef("pk"))),
        ~Exists(Assignment.objects.filter(task=OuterRef("pk"))),
        round__campaign=campaign,
    )
    tasks._raw_delete(tasks.db)
    _remove_idle_enrollments(campaign)
    if campaign.enrollments.exists() or not _discarded(campaign):
        count_annotators(campaign)
        live_agreements.request_agreement(campaign)


def _remove_idle_enrollments(campaign: Campaign) -> None:
    """Remove annotators of files who have neither an assignment, a user nor an exclusion."""
    idle = campaign.enrollments.filter(
        ~Exists(Assignment.objects.filter(enrollment=OuterRef("pk"))),
        user__isnull=True,
        exclusions__isnull=True,
    )
    Enrollment.objects.filter(pk__in=list(idle.values_list("pk", flat=True))).delete()


def _discarded(campaign: Campaign) -> bool:
    """Remove a campaign without ratings, unless a report or job keeps it; return whether it was
    removed."""
    try:
        with transaction.atomic():
            campaign.jobs.filter(kind=jobs.LIVE_AGREEMENT).delete()
            campaign.rounds.all().delete()
            campaign.delete()
    except ProtectedError:
        return False
    return True


def _clear_dataset(dataset: Dataset) -> None:
    """Remove passages, systems and columns that came with files and are no longer used."""
    brought = {"added_file__isnull": False}
    dataset.passages.filter(sources__isnull=True, **brought).delete()
    dataset.systems.filter(question_sets__isnull=True, scores__isnull=True, **brought).delete()
    empty = dataset.metrics.filter(scores__isnull=True, **brought).exclude(
        kind=Metric.Kind.COMPUTED
    )
    empty.delete()


def _name_first_file(dataset: Dataset) -> None:
    """Store the first file that is still added as the dataset's file."""
    first = dataset.added_files.standing().listed().first()
    Dataset.objects.filter(pk=dataset.pk).update(
        file=first.file if first else None,
        file_name=first.name if first else "",
        file_sha256=first.file.sha256 if first else "",
        mapping=first.plan if first else {},
    )
