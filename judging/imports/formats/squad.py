"""SQuAD's JSON, and datasets in its shape: passages with human questions and their answers.

A row is a question, numbered in the order of the file. Of several answers the first is used: the
others are other annotators' answers to the same question. Every other property of a question, such
as the model that generated it, is a column by its name.
"""

from collections.abc import Iterator
from dataclasses import replace

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import Format, is_object, proposed
from judging.imports.readers.json_files import list_at, object_at, refused, text_at, whole
from judging.imports.readers.nesting import json_text
from judging.imports.readers.tables import AnyTable, OpenTable, RowOrProblem, open_objects
from judging.imports.readers.text import Unreadable

COLUMNS = ColumnRoles(
    question="question",
    passage="context",
    answer="answer",
    answer_start="answer_start",
    key="id",
    metadata=("title",),
    default_system="human",
)
_OWN = ("answers", "plausible_answers")  # lists of which only the first answer, if any, is used


def open_squad(data: bytes) -> OpenTable:
    """Return the questions of a SQuAD file as rows.

    Raises
    ------
    Unreadable
        If the file is not JSON, or has no list `data` of articles.
    """
    articles = list_at(whole(data), "data")
    if not articles:
        raise Unreadable("The JSON has no list “data” of articles with paragraphs.")
    questions = (found for article in articles for found in _questions(article))
    rows = [_row(number, *found) for number, found in enumerate(questions, 1)]
    if not rows:
        raise Unreadable(
            "No paragraph has a list “qas” of questions. If they are elsewhere, read it as JSON Lines."
        )
    return open_objects(rows)


def _questions(article: object) -> Iterator[tuple[str, str, object]]:
    for paragraph in list_at(article, "paragraphs"):
        for question in list_at(paragraph, "qas"):
            yield text_at(article, "title"), text_at(paragraph, "context"), question


def _row(number: int, title: str, context: str, question: object) -> RowOrProblem:
    if not context or not text_at(question, "question"):
        return refused(number, question, "A question needs a text, and a paragraph with a context.")
    answer = next(iter(list_at(question, "answers")), None)
    said = {key: json_text(value) for key, value in object_at(question).items() if key not in _OWN}
    return number, said | {
        "id": text_at(question, "id"),
        "title": title,
        "context": context,
        "question": text_at(question, "question"),
        "answer": text_at(answer, "text"),
        "answer_start": text_at(answer, "answer_start"),
    }


def _columns(table: AnyTable, name: str) -> ColumnRoles:
    """Return SQuAD's own columns, and roles for the others from their names and first cells. If no
    column names the system, the questions are by humans."""
    others = proposed(table, name)
    return replace(
        others,
        question=COLUMNS.question,
        passage=COLUMNS.passage,
        answer=COLUMNS.answer,
        answer_start=COLUMNS.answer_start,
        key=COLUMNS.key,
        source_id="",
        default_system=others.default_system if others.system else COLUMNS.default_system,
    )


READS = (
    Format(
        key="squad",
        title="SQuAD JSON",
        endings=(".json",),
        # If the inspected beginning has no questions, the rest may have them, unless it is the
        # whole file.
        is_like=lambda head: (
            is_object(head, b"data", b"qas")
            or (is_object(head, b"data", b"paragraphs") and not head.rstrip().endswith(b"}"))
        ),
        rank=40,
        table=open_squad,
        propose=_columns,
        carries=("questions", "answers", "metadata"),
        page="squad",
    ),
)
