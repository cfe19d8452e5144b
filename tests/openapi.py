"""The committed document of the REST API, and answers that are held against it."""

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
MAX_EXAMPLE = 4_000  # characters
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
    """Write an answer as the example of its operation, if RECORDED names a folder; of several, the
    fullest one of moderate length stays."""
    operation = operation_at(method, path)
    is_json = answer.headers.get("Content-Type", "") == "application/json"
    if not RECORDED or operation is None or answer.status_code >= 300:
        return
    example: dict[str, Any] = {"status": str(answer.status_code)}
    if is_json and not answer.streaming:
        example["response"] = shortened(answer.json())
    if sent and isinstance(sent, dict) and "requestBody" in operation:
        example["request"] = sent
    text = json.dumps(example, ensure_ascii=False, default=str)
    file = Path(RECORDED) / f"{operation['operationId']}.json"
    length = len(file.read_text()) if file.exists() else 0
    if length < len(text) < MAX_EXAMPLE:
        file.write_text(text)


def shortened(content: Any) -> Any:
    """Return the content with one entry of each list."""
    if isinstance(content, list):
        return [shortened(each) for each in content[:1]]
    if isinstance(content, dict):
        return {name: shortened(inner) for name, inner in content.items()}
    return content


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    """Return a validator of a part of the document."""
    return Draft202012Validator(
        {**schema, "components": document()["components"]}, format_checker=FormatChecker()
    )
