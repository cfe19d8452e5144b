"""Errors of the REST API as problem details (RFC 9457), each with a code that stays the same."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.http import Http404
from rest_framework import status
from rest_framework.exceptions import (
    APIException,
    ErrorDetail,
    NotFound,
    PermissionDenied,
    ValidationError,
)
from rest_framework.response import Response
from rest_framework.views import set_rollback

from judging.base.api.contract import none_of
from judging.base.refusals import Refused

CONTENT_TYPE = "application/problem+json"


class Conflict(APIException):
    """The object's state does not allow this now."""

    status_code = status.HTTP_409_CONFLICT
    default_detail = "The state of the object does not allow this."
    default_code = "conflict"


class Unprocessable(APIException):
    """The request is well formed, but its content cannot be used."""

    status_code = status.HTTP_422_UNPROCESSABLE_ENTITY
    default_detail = "The content of the request cannot be used."
    default_code = "unprocessable"


class PreconditionFailed(APIException):
    """The object was changed since the client read it."""

    status_code = status.HTTP_412_PRECONDITION_FAILED
    default_detail = "The object was changed since you read it. Read it again."
    default_code = "changed_since_read"


def problem(error: Exception, context: Mapping[str, Any]) -> Response | None:
    """Return an error as problem details; None for errors that are not the client's."""
    if isinstance(error, Http404):
        error = NotFound("There is no such object, or you may not see it.")
    elif isinstance(error, DjangoPermissionDenied):
        error = PermissionDenied(str(error) or None)
    if isinstance(error, Refused):
        answer = _refusal(error)
    elif isinstance(error, ValidationError):
        answer = _answer(422, "invalid", "Some fields are not valid.", list(_fields(error.detail)))
    elif isinstance(error, APIException):
        answer = _answer(error.status_code, error.get_codes(), str(error.detail))
    else:
        return None
    set_rollback()
    if getattr(error, "auth_header", None):
        answer.headers["WWW-Authenticate"] = error.auth_header
    if getattr(error, "wait", None):
        answer.headers["Retry-After"] = str(int(error.wait) + 1)
    return answer


def _refusal(refused: Refused) -> Response:
    """Return the answer to a request whose action was refused."""
    said = str(refused)
    if refused.field is None and refused.status != 422:
        return _answer(refused.status, refused.code, said)
    wrong = {"field": refused.field or "", "code": refused.code, "detail": said}
    return _answer(422, refused.code, said, [wrong])


def _answer(
    status_code: int, code: Any, detail: str, errors: list[dict[str, str]] | None = None
) -> Response:
    body: dict[str, Any] = {
        "type": "about:blank",
        "title": HTTPStatus(status_code).phrase,
        "status": status_code,
        "code": code,
        "detail": detail,
    }
    if errors is not None:
        body["errors"] = errors
    return Response(body, status=status_code, content_type=CONTENT_TYPE)


def form_errors(form: Any, *, names: Mapping[str, str] | None = None) -> ValidationError:
    """Return the errors of a form of the pages as those of the API; `names` are the API's names of
    fields that have another name in the form."""
    known = names or {}
    return ValidationError(
        {
            known.get(field, field): [
                ErrorDetail(message, code=error.code or "invalid")
                for error in errors
                for message in _messages(error, form.fields.get(field))
            ]
            for field, errors in form.errors.as_data().items()
        }
    )


def _messages(error: Any, field: Any) -> list[str]:
    """Return the messages of a form's error; for a wrong choice one that lists the choices."""
    if error.code != "invalid_choice" or not hasattr(field, "choices") or not error.params:
        return list(error.messages)
    return [none_of(error.params["value"], [key for key, _label in field.choices if key != ""])]


def check_form(form: Any, *, names: Mapping[str, str] | None = None) -> None:
    """Raise the errors of a form of the pages, if it has any, as those of the API."""
    if not form.is_valid():
        raise form_errors(form, names=names)


def initial_values(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a form of the pages offers: the initial values of its fields, if
    any."""
    return {name: each.initial for name, each in fields.items() if each.initial is not None}


def _fields(detail: Any, path: str = "") -> Iterator[dict[str, str]]:
    """Yield each error with the path of its field."""
    if isinstance(detail, Mapping):
        for name, inner in detail.items():
            field = "" if name in ("non_field_errors", "__all__") else str(name)
            yield from _fields(inner, ".".join(filter(None, [path, field])))
    elif isinstance(detail, list):
        for place, inner in enumerate(detail):
            nested = isinstance(inner, Mapping | list)
            yield from _fields(inner, f"{path}[{place}]" if nested else path)
    else:
        yield {"field": path, "code": getattr(detail, "code", "invalid"), "detail": str(detail)}
