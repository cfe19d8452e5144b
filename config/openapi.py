"""The parts of the API's document that no view declares: tags, problems, headers, descriptions,
examples and webhooks. `manage.py spectacular --file docs/openapi.yaml` writes the document."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from config.data_folder import ROOT

PAGES = ROOT / "docs" / "api"
WORDS = yaml.safe_load(Path(__file__).with_name("openapi_words.yaml").read_text(encoding="utf-8"))
EXAMPLES = Path(__file__).with_name("openapi_examples.json")
PREFIX = "/api/v1/"
METHODS = ("get", "post", "put", "patch", "delete")
LISTED = re.compile(r"^\| `([A-Z]+) (\S+)` \|", re.M)  # an operation in the table of a page
JOIN = f"{PREFIX}join/"  # needs no token
FOR_EVERYBODY = (JOIN, PREFIX, f"{PREFIX}me/")
FORM = re.compile("^(Whole|New|Made|Shown|Secret|Patched)|Request$")  # of a schema for several uses
# operations that read, and still depend on the state of what they read
READ_BY_STATE = re.compile(r"/(runs/\{number\}/.+|draws|roles|adjudication.*)/$")

Document = dict[str, Any]


def complete_document(result: Document, generator: Any, request: Any, public: bool) -> Document:
    """Complete the document that the views have declared."""
    components = result["components"]
    components["schemas"]["Problem"] = WORDS["problem"]
    components["responses"] = {
        f"Problem{status}": _problem(status, sentence)
        for status, sentence in WORDS["statuses"].items()
    }
    components["headers"] = WORDS["headers"]
    components["parameters"] = WORDS["parameters"]
    tags, tag_of = _tags()
    result["tags"] = tags
    examples = json.loads(EXAMPLES.read_text(encoding="utf-8"))
    for method, path, operation in operations(result):
        operation["tags"] = [tag_of.get((method, path.removeprefix(PREFIX)), "api")]
        _add_problems(method, path, operation)
        _add_headers(method, path, operation)
        _describe_parameters(operation)
        _add_example(operation, examples.get(operation["operationId"], {}))
    for name, schema in components["schemas"].items():
        _describe_properties(name, schema)
    for name in _sent(result):
        components["schemas"][name].setdefault("additionalProperties", False)
    result["webhooks"] = {event: _webhook(about) for event, about in WORDS["webhooks"].items()}
    return result


def operations(document: Document) -> Iterator[tuple[str, str, Document]]:
    """Yield the method, the path and the description of every operation."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield method, path, item[method]


def _tags() -> tuple[list[dict[str, str]], dict[tuple[str, str], str]]:
    """Return a tag for each page of the reference, and the tag of each operation."""
    tags: list[dict[str, str]] = []
    tag_of: dict[tuple[str, str], str] = {}
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        listed = LISTED.findall(text)
        name = "api" if page.stem == "README" else page.stem
        if listed:
            paragraph = text.split("\n\n")[1].replace("\n", " ")
            tags.append({"name": name, "description": paragraph})
        tag_of |= {(method.lower(), path.removeprefix(PREFIX)): name for method, path in listed}
    return tags, tag_of


def _problem(status: str, sentence: str) -> Document:
    """Return the description of an answer with a problem."""
    names = ["RateLimit", "RateLimit-Policy", "Retry-After"] if status == "429" else []
    schema = {"$ref": "#/components/schemas/Problem"}
    return {
        "description": sentence,
        "headers": _headers(names),
        "content": {"application/problem+json": {"schema": schema}},
    }


