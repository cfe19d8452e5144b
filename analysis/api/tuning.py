"""Tuning the weights of a metric on a campaign's judgments."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.api.lazy_modules import LazyModule
from analysis.api.runs import OfStaff
from judging import tasks
from judging.api.base import Create, JobSerializer
from judging.api.pages import NewestFirst
from judging.models import Job

tuning = LazyModule("analysis.actions.tuning")


class TuningSerializer(JobSerializer):
    """A tuning: its job, what was asked, and the weights and what they gain once the job is done."""

    parameters = serializers.DictField()
    result = serializers.DictField()

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "parameters", "result")


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
class Tunings(Create, mixins.ListModelMixin, mixins.RetrieveModelMixin, OfStaff):
    """Weights of metrics, tuned on the judgments of a campaign."""

    queryset = Job.objects.all()
    input, output = NewTuningSerializer, JobSerializer
    serializer_class = TuningSerializer
    filterset_fields = ("state",)
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"

    def rows(self) -> QuerySet[Job]:
        return self.campaign.jobs.filter(kind=tuning.KIND).select_related("campaign")

    def add(self, content: dict[str, Any]) -> Job:
        """Tune the weights of a metric by a job."""
        settings = tuning.TuningSettings(**content)
        by = self.request.user
        return tasks.begin(tuning.start, campaign=self.campaign, by=by, settings=settings)

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
