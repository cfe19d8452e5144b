"""The files of a dataset: uploading, mapping, previewing, adding and taking them back."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.generics import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.problems import Conflict
from judging.base.limits import MAX_FILE_NAME_CHARACTERS, MAX_NAME_CHARACTERS
from judging.campaigns.guards import judges_now, with_how_to_decline
from judging.datasets.api.in_dataset import InDataset
from judging.datasets.models.added_file import AddedFile
from judging.formats.choices import choices_from
from judging.formats.mapping import Mapping, MappingRefused, check_mapping, mapping_from
from judging.imports.actions import files, fit, preview, take_back
from judging.jobs import storage, tasks
from judging.jobs.api.resources import JobSerializer, accepted_response, check_confirmed
from judging.jobs.models.job import Job
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol


class FileSerializer(serializers.ModelSerializer):
    """A file of a dataset. Nothing of it is in the dataset before its state is `added`."""

    size = serializers.IntegerField(source="file.size", read_only=True)
    sha256 = serializers.CharField(source="file.sha256", read_only=True)
    added_by = serializers.CharField(source="added_by.username", read_only=True)
    protocol = serializers.IntegerField(source="protocol_id", allow_null=True, read_only=True)
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
        return files.is_read(added) and not preview.obstacles_of(added)


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


@extend_schema_field(Mapping)
class MappingField(serializers.JSONField):
    """How a file is read: a `Mapping` as plain data."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return mapping_from(super().to_internal_value(data))
        except MappingRefused as refused:
            raise ValidationError(refused.errors) from None

    def to_representation(self, value: Any) -> Any:
        return value.as_data()


