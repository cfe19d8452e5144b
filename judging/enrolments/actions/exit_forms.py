"""The exit form: questions that a manager writes, each with its reason, and annotators' optional
answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, QuerySet

from judging.base.refusals import InvalidInput, Refused
from judging.campaigns.actions.plan_parts import PARTS, PlanPart
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.models.exit_form import ExitAnswer, ExitQuestion
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

SMALL_GROUP = 5  # fewer answers than this to a question about the person are not shown separately
NOT_TOLD = "(not shown separately)"
ENDED = (Campaign.State.CLOSED, Campaign.State.ARCHIVED)


class CannotChangeForm(Refused):
    """The form is fixed by the lock; the message says so."""

    code = "plan_locked"


@dataclass(frozen=True, kw_only=True, slots=True)
class NewExitQuestion:
    """A question for an exit form, as a manager writes it."""

    text: str
    reason: str
    kind: str = ExitQuestion.Kind.TEXT
    options: Sequence[str] = ()  # of a choice
    personal: bool = False


def add_exit_question(*, campaign: Campaign, question: NewExitQuestion, by: User) -> ExitQuestion:
    """Add a question to a draft's exit form."""
    with transaction.atomic():
        held = _draft(campaign)
        last = held.exit_questions.aggregate(last=Max("number"))["last"] or 0
        made = ExitQuestion.objects.create(
            campaign=held,
            number=last + 1,
            text=question.text,
            reason=question.reason,
            kind=question.kind,
            options=_options_of(question),
            personal=question.personal,
        )
        history.record_event(
            Event.Act.EXIT_FORM_CHANGED,
            by=by,
            campaign=held,
            about=f"question {made.number}",
            after="added",
        )
    return made


def _options_of(question: NewExitQuestion) -> list[str]:
    """Return the different options of a choice; raise InvalidInput if there are fewer than two."""
    if question.kind == ExitQuestion.Kind.TEXT:
        return []
    written = (option.strip() for option in question.options)
    options = list(dict.fromkeys(option for option in written if option))
    if len(options) < 2:
        raise InvalidInput("Write two or more different options.", field="options")
    return options


def remove_exit_question(*, question: ExitQuestion, by: User) -> None:
    """Delete a question of a draft, with the answers of annotators of a pilot."""
    with transaction.atomic():
        held = _draft(question.campaign)
        about = f"question {question.number}"
        history.record_event(
            Event.Act.EXIT_FORM_CHANGED, by=by, campaign=held, about=about, after="removed"
        )
        question.delete()


def _draft(campaign: Campaign) -> Campaign:
    held = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if held.state != Campaign.State.DRAFT:
        raise CannotChangeForm("The plan is locked, and its exit form with it.")
    return held


def copy_exit_form(of: Campaign, to: Campaign) -> None:
    """Give a draft the exit form of another campaign."""
    ExitQuestion.objects.bulk_create(
        ExitQuestion(
            campaign=to,
            number=question.number,
            text=question.text,
            kind=question.kind,
            options=question.options,
            reason=question.reason,
            personal=question.personal,
        )
        for question in of.exit_questions.all()
    )


def exit_form_document(campaign: Campaign) -> dict[str, Any]:
    """Return the plan's entry on the form; empty if there is none."""
    names = ("text", "kind", "options", "reason", "personal")
    asked = [
        {name: getattr(question, name) for name in names}
        for question in campaign.exit_questions.all()
    ]
    return {"exit_form": asked} if asked else {}


def is_open(enrollment: Enrollment) -> bool:
    """Return whether an annotator may answer now: there are open questions, and they have submitted
    a task."""
    campaign = enrollment.campaign
    if campaign.state == Campaign.State.ARCHIVED or not asked_now(campaign).exists():
        return False
    return Assignment.objects.done_by(enrollment).exists()


