"""Refusal of every field and parameter that the schema of the REST API does not declare.

What an operation declares is read from the same description that makes `docs/openapi.yaml`.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.settings import api_settings
from rest_framework.views import APIView

from judging.base.api.rate_limits import add_rate_limit

UNKNOWN_FIELD, UNKNOWN_PARAMETER = "unknown_field", "unknown_parameter"
WRITING = ("POST", "PUT", "PATCH", "DELETE")
WHOLE_NUMBER = re.compile("-?[0-9]{1,18}")
MOST_LISTED = 40  # choices that an error lists


class DeclaredOnly:
    """A view that takes only the parameters and the fields that its schema declares."""

    def check_declared(self, request: Request) -> None:
        """Raise ValidationError for parameters of the query and fields of the content that the
        operation does not declare."""
        operation = _declared_operation(self, request)
        if operation is None:
            return
        undeclared = [*_undeclared_parameters(operation, request)] if request.query_params else []
        if operation.method in WRITING and request.data:
            declared = _declared_content(self, operation)
            undeclared += _undeclared_fields(declared, request.data)
        if undeclared:
            raise ValidationError({name: [error] for name, error in undeclared})

    def handle_exception(self, exc: Exception) -> Response:
        """Add the choices that there are to the errors of wrong choices in the content."""
        if isinstance(exc, ValidationError):
            operation = _declared_operation(self, self.request)
            if operation is not None and self.request.method in WRITING:
                exc.detail = _with_choices(_declared_content(self, operation), exc.detail)
        return super().handle_exception(exc)

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


def _undeclared_parameters(
    operation: AutoSchema, request: Request
) -> Iterator[tuple[str, ErrorDetail]]:
    """Yield the name of each parameter of the query that an operation does not take with this value,
    and why."""
    operation.path = ""  # the parameters of the address are there
    declared = {
        parameter["name"]: parameter["schema"]
        for parameter in operation._get_parameters()
        if parameter["in"] == OpenApiParameter.QUERY
    }
    for name, values in request.query_params.lists():
        if name not in declared:
            yield name, no_such("parameter", UNKNOWN_PARAMETER, name, declared)
        elif len(values) > 1:
            yield name, ErrorDetail("Give this parameter once.", "invalid")
        elif why := _why_not(values[0], declared[name]):
            yield name, ErrorDetail(why, "invalid")


def _why_not(value: str, schema: Mapping[str, Any]) -> str:
    """Return why a parameter cannot have a value; empty if it can."""
    if "enum" in schema and value not in schema["enum"]:
        return none_of(value, schema["enum"])
    if schema.get("type") == "boolean" and value not in ("true", "false"):
        return f"“{value}” is neither true nor false."
    if schema.get("type") == "integer":
        if not WHOLE_NUMBER.fullmatch(value):
            return f"“{value}” is not a whole number."
        if "maximum" in schema and not schema["minimum"] <= int(value) <= schema["maximum"]:
            return f"{value} is not between {schema['minimum']} and {schema['maximum']:,}."
    return ""


def none_of(value: Any, choices: Collection[Any]) -> str:
    """Return the sentence on a value that is none of the choices."""
    if len(choices) > MOST_LISTED:
        nearest = difflib.get_close_matches(str(value), map(str, choices), n=1)
        return f"“{value}” is not allowed." + "".join(f" Did you mean {name}?" for name in nearest)
    return f"“{value}” is none of: {', '.join(map(str, choices))}."


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


def _undeclared_fields(
    declared: Any, content: Any, path: str = ""
) -> Iterator[tuple[str, ErrorDetail]]:
    """Yield the path of each field of the content that a serializer does not take, and why."""
    if isinstance(declared, serializers.ListSerializer | serializers.ListField):
        for place, inner in enumerate(content if isinstance(content, list) else ()):
            yield from _undeclared_fields(declared.child, inner, f"{path}[{place}]")
    elif isinstance(declared, serializers.DictField) and isinstance(content, Mapping):
        for name, inner in content.items():
            yield from _undeclared_fields(declared.child, inner, _below(path, name))
    elif isinstance(declared, serializers.Serializer) and isinstance(content, Mapping):
        fields = {name: field for name, field in declared.fields.items() if not field.read_only}
        for name, inner in content.items():
            if name in fields:
                yield from _undeclared_fields(fields[name], inner, _below(path, name))
            else:
                yield _below(path, name), no_such("field", UNKNOWN_FIELD, name, fields)


def _with_choices(declared: Any, detail: Any) -> Any:
    """Return the errors of a serializer's content, those of wrong choices with the choices."""
    if isinstance(declared, serializers.ChoiceField) and isinstance(detail, list):
        listed = ", ".join(map(str, declared.choices))
        return [
            ErrorDetail(f"{error} Choose one of: {listed}.", error.code)
            if getattr(error, "code", "") == "invalid_choice"
            else error
            for error in detail
        ]
    if isinstance(declared, serializers.ListSerializer) and isinstance(detail, list):
        return [_with_choices(declared.child, inner) for inner in detail]
    if isinstance(declared, serializers.ListField | serializers.DictField):
        if isinstance(detail, Mapping):
            return {name: _with_choices(declared.child, inner) for name, inner in detail.items()}
    elif isinstance(declared, serializers.Serializer) and isinstance(detail, Mapping):
        fields = declared.fields
        return {name: _with_choices(fields.get(name), inner) for name, inner in detail.items()}
    return detail


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else str(name)


def no_such(kind: str, code: str, name: str, names: Collection[str]) -> ErrorDetail:
    """Return the error about an unknown name, with the nearest known one."""
    nearest = difflib.get_close_matches(str(name), names, n=1, cutoff=0.7)
    if nearest:
        return ErrorDetail(f"There is no such {kind}. Did you mean {nearest[0]}?", code)
    listed = f"Those there are: {', '.join(sorted(names))}." if names else "There are none."
    return ErrorDetail(f"There is no such {kind}. {listed}", code)
