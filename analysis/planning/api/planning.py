"""Planning a campaign: power analyses, and dry runs with simulated annotators."""

from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.asked_jobs import CampaignJobs, JobWithResultSerializer
from analysis.scoring.api.lazy_modules import LazyModule
from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.campaigns.actions import campaigns
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import MANAGERS, campaign_for_user
from judging.campaigns.models.dry_run import DryRun
from judging.jobs import tasks
from judging.jobs.api.resources import Create, JobSerializer, accepted_response
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event

dry_run_outcomes = LazyModule("analysis.planning.actions.dry_run_outcomes")
dry_runs = LazyModule("analysis.planning.actions.dry_runs")
planning = LazyModule("analysis.planning.actions.planning")


class PowerAnalysisSerializer(JobWithResultSerializer):
    """A power analysis: its job, what was asked, and what was found once the job is done."""


class NewPowerAnalysisSerializer(serializers.Serializer):
    """Settings of a power analysis. Omitted fields have the defaults of the page."""

    variances = serializers.CharField(
        required=False, help_text="The key of one of the sources of variances."
    )
    difference = serializers.FloatField(
        required=False, help_text="The smallest difference of two systems' means to find."
    )
    annotators = serializers.IntegerField(required=False)
    power = serializers.FloatField(required=False)
    level = serializers.FloatField(required=False)
    comparisons = serializers.IntegerField(required=False)


class VariancesSerializer(serializers.Serializer):
    """A pilot or a published study whose variances a plan can use."""

    key = serializers.CharField()
    kind = serializers.CharField(help_text="`pilot`, `main`, or the name of a published study.")
    name = serializers.CharField()


@extend_schema_view(
    list=extend_schema(summary="List the power analyses of a campaign, the newest first"),
    retrieve=extend_schema(summary="Return a power analysis with what it found"),
)
class PowerAnalyses(CampaignJobs):
    """Power analyses: the numbers of items and annotators that a campaign needs."""

    input, serializer_class = NewPowerAnalysisSerializer, PowerAnalysisSerializer
    kind = "analysis.planning"

    def add(self, content: dict[str, Any]) -> Job:
        """Compute by a job how many items and annotators a campaign needs."""
        default = {"variances": planning.variance_sources(self.campaign)[0][0]}
        return self.begin(planning.start_planning, planning.PowerSettings(**default | content))

    @extend_schema(responses=VariancesSerializer(many=True), filters=False)
    @action(detail=False, pagination_class=None, filterset_fields=None)
    def variances(self, request: Request, campaign: UUID) -> Response:
        """List the pilots and published studies whose variances a plan can use."""
        found = planning.variance_sources(self.campaign)
        rows = [{"key": key, "kind": kind, "name": name} for key, kind, name in found]
        return Response(VariancesSerializer(rows, many=True).data)


class NewDryRunSerializer(serializers.Serializer):
    """Settings of the simulated annotators. Omitted fields have the defaults of the page; shares
    are in per cent."""

    gap = serializers.IntegerField(required=False)
    design = serializers.CharField(required=False)
    annotators = serializers.IntegerField(required=False)
    severity = serializers.IntegerField(required=False)
    noise = serializers.IntegerField(required=False)
    question = serializers.IntegerField(required=False)
    careless = serializers.IntegerField(required=False)
    hurry = serializers.IntegerField(required=False)
    seconds = serializers.FloatField(required=False)
    seconds_spread = serializers.FloatField(required=False)
    pace_spread = serializers.FloatField(required=False)
    knows = serializers.IntegerField(required=False)
    knows_spread = serializers.IntegerField(required=False)
    wary = serializers.IntegerField(required=False)
    seed = serializers.IntegerField(required=False)


class DryRunSerializer(serializers.ModelSerializer):
    """A dry run: the copy of the campaign that simulated annotators judged, and what was assumed of
    them."""

    copy = serializers.UUIDField(source="campaign.uuid")
    settings = serializers.DictField()

    class Meta:
        model = DryRun
        fields = ("number", "copy", "settings")


class WholeDryRunSerializer(DryRunSerializer):
    """A dry run with what it found."""

    outcome = serializers.SerializerMethodField()

    class Meta(DryRunSerializer.Meta):
        fields = (*DryRunSerializer.Meta.fields, "outcome")

    def get_outcome(self, run: DryRun) -> dict[str, Any]:
        return dry_run_outcomes.shown_outcome(run)


@extend_schema_view(list=extend_schema(summary="List the dry runs of a campaign"))
class DryRuns(Create, mixins.ListModelMixin, InCampaign):
    """Dry runs of a campaign, each with a copy of the campaign."""

    queryset = DryRun.objects.all()
    input, output = NewDryRunSerializer, JobSerializer
    serializer_class = DryRunSerializer
    filter_backends = ()
    lookup_field, lookup_url_kwarg = "campaign__uuid", "copy"
    lookup_value_converter = "uuid"

    def rows(self) -> QuerySet[DryRun]:
        own = Q(campaign=self.campaign) | Q(draft=self.campaign)
        return DryRun.objects.filled().filter(own).defer("outcome").select_related("campaign")

    def add(self, content: dict[str, Any]) -> Job:
        """Have simulated annotators judge a copy of the campaign, by a job."""
        settings = dry_runs.DryRunSettings(**content)
        by = self.request.user
        return tasks.start_job(
            dry_runs.start_dry_run, campaign=self.campaign, by=by, settings=settings
        )

    @extend_schema(responses=WholeDryRunSerializer)
    def retrieve(self, request: Request, campaign: UUID, copy: UUID) -> Response:
        """Return a dry run with what it found."""
        return Response(WholeDryRunSerializer(self.get_object()).data)

    @extend_schema(responses=file_response("text/csv"))
    @action(detail=True, renderer_classes=[FileRenderer])
    def pairs(self, request: Request, campaign: UUID, copy: UUID) -> Any:
        """Stream every pair of systems of a dry run as CSV."""
        run = self.get_object()
        name = "dry-run.csv"
        by = {"by": request.user, "campaign": self.campaign}
        history.record_event(Event.Act.EXPORTED, **by, about=f"{name} by the API")
        return download_response(dry_run_outcomes.pairs_csv(run), "text/csv", name)

    @extend_schema(responses={204: None, 202: JobSerializer})
    def destroy(self, request: Request, campaign: UUID, copy: UUID) -> Response:
        """Delete the copy of a dry run with all that was simulated in it."""
        of_copy = campaign_for_user(request.user, self.get_object().campaign.uuid, MANAGERS)
        if campaigns.is_slow_to_remove(of_copy):
            job = tasks.begin_once(kind=dry_runs.REMOVE, by=request.user, campaign=of_copy)
            return accepted_response(job)
        dry_runs.remove_dry_run(campaign=of_copy, by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)
