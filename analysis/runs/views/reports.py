"""A campaign's report: run it, read it, take it along."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from analysis.evidence.actions import examples
from analysis.models import Result, Run
from analysis.reports import making
from analysis.reports.numerals import format_short_list
from analysis.runs.actions import papers, report_pages, runs
from analysis.runs.forms.runs import RunForm
from analysis.scoring.actions.scores import core_metrics
from analysis.scoring.views.figures import svg_response
from analysis.sections import page, section_of
from judging.base.limits import MAX_DOCUMENT_CHARACTERS, MAX_PAGE_ROWS
from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import live_agreements
from judging.campaigns.guards import campaign_for_staff, judges_now
from judging.campaigns.models.campaign import Campaign
from judging.jobs import tasks
from judging.jobs.actions import jobs

RUNS_SIDE_BY_SIDE = 12  # a column each; a page is not wide enough for more


@campaign_for_staff
@require_GET
def report(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the newest report, or what to do to get one."""
    run = runs.latest_run(campaign)
    return _page(request, campaign, run)


@campaign_for_staff
@require_GET
def run_report(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Show the report of one run."""
    return _page(request, campaign, done_run(campaign, number))


@campaign_for_staff
@require_GET
def runs_side_by_side(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the core numbers of several runs beside each other; which ones is in the address."""
    done = Run.objects.filter(campaign=campaign, job__state="done")
    listed = list(done[:MAX_PAGE_ROWS])[::-1]
    numbers = {whole_number(each, least=1) for each in request.GET.getlist("run")} - {None}
    named = done.filter(number__in=numbers).order_by("number")[: RUNS_SIDE_BY_SIDE + 1]
    asked = list(named) if numbers else listed[-2:]
    chosen = asked[:RUNS_SIDE_BY_SIDE]
    titled = [
        (f"run {run.number}" + (f", {run.name}" if run.name else ""), runs.found_by(run))
        for run in chosen
    ]
    tables = page.side_by_side(titled)
    shown = page.tables_of_one_page(tables)
    context = {
        "campaign": campaign,
        "tab": "report",
        "runs": [
            (run, run in chosen, format_short_list(runs.exclusion_words(run))) for run in listed
        ],
        "all_runs": done.count(),
        "most": RUNS_SIDE_BY_SIDE if len(asked) > RUNS_SIDE_BY_SIDE else 0,
        "tables": shown,
        "all_tables": len(tables),
    }
    return render(request, "analysis/scoring/side_by_side.html", context)


@campaign_for_staff
@require_POST
def start_run_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for an analysis."""
    form = RunForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return _page(request, campaign, runs.latest_run(campaign), form=form, status=422)
    parameters = dict(form.cleaned_data)
    seed = parameters.pop("seed")
    with refusals_shown(request):
        with transaction.atomic():
            run = runs.start_run(
                campaign=campaign, by=request.user, seed=seed, parameters=parameters
            )
            transaction.on_commit(lambda: tasks.announce_job(run.job_id))
        messages.success(request, _("The analysis is under way; this page shows how far it is."))
    return redirect("analysis:report", campaign.uuid)


@campaign_for_staff
@require_GET
def show_figure(request: HttpRequest, campaign: Campaign, number: int, name: str) -> HttpResponse:
    """Return a figure as SVG."""
    found = get_object_or_404(
        Result.objects.select_related("file"),
        run=done_run(campaign, number),
        key=f"figure-{name}",
        file__isnull=False,
    )
    response = svg_response(found.file)
    response["Cache-Control"] = "private, max-age=3600"
    return response


@campaign_for_staff
@require_GET
def section(request: HttpRequest, campaign: Campaign, number: int, key: str) -> HttpResponse:
    """Show one section of a report with its tables, as many as make a page, or with the one whose
    place the address names."""
    run, asked = done_run(campaign, number), section_of(key)
    card = page.card_of(asked, runs.found_by(run), report_pages.figures_of(run)) if asked else None
    if card is None:
        raise Http404
    tables = card.switched or [*card.tables, *card.folded]
    place = whole_number(request.GET.get("table", ""), least=0)
    chosen = place if place is not None and place < len(tables) else None
    shown = page.tables_of_one_page(tables) if chosen is None else [tables[chosen]]
    context = {
        "campaign": campaign,
        "tab": "report",
        "run": run,
        "card": card,
        "tables": list(enumerate(tables)),
        "chosen": chosen,
        "shown": shown,
        "is_cut": chosen is None and len(shown) < len(tables),
    }
    template = (
        "analysis/runs/report/tables.html"
        if request.htmx
        else "analysis/runs/report/section_page.html"
    )
    return render(request, template, context)


def done_run(campaign: Campaign, number: int) -> Run:
    """Return a campaign's finished run, or raise the 404 that a foreign one gets too."""
    run = (
        Run.objects.filter(campaign=campaign, number=number, job__state="done")
        .select_related("job")
        .first()
    )
    if run is None:
        raise Http404
    return run


def _page(
    request: HttpRequest,
    campaign: Campaign,
    run: Run | None,
    form: RunForm | None = None,
    status: int = 200,
) -> HttpResponse:
    done = Run.objects.filter(campaign=campaign, job__state="done").order_by("-number")
    newest = list(done[: MAX_PAGE_ROWS + 1])
    context: dict[str, Any] = {
        "campaign": campaign,
        "tab": "report",
        "form": form
        or RunForm(initial={"metrics": core_metrics(campaign.dataset)}, campaign=campaign),
        "run": run,
        "job": campaign.jobs.filter(kind=runs.KIND).unfinished().first(),
        "failed": _failed_since(campaign, run),
        "worker_lives": jobs.worker_lives(),
        "others": newest[:MAX_PAGE_ROWS],
        "has_more": len(newest) > MAX_PAGE_ROWS,
    }
    if run:
        live_agreements.note_look(campaign=campaign, by=request.user, now=timezone.now())
        context |= {
            "parts": report_pages.render_parts(run),
            "changed": runs.changed_since(run),
            "has_pdf": Result.objects.filter(run=run, key=papers.PDF).exists(),
            "kept": []
            if judges_now(request.user, campaign.dataset)
            else examples.example_rows(campaign, longest=MAX_DOCUMENT_CHARACTERS),
            "facts": making.settings_facts(run.parameters, run.versions, seed=run.seed),
        }
    return render(request, "analysis/runs/report.html", context, status=status)


def _failed_since(campaign: Campaign, run: Run | None) -> Run | None:
    """Return a run that failed after the one on show."""
    newer = Run.objects.filter(
        campaign=campaign, job__state="failed", number__gt=run.number if run else 0
    )
    return newer.select_related("job").order_by("-number").first()
