"""Prodigy's JSON Lines: each line is a task and one annotator's decision.

A choice is a rating by the id of the option; without options, accept and reject are ratings on the
task's label. `meta` are columns.
"""

from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Problem
from judging.formats.mapping import Column
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import text_at

_PROGRAM = ("accept", "answer", "config", "label", "meta", "options", "spans", "tokens")
_QUESTION = {"question", "generated_question", "prediction", "output", "hypothesis"}


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of the decisions; `text` is the question unless another column is."""
    columns = shared.answer_columns(frame, "Prodigy")
    if "text" in frame and _QUESTION.isdisjoint(frame.columns):
        columns["text"] = Column(role="question", why="Prodigy shows it to the annotator.")
    return {"columns": columns}


def _rows(number: int, task: Any) -> Iterator[shared.NumberedRow]:
    if not text_at(task, "answer"):
        yield shared.refused(number, task, "A task is an object with “answer”.")
        return
    own = {
        name: each
        for name, each in task.items()
        if name not in (*_PROGRAM, "user_input") and name[:1] != "_"
    }
    shown = shared.object_at(task, "meta") | own | {shared.TASK: text_at(task, "_input_hash")}
    rater = text_at(task, "_annotator_id") or text_at(task, "_session_id") or "prodigy"
    note = text_at(task, "user_input")
    notes = [{shared.RATER: rater, shared.NOTE: note}] if note else []
    yield from shared.with_answers(number, shown, [*notes, _decision(number, task, rater)])


def _decision(number: int, task: Any, rater: str) -> shared.Row | Problem | None:
    answer, label, has_options = text_at(task, "answer"), text_at(task, "label"), "options" in task
    if answer == "ignore" or (has_options and answer == "reject"):
        reason = "A task that was ignored or rejected without a choice holds no rating."
        return shared.warning(number, "answer", reason)
    if has_options:
        return shared.rating(number, rater, label or "choice", shared.list_at(task, "accept"))
    return shared.rating(number, rater, label or "accepted", [answer])


RECIPES = (
    Recipe(
        key="prodigy",
        title="Prodigy JSON Lines",
        recognises=lambda opened: {"answer", "_input_hash"} <= set(shared.names(opened)),
        frame=shared.frame_by_item(_rows),
        propose=propose,
        carries=("questions", "references", "answers", "ratings", "notes", "metadata"),
    ),
)
