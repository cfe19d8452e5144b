"""The judging page: show a task, keep its answers, go on to the next step, submit, go back."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms import MARK, NOTE, AnswersForm, DraftForm
from annotation.views import marks
from annotation.views.marks import Sent
from annotation.views.page import State, Writer
from judging.actions import assignments, drafts, enrollments, judgments, sheets, span_marks
from judging.actions.drafts import MissingAnswers, OffScale, Page, StageFrozen, StageNotReached, TaskClosed
from judging.actions.judgments import StaleToken
from judging.actions.sheets import Sheet
from judging.actions.span_marks import OutsidePassage
from judging.guards import assignment_for_annotator
from judging.models import Assignment

REFUSED = (OffScale, OutsidePassage, StageFrozen, StageNotReached, TaskClosed, StaleToken)


@never_cache
@assignment_for_annotator
@require_GET
def task(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Show a task with what was entered so far."""
    sheet, kept = sheets.of(assignment), drafts.kept(assignment)
    marked, number = span_marks.kept(assignment) if sheet.rubric.span_mark else ({}, 0)
    choosing = request.GET.get("choose", ""), request.GET.get("piece", "")
    state = State(kept.answers, assignment.stage, "missing" in request.GET, marked, choosing)
    shown = Writer(sheet, state).page(assignment.round.campaign.collection.language)
    around = _around(request, assignment) | {"note": kept.note, "sequence": _counted(assignment, kept.sequence, number)}
    return render(request, "annotation/judge.html", {"page": shown.names() | around})


def _counted(assignment: Assignment, *numbers: int) -> int:
    """Return the number the page counts on from; one that no clicks lead to was forged, and locks nobody out."""
    if max(numbers) <= drafts.MANY:
        return max(numbers)
    drafts.count_afresh(assignment=assignment)
    return 0


def _around(request: HttpRequest, assignment: Assignment) -> dict[str, Any]:
    """Return what stands around the questions: addresses, progress, token."""
    campaign, own = assignment.round.campaign, {"uuid": assignment.pk}
    before = _before(assignment)
    return {
        "title": campaign.title,
        "progress": _progress(assignment),
        "submit_url": f"{reverse('annotation:submit', kwargs=own)}?step={assignment.stage}",
        "draft_url": reverse("annotation:draft", kwargs=own),
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "pause_url": reverse("annotation:pause", args=[campaign.uuid]),
        "back_url": reverse("annotation:task", args=[before]) if before else "",
        "reenter_url": _reenter_url(request),
        "preview": False,
        "token": assignment.submit_token,
    }


def _progress(assignment: Assignment) -> dict[str, int | None]:
    found = assignments.progress(enrollment=assignment.enrollment, round=assignment.round)
    return {"done": found.done, "total": found.total, "current": found.done + (assignment.submitted_at is None)}


def _before(assignment: Assignment) -> Any:
    """Return the key of the task handed in before this one."""
    own = Assignment.objects.done_by(assignment.enrollment).filter(round=assignment.round)
    if assignment.submitted_at:
        own = own.filter(submitted_at__lt=assignment.submitted_at)
    return own.order_by("-submitted_at").values_list("pk", flat=True).first()


def _reenter_url(request: HttpRequest) -> str:
    signed = enrollments.personal_link(request.user)
    return reverse("annotation:go", args=[signed]) if signed else reverse("login")


