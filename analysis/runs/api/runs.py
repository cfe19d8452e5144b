"""Runs of a campaign: start one, follow its job, and read what it found."""

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpResponse, StreamingHttpResponse
from django.urls import reverse
from django.utils.text import slugify
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.models import Result, Run
from analysis.scoring.api.lazy_modules import LazyModule
from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.base.api.pages import Pages
from judging.base.api.problems import Conflict, check_form, initial_values
from judging.campaigns.api.in_campaign import OfStaff
from judging.campaigns.guards import check_not_judging
from judging.campaigns.models.campaign import Campaign
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.jobs.api.resources import JobSerializer, accepted_response
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event

exports = LazyModule("analysis.runs.actions.exports")
papers = LazyModule("analysis.runs.actions.papers")
run_forms = LazyModule("analysis.runs.forms.runs")
runs = LazyModule("analysis.runs.actions.runs")
scores = LazyModule("analysis.scoring.actions.scores")
sections = LazyModule("analysis.sections")

TEXTS = {"tex": "application/x-tex", "md": "text/markdown", "tsv": "text/tab-separated-values"}
TABLES = {"csv": "text/csv"} | TEXTS
REPORTS = {"pdf": "application/pdf", "zip": "application/zip", "json": "application/json"}
FIGURES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}
PSEUDONYMS = OpenApiParameter(
    "pseudonyms",
    OpenApiTypes.BOOL,
    description="Systems have pseudonyms in the zip, and files that would name them are left out.",
)
DESIGNS = ["sources", "sources+systems", "sources+annotators", "sources+systems+annotators"]
SENTENCES = "sentences"  # results that are no table
TABLE = {"type": "array", "items": {"type": "object", "additionalProperties": {}}}


class RunSerializer(serializers.ModelSerializer):
    """A run: how it was made, and the state of its job."""

    url = serializers.SerializerMethodField()
    name = serializers.CharField()
    origin = serializers.CharField(source="campaign.origin")
    job = serializers.UUIDField(source="job_id")
    state = serializers.ChoiceField(Job.State.choices, source="job.state")
    done = serializers.IntegerField(source="job.done")
    total = serializers.IntegerField(source="job.total")
    message = serializers.CharField(source="job.message")
    error = serializers.CharField(source="job.error")
    parameters = serializers.DictField()
    versions = serializers.DictField(child=serializers.CharField())

    class Meta:
        model = Run
        fields = (
            "number",
            "url",
            "name",
            "origin",
            "job",
            "state",
            "done",
            "total",
            "message",
            "error",
            "seed",
            "parameters",
            "versions",
            "input_sha256",
            "created_at",
        )

    def get_url(self, run: Run) -> str:
        return reverse("api:run-detail", args=[run.campaign.uuid, run.number])


class WholeRunSerializer(RunSerializer):
    """A run, with the names of its tables and figures."""

    tables = serializers.SerializerMethodField()
    figures = serializers.SerializerMethodField()

    class Meta(RunSerializer.Meta):
        fields = (*RunSerializer.Meta.fields, "tables", "figures")

    def get_tables(self, run: Run) -> list[str]:
        return [key for key in runs.StoredTables(run) if key != SENTENCES]

    def get_figures(self, run: Run) -> list[str]:
        drawn = Result.objects.filter(run=run, key__startswith="figure-", file__isnull=False)
        keys = drawn.order_by("key").values_list("key", flat=True)
        return list(dict.fromkeys(key.removeprefix("figure-").rpartition("-")[0] for key in keys))


class NewRunSerializer(serializers.Serializer):
    """Settings of a run. Omitted fields have the defaults of the page; by default the metrics are
    those that can be computed on the dataset."""

    name = serializers.CharField(max_length=100, required=False, allow_blank=True)
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, required=False)
    resamples = serializers.IntegerField(min_value=100, max_value=100_000, required=False)
    design = serializers.ChoiceField(DESIGNS, required=False)
    clusters = serializers.CharField(required=False, allow_blank=True)
    metrics = serializers.ListField(child=serializers.CharField(), required=False)
    prepare_hypothesis = serializers.CharField(required=False)
    prepare_reference = serializers.CharField(required=False)
    metric_level = serializers.ChoiceField(["pooled", "within_source", "systems"], required=False)
    items = serializers.ChoiceField(["own", "common"], required=False)
    further = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Further analyses, such as `annotators` or `dawid_skene`; by default there are none.",
    )
    slices = serializers.ListField(child=serializers.CharField(), required=False)
    mixed_model = serializers.ChoiceField(["quick", "always", "never"], required=False)
    reading = serializers.ChoiceField(["as_released", "by_protocol"], required=False)
    with_excluded = serializers.BooleanField(required=False)
    extras = serializers.BooleanField(required=False)
    adjudicated = serializers.BooleanField(required=False)
    judge_epsilon = serializers.FloatField(required=False)
    without_systems = serializers.ListField(child=serializers.CharField(), required=False)
    without_criteria = serializers.ListField(child=serializers.CharField(), required=False)
    without_metrics = serializers.ListField(child=serializers.CharField(), required=False)
    without_annotators = serializers.ListField(child=serializers.CharField(), required=False)


