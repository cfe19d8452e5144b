"""Write `quaestor_client/types.py`, the types of requests and answers, from `docs/openapi.yaml`.

Run it when the schema has changed: `python tests/client/generate_types.py`. It writes
the types that the client's modules use as `types.NAME`, and those they refer to. NAME is that of a
schema; `<OperationId>Query` for the query parameters of an operation; or a key of `WITHOUT` or
`FIELD_TYPES`. Behind them come the default values of the schemas in `DEFAULTS`.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "openapi.yaml"
MODULES = ROOT / "packages" / "quaestor-client" / "src" / "quaestor_client"
TYPES = MODULES / "types.py"
# A schema without the fields that a method has as parameters of its own
WITHOUT = {
    "AnswersOptions": ("DraftRequest", ("sequence", "answers")),
    "CampaignOptions": ("NewCampaignRequest", ("title", "dataset", "protocol")),
    "DatasetOptions": ("NewDatasetRequest", ("name", "rows", "accept_surprises")),
    "JudgeOptions": ("NewLlmJudgeRequest", ("file", "verdicts")),
    "JudgmentFilters": ("CampaignsJudgmentsListQuery", ("limit",)),
    "ScoringOptions": ("NewScoresRequest", ("metrics",)),
}
# A name for the type of one field of a schema
FIELD_TYPES = {"ColumnRole": ("Column", "role")}
# A name for the default values of the optional fields of a schema
DEFAULTS = {"QUALITY_DEFAULTS": "QualityRequest", "SAMPLE_DEFAULTS": "SampleRequest"}
HEAD = '''"""The requests and answers of the API: written by `generate_types.py`, not by hand."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict
'''
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
FORMATS = {"date-time": "datetime", "date": "date", "binary": "bytes"}
INDENTED: dict[str, Any] = {"initial_indent": "    ", "subsequent_indent": "    "}

Schema = Mapping[str, Any]


def schemas_of(document: Schema) -> dict[str, Schema]:
    """Return the schemas by the names of their types, query parameters included."""
    schemas: dict[str, Schema] = dict(document["components"]["schemas"])
    for path in document["paths"].values():
        for operation in path.values():
            if "operationId" in operation:
                words = re.split(r"[_\W]+", operation["operationId"])
                name = "".join(word[:1].upper() + word[1:] for word in words)
                schemas[f"{name}Query"] = query_schema(operation)
    for name, (whole, fields) in WITHOUT.items():
        properties = {key: field for key, field in fields_of(schemas, whole) if key not in fields}
        required = required_in(schemas[whole]) - set(fields)
        schemas[name] = {**schemas[whole], "properties": properties, "required": sorted(required)}
    for name, (whole, field) in FIELD_TYPES.items():
        schemas[name] = dict(fields_of(schemas, whole))[field]
    return schemas


def query_schema(operation: Schema) -> Schema:
    """Return the query parameters of an operation as the schema of an object."""
    properties = {
        parameter["name"]: {"description": parameter.get("description", ""), **parameter["schema"]}
        for parameter in operation.get("parameters", ())
        if parameter.get("in") == "query" and parameter["name"] != "cursor"
    }
    summary = operation.get("summary", operation["operationId"])
    return {"type": "object", "description": f"Query: {summary}.", "properties": properties}


def fields_of(schemas: Mapping[str, Schema], name: str) -> Iterator[tuple[str, Schema]]:
    """Yield the properties of a schema, and of those it extends."""
    for part in schemas[name].get("allOf", ()):
        if "$ref" in part:
            yield from fields_of(schemas, reference(part))
        yield from part.get("properties", {}).items()
    yield from schemas[name].get("properties", {}).items()


def required_in(schema: Schema) -> set[str]:
    """Return the names of the properties that a schema requires."""
    parts = (schema, *schema.get("allOf", ()))
    return {name for part in parts for name in part.get("required", ())}


def reference(schema: Schema) -> str:
    """Return the name of the schema that this one refers to."""
    return str(schema["$ref"]).rpartition("/")[2]


def expression(schema: Schema) -> str:
    """Return the Python type of a schema."""
    parts = list(dict.fromkeys(alternatives(schema)))
    if "Any" in parts:
        return "Any"
    values = [part[1:] for part in parts if part.startswith("=")]
    kinds = [part for part in parts if not part.startswith("=") and part != "None"]
    literal = [f"Literal[{', '.join(values)}]"] if values else []
    return " | ".join([*kinds, *literal, *(["None"] if "None" in parts else [])])


def alternatives(schema: Schema) -> Iterator[str]:
    """Yield the Python types that a value may have, and the values of an enumeration behind "="."""
    members = [part for key in ("oneOf", "anyOf", "allOf") for part in schema.get(key, ())]
    if schema.get("nullable"):
        yield "None"
    if "$ref" in schema:
        yield reference(schema)
    elif "enum" in schema or "const" in schema:
        for value in schema.get("enum", [schema.get("const")]):
            yield "None" if value is None else f"={value!r}"
    elif members:
        for part in members:
            yield from alternatives(part)
    else:
        kinds = schema.get("type", "object" if "properties" in schema else [])
        for kind in [kinds] if isinstance(kinds, str) else kinds or ["any"]:
            yield plain(kind, schema)


def plain(kind: str, schema: Schema) -> str:
    """Return the Python type of one JSON type."""
    if kind == "array":
        return f"list[{expression(schema.get('items', {}))}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"dict[str, {expression(values) if isinstance(values, dict) else 'Any'}]"
    if kind == "string" and schema.get("format") in FORMATS:
        return FORMATS[schema["format"]]
    return SCALARS.get(kind, "Any")


def definition(name: str, schemas: Mapping[str, Schema]) -> str:
    """Return the Python definition of a schema."""
    schema, fields = schemas[name], dict(fields_of(schemas, name))
    if not fields and schema.get("type") != "object":
        return f"{name}: TypeAlias = {expression(schema)}"
    required = required_in(schema)
    description = " ".join(schema.get("description", name).split()).replace('"""', "'''")
    lines = [f"class {name}(TypedDict):"]
    lines += [*textwrap.wrap(f'"""{description}"""', 96, **INDENTED), ""]
    for key, field in fields.items():
        kind = expression(field)
        lines.append(f"    {key}: {kind if key in required else f'NotRequired[{kind}]'}")
    return "\n".join(lines)


