"""Batch results of Amazon Mechanical Turk and similar tools: one assignment to a row, its questions
and answers side by side.

`Input.question_1a` and `Answer.fluency_1a` belong together by their index, `1a`; inputs whose index
begins the question's (`Input.passage_1`) are shared. Letters beyond the index of the inputs are
systems unless columns name these.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from judging.formats.frames import Opened, Unreadable, shorten_line
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe

Index = tuple[str, ...]
Answer = tuple[str, str, str]  # criterion, column, and the option that "true" chooses

_STEMS = {
    "question": "question generated_question prediction system_question q",
    "passage": "passage paragraph context text document article",
    "before": "passage_before paragraph_before context_before before",
    "after": "passage_after paragraph_after context_after after",
    "sentence": "sentence",
    "answer": "answer",
    "target_type": "target_type",
    "reference": "reference gold_question",
    "system": "system model",
    "source_id": "source_id",
}
_HOLDS = {stem: role for role, stems in _STEMS.items() for stem in stems.split()}
_SIDE = re.compile(r"(?P<side>input|answer|output)[.:](?P<name>.*)", re.I | re.S)
_PACKED, _STRAY = "Answer.taskAnswers", "judgment:"
# columns about an assignment, and patterns of their names on other platforms
_KEPT = {"WorkerId": "worker(id)?", "Status": "(assignment)?status", "Reject": "reject"}
_KEPT |= {name: name.lower() for name in ("AcceptTime", "SubmitTime", "WorkTimeInSeconds")}
_MAX_INDEX_PARTS = 8
_ROLES: dict[str, Role] = {"source_id": "source_id", "passage": "passage", "sentence": "sentence"}
_ROLES |= {"answer": "answer", "target_type": "target_type", "reference": "reference"}
_ROLES |= {**dict.fromkeys(_KEPT, "rating_metadata"), "WorkerId": "rater"}
_ROLES |= {"system": "system", "question": "question"}


@dataclass(frozen=True, slots=True)
class _Asked:
    """The columns of one question of every assignment, and its index beyond that of its inputs."""

    inputs: dict[str, str]
    slot: str
    answers: Sequence[Answer]


def frame(opened: Opened) -> shared.Frame:
    """Return a row for each question of each assignment."""
    rows = [(number, _unpacked(cells)) for number, cells in shared.read_items(opened)]
    columns = list(dict.fromkeys(name for _, cells in rows for name in cells))
    kept = {ours: found for ours, pattern in _KEPT.items() if (found := _called(columns, pattern))}
    if "WorkerId" not in kept:
        raise Unreadable("No column names the worker of each row, such as WorkerId.", row=1)
    asked, stray = _layout(columns)
    if not asked:
        listed = shorten_line(", ".join(columns), most=300)
        raise Unreadable(f"No input is a question, such as Input.question_1a: {listed}.", row=1)
    return shared.frame_of_rows(opened, _rows(rows, asked, kept, stray))


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of the columns; the rows of rejected assignments are excluded."""
    columns = shared.roles_present(frame, _ROLES, "Batch results have this column.")
    columns |= shared.rated_columns(frame, "Answer.", "Workers' answers.")
    stray: dict[str, Role] = {n: "rating_metadata" for n in frame.columns if n.startswith(_STRAY)}
    columns |= shared.roles_present(frame, stray, "It belongs to no question.")
    marks = {
        "Status": [name for name in frame.get("Status", ()) if name.casefold() == "rejected"],
        "Reject": [name for name in frame.get("Reject", ()) if name.strip()],
    }
    excluded = {name: tuple(dict.fromkeys(found)) for name, found in marks.items() if found}
    return {"columns": columns, "exclude_rows": excluded}


def _called(columns: Sequence[str], pattern: str) -> str:
    """Return the first column whose name, without prefix and punctuation, fits; "" if none does."""
    plain = {name: re.sub(r".*:|\W|_", "", name).casefold() for name in columns}
    return next((name for name in columns if re.fullmatch(pattern, plain[name])), "")


def _unpacked(cells: dict[str, str]) -> dict[str, str]:
    """Return the cells with the answers that newer templates pack into one JSON cell."""
    packed = shared.json_in(cells.get(_PACKED))
    for answers in packed if isinstance(packed, list) else ():
        for name, value in shared.object_at(answers).items():
            chosen = [option for option, on in shared.object_at(value).items() if on is True]
            cells[f"Answer.{name}"] = "".join(chosen[:1]) or shared.text_at(answers, name)
    return cells


