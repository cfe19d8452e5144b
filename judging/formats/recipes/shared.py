"""What recipes share: values of JSON as text, and rows as a frame.

The export of an annotation tool becomes a row for each answer of an annotator, in the columns of
`ANSWERS`, beside the data of its task. A task without answers has a row of its own.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_TABLE_COLUMNS, MAX_TABLE_ROWS
from judging.formats.frames import FileSheet, Opened, Problem, Unreadable, shorten_line
from judging.formats.mapping import Column, Role

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame"
Row = Mapping[str, Any]
NumberedRow = tuple[int, Row] | Problem

ROLES: tuple[Role, ...] = (
    *("rater", "criterion", "value", "note", "mark", "mark_start", "mark_end", "mark_text"),
)
ANSWERS = {f"annotation:{role}": role for role in ROLES}
RATER, CRITERION, VALUE, NOTE, MARK, MARK_START, MARK_END, MARK_TEXT = ANSWERS
TASK = "task:id"
_OWN_IDS = {"id", "item_id", "key", "question_id", "qid"}
_LOOKED_AT = 20  # items by which a file is recognised


def json_cell(value: Any) -> str:
    """Return a JSON value as the text of a cell."""
    if isinstance(value, str) or value is None:
        return value or ""
    return json.dumps(value, ensure_ascii=False, default=str)


def json_in(text: Any) -> Any:
    """Return the value of a JSON text, whose numbers stay text; None for any other text."""
    try:
        return json.loads(text, parse_int=str, parse_float=str) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None


def value_at(value: Any, *path: str) -> Any:
    """Return the value under these keys of nested objects, None if one is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def text_at(value: Any, *path: str) -> str:
    """Return the text, number or truth value under these keys as text, else a blank."""
    found = value_at(value, *path)
    return "" if isinstance(found, dict | list) else json_cell(found)


def list_at(value: Any, *path: str) -> list[Any]:
    """Return the list under these keys, empty if there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, list) else []


def object_at(value: Any, *path: str) -> dict[str, Any]:
    """Return the object under these keys, empty if there is none."""
    found = value_at(value, *path)
    return found if isinstance(found, dict) else {}


def read_items(opened: Opened) -> Iterator[tuple[int, Any]]:
    """Yield the rows of a table, or the items of a JSON list or of JSON Lines, with numbers."""
    if opened.kind == "json":
        tree = opened.tree if isinstance(opened.tree, list) else [opened.tree]
        yield from zip(getattr(tree, "rows", range(1, len(tree) + 1)), tree, strict=True)
    elif len(opened.sheets) == 1:
        frame = opened.sheets[0].frame
        for number, *cells in frame.itertuples(name=None):
            yield number, dict(zip(frame.columns, cells, strict=True))


def names(opened: Opened) -> list[str]:
    """Return the names of the columns of a table, or the keys of the first items."""
    if opened.kind == "json":
        first = (object_at(item) for _, item in islice(read_items(opened), _LOOKED_AT))
        return list(dict.fromkeys(key for item in first for key in item))
    return list(opened.sheets[0].frame.columns) if len(opened.sheets) == 1 else []


def refused(number: int, item: Any, reason: str, column: str = "") -> Problem:
    """Return an item that does not follow its format, or that does not count, as a problem."""
    return Problem(row=number, column=column, value=shorten_line(json_cell(item)), reason=reason)


def warning(number: int, column: str, reason: str) -> Problem:
    """Return a remark on a part of an item that becomes no rating."""
    return Problem(row=number, column=column, value="", reason=reason, kind="warning")


def one_of(number: int, criterion: str, values: Iterable[Any]) -> str | Problem:
    """Return the one value of a rating, a blank if there is none, and a problem if there are
    several."""
    texts = [text for value in values if (text := json_cell(value).strip())]
    if len(texts) < 2:
        return "".join(texts)
    reason, shown = f"{len(texts)} choices are no rating.", ", ".join(texts)
    return Problem(row=number, column=criterion, value=shown, reason=reason, kind="value")


def rating(number: int, rater: str, criterion: str, values: Iterable[Any]) -> Row | Problem | None:
    """Return the answer of an annotator on one criterion, None if it is blank."""
    value = one_of(number, criterion, values)
    if isinstance(value, Problem):
        return value
    return {RATER: rater, CRITERION: criterion, VALUE: value} if value else None


def with_answers(
    number: int, task: Row, answers: Iterable[Row | Problem | None]
) -> Iterator[NumberedRow]:
    """Yield a row for each answer to a task, or one row for a task without answers."""
    cells = {name: json_cell(value) for name, value in task.items()}
    is_answered = False
    for answer in answers:
        if isinstance(answer, Problem):
            yield answer
        elif answer:
            is_answered = True
            yield number, {**cells, **answer}
    if not is_answered:
        yield number, cells


def frame_of_rows(opened: Opened, rows: Iterable[NumberedRow]) -> Frame:
    """Return the rows as a frame; problems among them are added to those of the first sheet, equal
    warnings once.

    Raises
    ------
    Unreadable
        If there is no row, or if there are more rows or columns than a table may have.
    """
    import pandas as pd

    problems = dict[object, Problem]()
    kept = list(_without_problems(rows, problems))
    columns = dict.fromkeys(name for _, cells in kept for name in cells)
    if len(columns) > MAX_TABLE_COLUMNS:
        raise Unreadable(f"The rows have more than {MAX_TABLE_COLUMNS:,} columns. Divide the file.")
    if not kept:
        raise Unreadable(
            next((problem.reason for problem in problems.values()), "There are no rows.")
        )
    numbers, cells = zip(*kept, strict=True)
    frame = pd.DataFrame(
        list(cells), index=list(numbers), columns=list(columns), dtype=object
    ).fillna("")
    if not opened.sheets:
        opened.sheets.append(FileSheet(name="", frame=frame))
    opened.sheets[0].problems.extend(problems.values())
    return frame


def _without_problems(
    rows: Iterable[NumberedRow], problems: dict[object, Problem]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows as texts, and put the problems among them into `problems`."""
    for count, row in enumerate(rows):
        if count > MAX_TABLE_ROWS:
            raise Unreadable(f"The file holds more than {MAX_TABLE_ROWS:,} rows. Divide it.")
        if isinstance(row, Problem):
            same = (row.column, row.reason) if row.kind == "warning" else count
            problems.setdefault(same, row)
        else:
            yield row[0], {name: json_cell(value) for name, value in row[1].items()}


