"""A study beside its reproduction: start the comparison, show it, download it."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from analysis.published.actions import repeatability
from analysis.published.reports import repeatability as layout
from analysis.reports.tables import to_csv
from judging.base.limits import MAX_PAGE_ROWS
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import locked_plans
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import export_response
from judging.jobs import tasks
from judging.jobs.actions import jobs


@campaign_for_staff
@require_GET
def reproduction(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a campaign beside the study it reproduces."""
    if campaign.reproduces is None:
        raise Http404
    done = repeatability.latest_comparison(campaign)
    shown = repeatability.shown_comparison(done, MAX_PAGE_ROWS) if done else None
    context = {
        "campaign": campaign,
        "tab": "report",
        "first": campaign.reproduces,
        "is_first_seen": Campaign.objects.visible_to(request.user)
        .filter(pk=campaign.reproduces_id)
        .exists(),
        "shared": locked_plans.read_locked_plan(campaign)["reproduces"]["shared"],
        "waits": _waits(request, campaign),
        "job": campaign.jobs.filter(kind=repeatability.KIND).unfinished().first(),
        "worker_lives": jobs.worker_lives(),
        "done": done,
        "tables": layout.comparison_tables(
            shown.orders, shown.scores, shown.pairs, shown.all_pairs, shown.shares
        )
        if shown
        else [],
        "tests": layout.test_sentences(shown.tests) if shown else [],
        "held": shown.shares[""] if shown else (0, 0),
        "is_stale": bool(shown) and repeatability.is_stale(campaign, shown.states),
    }
    return render(request, "analysis/published/repeatability.html", context)


@campaign_for_staff
@require_POST
def start_comparison_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for the comparison."""
    if campaign.reproduces is None:
        raise Http404
    with refusals_shown(request):
        tasks.start_job(repeatability.start_comparison, campaign=campaign, by=request.user)
    return redirect("analysis:reproduction", campaign.uuid)


@campaign_for_staff
@require_GET
def download_comparison(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the comparison as CSV."""
    done = repeatability.latest_comparison(campaign)
    if done is None:
        raise Http404
    text = to_csv(list(repeatability.comparison_rows(done)), repeatability.COLUMNS)
    return export_response(request, campaign, text, "text/csv", "reproduction.csv")


def _waits(request: HttpRequest, campaign: Campaign) -> str:
    """Return why the two cannot be compared yet; an empty string where they can."""
    try:
        repeatability.reproduced_study(campaign, by=request.user)
    except repeatability.CannotCompare as refused:
        return str(refused)
    return ""
