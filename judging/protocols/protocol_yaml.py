"""Read a YAML document safely, and name the line of everything that pydantic refuses in it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import yaml
from pydantic import ValidationError

from judging.base.limits import MAX_JSON_DEPTH, MAX_TEXT_CHARACTERS

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast if libyaml is installed
Location = tuple[int | str, ...]  # keys and list positions, from the document to a value
A_MAPPING = "a mapping of keys to values"
# What a value must be, by the type of the error
WANTED: Mapping[str, str] = {
    "string_type": "a text",
    "string_too_short": "a text",
    "mapping_type": A_MAPPING,
    "dict_type": A_MAPPING,
    "model_type": A_MAPPING,
    "dataclass_type": A_MAPPING,
    "model_attributes_type": A_MAPPING,
    "tuple_type": "a list",
}


@dataclass(frozen=True, slots=True)
class ProtocolProblem:
    """A reason why a protocol was refused: its file, its line (None if there is none), and its
    key."""

    file: str
    line: int | None
    key: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.key}: {self.reason}" if self.key else f"{place}: {self.reason}"


class ProtocolError(ValueError):
    """A protocol that cannot be used, with everything that is wrong with it."""

    def __init__(self, problems: Iterable[ProtocolProblem]) -> None:
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line or 0))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def compose(text: str, file: str) -> yaml.MappingNode:
    """Return the tree of a YAML mapping; refuse aliases, type tags, deep nesting and repeated keys."""
    if len(text) > MAX_TEXT_CHARACTERS:
        reason = f"longer than {MAX_TEXT_CHARACTERS:,} characters"
        raise ProtocolError([ProtocolProblem(file, None, "", reason)])
    try:
        _refuse_tricks(text, file)
        root = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        problem = ProtocolProblem(file, line, "", f"not valid YAML: {reason}")
        raise ProtocolError([problem]) from None
    if not isinstance(root, yaml.MappingNode):
        raise ProtocolError([ProtocolProblem(file, 1, "", f"must be {A_MAPPING}")])
    if repeated := tuple(_repeated_keys(root, ())):
        raise ProtocolError(
            ProtocolProblem(file, line, place(loc), "written twice") for loc, line in repeated
        )
    return root


def _refuse_tricks(text: str, file: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if reason := _trick(event, depth):
            line = event.start_mark.line + 1 if event.start_mark else None
            raise ProtocolError([ProtocolProblem(file, line, "", reason)])


def _trick(event: yaml.Event, depth: int) -> str:
    if isinstance(event, yaml.AliasEvent):
        return "aliases are not allowed"
    if depth > MAX_JSON_DEPTH:
        return f"nested more than {MAX_JSON_DEPTH} deep"
    if getattr(event, "tag", None) not in (None, "", "!"):
        return "type tags are not allowed"
    return "NUL is not allowed" if "\x00" in (getattr(event, "value", None) or "") else ""


def _repeated_keys(node: yaml.Node, loc: Location) -> Iterator[tuple[Location, int]]:
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                yield (*loc, name), key.start_mark.line + 1
            seen.add(name)
            yield from _repeated_keys(value, (*loc, name))
    if isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _repeated_keys(value, (*loc, index))


def to_plain(node: yaml.Node) -> Any:
    """Return the tree as plain values. A scalar is the text it was written with, so that a label
    `yes` stays a word; without a value it is an empty text."""
    if isinstance(node, yaml.MappingNode):
        return {str(key.value): to_plain(value) for key, value in node.value}
    if isinstance(node, yaml.SequenceNode):
        return [to_plain(item) for item in node.value]
    is_empty = node.tag.endswith(":null") and not getattr(node, "style", None)
    return "" if is_empty else str(node.value)


def line_of(node: yaml.Node, loc: Location) -> int:
    """Return the line of a value; the line of the part that should contain it, if it is missing."""
    for part in loc:
        inner: Any = None
        if isinstance(node, yaml.MappingNode):
            inner = {str(key.value): value for key, value in node.value}.get(str(part))
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            inner = dict(enumerate(node.value)).get(part)
        if inner is None:
            break
        node = inner
    return int(node.start_mark.line) + 1


def place(loc: Location) -> str:
    """Return a location as problems name it.

    >>> place(("criteria", 2, "points", 0, "label"))
    'criteria[2].points[0].label'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)[1:]


def located(
    found: Iterable[tuple[str, str]], file: str, root: yaml.Node | None
) -> Iterator[ProtocolProblem]:
    """Yield the problem of each place and reason, with its line if the text is known."""
    for key, reason in found:
        line = None if root is None else line_of(root, location(key))
        yield ProtocolProblem(file, line, key, reason)


def location(key: str) -> Location:
    """Return the location that a problem's key names."""
    if key.startswith("translations."):
        return tuple(key.split(".", 2))  # its keys are places, with dots
    parts = re.findall(r"\[(\d{1,6})\]|([^.\[]+)", key)
    return tuple(int(number) if number else name for number, name in parts)


def refusals(
    wrong: ValidationError, names: Sequence[str] = (), tagged: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield the place and reason of everything that pydantic refused.

    `names` are the keys that a document may have, of which one near an unknown key is suggested;
    `tagged` are the lists whose parts differ by `kind`, which pydantic adds to their locations.
    """
    for error in wrong.errors(include_url=False):
        loc = tuple(part for part in error["loc"] if part != "[key]")
        if loc and loc[0] in tagged:
            loc = loc[:2] + loc[3:]
        if error["type"].startswith("union_tag"):
            loc += ("kind",)
        loc += tuple(error.get("ctx", {}).get("place", ()))
        yield place(loc), _reason(error, names)


def _reason(error: Any, names: Sequence[str]) -> str:
    kind, context = error["type"], error.get("ctx", {})
    if kind in ("extra_forbidden", "unexpected_keyword_argument"):
        near = get_close_matches(str(error["loc"][-1]), names, n=1)
        return f"unknown key; did you mean {near[0]}?" if near else "unknown key"
    if kind in ("missing", "union_tag_not_found"):
        return "is missing"
    wanted = _wanted(kind, context)
    if not wanted:
        return str(error["msg"]).removeprefix("Value error, ")
    if error["input"] == "":
        return f"is empty; give {wanted}"
    written = context.get("tag", error["input"])
    none_of_them = f"; {written!r} is none of them" if wanted.startswith("one of") else ""
    return f"must be {wanted}{none_of_them}"


def _wanted(kind: str, context: Mapping[str, Any]) -> str:
    """Return what a value must be, empty if the error's own message says it."""
    if choices := context.get("expected") or context.get("expected_tags"):
        return "one of " + ", ".join(re.findall(r"'([^']*)'", choices))
    if kind == "string_too_long":
        return f"a text of at most {context['max_length']:,} characters"
    return context.get("wanted") or WANTED.get(kind, "")