def frame_by_item(rows: Callable[[int, Any], Iterator[NumberedRow]]) -> Callable[[Opened], Frame]:
    """Return the function that makes a frame of the rows of each item of a file."""

    def frame(opened: Opened) -> Frame:
        return frame_of_rows(
            opened, (row for number, item in read_items(opened) for row in rows(number, item))
        )

    return frame


def flat_frame(opened: Opened) -> Frame:
    """Return the one sheet of a file, or the objects of a JSON file as rows."""
    if opened.kind != "json":
        return opened.sheets[0].frame
    return frame_of_rows(opened, ((number, object_at(item)) for number, item in read_items(opened)))


def roles_present(frame: Frame, roles: Mapping[str, Role], why: str) -> dict[str, Column]:
    """Return the roles of the columns that the frame has."""
    return {name: Column(role=roles[name], why=why) for name in frame.columns if name in roles}


def rated_columns(frame: Frame, prefix: str, why: str) -> dict[str, Column]:
    """Return the columns of ratings, whose names end with the criterion."""
    rated = [(name, name.removeprefix(prefix)) for name in frame.columns if name.startswith(prefix)]
    return {
        name: Column(role="ratings", name=criterion[:MAX_NAME_CHARACTERS], why=why)
        for name, criterion in rated
    }


def answer_columns(frame: Frame, program: str) -> dict[str, Column]:
    """Return the roles of the columns of answers. The task's id is the question's key, unless the
    data have an id of their own."""
    has_own = not _OWN_IDS.isdisjoint(name.casefold() for name in frame.columns)
    has_ids = TASK in frame and bool((frame[TASK] != "").any())
    roles: dict[str, Role] = {TASK: "key" if has_ids and not has_own else ""}
    roles |= {name: "rating_metadata" for name in frame.columns if name.startswith("judgment:")}
    return roles_present(frame, ANSWERS | roles, f"{program} exports it for each answer.")
