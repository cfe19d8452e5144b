"""Scoring a dataset: the metrics that can be computed, how long they take, and computing them."""

from functools import cached_property
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.scoring.api.lazy_modules import LazyModule
from judging.datasets.api.in_dataset import InDataset
from judging.datasets.guards import datasets_of
from judging.datasets.models.dataset import Dataset
from judging.jobs import tasks
from judging.jobs.api.resources import JobSerializer, accepted_response
from judging.jobs.models.job import Job

metric_forms = LazyModule("analysis.scoring.forms.metrics")
offers = LazyModule("analysis.scoring.actions.offers")
scoring_jobs = LazyModule("analysis.scoring.actions.scoring_jobs")


class OfferSerializer(serializers.Serializer):
    """A metric. `reason` says why it cannot be computed on the dataset; blank: it can."""

    id = serializers.CharField()
    name = serializers.CharField()
    of = serializers.CharField(help_text="question, set or system.")
    lower_is_better = serializers.BooleanField()
    library = serializers.CharField()
    reason = serializers.CharField()
    variants = serializers.ListField(
        child=serializers.CharField(),
        help_text="Those that can be asked for as VARIANT_ID, such as multi_bleu_4.",
    )


class NewScoresSerializer(serializers.Serializer):
    """The metrics to compute, with their settings by metric."""

    metrics = serializers.ListField(
        child=serializers.CharField(),
        allow_empty=False,
        help_text="Ids of metrics, or of variants such as multi_bleu_4.",
    )
    settings = serializers.DictField(
        child=serializers.DictField(),
        required=False,
        help_text='Such as {"bleu_4": {"smoothing": "add_one"}}.',
    )
    prepare_hypothesis = serializers.CharField(required=False)
    prepare_reference = serializers.CharField(required=False)


class EstimateOfScoresSerializer(JobSerializer):
    """A job that estimates how long scoring takes, with what it found."""

    result = serializers.DictField()

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "result")


class Scoring(InDataset):
    """Jobs that compute scores of a dataset. All who see a dataset may start them."""

    queryset = Job.objects.all()
    serializer_class = JobSerializer
    filter_backends = ()
    pagination_class = None

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset of the address, if the user sees it."""
        found = datasets_of(self.request.user).filter(pk=self.kwargs["dataset"]).first()
        if found is None:
            raise Http404
        return found

    def rows(self) -> QuerySet[Job]:
        kinds = (scoring_jobs.KIND, scoring_jobs.ESTIMATE)
        return Job.objects.filter(dataset=self.dataset, kind__in=kinds)

    @extend_schema(responses=OfferSerializer(many=True))
    @action(detail=False)
    def metrics(self, request: Request, dataset: int) -> Response:
        """List the metrics, and why some cannot be computed on the dataset."""
        return Response(OfferSerializer(offers.list_metric_offers(self.dataset), many=True).data)

    @extend_schema(responses=JobSerializer(many=True))
    def list(self, request: Request, dataset: int) -> Response:
        """List the scoring jobs of a dataset that are under way."""
        return Response(
            JobSerializer(scoring_jobs.unfinished_scoring_jobs(self.dataset), many=True).data
        )

    @extend_schema(request=NewScoresSerializer, responses={202: JobSerializer})
    def create(self, request: Request, dataset: int) -> Response:
        """Compute scores by a job."""
        return self._begin(request, scoring_jobs.KIND)

    @extend_schema(request=NewScoresSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"])
    def estimate(self, request: Request, dataset: int) -> Response:
        """Estimate by a job how long scoring takes."""
        return self._begin(request, scoring_jobs.ESTIMATE)

    @extend_schema(responses=EstimateOfScoresSerializer, operation_id="datasets_scoring_estimated")
    @estimate.mapping.get
    def estimated(self, request: Request, dataset: int) -> Response:
        """Return the newest estimate of how long scoring takes."""
        found = scoring_jobs.newest_scoring_job(self.dataset, scoring_jobs.ESTIMATE)
        if found is None:
            raise Http404
        return Response(EstimateOfScoresSerializer(found).data)

    def _begin(self, request: Request, kind: str) -> Response:
        sent = NewScoresSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        said = dict(sent.validated_data)
        settings = metric_forms.ScoresForm.filled(said.pop("settings", {}))
        offered = metric_forms.ScoresForm(dataset=self.dataset).fields
        prepared = {
            name: offered[name].initial for name in ("prepare_hypothesis", "prepare_reference")
        }
        unknown = sorted(set(settings) - set(offered))
        if unknown:
            raise ValidationError(
                {"settings": [f"No metric has this setting: {name}." for name in unknown]}
            )
        form = metric_forms.ScoresForm(prepared | settings | said, dataset=self.dataset)
        if not form.is_valid():
            raise _errors(form)
        job = tasks.start_job(
            scoring_jobs.start_scoring,
            dataset=self.dataset,
            by=request.user,
            kind=kind,
            parameters=form.parameters(),
        )
        return accepted_response(job)


def _errors(form: Any) -> ValidationError:
    """Return the errors of the page's form, whose fields name a setting after its metric."""
    found: dict[str, Any] = {}
    for field, errors in form.errors.items():
        metric, dash, setting = field.partition("-")
        if dash:
            found.setdefault("settings", {}).setdefault(metric, {})[setting] = list(errors)
        else:
            found[field] = list(errors)
    return ValidationError(found)
