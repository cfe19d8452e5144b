"""The judging page: show a task, store its answers, go to the next step, submit, go back."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms import MARK, NOTE, REPORT, AnswersForm, DraftsForm
from annotation.views import entry, marks
from annotation.views.marks import Sent
from annotation.views.shown_tasks import shown_task, task_progress, usable_sequence
from annotation.views.work import personal_link_of
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.enrolments.actions import enrollments
from judging.protocols.spans import Marked
from judging.quality.actions import checks
from judging.work.actions import assignments, drafts, judgments, sheets, span_marks
from judging.work.actions.drafts import (
    AnswerFirst,
    AnswerTimes,
    Entry,
    KeptDraft,
    MissingAnswers,
    SentPage,
)
from judging.work.actions.sheets import AskedControl, AskedMark, AskedReport, Sheet
from judging.work.guards import assignment_for_annotator

View = Callable[..., HttpResponse]
TASKS_WITH_REVIEW = 3  # tasks before an annotator may switch the review off


def from_own_page(view: View) -> View:
    """Refuse requests of a page after another user has logged in in its browser. The answer is as
    if the session had ended, so that the page keeps its answers: a 404 for a task of another user
    would make it drop them."""

    @wraps(view)
    def guarded(request: HttpRequest, **parts: Any) -> HttpResponse:
        said = request.headers.get("X-Quaestor-Account")
        if said and request.user.is_authenticated and said != _account(request):
            return _refused(_("Somebody else has logged in in this browser."), 401)
        return view(request, **parts)

    return guarded


def _account(request: HttpRequest) -> str:
    """Return an identifier of the page's user that does not reveal the account."""
    return salted_hmac("annotation.account", str(request.user.pk), algorithm="sha256").hexdigest()


