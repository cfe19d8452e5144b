"""The files of a dataset: uploading, giving roles, previewing, adding and taking them back."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from judging import storage, tasks
from judging.actions import jobs
from judging.api.base import InDataset, JobSerializer, accepted, check_confirmed
from judging.api.problems import Conflict
from judging.guards import judges_now, rubrics_of, with_how_to_decline
from judging.imports.actions import (
    adding,
    file_jobs,
    joining,
    looks,
    proposals,
    ratings,
    taking_back,
)
from judging.imports.actions.reading_plans import Head, Plan
from judging.imports.forms.files import STEPS
from judging.imports.readers.columns import BadColumns, ColumnRoles, check, columns_from
from judging.imports.readers.registry import FORMATS
from judging.imports.readers.tables import DELIMITERS
from judging.imports.readers.text import ENCODINGS
from judging.limits import MAX_FILE_NAME_CHARACTERS, MAX_NAME_CHARACTERS, MAX_QUESTIONS_PER_SET
from judging.models import AddedFile, Job, Rubric

PREVIEWED = (
    "counts",
    "tiers",
    "examples",
    "rows",
    "kept",
    "obstacles",
    "systems",
    "raters",
    "llm_judges",
    "criteria",
    "votes",
    "refused",
    "refused_count",
    "warnings",
)


class FileSerializer(serializers.ModelSerializer):
    """A file of a dataset. Nothing of it is in the dataset before its state is `added`."""

    size = serializers.IntegerField(source="file.size", read_only=True)
    sha256 = serializers.CharField(source="file.sha256", read_only=True)
    added_by = serializers.CharField(source="added_by.username", read_only=True)
    protocol = serializers.IntegerField(source="rubric_id", allow_null=True, read_only=True)
    campaign = serializers.UUIDField(
        source="campaign.uuid", default=None, allow_null=True, read_only=True
    )
    has_roles = serializers.SerializerMethodField()
    is_previewed = serializers.BooleanField(source="is_examined", read_only=True)

    class Meta:
        model = AddedFile
        fields = (
            "number",
            "name",
            "size",
            "sha256",
            "state",
            "added_by",
            "protocol",
            "campaign",
            "has_roles",
            "is_previewed",
            "uploaded_at",
            "added_at",
            "taken_back_at",
        )

    def get_has_roles(self, added: AddedFile) -> bool:
        return bool(added.plan)


class UploadSerializer(serializers.Serializer):
    """A file in any format that can be read."""

    file = serializers.FileField(max_length=MAX_FILE_NAME_CHARACTERS)

    def validate_file(self, file: Any) -> Any:
        if file.size > settings.UPLOAD_LIMIT:
            limit = filesizeformat(settings.UPLOAD_LIMIT)
            raise ValidationError(f"The file is larger than {limit}. Split it.")
        return file


class FileJobSerializer(JobSerializer):
    """A job about one file."""

    file = serializers.IntegerField(help_text="The number of the file.")

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "file")


class ReadingSerializer(serializers.Serializer):
    """Settings for reading a file. Fields that are not sent are detected."""

    format = serializers.ChoiceField([each.key for each in FORMATS], required=False)
    delimiter = serializers.ChoiceField(list(DELIMITERS), required=False)
    quoted = serializers.BooleanField(required=False)
    encoding = serializers.ChoiceField(list(ENCODINGS), required=False)
    header = serializers.BooleanField(
        required=False, help_text="Whether the first row names the columns."
    )
    above = serializers.IntegerField(
        required=False, min_value=0, help_text="Rows above the names of the columns."
    )
    systems = serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="The column that names the system of each letter.",
    )
    sheet = serializers.ListField(child=serializers.CharField(), required=False)
    as_is = serializers.MultipleChoiceField(choices=[key for key, _title in STEPS], required=False)
    special_tokens = serializers.BooleanField(
        required=False, help_text="Remove special tokens such as </s>."
    )
    slots_are = serializers.ChoiceField(["positions"], required=False)

    def plan(self) -> Plan:
        """Return the plan for reading the file."""
        said = dict(self.validated_data)
        format = said.pop("format", "")
        if "as_is" in said:
            said["as_is"] = sorted(said["as_is"])
        kept = {key: value for key, value in said.items() if value not in ("", {}, [])}
        if not kept.get("special_tokens", True):
            del kept["special_tokens"]
        return Plan(format=format, options=kept)


class RolesSerializer(serializers.Serializer):
    """The role of each column of a file, and the protocol of its ratings. A format without columns
    takes only `expected`."""

    roles = serializers.DictField(
        required=False, allow_null=True, help_text="As `proposed` gives them."
    )
    protocol = serializers.PrimaryKeyRelatedField(
        queryset=Rubric.objects.all(), required=False, allow_null=True
    )
    expected = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_QUESTIONS_PER_SET
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "request" in self.context:
            self.fields["protocol"].queryset = rubrics_of(self.context["request"].user)


class ProposalSerializer(serializers.Serializer):
    """The proposed roles of a file's columns, and those decided on."""

    format = serializers.CharField()
    header = serializers.ListField(child=serializers.CharField())
    values = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        help_text="The first different values of each column.",
    )
    proposed = serializers.DictField(allow_null=True)
    protocol = serializers.IntegerField(allow_null=True)
    criteria = serializers.ListField(child=serializers.CharField())
    words = serializers.DictField(help_text="Words among the ratings, with their counts.")
    sheets = serializers.ListField(child=serializers.CharField())
    remarks = serializers.ListField(child=serializers.CharField())
    decided = serializers.DictField(allow_null=True)


