"""The overview of a campaign: progress, criteria, annotators, systems and agreement so far."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns.actions import live_agreements
from judging.campaigns.actions.live_agreements import ShownAgreement
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import judges_now
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import snapshots
from judging.quality.actions.snapshots import AnnotatorStanding, Counted
from judging.work.actions import sheets


class ForecastSerializer(serializers.Serializer):
    """When the last assignment is submitted at the pace so far, with the 95% interval."""

    expected_at = serializers.DateTimeField()
    earliest = serializers.DateTimeField()
    latest = serializers.DateTimeField(
        allow_null=True, help_text="Null if the pace is too irregular for an upper end."
    )


class AlphaSerializer(serializers.Serializer):
    """Krippendorff's alpha of a criterion; the value is null for the reason given."""

    value = serializers.FloatField(default=None, allow_null=True)
    low = serializers.FloatField(default=None, allow_null=True)
    high = serializers.FloatField(default=None, allow_null=True)
    n = serializers.IntegerField()
    reason = serializers.CharField(allow_blank=True)


class AlphaMomentSerializer(serializers.Serializer):
    """Alpha at an earlier moment."""

    at = serializers.DateTimeField()
    value = serializers.FloatField()


class CriterionSoFarSerializer(serializers.Serializer):
    """The ratings on a criterion so far, and the annotators' agreement."""

    criterion = serializers.CharField()
    values = serializers.DictField(child=serializers.IntegerField())
    alpha = AlphaSerializer(allow_null=True)
    alpha_over_time = AlphaMomentSerializer(many=True)


class FlagSerializer(serializers.Serializer):
    """A sign that a manager should check; `own` and `others` are seconds or shares."""

    reason = serializers.CharField()
    criterion = serializers.CharField(allow_blank=True)
    own = serializers.FloatField()
    others = serializers.FloatField(allow_null=True)
    n = serializers.IntegerField()


class AnnotatorSoFarSerializer(serializers.Serializer):
    """The work of an annotator so far."""

    enrolment = serializers.IntegerField(source="enrollment")
    label = serializers.CharField(source="work.label")
    tasks = serializers.IntegerField(source="work.tasks")
    answers = serializers.IntegerField(source="work.values")
    quick_answers = serializers.IntegerField(source="quick")
    seconds_a_value = serializers.FloatField(source="work.pace", allow_null=True)
    flags = serializers.SerializerMethodField()

    @extend_schema_field(FlagSerializer(many=True))
    def get_flags(self, standing: AnnotatorStanding) -> list[dict[str, Any]]:
        flags = self.context["counted"].flags_of(standing.enrollment)
        return list(FlagSerializer(flags, many=True).data)


class SystemSoFarSerializer(serializers.Serializer):
    """The judged units of a system, with the range over annotators."""

    system = serializers.CharField(source="name")
    judged = serializers.IntegerField()
    fewest = serializers.IntegerField()
    most = serializers.IntegerField()


class AnnotatorPairSerializer(serializers.Serializer):
    """The share of equal ratings of two annotators on the same items, over all criteria."""

    first = serializers.CharField()
    second = serializers.CharField()
    percent_agreement = serializers.FloatField(source="share")
    n = serializers.IntegerField()


class DisputedItemSerializer(serializers.Serializer):
    """An item with the mean squared distance of two annotators, from 0 to 1."""

    item = serializers.IntegerField(source="unit")
    source_id = serializers.CharField(source="source_key")
    disagreement = serializers.FloatField()


class OverviewSerializer(serializers.Serializer):
    """A campaign so far. Agreement, pairs, disputed items and systems are null for users who judge
    the dataset; agreement is also null until a worker has computed it."""

    counted_at = serializers.DateTimeField()
    questions = serializers.IntegerField(allow_null=True)
    assignments = serializers.IntegerField()
    submitted = serializers.IntegerField()
    held = serializers.IntegerField()
    forecast = ForecastSerializer(allow_null=True)
    criteria = CriterionSoFarSerializer(many=True)
    annotators = AnnotatorSoFarSerializer(many=True)
    systems = SystemSoFarSerializer(many=True, allow_null=True)
    agreement_computed_at = serializers.DateTimeField(allow_null=True)
    threshold = serializers.FloatField()
    pairs = AnnotatorPairSerializer(many=True, allow_null=True)
    disputed_items = DisputedItemSerializer(many=True, allow_null=True)


class Overviews(InCampaign):
    """The overview of a campaign, for its staff."""

    queryset = Campaign.objects.all()
    serializer_class = OverviewSerializer

    @extend_schema(responses=OverviewSerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return a campaign so far. The history notes who reads agreement before the campaign is
        closed."""
        user, now = request.user, timezone.now()
        counted = snapshots.counted_for(user, self.campaign)
        agreement = live_agreements.look_at_agreement(campaign=self.campaign, by=user, now=now)
        judges = judges_now(user, self.campaign.dataset)
        found = {
            "counted_at": counted.at,
            "questions": counted.questions,
            "assignments": counted.places,
            "submitted": counted.filled,
            "held": counted.held,
            "forecast": _forecast(self.campaign, counted),
            "criteria": list(_criteria(self.campaign, counted, agreement)),
            "annotators": counted.annotators.values(),
            "systems": None if judges else list(snapshots.systems_so_far(self.campaign, counted)),
            "agreement_computed_at": agreement.at if agreement else None,
            "threshold": live_agreements.THRESHOLD,
            "pairs": agreement.pairs if agreement else None,
            "disputed_items": agreement.items if agreement else None,
        }
        return Response(OverviewSerializer(found, context={"counted": counted}).data)


def _forecast(campaign: Campaign, counted: Counted) -> dict[str, datetime | None] | None:
    found = counted.forecast
    if found is None or campaign.state != Campaign.State.OPEN:
        return None
    latest = None if found.latest is None else counted.at + timedelta(hours=found.latest)
    return {
        "expected_at": counted.at + timedelta(hours=found.hours),
        "earliest": counted.at + timedelta(hours=found.earliest),
        "latest": latest,
    }


def _criteria(
    campaign: Campaign, counted: Counted, agreement: ShownAgreement | None
) -> Iterator[dict[str, Any]]:
    for criterion in sheets.cached_protocol(campaign.protocol).document.criteria:
        counts = counted.criteria.get(criterion.key, {})
        moments = agreement.over_time.get(criterion.key, []) if agreement else []
        yield {
            "criterion": criterion.key,
            "values": {str(point.value): counts.get(point.value, 0) for point in criterion.points},
            "alpha": agreement.criteria.get(criterion.key) if agreement else None,
            "alpha_over_time": [{"at": at, "value": value} for at, value in moments],
        }
