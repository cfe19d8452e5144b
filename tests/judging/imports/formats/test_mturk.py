"""Batch results of Mechanical Turk."""

import csv
import io
import json
from collections import Counter

import pytest

from judging.imports.formats.mturk import SlotsAre, mturk_columns, open_mturk, split
from judging.imports.readers.mapping import to_study
from judging.imports.readers.records import StudyRecords
from judging.imports.readers.text import Unreadable
from tests.shared_data import path


def batch(*rows: dict[str, str]) -> bytes:
    out = io.StringIO(newline="")
    writer = csv.DictWriter(
        out, list(dict.fromkeys(name for row in rows for name in row)), quoting=csv.QUOTE_ALL
    )
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def study_of(*rows: dict[str, str], slots_are: SlotsAre = "systems") -> StudyRecords:
    table = open_mturk(batch(*rows), slots_are=slots_are)
    return to_study(table, mturk_columns(table))


def rated(study: StudyRecords) -> list[tuple[str, str, int | None, str, str, str]]:
    return [
        (each.source_key, each.system, each.position, each.rater, each.criterion, each.value)
        for each in study.ratings
    ]


ONE = {
    "WorkerId": "W1",
    "AssignmentStatus": "Approved",
    "Input.passage_1_before": "Owls sleep by day. ",
    "Input.sentence_1": "Owls hunt at night.",
    "Input.passage_1_after": " So night it is.",
    "Input.answer_1": "night",
    "Input.question_1a": "When do owls hunt?",
    "Input.question_1b": "Who hunts?",
    "Answer.fluency_1a": "3",
    "Answer.fluency_1b": "2",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("question_1a", ("question", ("1", "a"))),
        ("passage_1_before", ("passage_before", ("1",))),
        ("question", ("question", ())),
        ("question_01-b", ("question", ("1", "b"))),
        ("question1", ("question", ("1",))),
        ("questionA", ("questionA", ())),
        ("q_A", ("q", ("a",))),
        ("grammaticality_2_3.1", ("grammaticality", ("2", "3", "1"))),
    ],
)
def test_split_takes_the_index_from_a_name(
    name: str, expected: tuple[str, tuple[str, ...]]
) -> None:
    assert split(name) == expected


def test_read_mturk_joins_the_parts_of_a_passage_and_locates_the_answer() -> None:
    source = study_of(ONE).sources[0]
    assert source.passage == "Owls sleep by day. Owls hunt at night. So night it is."
    assert (source.answer_start, source.sentence_start) == (32, 19)


def test_read_mturk_takes_the_last_letter_for_the_system() -> None:
    study = study_of(ONE, ONE | {"WorkerId": "W2", "Answer.fluency_1a": "1"})
    assert rated(study) == [
        ("1", "a", 1, "W1", "fluency", "3"),
        ("1", "b", 1, "W1", "fluency", "2"),
        ("1", "a", 1, "W2", "fluency", "1"),
        ("1", "b", 1, "W2", "fluency", "2"),
    ]
    assert len(study.questions) == 2


def test_read_mturk_takes_the_last_letter_for_the_position_where_told() -> None:
    study = study_of(ONE, slots_are="positions")
    assert [(system, position) for _, system, position, *_ in rated(study)] == [
        ("unnamed", 1),
        ("unnamed", 2),
    ]


def test_read_mturk_takes_the_system_from_an_input() -> None:
    study = study_of(ONE | {"Input.system_1a": "T5", "Input.system_1b": "NQG"})
    assert study.systems == ("T5", "NQG")