@never_cache
@assignment_for_annotator
@require_POST
def draft(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Keep one answer as it is given."""
    form = DraftForm(request.POST)
    if not form.is_valid():
        return _refused(form.problems(), 400)
    try:
        kept = _keep_one(assignment, **form.cleaned_data)
    except (sheets.NotAsked, OffScale, OutsidePassage) as error:
        return _refused(str(error), 422)
    except (StageFrozen, StageNotReached, TaskClosed) as error:
        return _refused(str(error), 409)
    return HttpResponse(status=204) if kept else _refused(_("A later answer is held."), 409)


def _keep_one(assignment: Assignment, *, name: str, value: Any, sequence: int) -> bool:
    if name == NOTE:
        return drafts.save_note(assignment=assignment, text=value, sequence=sequence) or (
            drafts.note(assignment) == value
        )
    sheet = sheets.of(assignment)
    if MARK.fullmatch(name):
        page = Page([], sequence, marks={sheet.find_mark(name): value})
    else:
        page = Page([(sheet.find(name), value)], sequence)
    return not drafts.save(assignment=assignment, page=page)


def _refused(reason: str, status: int) -> HttpResponse:
    return JsonResponse({"error": reason}, status=status)


@never_cache
@assignment_for_annotator
@require_http_methods(["GET", "POST"])
def submit(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Keep the whole page, then do what its button says. Who logs in again on the way comes here by GET."""
    if request.method == "GET" or request.GET.get("step") != str(assignment.stage):
        return redirect("annotation:task", assignment.pk)
    form = AnswersForm(request.POST, sheet=sheets.of(assignment), stage=assignment.stage)
    pressed = request.POST.get("action", "submit")
    act = BUTTONS.get(pressed.partition(" ")[0])
    if act is None or not form.is_valid():
        messages.error(request, form.problems() or _("This page does not know that button."))
        return redirect("annotation:task", assignment.pk)
    try:
        return act(Sending(request, assignment, form, marks.sent(form, pressed)))
    except MissingAnswers:
        return redirect(reverse("annotation:task", args=[assignment.pk]) + "?missing")
    except REFUSED as refused:
        messages.error(request, str(refused))
        return redirect("annotation:task", assignment.pk)


@dataclass(frozen=True, slots=True)
class Sending:
    """A page as it was sent, for a button to do its part with."""

    request: HttpRequest
    assignment: Assignment
    form: AnswersForm
    marks: Sent

    @property
    def sheet(self) -> Sheet:
        return self.form.sheet

    @property
    def page(self) -> Page:
        said = self.form.cleaned_data
        return Page(self.form.given(), said["sequence"] + 1, said["note"], self.marks.marks)

    def again(self) -> HttpResponseRedirectBase:
        return redirect("annotation:task", self.assignment.pk)


Button = Callable[[Sending], HttpResponse]


def _keeping(act: Button) -> Button:
    """Have a button keep the whole page first, and lead back where something on it is to be looked at again."""

    @wraps(act)
    def keep(sending: Sending) -> HttpResponse:
        if drafts.save(assignment=sending.assignment, page=sending.page):
            return _look_again(sending)
        return _ask_again(sending) if sending.marks.open else act(sending)

    return keep


def _look_again(sending: Sending) -> HttpResponse:
    messages.warning(sending.request, _("Some answers were changed later in another window. Look at them again."))
    return sending.again()


def _ask_again(sending: Sending) -> HttpResponse:
    """Lead back where a pasted piece is not in the passage, or there more than once."""
    for problem in sending.marks.problems:
        messages.error(sending.request, problem)
    return redirect(f"{sending.again().url}{sending.marks.query()}")


def _submit(sending: Sending) -> HttpResponse:
    """Hand the page in, and lead straight to the next task of the round where there is one."""
    if sending.marks.open:
        return _save(sending)
    own, token = sending.assignment, sending.form.cleaned_data["token"]
    done = judgments.hand_in(assignment=own, page=sending.page, token=token, sheet=sending.sheet)
    if done.lost:
        return _look_again(sending)
    if done.following:
        return redirect("annotation:task", done.following.pk)
    return redirect("annotation:work", own.round.campaign.uuid)


@_keeping
def _continue(sending: Sending) -> HttpResponse:
    drafts.freeze_stage(assignment=sending.assignment, stage=sending.assignment.stage, sheet=sending.sheet)
    return sending.again()


@_keeping
def _save(sending: Sending) -> HttpResponse:
    messages.success(sending.request, _("Saved."))
    return sending.again()


@_keeping
def _mark(sending: Sending) -> HttpResponse:
    """Marks were kept with the page; go back to where they stand."""
    own = sending.request.POST["action"].split()[1:2]
    return redirect(f"{sending.again().url}#{own[0]}" if own and own[0] in sending.form.marks else sending.again().url)


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
