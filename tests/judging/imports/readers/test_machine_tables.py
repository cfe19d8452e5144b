"""A machine judge's table: wide and long, by id, source or text, and everything that is no
answer."""

import time
from dataclasses import replace

import pytest

from judging.imports.readers.machine_tables import JudgedItem, read_answers
from judging.imports.readers.tables import open_delimited, read_delimited
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_QUESTIONS_PER_SET
from judging.protocols import documents
from tests.factories import SMALL

RUBRIC = documents.parse(SMALL, "small.yaml")
ITEMS = [
    JudgedItem(11, 10, "aa", "s1", "Alba", 1, "Who built it?"),
    JudgedItem(12, 10, "bb", "s1", "Alba", 2, "When was it built?"),
    JudgedItem(13, 14, "cc", "s2", "Brisa", 1, "Who built  it?"),
]


def read(text: str):
    return read_answers(read_delimited(text.encode()), ITEMS, RUBRIC)


def told(found):
    return [(each.row, each.column, each.value, each.reason) for each in found.problems]


def test_wide_has_a_column_for_each_criterion():
    found = read("item,grammaticality,Correctness,rationale\naa,3,1,short\nbb,2,,\n")
    values = [(each.unit, each.criterion, each.value, each.rationale) for each in found.answers]
    assert values == [
        (11, "grammaticality", 3, "short"),
        (11, "correctness", 1, "short"),
        (12, "grammaticality", 2, ""),
    ]
    assert found.blank == 1
    assert found.problems == ()


def test_long_has_a_row_for_each_answer():
    found = read(
        "source,system,position,criterion,value,raw\ns1,Alba,2,correctness,2,Score: 2\ns2,Brisa,,Grammaticality,1,\n"
    )
    assert [(each.unit, each.criterion, each.value, each.raw) for each in found.answers] == [
        (12, "correctness", 2, "Score: 2"),
        (13, "grammaticality", 1, ""),
    ]


def test_rows_are_taken_as_they_come_and_problems_stand_in_their_order():
    text = "item,correctness\naa,4\nbb,2,9\ncc,1\n"
    found = read_answers(open_delimited(text.encode()), ITEMS, RUBRIC)
    assert [each.unit for each in found.answers] == [13]
    assert [each.row for each in found.problems] == [2, 3]
    assert found.problems == read(text).problems


def test_labels_count_as_their_points_and_nothing_else_does():
    found = read("item,correctness\naa,Yes\nbb,ja\ncc,4\n")
    assert [each.value for each in found.answers] == [3]
    assert told(found) == [
        (3, "correctness", "ja", "is no point of Correctness (1, 2, 3)"),
        (4, "correctness", "4", "is no point of Correctness (1, 2, 3)"),
    ]


@pytest.mark.parametrize("cell", ["2.5", "two", "2 of 3", "1,2", "I cannot judge this", "33"])
def test_an_answer_is_read_strictly(cell):
    found = read(f'item\tcorrectness\naa\t"{cell}"\nbb\t2.0\n')
    assert [each.value for each in found.answers] == [2]
    assert len(found.problems) == 1


def test_a_text_that_several_questions_have_needs_its_source():
    found = read("question,source,correctness\nwho built it?,,3\nwho built it?,s2,2\nWhy?,,1\n")
    assert [(each.unit, each.value) for each in found.answers] == [(13, 2)]
    assert [row[3] for row in told(found)] == [
        "several questions have this text: name source and system",
        "no question of the campaign has this text",
    ]


def test_an_item_twice_is_a_repetition():
    found = read("item,correctness\naa,3\naa,2\nbb,1\n")
    assert [(each.unit, each.value, each.repeat) for each in found.answers] == [
        (11, 3, 1),
        (11, 2, 2),
        (12, 1, 1),
    ]
    named = read(f"item,repeat,correctness\naa,1,3\naa,1,2\naa,x,2\naa,{'9' * 5_000},2\n")
    assert [each.repeat for each in named.answers] == [1]
    assert [row[3] for row in told(named)] == [
        "repetition 1 of this item is in an earlier row",
        "'x' in the column of repetitions is no number from 1 to 10,000",
        f"'{'9' * 40}' in the column of repetitions is no number from 1 to 10,000",
    ]


def test_rows_about_nothing_known_are_told():
    found = read("item,criterion,value\nzz,correctness,1\naa,beauty,1\nbb,correctness,1\n")
    assert [row[::3] for row in told(found)] == [
        (2, "the campaign has no item 'zz'"),
        (3, "is no criterion of the protocol"),
    ]
    assert len(found.answers) == 1


def test_a_set_with_several_questions_needs_the_position():
    found = read("source,system,correctness\ns1,Alba,1\ns2,Brisa,2\n")
    assert [each.unit for each in found.answers] == [13]
    assert told(found)[0][3] == "the set has several questions: name the position"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("item,beauty\naa,1\n", "no column is named as a criterion"),
        ("correctness,note\n1,x\n", "no column names the items"),
    ],
)
def test_a_table_about_something_else_is_refused(text, reason):
    with pytest.raises(Unreadable, match=reason):
        read(text)


@pytest.mark.parametrize(
    "row", ["question,correctness\nQ?,1\n", "question,source,correctness\nQ?,s2,1\n"]
)
def test_many_rows_that_name_what_many_questions_have_are_told_at_once(row):
    items = [replace(ITEMS[0], unit=unit, text="Q?") for unit in range(5_000)]
    head, told_again = row.splitlines()
    table = read_delimited("\n".join([head, *[told_again] * 50_000]).encode())
    began = time.process_time()
    assert read_answers(table, items, RUBRIC).answers == ()
    assert time.process_time() - began < 5  # it takes a tenth of that


def test_an_item_is_answered_so_often_and_no_more():
    table = read_delimited("\n".join(["item,correctness", *["aa,1"] * 50_000]).encode())
    began = time.process_time()
    found = read_answers(table, ITEMS, RUBRIC)
    assert time.process_time() - began < 5
    assert [each.repeat for each in found.answers] == [*range(1, MAX_QUESTIONS_PER_SET + 1)]
    assert told(found)[0][3] == "earlier rows answer this item 10,000 times"
