"""Lists and dictionaries that a program wrote into a cell: JSON, Python literals, numpy arrays.

`['a', 'b']`, `{'text': array(['x'], dtype=object)}` and `['a'\n 'b']`, numpy's own way of writing
without commas, are read; nothing is ever evaluated.
"""

import ast
import re

from judging.imports.readers.tables import parse_json
from judging.limits import MAX_JSON_DEPTH

_PIECE = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<sign>[\[\](){}:,=])|(?P<word>[^\s\[\](){}:,='"]+))""",
    re.S,
)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?", re.I)
_CONSTANTS = {
    "none": None,
    "null": None,
    "nan": None,
    "inf": None,
    "-inf": None,
    "true": True,
    "false": False,
}
_CLOSING = {"[": "]", "(": ")", "{": "}"}
_OPENING = ("[", "{", "(", "array(", "np.array(")


class _NoLiteral(ValueError):
    """The text is not a literal."""


def structure_in(cell: str) -> list[object] | dict[str, object] | None:
    """Return the list or dictionary that a cell holds; None if it holds anything else. Numbers stay
    text, so no digit is lost."""
    text = cell.strip()
    if not text.startswith(_OPENING) or text[-1] not in "])}":
        return None
    try:
        found = parse_json(text)
    except ValueError:
        found = _literal_in(text)
    return found if isinstance(found, list | dict) and found else None


def is_json(cell: str) -> bool:
    """Return whether a cell is written as JSON."""
    try:
        parse_json(cell)
    except ValueError:
        return False
    return True


def _literal_in(text: str) -> object:
    try:
        reader = _Reader(text)
        found = reader.value(0)
        return found if reader.is_done() else None
    except _NoLiteral:
        return None


class _Reader:
    """Reads one literal, token by token."""

    def __init__(self, text: str) -> None:
        self._text = text.rstrip()
        self._place = 0
        self._piece = ""
        self._kind: str | None = None
        self._next()

    def is_done(self) -> bool:
        return self._kind is None

    def value(self, depth: int) -> object:
        if depth > MAX_JSON_DEPTH:
            raise _NoLiteral
        kind, piece = self._kind, self._piece
        self._next()
        if kind == "text":
            return _unquoted(piece)
        if kind == "word":
            return self._called(piece, depth) if self._piece == "(" else _constant(piece)
        if piece in ("[", "("):
            return self._list(_CLOSING[piece], depth)
        if piece == "{":
            return self._dictionary(depth)
        raise _NoLiteral

    def _next(self) -> None:
        if self._place == len(self._text):
            self._kind, self._piece = None, ""
            return
        found = _PIECE.match(self._text, self._place)
        if found is None or found.lastgroup is None:
            raise _NoLiteral
        self._kind, self._piece = found.lastgroup, found[found.lastgroup]
        self._place = found.end()

    def _take(self, sign: str) -> bool:
        if self._kind != "sign" or self._piece != sign:
            return False
        self._next()
        return True

    def _list(self, closing: str, depth: int) -> list[object]:
        values: list[object] = []
        while not self._take(closing):
            values.append(self.value(depth + 1))
            self._take(",")  # numpy writes none
        return values

    def _dictionary(self, depth: int) -> dict[str, object]:
        values: dict[str, object] = {}
        while not self._take("}"):
            key = self.value(depth + 1)
            if not isinstance(key, str) or key in values or not self._take(":"):
                raise _NoLiteral
            values[key] = self.value(depth + 1)
            self._take(",")
        return values

    def _called(self, name: str, depth: int) -> object:
        """Return the first argument of `array(...)` or of a numpy scalar; what follows names its
        type."""
        if name.rpartition(".")[2] != "array" and not name.startswith(("np.", "numpy.")):
            raise _NoLiteral
        self._next()
        found = self.value(depth + 1)
        while not self._take(")"):
            if not self._take(",") and not self._take("="):
                self.value(depth + 1)
        return found


def _unquoted(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        found = ast.literal_eval(token)
    except (ValueError, SyntaxError):
        found = token[1:-1]  # with a line break, which Python writes otherwise
    return str(found)


def _constant(token: str) -> object:
    if _NUMBER.fullmatch(token):
        return token
    if token.casefold() in _CONSTANTS:
        return _CONSTANTS[token.casefold()]
    if token in ("object", "int32", "int64", "float32", "float64", "dtype") or token.startswith(
        "<"
    ):
        return token  # the type of an array
    raise _NoLiteral