class RolesSerializer(serializers.Serializer):
    """How a file is read, and the protocol of its ratings."""

    mapping = MappingField()
    protocol = serializers.PrimaryKeyRelatedField(
        queryset=Protocol.objects.all(), required=False, allow_null=True
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "request" in self.context:
            self.fields["protocol"].queryset = protocols_of(self.context["request"].user)


class ProposalSerializer(RolesSerializer):
    """What a file holds under its mapping. Columns without a decision have proposed roles."""

    header = serializers.ListField(child=serializers.CharField())
    columns = serializers.ListField(child=serializers.DictField())
    rows = serializers.ListField(help_text="The first rows, each with its number.")
    sheets = serializers.ListField(child=serializers.CharField())
    sentences = serializers.ListField(
        child=serializers.CharField(), help_text="How the file was opened and shaped."
    )
    offers = serializers.ListField(
        child=serializers.CharField(), help_text="Repairs of texts that were not made."
    )
    summary = serializers.CharField(help_text="What the file holds, as a sentence.")
    criteria = serializers.DictField(
        help_text="The number of annotators' ratings with each value, by criterion."
    )
    scales = serializers.ListField(
        child=serializers.DictField(), help_text="The file's values beside the protocol's scales."
    )
    findings = serializers.ListField(child=serializers.DictField())
    surprises = serializers.ListField(
        child=serializers.CharField(), help_text="They must be accepted before the file is added."
    )
    obstacles = serializers.ListField(child=serializers.CharField())
    problems = serializers.ListField(child=serializers.DictField())


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
    surprises = serializers.ListField(
        child=serializers.CharField(), help_text="They must be accepted before the file is added."
    )
    accepted = serializers.BooleanField(help_text="Whether all surprises were accepted.")
    mostly_new = serializers.CharField(help_text="A sentence to be confirmed, or blank.")
    expected = serializers.DictField(
        child=serializers.IntegerField(), help_text="The number of rows of each kind."
    )
    tiers = serializers.DictField(child=serializers.IntegerField())
    examples = serializers.DictField()
    obstacles = serializers.ListField(child=serializers.CharField())
    named = serializers.ListField(
        child=serializers.CharField(), help_text="The systems, as the file calls them."
    )
    votes = serializers.ListField(child=serializers.DictField(), required=False)
    refused = serializers.ListField(child=serializers.DictField())
    refused_count = serializers.IntegerField()


class AddingSerializer(serializers.Serializer):
    """The user's acceptance when files are added."""

    accept_surprises = serializers.BooleanField(
        default=False, help_text="Add the files in spite of all surprises of the preview."
    )
    confirm_new = serializers.BooleanField(
        default=False, help_text="Add the files even if most of their questions are new."
    )


def _proposal(added: AddedFile, look: dict[str, Any]) -> dict[str, Any]:
    """Return what a file that was read holds under its mapping."""
    study, rated = look["study"] or {}, preview.rated_in(added)
    mapping = preview.mapping_of(added)
    scales = fit.compare_with_scales(added.protocol, rated, mapping.points)
    return {
        **{name: look[name] for name in ("header", "columns", "rows", "sheets")},
        "mapping": mapping,
        "protocol": added.protocol,
        "sentences": [sentence for _step, sentence in look["sentences"]],
        "offers": [sentence for _step, sentence in look["offers"]],
        "summary": study.get("sentence", ""),
        "criteria": rated,
        "scales": [dataclasses.asdict(scale) for scale in scales],
        "findings": study.get("findings", []),
        "surprises": files.surprises(added),
        "obstacles": preview.obstacles_of(added),
        "problems": study.get("problems", []),
    }


def _check_columns(mapping: Mapping, added: AddedFile) -> None:
    """Refuse a mapping without columns, and one that does not fit the file's columns."""
    if not mapping.columns:
        raise ValidationError({"mapping": {"columns": ["Say what the columns hold."]}})
    try:
        check_mapping(mapping, added.examined[preview.LOOK].get("header", ()))
    except MappingRefused as refused:
        raise ValidationError({"mapping": refused.errors}) from None


@extend_schema_view(
    list=extend_schema(summary="List the files of a dataset"),
    retrieve=extend_schema(summary="Return a file of a dataset"),
)
class Files(mixins.ListModelMixin, mixins.RetrieveModelMixin, InDataset):
    """The files of a dataset. A file is uploaded, read under a mapping, previewed and added."""

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

    def waiting(self) -> AddedFile:
        """Return the file of the address; raise Conflict if it does not wait."""
        added = self.get_object()
        if added.state != AddedFile.State.WAITING:
            raise Conflict("The file was added already, or taken back.")
        return added

    def all_waiting(self) -> list[AddedFile]:
        """Return all waiting files; raise Conflict if there are none."""
        found = list(self.dataset.added_files.waiting().listed())
        if not found:
            raise Conflict("No file waits.")
        return found

    @extend_schema(
        request={"multipart/form-data": UploadSerializer}, responses={202: FileJobSerializer}
    )
    def create(self, request: Request, dataset: int) -> Response:
        """Upload a file; a job reads it. Nothing is in the dataset yet."""
        sent = UploadSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        file = sent.validated_data["file"]
        kept = storage.keep_pieces(file.chunks())
        added = files.upload_file(dataset=self.dataset, name=file.name, file=kept, by=request.user)
        return accepted_response(self._examine(added), file=added.number)

    def get_parsers(self) -> list[Any]:
        is_upload = self.request and self.action_map.get(self.request.method.lower()) == "create"
        return [MultiPartParser()] if is_upload else super().get_parsers()

    @extend_schema(responses={204: None})
    def destroy(self, request: Request, dataset: int, number: int) -> Response:
        """Discard a file that was not added."""
        files.discard_file(added=self.waiting())
        return Response(status=status.HTTP_204_NO_CONTENT)

    @extend_schema(request=Mapping, responses={202: FileJobSerializer})
    @action(detail=True, methods=["put"])
    def reading(self, request: Request, dataset: int, number: int) -> Response:
        """Have a file read with other settings than the detected ones. Columns that the mapping does
        not name get proposed roles."""
        added = self.waiting()
        try:
            mapping = mapping_from(request.data)
        except MappingRefused as refused:
            raise ValidationError(refused.errors) from None
        files.choose_mapping(added=added, mapping=mapping, protocol=None)
        return accepted_response(self._examine(added), file=added.number)

    @extend_schema(responses={200: ProposalSerializer, 202: FileJobSerializer})
    @action(detail=True)
    def roles(self, request: Request, dataset: int, number: int) -> Response:
        """Return what a file holds under its mapping; 202 while a job reads it."""
        added = self.waiting()
        if not files.is_read(added):
            return accepted_response(self._examine(added), file=added.number)
        look = added.examined[preview.LOOK]
        if "unreadable" in look:
            raise Conflict(f"The file cannot be read. {look['unreadable']}")
        return Response(ProposalSerializer(_proposal(added, look)).data)

    @extend_schema(request=RolesSerializer, responses={200: FileSerializer, 202: FileJobSerializer})
    @roles.mapping.put
    def set_roles(self, request: Request, dataset: int, number: int) -> Response:
        """Set how a file is read, and the protocol of its ratings. A job reads a large file."""
        added = self.waiting()
        if not files.is_read(added):
            raise Conflict("A job reads the file. Try again when it is done.")
        sent = RolesSerializer(data=request.data, context={"request": request})
        sent.is_valid(raise_exception=True)
        mapping, protocol = sent.validated_data["mapping"], sent.validated_data.get("protocol")
        _check_columns(mapping, added)
        if added.file.size > preview.INLINE:
            files.choose_mapping(added=added, mapping=mapping, protocol=protocol)
            return accepted_response(self._examine(added), file=added.number)
        protocols = protocols_of(request.user)
        files.read_file(added=added, mapping=mapping, protocol=protocol, protocols=protocols)
        if misfit := fit.misfit(protocol, preview.rated_in(added)):
            raise ValidationError({"protocol": [misfit]})
        return Response(FileSerializer(self.get_object()).data)

    @extend_schema(responses=ChoicesSerializer)
    @action(detail=True)
    def choices(self, request: Request, dataset: int, number: int) -> Response:
        """Return how the rows of a file are matched."""
        return Response(ChoicesSerializer(files.choices_of(self.get_object()).as_dict()).data)

    @extend_schema(request=ChoicesSerializer, responses=ChoicesSerializer)
    @choices.mapping.put
    def set_choices(self, request: Request, dataset: int, number: int) -> Response:
        """Decide how the rows of a file are matched."""
        added = self.waiting()
        sent = ChoicesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        files.choose_matching(added=added, choices=choices_from(sent.validated_data))
        return Response(sent.data)

    @extend_schema(responses=PreviewSerializer)
    @action(detail=True)
    def preview(self, request: Request, dataset: int, number: int) -> Response:
        """Return what a file would add, according to its last preview."""
        added = self.get_object()
        if added.state != AddedFile.State.WAITING or not added.is_examined:
            raise NotFound("There is no preview. Ask for one, and wait for its job.")
        found = added.examined[files.MATCHED]
        study = added.examined[preview.LOOK]["study"]
        shown = {
            "tiers": {},
            "examples": {},
            **found,
            "summary": study["sentence"],
            "surprises": files.surprises(added),
            "accepted": not files.unaccepted_surprises(added),
            "mostly_new": added.examined.get(files.MOSTLY_NEW, ""),
        }
        return Response(PreviewSerializer(shown).data)

    @extend_schema(request=None, responses={202: FileJobSerializer})
    @preview.mapping.post
    def start_preview(self, request: Request, dataset: int, number: int) -> Response:
        """Have a job preview what a file would add."""
        added = self.waiting()
        return accepted_response(self._examine(added), file=added.number)

    @extend_schema(request=None, responses={202: JobSerializer})
    @action(detail=False, methods=["post"], url_path="preview", url_name="preview-all")
    def preview_all(self, request: Request, dataset: int) -> Response:
        """Have a job preview what all waiting files would add together."""
        return accepted_response(self._begin(files.PREVIEW_ALL, self.all_waiting()))

    @extend_schema(request=AddingSerializer, responses={202: FileJobSerializer})
    @action(detail=True, methods=["post"])
    def add(self, request: Request, dataset: int, number: int) -> Response:
        """Have a job add a file to its dataset."""
        added = self.waiting()
        return accepted_response(self._add([added]), file=added.number)

    @extend_schema(request=AddingSerializer, responses={202: JobSerializer})
    @action(detail=False, methods=["post"], url_path="add", url_name="add-all")
    def add_all(self, request: Request, dataset: int) -> Response:
        """Have a job add all waiting files, or none if one cannot be added."""
        return accepted_response(self._add(self.all_waiting()))

    @extend_schema(request=None, responses={200: FileSerializer, 202: FileJobSerializer})
    @action(detail=True, methods=["post"], url_path="take-back")
    def take_back(self, request: Request, dataset: int, number: int) -> Response:
        """Remove everything that a file added; a job does it for a large file."""
        added = self.get_object()
        check_confirmed(request)
        if added.state != AddedFile.State.ADDED:
            raise Conflict("The file is not in the dataset.")
        if take_back.is_slow(added):
            return accepted_response(self._begin(files.TAKE_BACK, [added]), file=added.number)
        take_back.remove_added_rows(added=added, by=request.user, now=timezone.now())
        return Response(FileSerializer(self.get_object()).data)

    def _examine(self, added: AddedFile) -> Job:
        """Return the job that reads a file and matches it with the dataset."""
        return self._begin(files.EXAMINE, [added])

    def _begin(self, kind: str, about: Sequence[AddedFile], **parameters: Any) -> Job:
        return tasks.begin_once(
            kind=kind,
            by=self.request.user,
            dataset=self.dataset,
            files=[each.pk for each in about],
            **parameters,
        )

    def _add(self, about: Sequence[AddedFile]) -> Job:
        sent = AddingSerializer(data=self.request.data)
        sent.is_valid(raise_exception=True)
        said = sent.validated_data
        surprising = [each for each in about if files.unaccepted_surprises(each)]
        mostly_new = [each for each in about if each.examined.get(files.MOSTLY_NEW)]
        errors: dict[str, list[str]] = {}
        if surprising and not said["accept_surprises"]:
            errors["accept_surprises"] = [
                s for each in surprising for s in files.unaccepted_surprises(each)
            ]
        if mostly_new and not said["confirm_new"]:
            errors["confirm_new"] = [each.examined[files.MOSTLY_NEW] for each in mostly_new]
        if errors:
            raise ValidationError(errors)
        if said["confirm_new"]:
            files.confirm_new(files=about)
        accept = {"accept_surprises": True} if said["accept_surprises"] else {}
        return self._begin(files.ADD, about, **accept)
