"""The crowd platform of a campaign: its settings, its rules, and its annotators."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import Http404
from django.urls import reverse
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.campaign import Campaign
from judging.crowd import crowd_kinds
from judging.crowd.actions import crowd_platforms
from judging.crowd.crowd_policies import ORDER
from judging.crowd.models.crowd import CrowdPlatform, Participation

PLAIN = (  # settings that have the same name in the form
    "person_param",
    "study_param",
    "session_param",
    "return_template",
    "minutes",
    "signed",
    "keys_url",
    "audience",
)


class PolicyCheckSerializer(serializers.Serializer):
    """A rule of the platform, and whether the campaign meets it."""

    rule = serializers.CharField()
    state = serializers.ChoiceField(
        ORDER, help_text="Whether it is met or fails, or has to be looked at."
    )
    description = serializers.CharField(source="sentence")
    remedy = serializers.CharField()


class ArrivalsSerializer(serializers.Serializer):
    """The number of annotators who came from the platform, are at work, and left, and how
    submissions ended."""

    came = serializers.IntegerField()
    at_work = serializers.IntegerField()
    left = serializers.IntegerField()
    ends = serializers.DictField(child=serializers.IntegerField())


class CrowdPlatformSerializer(serializers.ModelSerializer):
    """The settings of a crowd platform. Its webhook secret is never shown."""

    has_webhook_secret = serializers.SerializerMethodField()
    studies = serializers.ListField(child=serializers.CharField())
    codes = serializers.DictField(
        child=serializers.CharField(), help_text="The completion code of each end."
    )
    study_address = serializers.SerializerMethodField(
        help_text="The address of the study on the platform."
    )
    messages_address = serializers.SerializerMethodField(
        help_text="The address to which the platform sends its messages."
    )
    rules = serializers.SerializerMethodField()
    arrivals = serializers.SerializerMethodField()

    class Meta:
        model = CrowdPlatform
        fields = (
            "kind",
            *PLAIN,
            "studies",
            "codes",
            "has_webhook_secret",
            "study_address",
            "messages_address",
            "rules",
            "arrivals",
        )

    def get_has_webhook_secret(self, platform: CrowdPlatform) -> bool:
        return bool(platform.webhook_secret)

    def get_study_address(self, platform: CrowdPlatform) -> str:
        names = (platform.person_param, platform.study_param, platform.session_param)
        kind = crowd_kinds.KINDS[platform.kind]
        return crowd_kinds.study_address(kind, self._address("annotation:crowd", platform), names)

    def get_messages_address(self, platform: CrowdPlatform) -> str:
        return self._address("annotation:crowd_events", platform)

    def _address(self, name: str, platform: CrowdPlatform) -> str:
        path = reverse(name, args=[platform.key])
        address: str = self.context["request"].build_absolute_uri(path)
        return address

    @extend_schema_field(PolicyCheckSerializer(many=True))
    def get_rules(self, platform: CrowdPlatform) -> Any:
        return PolicyCheckSerializer(crowd_platforms.policy_checks(platform), many=True).data

    @extend_schema_field(ArrivalsSerializer)
    def get_arrivals(self, platform: CrowdPlatform) -> Any:
        return ArrivalsSerializer(crowd_platforms.platform_standing(platform)).data


class NewCrowdPlatformSerializer(serializers.Serializer):
    """The platform that sends annotators."""

    kind = serializers.ChoiceField(CrowdPlatform.Kind.choices)


class CrowdSettingsSerializer(serializers.Serializer):
    """Settings to change. `codes` changes those of the ends it names; a blank one removes a code."""

    person_param = serializers.CharField(required=False)
    study_param = serializers.CharField(required=False, allow_blank=True)
    session_param = serializers.CharField(required=False, allow_blank=True)
    return_template = serializers.CharField(required=False, allow_blank=True)
    minutes = serializers.IntegerField(required=False)
    signed = serializers.BooleanField(required=False)
    keys_url = serializers.CharField(required=False, allow_blank=True)
    audience = serializers.CharField(required=False, allow_blank=True)
    studies = serializers.ListField(child=serializers.CharField(), required=False)
    codes = serializers.DictField(child=serializers.CharField(allow_blank=True), required=False)
    webhook_secret = serializers.CharField(
        required=False, write_only=True, help_text="Stored encrypted, and never shown."
    )

    def validate_codes(self, codes: dict[str, str]) -> dict[str, str]:
        ends = Participation.End.values
        if unknown := [end for end in codes if end not in ends]:
            raise serializers.ValidationError(
                f"There is no end {unknown[0]}, only {', '.join(ends)}."
            )
        return codes


class CrowdPlatforms(InCampaign):
    """The crowd platform of a campaign, for its managers."""

    queryset = CrowdPlatform.objects.all()
    serializer_class = CrowdPlatformSerializer
    hidden_from_analysts = ("retrieve",)

    @extend_schema(responses=CrowdPlatformSerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return the crowd platform of a campaign: settings, rules, and numbers of annotators."""
        return self._shown()

    @extend_schema(request=NewCrowdPlatformSerializer, responses={201: CrowdPlatformSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Give a campaign a crowd platform, once, with the settings usual for it."""
        kind = self.content(NewCrowdPlatformSerializer)["kind"]
        crowd_platforms.add_crowd_platform(campaign=self.campaign, kind=kind, by=request.user)
        return self._shown(status.HTTP_201_CREATED)

    @extend_schema(request=CrowdSettingsSerializer, responses=CrowdPlatformSerializer)
    def partial_update(self, request: Request, campaign: UUID) -> Response:
        """Change settings. Parameters by which people came, and codes given out, stay."""
        content = self.content(CrowdSettingsSerializer)
        webhook_secret = content.pop("webhook_secret", "")
        with transaction.atomic():
            Campaign.objects.select_for_update(no_key=True).get(pk=self.campaign.pk)
            platform = self._platform()
            before = crowd_platforms.platform_settings(platform)
            codes = {**before.codes, **content.pop("codes", {})}
            given = {end: code for end, code in codes.items() if code}
            crowd_platforms.change_platform(
                platform=platform,
                settings=replace(before, codes=given, **content),
                webhook_secret=webhook_secret,
                by=request.user,
            )
        return self._shown()

    def _platform(self) -> CrowdPlatform:
        platform = CrowdPlatform.objects.filter(campaign=self.campaign).first()
        if platform is None:
            raise Http404
        platform.campaign = self.campaign
        return platform

    def _shown(self, code: int = status.HTTP_200_OK) -> Response:
        context = self.get_serializer_context()
        data = CrowdPlatformSerializer(self._platform(), context=context).data
        return Response(data, status=code)
