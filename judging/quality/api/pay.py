"""The pay of a campaign: the planned rate, and what each annotator earned by the hour."""

from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.problems import check_form
from judging.campaigns.actions import campaigns
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import snapshots
from judging.quality.forms.pay import RateForm


class RateSerializer(serializers.Serializer):
    """The rate of pay. The minimum for an hour decides who gets a top-up."""

    amount = serializers.DecimalField(max_digits=9, decimal_places=3)
    currency = serializers.CharField(max_length=3)
    minutes = serializers.DecimalField(max_digits=7, decimal_places=2)
    floor = serializers.DecimalField(
        max_digits=9, decimal_places=2, required=False, allow_null=True
    )


class EarnedSerializer(serializers.Serializer):
    """What an annotator earned so far, and the top-up that is due."""

    annotator = serializers.CharField()
    tasks = serializers.IntegerField()
    seconds = serializers.FloatField()
    amount = serializers.DecimalField(max_digits=12, decimal_places=2)
    hourly = serializers.DecimalField(max_digits=12, decimal_places=2, allow_null=True)
    top_up = serializers.DecimalField(max_digits=12, decimal_places=2)


class PaySerializer(serializers.Serializer):
    """The rate of a campaign, null if none is planned, and what its annotators earned."""

    rate = RateSerializer(allow_null=True)
    earned = EarnedSerializer(many=True)


class Pay(InCampaign):
    """The pay of a campaign, for its managers."""

    queryset = Campaign.objects.all()
    serializer_class = PaySerializer
    hidden_from_analysts = ("retrieve",)

    @extend_schema(responses=PaySerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return the rate of pay, and what each annotator earned so far."""
        return Response(self._pay())

    @extend_schema(request=RateSerializer, responses=PaySerializer)
    def update(self, request: Request, campaign: UUID) -> Response:
        """Plan the rate of pay of a draft."""
        form = RateForm(self.content(RateSerializer), campaign=self.campaign)
        check_form(form)
        campaigns.change_plan(campaign=self.campaign, plan={"rate": form.document()})
        self.campaign.refresh_from_db(fields=["rate"])
        return Response(self._pay())

    def _pay(self) -> dict[str, Any]:
        counts = snapshots.count_campaign(self.campaign, timezone.now())
        earned = snapshots.read_counts(self.campaign, counts).earned
        rows = [
            {
                "annotator": label,
                "tasks": pay.tasks,
                "seconds": pay.seconds,
                "amount": pay.amount,
                "hourly": pay.hourly,
                "top_up": pay.top_up,
            }
            for label, pay in earned.items()
        ]
        return PaySerializer({"rate": self.campaign.rate or None, "earned": rows}).data
