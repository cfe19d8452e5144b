"""SQuAD's JSON, and datasets in its shape: passages with questions and their answers, of which the
first is used.

Every other property of a question, such as the model that generated it, is a column by its name. If
none names a system, the questions are by humans.
"""

from collections.abc import Iterator
from typing import Any

from judging.formats.frames import Opened, Unreadable
from judging.formats.mapping import Role
from judging.formats.recipes import shared
from judging.formats.recipes.contract import Recipe
from judging.formats.recipes.shared import list_at, object_at, text_at

_ROLES: dict[str, Role] = {"id": "key", "title": "metadata", "is_impossible": "metadata"}
_ROLES |= {"context": "passage", "question": "question"}
_ROLES |= {"answer": "answer", "answer_start": "answer_start"}
_SYSTEMS = {"generator", "model", "model_name", "system", "system_name"}


def frame(opened: Opened) -> shared.Frame:
    """Return a row for each question, numbered in the order of the file."""
    paragraphs = [
        (text_at(article, "title"), text_at(paragraph, "context"), list_at(paragraph, "qas"))
        for article in list_at(opened.tree, "data")
        for paragraph in list_at(article, "paragraphs")
    ]
    asked = [
        (title, text, question) for title, text, questions in paragraphs for question in questions
    ]
    if not asked:
        raise Unreadable("No paragraph of the list “data” has a list “qas” of questions.")
    rows = (row for number, each in enumerate(asked, 1) for row in _rows(number, *each))
    return shared.frame_of_rows(opened, rows)


def propose(frame: shared.Frame) -> dict[str, Any]:
    """Return the roles of SQuAD's columns."""
    columns = shared.roles_present(frame, _ROLES, "SQuAD's files have this column.")
    is_by_humans = _SYSTEMS.isdisjoint(name.casefold() for name in frame.columns)
    return {"columns": columns} | ({"system": "human"} if is_by_humans else {})


def _rows(number: int, title: str, context: str, asked: Any) -> Iterator[shared.NumberedRow]:
    if not context or not text_at(asked, "question"):
        reason = "A question needs a text, and a paragraph with a context."
        yield shared.refused(number, asked, reason)
        return
    answer = next(iter(list_at(asked, "answers")), None)
    own = {name: each for name, each in object_at(asked).items() if not name.endswith("answers")}
    found = {"answer": text_at(answer, "text"), "answer_start": text_at(answer, "answer_start")}
    yield number, {"title": title, "context": context} | found | own


RECIPES = (
    Recipe(
        key="squad",
        title="SQuAD JSON",
        recognises=lambda opened: any(
            "paragraphs" in object_at(each) for each in list_at(opened.tree, "data")
        ),
        frame=frame,
        propose=propose,
        carries=("questions", "answers", "metadata"),
    ),
)