def defaults(name: str, schema: str, schemas: Mapping[str, Schema]) -> str:
    """Return the Python definition of the default values of a schema."""
    required = required_in(schemas[schema])
    values = {
        key: field.get("default")
        for key, field in fields_of(schemas, schema)
        if key not in required
    }
    return f"{name}: dict[str, Any] = {values!r}"


def names_in(value: Any) -> Iterator[str]:
    """Yield the names of the schemas to which a schema refers."""
    if isinstance(value, Mapping) and isinstance(value.get("$ref"), str):
        yield reference(value)
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from names_in(part)


def used_names(schemas: Mapping[str, Schema]) -> list[str]:
    """Return the names of the types that the client's modules use, and of those they refer to."""
    modules = [path.read_text() for path in MODULES.glob("*.py") if path != TYPES]
    waiting = [name for text in modules for name in re.findall(r"\btypes\.([A-Z]\w*)", text)]
    names: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in DEFAULTS:
            continue
        if name not in schemas:
            raise SystemExit(f"docs/openapi.yaml has no schema {name}, which the client uses.")
        if name not in names:
            names.add(name)
            waiting += names_in(schemas[name])
    return sorted(names)


def generate() -> str:
    """Return the module as text."""
    schemas = schemas_of(yaml.load(SCHEMA.read_text(), Loader=yaml.CSafeLoader))
    definitions = [definition(name, schemas) for name in used_names(schemas)]
    values = [defaults(name, schema, schemas) for name, schema in DEFAULTS.items()]
    return "\n\n\n".join([HEAD.rstrip(), *definitions, *values]) + "\n"


if __name__ == "__main__":
    TYPES.write_text(generate())
