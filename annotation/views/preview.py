"""A manager's look at the first task as an annotator will see it; nothing is stored."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.views.page import State, Writer
from judging.actions import rounds, sheets
from judging.actions.sheets import Line, Order, Sheet
from judging.guards import campaign_for_managers
from judging.models import Campaign, QuestionSet, Unit

LOOKED_AT = 50  # sources: the first task is found in them, or there is none worth showing


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def preview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the first task; "Continue" shows its next step."""
    sheet = _first_task(campaign)
    if sheet is None:
        messages.info(request, _("There is nothing to show yet: the material holds no question to judge."))
        return redirect("judging:campaign", campaign.uuid)
    stage = min(_number(request.GET.get("step")), len(sheet.rubric.stages) - 1)
    own = reverse("annotation:preview", args=[campaign.uuid])
    if request.method == "POST":
        return _answered(request, own, stage)
    shown = Writer(sheet, State(stage=stage)).page(campaign.collection.language)
    return render(request, "annotation/judge.html", {"page": shown.names() | _around(campaign, own, stage)})


def _around(campaign: Campaign, own: str, stage: int) -> dict[str, object]:
    return {
        "title": campaign.title,
        "progress": {"done": 0, "total": None, "current": 1},
        "submit_url": f"{own}?step={stage}",
        "draft_url": "",
        "guideline_url": reverse("annotation:guideline", args=[campaign.uuid]),
        "pause_url": "",
        "back_url": "",
        "reenter_url": reverse("login"),
        "preview": True,
        "note": "",
        "token": "",
        "sequence": 0,
    }


def _answered(request: HttpRequest, own: str, stage: int) -> HttpResponse:
    if request.POST.get("action") == "continue":
        return redirect(f"{own}?step={stage + 1}")
    messages.info(request, _("This was a preview; nothing was stored."))
    return redirect(own)


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 4 else 0


def _first_task(campaign: Campaign) -> Sheet | None:
    """Cut the beginning of the material as opening the campaign would."""
    first = campaign.collection.sources.order_by("position").values("pk")[:LOOKED_AT]
    sets = QuestionSet.objects.filter(source__in=first).order_by("source__position", "system__name")
    units = sets.prefetch_related("units__question")
    tasks = rounds.cut(rubric=campaign.rubric, sets=list(units))
    if not tasks:
        return None
    held = {each.pk: each for each in units}
    lines = [_line(unit, held[unit.question_set_id]) for unit in tasks[0]]
    return sheets.lay_out(campaign.rubric, lines, order=Order(campaign.seed, "preview", "preview"))


def _line(unit: Unit, held: QuestionSet) -> Line:
    question = getattr(unit, "question", None)
    return Line(
        unit=unit.pk,
        slot=unit.position,
        question_set=held.pk,
        expected=held.expected,
        source=held.source_id,
        text=question and question.text,
        submitted_answer=question and question.submitted_answer,
        question_type=question and question.question_type,
    )
