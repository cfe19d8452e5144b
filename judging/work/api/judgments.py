"""Tasks and judgments of a campaign: lists with texts, conditions and times, and streams."""

from typing import Any
from uuid import UUID

from django.db.models import Prefetch, QuerySet
from django.utils.text import slugify
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_view,
)
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.guards import check_not_judging
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task, TaskUnit
from judging.people.actions import history
from judging.people.models.event import Event
from judging.work.actions import judgment_rows
from judging.work.models.judgment import Judgment

STREAMS = {  # by the last part of the address
    "jsonl": (judgment_rows.json_lines, "application/jsonl"),
    "csv": (judgment_rows.csv_lines, "text/csv"),
}
WITH_FURTHER = [
    OpenApiParameter(
        "extras",
        OpenApiTypes.BOOL,
        description="Also what was submitted after its assignment was given to another annotator.",
    ),
    OpenApiParameter(
        "trials", OpenApiTypes.BOOL, description="Also judgments of pilot and calibration rounds."
    ),
]


class BlindCampaign(InCampaign):
    """A part of a campaign that names the system of each question. Users who judge the dataset do
    not see it before the campaign is over."""

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            check_not_judging(self.request.user, self.campaign.dataset)


class ShownUnitSerializer(serializers.ModelSerializer):
    """A question of a task, or a set as a whole, which has neither position nor text."""

    item = serializers.IntegerField(source="unit_id")
    source_id = serializers.CharField(source="unit.question_set.source.key")
    system = serializers.CharField(source="unit.question_set.system.name")
    position = serializers.IntegerField(
        source="unit.position", allow_null=True, help_text="The place in the system's set."
    )
    question = serializers.CharField(source="unit.question.text", default=None, allow_null=True)

    class Meta:
        model = TaskUnit
        fields = ("item", "source_id", "system", "position", "question")


class SourceTextSerializer(serializers.Serializer):
    """The input of the systems."""

    source_id = serializers.CharField(source="key")
    passage = serializers.CharField(source="passage.text", default=None, allow_null=True)
    sentence = serializers.CharField()
    answer = serializers.CharField()
    target_type = serializers.CharField()
    modality = serializers.CharField()


class AssignmentSerializer(serializers.ModelSerializer):
    """An annotator's work on a task, with its times."""

    annotator = serializers.CharField(source="enrollment.label")

    class Meta:
        model = Assignment
        fields = (
            "annotator",
            "state",
            "stage",
            "held_at",
            "lease_expires_at",
            "submitted_at",
            "released_at",
            "active_seconds",
        )


class CampaignTaskSerializer(serializers.ModelSerializer):
    """A task with the texts it shows, and the assignments of its annotators."""

    round = serializers.CharField(source="round.kind")
    round_number = serializers.IntegerField(source="round.number")
    units = ShownUnitSerializer(many=True, source="task_units")
    sources = serializers.SerializerMethodField()
    assignments = AssignmentSerializer(many=True, source="begun")

    class Meta:
        model = Task
        fields = ("id", "round", "round_number", "number", "sources", "units", "assignments")

    @extend_schema_field(SourceTextSerializer(many=True))
    def get_sources(self, task: Task) -> Any:
        shown = [unit.unit.question_set.source for unit in task.task_units.all()]
        return SourceTextSerializer({each.pk: each for each in shown}.values(), many=True).data


class TaskFilter(filters.FilterSet):
    """By round, annotator, and state of an assignment."""

    round = filters.ChoiceFilter(
        field_name="round__kind",
        choices=[each for each in Round.Kind.choices if each[0] != Round.Kind.CHECKS],
    )
    annotator = filters.CharFilter(field_name="assignments__enrollment__label", distinct=True)
    state = filters.ChoiceFilter(
        field_name="assignments__state", choices=Assignment.State.choices, distinct=True
    )

    class Meta:
        model = Task
        fields = ("number",)


@extend_schema_view(
    list=extend_schema(summary="List the tasks of a campaign with their texts and assignments"),
    retrieve=extend_schema(summary="Return a task with its texts and assignments"),
)
class Tasks(mixins.ListModelMixin, mixins.RetrieveModelMixin, BlindCampaign):
    """Tasks of a campaign. Checks between them are not listed."""

    queryset = Task.objects.all()
    serializer_class = CampaignTaskSerializer
    filterset_class = TaskFilter
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Task]:
        units = TaskUnit.objects.select_related(
            "unit__question",
            "unit__question_set__source__passage",
            "unit__question_set__system",
        )
        begun = Assignment.objects.filter(enrollment__isnull=False).select_related("enrollment")
        begun = begun.order_by("enrollment__label")
        tasks = Task.objects.filter(round__campaign=self.campaign)
        return (
            tasks.exclude(round__kind=Round.Kind.CHECKS)
            .select_related("round")
            .prefetch_related(
                Prefetch("task_units", units), Prefetch("assignments", begun, to_attr="begun")
            )
        )


