"""Reading JSON files of other tools, whose values may have any shape."""

from collections.abc import Iterator, Mapping, Sequence

from judging.imports.readers.records import Problem
from judging.imports.readers.tables import RowOrProblem, parse_json, shorten
from judging.imports.readers.text import Unreadable, in_utf8, open_text, read_text, unstorable


def whole(data: bytes) -> object:
    """Return the value of a JSON file.

    Raises
    ------
    Unreadable
        If it is not JSON.
    """
    try:
        return parse_json(read_text(data).removeprefix("\ufeff"))
    except ValueError as error:
        raise (
            error
            if isinstance(error, Unreadable)
            else Unreadable(f"The file is not JSON: {error}.")
        ) from None


def items(data: bytes) -> Iterator[tuple[int, object]]:
    """Yield the items of a JSON list, numbered from 1, or the values of JSON Lines with their
    lines.

    A line that is not JSON is yielded as a problem.
    """
    head = in_utf8(data[:1024]).removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"[") and not head.startswith(b"[[["):
        found = whole(data)
        yield from enumerate(found if isinstance(found, list) else [], 1)
        return
    for number, line in enumerate(open_text(data), 1):
        if line.strip():
            yield number, _line(number, line)


def _line(number: int, line: str) -> object:
    try:
        return parse_json(line)
    except ValueError as error:
        return Problem(
            row=number, column="", value=shorten(line), reason=f"The line is not JSON: {error}."
        )


def at(value: object, *path: str) -> object:
    """Return the value under these keys of nested objects, None if one is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def text_at(value: object, *path: str) -> str:
    """Return the text under these keys, blank if there is none."""
    found = at(value, *path)
    if isinstance(found, bool):
        return "true" if found else "false"
    return found if isinstance(found, str) else ""


def list_at(value: object, *path: str) -> Sequence[object]:
    """Return the list under these keys, empty if there is none."""
    found = at(value, *path)
    return found if isinstance(found, list) else ()


def object_at(value: object, *path: str) -> Mapping[str, object]:
    """Return the object under these keys, empty if there is none."""
    found = at(value, *path)
    return found if isinstance(found, dict) and not any(map(unstorable, found)) else {}


def refused(number: int, value: object, reason: str) -> RowOrProblem:
    """Return a row that does not follow its format, as a problem."""
    if isinstance(value, Problem):
        return number, value
    return number, Problem(row=number, column="", value=shorten(str(value)), reason=reason)