def asked_now(campaign: Campaign) -> QuerySet[ExitQuestion]:
    """Return the questions that may still be answered: those about the person only until their
    results are shown, because results before and after an answer would reveal it. A campaign that
    is opened again was closed before, and showed the results then."""
    questions = campaign.exit_questions.all()
    closed = Event.objects.filter(campaign=campaign.uuid, act=Event.Act.CAMPAIGN_CLOSED)
    if campaign.state in ENDED:
        return questions.filter(personal=False)
    return questions.exclude(Exists(closed), personal=True)


def store_exit_answers(*, enrollment: Enrollment, given: Mapping[int, str], now: datetime) -> None:
    """Store an annotator's answers by question, in place of earlier ones; an empty text deletes an
    answer."""
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=enrollment.campaign_id)
        for question in asked_now(campaign):
            text = given.get(question.pk, "").strip()
            own: dict[str, Any] = {"question": question, "enrollment": enrollment}
            if text:
                kept = {"text": text, "answered_at": now}
                ExitAnswer.objects.update_or_create(**own, defaults=kept)
            else:
                ExitAnswer.objects.filter(**own).delete()


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question with its answers: how often each option was chosen, and texts with their
    annotators' labels.

    In questions about the person, texts have no label, and counts that would reveal a small group
    are None. While answers still come (`waits`), all counts are None: results before and after an
    answer would reveal it.
    """

    question: ExitQuestion
    answered: int
    options: Sequence[tuple[str, int | None]]
    texts: Sequence[tuple[str, str]]
    waits: bool = False


def exit_form_results(campaign: Campaign) -> list[AnsweredQuestion]:
    """Return annotators' answers, question by question."""
    found = []
    for question in campaign.exit_questions.prefetch_related("answers__enrollment"):
        said = sorted((answer.enrollment.label, answer.text) for answer in question.answers.all())
        waits = question.personal and campaign.state not in ENDED
        told = _told(question, [text for _label, text in said], waits)
        options = [(option, told[option]) for option in question.options]
        texts = [] if question.kind == ExitQuestion.Kind.CHOICE else said
        if question.personal:
            is_small = waits or len(said) < SMALL_GROUP
            texts = [] if is_small else sorted(("", text) for _label, text in texts)
        found.append(AnsweredQuestion(question, len(said), options, texts, waits))
    return found


def _told(question: ExitQuestion, said: Sequence[str], waits: bool) -> dict[str, int | None]:
    """Return how often each option was chosen; None if that would reveal a small group.

    At least two options are hidden, with at least SMALL_GROUP answers together: otherwise their
    counts would follow from the number of answers.
    """
    counts = {option: said.count(option) for option in question.options}
    if not question.personal:
        return dict(counts)
    hidden = (
        set(counts) if waits else {count for count in counts if 0 < counts[count] < SMALL_GROUP}
    )
    for option in sorted(set(counts) - hidden, key=lambda each: (counts[each], each)):
        if not hidden or (len(hidden) > 1 and sum(counts[each] for each in hidden) >= SMALL_GROUP):
            break
        hidden.add(option)
    return {option: None if option in hidden else count for option, count in counts.items()}


def exit_form_rows(campaign: Campaign) -> list[dict[str, str | int]]:
    """Return every answer as a row of its own; in questions about the person only what the page
    shows, without the annotator's label."""
    found: list[dict[str, str | int]] = []
    for result in exit_form_results(campaign):
        if not result.question.personal:
            rows = [(said.enrollment.label, said.text) for said in result.question.answers.all()]
        elif result.question.kind == ExitQuestion.Kind.CHOICE:
            rows = [("", option) for option, count in result.options for _ in range(count or 0)]
        else:
            rows = list(result.texts)
        rows += [("", NOT_TOLD)] * (result.answered - len(rows))
        found += [
            {
                "question": result.question.number,
                "text": result.question.text,
                "annotator": label,
                "answer": answer,
            }
            for label, answer in sorted(rows)
        ]
    return found


PARTS["exit_form"] = PlanPart(copy=copy_exit_form, document=exit_form_document)
