"""Jobs: work that a worker does after a request."""

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.pages import NewestFirst
from judging.jobs.actions import jobs
from judging.jobs.api.resources import JobSerializer, Resource
from judging.jobs.guards import jobs_of
from judging.jobs.models.job import Job


class JobFilter(filters.FilterSet):
    """By kind, state, campaign and dataset."""

    campaign = filters.UUIDFilter(field_name="campaign__uuid")
    dataset = filters.NumberFilter(field_name="dataset_id")

    class Meta:
        model = Job
        fields = ("kind", "state")


@extend_schema_view(
    list=extend_schema(summary="List the jobs of your datasets and campaigns"),
    retrieve=extend_schema(summary="Return a job with its state and progress"),
)
class Jobs(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Jobs of the user's datasets and campaigns."""

    serializer_class = JobSerializer
    filterset_class = JobFilter
    pagination_class = NewestFirst
    queryset = Job.objects.all()
    lookup_value_converter = "uuid"

    def rows(self) -> QuerySet[Job]:
        own = jobs_of(self.request.user).filter(parent__isnull=True)
        return own.select_related("campaign").defer("result", "parameters")

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str | None = None) -> Response:
        """Ask a job to stop."""
        job = self.get_object()
        jobs.cancel_job(job=job)
        job.refresh_from_db()
        return Response(JobSerializer(job).data, status=202)
