"""Adjudication: naming the adjudicator, listing where annotators differ, storing adjudicated ratings."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import pagination, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.pages import DescribedPages
from judging.base.api.problems import Conflict
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import campaign_to_adjudicate, judges_now, with_how_to_decline
from judging.campaigns.models.campaign import Campaign
from judging.jobs.api.resources import check_confirmed
from judging.people.actions.accounts import find_account
from judging.quality.actions import adjudications
from judging.quality.actions.adjudications import Differing
from judging.quality.models.adjudication import Adjudication


class AdjudicationSerializer(serializers.Serializer):
    """The adjudicator of a campaign, and how many ratings are left to adjudicate; null without an
    adjudicator."""

    adjudicator = serializers.CharField(allow_null=True)
    threshold = serializers.IntegerField(allow_null=True)
    differences = serializers.IntegerField(allow_null=True)
    open = serializers.IntegerField(allow_null=True)
    adjudicated = serializers.IntegerField()


class NewAdjudicatorSerializer(serializers.Serializer):
    """The user who adjudicates. The account needs a password, but no role in the campaign."""

    adjudicator = serializers.CharField()
    threshold = serializers.IntegerField(default=1)


class Adjudications(InCampaign):
    """The adjudication of a campaign: its managers name the adjudicator, analysts read."""

    queryset = Adjudication.objects.all()
    serializer_class = AdjudicationSerializer

    @extend_schema(responses=AdjudicationSerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return the adjudicator of a campaign, and how much is left to adjudicate."""
        return self._shown()

    @extend_schema(request=NewAdjudicatorSerializer, responses=AdjudicationSerializer)
    def update(self, request: Request, campaign: UUID) -> Response:
        """Name the adjudicator. Ratings that another adjudicator stored stay."""
        check_confirmed(request)
        content = self.content(NewAdjudicatorSerializer)
        adjudications.name_adjudicator(
            campaign=self.campaign,
            adjudicator=find_account(content["adjudicator"], field="adjudicator"),
            threshold=content["threshold"],
            by=request.user,
            now=timezone.now(),
        )
        return self._shown()

    def _shown(self) -> Response:
        adjudication = (
            Adjudication.objects.filter(campaign=self.campaign)
            .select_related("adjudicator")
            .first()
        )
        adjudicated = adjudications.settled_of(self.campaign)
        content: dict[str, Any] = {
            "adjudicator": None,
            "threshold": None,
            "differences": None,
            "open": None,
            "adjudicated": len(adjudicated),
        }
        if adjudication:
            differing = adjudications.find_differences(self.campaign, adjudication.threshold)
            content |= {
                "adjudicator": adjudication.adjudicator.username,
                "threshold": adjudication.threshold,
                "differences": len(differing),
                "open": sum(difference.place not in adjudicated for difference in differing),
            }
        return Response(content)


class ExcerptSerializer(serializers.Serializer):
    """The source of a question; long texts are cut."""

    passage = serializers.CharField()
    sentence = serializers.CharField()
    answer = serializers.CharField()
    target_type = serializers.CharField()
    language = serializers.CharField()


class ScalePointSerializer(serializers.Serializer):
    """A point of the criterion's scale."""

    value = serializers.IntegerField()
    label = serializers.CharField()


class DifferingRatingSerializer(serializers.Serializer):
    """The rating of one annotator."""

    annotator = serializers.CharField()
    value = serializers.IntegerField()
    label = serializers.CharField()


class CommentSerializer(serializers.Serializer):
    """A comment of one annotator on the item."""

    annotator = serializers.CharField()
    text = serializers.CharField()


class AdjudicatedRatingSerializer(serializers.Serializer):
    """An adjudicated rating: a value of the criterion's scale, and the reason for it."""

    value = serializers.IntegerField()
    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class DifferenceSerializer(serializers.Serializer):
    """An item on whose criterion annotators differ. No system is named."""

    token = serializers.CharField()
    source = ExcerptSerializer()
    question = serializers.CharField(help_text="Blank for a set of questions as a whole.")
    criterion = serializers.CharField(source="criterion.key")
    prompt = serializers.CharField(source="wording.prompt")
    points = serializers.SerializerMethodField()
    ranks_apart = serializers.IntegerField(source="apart")
    ratings = DifferingRatingSerializer(many=True)
    comments = CommentSerializer(many=True)
    adjudicated = AdjudicatedRatingSerializer(source="settled", allow_null=True)

    @extend_schema_field(ScalePointSerializer(many=True))
    def get_points(self, difference: adjudications.ToSettle) -> list[dict[str, Any]]:
        return [
            {"value": point.value, "label": point.label}
            for point in difference.criterion.points.all()
            if not point.missing
        ]


class DifferencePages(DescribedPages, pagination.LimitOffsetPagination):
    """Pages of differences, which are computed and have no key to continue from."""

    default_limit = 50
    max_limit = 1_000


class RatingsToAdjudicate(InCampaign):
    """Items on which annotators of a closed campaign differ, for its adjudicator. Adjudicators who
    still judge the dataset cannot read them."""

    queryset = Adjudication.objects.all()
    serializer_class = DifferenceSerializer
    pagination_class = DifferencePages
    filter_backends = ()
    lookup_field = "token"
    lookup_value_converter = "slug"

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign of the address, if the user is its adjudicator."""
        found = campaign_to_adjudicate(self.request.user, self.kwargs["campaign"])
        if found is None:
            raise Http404
        if judges_now(self.request.user, found.dataset):
            refused = (
                "You judge this dataset in a campaign that has not ended. Until it is closed you may "
                "not read what others said about it."
            )
            raise PermissionDenied(with_how_to_decline(refused, self.request.user, found.dataset))
        return found

    @extend_schema(responses=DifferenceSerializer(many=True))
    def list(self, request: Request, campaign: UUID) -> Response:
        """List items on which annotators differ by more ranks than the threshold."""
        page = self.paginate_queryset(self._differing())
        shown = adjudications.describe_differences(self.campaign, page)
        return self.get_paginated_response(DifferenceSerializer(shown, many=True).data)

    @extend_schema(request=AdjudicatedRatingSerializer, responses=DifferenceSerializer)
    def update(self, request: Request, campaign: UUID, token: str) -> Response:
        """Store the adjudicated rating of a difference. The annotators' ratings stay as they are."""
        named = [
            difference
            for difference in self._differing()
            if adjudications.token_of(self.campaign, difference) == token
        ]
        if not named:
            raise Http404
        adjudications.store_adjudicated_rating(
            campaign=self.campaign,
            token=token,
            by=request.user,
            now=timezone.now(),
            **self.content(AdjudicatedRatingSerializer),
        )
        [shown] = adjudications.describe_differences(self.campaign, named)
        return Response(DifferenceSerializer(shown).data)

    def _differing(self) -> Sequence[Differing]:
        if self.campaign.state not in adjudications.ENDED:
            raise Conflict("Ratings are adjudicated once the campaign is closed.")
        return adjudications.find_differences(self.campaign, self.campaign.adjudication.threshold)
