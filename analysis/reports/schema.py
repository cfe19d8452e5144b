"""Descriptions of a report's files: the JSON schema of a run, and the list of tables and columns in
the docs."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Protocol

from analysis.reports.rows import Record, RowColumn

TYPES: dict[str, Any] = {
    "text": {"type": ["string", "null"]},
    "number": {"type": ["number", "null"]},
    "count": {"type": ["integer", "null"]},
    "boolean": {"type": "boolean"},
    "list": {"type": "array"},
    "document": {"type": "object"},
}


class Tabled(Protocol):
    """A section, as far as its table goes."""

    key: ClassVar[str]
    title: ClassVar[str]
    version: ClassVar[int]

    @classmethod
    def columns(cls) -> tuple[RowColumn, ...]: ...


def run_schema(sections: Sequence[Tabled]) -> Record:
    """Return the JSON schema of report.json."""
    tables = {section.key: _table_schema(section) for section in sections}
    sentence = {"type": "object", "required": ["about", "text"]}
    tables["sentences"] = {
        "type": "array",
        "description": "the headline, a paragraph for each chapter",
        "items": sentence,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A run of an analysis",
        "type": "object",
        "required": ["made", "tables"],
        "properties": {
            "made": {"type": "object", "description": "how the numbers were made"},
            "tables": {
                "type": "object",
                "description": "those of the chapters that apply and the further analyses asked for",
                "properties": tables,
                "required": ["sentences"],
                "additionalProperties": False,
            },
        },
    }


def column_docs(sections: Sequence[Tabled]) -> str:
    """Return the docs page of all tables and their columns, in Markdown."""
    return "\n".join(_lines(sections)) + "\n"


def _table_schema(section: Tabled) -> Record:
    columns = section.columns()
    return {
        "type": "array",
        "description": f"{section.title} (version {section.version})",
        "items": {
            "type": "object",
            "properties": {
                column.name: {**TYPES[column.kind], "description": column.meaning}
                for column in columns
            },
            "required": [column.name for column in columns],
            "additionalProperties": False,
        },
    }


def _lines(sections: Sequence[Tabled]) -> Iterator[str]:
    yield "# Tables of a report"
    yield ""
    yield "Every table of a run is a CSV file in its archive and a list of records in `report.json`, whose schema is"
    yield "[report.schema.json](report.schema.json). This page and the schema are made from the code by"
    yield "`manage.py report_docs`; a test holds them equal. An undefined number is empty in CSV and null in JSON."
    yield "Each CSV file is UTF-8 with a byte order mark, for spreadsheets; report.json is for programs."
    for section in sections:
        yield ""
        yield f"## {section.key}"
        yield ""
        yield f"{section.title}."
        yield ""
        yield "| column | kind | meaning |"
        yield "|---|---|---|"
        for column in section.columns():
            yield f"| `{column.name}` | {column.kind} | {column.meaning} |"