def _side(name: str) -> tuple[str, str, Index]:
    """Return whether a column is an input or an answer, its stem and its index. The index holds
    numbers, and single letters after the stem: `Input.passage_01_before` is "input",
    "passage_before" and ("1",)."""
    prefixed = _SIDE.fullmatch(name)
    if not prefixed:
        return "", "", ()
    stem, index = list[str](), list[str]()
    for token in re.findall(r"[^\W\d_]+|[0-9]+", prefixed["name"]):
        if token.isdecimal():
            index.append(token.lstrip("0") or "0")
        elif stem and len(token) == 1:
            index.append(token.lower())
        else:
            stem.append(token)
    return prefixed["side"].lower(), "_".join(stem), tuple(index)


def _layout(columns: Sequence[str]) -> tuple[list[_Asked], list[str]]:
    """Return the questions of an assignment, and the columns of answers that belong to none."""
    inputs, answers = dict[tuple[str, Index], str](), _answers_by_index(columns)
    for name in columns:
        side, stem, index = _side(name)
        role = _HOLDS.get(stem.lower(), "")
        if side == "input" and role and len(index) <= _MAX_INDEX_PARTS:
            inputs.setdefault((role, index), name)
    indexes = [index for role, index in inputs if role == "question"]
    asked = [_Asked(*_inputs_of(inputs, index), answers[index]) for index in indexes]
    placed = {name for question in asked for _, name, _ in question.answers}
    every = dict.fromkeys(name for answer in answers.values() for _, name, _ in answer)
    return asked, [name for name in every if name not in placed]


def _answers_by_index(columns: Sequence[str]) -> defaultdict[Index, list[Answer]]:
    """Return the columns of answers by the index of their question: their own, or without its last
    part, which then is an option."""
    found = defaultdict[Index, list[Answer]](list)
    for name in columns:
        side, stem, index = _side(name)
        if side in ("answer", "output") and name != _PACKED:
            found[index].append((stem, name, ""))
            if index:
                found[index[:-1]].append((stem, name, index[-1]))
    return found


def _inputs_of(inputs: dict[tuple[str, Index], str], index: Index) -> tuple[dict[str, str], str]:
    """Return the columns of a question's inputs by role, and the rest of its index."""
    found, shares = dict[str, str](), list[int]()
    for role in _STEMS:
        lengths = [n for n in range(len(index), -1, -1) if (role, index[:n]) in inputs]
        if lengths:
            found[role] = inputs[role, index[: lengths[0]]]
        if lengths and role in ("passage", "before", "sentence", "answer"):
            shares.append(lengths[0])
    if name := found.get("system") or inputs.get(("system", index[-1:])):
        found["system"] = name
    return found, "".join(index[max(shares, default=len(index)) :])


def _rows(
    rows: Sequence[tuple[int, dict[str, str]]],
    asked: Sequence[_Asked],
    kept: dict[str, str],
    stray: Sequence[str],
) -> Iterator[shared.NumberedRow]:
    for number, cells in rows:
        about = {ours: cells[theirs] for ours, theirs in kept.items() if cells.get(theirs)}
        for name in [name for name in stray if cells.get(name, "").strip()]:
            about[f"{_STRAY}{name}"] = cells[name]
        for question in asked:
            answers = dict(_answers(cells, question))
            given = {role: cells.get(name, "") for role, name in question.inputs.items()}
            if given["question"].strip() or answers:
                slot = {"system": question.slot} if question.slot else {}
                yield number, slot | _source(given) | answers | about


def _answers(cells: dict[str, str], asked: _Asked) -> Iterator[tuple[str, str]]:
    for criterion, name, option in asked.answers:
        cell = cells.get(name, "").strip()
        if cell and not option:
            yield f"Answer.{criterion}", cell
        elif option and cell.casefold() == "true":
            yield f"Answer.{criterion}", option


def _source(given: dict[str, str]) -> dict[str, str]:
    parts = [given[part] for part in ("before", "sentence", "after") if part in given]
    joined = {"passage": "".join(parts)} if {"before", "after"} & given.keys() else {}
    kept = {role: cell for role, cell in given.items() if role not in ("before", "after")}
    return joined | kept


def _recognises(opened: Opened) -> bool:
    names = [name.lower() for name in shared.names(opened)] if opened.kind != "json" else []
    has_inputs = any(name.startswith(("input.", "input:")) for name in names)
    return has_inputs and any("worker" in name for name in names)


RECIPES = (
    Recipe(
        key="mturk",
        title="MTurk batch results",
        recognises=_recognises,
        frame=frame,
        propose=propose,
        carries=("questions", "references", "answers", "ratings", "metadata"),
    ),
)