class RunJobSerializer(JobSerializer):
    """The job of a run."""

    run = serializers.IntegerField(help_text="The number of the run.")

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "run")


class RunPages(Pages):
    """The newest run is first."""

    ordering = "-number"


class RunFilter(filters.FilterSet):
    """By the state of the job."""

    state = filters.ChoiceFilter(field_name="job__state", choices=Job.State.choices)

    class Meta:
        model = Run
        fields = ("number",)


@extend_schema_view(list=extend_schema(summary="List the runs of a campaign, the newest first"))
class Runs(mixins.ListModelMixin, OfStaff):
    """Analyses of a campaign."""

    queryset = Run.objects.all()
    serializer_class = RunSerializer
    filterset_class = RunFilter
    pagination_class = RunPages
    lookup_field = lookup_url_kwarg = "number"
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Run]:
        related = ("job", "campaign__protocol", "campaign__dataset")
        return Run.objects.filter(campaign=self.campaign).select_related(*related)

    def done_run(self) -> Run:
        """Return the run of the address, if it is done."""
        run = self.get_object()
        if run.job.state != Job.State.DONE:
            raise Conflict(f"Run {run.number} is {run.job.get_state_display()}, not done.")
        return run

    @extend_schema(request=NewRunSerializer, responses={202: RunJobSerializer})
    def create(self, request: Request, campaign: UUID) -> Response:
        """Start a run; a job computes it. A run that waits already is not started twice."""
        sent = NewRunSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        form = run_forms.RunForm(
            _offered(self.campaign) | _each_once(sent.validated_data), campaign=self.campaign
        )
        changed = {
            name: [reason]
            for name, reason in form.not_offered.items()
            if sent.validated_data.get(name, runs.DEFAULTS[name]) != runs.DEFAULTS[name]
        }
        if changed:
            raise ValidationError(changed)
        check_form(form)
        parameters = dict(form.cleaned_data)
        with transaction.atomic():
            run = runs.start_run(
                campaign=self.campaign,
                by=request.user,
                seed=parameters.pop("seed"),
                parameters=parameters,
            )
            transaction.on_commit(lambda: tasks.announce_job(run.job_id))
        return accepted_response(run.job, run=run.number)

    @extend_schema(responses=WholeRunSerializer)
    def retrieve(self, request: Request, campaign: UUID, number: int) -> Response:
        """Return a run with the names of its tables and figures."""
        return Response(WholeRunSerializer(self.get_object()).data)

    @extend_schema(request=None, responses={202: RunSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, campaign: UUID, number: int) -> Response:
        """Ask a run to stop."""
        run = self.get_object()
        jobs.cancel_job(job=run.job)
        return Response(RunSerializer(self.get_object()).data, status=202)

    @extend_schema(responses={(200, "application/json"): OpenApiTypes.OBJECT})
    @action(detail=True, renderer_classes=[FileRenderer])
    def tables(self, request: Request, campaign: UUID, number: int) -> Any:
        """Stream a run with all its tables as JSON."""
        run = self.done_run()
        self._note(f"run-{run.number}.json by the API")
        pieces = exports.api_json(run, {"number": run.number, "input_sha256": run.input_sha256})
        return StreamingHttpResponse(pieces, content_type="application/json")

    @extend_schema(responses={200: TABLE})
    @action(detail=True, url_path="tables/<slug:name>")
    def table(self, request: Request, campaign: UUID, number: int, name: str) -> Response:
        """Return the rows of one table of a run."""
        rows = self._rows_of(name)
        self._note(f"{name} of run {number} by the API")
        return Response(exports.table_rows(name, rows))

    @extend_schema(responses=file_response(*TABLES.values()))
    @action(
        detail=True,
        url_path="tables/<slug:name>/<slug:ending>",
        renderer_classes=[FileRenderer],
    )
    def table_file(
        self, request: Request, campaign: UUID, number: int, name: str, ending: str
    ) -> Any:
        """Download one table of a run as csv, or as the report prints it as tex, md or tsv."""
        if ending not in TABLES:
            raise NotFound(f"The types of files are {', '.join(TABLES)}.")
        if ending == "csv":
            text = exports.table_csv(name, self._rows_of(name))
        else:
            run = self.done_run()
            is_known = sections.section_of(name) is not None
            text = papers.section_text(runs.found_by(run), name, ending=ending) if is_known else ""
        if not text:
            raise NotFound("The run has no such table.")
        return self._download(text.encode(), TABLES[ending], f"{name}.{ending}")

    @extend_schema(parameters=[PSEUDONYMS], responses=file_response(*REPORTS.values()))
    @action(detail=True, url_path="report/<slug:ending>", renderer_classes=[FileRenderer])
    def report(self, request: Request, campaign: UUID, number: int, ending: str) -> Any:
        """Download the report of a run as json or pdf, or its bundle as zip.

        The bundle holds the data and a script that computes the tables again from them.
        """
        if ending not in REPORTS:
            raise NotFound(f"The types of files are {', '.join(REPORTS)}.")
        if ending != "zip" and "pseudonyms" in request.query_params:
            raise ValidationError({"pseudonyms": ["Only the zip has pseudonyms for systems."]})
        run = self.done_run()
        name = f"{slugify(self.campaign.title) or 'report'}-report-{number}.{ending}"
        if ending == "json":
            self._note(f"run-{number}.json by the API")
            return download_response(exports.run_json(run), REPORTS[ending], name)
        if ending == "pdf":
            content = papers.kept_pdf(run)
        else:  # with the judgments, which name the system of each question
            check_not_judging(request.user, self.campaign.dataset)
            hides = request.query_params.get("pseudonyms") == "true"
            content = exports.archive(run, pseudonyms=hides)
        if content is None:
            raise NotFound("The run has no report of this type.")
        return self._download(content, REPORTS[ending], name)

    @extend_schema(responses=file_response(*FIGURES.values()))
    @action(
        detail=True, url_path="figures/<slug:name>/<slug:ending>", renderer_classes=[FileRenderer]
    )
    def figure(self, request: Request, campaign: UUID, number: int, name: str, ending: str) -> Any:
        """Download a figure of a run as svg, pdf or png."""
        if ending not in FIGURES:
            raise NotFound(f"The types of files are {', '.join(FIGURES)}.")
        run = self.done_run()
        if ending == "svg":
            drawn = Result.objects.filter(run=run, key=f"figure-{name}-light", file__isnull=False)
            found = drawn.select_related("file").first()
            content = found and storage.content_of(found.file)
        else:
            content = papers.printed_figure(run, f"{name}.{ending}")
        if content is None:
            raise NotFound("The run has no such figure.")
        return self._download(content, FIGURES[ending], f"{name}.{ending}")

    def _rows_of(self, name: str) -> list[Any]:
        rows = runs.StoredTables(self.done_run()).get(name)
        if not isinstance(rows, list) or name == SENTENCES:
            raise NotFound("The run has no such table.")
        return rows

    def _download(self, content: bytes, media_type: str, name: str) -> HttpResponse:
        self._note(f"{name} by the API")
        headers = {
            "Content-Type": media_type,
            "Content-Disposition": f'attachment; filename="{name}"',
        }
        return HttpResponse(content, headers=headers)

    def _note(self, about: str) -> None:
        longest = Event._meta.get_field("about").max_length or 0
        by = {"by": self.request.user, "campaign": self.campaign}
        history.record_event(Event.Act.EXPORTED, **by, about=about[-longest:])


def _offered(campaign: Campaign) -> dict[str, Any]:
    """Return the defaults of the page; metrics are those that can be computed on the dataset."""
    fields = run_forms.RunForm(campaign=campaign).fields
    offered = initial_values(fields)
    computable = {key for key, _name in fields["metrics"].choices}
    metrics = [name for name in scores.core_metrics(campaign.dataset) if name in computable]
    return offered | {"metrics": metrics}


def _each_once(said: Any) -> dict[str, Any]:
    """Return lists without repetitions, because a form compares each value with all choices."""
    return {
        name: list(dict.fromkeys(value)) if isinstance(value, list) else value
        for name, value in said.items()
    }
