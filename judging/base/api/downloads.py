"""Downloads of the REST API, streamed in pieces."""

from collections.abc import Iterator

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.renderers import JSONRenderer


class FileRenderer(JSONRenderer):
    """Lets a client accept any type of content. Errors are JSON."""

    media_type = "*/*"
    format = "file"


def download_response(pieces: Iterator[str], media_type: str, name: str) -> StreamingHttpResponse:
    """Return a file to be saved under a name."""
    headers = {
        "Content-Type": f"{media_type}; charset=utf-8",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
    return StreamingHttpResponse(pieces, headers=headers)


def file_response(*media_types: str) -> dict[tuple[int, str], OpenApiResponse]:
    """Return what the schema says of a file of one of these types."""
    found = {}
    for media_type in media_types:
        kind = OpenApiTypes.ANY if media_type == "application/json" else OpenApiTypes.BINARY
        found[200, media_type] = OpenApiResponse(kind, description="The file.")
    return found
