"""Published studies: reproduce one from its released files, and compare the numbers."""

from typing import Any
from uuid import UUID

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.lazy_modules import LazyModule
from judging.base.api.problems import check_form
from judging.campaigns.api.in_campaign import OfStaff
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage, tasks
from judging.jobs.api.resources import JobSerializer, Resource, accepted_response
from judging.people.guards import check_creator

published = LazyModule("analysis.published.actions.published")
reproduction_forms = LazyModule("analysis.published.forms.reproductions")
reproductions = LazyModule("analysis.published.actions.reproductions")


class PublishedStudySerializer(serializers.Serializer):
    """A published study that can be reproduced."""

    key = serializers.CharField()
    title = serializers.CharField()


class ReleasedFilesSerializer(serializers.Serializer):
    """The files that the study released."""

    files = serializers.ListField(child=serializers.FileField(), allow_empty=False)


class ReproducedNumberSerializer(serializers.Serializer):
    """A number as published and as computed here; null: not published, or not computed."""

    number = serializers.CharField()
    published = serializers.JSONField()
    computed = serializers.JSONField()


class PublishedStudies(Resource):
    """Published studies that can be reproduced from their released files."""

    queryset = Campaign.objects.none()
    serializer_class = PublishedStudySerializer
    filter_backends = ()
    pagination_class = None
    lookup_field = lookup_url_kwarg = "key"
    lookup_value_converter = "slug"

    def check_access(self) -> None:
        if self.action:
            check_creator(self.request.user)

    def get_parsers(self) -> list[Any]:
        method = self.request.method.lower() if self.request else ""
        is_upload = self.action_map.get(method) == "reproduce"
        return [MultiPartParser()] if is_upload else super().get_parsers()

    @extend_schema(responses=PublishedStudySerializer(many=True))
    def list(self, request: Request) -> Response:
        """List the published studies that can be reproduced."""
        found = published.STUDIES.items()
        return Response([{"key": key, "title": str(study.title)} for key, study in found])

    @extend_schema(
        request={"multipart/form-data": ReleasedFilesSerializer}, responses={202: JobSerializer}
    )
    @action(detail=True, methods=["post"])
    def reproduce(self, request: Request, key: str) -> Response:
        """Import the released files of a study and compute its numbers, by a job. The user owns the
        campaign that it makes."""
        if key not in published.STUDIES:
            raise Http404
        form = reproduction_forms.ReproductionForm({"study": key}, request.FILES)
        check_form(form)
        files = [
            reproductions.ReleasedFile(each.name, storage.keep_pieces(each.chunks()))
            for each in form.cleaned_data["files"]
        ]
        return accepted_response(
            tasks.start_job(reproductions.start_reproduction, key=key, files=files, by=request.user)
        )


class Reproduced(OfStaff):
    """Results of reproducing a published study."""

    queryset = Campaign.objects.none()
    serializer_class = ReproducedNumberSerializer
    filter_backends = ()
    pagination_class = None

    @extend_schema(responses=ReproducedNumberSerializer(many=True))
    def list(self, request: Request, campaign: UUID) -> Response:
        """List the numbers of the study as published and as computed here."""
        found = reproductions.reproduction_result(self.campaign)
        if found is None:
            raise Http404
        rows = [
            {"number": path, "published": printed, "computed": computed}
            for path, printed, computed in found["rows"]
        ]
        return Response(rows)
