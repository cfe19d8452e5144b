"""LLM judges of a campaign: the list of items for them, importing their answers, removing them."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Count, QuerySet

from judging.base.actions.bulk import copy_rows
from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import InvalidInput, Refused, check_between
from judging.campaigns.guards import judges_now
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.datasets.models.dataset import Question, Unit
from judging.formats import child
from judging.formats.judge_tables import JudgeAnswer, JudgeAnswers, JudgedItem, read_answers
from judging.formats.mapping import Mapping as FileMapping
from judging.jobs import storage
from judging.jobs.models.file import StoredFile
from judging.llm_judges.models.llm_judge import SAME_TEXT, LLMJudge, LLMJudgment
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.protocols import documents
from judging.protocols.models.protocol import Criterion

PROMPT_SHOWN = 2_000  # characters
PROBLEMS_KEPT = 500
PROBLEMS_SHOWN = 20
ABOUT = (
    "name",
    "model",
    "version",
    "prompt",
    "temperature",
    "judged_on",
    "cost",
    "currency",
    "own_systems",
)
# possessive quantifiers: without them three runs of blanks in a row could be divided in as many
# ways as the cube of their length
RATED = re.compile(
    r"\b(annotator|rater|judge|human|assessor)\s*+(\d++|[a-z])?\s*+(rating|score)?s?\s*+[:=]\s*+\d",
    re.I,
)
ITEM_COLUMNS = ("item", "source_id", "system", "position", "passage", "answer", "question")


class CannotTake(Refused):
    """The judge cannot be imported, such as for a table without a usable answer; the message says
    why."""

    code = "cannot_take_judge"


class NameTaken(CannotTake):
    code = "name_taken"
    field = "name"

    def __init__(self, name: str) -> None:
        super().__init__(f"A judge of this campaign is already called {name}.")


def questions_with_tokens(campaign: Campaign) -> list[JudgedItem]:
    """Return the questions that a campaign judges, each with the token that is its id in files."""
    return [item for item, _ in _with_texts(campaign)]


def item_rows(campaign: Campaign) -> Iterator[list[object]]:
    """Yield the questions as rows for a judge to fill: `ITEM_COLUMNS`, then one blank cell for each
    criterion."""
    criteria = documents.protocol_from_document(campaign.protocol.document).criteria
    for item, (passage, answer) in _with_texts(campaign):
        yield [
            item.token,
            item.source,
            item.system,
            item.position,
            passage,
            answer,
            item.text,
            *[""] * len(criteria),
        ]


def units(campaign: Campaign) -> Iterator[tuple[int, str]]:
    """Yield the unit and the source of each question that a campaign judges, in the order of
    `items`: a million of them fit in memory, which a million items would not."""
    yield from _asked(campaign).values_list("unit", "unit__question_set__source__key").iterator()


def _asked(campaign: Campaign) -> QuerySet[Question]:
    asked = Question.objects.filter(
        unit__question_set__source__dataset=campaign.dataset_id,
        unit__question_set__source__repeat_of__isnull=True,
    )
    if campaign.selection and campaign.state != Campaign.State.DRAFT:
        asked = asked.filter(unit__in=SelectedUnit.objects.filter(campaign=campaign).values("unit"))
    return asked.order_by(
        "unit__question_set__source__position", "unit__question_set__system__name", "unit__position"
    )


def _with_texts(campaign: Campaign) -> Iterator[tuple[JudgedItem, tuple[str, str]]]:
    rows = _asked(campaign).values_list(
        "unit",
        "unit__question_set",
        "unit__question_set__source__key",
        "unit__question_set__system__name",
        "unit__position",
        "text",
        "unit__question_set__source__passage__text",
        "unit__question_set__source__answer",
    )
    wholes = Unit.objects.filter(question_set__source__dataset=campaign.dataset_id, position=None)
    sets = dict(wholes.values_list("question_set", "pk"))
    # each row repeats the passage of its question, so all rows together may be large
    for unit, held, source, system, position, text, passage, answer in rows.iterator():
        item = JudgedItem(
            unit, sets.get(held), token(campaign, unit), source, system, position or 1, text
        )
        yield item, (passage or "", answer)


def token(campaign: Campaign, unit: int) -> str:
    """Return the id of a campaign's unit in files."""
    return hashlib.sha256(f"{campaign.uuid}/{unit}".encode()).hexdigest()[:12]


