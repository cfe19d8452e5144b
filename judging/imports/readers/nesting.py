"""Opening objects inside objects: an object into columns, a list of objects into rows.

`{"passage": "…", "questions": [{"text": "Who?", "system": "A"}, …]}` becomes a row for each
question, with the columns `passage`, `questions.text` and `questions.system`. One list is opened on
each level: one named after questions or judgments, else the longest; every other list stays JSON,
and a remark says so.

A list of texts named after generated questions, as programs write that return several for one
input, is opened too; an empty one is a question that was not returned. So is a list of questions
with a plainer name (`questions`), unless the row has its output in another column. Of the answers
of a dataset in the shape of SQuAD, `{"text": [...], "answer_start": [...]}`, the first is used.

An object of objects that have the same keys is also such a list if its name means questions or
judgments: `{"outputs": {"A": {"text": "Who?"}, "B": {"text": "Why?"}}}`. The outer keys become the
column `outputs.system`, or `ratings.rater`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeGuard

from judging.imports.readers.likely_columns import QUESTION_MARKS
from judging.imports.readers.numbers import is_number
from judging.imports.readers.records import Problem
from judging.limits import MAX_NAME_CHARACTERS

_LIKELY = (
    "question",
    "qas",
    "prediction",
    "output",
    "generation",
    "hypothes",
    "rating",
    "judgment",
    "judgement",
    "annotation",
    "item",
    "answer",
)
_OF_SYSTEMS = ("question", "prediction", "output", "generation", "hypothes", "system", "model")
_OF_RATERS = ("rating", "judgment", "judgement", "annotation", "annotator", "rater", "score")
_OF_TEXTS = re.compile(
    r"(generated_?|predicted_?)questions?|predictions|hypotheses|generations|outputs"
)
_OF_QUESTIONS = re.compile(
    r"questions?|candidates?|generated|predictions?|hypothes[ie]s|generations?|outputs?"
    r"|(?:generated|predicted|system|model|candidate)_?(?:questions?|outputs?)"
)
_OF_OUTPUTS = re.compile(
    r"(?:generated|predicted|system|model)_?(?:questions?|outputs?)|generated|predictions?"
    r"|hypothes[ie]s|generations?|outputs?"
)
_ANSWERS = {"text", "answer_start"}
Opened = dict[str, object]


class Opening:
    """Opens the objects of one file; `remarks` reports once each list that is not opened."""

    def __init__(self) -> None:
        """Start without remarks."""
        self.remarks: list[Problem] = []
        self._said: set[str] = set()

    def rows(
        self, found: Mapping[str, object] | Problem, number: int = 0
    ) -> Iterator[Mapping[str, object] | Problem]:
        """Yield the rows of one object; a flat object, or a problem, is yielded as it is."""
        if isinstance(found, Problem) or not any(
            isinstance(value, dict | list) for value in found.values()
        ):
            yield found
        else:
            yield from self._opened(found, "", number)

    def _opened(self, found: Mapping[str, object], prefix: str, number: int) -> Iterator[Opened]:
        cells: Opened = {}
        lists: dict[str, list[Mapping[str, object]] | list[str]] = {}
        for name, value in _flat(found, prefix):
            if _are_objects(value):
                lists[name] = value
            elif is_question_list(value, name, found):
                lists[name] = value or [""]
            else:
                cells[name] = value
        opened = max(lists, key=lambda name: (_likelihood(name), len(lists[name])), default="")
        for name, value in lists.items():
            if name != opened:
                cells[name] = value
                self._say(name, opened, number)
        if not opened:
            yield cells
            return
        shared = {name: json_text(value) for name, value in cells.items()}
        for each in lists[opened]:
            rows: Iterable[Opened] = (
                [{opened: each}]
                if isinstance(each, str)
                else self._opened(each, f"{opened}.", number)
            )
            for row in rows:
                yield shared | row

    def _say(self, name: str, opened: str, number: int) -> None:
        if name not in self._said:
            self._said.add(name)
            reason = (
                f"Rows are made of the list “{opened}”; this list beside it stays JSON in its cell."
            )
            self.remarks.append(
                Problem(row=number, column=name, value="", reason=reason, kind="warning")
            )


def json_text(value: object) -> str:
    """Return a JSON value as the text of a cell."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _flat(found: Mapping[str, object], prefix: str) -> Iterator[tuple[str, object]]:
    for key, value in found.items():
        path = len(prefix) + len(key)
        if isinstance(value, dict) and value.keys() == _ANSWERS and _are_lists(value):
            yield from (
                (f"{prefix}{key}.{part}", each[0] if each else "") for part, each in value.items()
            )
        elif isinstance(value, dict) and (listed := _listed(key, value)):
            yield f"{prefix}{key}", listed
        elif isinstance(value, dict) and value and path < MAX_NAME_CHARACTERS:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _listed(name: str, value: Mapping[str, object]) -> list[Opened]:
    """Return an object of objects with the same keys as a list of them, each with its outer key;
    an empty list if it is none."""
    held = list(value.values())
    objects = [each for each in held if isinstance(each, dict) and each]
    if len(held) < 2 or len(objects) < len(held):
        return []
    plain, keys = name.casefold(), set(objects[0])
    called = "system" if any(word in plain for word in _OF_SYSTEMS) else "rater"
    is_likely = called == "system" or any(word in plain for word in _OF_RATERS)
    if not is_likely or called in keys or any(set(each) != keys for each in objects):
        return []
    return [{called: each, **inside} for each, inside in zip(value, objects, strict=True)]


def _are_objects(value: object) -> TypeGuard[list[Mapping[str, object]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _are_lists(value: Mapping[str, object]) -> TypeGuard[Mapping[str, list[object]]]:
    return all(isinstance(each, list) for each in value.values())


def is_question_list(value: object, name: str, beside: Iterable[str]) -> TypeGuard[list[str]]:
    """Return whether a list holds the questions that a system gave: by its name, or by a plainer
    name and question marks if none of the names beside it is that of a system's output."""
    if not isinstance(value, list) or not all(
        isinstance(each, str) and not is_number(each) for each in value
    ):
        return False
    plain = _last_name(name)
    if _OF_TEXTS.fullmatch(plain):
        return True
    others = (other for each in beside if (other := _last_name(each)) != plain)
    return (
        _OF_QUESTIONS.fullmatch(plain) is not None
        and bool(value)
        and all(each.rstrip().endswith(QUESTION_MARKS) for each in value)
        and not any(_OF_OUTPUTS.fullmatch(other) for other in others)
    )


def _last_name(name: str) -> str:
    return name.rpartition(".")[2].strip().casefold().replace(" ", "_")


def _likelihood(name: str) -> int:
    """Return how likely a list of this name holds judged items, by its place among the likely
    words."""
    plain = name.rpartition(".")[2].casefold()
    return max(
        (len(_LIKELY) - place for place, word in enumerate(_LIKELY) if word in plain), default=0
    )
