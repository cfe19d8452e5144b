"""The judging page: show a task, keep its answers, go on to the next step, submit, go back."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from annotation.forms import MARK, NOTE, AnswersForm, DraftForm
from annotation.views import marks
from annotation.views.marks import Sent
from annotation.views.page import State, Writer
from annotation.views.work import next_task
from judging.actions import assignments, drafts, enrollments, judgments, sheets, span_marks
from judging.actions.drafts import MissingAnswers, OffScale, StageFrozen, StageNotReached, TaskClosed
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
    around = _around(request, assignment) | {"note": kept.note, "sequence": max(kept.sequence, number)}
    return render(request, "annotation/judge.html", {"page": shown.names() | around})


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
        mark = sheet.find_mark(name)
        return not drafts.save_all(assignment=assignment, given=[], marks={mark: value}, sequence=sequence)
    asked = sheet.find(name)
    return not drafts.save_all(assignment=assignment, given=[(asked, value)], sequence=sequence)


def _refused(reason: str, status: int) -> HttpResponse:
    return JsonResponse({"error": reason}, status=status)


@never_cache
@assignment_for_annotator
@require_http_methods(["GET", "POST"])
def submit(request: HttpRequest, assignment: Assignment) -> HttpResponse:
    """Keep the whole page, then do what its button says. Who logs in again on the way comes here by GET."""
    here = redirect("annotation:task", assignment.pk)
    if request.method == "GET" or request.GET.get("step") != str(assignment.stage):
        return here
    sheet = sheets.of(assignment)
    form = AnswersForm(request.POST, sheet=sheet, stage=assignment.stage)
    pressed = request.POST.get("action", "submit")
    act = BUTTONS.get(pressed.partition(" ")[0])
    if act is None or not form.is_valid():
        messages.error(request, form.problems() or _("This page does not know that button."))
        return here
    try:
        said = marks.sent(form, pressed)
        if _keep_page(assignment, form, said):
            messages.warning(request, _("Some answers were changed later in another window. Look at them again."))
            return here
        return _ask_again(request, here.url, said) or act(request, assignment, form, sheet)
    except MissingAnswers:
        return redirect(f"{here.url}?missing")
    except REFUSED as refused:
        messages.error(request, str(refused))
        return here


def _ask_again(request: HttpRequest, url: str, said: Sent) -> HttpResponse | None:
    """Lead back where a pasted piece is not in the passage, or there more than once."""
    for problem in said.problems:
        messages.error(request, problem)
    return redirect(f"{url}{said.query()}") if said.problems or said.choosing else None


def _keep_page(assignment: Assignment, form: AnswersForm, said: Sent) -> bool:
    """Keep answers and comment under the next number; return whether a later, different answer was in the way."""
    number, note = form.cleaned_data["sequence"] + 1, form.cleaned_data["note"]
    return bool(
        drafts.save_all(assignment=assignment, given=form.given(), marks=said.marks, sequence=number, note=note)
    )


def _submit(request: HttpRequest, assignment: Assignment, form: AnswersForm, sheet: Sheet) -> HttpResponse:
    judgments.submit(assignment=assignment, token=form.cleaned_data["token"], sheet=sheet)
    return next_task(assignment)


def _continue(request: HttpRequest, assignment: Assignment, form: AnswersForm, sheet: Sheet) -> HttpResponse:
    drafts.freeze_stage(assignment=assignment, stage=assignment.stage, sheet=sheet)
    return redirect("annotation:task", assignment.pk)


def _save(request: HttpRequest, assignment: Assignment, form: AnswersForm, sheet: Sheet) -> HttpResponse:
    messages.success(request, _("Saved."))
    return redirect("annotation:task", assignment.pk)


def _mark(request: HttpRequest, assignment: Assignment, form: AnswersForm, sheet: Sheet) -> HttpResponse:
    """Marks were kept with the page; go back to where they stand."""
    own = request.POST["action"].split()[1:2]
    here = reverse("annotation:task", args=[assignment.pk])
    return redirect(f"{here}#{own[0]}" if own and own[0] in form.marks else here)


def _back(request: HttpRequest, assignment: Assignment, form: AnswersForm, sheet: Sheet) -> HttpResponse:
    return redirect("annotation:task", _before(assignment) or assignment.pk)


Button = Callable[[HttpRequest, Assignment, AnswersForm, Sheet], HttpResponse]
BUTTONS: dict[str, Button] = {
    "submit": _submit,
    "continue": _continue,
    "save": _save,
    "back": _back,
    "mark": _mark,
    "unmark": _mark,
}
