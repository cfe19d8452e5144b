"""Exports of judgments, in every format that can hold them."""

from collections.abc import Iterator, Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from judging.base import transactions
from judging.base.views.downloads import attachment_response
from judging.campaigns.guards import campaign_for_staff
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.views.downloads import export_response, stream_export
from judging.formats.recipes.writers import (
    CannotWrite,
    csv_pieces,
    jsonl_pieces,
    label_studio_config,
    label_studio_pieces,
    write_qgstec,
)
from judging.imports.actions import exports
from judging.protocols import documents

IN_PIECES = {
    "csv": ("text/csv", "judgments.csv"),
    "csv-raw": ("text/csv", "judgments-raw.csv"),
    "jsonl": ("application/jsonl", "judgments.jsonl"),
    "label-studio": ("application/json", "label-studio.json"),
}
QGSTEC = "qgstec"  # written as one document, which has each sentence once


@campaign_for_staff
@require_GET
def judgments(request: HttpRequest, campaign: Campaign, key: str) -> HttpResponseBase:
    """Return every current judgment with its item."""
    chosen = {name: name in request.GET for name in ("extras", "trials", "adjudicated")}
    title = slugify(campaign.title)
    if key in IN_PIECES:
        media_type, name = IN_PIECES[key]
        pieces = _pieces(campaign, key, chosen)
        return stream_export(request, campaign, pieces, media_type, f"{title}-{name}")
    if key != QGSTEC:
        raise Http404
    if misfit := exports.misfit_of_qgstec(campaign):
        messages.error(request, misfit)
        return redirect("judging:campaign", campaign.uuid)
    try:
        content = write_qgstec(exports.export_campaign(campaign=campaign, **chosen))
    except CannotWrite as refused:
        messages.error(request, str(refused))
        return redirect("judging:campaign", campaign.uuid)
    return export_response(request, campaign, content, "application/xml", f"{title}-judgments.xml")


def _pieces(campaign: Campaign, key: str, chosen: Mapping[str, bool]) -> Iterator[str]:
    with transactions.one_moment():
        parts = exports.export_parts(campaign=campaign, **chosen)
        if key == "jsonl":
            yield from jsonl_pieces(parts)
        elif key == "label-studio":
            raters = exports.raters_of(campaign=campaign, **chosen)
            yield from label_studio_pieces(parts, raters=raters)
        else:
            used = sorted(exports.export_columns(campaign=campaign, **chosen))
            yield from csv_pieces(parts, used=used, guarded=key == "csv")


@campaign_for_staff
@require_GET
def codebook(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the meaning of the columns and values of the judgments."""
    return attachment_response(
        exports.codebook_csv(campaign=campaign),
        "text/csv",
        f"{slugify(campaign.title)}-codebook.csv",
    )


@campaign_for_staff
@require_GET
def label_studio(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the labelling interface in which Label Studio shows the tasks of its export."""
    criteria = documents.protocol_from_document(campaign.protocol.document).criteria
    name = f"{slugify(campaign.title)}-label-studio.xml"
    return attachment_response(label_studio_config(criteria), "application/xml", name)
