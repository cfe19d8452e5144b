"""Tuning the weights of a metric on a campaign's judgments."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.asked_jobs import CampaignJobs, JobWithResultSerializer
from analysis.scoring.api.lazy_modules import LazyModule
from judging.jobs.models.job import Job

tuning = LazyModule("analysis.scoring.actions.tuning")


class TuningSerializer(JobWithResultSerializer):
    """A tuning: its job, what was asked, and the weights and what they gain once the job is done."""


class NewTuningSerializer(serializers.Serializer):
    """Settings of a tuning. Omitted fields have the defaults of the page."""

    criterion = serializers.CharField(help_text="The ratings that the weights are fitted to.")
    metric = serializers.CharField(
        required=False, help_text="The metric that answerability is mixed into."
    )
    formula = serializers.CharField(required=False)
    method = serializers.CharField(required=False, help_text="grid or exact.")
    seed = serializers.IntegerField(required=False)


class TunableSerializer(serializers.Serializer):
    """A criterion or a metric that can be chosen."""

    key = serializers.CharField()
    name = serializers.CharField()


class TuningChoicesSerializer(serializers.Serializer):
    """The criteria and metrics that a tuning can use."""

    criteria = TunableSerializer(many=True)
    metrics = TunableSerializer(many=True)


@extend_schema_view(
    list=extend_schema(summary="List the tunings of a campaign, the newest first"),
    retrieve=extend_schema(summary="Return a tuning with the weights it found"),
)
class Tunings(CampaignJobs):
    """Weights of metrics, tuned on the judgments of a campaign."""

    input, serializer_class = NewTuningSerializer, TuningSerializer
    kind = "analysis.tuning"

    def add(self, content: dict[str, Any]) -> Job:
        """Tune the weights of a metric by a job."""
        return self.begin(tuning.start_tuning, tuning.TuningSettings(**content))

    @extend_schema(responses=TuningChoicesSerializer, filters=False)
    @action(detail=False, pagination_class=None, filterset_fields=None)
    def choices(self, request: Request, campaign: UUID) -> Response:
        """Return the criteria and metrics that a tuning can use."""
        found: dict[str, Any] = {
            "criteria": [
                {"key": key, "name": name} for key, name in tuning.criteria(self.campaign)
            ],
            "metrics": [{"key": key, "name": name} for key, name in tuning.bases()],
        }
        return Response(TuningChoicesSerializer(found).data)
