"""Reading YAML or JSON as a tree with line numbers, and the tree as fields, noting every
problem."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal, TypeVar

import yaml

from judging.limits import MAX_DOCUMENT_CHARACTERS, MAX_JSON_DEPTH, MAX_TEXT_CHARACTERS

NUMBER = re.compile(r"[+-]?\d{1,9}")
DECIMAL = re.compile(r"[+-]?\d{1,9}(\.\d{1,9})?")
KEY = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")
FLAGS = {"true": True, "false": False}
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast if libyaml is installed

Choice = TypeVar("Choice", bound=str)


@dataclass(frozen=True, slots=True)
class RubricProblem:
    """A reason why a rubric was refused: its file, its line (None if there is none), and its
    key."""

    file: str
    line: int | None
    key: str
    reason: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {self.key}: {self.reason}" if self.key else f"{place}: {self.reason}"


class RubricError(ValueError):
    """A rubric that cannot be used, with everything that is wrong with it."""

    def __init__(self, problems: Sequence[RubricProblem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of the tree; scalars keep the text they were written with, so that a label `yes`
    stays a word."""

    kind: Literal["scalar", "empty", "list", "map"]
    line: int | None
    text: str = ""
    items: tuple[Node, ...] = ()
    pairs: tuple[tuple[str, Node], ...] = ()


