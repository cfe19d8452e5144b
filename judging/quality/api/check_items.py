"""Gold questions and degraded copies of a campaign: adding, correcting and retiring them."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns.actions import selections
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import judges_now
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Unit
from judging.jobs.api.resources import Create, Destroy
from judging.quality.actions import check_items
from judging.quality.actions.exercises import criteria_of_items
from judging.quality.models.check import CheckItem, CheckKind


class CheckItemSerializer(serializers.ModelSerializer):
    """A gold question or a degraded copy."""

    item = serializers.IntegerField(source="original_id")
    text = serializers.CharField(source="unit.question.text")
    accepted = serializers.SerializerMethodField(
        help_text="The accepted values by criterion; none of a degraded copy."
    )

    class Meta:
        model = CheckItem
        fields = ("id", "kind", "item", "text", "method", "accepted", "retired_at")

    def get_accepted(self, check: CheckItem) -> dict[str, list[int]]:
        accepted: dict[str, list[int]] = {}
        for value in check.accepted.all():
            accepted.setdefault(value.criterion.key, []).append(value.value)
        return accepted


class AcceptedSerializer(serializers.Serializer):
    """The accepted values of a gold question by criterion. Others are not checked."""

    accepted = serializers.DictField(child=serializers.ListField(child=serializers.IntegerField()))


class NewGoldSerializer(AcceptedSerializer):
    """A gold question: an item of the dataset, unchanged or in other words."""

    item = serializers.IntegerField()
    text = serializers.CharField(required=False, allow_blank=True, default="", max_length=2_000)


class CorrectedGoldSerializer(AcceptedSerializer):
    """The values that are accepted from now on, with the reason after the lock."""

    reason = serializers.CharField(required=False, allow_blank=True, default="", max_length=500)


class CheckItemFilter(filters.FilterSet):
    """By kind."""

    class Meta:
        model = CheckItem
        fields = ("kind",)


@extend_schema_view(
    list=extend_schema(summary="List the gold questions and degraded copies of a campaign"),
)
class CheckItems(Create, Destroy, mixins.ListModelMixin, InCampaign):
    """Checks between tasks. Managers who judge the dataset see no degraded copies."""

    queryset = CheckItem.objects.all()
    input = NewGoldSerializer
    serializer_class = output = CheckItemSerializer
    filterset_class = CheckItemFilter
    lookup_value_converter = "int"
    hidden_from_analysts = ("list",)

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            campaign = self.campaign
            selections.keep_from_who_judges(self.request.user, campaign.dataset, campaign=campaign)

    def rows(self) -> QuerySet[CheckItem]:
        checks = self.campaign.check_items.select_related("unit__question")
        if judges_now(self.request.user, self.campaign.dataset):
            checks = checks.filter(kind=CheckKind.GOLD)
        return checks.prefetch_related("accepted__criterion")

    def add(self, content: dict[str, Any]) -> CheckItem:
        """Add a gold question to a draft."""
        units = Unit.objects.filter(question_set__source__dataset=self.campaign.dataset_id)
        unit = units.select_related("question_set__source").filter(pk=content["item"]).first()
        if unit is None:
            raise ValidationError({"item": ["The dataset has no such item."]})
        accepted = _accepted(self.campaign, content["accepted"])
        return check_items.add_gold(
            campaign=self.campaign,
            unit=unit,
            text=content["text"],
            accepted=accepted,
            by=self.request.user,
        )

    def remove(self, instance: CheckItem) -> None:
        """Retire a check: no annotator gets it any more, and it counts in no result."""
        check_items.retire_check(item=instance, by=self.request.user, now=timezone.now())

    @extend_schema(request=CorrectedGoldSerializer, responses=CheckItemSerializer)
    @action(detail=True, methods=["post"], url_path="correct")
    def correct_gold(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Correct the accepted values of a gold question; after the lock this needs a reason."""
        item, content = self.get_object(), self.content(CorrectedGoldSerializer)
        if self.campaign.state != Campaign.State.DRAFT and not content["reason"]:
            raise ValidationError({"reason": ["The report lists the change with its reason."]})
        check_items.correct_gold(
            item=item,
            accepted=_accepted(self.campaign, content["accepted"]),
            by=request.user,
            now=timezone.now(),
            reason=content["reason"],
        )
        return Response(CheckItemSerializer(self.get_object()).data)


def _accepted(campaign: Campaign, sent: dict[str, list[int]]) -> dict[int, list[int]]:
    """Return the accepted values by the ids of their criteria."""
    criteria = {criterion.key: criterion for criterion in criteria_of_items(campaign)}
    problems, accepted = {}, {}
    for key, values in sent.items():
        if key not in criteria:
            problems[f"accepted.{key}"] = ["No criterion about single questions has this key."]
            continue
        scale = set(criteria[key].points.values_list("value", flat=True))
        accepted[criteria[key].pk] = values
        if wrong := sorted(set(values) - scale):
            points = ", ".join(map(str, sorted(scale)))
            problems[f"accepted.{key}"] = [f"{wrong[0]} is not on the scale {points}."]
    if problems:
        raise ValidationError(problems)
    return accepted
