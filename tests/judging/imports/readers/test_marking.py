"""Marked spans: what fits its passage is a mark, and what does not says why."""

import pytest

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.mapping import to_study
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.tables import read_delimited

HEADER = "passage,question,rater,kind,start,end,text\n"
COLUMNS = ColumnRoles(
    passage="passage",
    question="question",
    rater="rater",
    mark="kind",
    mark_start="start",
    mark_end="end",
    mark_text="text",
)


def read(*rows: str) -> StudyRecords:
    return to_study(read_delimited((HEADER + "\n".join(rows) + "\n").encode()), COLUMNS)


def test_spans_and_nothing_are_marks_of_their_raters() -> None:
    study = read(
        "Owls hunt.,Who?,ha,span,0,4,Owls", "Owls hunt.,Who?,ha,,5,9,", "Owls hunt.,Who?,uw,none,,,"
    )
    assert [(each.rater, each.start, each.end, each.row) for each in study.marks] == [
        ("ha", 0, 4, 2),
        ("ha", 5, 9, 3),
        ("uw", None, None, 4),
    ]
    assert study.problems == ()


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("Owls hunt.,Who?,ha,span,0,4,Mice", "There the passage says “Owls”."),
        (
            "Owls hunt.,Who?,ha,span,0,40,",
            "The span ends beyond the passage, which has 10 characters.",
        ),
        ("Owls hunt.,Who?,ha,span,4,4,", "The span is empty."),
        (
            "Owls hunt.,Who?,ha,span,-1,4,",
            "A span is two whole numbers, counted in characters from 0.",
        ),
        ("Owls hunt.,Who?,ha,box,0,4,", "A mark is “span” or “none”."),
        ("Owls hunt.,Who?,,span,0,4,", "The mark names no annotator."),
        (",Who?,ha,span,0,4,", "There is no passage to mark in."),
    ],
)
def test_a_span_that_cannot_be_is_told_with_its_row(row: str, reason: str) -> None:
    study = read(row)
    assert study.marks == ()
    assert [
        (problem.row, problem.column, problem.kind, problem.reason) for problem in study.problems
    ] == [(2, "start", "value", reason)]


def test_who_marks_a_span_and_says_that_nothing_answers_is_told() -> None:
    study = read("Owls hunt.,Who?,ha,span,0,4,", "Owls hunt.,Who?,ha,none,,,")
    assert [each.start for each in study.marks] == [0]
    assert [problem.row for problem in study.problems] == [3]


@pytest.mark.parametrize(
    ("passage", "end", "text"),
    [
        ("Owls hunt.", 9, "OWLS\u00a0hunt"),
        ("Owls hunt.", 9, "Owls\\nhunt"),
        ("It’s late.", 4, "it's"),
    ],
)
def test_a_span_may_be_quoted_otherwise_than_its_passage_writes_it(
    passage: str, end: int, text: str
) -> None:
    study = read(f"{passage},Who?,ha,span,0,{end},{text}")
    assert ([(mark.start, mark.end) for mark in study.marks], study.problems) == ([(0, end)], ())