class ChoicesSerializer(serializers.Serializer):
    """How rows are matched with the dataset, and what happens to rows without a match."""

    by = serializers.ChoiceField(["auto", "ids", "texts"], default="auto")
    similar = serializers.BooleanField(default=True, help_text="Match similar texts.")
    declined = serializers.ListField(
        child=serializers.CharField(),
        default=list,
        help_text="Similar texts that are not the same question.",
    )
    unmatched = serializers.ChoiceField(
        ["", "add", "leave"], default="", help_text="Blank: added if no row matches, else excluded."
    )
    conflicts = serializers.ChoiceField(["leave", "refuse"], default="leave")
    systems = serializers.DictField(
        child=serializers.CharField(max_length=MAX_NAME_CHARACTERS),
        default=dict,
        help_text="Names in the dataset of this file's systems.",
    )


class PreviewSerializer(serializers.Serializer):
    """What a file would add, according to its last preview."""

    summary = serializers.CharField()
    columns = serializers.ListField(child=serializers.DictField())
    surprises = serializers.ListField(
        child=serializers.CharField(), help_text="They must be accepted before the file is added."
    )
    accepted = serializers.BooleanField(help_text="Whether all surprises were accepted.")
    mostly_new = serializers.CharField(help_text="A sentence to be confirmed, or blank.")
    between_points = serializers.ListField(child=serializers.CharField())
    counts = serializers.DictField(child=serializers.IntegerField())
    tiers = serializers.DictField(child=serializers.IntegerField())
    examples = serializers.DictField()
    rows = serializers.IntegerField()
    kept = serializers.IntegerField()
    obstacles = serializers.ListField(child=serializers.CharField())
    systems = serializers.ListField(child=serializers.CharField())
    raters = serializers.ListField(child=serializers.CharField())
    llm_judges = serializers.ListField(child=serializers.CharField())
    criteria = serializers.ListField(child=serializers.CharField())
    votes = serializers.ListField(child=serializers.DictField(), required=False)
    refused = serializers.ListField(child=serializers.DictField())
    refused_count = serializers.IntegerField()
    warnings = serializers.ListField(child=serializers.DictField())