class JudgmentSerializer(serializers.ModelSerializer):
    """A judgment with the text of its question. Annotators are named by their labels."""

    item = serializers.IntegerField(source="unit_id")
    source_id = serializers.CharField(source="unit.question_set.source.key")
    system = serializers.CharField(source="unit.question_set.system.name")
    position = serializers.IntegerField(source="unit.position", allow_null=True)
    question = serializers.CharField(source="unit.question.text", default=None, allow_null=True)
    annotator = serializers.CharField(source="assignment.enrollment.label")
    criterion = serializers.CharField(source="criterion.key")
    origin = serializers.SerializerMethodField(
        help_text="`judged`, `rule` or `imported`; `simulated` in a campaign of simulated annotators."
    )
    round = serializers.CharField(source="assignment.round.kind")
    round_number = serializers.IntegerField(source="assignment.round.number")
    state = serializers.CharField(source="assignment.state")
    excluded = serializers.BooleanField(
        help_text="Whether the annotator is excluded from the analysis."
    )
    instruction_language = serializers.CharField(source="assignment.language")
    view = serializers.CharField(
        source="assignment.view", help_text="focus: one question at a time; list: all of them."
    )
    device = serializers.CharField(
        source="assignment.device", help_text="phone, tablet or desktop, by the size of the screen."
    )
    input = serializers.CharField(
        source="assignment.input",
        help_text="The input of most answers of the task: touch, mouse or keyboard.",
    )
    keywords = serializers.CharField(
        source="assignment.keywords",
        help_text="Whether the words of the question were highlighted in the passage: highlighted or plain.",
    )
    review = serializers.CharField(
        source="assignment.review",
        help_text="Whether the review was shown, if annotators could switch it off: shown or off.",
    )

    class Meta:
        model = Judgment
        fields = tuple(judgment_rows.COLUMNS)

    def get_origin(self, judgment: Judgment) -> str:
        return Campaign.Origin.SIMULATED if self.context["is_simulated"] else judgment.origin


class JudgmentFilter(filters.FilterSet):
    """By source, system, annotator, criterion and round."""

    source_id = filters.CharFilter(field_name="unit__question_set__source__key")
    system = filters.CharFilter(field_name="unit__question_set__system__name")
    annotator = filters.CharFilter(field_name="assignment__enrollment__label")
    criterion = filters.CharFilter(field_name="criterion__key")
    round = filters.ChoiceFilter(field_name="assignment__round__kind", choices=Round.Kind.choices)

    class Meta:
        model = Judgment
        fields = ("value",)


@extend_schema_view(
    list=extend_schema(summary="List the current judgments of a campaign", parameters=WITH_FURTHER)
)
class Judgments(mixins.ListModelMixin, BlindCampaign):
    """Current judgments. The history of the campaign lists every access to them."""

    queryset = Judgment.objects.all()
    serializer_class = JudgmentSerializer
    filterset_class = JudgmentFilter

    def rows(self) -> QuerySet[Judgment]:
        asked = self.request.query_params
        chosen = {name: asked.get(name) == "true" for name in ("extras", "trials")}
        return judgment_rows.campaign_judgments(campaign=self.campaign, **chosen)

    def list(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        self._note("judgments by the API, a page")
        return super().list(request, *args, **kwargs)

    def filter_queryset(self, queryset: Any) -> Any:
        found = super().filter_queryset(queryset)
        if self.action != "list":
            return found
        return found.annotate(excluded=judgment_rows.IS_EXCLUDED).select_related(
            "unit__question",
            "unit__question_set__source",
            "unit__question_set__system",
            "assignment__enrollment",
            "assignment__round",
            "criterion",
        )

    def get_serializer_context(self) -> dict[str, Any]:
        known = "campaign" in self.kwargs
        is_simulated = known and self.campaign.origin == Campaign.Origin.SIMULATED
        return {**super().get_serializer_context(), "is_simulated": is_simulated}

    @extend_schema(
        parameters=WITH_FURTHER,
        filters=True,
        responses=file_response(*(media_type for _lines, media_type in STREAMS.values())),
    )
    @action(
        detail=False,
        url_path="export/<slug:kind>",
        renderer_classes=[FileRenderer],
        pagination_class=None,
    )
    def export(self, request: Request, campaign: UUID, kind: str) -> Any:
        """Stream all judgments of a campaign as jsonl or csv.

        In csv, cells that a spreadsheet could take for formulas are made inert.
        """
        if kind not in STREAMS:
            raise NotFound(f"The types of files are {', '.join(STREAMS)}.")
        lines, media_type = STREAMS[kind]
        rows = self.filter_queryset(self.get_queryset())
        self._note(f"judgments.{kind} by the API")
        is_simulated = self.campaign.origin == Campaign.Origin.SIMULATED
        name = f"{slugify(self.campaign.title) or 'campaign'}-judgments.{kind}"
        return download_response(lines(rows, is_simulated=is_simulated), media_type, name)

    def _note(self, about: str) -> None:
        history.record_event(
            Event.Act.EXPORTED, by=self.request.user, campaign=self.campaign, about=about
        )
