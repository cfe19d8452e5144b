"""The committed document of the REST API, and answers that are held against it."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from django.urls import Resolver404, resolve
from jsonschema import Draft202012Validator, FormatChecker

COMMITTED = Path(__file__).resolve().parents[1] / "docs" / "openapi.yaml"
METHODS = ("get", "post", "put", "patch", "delete")
RECORDED = os.environ.get("QUAESTOR_EXAMPLES", "")  # a folder for examples of operations
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
        if method in METHODS
    }


def operation_at(method: str, path: str) -> dict[str, Any] | None:
    """Return the operation of an address; None if there is none."""
    try:
        route = resolve(path).route
    except Resolver404:
        return None
    return operations().get((method.lower(), "/" + PLACEHOLDER.sub("{}", route)))


def faults(method: str, path: str, answer: Any) -> Iterator[str]:
    """Yield each way in which an answer differs from what the document says of it."""
    operation = operation_at(method, path)
    if operation is None:
        return
    declared = operation["responses"].get(str(answer.status_code))
    if declared and "$ref" in declared:
        declared = document()["components"]["responses"][declared["$ref"].rpartition("/")[2]]
    if declared is None:
        yield f"{operation['operationId']} does not declare {answer.status_code}"
        return
    for name in declared.get("headers", {}):
        is_required = document()["components"]["headers"][name].get("required")
        if is_required and name not in answer.headers:
            yield f"{operation['operationId']} {answer.status_code}: the header {name} is missing"
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


def record(method: str, path: str, sent: Any, answer: Any) -> None:
    """Write a successful answer as a possible example of its operation, if RECORDED names a folder;
    `tests/write_examples.py` chooses one."""
    operation = operation_at(method, path)
    if not RECORDED or operation is None or answer.status_code >= 300:
        return
    example: dict[str, Any] = {"status": str(answer.status_code)}
    if answer.headers.get("Content-Type", "").partition(";")[0] == "application/json":
        example["response"] = json.loads(_content(answer))
    if sent and isinstance(sent, dict) and "requestBody" in operation:
        example["request"] = sent
    text = json.dumps(example, ensure_ascii=False, default=str)
    name = f"{operation['operationId']}.{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"
    (Path(RECORDED) / name).write_text(text)


def _content(answer: Any) -> bytes:
    """Return the content of an answer, which stays readable if it is a stream."""
    if not answer.streaming:
        return bytes(answer.content)
    pieces = list(answer.streaming_content)
    answer.streaming_content = pieces
    return b"".join(pieces)


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return a validator of a part of the document."""
    return Draft202012Validator(
        {**schema, "components": document()["components"]}, format_checker=FormatChecker()
    )
