"""Downloads of a campaign, which its history notes."""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse

from judging.base.views.downloads import attached_in_pieces, attachment_response
from judging.campaigns.models.campaign import Campaign
from judging.people.actions import history
from judging.people.models.event import Event


def export_response(
    request: HttpRequest, campaign: Campaign, content: str | bytes, media_type: str, name: str
) -> HttpResponse:
    """Return a file with judgments or results to be saved under a name; the history names the user
    who exported it."""
    _noted(request, campaign, name)
    return attachment_response(content, media_type, name)


def stream_export(
    request: HttpRequest, campaign: Campaign, pieces: Iterator[str], media_type: str, name: str
) -> StreamingHttpResponse:
    """Return a large file as `taken_along` does, a piece at a time."""
    _noted(request, campaign, name)
    return attached_in_pieces(pieces, media_type, name)


def _noted(request: HttpRequest, campaign: Campaign, name: str) -> None:
    longest = Event._meta.get_field("about").max_length or 0
    history.record_event(
        Event.Act.EXPORTED, by=request.user, campaign=campaign, about=name[-longest:]
    )
