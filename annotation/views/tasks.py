"""The judging page: show a task, store its answers, go to the next step, submit, go back."""

from collections.abc import Callable, Iterable, Mapping
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

from annotation.forms import NOTE, AnswersForm, DraftsForm
from annotation.views import entry, marks
from annotation.views.marks import Sent
from annotation.views.shown_tasks import shown_task, task_progress, usable_sequence
from judging.base.refusals import Refused
from judging.campaigns.models.assignment import Assignment
from judging.enrolments.actions import enrollments
from judging.protocols.spans import Marked
from judging.quality.actions import checks
from judging.work.actions import assignments, drafts, judgments, sheets, span_marks
from judging.work.actions.drafts import AnswerFirst, Entry, MissingAnswers, SentPage, StoredDraft
from judging.work.actions.sheets import AskedControl, AskedMark, AskedReport
from judging.work.guards import assignment_for_annotator

View = Callable[..., HttpResponse]
ACTIONS = {"submit", "continue", "save", "back", "mark", "unmark"}  # of the buttons of a task
TASKS_WITH_REVIEW = 3  # tasks before an annotator may switch the review off


def from_own_page(view: View) -> View:
    """Refuse requests of a page after another user has logged in in its browser. The answer is as
    if the session had ended, so that the page keeps its answers: a 404 for a task of another user
    would make it drop them."""

    @wraps(view)
    def guarded(request: HttpRequest, **parts: Any) -> HttpResponse:
        account = request.headers.get("X-Quaestor-Account")
        if account and request.user.is_authenticated and account != _account(request):
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
        around["submitted"] = {
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
    return render(request, "annotation/judge.html", {"page": shown.protocol.names(around)})


def _around(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    """Return the page's values besides the questions: addresses, progress, token."""
    campaign, own = assignment.round.campaign, {"uuid": assignment.pk}
    before = checks.previous_with_checks(assignment=assignment)
    far = task_progress(assignment)
    signed = enrollments.personal_link(request.user)
    personal_url = reverse("annotation:go", args=[signed]) if signed else ""
    shows_link = personal_url and not far["done"]
    may_switch_off = campaign.review_before_submit and campaign.review_is_optional
    return {
        "title": campaign.title,
        "progress": far,
        "link": request.build_absolute_uri(personal_url) if shows_link else "",
        "submit_url": f"{reverse('annotation:submit', kwargs=own)}?step={assignment.stage}",
        "task_url": reverse("annotation:task", kwargs=own),
        "next_url": reverse("annotation:work", args=[campaign.uuid]),
        "draft_url": reverse("annotation:draft", kwargs=own),
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "start_url": reverse("annotation:start", args=[campaign.uuid]),
        "pause_url": reverse("annotation:pause", args=[campaign.uuid]),
        "back_url": reverse("annotation:task", args=[before]) if before else "",
        "reenter_url": personal_url or reverse("login"),
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


@never_cache
@from_own_page
@assignment_for_annotator
@require_POST
def store_answers(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Store answers as they are given, except those that later ones have replaced.

    The answer carries the task's token: a page with another one was opened before the task was
    submitted elsewhere.
    """
    answer = _store_draft(request, assignment)
    answer.headers["X-Quaestor-Token"] = str(assignment.submit_token)
    return answer


def _store_draft(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Store the sent answers. If the consent text has changed, ask first: the page then keeps its
    answers, as if the session had ended."""
    if not enrollments.has_agreed(assignment.enrollment):
        return redirect("annotation:consent", assignment.round.campaign.uuid)
    form = DraftsForm(request.POST)
    if not form.is_valid():
        return _refused(form.problems(), 400)
    required: AnswerFirst | None = None
    try:
        page = form.page(sheets.sheet_of_assignment(assignment))
        lost = drafts.save_draft(assignment=assignment, page=page)
    except AnswerFirst as refused:
        required, lost = refused, refused.lost
    except Refused as refused:
        return _refused(str(refused), refused.status)
    # on a whole page, an empty comment contradicts nothing
    if required is None and page.note == "" and drafts.task_comment(assignment):
        lost = (*lost, NOTE)
    if lost or required:
        return _conflict(assignment, lost, required)
    return HttpResponse(status=204)


def _conflict(
    assignment: Assignment, lost: Iterable[Entry], required: AnswerFirst | None
) -> HttpResponse:
    """Return the answers that were not stored, their current values, and the number to count on
    from; and the reports and marks that stay because the task needs them, with what to do."""
    stored, (marks, number) = drafts.load_draft(assignment), span_marks.load_marks(assignment)
    content = {
        "error": _("A later answer is held."),
        "lost": {_name(entry): _current_value(entry, stored, marks) for entry in lost},
        "sequence": usable_sequence(assignment, stored.sequence, number),
    }
    if required:
        names = [entry.name for entry in required.required]
        content |= {"error": str(required), "held_back": names}
    return JsonResponse(content, status=409)


def _name(entry: Entry) -> str:
    return NOTE if isinstance(entry, str) else entry.name


def _current_value(entry: Entry, stored: StoredDraft, marks: Mapping[int, Marked]) -> str:
    match entry:
        case str():
            return stored.note
        case AskedReport():
            return stored.reports.get(entry.unit, "")
        case AskedMark():
            return str(marks.get(entry.unit, Marked()))
        case AskedControl():
            return str(stored.answers.get(entry.place, ""))


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
    answer = None
    if request.method == "POST" and not enrollments.has_agreed(assignment.enrollment):
        answer = entry.ask_before_storing(request, assignment.enrollment)
    answer = answer or _store_and_lead_on(request, assignment)
    if request.headers.get("Accept") == "application/json":
        is_submitted = assignment.state in drafts.DONE
        return JsonResponse({"next": answer["Location"], "submitted": is_submitted})
    return answer


def _store_and_lead_on(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Do what the button of a sent page says; lead back to the page if that is refused."""
    if request.method == "GET" or request.GET.get("step") != str(assignment.stage):
        return _to_task(assignment)
    form = AnswersForm(
        request.POST, sheet=sheets.sheet_of_assignment(assignment), stage=assignment.stage
    )
    pressed = request.POST.get("action", "submit")
    action = pressed.partition(" ")[0]
    if action not in ACTIONS or not form.is_valid():
        messages.error(request, form.problems() or _("This page does not know that button."))
        return _to_task(assignment)
    sent = marks.sent_marks(form, pressed)
    page = form.page(sent.marks)
    try:
        if action == "submit" and not sent.open:
            return _submit(request, assignment, form, page)
        needs_a_look = _store(request, assignment, page, sent)
        return needs_a_look or _lead_on(request, assignment, form)
    except MissingAnswers:
        return redirect(reverse("annotation:task", args=[assignment.pk]) + "?missing")
    except Refused as refused:
        messages.error(request, str(refused), extra_tags=refused.code)
        return _to_task(assignment)


def _to_task(assignment: Assignment) -> HttpResponseRedirectBase:
    return redirect("annotation:task", assignment.pk)


def _submit(
    request: HttpRequest, assignment: Assignment, form: AnswersForm, page: SentPage
) -> HttpResponse:
    """Submit the page, and lead to the next task of the round if there is one."""
    token = form.cleaned_data["token"]
    is_again = assignment.submitted_at is not None and token == assignment.submit_token
    submitted = judgments.submit_and_claim_next(
        claim_next=checks.claim_next_with_checks,
        assignment=assignment,
        page=page,
        token=token,
        sheet=form.sheet,
        conditions=form.conditions(),
    )
    if submitted.lost:
        return _look_again(request, assignment, page, submitted.lost)
    if is_again:
        messages.success(request, _("Submitted again."))
    if submitted.following:
        return _to_task(submitted.following)
    return redirect("annotation:work", assignment.round.campaign.uuid)


def _store(
    request: HttpRequest, assignment: Assignment, page: SentPage, sent: Sent
) -> HttpResponse | None:
    """Store the whole page; lead back if something on it has to be checked again."""
    try:
        lost = drafts.save_draft(assignment=assignment, page=page)
    except AnswerFirst as required:
        messages.error(request, str(required), extra_tags=required.code)
        if not required.lost:
            return _to_task(assignment)
        lost = required.lost
    if lost:
        return _look_again(request, assignment, page, lost)
    if not sent.open:
        return None
    # a pasted piece is not in the passage, or occurs there more than once
    for problem in sent.problems:
        messages.error(request, problem)
    return redirect(f"{_to_task(assignment).url}{sent.query()}")


def _lead_on(request: HttpRequest, assignment: Assignment, form: AnswersForm) -> HttpResponse:
    """Do what a button says after its page was stored, and lead on."""
    match request.POST["action"].split():
        case ["continue", *_rest]:
            drafts.freeze_stage(assignment=assignment, stage=assignment.stage, sheet=form.sheet)
        case ["back", *_rest]:
            return redirect(
                "annotation:task",
                checks.previous_with_checks(assignment=assignment) or assignment.pk,
            )
        case ["mark" | "unmark", name, *_rest] if name in form.marks:
            return redirect(f"{_to_task(assignment).url}#{name}")
        case ["save", *_rest]:
            messages.success(request, _("Saved."))
    return _to_task(assignment)


def _look_again(
    request: HttpRequest, assignment: Assignment, page: SentPage, lost: Iterable[Entry]
) -> HttpResponse:
    """Name the answers that were changed later in another window, with the sent and the stored
    value."""
    stored, sent = drafts.load_draft(assignment), dict(page.given)
    differences = [_compared(entry, sent, stored) for entry in lost]
    changed = _("Some answers were changed later in another window. Look at them again.")
    messages.warning(request, " ".join([changed, *differences]))
    return _to_task(assignment)


def _compared(entry: Entry, sent: Mapping[AskedControl, int | None], stored: StoredDraft) -> str:
    match entry:
        case str():
            return _("The comment is another one.")
        case AskedReport():
            return _("%(where)s: another text was written later, and stands.") % {
                "where": entry.title
            }
        case AskedMark():
            return _("%(where)s: other pieces are marked.") % {"where": entry.title}
        case AskedControl():
            names = {
                "where": entry.title,
                "mine": _in_words(entry, sent[entry]),
                "theirs": _in_words(entry, stored.answers.get(entry.place)),
            }
            return (
                _("%(where)s: you sent %(mine)s; %(theirs)s was chosen later and stands.") % names
            )


def _in_words(asked: AskedControl, value: int | None) -> str:
    """Return a value with its label."""
    label = next((point.label for point in asked.criterion.points if point.value == value), "")
    return "–" if value is None else f"{value} {label}".strip()
