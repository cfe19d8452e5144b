"""Documents about a campaign: preregistration, human evaluation datasheet and codebook."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request

from analysis.scoring.api.lazy_modules import LazyModule
from judging.base.api.downloads import FileRenderer, file_response
from judging.base.api.problems import Conflict
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.campaign import Campaign
from judging.imports.actions import exports
from judging.overview.actions import preregistration
from judging.people.actions import history
from judging.people.models.event import Event

heds = LazyModule("analysis.planning.actions.heds")
datasheets = LazyModule("analysis.planning.reports.heds")

DOCUMENTS: dict[str, tuple[str, Callable[[Campaign], str]]] = {
    "preregistration.md": ("text/markdown", preregistration.as_markdown),
    "preregistration.json": ("application/json", preregistration.preregistration_text),
    "heds3.json": ("application/json", lambda made: datasheets.datasheet_json(*heds.sheet(made))),
    "heds3.md": (
        "text/markdown",
        lambda made: datasheets.to_markdown(made.title, *heds.sheet(made)),
    ),
    "codebook.csv": ("text/csv", lambda made: exports.codebook_csv(campaign=made)),
}


class Documents(InCampaign):
    """Documents about a campaign."""

    queryset = Campaign.objects.all()
    pagination_class = None
    filter_backends = ()

    @extend_schema(
        responses=file_response("text/markdown", "application/json", "text/csv"),
        operation_id="campaigns_documents_retrieve",
    )
    @action(detail=False, url_path="<str:name>", renderer_classes=[FileRenderer])
    def document(self, request: Request, campaign: UUID, name: str) -> Any:
        """Download preregistration.md or .json, heds3.md or .json, or codebook.csv."""
        if name not in DOCUMENTS:
            raise NotFound(f"The documents are {', '.join(DOCUMENTS)}.")
        media_type, write = DOCUMENTS[name]
        try:
            text = write(self.campaign)
        except preregistration.NotLocked:
            raise Conflict("There is a preregistration once the plan is locked.") from None
        history.record_event(
            Event.Act.EXPORTED, by=request.user, campaign=self.campaign, about=f"{name} by the API"
        )
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return HttpResponse(text, content_type=f"{media_type}; charset=utf-8", headers=headers)