@pytest.mark.parametrize(
    "row",
    [
        {"Input.question": "Who?", "Answer.fluency": "3"},
        {"Input.question_1": "Who?", "Answer.fluency_1": "3"},
        {"Input.paragraph1": "Owls.", "Input.question1": "Who?", "Answer.fluency1": "3"},
        {"Input.question_01": "Who?", "Answer.fluency-1": "3"},
        {"Input.question_1": "Who?", "Answer.fluency_1.1": "false", "Answer.fluency_1.3": "true"},
        {
            "Input.question_1": "Who?",
            "Answer.taskAnswers": json.dumps([{"fluency_1": {"2": False, "3": True}}]),
        },
        {"Input.question_1": "Who?", "Answer.taskAnswers": json.dumps([{"fluency_1": 3}])},
    ],
)
def test_read_mturk_reads_any_numbering_and_template(row: dict[str, str]) -> None:
    assert rated(study_of({"WorkerId": "W1"} | row)) == [("1", "unnamed", 1, "W1", "fluency", "3")]


def test_read_mturk_shares_one_passage_among_numbered_questions() -> None:
    study = study_of(
        {
            "WorkerId": "W1",
            "Input.passage": "Owls.",
            "Input.question_1": "Who?",
            "Input.question_2": "What?",
        }
    )
    assert [(each.source_key, each.system) for each in study.questions] == [("1", "1"), ("1", "2")]


def test_read_mturk_refuses_rejected_assignments_and_tells_of_stray_answers() -> None:
    stray = {"Answer.comment": "fun", "Answer.fluency_9z": "3"}
    study = study_of(ONE | stray, ONE | stray | {"WorkerId": "W2", "AssignmentStatus": "Rejected"})
    assert [(problem.row, problem.kind, problem.column) for problem in study.problems] == [
        (2, "warning", "Answer.comment"),
        (2, "warning", "Answer.fluency_9z"),
        (3, "row", "AssignmentStatus"),
    ]
    assert (study.rows_read, study.rows_kept) == (3, 2)


def test_read_mturk_skips_slots_that_an_assignment_leaves_empty() -> None:
    study = study_of(ONE | {"Input.question_1b": "", "Answer.fluency_1b": ""})
    assert [question.text for question in study.questions] == ["When do owls hunt?"]


@pytest.mark.parametrize(
    "data", [b"", b"a,b\n1,2\n", b"WorkerId,x\nW1,y\n", b"WorkerId,Input.question\n"]
)
def test_read_mturk_refuses_with_a_sentence(data: bytes) -> None:
    with pytest.raises(Unreadable):
        open_mturk(data)


def test_read_mturk_reads_the_released_batch() -> None:
    table = open_mturk(path("qgbench/mturk_batch_sample.csv").read_bytes())
    study = to_study(table, mturk_columns(table))
    assert (len(study.sources), len(study.questions), len(study.ratings)) == (5, 30, 180)
    assert (study.raters, study.systems) == (("W00", "W01"), tuple("abcdef"))
    assert Counter(rating.criterion for rating in study.ratings) == {
        "correctness": 60,
        "grammaticality": 60,
        "understandability": 60,
    }
    assert study.problems == ()
    assert all(
        source.answer_start is not None and source.sentence_start is not None
        for source in study.sources
    )
    values = {
        (each.source_key, each.system, each.rater, each.criterion): each.value
        for each in study.ratings
    }
    assert values["2", "d", "W01", "correctness"] == "3"
    assert values["2", "d", "W00", "understandability"] == "1"


def raw(rows: list[list[str]], *, delimiter: str = ",") -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue().encode()


def test_read_mturk_reads_a_batch_whose_last_columns_no_row_fills() -> None:
    rows = [[*ONE, "Approve", "Reject"], [*ONE.values()], [*(ONE | {"WorkerId": "W2"}).values()]]
    table = open_mturk(raw(rows))
    study = to_study(table, mturk_columns(table))
    assert (len(study.ratings), study.raters, study.rows_kept) == (4, ("W1", "W2"), study.rows_read)
    assert [(problem.kind, problem.reason) for problem in study.problems] == [
        (
            "warning",
            "The header has 12 fields and most rows have 10: they end before “Approve”, “Reject”, which is "
            "blank there.",
        ),
    ]


