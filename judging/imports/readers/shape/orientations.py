"""JSON as pandas and evaluation scripts write it: by column, by row, split into names and rows, by
id or by system.

A value of no known orientation is one record.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from judging.imports.readers.guessing import is_criterion, is_known_name
from judging.imports.readers.likely_columns import are_questions
from judging.imports.readers.nesting import Opening, json_text
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import remark
from judging.imports.readers.tables import (
    OpenTable,
    open_jsonl,
    open_objects,
    parse_json,
    parse_jsons,
    shape_rows,
)
from judging.imports.readers.text import Unreadable, open_text, read_text, unstorable

_LINES_LOOKED_AT = 20
_SPLITS = {"train", "training", "dev", "valid", "validation", "val", "test"}
_SYSTEM_NAMES = ("system", "model", "system_name", "model_name", "system_id", "model_id")

Record = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of a JSON value, and a sentence about their layout."""

    found: Iterable[Record]
    layout: str = ""


def is_not_lines(head: bytes) -> bool:
    """Return whether a file begins like JSON that is not JSON Lines: an object over several lines
    or of a known layout, a line that continues, a list of lists or of texts."""
    if head.startswith(b"["):
        return head[1:].lstrip()[:1] in (b"[", b'"')
    if not head.startswith(b"{"):
        return False
    first, _, rest = head.partition(b"\n")
    try:
        value = parse_json(first.decode(errors="replace"))
    except ValueError:
        return True
    return not rest.strip() and (_is_split(value) or bool(_records_in(value).layout))


def open_json(data: bytes) -> OpenTable:
    """Return the records of a JSON file of any orientation as rows.

    Raises
    ------
    Unreadable
        If it is not JSON.
    """
    if _are_lines(data):
        return open_jsonl(data)
    try:
        values = list(parse_jsons(read_text(data).removeprefix("\ufeff")))
    except Unreadable:
        raise
    except ValueError as error:
        raise Unreadable(f"The file is not JSON: {error}.") from None
    if len(values) > 1:
        layout = f"The file holds {len(values):,} JSON values one after the other. Each is a row."
        return _opened([(number, _checked(number, value)) for number, value in values], layout)
    [(_, value)] = values
    if table := _table_of_rows(value):
        return table
    records = _records_in(value)
    return _opened(
        ((number, _checked(number, each)) for number, each in enumerate(records.found, 1)),
        records.layout,
    )


def _are_lines(data: bytes) -> bool:
    """Return whether there are several lines, and one of the first is a whole object."""
    lines = [line for line, _ in zip(open_text(data), range(_LINES_LOOKED_AT), strict=False)]
    given = [line for line in lines if line.strip()]
    return len(given) > 1 and any(map(_is_object, given))


def _is_object(line: str) -> bool:
    try:
        return isinstance(parse_json(line), dict)
    except ValueError:
        return False


def _checked(number: int, value: object) -> Record | Problem:
    if isinstance(value, Mapping) and not any(map(unstorable, value)):
        return value
    reason = "The value is JSON, but not an object with keys that can be stored."
    return Problem(row=number, column="", value=json_text(value)[:80], reason=reason)


def _opened(found: Iterable[tuple[int, Record | Problem]], layout: str) -> OpenTable:
    opening = Opening()
    rows = ((number, row) for number, each in found for row in opening.rows(each, number))
    if layout:
        opening.remarks.append(remark(layout))
    return open_objects(rows, remarks=opening.remarks)


def _table_of_rows(value: object) -> OpenTable | None:
    """Return a list of lists, or names of columns beside one, as a table; None if it is neither."""
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value):
        rows, header, layout = value, None, "The file is a JSON list of lists. Each is a row."
    elif isinstance(value, dict) and _is_split(value):
        names, rows = value["columns"], value["data"]
        rows, header = [names, *rows], True
        layout = "The file is JSON with the names of columns beside the rows (pandas “split”)."
    else:
        return None
    parsed = ((number, list(map(json_text, row))) for number, row in enumerate(rows, 1))
    table = shape_rows(parsed, header=header)
    table.problems.append(remark(layout))
    return table