class AddingSerializer(serializers.Serializer):
    """The user's acceptance when files are added."""

    accept_surprises = serializers.BooleanField(
        default=False, help_text="Add the files in spite of all surprises of the preview."
    )
    confirm_new = serializers.BooleanField(
        default=False, help_text="Add the files even if most of their questions are new."
    )


@extend_schema_view(
    list=extend_schema(summary="List the files of a dataset"),
    retrieve=extend_schema(summary="Return a file of a dataset"),
)
class Files(mixins.ListModelMixin, mixins.RetrieveModelMixin, InDataset):
    """The files of a dataset. A file is uploaded, gets roles, is previewed and added."""

    queryset = AddedFile.objects.all()
    serializer_class = FileSerializer
    filterset_fields = ("state",)
    lookup_field = "number"
    lookup_value_converter = "int"
    owner_actions = ("roles",)

    def rows(self) -> QuerySet[AddedFile]:
        return self.dataset.added_files.listed()

    def get_object(self) -> AddedFile:
        """Return the file of the address. Users who judge the dataset cannot see a waiting one:
        which of its rows match would reveal the system of a question."""
        added = get_object_or_404(self.rows(), number=self.kwargs["number"])
        if added.state == AddedFile.State.WAITING and judges_now(self.request.user, self.dataset):
            said = (
                "You judge this dataset in a campaign that has not ended. Until it is closed you do not see what a "
                "file would add."
            )
            raise PermissionDenied(with_how_to_decline(said, self.request.user, self.dataset))
        return added

    def waiting(self, *, with_roles: bool = False) -> AddedFile:
        """Return the file of the address; raise Conflict if it does not wait, or has no roles."""
        added = self.get_object()
        if added.state != AddedFile.State.WAITING:
            raise Conflict("The file was added already, or taken back.")
        if with_roles and not added.plan:
            raise Conflict("Give the columns of the file their roles first.")
        return added

    def with_roles(self) -> list[AddedFile]:
        """Return all waiting files whose columns have roles; raise Conflict if there are none."""
        found = [each for each in self.dataset.added_files.waiting().listed() if each.plan]
        if not found:
            raise Conflict("No file waits whose columns have roles.")
        return found

    @extend_schema(
        request={"multipart/form-data": UploadSerializer}, responses={202: FileJobSerializer}
    )
    def create(self, request: Request, dataset: int) -> Response:
        """Upload a file; a job reads its columns. Nothing is in the dataset yet."""
        sent = UploadSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["file"]
        kept = storage.keep_pieces(file.chunks())
        added = adding.upload(collection=self.dataset, name=file.name, file=kept, by=request.user)
        return accepted(self._look(added), file=added.number)

    def get_parsers(self) -> list[Any]:
        is_upload = self.request and self.action_map.get(self.request.method.lower()) == "create"
        return [MultiPartParser()] if is_upload else super().get_parsers()

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, dataset: int, number: int) -> Response:
        """Discard a file that was not added."""
        adding.discard(added=self.waiting())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=ReadingSerializer, responses={202: FileJobSerializer})
    @action(detail=True, methods=["put"])
    def reading(self, request: Request, dataset: int, number: int) -> Response:
        """Have a file read with other settings than the detected ones."""
        added = self.waiting()
        sent = ReadingSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        adding.decide(added=added, plan=sent.plan())
        return accepted(self._look(added), file=added.number)

    @extend_schema(responses={200: ProposalSerializer, 202: JobSerializer})
    @action(detail=True)
    def roles(self, request: Request, dataset: int, number: int) -> Response:
        """Return the proposed roles of a file's columns; 202 while a job reads them."""
        added = self.waiting()
        head = self._head(added)
        if isinstance(head, Job):
            return accepted(head)
        plan = adding.plan_of(added)
        found = {
            "format": head.format,
            "header": head.header,
            "values": head.values,
            "proposed": head.proposed and head.proposed.as_dict(),
            "protocol": proposals.protocol_of(added, head, rubrics_of(request.user)),
            "criteria": head.criteria,
            "words": {**head.words, **head.words_of},
            "sheets": head.sheets,
            "remarks": [*head.remarks, *head.offers],
            "decided": plan.columns and plan.columns.as_dict(),
        }
        return Response(ProposalSerializer(found).data)

    @extend_schema(request=RolesSerializer, responses={200: FileSerializer})
    @roles.mapping.put
    def set_roles(self, request: Request, dataset: int, number: int) -> Response:
        """Set the role of each column of a file, and the protocol of its ratings."""
        added = self.waiting()
        head = self._head(added)
        if isinstance(head, Job):
            raise Conflict(
                f"Job {head.pk} reads the columns of the file. Try again when it is done."
            )
        sent = RolesSerializer(data=request.data, context={"request": request})
        sent.is_valid(raise_exception=True)
        said = sent.validated_data
        protocol = said.get("protocol")
        plan = replace(adding.plan_of(added), format=head.format)
        if head.proposed is None:
            if said.get("roles"):
                raise ValidationError({"roles": ["A file of this format has no columns."]})
            options = {"expected": said["expected"]} if "expected" in said else {}
            plan = replace(plan, options={**plan.options, **options})
        else:
            plan = replace(plan, columns=_columns(said.get("roles"), head, protocol))
        adding.decide(added=added, plan=plan, rubric=protocol)
        return Response(FileSerializer(self.get_object()).data)

    @extend_schema(responses=ChoicesSerializer)
    @action(detail=True)
    def choices(self, request: Request, dataset: int, number: int) -> Response:
        """Return how the rows of a file are matched."""
        return Response(ChoicesSerializer(adding.choices_of(self.get_object()).as_dict()).data)

    @extend_schema(request=ChoicesSerializer, responses=ChoicesSerializer)
    @choices.mapping.put
    def set_choices(self, request: Request, dataset: int, number: int) -> Response:
        """Decide how the rows of a file are matched."""
        added = self.waiting()
        sent = ChoicesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        adding.decide(added=added, choices=joining.choices_from(sent.validated_data))
        return Response(sent.data)

    @extend_schema(responses=PreviewSerializer)
    @action(detail=True)
    def preview(self, request: Request, dataset: int, number: int) -> Response:
        """Return what a file would add, according to its last preview."""
        added = self.get_object()
        if added.state != AddedFile.State.WAITING or not added.is_examined:
            raise NotFound("There is no preview. Ask for one, and wait for its job.")
        found = added.examined
        shown = {
            "tiers": {},
            "examples": {},
            **{key: found[key] for key in PREVIEWED if key in found},
        }
        preview = found[adding.PREVIEW]
        shown |= {
            "summary": preview["summary"],
            "columns": [*preview["columns"], *preview["further"]],
            "surprises": preview["surprises"],
            "between_points": preview["between_points"],
            "accepted": not adding.unaccepted(added),
            "mostly_new": found.get(adding.MOSTLY_NEW) or "",
        }
        return Response(PreviewSerializer(shown).data)

    @extend_schema(request=None, responses={202: FileJobSerializer})
    @preview.mapping.post
    def start_preview(self, request: Request, dataset: int, number: int) -> Response:
        """Have a job preview what a file would add."""
        added = self.waiting(with_roles=True)
        return accepted(self._begin(file_jobs.EXAMINE, [added]), file=added.number)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=False, methods=["post"], url_path="preview", url_name="preview-all")
    def preview_all(self, request: Request, dataset: int) -> Response:
        """Have a job preview what all waiting files would add together."""
        return accepted(self._begin(file_jobs.PREVIEW_ALL, self.with_roles()))

    @extend_schema(request=AddingSerializer, responses={202: FileJobSerializer})
    @action(detail=True, methods=["post"])
    def add(self, request: Request, dataset: int, number: int) -> Response:
        """Have a job add a file to its dataset."""
        added = self.waiting(with_roles=True)
        return accepted(self._add([added]), file=added.number)

    @extend_schema(request=AddingSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"], url_path="add", url_name="add-all")
    def add_all(self, request: Request, dataset: int) -> Response:
        """Have a job add all waiting files whose columns have roles, or none if one cannot be added."""
        return accepted(self._add(self.with_roles()))

    @extend_schema(request=None, responses={200: FileSerializer, 202: FileJobSerializer})
    @action(detail=True, methods=["post"], url_path="take-back")
    def take_back(self, request: Request, dataset: int, number: int) -> Response:
        """Remove everything that a file added; a job does it for a large file."""
        added = self.get_object()
        check_confirmed(request)
        if added.state != AddedFile.State.ADDED:
            raise Conflict("The file is not in the dataset.")
        if taking_back.is_slow(added):
            return accepted(self._begin(file_jobs.TAKE_BACK, [added]), file=added.number)
        taking_back.take_back(added=added, by=request.user, now=timezone.now())
        return Response(FileSerializer(self.get_object()).data)

    def _look(self, added: AddedFile) -> Job:
        """Return the job that reads the columns of a file; start it if there is none."""
        by = self.request.user
        asked = {"kind": looks.COLUMNS, "parameters": looks.parameters_of(added, by=by), "by": by}
        return looks.job_of(**asked) or tasks.begin(jobs.enqueue, collection=self.dataset, **asked)

    def _head(self, added: AddedFile) -> Head | Job:
        """Return the head of a file with proposed roles, or the job that reads it; raise Conflict if
        the file cannot be read."""
        job = self._look(added)
        if job.state != Job.State.DONE:
            return job
        found = job.result["found"]
        head = looks.head_in(found)
        if head is None:
            raise Conflict(f"The file cannot be read. {found['reason']}")
        return proposals.proposed(head, added=added)

    def _begin(self, kind: str, files: Sequence[AddedFile], **parameters: Any) -> Job:
        return tasks.begin_once(
            kind=kind,
            by=self.request.user,
            collection=self.dataset,
            files=[each.pk for each in files],
            **parameters,
        )

    def _add(self, files: Sequence[AddedFile]) -> Job:
        sent = AddingSerializer(data=self.request.data)
        sent.is_valid(raise_exception=True)
        said = sent.validated_data
        surprising = [each for each in files if adding.unaccepted(each)]
        mostly_new = [each for each in files if each.examined.get(adding.MOSTLY_NEW)]
        errors: dict[str, list[str]] = {}
        if surprising and not said["accept_surprises"]:
            errors["accept_surprises"] = [s for each in surprising for s in adding.unaccepted(each)]
        if mostly_new and not said["confirm_new"]:
            errors["confirm_new"] = [each.examined[adding.MOSTLY_NEW] for each in mostly_new]
        if errors:
            raise ValidationError(errors)
        if said["confirm_new"]:
            adding.confirm_new(files=files)
        accept = {"accept_surprises": True} if said["accept_surprises"] else {}
        return self._begin(file_jobs.ADD, files, **accept)


def _columns(roles: dict[str, Any] | None, head: Head, protocol: Rubric | None) -> ColumnRoles:
    """Return the roles that a client gave the columns of a file; raise ValidationError if they do not
    fit the file, each other or the protocol."""
    if not roles:
        raise ValidationError({"roles": ["Say what the columns hold."]})
    try:
        columns = columns_from(roles)
        by_id = not (columns.question or columns.by_system)
        check(replace(columns, without_questions=by_id), head.header)
    except BadColumns as wrong:
        raise ValidationError({"roles": list(wrong.reasons)}) from None
    if undirected := [each.column for each in columns.scores if each.direction == "unknown"]:
        said = [f"Say whether higher or lower is better in “{column}”." for column in undirected]
        raise ValidationError({"roles": said})
    if misfit := ratings.misfit(rubric=protocol, columns=columns):
        raise ValidationError({"protocol": [misfit]})
    return columns
