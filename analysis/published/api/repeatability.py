"""Repeatability: a campaign that reproduces a study, compared with it."""

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.helpers import forced_singular_serializer
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.lazy_modules import LazyModule
from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.base.limits import MAX_PAGE_ROWS
from judging.campaigns.api.in_campaign import OfStaff
from judging.campaigns.models.campaign import Campaign
from judging.jobs import tasks
from judging.jobs.api.resources import JobSerializer, accepted_response
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event

repeatability = LazyModule("analysis.published.actions.repeatability")
tables = LazyModule("analysis.reports.tables")


class ComparisonSerializer(JobSerializer):
    """The newest finished comparison of a campaign with the study that it reproduces.

    Of many pairs of systems only the first are here, unconfirmed findings before the others; the
    table has all of them.
    """

    orders = serializers.ListField(
        child=serializers.DictField(),
        help_text="For each criterion, Spearman's ρ over the systems' means in both studies.",
    )
    scores = serializers.ListField(
        child=serializers.DictField(), help_text="Each system's mean in both studies, with CV*."
    )
    tests = serializers.ListField(
        child=serializers.DictField(), help_text="The test of each criterion, with its reason."
    )
    pairs = serializers.ListField(
        child=serializers.DictField(), help_text="Comparisons of two systems in both studies."
    )
    all_pairs = serializers.IntegerField(help_text="The number of all pairs.")
    is_stale = serializers.BooleanField(help_text="Whether judgments or exclusions changed since.")

    class Meta(JobSerializer.Meta):
        fields = (
            *JobSerializer.Meta.fields,
            "orders",
            "scores",
            "tests",
            "pairs",
            "all_pairs",
            "is_stale",
        )


class ReproductionComparisons(OfStaff):
    """The comparison of a campaign with the study that it reproduces."""

    queryset = Job.objects.all()
    serializer_class = ComparisonSerializer
    pagination_class = None
    filter_backends = ()

    def check_access(self) -> None:
        super().check_access()
        if self.action and self.campaign.reproduces is None:
            raise Http404

    @extend_schema(
        responses=forced_singular_serializer(ComparisonSerializer),
        operation_id="campaigns_reproduction_retrieve",
    )
    def list(self, request: Request, campaign: UUID) -> Response:
        """Return the newest comparison of a campaign with the study that it reproduces."""
        done = self._newest()
        shown = repeatability.shown_comparison(done, MAX_PAGE_ROWS)
        for name in ("orders", "scores", "tests", "pairs", "all_pairs"):
            setattr(done, name, getattr(shown, name))
        done.is_stale = repeatability.is_stale(self.campaign, shown.states)
        return Response(ComparisonSerializer(done).data)

    @extend_schema(request=None, responses={202: JobSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Compare a closed campaign with the study that it reproduces, by a job."""
        job = tasks.start_job(
            repeatability.start_comparison, campaign=self.campaign, by=request.user
        )
        return accepted_response(job)

    @extend_schema(responses=file_response("text/csv"))
    @action(detail=False, renderer_classes=[FileRenderer])
    def table(self, request: Request, campaign: UUID) -> Any:
        """Stream the whole comparison as CSV."""
        rows = repeatability.comparison_rows(self._newest())
        text = tables.to_csv(list(rows), repeatability.COLUMNS)
        name = "reproduction.csv"
        by = {"by": request.user, "campaign": self.campaign}
        history.record_event(Event.Act.EXPORTED, **by, about=f"{name} by the API")
        return download_response(iter([text]), "text/csv", name)

    def _newest(self) -> Any:
        own: Campaign = self.campaign
        done = repeatability.latest_comparison(own)
        if done is None:
            raise NotFound("No comparison has finished yet.")
        return done
