"""From the bytes of an uploaded file to a study, under a plan that can wait in a session, a job or a shell."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from judging.formats.columns import BadColumns, Columns, columns_from
from judging.formats.guessing import guess
from judging.formats.mapping import to_study
from judging.formats.qgstec_xml import read_qgstec
from judging.formats.records import Study, unreadable
from judging.formats.tables import Table, read_delimited, read_jsonl, shorten
from judging.formats.text import Unreadable

SAMPLE_ROWS = 50
DELIMITED, JSONL, QGSTEC = "delimited", "jsonl", "qgstec"
KINDS = {DELIMITED: "Table: CSV, TSV", JSONL: "JSON Lines", QGSTEC: "QG-STEC XML"}
_ENDINGS = {".xml": QGSTEC, ".jsonl": JSONL, ".ndjson": JSONL, ".csv": DELIMITED, ".tsv": DELIMITED, ".txt": DELIMITED}
_FIRST = {b"<": QGSTEC, b"{": JSONL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a file is read. What is not said is found out: the kind, the delimiter, whether cells are quoted."""

    kind: str = ""
    delimiter: str = ""
    quoted: bool | None = None
    columns: Columns | None = None
    expected: int = 2

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file: enough to say which column holds what."""

    kind: str
    header: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    @property
    def has_columns(self) -> bool:
        """Say whether the researcher has columns to name."""
        return bool(self.header)

    def guess(self) -> Columns:
        """Return a first proposal of what each column holds."""
        return guess(self.header, self.rows)

    def first_values(self, place: int, most: int = 3) -> list[str]:
        """Return the first few different values of a column."""
        values = dict.fromkeys(row[place].strip() for row in self.rows)
        return [value for value in values if value][:most]


def plan_from(data: Mapping[str, Any]) -> Plan:
    """Return the plan that plain data hold; BadColumns where its columns are misshapen."""
    columns = data.get("columns")
    return Plan(**{**data, "columns": None if columns is None else columns_from(columns)})


def kind_of(*, name: str, data: bytes) -> str:
    """Return what kind of file this is, by the ending of its name, else by its first character."""
    ending = next((kind for end, kind in _ENDINGS.items() if name.casefold().endswith(end)), "")
    return ending or _FIRST.get(data[:64].removeprefix(b"\xef\xbb\xbf").lstrip()[:1], DELIMITED)


def read_head(*, name: str, data: bytes, plan: Plan) -> Head:
    """Return the beginning of a file; Unreadable, with a sentence, where it cannot be read at all."""
    kind = plan.kind or kind_of(name=name, data=data)
    if kind == QGSTEC:
        read_qgstec(data)
        return Head(kind=kind)
    table = _table(data, replace(plan, kind=kind))
    rows = tuple(tuple(map(_shown, row.cells)) for row in table.rows[:SAMPLE_ROWS])
    return Head(kind=kind, header=table.header, rows=rows)


def read_study(*, name: str, data: bytes, plan: Plan) -> Study:
    """Return the study in a file; one with the reason where it cannot be read, or not under these columns."""
    kind = plan.kind or kind_of(name=name, data=data)
    try:
        if kind == QGSTEC:
            return read_qgstec(data, expected=plan.expected)
        table = _table(data, replace(plan, kind=kind))
        columns = plan.columns or guess(table.header, [row.cells for row in table.rows[:SAMPLE_ROWS]])
        return to_study(table, columns)
    except (Unreadable, BadColumns) as error:
        return unreadable(str(error))


def missing_system(columns: Columns, header: Sequence[str]) -> bool:
    """Say whether somebody must say whose questions these are: the file does not, and nothing is made up."""
    return columns.system not in header and columns.default_system in ("", Columns().default_system)


def _table(data: bytes, plan: Plan) -> Table:
    if plan.kind == JSONL:
        return read_jsonl(data)
    return read_delimited(data, delimiter=plan.delimiter or None, quoted=plan.quoted)


def _shown(cell: str) -> str:
    return shorten(cell, most=160)
