"""LLM judges of a campaign: their properties, their table of answers, and the list of items for
them."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.refusals import Refused
from judging.base.views import spreadsheets
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import selections
from judging.campaigns.guards import campaign_for_managers, campaign_for_staff, with_how_to_decline
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.jobs import storage, tasks
from judging.llm_judges.actions import asking, judge_jobs, llm_judges
from judging.llm_judges.forms.llm_judges import AskJudgeForm, JudgeKeyForm, LLMJudgeForm
from judging.people.actions import history
from judging.people.models.event import Event
from judging.protocols import documents


@campaign_for_staff
@require_GET
def list_llm_judges(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the LLM judges of a campaign."""
    return _page(request, campaign, LLMJudgeForm(campaign=campaign))


@campaign_for_managers
@require_POST
def add_llm_judge_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Add a judge with its answers from a table."""
    _check_blind(request, campaign)  # the accepted rows would reveal it
    form = LLMJudgeForm(request.POST, request.FILES, campaign=campaign)
    if not form.is_valid():
        return _page(request, campaign, form, status=422)
    sent = form.cleaned_data["file"]
    file = storage.keep_pieces(sent.chunks())
    given: dict[str, Any] = {"file": file, "file_name": sent.name, "about": form.about()}
    try:
        job = tasks.start_job(judge_jobs.start_adding, campaign=campaign, by=request.user, **given)
    except Refused as refused:
        storage.release_file(file)
        form.add_error(refused.field or "file", str(refused))
        return _page(request, campaign, form, status=422)
    for warning in llm_judges.prompt_warnings(campaign, given["about"].get("prompt", "")):
        messages.warning(request, warning)
    return redirect("judging:job", job.pk)


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def ask_llm_judge_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Choose a judge to ask, show the estimate, and ask; `?again=` fills in the values of last
    time."""
    context: dict[str, Any] = {"campaign": campaign, "tab": "judges", "key_form": JudgeKeyForm()}
    page = partial(render, request, "judging/llm_judges/judge_ask.html", context)
    if not judge_jobs.allowed_addresses() or campaign.state == Campaign.State.DRAFT:
        return page()
    is_asked = request.method == "POST"
    given = request.POST if is_asked else request.GET
    if "model" not in given:
        initial = judge_jobs.last_asked(campaign, request.GET.get("again", ""))
        context["form"] = AskJudgeForm(campaign=campaign, initial=initial)
        return page()
    form = context["form"] = AskJudgeForm(given, campaign=campaign)
    key_form = context["key_form"] = JudgeKeyForm(request.POST or None)
    if not form.is_valid() or (is_asked and not key_form.is_valid()):
        return page(status=422)
    wanted = form.wanted()
    with refusals_shown(form):
        if is_asked:
            key = key_form.cleaned_data["key"]
            job = tasks.start_job(
                judge_jobs.start_judge_job,
                campaign=campaign,
                by=request.user,
                wanted=wanted,
                key=key,
            )
            return redirect("judging:job", job.pk)
        context["wanted"] = wanted
        context["prompt"] = asking.prompt_of(campaign, wanted.criteria)
        context["estimated"] = judge_jobs.estimate_judge_job(campaign, wanted)
        context["is_blind"] = selections.names_systems(campaign, request.user)
        return page()
    return page(status=422)


@campaign_for_managers
@require_POST
def remove_llm_judge_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Remove a judge with its answers."""
    judge = get_object_or_404(campaign.llm_judges, pk=pk)
    llm_judges.remove_llm_judge(judge=judge, by=request.user)
    messages.success(
        request,
        _("%(name)s is removed. Reports that were made before keep what they found.")
        % {"name": judge.name},
    )
    return redirect("judging:llm_judges", campaign.uuid)


@campaign_for_managers
@require_GET
def download_judge_items(request: HttpRequest, campaign: Campaign) -> StreamingHttpResponse:
    """Download the questions as a table with a blank column for each criterion."""
    _check_blind(request, campaign)
    told = {"by": request.user, "campaign": campaign, "about": "items-for-a-judge.csv"}
    history.record_event(Event.Act.EXPORTED, **told)
    criteria = [
        criterion.key
        for criterion in documents.protocol_from_document(campaign.protocol.document).criteria
    ]
    header = [*llm_judges.ITEM_COLUMNS, *criteria]
    rows = spreadsheets.spreadsheet_lines(header, llm_judges.item_rows(campaign))
    disposition = {"Content-Disposition": 'attachment; filename="items-for-a-judge.csv"'}
    return StreamingHttpResponse(rows, content_type="text/csv; charset=utf-8", headers=disposition)


def _page(
    request: HttpRequest, campaign: Campaign, form: LLMJudgeForm, status: int = 200
) -> HttpResponse:
    managers = campaign.memberships.filter(user=request.user, role=Membership.Role.MANAGER)
    judges = llm_judges.judges_with_counts(campaign)
    asked = judge_jobs.newest_judge_jobs(campaign)
    is_blind = selections.names_systems(campaign, request.user)
    context = {
        "campaign": campaign,
        "tab": "judges",
        "form": form,
        "is_manager": managers.exists(),
        "judges": [
            {
                "judge": judge,
                "prompt": Truncator(judge.prompt).chars(llm_judges.PROMPT_SHOWN),
                "problems": [] if is_blind else llm_judges.problem_lines(judge),
                "asked": asked.get(judge.name),
            }
            for judge in judges
        ],
        "at_work": [job for job in asked.values() if job.state in ("queued", "running")],
    }
    return render(request, "judging/llm_judges/llm_judges.html", context, status=status)


def _check_blind(request: HttpRequest, campaign: Campaign) -> None:
    if selections.names_systems(campaign, request.user):
        refused = (
            "You judge this dataset in a campaign that has not ended. Until it is closed neither list nor table "
            "is for you of a plan that judges part of it: it would show which system made a question."
        )
        raise PermissionDenied(with_how_to_decline(refused, request.user, campaign.dataset))
