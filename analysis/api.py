"""Runs for programs: ask for one, see how far it is, read what it found."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework import serializers, status
from rest_framework.exceptions import ParseError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from analysis.actions import exports, runs
from analysis.forms.runs import RunForm
from analysis.models import Run
from judging import tasks
from judging.actions import history
from judging.api import campaign_of
from judging.imports.readers.numbers import whole_number
from judging.limits import MAX_PAGE_ROWS
from judging.models import Campaign, Event


class RunSerializer(serializers.ModelSerializer):
    state = serializers.CharField(source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    error = serializers.CharField(source="job.error")
    origin = serializers.CharField(source="campaign.origin")

    class Meta:
        model = Run
        fields = (
            "number",
            "origin",
            "state",
            "done",
            "total",
            "error",
            "seed",
            "parameters",
            "versions",
            "input_sha256",
            "created_at",
        )


class Runs(APIView):
    """The runs of a campaign, the newest first, `before` a number if it is given; POST asks for a
    new one, with the fields of the page's form."""

    def get(self, request: Request, uuid: UUID) -> Response:
        found = Run.objects.filter(campaign=campaign_of(request.user, uuid)).select_related(
            "job", "campaign"
        )
        before = whole_number(request.query_params.get("before", ""), least=1)
        if before is not None:
            found = found.filter(number__lt=before)
        return Response(RunSerializer(found[:MAX_PAGE_ROWS], many=True).data)

    def post(self, request: Request, uuid: UUID) -> Response:
        campaign = campaign_of(request.user, uuid)
        if not isinstance(request.data, dict):
            raise ParseError("Send an object of the form's fields.")
        given = {name: _each_once(value) for name, value in request.data.items()}
        form = RunForm({**_initial(campaign), **given}, campaign=campaign)
        if not form.is_valid():
            return Response(form.errors, status=status.HTTP_422_UNPROCESSABLE_ENTITY)
        parameters = dict(form.cleaned_data)
        with transaction.atomic():
            run = runs.start(
                campaign=campaign,
                by=request.user,
                seed=parameters.pop("seed"),
                parameters=parameters,
            )
            transaction.on_commit(lambda: tasks.ring(run.job_id))
        return Response(RunSerializer(run).data, status=status.HTTP_201_CREATED)


class OneRun(APIView):
    """One run with every table it found."""

    def get(self, request: Request, uuid: UUID, number: int) -> HttpResponseBase:
        campaign = campaign_of(request.user, uuid)
        run = get_object_or_404(
            Run.objects.select_related("job", "campaign"), campaign=campaign, number=number
        )
        told = RunSerializer(run).data
        if not runs.StoredTables(run):
            return Response({**told, "tables": {}})
        about = f"run {number} by the API"
        history.note(Event.Act.EXPORTED, by=request.user, campaign=campaign, about=about)
        return StreamingHttpResponse(exports.api_json(run, told), content_type="application/json")


all_runs, one_run = Runs.as_view(), OneRun.as_view()


def _each_once(value: Any) -> Any:
    """Return a list without what comes again: a form looks for each among all there are to choose
    from, and five megabytes may name one a million times."""
    return list(dict.fromkeys(map(str, value))) if isinstance(value, list) else value


def _initial(campaign: Campaign) -> dict[str, Any]:
    """Return what the form offers, for fields that a program leaves out."""
    form = RunForm(campaign=campaign)
    return {
        name: field.initial for name, field in form.fields.items() if field.initial is not None
    } | {"metrics": runs.DEFAULTS["metrics"]}
