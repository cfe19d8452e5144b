"""A manager's preview of tasks as annotators see them; nothing is stored."""

from uuid import UUID

from django.core.exceptions import PermissionDenied
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.tasks import GroupSerializer, ShownSourceSerializer, StageSerializer
from annotation.views.preview import preview_page, previewed_task
from judging.base.texts import whole_number
from judging.campaigns.actions import selections
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import with_how_to_decline
from judging.campaigns.models.campaign import Campaign

BLIND = (
    "You judge this dataset in a campaign that has not ended, so you see no preview of its tasks."
)
WHICH = [
    OpenApiParameter("task", int, description="The number of the task; by default the first."),
    OpenApiParameter("stage", int, description="The number of the stage; by default the first."),
]


class TaskPreviewSerializer(serializers.Serializer):
    """A task as annotators see it."""

    task = serializers.IntegerField()
    tasks = serializers.IntegerField()
    stage = StageSerializer(source="page.stage", allow_null=True)
    source = ShownSourceSerializer(source="page.source", allow_null=True)
    groups = GroupSerializer(many=True, source="page.groups")


class Previews(InCampaign):
    """Previews of a campaign's tasks, for its managers."""

    queryset = Campaign.objects.all()
    serializer_class = TaskPreviewSerializer
    hidden_from_analysts = ("retrieve",)

    @extend_schema(responses=TaskPreviewSerializer, parameters=WHICH)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return a task as annotators see it, before or after there are tasks."""
        if selections.names_systems(self.campaign, request.user):
            user, dataset = request.user, self.campaign.dataset
            raise PermissionDenied(with_how_to_decline(BLIND, user, dataset))
        number, total, sheet = previewed_task(self.campaign, self._number("task"))
        if sheet is None:
            raise NotFound("The dataset holds no question to judge.")
        stage = min(self._number("stage"), len(sheet.protocol.stages)) - 1
        page = preview_page(self.campaign, sheet, stage)
        return Response(TaskPreviewSerializer({"task": number, "tasks": total, "page": page}).data)

    def _number(self, name: str) -> int:
        number = whole_number(self.request.query_params.get(name, "1"), least=1)
        if number is None:
            raise ValidationError({name: ["This is no number of 1 or more."]})
        return number
