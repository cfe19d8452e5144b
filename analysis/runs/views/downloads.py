"""A report's files: every table as CSV, all as JSON, and all in one archive."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from analysis import sections
from analysis.reports.typeset import PRINT_TYPES
from analysis.runs.actions import exports, papers, runs
from analysis.runs.views.reports import done_run
from judging.base.texts import whole_number
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import export_response, stream_export

TEXTS = {"tex": "application/x-tex", "md": "text/markdown", "tsv": "text/tab-separated-values"}


@campaign_for_staff
@require_GET
def download_table(
    request: HttpRequest, campaign: Campaign, number: int, name: str
) -> HttpResponse:
    """Return one table of a run as CSV."""
    rows = runs.StoredTables(done_run(campaign, number)).get(name)
    if not isinstance(rows, list) or name == "sentences":
        raise Http404
    return export_response(
        request, campaign, exports.table_csv(name, rows), "text/csv", f"{name}.csv"
    )


@campaign_for_staff
@require_GET
def everything(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponseBase:
    """Return a whole run as JSON."""
    return stream_export(
        request,
        campaign,
        exports.run_json(done_run(campaign, number)),
        "application/json",
        f"run-{number}.json",
    )


@campaign_for_staff
@require_GET
def bundle(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Return the bundle of a run, with pseudonyms for systems if the address asks for them."""
    return export_response(
        request,
        campaign,
        exports.archive(done_run(campaign, number), pseudonyms="pseudonyms" in request.GET),
        "application/zip",
        f"{slugify(campaign.title) or 'report'}-report-{number}.zip",
    )


@campaign_for_staff
@require_GET
def table_text(
    request: HttpRequest, campaign: Campaign, number: int, name: str, ending: str
) -> HttpResponse:
    """Return the tables of one section, or the one whose place the address names, as a paper or a
    README takes them."""
    asked = request.GET.get("table", "")
    place = whole_number(asked, least=0)
    if sections.section_of(name) is None or ending not in TEXTS or (asked and place is None):
        raise Http404
    found = runs.found_by(done_run(campaign, number))
    text = papers.section_text(found, name, ending=ending, place=place)
    if not text:
        raise Http404
    return export_response(request, campaign, text, TEXTS[ending], f"{name}.{ending}")


@campaign_for_staff
@require_GET
def download_pdf(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """Return the report as PDF."""
    content = papers.kept_pdf(done_run(campaign, number))
    if content is None:
        raise Http404
    name = f"{slugify(campaign.title) or 'report'}-report-{number}.pdf"
    return export_response(request, campaign, content, "application/pdf", name)


@campaign_for_staff
@require_GET
def download_figure(
    request: HttpRequest, campaign: Campaign, number: int, name: str, ending: str
) -> HttpResponse:
    """Return a figure for print, as PDF or PNG."""
    content = papers.printed_figure(done_run(campaign, number), f"{name}.{ending}")
    if content is None:
        raise Http404
    return export_response(request, campaign, content, PRINT_TYPES[ending], f"{name}.{ending}")
