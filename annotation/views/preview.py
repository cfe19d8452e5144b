"""A manager's preview of tasks as annotators see them, of the first one before there are any;
nothing is stored."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from annotation.views.page import ShownProtocol, State, Writer
from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import discussions, rounds, selections
from judging.campaigns.actions.rounds import CutSet
from judging.campaigns.guards import campaign_for_managers, with_how_to_decline
from judging.campaigns.models.campaign import Campaign, Round, Task
from judging.campaigns.selection import CannotChoose
from judging.datasets.models.dataset import QuestionSet, Unit
from judging.work.actions import sheets
from judging.work.actions.sheets import Sheet, SheetLine

LOOKED_AT = 50  # sources in which the first task is searched for


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def preview_task(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a task, by default the first; "Continue" shows its next step, "Submit" the next task."""
    if selections.names_systems(campaign, request.user):
        refused = (
            "You judge this dataset in a campaign that has not ended. Until it is closed there is no "
            "preview of a plan that judges part of it: it would show which system made a question."
        )
        messages.error(request, with_how_to_decline(refused, request.user, campaign.dataset))
        return redirect("judging:campaign", campaign.uuid)
    number, total, sheet = previewed_task(campaign, _number(request.GET.get("task")))
    if sheet is None:
        messages.info(
            request, "There is nothing to show yet: the dataset holds no question to judge."
        )
        return redirect("judging:campaign", campaign.uuid)
    with refusals_shown(request):
        at = At(
            campaign,
            number,
            total,
            min(_number(request.GET.get("step")), len(sheet.protocol.stages) - 1),
        )
        if request.method == "POST":
            return _answered(request, at)
        shown = preview_page(campaign, sheet, at.stage)
        return render(request, "annotation/judge.html", {"page": shown.names(_around(at))})
    return redirect("judging:campaign", campaign.uuid)


def previewed_task(campaign: Campaign, number: int) -> tuple[int, int, Sheet | None]:
    """Return the number of the task to show, how many there are, and its sheet; None if there is no
    question to judge."""
    tasks = Task.objects.filter(round__campaign=campaign, round__kind=Round.Kind.MAIN)
    total = tasks.count() or 1
    number = min(max(number, 1), total)
    task = tasks.filter(number=number).first()
    sheet = _laid_out(campaign, sheets.task_lines(task)) if task else _first_task(campaign)
    return number, total, sheet


def preview_page(campaign: Campaign, sheet: Sheet, stage: int) -> ShownProtocol:
    """Return a task as annotators see it at a stage; raise Refused if its page is too large."""
    rounds.check_page(campaign.protocol, sum(1 for _ in sheet.questions()))
    writer = Writer(sheet, State(stage=stage))
    return writer.page(campaign.dataset.language, discussions.current_decisions(campaign))


@dataclass(frozen=True, slots=True)
class At:
    """A place in a preview."""

    campaign: Campaign
    number: int
    total: int
    stage: int

    def address(self, *, number: int, stage: int = 0) -> str:
        return (
            f"{reverse('annotation:preview', args=[self.campaign.uuid])}?task={number}&step={stage}"
        )


def _around(at: At) -> dict[str, object]:
    return {
        "title": at.campaign.title,
        "progress": {"done": at.number - 1, "total": at.total, "current": at.number},
        "submit_url": at.address(number=at.number, stage=at.stage),
        "draft_url": "",
        "guideline_url": reverse("annotation:guideline", args=[at.campaign.uuid]),
        "pause_url": "",
        "back_url": "",
        "before_url": at.address(number=at.number - 1) if at.number > 1 else "",
        "after_url": at.address(number=at.number + 1) if at.number < at.total else "",
        "reenter_url": reverse("login"),
        "preview": True,
        "reviews": at.campaign.review_before_submit,
        "keywords": at.campaign.highlight_keywords,
        "campaign_url": reverse("judging:campaign", args=[at.campaign.uuid]),
        "note": "",
        "token": "",
        "label": "",
        "who": "",
        "account": "",
        "sequence": 0,
    }


def _answered(request: HttpRequest, at: At) -> HttpResponse:
    if request.POST.get("action") == "continue":
        return redirect(at.address(number=at.number, stage=at.stage + 1))
    messages.info(request, _("This was a preview; nothing was stored."))
    return redirect(at.address(number=min(at.number + 1, at.total)))


def _number(text: str | None) -> int:
    return whole_number(text or "", least=0) or 0


def _first_task(campaign: Campaign) -> Sheet | None:
    """Form the first task from the beginning of the dataset, as opening the campaign would."""
    sources = campaign.dataset.sources.all()
    try:
        judged = selections.judged_units(campaign)
    except CannotChoose:
        return None
    if selections.is_narrowed(campaign):
        sources = sources.filter(question_sets__units__in=judged).distinct()
    first = sources.order_by("position").values("pk")[:LOOKED_AT]
    sets = QuestionSet.objects.filter(source__in=first).order_by("source__position", "system__name")
    held = {each.pk: each for each in sets}
    units = judged.filter(question_set__in=held)
    cuts = [CutSet(each.pk, each.source_id, each.system_id) for each in held.values()]
    tasks = rounds.units_of_tasks(
        protocol=campaign.protocol, sets=cuts, units=rounds.cut_units(units)
    )
    if not tasks:
        return None
    shown = units.select_related("question").in_bulk([unit.pk for unit in tasks[0]])
    return _laid_out(
        campaign, [_line(shown[unit.pk], held[unit.question_set]) for unit in tasks[0]]
    )


def _laid_out(campaign: Campaign, lines: Iterable[SheetLine]) -> Sheet:
    return sheets.order_units(campaign.protocol, lines, order=sheets.PREVIEW)


def _line(unit: Unit, held: QuestionSet) -> SheetLine:
    question = getattr(unit, "question", None)
    return SheetLine(
        unit=unit.pk,
        slot=unit.position,
        question_set=held.pk,
        expected=held.expected,
        source=held.source_id,
        text=question and question.text,
        submitted_answer=question and question.submitted_answer,
        question_type=question and question.question_type,
    )