def judges_with_counts(campaign: Campaign) -> list[LLMJudge]:
    """Return a campaign's judges with how many judgments each gave."""
    return list(
        LLMJudge.objects.filter(campaign=campaign).annotate(n=Count("judgments")).order_by("pk")
    )


def add_llm_judge(
    *, campaign: Campaign, by: User, file: StoredFile, file_name: str, about: Mapping[str, Any]
) -> tuple[LLMJudge, JudgeAnswers]:
    """Import a judge with its answers from a table; raise what `check`, `read` and `keep` raise."""
    check_can_add_llm_judge(campaign=campaign, about=about)
    found = read_judge_table(campaign=campaign, by=by, file=file, file_name=file_name)
    kept = store_llm_judge(
        campaign=campaign, by=by, file=file, file_name=file_name, about=about, found=found
    )
    return kept, found


def check_own_systems(campaign: Campaign, names: Iterable[str]) -> None:
    """Raise InvalidInput if the dataset has no system of one of the names."""
    known = set(campaign.dataset.systems.values_list("name", flat=True))
    for name in names:
        if name not in known:
            raise InvalidInput(f"The dataset has no system “{name}”.", field="own_systems")


def check_can_add_llm_judge(*, campaign: Campaign, about: Mapping[str, Any]) -> None:
    """Raise CannotTake, before a judge's table is read, if the campaign is a draft or has a judge
    of this name, or if the prompt is too long."""
    if campaign.state == Campaign.State.DRAFT:
        raise CannotTake(
            "Lock the campaign first: a draft's protocol and questions may still change.",
            code="not_locked",
        )
    if LLMJudge.objects.filter(campaign=campaign, name=about["name"]).exists():
        raise NameTaken(about["name"])
    if about.get("temperature") is not None:
        check_between(about["temperature"], 0, 10, field="temperature")
    if (about.get("cost") or 0) < 0:
        raise InvalidInput("A cost is not negative.", field="cost")
    check_own_systems(campaign, about.get("own_systems", ()))
    if len(about.get("prompt", "")) > MAX_DOCUMENT_CHARACTERS:
        raise CannotTake(f"The prompt is too long: at most {MAX_DOCUMENT_CHARACTERS:,} characters.")


def read_judge_table(
    *,
    campaign: Campaign,
    by: User,
    file: StoredFile,
    file_name: str,
    progress: TellProgress = ignore_progress,
) -> JudgeAnswers:
    """Read a judge's answers from a table; cells without an answer are returned with row and reason.
    For users who judge the dataset no row is matched by its system, because the matches would
    reveal which system wrote a question.

    Raises
    ------
    CannotTake
        If the table has no answer that can be used.
    Unreadable
        If the file is no table, or its columns name no items or criteria.
    """
    known = questions_with_tokens(campaign)
    if judges_now(by, campaign.dataset):
        known = [replace(item, system="") for item in known]
    found = _answers(campaign, known, file, file_name, progress)
    if not found.answers:
        first = found.problems[0] if found.problems else None
        why = f" The first problem: row {first.row}, {first.value} {first.reason}." if first else ""
        raise CannotTake(f"No answer in the table could be used.{why}")
    return found


def store_llm_judge(
    *,
    campaign: Campaign,
    by: User,
    file: StoredFile | None,
    file_name: str,
    about: Mapping[str, Any],
    found: JudgeAnswers,
) -> LLMJudge:
    """Store a judge with its answers; raise CannotTake if its name is taken."""
    prompt = about.get("prompt", "")
    try:
        with transaction.atomic():
            judge = LLMJudge.objects.create(
                campaign=campaign,
                created_by=by,
                file=file,
                file_name=file_name[:255],
                prompt_sha256=hashlib.sha256(prompt.encode()).hexdigest() if prompt else "",
                problems=[_told(problem) for problem in found.problems[:PROBLEMS_KEPT]],
                **{name: about[name] for name in ABOUT if name in about},
            )
            store_judge_answers(judge, found)
            history.record_event(
                Event.Act.MACHINE_JUDGE_ADDED, by=by, campaign=campaign, about=llm_judge_name(judge)
            )
    except IntegrityError as refused:
        if "llm_judge_name" not in str(refused):
            raise
        raise NameTaken(about["name"]) from None
    return judge