def _headers(names: list[str]) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _add_problems(method: str, path: str, operation: Document) -> None:
    """Add the errors that an operation can answer with."""
    statuses = {"406", "422", "429"}
    if path != JOIN:
        statuses |= {"401"}
    if path not in FOR_EVERYBODY:
        statuses |= {"403"}
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    if "{" in path or "cursor" in names or path == JOIN:
        statuses |= {"404"}
    if method != "get":
        statuses |= {"400", "409", "413", "415"}
    elif READ_BY_STATE.search(path):
        statuses |= {"409"}
    if "If-Match" in names:
        statuses |= {"412"}
    if path == JOIN:
        statuses |= {"410"}
    for status in sorted(statuses):
        problem = {"$ref": f"#/components/responses/Problem{status}"}
        operation["responses"].setdefault(status, problem)


def _add_headers(method: str, path: str, operation: Document) -> None:
    """Add the headers of an operation's answers, and the key by which a request is done once."""
    if method == "post" and path != JOIN:
        parameters = operation.setdefault("parameters", [])
        parameters.append({"$ref": "#/components/parameters/IdempotencyKey"})
    for status, response in operation["responses"].items():
        if "$ref" in response:
            continue
        names = ["RateLimit", "RateLimit-Policy"]
        if status == "202" and "Job" in str(response) and not path.endswith("cancel/"):
            names.append("Location")
        if any(name in str(response.get("content")) for name in WORDS["with_entity_tag"]):
            names.append("ETag")
        if names:
            response["headers"] = {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _describe_parameters(operation: Document) -> None:
    for parameter in operation.get("parameters", []):
        if "name" in parameter:
            _describe(parameter, operation["operationId"], parameter["name"])


def _describe_properties(component: str, schema: Document) -> None:
    schema.pop("title", None)  # of pydantic: requests and answers have the same one
    for name, prop in schema.get("properties", {}).items():
        prop.pop("title", None)
        if {"type": "string", "maxLength": 0} in prop.get("oneOf", []):
            prop["anyOf"] = prop.pop("oneOf")  # a blank is also valid where formats are only noted
        if "$ref" in prop:
            prop["allOf"] = [{"$ref": prop.pop("$ref")}]
        _describe(prop, component, name)


def _describe(part: Document, place: str, name: str) -> None:
    """Put words before the values of a parameter or property, and in the place of poorer words."""
    described, mark, values = part.get("description", "").partition("* `")
    own = WORDS["properties"]
    better = own.get(f"{place}.{name}") or own.get(f"{FORM.sub('', place)}.{name}")
    words = better or described.strip() or WORDS["names"].get(name, "")
    part["description"] = f"{words}\n\n{mark}{values}".strip()


def _add_example(operation: Document, example: Document) -> None:
    """Add an example of what is sent and of what comes back."""
    if "request" in example:
        for content in operation["requestBody"]["content"].values():
            content["example"] = example["request"]
    if "response" in example:
        response = operation["responses"][example["status"]]
        for media_type, content in response.get("content", {}).items():
            if media_type.endswith("json"):
                content["example"] = example["response"]


def _sent(document: Document) -> set[str]:
    """Return the names of the schemas of objects that requests contain."""
    schemas, found = document["components"]["schemas"], set[str]()
    waiting = [operation.get("requestBody", {}) for *_, operation in operations(document)]
    while waiting:
        part = waiting.pop()
        values = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
        waiting += values
        name = part.get("$ref", "").rpartition("/")[2] if isinstance(part, dict) else ""
        if name and name not in found:
            found.add(name)
            waiting.append(schemas[name])
    return {name for name in found if "properties" in schemas[name]}


def _webhook(about: Document) -> Document:
    """Return the description of a message that the site sends to a program."""
    data = {"type": "object", "required": list(about["data"]), "properties": about["data"]}
    properties = {**WORDS["webhook_message"], "data": {**data, "description": "The event."}}
    message = {"type": "object", "required": list(properties), "properties": properties}
    return {
        "post": {
            "summary": about["summary"],
            "tags": ["webhooks"],
            "parameters": WORDS["webhook_headers"],
            "requestBody": {"content": {"application/json": {"schema": message}}},
            "responses": {"2XX": {"description": "The message arrived."}},
        }
    }