@never_cache
@assignment_for_annotator
@require_GET
def task(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show a task with the answers entered so far; if the consent text has changed, ask first."""
    if not enrollments.has_agreed(assignment.enrollment):
        return redirect("annotation:consent", assignment.round.campaign.uuid)
    choosing = request.GET.get("choose", ""), request.GET.get("piece", "")
    shown = shown_task(assignment, name_missing="missing" in request.GET, choosing=choosing)
    around = _around(request, assignment) | {
        "note": shown.draft.note,
        "sequence": shown.sequence,
    }
    if assignment.submitted_at:
        around["handed_in"] = {
            "changed": judgments.is_changed(
                assignment=assignment, sheet=shown.sheet, given=shown.draft.answers
            ),
            "open": assignments.assigns_tasks(assignment.round),
            "done_url": reverse("annotation:done", args=[assignment.round.campaign.uuid]),
        }
    elif not assignments.assigns_tasks(assignment.round) and (
        ended := assignments.closed_reason(assignment.round)
    ):
        messages.warning(request, ended)
    return render(request, "annotation/judge.html", {"page": shown.rubric.names(around)})


def _around(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    """Return the page's values besides the questions: addresses, progress, token."""
    campaign, own = assignment.round.campaign, {"uuid": assignment.pk}
    before = _before(assignment)
    far = task_progress(assignment)
    may_switch_off = campaign.review_before_submit and campaign.review_is_optional
    return {
        "title": campaign.title,
        "progress": far,
        "link": personal_link_of(request) if not far["done"] else "",
        "submit_url": f"{reverse('annotation:submit', kwargs=own)}?step={assignment.stage}",
        "task_url": reverse("annotation:task", kwargs=own),
        "next_url": reverse("annotation:work", args=[campaign.uuid]),
        "draft_url": reverse("annotation:draft", kwargs=own),
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "start_url": reverse("annotation:start", args=[campaign.uuid]),
        "pause_url": reverse("annotation:pause", args=[campaign.uuid]),
        "back_url": reverse("annotation:task", args=[before]) if before else "",
        "reenter_url": _reenter_url(request),
        "preview": False,
        "reviews": campaign.review_before_submit,
        "review_is_optional": may_switch_off,
        "offers_review_choice": may_switch_off and far["done"] >= TASKS_WITH_REVIEW,
        "keywords": campaign.highlight_keywords,
        "token": assignment.submit_token,
        "label": assignment.enrollment.label,
        "who": f"{campaign.uuid}/{assignment.enrollment.label}",
        "account": _account(request),
    }


def _before(assignment: Assignment) -> Any:
    """Return the key of the task submitted before this one."""
    return checks.previous_with_checks(assignment=assignment)


def _reenter_url(request: HttpRequest) -> str:
    signed = enrollments.personal_link(request.user)
    return reverse("annotation:go", args=[signed]) if signed else reverse("login")


def _with_token(view: View) -> View:
    """Add the task's token to an answer: a page with another one was opened before the task was
    submitted elsewhere."""

    @wraps(view)
    def answered(request: HttpRequest, assignment: Assignment) -> HttpResponse:
        answer = view(request, assignment)
        answer.headers["X-Quaestor-Token"] = str(assignment.submit_token)
        return answer

    return answered


@never_cache
@from_own_page
@assignment_for_annotator
@require_POST
@_with_token
def store_answers(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Store answers as they are given, except those that later ones have replaced. If the consent
    text has changed, ask first: the page then keeps its answers, as if the session had ended."""
    if not enrollments.has_agreed(assignment.enrollment):
        return redirect("annotation:consent", assignment.round.campaign.uuid)
    form = DraftsForm(request.POST)
    if not form.is_valid():
        return _refused(form.problems(), 400)
    try:
        sheet = sheets.sheet_of_assignment(assignment)
        lost = drafts.save_draft(
            assignment=assignment, page=_page(sheet, form.cleaned_data, form.sequence, form.times)
        )
    except AnswerFirst as needed:
        return _forestalled(assignment, needed.lost, needed)
    except Refused as refused:
        return _refused(str(refused), refused.status)
    if form.cleaned_data.get(NOTE) == "" and drafts.task_comment(
        assignment
    ):  # on a whole page, an empty comment contradicts nothing
        lost = (*lost, NOTE)
    return _forestalled(assignment, lost) if lost else HttpResponse(status=204)


def _page(
    sheet: Sheet, said: Mapping[str, Any], sequence: int, times: Mapping[str, AnswerTimes]
) -> SentPage:
    """Sort the answers, marks and comment of a request by their kind."""
    marked = {sheet.find_mark(name): value for name, value in said.items() if MARK.fullmatch(name)}
    reports = {
        sheet.find_report(name): value for name, value in said.items() if REPORT.fullmatch(name)
    }
    others = {NOTE, *(mark.name for mark in marked), *(report.name for report in reports)}
    given = [(sheet.find(name), value) for name, value in said.items() if name not in others]
    timed = {asked: times[asked.name] for asked, _value in given}
    return SentPage(given, sequence, said.get(NOTE), marked, reports, timed)


def _forestalled(
    assignment: Assignment, lost: Iterable[Entry], needed: AnswerFirst | None = None
) -> HttpResponse:
    """Return the answers that were not stored, their current values, and the number to count on
    from; and the reports and marks that are kept because the task needs them, with what to do."""
    kept, (marked, number) = drafts.load_draft(assignment), span_marks.load_marks(assignment)
    standing = {_name(entry): _standing(entry, kept, marked) for entry in lost}
    said = {
        "error": _("A later answer is held."),
        "lost": standing,
        "sequence": usable_sequence(assignment, kept.sequence, number),
    }
    if needed:
        said |= {"error": str(needed), "held_back": [each.name for each in needed.held_back]}
    return JsonResponse(said, status=409)


def _name(entry: Entry) -> str:
    return NOTE if isinstance(entry, str) else entry.name


def _standing(entry: Entry, kept: KeptDraft, marked: Mapping[int, Marked]) -> str:
    if isinstance(entry, str):
        return kept.note
    if isinstance(entry, AskedReport):
        return kept.reports.get(entry.unit, "")
    if isinstance(entry, AskedMark):
        return str(marked.get(entry.unit, Marked()))
    return str(kept.answers.get(entry.place, ""))


def _refused(reason: str, status: int) -> HttpResponse:
    return JsonResponse({"error": reason}, status=status)


@never_cache
@from_own_page
@assignment_for_annotator
@require_http_methods(["GET", "POST"])
def submit_page(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Store the whole page, do what its button says, and lead on. A script, which sends the page
    itself so that it stays if no server answers, receives the address, and whether the task is
    submitted. A log-in in between leads here by GET."""
    answer = (
        request.method == "POST" and entry.ask_before_storing(request, assignment.enrollment)
    ) or _sent(request, assignment)
    if request.headers.get("Accept") == "application/json":
        is_submitted = assignment.state in drafts.DONE
        return JsonResponse({"next": answer["Location"], "submitted": is_submitted})
    return answer


def _sent(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    if request.method == "GET" or request.GET.get("step") != str(assignment.stage):
        return redirect("annotation:task", assignment.pk)
    form = AnswersForm(
        request.POST, sheet=sheets.sheet_of_assignment(assignment), stage=assignment.stage
    )
    pressed = request.POST.get("action", "submit")
    act = BUTTONS.get(pressed.partition(" ")[0])
    if act is None or not form.is_valid():
        messages.error(request, form.problems() or _("This page does not know that button."))
        return redirect("annotation:task", assignment.pk)
    try:
        return act(Sending(request, assignment, form, marks.sent_marks(form, pressed)))
    except MissingAnswers:
        return redirect(reverse("annotation:task", args=[assignment.pk]) + "?missing")
    except Refused as refused:
        messages.error(request, str(refused), extra_tags=refused.code)
        return redirect("annotation:task", assignment.pk)


@dataclass(frozen=True, slots=True)
class Sending:
    """A sent page, for its button to act on."""

    request: HttpRequest
    assignment: Assignment
    form: AnswersForm
    marks: Sent

    @property
    def sheet(self) -> Sheet:
        return self.form.sheet

    @property
    def page(self) -> SentPage:
        said = self.form.cleaned_data
        return SentPage(
            self.form.given(),
            said["sequence"] + 1,
            said["note"],
            self.marks.marks,
            self.form.reports(),
        )

    def again(self) -> HttpResponseRedirectBase:
        return redirect("annotation:task", self.assignment.pk)


Button = Callable[[Sending], HttpResponse]


def _keeping(act: Button) -> Button:
    """Have a button store the whole page first, and lead back if something on it has to be checked
    again."""

    @wraps(act)
    def keep(sending: Sending) -> HttpResponse:
        try:
            lost = drafts.save_draft(assignment=sending.assignment, page=sending.page)
        except AnswerFirst as needed:
            messages.error(sending.request, str(needed), extra_tags=needed.code)
            return _look_again(sending, needed.lost) if needed.lost else sending.again()
        if lost:
            return _look_again(sending, lost)
        return _ask_again(sending) if sending.marks.open else act(sending)

    return keep


def _look_again(sending: Sending, lost: Iterable[Entry]) -> HttpResponse:
    """Name the answers that were changed later in another window, with the sent and the kept
    value."""
    kept, sent = drafts.load_draft(sending.assignment), dict(sending.page.given)
    said = [_compared(entry, sent, kept) for entry in lost]
    changed = _("Some answers were changed later in another window. Look at them again.")
    messages.warning(sending.request, " ".join([changed, *said]))
    return sending.again()


def _compared(entry: Entry, sent: Mapping[AskedControl, int | None], kept: KeptDraft) -> str:
    if isinstance(entry, str):
        return _("The comment is another one.")
    if isinstance(entry, AskedReport):
        return _("%(where)s: another text was written later, and stands.") % {"where": entry.title}
    if isinstance(entry, AskedMark):
        return _("%(where)s: other pieces are marked.") % {"where": entry.title}
    values = {
        "mine": _in_words(entry, sent[entry]),
        "theirs": _in_words(entry, kept.answers.get(entry.place)),
    }
    return _("%(where)s: you sent %(mine)s; %(theirs)s was chosen later and stands.") % (
        values | {"where": entry.title}
    )


def _in_words(asked: AskedControl, value: int | None) -> str:
    """Return a value with its label."""
    label = next((point.label for point in asked.criterion.points if point.value == value), "")
    return "–" if value is None else f"{value} {label}".strip()


def _ask_again(sending: Sending) -> HttpResponse:
    """Lead back if a pasted piece is not in the passage, or occurs there more than once."""
    for problem in sending.marks.problems:
        messages.error(sending.request, problem)
    return redirect(f"{sending.again().url}{sending.marks.query()}")


def _submit(sending: Sending) -> HttpResponse:
    """Submit the page, and lead to the next task of the round if there is one."""
    if sending.marks.open:
        return _save(sending)
    own, token = sending.assignment, sending.form.cleaned_data["token"]
    is_again = own.submitted_at is not None and token == own.submit_token
    done = judgments.submit_and_claim_next(
        assignment=own,
        page=sending.page,
        token=token,
        sheet=sending.sheet,
        conditions=sending.form.conditions(),
    )
    if done.lost:
        return _look_again(sending, done.lost)
    if is_again:
        messages.success(sending.request, _("Handed in again."))
    if done.following:
        return redirect("annotation:task", done.following.pk)
    return redirect("annotation:work", own.round.campaign.uuid)


@_keeping
def _continue(sending: Sending) -> HttpResponse:
    drafts.freeze_stage(
        assignment=sending.assignment, stage=sending.assignment.stage, sheet=sending.sheet
    )
    return sending.again()


@_keeping
def _save(sending: Sending) -> HttpResponse:
    messages.success(sending.request, _("Saved."))
    return sending.again()


@_keeping
def _mark(sending: Sending) -> HttpResponse:
    """Lead back to the marks, which were stored with the page."""
    own = sending.request.POST["action"].split()[1:2]
    return redirect(
        f"{sending.again().url}#{own[0]}"
        if own and own[0] in sending.form.marks
        else sending.again().url
    )


@_keeping
def _back(sending: Sending) -> HttpResponse:
    return redirect("annotation:task", _before(sending.assignment) or sending.assignment.pk)


BUTTONS: dict[str, Button] = {
    "submit": _submit,
    "continue": _continue,
    "save": _save,
    "back": _back,
    "mark": _mark,
    "unmark": _mark,
}
