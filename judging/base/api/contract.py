"""Refusal of every field and parameter that the schema of the REST API does not declare.

What an operation declares is read from the same description that makes `docs/openapi.yaml`.
"""

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from judging.base.api.rate_limits import add_rate_limit

UNKNOWN_FIELD, UNKNOWN_PARAMETER = "unknown_field", "unknown_parameter"


class DeclaredOnly:
    """A view that takes only the parameters and the fields that its schema declares."""

    def check_declared(self, request: Request) -> None:
        """Raise ValidationError for parameters of the query and fields of the content that the
        operation does not declare."""
        operation = _declared_operation(self, request)
        if operation is None:
            return
        parameters = _declared_parameters(self, operation) if request.query_params else set()
        unknown = [
            (name, _no_such("parameter", UNKNOWN_PARAMETER, name, parameters))
            for name in request.query_params
            if name not in parameters
        ]
        if operation.method in ("POST", "PUT", "PATCH", "DELETE") and request.data:
            declared = _declared_content(self, operation)
            unknown += _unknown_fields(declared, request.data)
        if unknown:
            raise ValidationError({name: [error] for name, error in unknown})

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        add_rate_limit(request, response)
        return super().finalize_response(request, response, *args, **kwargs)


class PlainView(DeclaredOnly, APIView):
    """A view without a view set that takes only what its schema declares."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self.check_declared(request)


class NoFields(serializers.Serializer):
    """The content of a request that takes none."""


def _declared_operation(view: Any, request: Request) -> AutoSchema | None:
    """Return the description of the operation that a request asks for; None if there is none."""
    handler = getattr(view, getattr(view, "action", None) or request.method.lower(), None)
    if handler is None:
        return None
    described = getattr(handler, "kwargs", {}).get("schema", api_settings.DEFAULT_SCHEMA_CLASS)
    operation: AutoSchema = described()
    operation.view, operation.method, operation.path = view, request.method, request.path
    return operation


def _declared_parameters(view: Any, operation: AutoSchema) -> set[str]:
    """Return the names of the parameters that an operation takes in its query."""
    declared = {
        parameter.name
        for parameter in operation.get_override_parameters()
        if parameter.location == OpenApiParameter.QUERY
    }
    declared |= {parameter["name"] for parameter in operation._get_pagination_parameters()}
    for backend in operation.get_filter_backends():
        filters = backend().get_filterset_class(view, view.queryset)
        declared |= set(filters.base_filters) if filters else set()
    return declared


def _declared_content(view: Any, operation: AutoSchema) -> Any:
    """Return the serializer of an operation's content; None if another class checks it."""
    declared = operation.get_request_serializer()
    if isinstance(declared, Mapping):  # by media type
        declared = next(iter(declared.values()))
    if declared is None:
        return NoFields()
    if isinstance(declared, type) and issubclass(declared, serializers.BaseSerializer):
        return declared(context=view.get_serializer_context() if hasattr(view, "rows") else {})
    return declared if isinstance(declared, serializers.BaseSerializer) else None


def _unknown_fields(
    declared: Any, content: Any, path: str = ""
) -> Iterator[tuple[str, ErrorDetail]]:
    """Yield the path of each field of the content that a serializer does not take, and why."""
    if isinstance(declared, serializers.ListSerializer | serializers.ListField):
        for place, inner in enumerate(content if isinstance(content, list) else ()):
            yield from _unknown_fields(declared.child, inner, f"{path}[{place}]")
    elif isinstance(declared, serializers.DictField) and isinstance(content, Mapping):
        for name, inner in content.items():
            yield from _unknown_fields(declared.child, inner, _below(path, name))
    elif isinstance(declared, serializers.Serializer) and isinstance(content, Mapping):
        fields = {name: field for name, field in declared.fields.items() if not field.read_only}
        for name, inner in content.items():
            if name in fields:
                yield from _unknown_fields(fields[name], inner, _below(path, name))
            else:
                yield _below(path, name), _no_such("field", UNKNOWN_FIELD, name, fields)


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else str(name)


def _no_such(kind: str, code: str, name: str, names: Collection[str]) -> ErrorDetail:
    """Return the error about an unknown name, with the nearest known one."""
    nearest = difflib.get_close_matches(str(name), names, n=1)
    if nearest:
        return ErrorDetail(f"There is no such {kind}. Did you mean {nearest[0]}?", code)
    listed = f"Those there are: {', '.join(sorted(names))}." if names else "There are none."
    return ErrorDetail(f"There is no such {kind}. {listed}", code)
