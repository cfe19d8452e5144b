"""Rows that match nothing in the dataset are reported and leave no record."""

import pytest

from judging.imports.readers.columns import columns_from
from judging.imports.readers.limited import Limits, Request, study_of
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.screening import screen_from, screen_of, serves

METEOR = {"column": "METEOR", "name": "METEOR", "direction": "higher", "scale": "fraction"}
BY_ID = columns_from(
    {"source_id": "id", "system": "system", "scores": [METEOR], "without_questions": True}
)
BY_TEXT = columns_from({"question": "question", "system": "system", "scores": [METEOR]})
ROWS = 60_000
MANY = b"id,system,METEOR\nheld,A,0.5\n" + b"".join(b"%d,A,0.25\n" % row for row in range(ROWS))


def screen(**held):
    return screen_of(**{"ids": (), "keys": (), "texts": ()} | held)


def test_rows_of_other_sources_are_told_and_left_out():
    left = []
    data = b"id,system,METEOR\n1,A,0.5\n 2 ,A,0.5\n3,B,x\n"
    taken = FORMAT["csv"].take(data)

    study = FORMAT["csv"].study_of(
        taken,
        columns=BY_ID,
        screen=screen(ids=["2"]),
        left_out=lambda row, what: left.append((row, what)),
    )

    assert [each.source_key for each in study.questions] == ["2"]
    assert left == [(2, "1, A"), (4, "3, B")]
    assert (study.rows_read, study.problems) == (3, ())


def test_texts_are_compared_after_their_normalisation():
    data = "question,system,METEOR\nWhy  not?,A,1\n“Who”?,A,1\nWhen?,A,1\n".encode()
    held = screen(texts=["Why not?", '"Who"?'])

    study = FORMAT["csv"].study_of(FORMAT["csv"].take(data), columns=BY_TEXT, screen=held)

    assert [each.text for each in study.questions] == ["Why  not?", "“Who”?"]


def test_a_screen_comes_back_from_plain_data():
    held = screen(ids=["a", "b"])

    assert screen_from(held.as_dict()) == held


@pytest.mark.parametrize(
    ("said", "served"),
    [
        ({"source_id": "id"}, True),
        ({"question": "q"}, True),
        ({"key": "k"}, True),
        ({"question": "q", "passage": "p"}, False),
        ({"source_id": "id", "answer": "a"}, False),
        ({"system": "s"}, False),
    ],
)
def test_what_systems_were_given_may_find_a_row_otherwise(said, served):
    assert serves(columns_from(said)) is served


@pytest.mark.long
def test_rows_about_nothing_take_no_memory():
    limits, left = Limits(memory=110_000_000, seconds=60), []
    request = {"data": MANY, "name": "a.csv", "format": "csv", "columns": BY_ID}

    all_of_it, _ = study_of(Request(**request), limits=limits)
    study, _ = study_of(
        Request(
            **request, screen=screen(ids=["held"]), left_out=lambda row, what: left.append(row)
        ),
        limits=limits,
    )

    assert "takes more than 110 MB of memory; split it." in all_of_it.problems[0].reason
    assert [each.scores for each in study.questions] == [{"METEOR": "0.5"}]
    assert (len(left), left[0], left[-1]) == (ROWS, 3, ROWS + 2)