def test_read_mturk_refuses_what_the_requester_marks_for_rejection() -> None:
    rows = [
        [*ONE, "Approve", "Reject"],
        [*ONE.values()],
        [*ONE.values()],
        [*ONE.values(), "", "too fast"],
    ]
    table = open_mturk(raw(rows)).table()
    assert [
        (problem.row, problem.column) for problem in table.problems if problem.kind == "row"
    ] == [(4, "Reject")]


def test_read_mturk_reads_the_released_batch_in_its_raw_form() -> None:
    whole = list(
        csv.reader(
            io.StringIO(path("qgbench/mturk_batch_sample.csv").read_text("utf-8-sig"), newline="")
        )
    )
    assert whole[0][-2:] == ["Approve", "Reject"]
    table = open_mturk(raw([whole[0], *(row[:-2] for row in whole[1:])]))
    study = to_study(table, mturk_columns(table))
    assert (len(study.sources), len(study.questions), len(study.ratings)) == (5, 30, 180)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"Input.question,Answer.fluency\nWho?,3\n", "name the worker of each row"),
        (
            b"WorkerId,Input.noise,Answer.fluency\nW,a,3\n",
            "No input column is of questions.*inputs: Input.noise",
        ),
        (
            b"WorkerId,Input.question,Answer.fluency\nW,Who?,3,,1\nV,Who?,2,1,1,1\n",
            "No row can be read. Row 2: The row has 5 cells where the header has 3.",
        ),
    ],
)
def test_read_mturk_names_the_true_cause(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        open_mturk(data)


SHUFFLED = {
    "WorkerId": "W1",
    "Input.passage_1": "Owls.",
    "Input.question_1a": "Who?",
    "Input.question_1b": "What?",
    "Answer.fluency_1a": "3",
    "Answer.fluency_1b": "1",
}


def by_system(study: StudyRecords) -> list[tuple[str, str, str]]:
    return [(each.rater, each.system, each.value) for each in study.ratings]


def test_read_mturk_takes_from_each_row_which_system_a_letter_was() -> None:
    first = SHUFFLED | {"Input.system_a": "T5", "Input.system_b": "NQG"}
    second = SHUFFLED | {
        "WorkerId": "W2",
        "Input.question_1a": "What?",
        "Input.question_1b": "Who?",
        "Input.system_a": "NQG",
        "Input.system_b": "T5",
    }
    expected = [("W1", "T5", "3"), ("W1", "NQG", "1"), ("W2", "NQG", "3"), ("W2", "T5", "1")]
    assert by_system(study_of(first, second)) == expected


def test_read_mturk_takes_the_system_from_a_declared_column() -> None:
    row = SHUFFLED | {"Input.order_1st": "T5", "Input.order_2nd": "NQG"}
    table = open_mturk(batch(row), systems={"a": "Input.order_1st", "1b": "Input.order_2nd"})
    assert by_system(to_study(table, mturk_columns(table))) == [
        ("W1", "T5", "3"),
        ("W1", "NQG", "1"),
    ]
    with pytest.raises(Unreadable, match=r"“Input\.nowhere”, which is no column"):
        open_mturk(batch(row), systems={"a": "Input.nowhere"})


def test_read_mturk_reads_the_pools_of_another_platform() -> None:
    header = [
        "INPUT:paragraph",
        "INPUT:question",
        "OUTPUT:fluency",
        "ASSIGNMENT:worker_id",
        "ASSIGNMENT:status",
    ]
    rows = [["Owls.", "Who?", "3", "w1", "APPROVED"], ["Owls.", "Who?", "2", "w2", "REJECTED"]]
    table = open_mturk(raw([header, *rows], delimiter="\t"))
    study = to_study(table, mturk_columns(table))
    assert rated(study) == [("1", "unnamed", 1, "w1", "fluency", "3")]
    assert [(problem.row, problem.column) for problem in study.problems] == [
        (3, "ASSIGNMENT:status")
    ]
