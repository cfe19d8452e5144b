"""The quality plan of a campaign, and the exclusion rules in it."""

from typing import Any
from uuid import UUID

from django import forms
from django.db import transaction
from django.utils import timezone
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns import quality_plan
from judging.campaigns.actions import campaigns
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import unproposed_enrollments
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.quality_plan import QualityPlan
from judging.jobs.api.entity_tags import IF_MATCH
from judging.jobs.api.resources import check_if_match, entity_tag
from judging.quality.actions import exclusion_rules
from judging.quality.forms.quality import QualityForm

DEFAULT = QualityPlan()
FIELDS: dict[type[forms.Field], type[serializers.Field]] = {
    forms.IntegerField: serializers.IntegerField,
    forms.FloatField: serializers.FloatField,
    forms.BooleanField: serializers.BooleanField,
}


class QualitySerializer(serializers.Serializer):
    """Checks between tasks, thresholds of flags, and exclusion rules. A rule that is null or false
    proposes no annotator."""

    def get_fields(self) -> dict[str, serializers.Field]:
        """Return a field for each of the form."""
        return {
            name: FIELDS[type(field)](
                default=getattr(DEFAULT, name),
                allow_null=getattr(DEFAULT, name) is None,
            )
            for name, field in QualityForm.base_fields.items()
        }


class QualityPlans(InCampaign):
    """The quality plan of a campaign, for its managers."""

    queryset = Campaign.objects.all()
    serializer_class = QualitySerializer
    hidden_from_analysts = ("retrieve",)

    @extend_schema(responses=QualitySerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return the quality plan of a campaign. Its ETag is the state of the plan."""
        return _shown(self.campaign)

    @extend_schema(request=QualitySerializer, responses=QualitySerializer, parameters=[IF_MATCH])
    def update(self, request: Request, campaign: UUID) -> Response:
        """Replace the quality plan of a draft. Fields that are not sent get their defaults."""
        with transaction.atomic():
            held = Campaign.objects.select_for_update().get(pk=self.campaign.pk)
            check_if_match(request, _tag(held))
            plan = QualityPlan(**self.content(QualitySerializer))
            campaigns.set_quality(campaign=held, plan=plan)
        held.refresh_from_db(fields=["quality"])
        return _shown(held)


def _tag(campaign: Campaign) -> str:
    return entity_tag(campaign.uuid, campaign.state, _document(campaign))


def _document(campaign: Campaign) -> dict[str, Any]:
    return quality_plan.quality_plan_to_document(
        quality_plan.quality_plan_from_document(campaign.quality)
    )


def _shown(campaign: Campaign) -> Response:
    data = QualitySerializer(_document(campaign)).data
    return Response(data, headers={"ETag": _tag(campaign)})


class ProposedExclusionSerializer(serializers.Serializer):
    """An annotator whom rules propose for exclusion."""

    enrolment = serializers.IntegerField(source="enrollment.pk")
    label = serializers.CharField(source="enrollment.label")
    reason = serializers.CharField(help_text="The reason that the exclusion gets.")


class ExclusionRulesSerializer(serializers.Serializer):
    """The exclusion rules of a campaign in words, and the annotators they propose now."""

    rules = serializers.ListField(child=serializers.CharField())
    proposals = ProposedExclusionSerializer(many=True)


class ChosenExclusionsSerializer(serializers.Serializer):
    """The annotators to exclude. Annotators whom no rule proposes are not excluded."""

    enrolments = serializers.ListField(child=serializers.IntegerField(), max_length=10_000)


class ExcludedSerializer(serializers.Serializer):
    """The enrolments of the annotators who were excluded."""

    excluded = serializers.ListField(child=serializers.IntegerField())


class ReopenedSerializer(serializers.Serializer):
    """The number of assignments that are open for other annotators."""

    reopened = serializers.IntegerField()


class ExclusionRules(InCampaign):
    """The exclusion rules of a campaign, for its managers. Managers who judge the dataset see
    nothing about themselves."""

    queryset = Campaign.objects.all()
    serializer_class = ExclusionRulesSerializer
    pagination_class = None
    filter_backends = ()
    hidden_from_analysts = ("list",)

    @extend_schema(
        responses=forced_singular_serializer(ExclusionRulesSerializer),
        operation_id="campaigns_exclusion_rules_retrieve",
    )
    def list(self, request: Request, campaign: UUID) -> Response:
        """Return the exclusion rules of a campaign and the annotators they propose."""
        hidden = unproposed_enrollments(request.user, self.campaign)
        proposals = exclusion_rules.proposals(self.campaign, now=timezone.now())
        found = {
            "rules": exclusion_rules.standing_rules(self.campaign),
            "proposals": [
                proposal for proposal in proposals if proposal.enrollment.pk not in hidden
            ],
        }
        return Response(ExclusionRulesSerializer(found).data)

    @extend_schema(request=ChosenExclusionsSerializer, responses=ExcludedSerializer)
    @action(detail=False, methods=["post"])
    def apply(self, request: Request, campaign: UUID) -> Response:
        """Exclude those of the named annotators whom the rules propose now."""
        named = self.content(ChosenExclusionsSerializer)["enrolments"]
        hidden = unproposed_enrollments(request.user, self.campaign)
        chosen = set(named) - hidden
        done = exclusion_rules.exclude_proposed(
            campaign=self.campaign, chosen=chosen, by=request.user, now=timezone.now()
        )
        return Response({"excluded": [each.enrollment.pk for each in done]})

    @extend_schema(request=None, responses=ReopenedSerializer)
    @action(detail=False, methods=["post"], url_path="reopen-assignments")
    def reopen_assignments(self, request: Request, campaign: UUID) -> Response:
        """Open as many assignments for others as excluded annotators have submitted."""
        made = exclusion_rules.reopen_assignments(campaign=self.campaign, by=request.user)
        return Response({"reopened": made})
