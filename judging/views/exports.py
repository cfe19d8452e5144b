"""Exports of judgments, in every format that can hold them."""

from collections.abc import Iterator, Mapping

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.text import slugify
from django.views.decorators.http import require_GET

from judging.actions import exports, history
from judging.guards import campaign_for_staff
from judging.imports.recipes.writers import (
    CannotWrite,
    csv_pieces,
    jsonl_pieces,
    label_studio_config,
    label_studio_pieces,
    write_qgstec,
)
from judging.models import Campaign, Event
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
    chosen = {name: name in request.GET for name in ("extras", "trials", "settled")}
    title = slugify(campaign.title)
    if key in IN_PIECES:
        media_type, name = IN_PIECES[key]
        pieces = _pieces(campaign, key, chosen)
        return taken_along_in_pieces(request, campaign, pieces, media_type, f"{title}-{name}")
    if key != QGSTEC:
        raise Http404
    if misfit := exports.misfit_of_qgstec(campaign):
        messages.error(request, misfit)
        return redirect("judging:campaign", campaign.uuid)
    try:
        content = write_qgstec(exports.study_of(campaign=campaign, **chosen))
    except CannotWrite as refused:
        messages.error(request, str(refused))
        return redirect("judging:campaign", campaign.uuid)
    return taken_along(request, campaign, content, "application/xml", f"{title}-judgments.xml")


def _pieces(campaign: Campaign, key: str, chosen: Mapping[str, bool]) -> Iterator[str]:
    with exports.one_moment():
        parts = exports.parts_of(campaign=campaign, **chosen)
        if key == "jsonl":
            yield from jsonl_pieces(parts)
        elif key == "label-studio":
            raters = exports.raters_of(campaign=campaign, **chosen)
            yield from label_studio_pieces(parts, raters=raters)
        else:
            used = sorted(exports.columns_of(campaign=campaign, **chosen))
            yield from csv_pieces(parts, used=used, guarded=key == "csv")


@campaign_for_staff
@require_GET
def codebook(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the meaning of the columns and values of the judgments."""
    return attached(
        exports.codebook_csv(campaign=campaign),
        "text/csv",
        f"{slugify(campaign.title)}-codebook.csv",
    )


@campaign_for_staff
@require_GET
def label_studio(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Return the labelling interface in which Label Studio shows the tasks of its export."""
    criteria = documents.from_document(campaign.rubric.document).criteria
    name = f"{slugify(campaign.title)}-label-studio.xml"
    return attached(label_studio_config(criteria), "application/xml", name)


def taken_along(
    request: HttpRequest, campaign: Campaign, content: str | bytes, media_type: str, name: str
) -> HttpResponse:
    """Return a file with judgments or results to be saved under a name; the history names the user
    who exported it."""
    _noted(request, campaign, name)
    return attached(content, media_type, name)


def taken_along_in_pieces(
    request: HttpRequest, campaign: Campaign, pieces: Iterator[str], media_type: str, name: str
) -> StreamingHttpResponse:
    """Return a large file as `taken_along` does, a piece at a time."""
    _noted(request, campaign, name)
    return attached_in_pieces(pieces, media_type, name)


def _noted(request: HttpRequest, campaign: Campaign, name: str) -> None:
    longest = Event._meta.get_field("about").max_length or 0
    history.note(Event.Act.EXPORTED, by=request.user, campaign=campaign, about=name[-longest:])


def attached(content: str | bytes, media_type: str, name: str) -> HttpResponse:
    """Return a file to be saved under a name."""
    kind = f"{media_type}; charset=utf-8" if isinstance(content, str) else media_type
    return HttpResponse(content, headers=_file_headers(name, kind))


def attached_in_pieces(pieces: Iterator[str], media_type: str, name: str) -> StreamingHttpResponse:
    """Return a large file to be saved under a name, a piece at a time."""
    kind = f"{media_type}; charset=utf-8"
    return StreamingHttpResponse(pieces, headers=_file_headers(name, kind))


def _file_headers(name: str, kind: str) -> dict[str, str]:
    return {"Content-Type": kind, "Content-Disposition": f'attachment; filename="{name}"'}