def store_judge_answers(judge: LLMJudge, found: JudgeAnswers) -> None:
    """Store a judge's answers. If all its answers about a unit in one repeat have the same reason
    and raw answer, as in a row with many criteria, these texts are stored once."""
    shared: dict[tuple[int, int], tuple[str, str] | None] = {}
    for each in found.answers:
        beside = (each.rationale, each.raw)
        if shared.setdefault((each.unit, each.repeat), beside) != beside:
            shared[each.unit, each.repeat] = None
    stored: set[tuple[int, int]] = set()

    def texts(each: JudgeAnswer) -> tuple[str, str]:
        about = each.unit, each.repeat
        if about in stored and shared[about]:
            return each.rationale and SAME_TEXT, each.raw and SAME_TEXT
        stored.add(about)
        return each.rationale, each.raw

    criteria = dict(
        Criterion.objects.filter(protocol=judge.campaign.protocol_id).values_list("key", "pk")
    )
    columns = (
        "judge_id",
        "unit_id",
        "criterion_id",
        "value",
        "repeat",
        "rationale",
        "raw",
        "place",
    )
    copy_rows(
        LLMJudgment,
        columns,
        (
            (
                judge.pk,
                answer.unit,
                criteria[answer.criterion],
                answer.value,
                answer.repeat,
                *texts(answer),
                answer.place,
            )
            for answer in found.answers
        ),
    )


def remove_llm_judge(*, judge: LLMJudge, by: User) -> None:
    """Remove a judge with its answers and its table; annotators' judgments are not affected."""
    with transaction.atomic():
        about, campaign = llm_judge_name(judge), judge.campaign
        history.record_event(Event.Act.MACHINE_JUDGE_REMOVED, by=by, campaign=campaign, about=about)
        file = judge.file
        judge.delete()
        if file:
            storage.release_file(file)


def llm_judge_name(judge: LLMJudge) -> str:
    """Return the name of an LLM judge for events."""
    return f"LLM judge {judge.name}"


def prompt_warnings(campaign: Campaign, prompt: str) -> list[str]:
    """Return warnings about contents of a prompt that may invalidate its judge as evidence."""
    found = []
    if RATED.search(prompt):
        found.append(
            "The prompt seems to contain human ratings: agreement with ratings that a judge has seen is no evidence."
        )
    labels = Enrollment.objects.filter(campaign=campaign).values_list("label", flat=True)
    if named := sorted(
        label
        for label in labels
        if len(label) > 2 and label in prompt and re.search(rf"\b{re.escape(label)}\b", prompt)
    ):
        found.append(
            f"The prompt names annotators ({', '.join(named[:3])}): make sure that it contains none of their ratings."
        )
    return found


def _answers(
    campaign: Campaign,
    items: list[JudgedItem],
    file: StoredFile,
    file_name: str,
    progress: TellProgress,
) -> JudgeAnswers:
    """Return the answers in a table, which is read in a process under limits."""
    protocol = documents.protocol_from_document(campaign.protocol.document)
    progress(0, 0, "Reading the table")
    header, rows = child.read_table_in_child(
        name=file_name, data=storage.content_of(file), mapping=FileMapping(recipe="table")
    )
    return read_answers(header, rows, items, protocol)


def _told(problem: Any) -> dict[str, Any]:
    return {
        "row": problem.row,
        "column": problem.column,
        "value": problem.value[:200],
        "reason": problem.reason,
    }


def problem_lines(judge: LLMJudge) -> Sequence[str]:
    """Return the first problems of a judge's answers as sentences."""
    lines = []
    for problem in judge.problems[:PROBLEMS_SHOWN]:
        whole = "a question" if "unit" in problem else ""
        where = ", ".join(
            filter(None, [f"row {problem['row']}" if problem["row"] else whole, problem["column"]])
        )
        value = f"“{problem['value'][:80]}” " if problem["value"] else ""
        lines.append(f"{where}: {value}{problem['reason']}" if where else problem["reason"])
    return lines