def _is_split(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    names, rows = value.get("columns"), value.get("data")
    return (
        isinstance(names, list)
        and isinstance(rows, list)
        and all(isinstance(row, list) for row in rows)
    )


def _records_in(value: object) -> _Records:
    if isinstance(value, list):
        return _listed(value)
    if not isinstance(value, dict):
        return _Records([{}])
    if {"schema", "data"} <= value.keys() and isinstance(value["data"], list):
        return _Records(value["data"], "The file is JSON with a schema (pandas “table”).")
    inside = list(value.values())
    if inside and all(isinstance(each, dict) and each for each in inside):
        return _by_key(value)
    if inside and all(isinstance(each, list) for each in inside):
        return _of_lists(value)
    if _are_predictions(value):
        found = ({"id": key, "prediction": text} for key, text in value.items())
        return _Records(found, "The file is a JSON object of ids. Each is a row with its text.")
    return _Records([value])


def _listed(values: Sequence[object]) -> _Records:
    if all(isinstance(each, str) for each in values):
        found = ({"prediction": text} for text in values)
        return _Records(found, "The file is a JSON list of texts. Each is a row.")
    return _Records(values)  # type: ignore[arg-type]  # each is checked when it is taken


def _named(keys: Iterable[str]) -> int:
    """Return how many of these keys are common names of columns."""
    return sum(is_known_name(key) or is_criterion(key) for key in keys)


def _are_predictions(value: Record) -> bool:
    texts = [text for text in value.values() if isinstance(text, str)]
    return len(value) > 1 and not _named(value) and _are_all_questions(value.values(), texts)


def _are_all_questions(values: Iterable[object], texts: Sequence[str]) -> bool:
    return are_questions(texts) and all(each is None or isinstance(each, str) for each in values)


def _by_key(value: Mapping[str, Record]) -> _Records:
    """Return the records of an object of objects with about the same keys, which are columns or
    rows; it may also hold questions by system and id."""
    inner = list(dict.fromkeys(key for each in value.values() for key in each))
    if any(2 * len(each) < len(inner) for each in value.values()):
        return _Records([value])
    names_out, names_in = _named(value), _named(inner)
    cells = [cell for each in value.values() for cell in each.values()]
    if names_out and not names_in:
        layout = "The file is JSON by column (pandas “columns”)."
        return _Records(_turned(value, inner, "id"), layout)
    if names_in and not names_out:
        layout = "The file is JSON by row (pandas “index”). The keys of its rows are column “id”."
        return _Records(_with_key(value, "id"), layout)
    if names_out or not _are_all_questions(
        cells, [each for each in cells if isinstance(each, str)]
    ):
        return _Records([value])
    layout = "The file is JSON by system and id. It is read as a column for each system."
    if len(value) > len(inner):
        return _Records(_with_key(value, "source_id"), layout)
    return _Records(_turned(value, inner, "source_id", is_named=True), layout)


def _turned(
    columns: Mapping[str, Record], index: Sequence[str], name: str, *, is_named: bool = False
) -> Iterator[Record]:
    """Yield the rows of columns. The index is a column unless it only numbers the rows."""
    numbers = not is_named and list(index) == [str(number) for number in range(len(index))]
    for key in index:
        row = {column: cells.get(key) for column, cells in columns.items()}
        yield row if numbers or name in row else {name: key, **row}


def _with_key(rows: Mapping[str, Record], name: str) -> Iterator[Record]:
    for key, row in rows.items():
        yield dict(row) if name in row else {name: key, **row}


def _of_lists(value: Mapping[str, Sequence[object]]) -> _Records:
    """Return the records of an object of lists: columns, systems with their records or texts, or
    ids with theirs."""
    inside = [each for values in value.values() for each in values]
    sizes = {len(values) for values in value.values()}
    if inside and all(isinstance(each, dict) for each in inside):
        return _of_systems(value, inside)  # type: ignore[arg-type]  # checked just above
    if _named(value) and len(sizes) == 1 and max(sizes) > 1:
        return _Records(_side_by_side(value), "The file is JSON with a list for each column.")
    if _named(value) or len(value) < 2 or not _are_all_questions(inside, list(map(str, inside))):
        return _Records([value])
    if len(value) > max(sizes):
        found = ({"id": key, "predictions": texts} for key, texts in value.items())
        return _Records(found, "The file is a JSON object of ids, each with a list of questions.")
    numbered = {"source_id": [str(number) for number in range(1, max(sizes) + 1)], **value}
    layout = (
        "The file is JSON with a list of questions for each system. Questions at the same place "
        "have the same source."
    )
    return _Records(_side_by_side(numbered), layout)


def _side_by_side(columns: Mapping[str, Sequence[object]]) -> Iterator[Record]:
    for place in range(max(map(len, columns.values()))):
        yield {
            name: values[place] if place < len(values) else None for name, values in columns.items()
        }


def _of_systems(value: Mapping[str, Sequence[Record]], inside: Sequence[Record]) -> _Records:
    """Return the records under the keys of several lists, with the key as their system unless they
    name one."""
    keys = set(inside[0])
    if len(value) < 2 or any(set(each) != keys for each in inside):
        return _Records([value])
    has_system = any(name in keys for name in _SYSTEM_NAMES)
    called = "subset" if {key.casefold() for key in value} <= _SPLITS else "system"
    if called in keys or (called == "system" and has_system):
        layout = "The file is JSON with a list of records under each key."
        return _Records((each for records in value.values() for each in records), layout)
    layout = (
        f"The file is JSON with a list of records under each key. The keys are column “{called}”."
    )
    found = ({called: key, **each} for key, records in value.items() for each in records)
    return _Records(found, layout)
