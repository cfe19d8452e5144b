"""Protocols: reading them, validating a document and creating a version."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.text import get_valid_filename
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.downloads import FileRenderer, file_response
from judging.base.limits import MAX_TEXT_CHARACTERS
from judging.jobs.api.resources import Resource
from judging.people.guards import check_creator
from judging.protocols import documents, protocol_edits
from judging.protocols.actions import protocol_drafts
from judging.protocols.guards import protocols_of
from judging.protocols.models.protocol import Protocol
from judging.protocols.protocol_yaml import ProtocolError, ProtocolProblem


class ProtocolSerializer(serializers.ModelSerializer):
    """A version of a protocol. It never changes."""

    owner = serializers.CharField(
        source="owner.username",
        default=None,
        allow_null=True,
        help_text="User name of the owner; null for protocols that come with the software.",
    )

    class Meta:
        model = Protocol
        fields = ("id", "key", "version", "title", "task", "digest", "owner", "created_at")


class WholeProtocolSerializer(ProtocolSerializer):
    """A version of a protocol with its document."""

    document = serializers.DictField()

    class Meta(ProtocolSerializer.Meta):
        fields = (*ProtocolSerializer.Meta.fields, "document")


class DocumentSerializer(serializers.Serializer):
    """A protocol as a document or as YAML."""

    document = serializers.DictField(required=False)
    yaml = serializers.CharField(
        required=False, max_length=MAX_TEXT_CHARACTERS, trim_whitespace=False
    )

    def validate(self, said: dict[str, Any]) -> dict[str, Any]:
        if ("document" in said) == ("yaml" in said):
            raise ValidationError("Send either `document` or `yaml`.")
        return said

    @property
    def text(self) -> str:
        """The protocol as YAML."""
        said = self.validated_data
        return said["yaml"] if "yaml" in said else documents.write_yaml(said["document"])


class DocumentProblemSerializer(serializers.Serializer):
    """A fault of a document, with its line and key."""

    line = serializers.IntegerField(allow_null=True)
    key = serializers.CharField()
    reason = serializers.CharField()


class ValidationSerializer(serializers.Serializer):
    """Whether a document is a valid protocol, with its problems and warnings."""

    is_valid = serializers.BooleanField()
    problems = DocumentProblemSerializer(many=True)
    warnings = DocumentProblemSerializer(many=True)


class ProtocolFilter(filters.FilterSet):
    """By key, version and owner; `shipped` are those that come with the software."""

    owner = filters.CharFilter(field_name="owner__username")
    shipped = filters.BooleanFilter(field_name="owner", lookup_expr="isnull")

    class Meta:
        model = Protocol
        fields = ("key", "version", "task")


@extend_schema_view(
    list=extend_schema(summary="List the shipped protocols, your own, and those of your campaigns"),
    retrieve=extend_schema(summary="Return a version of a protocol with its document"),
)
class Protocols(mixins.ListModelMixin, mixins.RetrieveModelMixin, Resource):
    """Protocols that come with the software, the user's own, and those of their campaigns."""

    queryset = Protocol.objects.all()
    filterset_class = ProtocolFilter
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[Protocol]:
        found = protocols_of(self.request.user).select_related("owner")
        return found.defer("document") if self.action == "list" else found

    def get_serializer_class(self) -> type[ProtocolSerializer]:
        return ProtocolSerializer if self.action == "list" else WholeProtocolSerializer

    @extend_schema(request=DocumentSerializer, responses={201: WholeProtocolSerializer})
    def create(self, request: Request) -> Response:
        """Create a version of a protocol of your own; an equal version is not created again."""
        check_creator(request.user)
        sent = DocumentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        try:
            made = protocol_drafts.create_version(by=request.user, text=sent.text)
        except ProtocolError as wrong:
            raise ValidationError(_by_field(wrong.problems)) from None
        return Response(WholeProtocolSerializer(made).data, status=status.HTTP_201_CREATED)

    @extend_schema(request=DocumentSerializer, responses=ValidationSerializer)
    @action(detail=False, methods=["post"])
    def validate(self, request: Request) -> Response:
        """Return the problems of a document, and store nothing."""
        check_creator(request.user)
        sent = DocumentSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        problems, warnings = documents.check(sent.text, protocol_edits.FILE)
        found = {
            "is_valid": not problems,
            "problems": problems,
            "warnings": [{"line": None, "key": key, "reason": said} for key, said in warnings],
        }
        return Response(ValidationSerializer(found).data)

    @extend_schema(responses=file_response("application/yaml"))
    @action(detail=True, renderer_classes=[FileRenderer], filterset_class=None)
    def yaml(self, request: Request, pk: int) -> HttpResponse:
        """Return a version of a protocol as YAML."""
        protocol = self.get_object()
        name = f"{protocol.key}-{get_valid_filename(protocol.version)}.yaml"
        headers = {
            "Content-Disposition": f'attachment; filename="{name}"',
            "X-Content-Type-Options": "nosniff",
        }
        text = documents.to_yaml(documents.protocol_from_document(protocol.document))
        return HttpResponse(text, content_type="application/yaml; charset=utf-8", headers=headers)


def _by_field(problems: tuple[ProtocolProblem, ...]) -> dict[str, list[str]]:
    """Return the problems of a document by their key."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        where = f"Line {problem.line}: " if problem.line else ""
        found.setdefault(problem.key, []).append(f"{where}{problem.reason}")
    return found
