"""QG-Bench's datasets in JSON Lines: human questions with what they were asked about."""

from dataclasses import replace

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import Format, first_line, is_object, proposed
from judging.imports.readers.tables import AnyTable, open_jsonl

_HIGHLIGHTED = ("paragraph_question", "paragraph_answer", "paragraph_sentence", "sentence_answer")


def dataset_columns(table: AnyTable, name: str) -> ColumnRoles:
    """Return the columns: the questions are by humans, and copies of the text with highlights are
    dropped."""
    columns = proposed(table, name)
    metadata = tuple(each for each in columns.metadata if each not in _HIGHLIGHTED)
    return replace(columns, default_system="human", metadata=metadata)


def _is_like(head: bytes) -> bool:
    known = is_object(first_line(head), b"paragraph", b"sentence", b"answer", b"question")
    return known and b'"prediction"' not in head and b'"model"' not in head


READS = (
    Format(
        key="qgbench_jsonl",
        title="QG-Bench JSON Lines",
        endings=(".jsonl",),
        is_like=_is_like,
        rank=70,
        table=open_jsonl,
        propose=dataset_columns,
        carries=("questions", "answers", "metadata"),
        page="qgbench-jsonl",
    ),
)
