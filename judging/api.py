"""The programs' door: what a user may see in pages, as JSON. Reading only; work is done in pages
and commands."""

import re
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404
from rest_framework import generics, pagination, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from judging.actions import history
from judging.guards import collections_of
from judging.models import Campaign, Collection, Event, Judgment


class CollectionSerializer(serializers.ModelSerializer):
    class Meta:
        model = Collection
        fields = ("id", "name", "licence", "language", "file_name", "file_sha256", "created_at")


class CampaignSerializer(serializers.ModelSerializer):
    collection = serializers.CharField(source="collection.name")
    rubric = serializers.CharField(source="rubric.key")
    rubric_version = serializers.CharField(source="rubric.version")
    places = serializers.IntegerField()
    filled = serializers.IntegerField()
    held = serializers.IntegerField()

    class Meta:
        model = Campaign
        fields = (
            "uuid",
            "title",
            "state",
            "origin",
            "collection",
            "rubric",
            "rubric_version",
            "annotators_per_task",
            "order",
            "protocol_digest",
            "created_at",
            "locked_at",
            "closed_at",
            "places",
            "filled",
            "held",
        )


class JudgmentSerializer(serializers.ModelSerializer):
    """One standing judgment; annotators go by their labels only. With `?trials`, pilots and
    calibrations too."""

    source = serializers.CharField(source="unit.question_set.source.key")
    system = serializers.CharField(source="unit.question_set.system.name")
    position = serializers.IntegerField(source="unit.position")
    annotator = serializers.CharField(source="assignment.enrollment.label")
    criterion = serializers.CharField(source="criterion.key")
    round = serializers.CharField(source="assignment.round.kind")
    state = serializers.CharField(source="assignment.state")
    origin = serializers.SerializerMethodField()

    def get_origin(self, judgment: Judgment) -> str:
        """Say who judged: a program where the campaign is simulated, whatever way the value
        took."""
        campaign = judgment.assignment.round.campaign
        return str(
            campaign.origin if campaign.origin == Campaign.Origin.SIMULATED else judgment.origin
        )

    class Meta:
        model = Judgment
        fields = (
            "id",
            "source",
            "system",
            "position",
            "annotator",
            "criterion",
            "value",
            "origin",
            "cause",
            "revision",
            "created_at",
            "round",
            "state",
        )


class ById(pagination.CursorPagination):
    """Pages that stay right while rows are added."""

    ordering = "id"
    page_size = 1_000

    def decode_cursor(self, request: Request) -> pagination.Cursor | None:
        """Refuse a cursor that was never given out before the database does."""
        cursor = super().decode_cursor(request)
        if cursor and cursor.position and not re.fullmatch("[0-9]{1,18}", str(cursor.position)):
            raise NotFound(self.invalid_cursor_message)
        return cursor


class Collections(generics.ListAPIView):
    serializer_class = CollectionSerializer

    def get_queryset(self) -> QuerySet[Collection]:
        return collections_of(self.request.user).order_by("id")


class Campaigns(generics.ListAPIView):
    serializer_class = CampaignSerializer

    def get_queryset(self) -> QuerySet[Campaign]:
        return seen_by(self.request.user)


class OneCampaign(generics.RetrieveAPIView):
    serializer_class = CampaignSerializer
    lookup_field = "uuid"

    def get_queryset(self) -> QuerySet[Campaign]:
        return seen_by(self.request.user)


class Judgments(generics.ListAPIView):
    serializer_class = JudgmentSerializer
    pagination_class = ById

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        campaign = campaign_of(request.user, self.kwargs["uuid"])
        history.note(
            Event.Act.EXPORTED,
            by=request.user,
            campaign=campaign,
            about="judgments by the API, a page",
        )
        return super().list(request, *args, **kwargs)

    def get_queryset(self) -> QuerySet[Judgment]:
        own = campaign_of(self.request.user, self.kwargs["uuid"]).rounds.all()
        asked = (
            own.exclude(kind="checks")
            if "trials" in self.request.query_params
            else own.filter(kind="main")
        )
        rows = Judgment.objects.standing().filter(assignment__round__in=asked)
        return rows.select_related(
            "unit__question_set__source",
            "unit__question_set__system",
            "assignment__enrollment",
            "assignment__round__campaign",
            "criterion",
        )


def seen_by(user: Any) -> QuerySet[Campaign]:
    """Return the campaigns a user manages or analyses, with their places."""
    seen = Campaign.objects.visible_to(user).select_related("collection", "rubric")
    return seen.listed().with_places()


def campaign_of(user: Any, uuid: UUID) -> Campaign:
    """Return a campaign the user may see; a foreign one is a 404."""
    found = Campaign.objects.visible_to(user).filter(uuid=uuid).first()
    if found is None:
        raise Http404
    return found