def from_yaml(text: str, file: str) -> Node:
    """Read one YAML document; aliases, tags of custom types and deep nesting are refused."""
    if len(text) > MAX_TEXT_CHARACTERS:
        raise RubricError(
            [RubricProblem(file, None, "", f"longer than {MAX_TEXT_CHARACTERS:,} characters")]
        )
    try:
        _refuse_tricks(text, file)
        node = yaml.compose(text, Loader=LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = None if mark is None else mark.line + 1
        reason = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise RubricError([RubricProblem(file, line, "", f"not valid YAML: {reason}")]) from None
    return Node("empty", 1) if node is None else _from_yaml_node(node)


def _refuse_tricks(text: str, file: str) -> None:
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(
            event, yaml.CollectionEndEvent
        )
        tag = getattr(event, "tag", None) or ""
        reason = (
            "aliases are not allowed"
            if isinstance(event, yaml.AliasEvent)
            else f"nested more than {MAX_JSON_DEPTH} deep"
            if depth > MAX_JSON_DEPTH
            else "type tags are not allowed"
            if tag not in ("", "!")
            else "NUL is not allowed"
            if "\x00" in (getattr(event, "value", None) or "")
            else ""
        )
        if reason:
            line = event.start_mark.line + 1 if event.start_mark else None
            raise RubricError([RubricProblem(file, line, "", reason)])


def _from_yaml_node(node: yaml.Node) -> Node:
    line = node.start_mark.line + 1 if node.start_mark else None
    if isinstance(node, yaml.MappingNode):
        return Node(
            "map", line, pairs=tuple((str(k.value), _from_yaml_node(v)) for k, v in node.value)
        )
    if isinstance(node, yaml.SequenceNode):
        return Node("list", line, items=tuple(_from_yaml_node(item) for item in node.value))
    if isinstance(node, yaml.ScalarNode) and node.tag.endswith(":null") and not node.style:
        return Node("empty", line)
    return Node("scalar", line, text=str(node.value))


def from_plain(value: object) -> Node:
    """Return the tree of plain Python values, as JSON gives them."""
    if isinstance(value, Mapping):
        return Node(
            "map", None, pairs=tuple((str(key), from_plain(item)) for key, item in value.items())
        )
    if isinstance(value, list | tuple):
        return Node("list", None, items=tuple(from_plain(item) for item in value))
    if value is None:
        return Node("empty", None)
    return Node("scalar", None, text=str(value).lower() if isinstance(value, bool) else str(value))


def to_plain(node: Node) -> Any:
    """Return the tree as plain values, every scalar as the text it was written with."""
    if node.kind == "map":
        return {key: to_plain(child) for key, child in node.pairs}
    return [to_plain(child) for child in node.items] if node.kind == "list" else node.text


class ProblemReport:
    """The problems found so far, and the line of every place in the tree."""

    def __init__(self, file: str, root: Node) -> None:
        self.file = file
        self.problems: list[RubricProblem] = []
        self.lines = dict(_lines(root, ""))

    def add(self, key: str, reason: str) -> None:
        """Note a problem at a place; a missing place gets the line of the part that should contain
        it."""
        place = key
        while place and place not in self.lines:
            place = _outer(place)
        self.problems.append(RubricProblem(self.file, self.lines.get(place), key, reason))

    def close(self) -> None:
        """Raise the problems found, in the order of the file."""
        if self.problems:
            raise RubricError(self.sorted())

    def sorted(self) -> tuple[RubricProblem, ...]:
        """Return the problems found, in the order of the file."""
        return tuple(sorted(self.problems, key=lambda problem: problem.line or 0))


def _outer(place: str) -> str:
    """Return the place that contains this one; "" for a part of the document itself.

    >>> _outer("criteria[2].points[0]"), _outer("criteria[2]"), _outer("criteria")
    ('criteria[2].points', 'criteria', '')
    """
    return place[: max(place.rfind("."), place.rfind("["), 0)]


def _lines(node: Node, place: str) -> Iterator[tuple[str, int | None]]:
    yield place, node.line
    for key, child in node.pairs:
        yield from _lines(child, f"{place}.{key}" if place else key)
    for index, child in enumerate(node.items):
        yield from _lines(child, f"{place}[{index}]")


class OpenMapping:
    """A mapping that is being read: keys that were not requested before it is closed are unknown
    keys."""

    def __init__(self, node: Node, report: ProblemReport, place: str = "") -> None:
        self.report = report
        self.place = place
        self.known: list[str] = []
        self.nodes = dict(node.pairs)
        self._check(node)

    def _check(self, node: Node) -> None:
        if node.kind != "map":
            self.report.add(self.place, "must be a mapping of keys to values")
        written = Counter(key for key, _ in node.pairs)
        for key in sorted(key for key, times in written.items() if times > 1):
            self.report.add(self.at(key), "written twice")

    def at(self, key: str) -> str:
        """Return the place of a key of this section."""
        return f"{self.place}.{key}" if self.place else key

    def has(self, key: str) -> bool:
        """Return whether the key is written, without requesting it."""
        return key in self.nodes

    def take(self, key: str, kind: str, wanted: str, *, required: bool) -> Node | None:
        """Return the node of a key if it is of that kind; otherwise note a problem."""
        self.known.append(key)
        node = self.nodes.get(key)
        if node is not None and node.kind == kind:
            return node
        if node is not None and (node.kind != "empty" or required):
            self.report.add(
                self.at(key),
                f"must be {wanted}" if node.kind != "empty" else f"is empty; give {wanted}",
            )
        elif node is None and required:
            self.report.add(self.at(key), f"is missing; give {wanted}")
        return None

    def text(
        self, key: str, *, default: str | None = None, longest: int = MAX_DOCUMENT_CHARACTERS
    ) -> str:
        """Return a text without outer white space; required if there is no default."""
        node = self.take(key, "scalar", "a text", required=default is None)
        if node is None:
            return default or ""
        words = node.text.strip()
        if not words and default is None:
            self.report.add(self.at(key), "is empty; give a text")
        if len(words) > longest or "\x00" in words:
            self.report.add(
                self.at(key), f"must be a text of at most {longest:,} characters, without NUL"
            )
        return words

    def key(self, name: str = "key", *, default: str | None = None) -> str:
        """Return a short name that is allowed in addresses and exports."""
        word = self.text(name, default=default, longest=60)
        if word and not KEY.fullmatch(word):
            self.report.add(
                self.at(name), "must begin with a letter and hold letters, digits, _ and - only"
            )
        return word

    def version(self) -> str:
        """Return the version, which is used in addresses and names of files."""
        word = self.text("version", longest=20)
        if word and not VERSION.fullmatch(word):
            self.report.add(
                self.at("version"),
                "must begin with a letter or digit and hold letters, digits, . _ + - only",
            )
        return word

    def number(
        self, key: str, *, default: int | None = None, least: int = 0, most: int = 100_000
    ) -> int:
        """Return a whole number within bounds."""
        wanted = f"a whole number from {least} to {most}"
        node = self.take(key, "scalar", wanted, required=default is None)
        if node is None:
            return default if default is not None else least
        if not NUMBER.fullmatch(node.text) or not least <= int(node.text) <= most:
            self.report.add(self.at(key), f"must be {wanted}")
            return least
        return int(node.text)

    def share(self, key: str) -> float:
        """Return a number from 0 to 1."""
        node = self.take(key, "scalar", "a number from 0 to 1", required=True)
        if node is None:
            return 0.0
        if not DECIMAL.fullmatch(node.text) or not 0 <= float(node.text) <= 1:
            self.report.add(self.at(key), "must be a number from 0 to 1")
            return 0.0
        return float(node.text)

    def flag(self, key: str) -> bool:
        """Return true or false; false if it is not written."""
        node = self.take(key, "scalar", "true or false", required=False)
        if node is not None and node.text not in FLAGS:
            self.report.add(self.at(key), "must be true or false")
        return node is not None and FLAGS.get(node.text, False)

    def choice(
        self, key: str, options: Sequence[Choice], *, default: Choice | None = None
    ) -> Choice:
        """Return one of the options."""
        wanted = "one of " + ", ".join(options)
        node = self.take(key, "scalar", wanted, required=default is None)
        if node is None:
            return default or options[0]
        for option in options:
            if option == node.text:
                return option
        self.report.add(self.at(key), f"must be {wanted}; {node.text!r} is none of them")
        return default or options[0]

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty if it is not written."""
        node = self.take(key, "list", "a list of texts", required=False)
        for index, item in enumerate(node.items if node else ()):
            if item.kind != "scalar" or not item.text.strip():
                self.report.add(f"{self.at(key)}[{index}]", "must be a text")
        return tuple(item.text.strip() for item in node.items) if node else ()

    def values(self, key: str, *, least: int | None = None) -> dict[str, int]:
        """Return a mapping of names to whole numbers."""
        wanted = "a whole number" if least is None else f"a whole number from {least}"
        node = self.take(key, "map", "a mapping of names to whole numbers", required=True)
        found: dict[str, int] = {}
        for name, item in node.pairs if node else ():
            is_number = item.kind == "scalar" and NUMBER.fullmatch(item.text)
            if is_number and (least is None or int(item.text) >= least):
                found[name] = int(item.text)
            else:
                self.report.add(f"{self.at(key)}.{name}", f"must be {wanted}")
        if node and not node.pairs:
            self.report.add(self.at(key), "is empty; give a mapping of names to whole numbers")
        return found

    def words(self, key: str) -> dict[str, str]:
        """Return a mapping of names to texts."""
        node = self.take(key, "map", "a mapping of names to texts", required=False)
        for name, item in node.pairs if node else ():
            if item.kind != "scalar" or not item.text.strip():
                self.report.add(f"{self.at(key)}.{name}", "must be a text")
        return {name: item.text.strip() for name, item in node.pairs} if node else {}

    def section(self, key: str, *, required: bool = False) -> OpenMapping | None:
        """Return the section under a key, None if it is not written."""
        node = self.take(key, "map", "a mapping of keys to values", required=required)
        return None if node is None else OpenMapping(node, self.report, self.at(key))

    def sections(self, key: str, *, required: bool = False) -> list[OpenMapping]:
        """Return the sections of a list."""
        node = self.take(key, "list", "a list", required=required)
        return [
            OpenMapping(item, self.report, f"{self.at(key)}[{n}]")
            for n, item in enumerate(node.items if node else ())
        ]

    def close(self) -> None:
        """Note every key that was not requested."""
        for name in self.nodes:
            if name not in self.known:
                near = get_close_matches(name, self.known, n=1)
                hint = f"; did you mean {near[0]}?" if near else ""
                self.report.add(self.at(name), f"unknown key{hint}")
