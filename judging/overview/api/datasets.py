"""Datasets: creating, reading, sharing, exporting and deleting them, and their contents."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.text import slugify
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound
from rest_framework.generics import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base import transactions
from judging.base.api.downloads import FileRenderer, download_response, file_response
from judging.base.limits import MAX_TABLE_ROWS
from judging.campaigns.actions import dataset_uses, selections
from judging.campaigns.guards import check_not_judging, judges_now
from judging.datasets.actions import dataset_counts, datasets
from judging.datasets.api.in_dataset import InDataset
from judging.datasets.guards import check_owner, datasets_of
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    Quarantine,
    Reference,
    System,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.formats.recipes.writers import csv_pieces, jsonl_pieces, label_studio_pieces
from judging.imports.actions import exports, files
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.jobs.api.resources import (
    Create,
    Destroy,
    JobSerializer,
    Resource,
    accepted_response,
    check_confirmed,
)
from judging.people.actions import history
from judging.people.actions.accounts import find_account
from judging.people.guards import check_creator
from judging.people.models.event import Event
from judging.people.models.user import User

EXPORTS = {  # by the last part of the address: the type of content, and the end of the file's name
    "csv": ("text/csv", "dataset.csv"),
    "csv-raw": ("text/csv", "dataset-raw.csv"),
    "jsonl": ("application/jsonl", "dataset.jsonl"),
    "label-studio": ("application/json", "label-studio.json"),
}
ROWS_FILE = "rows.jsonl"
OF_QUESTION = ("question_id", "question", "question_type", "submitted_answer")
NOTHING_OF_SYSTEM = dict.fromkeys(
    ("item", "system", "position", *OF_QUESTION, "attributes", "references")
)
LANGUAGE = r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*"


class DatasetSerializer(serializers.ModelSerializer):
    """A dataset, with how much it holds."""

    owner = serializers.CharField(source="owner.username", read_only=True)
    language = serializers.RegexField(
        rf"^(?:{LANGUAGE})$",
        max_length=35,
        required=False,
        allow_blank=True,
        default="en",
        help_text="A language tag such as en or zh-Hant.",
    )
    sources = serializers.IntegerField(source="source_count", read_only=True)
    systems = serializers.IntegerField(source="system_count", read_only=True)
    questions = serializers.IntegerField(source="question_count", read_only=True)
    quarantined = serializers.IntegerField(source="quarantine_count", read_only=True)

    class Meta:
        model = Dataset
        fields = (
            "id",
            "name",
            "licence",
            "language",
            "owner",
            "sources",
            "systems",
            "questions",
            "quarantined",
            "created_at",
        )


class NewDatasetSerializer(DatasetSerializer):
    """A new dataset; with `rows`, a job adds them under the roles that are proposed for their
    columns. A larger table is uploaded as a file."""

    rows = serializers.ListField(
        child=serializers.DictField(),
        write_only=True,
        required=False,
        min_length=1,
        max_length=MAX_TABLE_ROWS,
        help_text="The records of a table, one object for each row.",
    )
    accept_surprises = serializers.BooleanField(
        write_only=True,
        default=False,
        help_text="Add the rows even if a column that looks like ratings becomes something else, or "
        "more than 1% of the ratings go to quarantine.",
    )

    class Meta(DatasetSerializer.Meta):
        fields = (*DatasetSerializer.Meta.fields, "rows", "accept_surprises")


class DatasetChangeSerializer(serializers.ModelSerializer):
    """The name and the licence of a dataset."""

    class Meta:
        model = Dataset
        fields = ("name", "licence")


class UsernameSerializer(serializers.Serializer):
    """A user by their user name."""

    username = serializers.CharField(max_length=150)


class SystemSerializer(serializers.ModelSerializer):
    """A system, with its numbers of returned and of missing questions."""

    questions = serializers.IntegerField(source="returned")
    missing = serializers.IntegerField()
    duplicates = serializers.IntegerField()

    class Meta:
        model = System
        fields = ("id", "name", "kind", "questions", "missing", "duplicates")


class DatasetFilter(filters.FilterSet):
    """By name, language and owner."""

    name = filters.CharFilter(lookup_expr="icontains")
    owner = filters.CharFilter(field_name="owner__username")

    class Meta:
        model = Dataset
        fields = ("name", "language", "owner")


@extend_schema_view(
    list=extend_schema(summary="List your datasets, shared ones, and those of your campaigns"),
    retrieve=extend_schema(summary="Return a dataset with how much it holds"),
)
class Datasets(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Datasets of the user, shared with them, or of campaigns that they manage or analyse."""

    queryset = Dataset.objects.all()
    serializer_class = DatasetSerializer
    filterset_class = DatasetFilter
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Dataset]:
        seen = Dataset.objects.filter(pk__in=datasets_of(self.request.user).values("pk"))
        return seen.counted().select_related("owner").defer("mapping")

    def own(self) -> Dataset:
        """Return the dataset of the address, if the user owns it."""
        found = self.get_object()
        check_owner(self.request.user, found)
        check_creator(self.request.user)
        return found

    @extend_schema(
        request=NewDatasetSerializer,
        responses={201: DatasetSerializer, 202: JobSerializer},
    )
    def create(self, request: Request) -> Response:
        """Create a dataset, empty or from the rows of a table.

        With `rows` the answer is 202 and names the job that adds them. If it fails, the rows wait
        as a file of the dataset.
        """
        check_creator(request.user)
        sent = NewDatasetSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        said = sent.validated_data
        rows, accept = said.pop("rows", None), said.pop("accept_surprises")
        with transaction.atomic():
            made = files.create_dataset(by=request.user, **said)
            if rows is not None:
                return accepted_response(_begin_adding(made, rows, by=request.user, accept=accept))
        data = DatasetSerializer(self.rows().get(pk=made.pk)).data
        return Response(data, status=status.HTTP_201_CREATED)

    @extend_schema(request=DatasetChangeSerializer, responses=DatasetSerializer)
    def partial_update(self, request: Request, pk: int) -> Response:
        """Change the name or the licence of a dataset."""
        dataset = self.own()
        sent = DatasetChangeSerializer(dataset, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        sent.save()
        return Response(DatasetSerializer(dataset).data)

    @extend_schema(responses={204: None, 202: JobSerializer})
    def destroy(self, request: Request, pk: int) -> Response:
        """Delete a dataset that no campaign is about; a job deletes a large one."""
        dataset = self.own()
        check_confirmed(request)
        if datasets.is_slow_to_delete(dataset):
            job = tasks.begin_once(kind=dataset_uses.DELETE, by=request.user, dataset=dataset)
            return accepted_response(job)
        dataset_uses.delete_dataset(dataset=dataset, by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=UsernameSerializer, responses=DatasetSerializer)
    @action(detail=True, methods=["post"], url_path="hand-over")
    def hand_over(self, request: Request, pk: int) -> Response:
        """Make another user the owner of a dataset."""
        dataset = self.own()
        check_confirmed(request)
        to = find_account(self.content(UsernameSerializer)["username"])
        dataset_uses.transfer_dataset(dataset=dataset, to=to, by=request.user)
        return Response(DatasetSerializer(self.rows().get(pk=dataset.pk)).data)

    @extend_schema(
        responses=SystemSerializer(many=True), filters=False, operation_id="datasets_systems_list"
    )
    @action(detail=True, pagination_class=None, filterset_class=None)
    def systems(self, request: Request, pk: int) -> Response:
        """List the systems of a dataset."""
        found = dataset_counts.count_systems(self.get_object())
        return Response(SystemSerializer(found, many=True).data)

    @extend_schema(
        responses=file_response(*dict.fromkeys(kind for kind, _name in EXPORTS.values()))
    )
    @action(
        detail=True,
        url_path="export/<slug:kind>",
        renderer_classes=[FileRenderer],
        filterset_class=None,
    )
    def export(self, request: Request, pk: int, kind: str) -> Any:
        """Stream a dataset as csv, csv-raw, jsonl or label-studio.

        In csv, cells that a spreadsheet could take for formulas are made inert; csv-raw has them as
        they are.
        """
        dataset = self.get_object()
        check_not_judging(request.user, dataset)
        if kind not in EXPORTS:
            raise NotFound(f"The types of files are {', '.join(EXPORTS)}.")
        media_type, name = EXPORTS[kind]
        about = f"{datasets.dataset_name(dataset)}, {name}"
        history.record_event(Event.Act.EXPORTED, by=request.user, about=about)
        name = f"{slugify(dataset.name) or 'dataset'}-{name}"
        return download_response(_pieces(dataset, kind), media_type, name)


def _begin_adding(dataset: Dataset, rows: list[Any], *, by: User, accept: bool) -> Any:
    """Store rows as a file of a dataset, and have a job add it."""
    lines = (json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
    file = storage.keep_pieces(lines)
    added = files.upload_file(dataset=dataset, name=ROWS_FILE, file=file, by=by)
    return tasks.start_job(
        jobs.enqueue,
        kind=files.ADD_ROWS,
        parameters={"files": [added.pk], "accept_surprises": accept},
        by=by,
        dataset=dataset,
    )


def _pieces(dataset: Dataset, kind: str) -> Iterator[str]:
    with transactions.one_moment():
        parts = exports.parts_of_material(dataset=dataset)
        if kind == "jsonl":
            yield from jsonl_pieces(parts)
        elif kind == "label-studio":
            yield from label_studio_pieces(parts, raters=())
        else:
            used = sorted(exports.columns_of_material(dataset=dataset))
            yield from csv_pieces(parts, used=used, guarded=kind == "csv")


class ShareSerializer(serializers.Serializer):
    """A user who may use a dataset, or who no longer may but has campaigns about it."""

    user = serializers.IntegerField(source="pk")
    username = serializers.CharField()
    may_use = serializers.BooleanField()
    campaigns = serializers.ListField(child=serializers.UUIDField())


class Shares(Create, Destroy, InDataset):
    """Other users who may use a dataset."""

    queryset = User.objects.all()
    input = UsernameSerializer
    serializer_class = output = ShareSerializer
    owner_actions = ("list",)
    confirmed_actions = ("create", "destroy")
    lookup_value_converter = "int"
    pagination_class = None
    filter_backends = ()

    @extend_schema(responses=ShareSerializer(many=True))
    def list(self, request: Request, dataset: int) -> Response:
        """List the other users who may use a dataset or have campaigns about it."""
        return Response(ShareSerializer(self._shares(), many=True).data)

    def add(self, content: dict[str, Any]) -> User:
        """Let another user plan campaigns about a dataset."""
        user = find_account(content["username"])
        datasets.share_dataset(dataset=self.dataset, user=user, by=self.request.user)
        return next(share for share in self._shares() if share.pk == user.pk)

    def rows(self) -> QuerySet[User]:
        return User.objects.filter(pk__in=[share.pk for share in self._shares()])

    def remove(self, instance: User) -> None:
        """End another user's use of a dataset; their campaigns about it stop."""
        now = timezone.now()
        dataset_uses.end_use(dataset=self.dataset, user=instance, now=now, by=self.request.user)

    def _shares(self) -> Sequence[User]:
        found = []
        for user, may_use, campaigns in dataset_uses.uses(self.dataset):
            user.may_use, user.campaigns = may_use, [campaign.uuid for campaign in campaigns]
            found.append(user)
        return found


class ItemSerializer(serializers.ModelSerializer):
    """A question with its source; without `question`, one that the system did not return; without
    `position`, a set as a whole. For a user who still judges the dataset, only the source is
    filled."""

    item = serializers.IntegerField(source="pk", allow_null=True)
    source_id = serializers.CharField(source="question_set.source.key")
    system = serializers.CharField(source="question_set.system.name", allow_null=True)
    question_id = serializers.CharField(source="question.key", default=None, allow_null=True)
    question = serializers.CharField(source="question.text", default=None, allow_null=True)
    question_type = serializers.CharField(
        source="question.question_type", default=None, allow_null=True
    )
    submitted_answer = serializers.CharField(
        source="question.submitted_answer", default=None, allow_null=True
    )
    attributes = serializers.SerializerMethodField()
    passage = serializers.CharField(
        source="question_set.source.passage.text", default=None, allow_null=True
    )
    sentence = serializers.CharField(source="question_set.source.sentence")
    answer = serializers.CharField(source="question_set.source.answer")
    answer_start = serializers.IntegerField(
        source="question_set.source.answer_start", allow_null=True
    )
    target_type = serializers.CharField(source="question_set.source.target_type")
    modality = serializers.CharField(source="question_set.source.modality")
    language = serializers.CharField(source="question_set.source.language")
    references = serializers.SerializerMethodField()

    class Meta:
        model = Unit
        fields = (
            "item",
            "source_id",
            "system",
            "position",
            *OF_QUESTION,
            "attributes",
            "passage",
            "sentence",
            "answer",
            "answer_start",
            "target_type",
            "modality",
            "language",
            "references",
        )

    @extend_schema_field(serializers.DictField(child=serializers.CharField(), allow_null=True))
    def get_attributes(self, unit: Unit) -> dict[str, str]:
        return {attribute.name: attribute.value for attribute in unit.attributes.all()}

    @extend_schema_field(serializers.ListField(child=serializers.CharField(), allow_null=True))
    def get_references(self, unit: Unit) -> list[str]:
        return [reference.text for reference in unit.question_set.source.references.all()]

    def to_representation(self, unit: Unit) -> dict[str, Any]:
        row = super().to_representation(unit)
        return row | NOTHING_OF_SYSTEM if self.context["is_blind"] else row


class ItemFilter(filters.FilterSet):
    """By columns of the source, and by system."""

    source_id = filters.CharFilter(field_name="question_set__source__key")
    system = filters.CharFilter(field_name="question_set__system__name")
    target_type = filters.CharFilter(field_name="question_set__source__target_type")
    modality = filters.CharFilter(field_name="question_set__source__modality")
    language = filters.CharFilter(field_name="question_set__source__language")

    class Meta:
        model = Unit
        fields = ()


@extend_schema_view(
    list=extend_schema(summary="List the items of a dataset: questions, and sets as a whole"),
    retrieve=extend_schema(summary="Return an item of a dataset"),
)
class Items(mixins.ListModelMixin, mixins.RetrieveModelMixin, InDataset):
    """Items of a dataset: each slot of a system on a source, and each set that is judged or scored
    as a whole."""

    queryset = Unit.objects.all()
    serializer_class = ItemSerializer
    filterset_class = ItemFilter
    lookup_value_converter = "int"

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            selections.keep_from_who_judges(self.request.user, self.dataset)

    def get_serializer_context(self) -> dict[str, Any]:
        is_blind = SimpleLazyObject(lambda: judges_now(self.request.user, self.dataset))
        return {**super().get_serializer_context(), "is_blind": is_blind}

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.request.query_params.get("system"):
            check_not_judging(self.request.user, self.dataset)
        return super().filter_queryset(queryset)

    def rows(self) -> QuerySet[Unit]:
        units = exports.exported_units(dataset=self.dataset)
        source = "question_set__source"
        return units.select_related(
            "question", f"{source}__passage", "question_set__system"
        ).prefetch_related(
            f"{source}__references", Prefetch("attributes", Attribute.objects.order_by("name"))
        )


class BlindDataset(InDataset):
    """A part of a dataset that is kept from users who still judge it."""

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            check_not_judging(self.request.user, self.dataset)


class ReferenceSerializer(serializers.ModelSerializer):
    """A human-written question for a source."""

    source_id = serializers.CharField(source="source.key")

    class Meta:
        model = Reference
        fields = ("id", "source_id", "position", "text")


@extend_schema_view(list=extend_schema(summary="List the reference questions of a dataset"))
class References(mixins.ListModelMixin, BlindDataset):
    """The reference questions of a dataset."""

    queryset = Reference.objects.all()
    serializer_class = ReferenceSerializer
    filter_backends = ()

    def rows(self) -> QuerySet[Reference]:
        return Reference.objects.filter(source__dataset=self.dataset).select_related("source")


class QuarantineSerializer(serializers.ModelSerializer):
    """A value of a file that could not be stored, and why."""

    class Meta:
        model = Quarantine
        fields = ("id", "row", "column", "value", "reason")


@extend_schema_view(list=extend_schema(summary="List the values that could not be stored"))
class Quarantined(mixins.ListModelMixin, BlindDataset):
    """The values of files that could not be stored."""

    queryset = Quarantine.objects.all()
    serializer_class = QuarantineSerializer
    filter_backends = ()

    def rows(self) -> QuerySet[Quarantine]:
        return self.dataset.quarantine.all()


class MetricSerializer(serializers.ModelSerializer):
    """A metric, with how many scores it has and how many of these have a value."""

    scores = serializers.IntegerField(source="score_count")
    values = serializers.IntegerField(source="value_count")

    class Meta:
        model = Metric
        fields = (
            "id",
            "name",
            "kind",
            "direction",
            "scale",
            "fingerprint",
            "made",
            "scores",
            "values",
            "created_at",
        )


class ScoreSerializer(serializers.ModelSerializer):
    """A metric's value for a question, a set (without position) or a system (without source)."""

    item = serializers.IntegerField(source="unit_id", allow_null=True)
    source_id = serializers.CharField(
        source="unit.question_set.source.key", default=None, allow_null=True
    )
    system = serializers.SerializerMethodField()
    position = serializers.IntegerField(source="unit.position", default=None, allow_null=True)

    class Meta:
        model = Score
        fields = ("id", "item", "source_id", "system", "position", "value", "text", "reason")

    def get_system(self, score: Score) -> str:
        return score.unit.question_set.system.name if score.unit_id else score.system.name


class Metrics(InDataset):
    """The metrics of a dataset and their scores."""

    queryset = Metric.objects.all()
    serializer_class = MetricSerializer
    lookup_value_converter = "int"
    pagination_class = None
    filter_backends = ()

    def rows(self) -> QuerySet[Metric]:
        return self.dataset.metrics.all()

    @extend_schema(responses=MetricSerializer(many=True))
    def list(self, request: Request, dataset: int) -> Response:
        """List the metrics of a dataset."""
        found = dataset_counts.count_metrics(self.dataset)
        return Response(MetricSerializer(found, many=True).data)

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, dataset: int, pk: int) -> Response:
        """Delete a metric that was computed here, with its scores."""
        computed = self.rows().filter(kind=Metric.Kind.COMPUTED)
        datasets.remove_scores(metric=get_object_or_404(computed, pk=pk), by=request.user)
        return Response(status=status.HTTP_204_NO_CONTENT)


@extend_schema_view(list=extend_schema(summary="List the scores of a metric"))
class Scores(mixins.ListModelMixin, BlindDataset):
    """The scores of one metric."""

    queryset = Score.objects.all()
    serializer_class = ScoreSerializer
    filter_backends = ()

    def rows(self) -> QuerySet[Score]:
        metric = get_object_or_404(self.dataset.metrics, pk=self.kwargs["metric"])
        related = ("unit__question_set__source", "unit__question_set__system", "system")
        return metric.scores.select_related(*related)
