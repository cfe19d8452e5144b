"""The committed document of the REST API, and answers that are held against it."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.urls import Resolver404, resolve
from jsonschema import Draft202012Validator, FormatChecker

COMMITTED = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
PLACEHOLDER = re.compile(r"<[^>]*>|\{[^}]*\}")


@cache
def document() -> dict[str, Any]:
    """Return the document as it is committed."""
    return yaml.load(COMMITTED.read_text(), Loader=yaml.CSafeLoader)


@cache
def operations() -> dict[tuple[str, str], dict[str, Any]]:
    """Return the operations by method and address without names of parameters."""
    return {
        (method, PLACEHOLDER.sub("{}", path)): operation
        for path, item in document()["paths"].items()
        for method, operation in item.items()
        if method in ("get", "post", "put", "patch", "delete")
    }


def faults(method: str, path: str, answer: Any) -> Iterator[str]:
    """Yield each way in which an answer differs from what the document says of it."""
    try:
        route = resolve(path).route
    except Resolver404:
        return
    address = "/" + PLACEHOLDER.sub("{}", route)
    operation = operations().get((method.lower(), address))
    if operation is None:
        yield f"{method} {address} is not documented"
        return
    declared = operation["responses"].get(str(answer.status_code))
    if declared is None:
        yield f"{operation['operationId']} does not declare {answer.status_code}"
        return
    media_type = answer.headers.get("Content-Type", "").partition(";")[0]
    contents = declared.get("content", {})
    if not contents and not getattr(answer, "content", b""):
        return
    if media_type not in contents:
        yield f"{operation['operationId']} {answer.status_code}: {media_type} is not declared"
        return
    if media_type.endswith("json") and not answer.streaming:
        schema = contents[media_type].get("schema", {})
        for error in validator(schema).iter_errors(answer.json()):
            place = "/".join(map(str, error.absolute_path))
            yield f"{operation['operationId']} {answer.status_code} {place}: {error.message[:200]}"


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return a validator of a part of the document."""
    return Draft202012Validator(
        {**schema, "components": document()["components"]}, format_checker=FormatChecker()
    )
