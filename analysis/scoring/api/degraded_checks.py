"""Degraded copies among the checks between tasks."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.lazy_modules import LazyModule
from judging.campaigns.actions import selections
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import with_how_to_decline
from judging.campaigns.models.campaign import Campaign

check_copies = LazyModule("analysis.scoring.actions.check_copies")
BLIND = "You judge this dataset in a campaign that has not ended, so you make no degraded copies."


class MadeChecksSerializer(serializers.Serializer):
    """How many degraded copies were made."""

    made = serializers.IntegerField(help_text="The number of degraded copies.")


class DegradedChecks(InCampaign):
    """Degraded copies of questions that annotators get as checks; `check-items` lists them."""

    queryset = Campaign.objects.all()
    serializer_class = MadeChecksSerializer

    @extend_schema(request=None, responses={201: MadeChecksSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Make degraded copies of questions of a draft as checks between tasks."""
        if selections.names_systems(self.campaign, request.user):
            user, dataset = request.user, self.campaign.dataset
            raise PermissionDenied(with_how_to_decline(BLIND, user, dataset))
        made = check_copies.make_degraded_copies(campaign=self.campaign)
        return Response({"made": made}, status=status.HTTP_201_CREATED)
