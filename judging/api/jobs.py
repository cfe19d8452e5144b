"""Jobs: work that a worker does after a request."""

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework import mixins
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.actions import jobs
from judging.api.base import JobSerializer, Resource
from judging.guards import jobs_of
from judging.models import Job


class Jobs(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Jobs of the user's datasets and campaigns."""

    serializer_class = JobSerializer
    filterset_fields = ("kind", "state", "campaign", "collection")

    def get_queryset(self) -> QuerySet[Job]:
        return jobs_of(self.request.user)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str | None = None) -> Response:
        """Ask a job to stop."""
        job = self.get_object()
        jobs.cancel(job=job)
        job.refresh_from_db()
        return Response(JobSerializer(job).data, status=202)
