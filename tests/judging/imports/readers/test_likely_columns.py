"""Columns whose names say nothing, and tables with a column of questions for each system."""

import pytest

from judging.imports.readers.columns import ColumnRoles, QuestionColumn, conflicts
from judging.imports.readers.guessing import guess
from judging.imports.readers.likely_columns import question_columns
from judging.imports.readers.mapping import to_study
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.tables import read_delimited

TOWNS = ("Alpha", "Beta", "Gamma", "Delta")


def passage(town: str) -> str:
    return f"The town of {town} lies on a river between two hills, and it was founded by the nuns of {town}bury Abbey."


def crossed(header: list[str]) -> list[list[str]]:
    """Rows of three systems on each town; the third omits the question mark, the second is blank
    once."""
    rows = []
    for number, town in enumerate(TOWNS, 1):
        rows += [
            [
                str(number),
                passage(town),
                f"the nuns of {town}bury Abbey",
                "rules",
                f"Who founded {town}?",
            ],
            [
                str(number),
                passage(town),
                f"the nuns of {town}bury Abbey",
                "bart",
                f"What is {town}?" if number > 1 else "",
            ],
            [
                str(number),
                passage(town),
                f"the nuns of {town}bury Abbey",
                "t5",
                f"founded {town} who",
            ],
        ]
    assert len(header) == len(rows[0])
    return rows


def wide() -> bytes:
    lines = ["text;Antwort;gold question;t5-large question;bart_pred;wer"]
    lines += [
        f"{passage(town)};the nuns of {town}bury Abbey;Who founded {town}?;Who made {town}?;"
        f"{'What lies on a river?' if town != 'Beta' else ''};5"
        for town in TOWNS
    ]
    return "\n".join(lines).encode()


@pytest.mark.parametrize(
    "header", [["Nr", "Absatz", "Antwort", "Programm", "Frage"], ["", "a", "b", "c", "d"]]
)
def test_texts_are_known_by_their_shape_whatever_they_are_called(header: list[str]) -> None:
    found = guess(header, crossed(header))
    assert (found.passage, found.answer, found.system, found.question) == tuple(header[1:])
    assert (found.source_id, found.metadata) == (("Nr", ()) if header[0] else ("", ("",)))


def test_names_that_are_known_come_before_shapes() -> None:
    header = ["id", "question", "answer", "topic", "prediction"]
    found = guess(header, crossed(header))
    assert (found.question, found.references, found.answer) == (
        "prediction",
        ("question",),
        "answer",
    )
    assert found.system == "", "without a passage by name or shape nothing tells a system"


@pytest.mark.parametrize(
    ("name", "values", "known"),
    [
        ("Which model", ["bart", "t5", "t5", "bart", "t5", "t5"], True),
        ("LLM used", ["bart", "bart", "bart", "t5", "t5", "t5"], True),
        ("which_model_generated_the_question", ["bart", "t5"] * 3, True),
        ("Which model", ["a", "b", "c", "d", "e", "a"], False),
        ("Which model", ["bart", "", "t5", "bart", "t5", ""], False),
        ("Model answer", ["yes", "no"] * 3, False),
        ("Which", ["bart", "t5"] * 3, False),
        ("LLM label", ["yes", "no"] * 3, False),
        ("model_size", ["11", "3"] * 3, False),
    ],
)
def test_a_column_that_asks_for_the_system_is_known_by_names_that_come_again(
    name: str, values: list[str], known: bool
) -> None:
    header = ["nr", name, "prediction"]
    rows = [[str(place // 2), value, f"Who, {place}?"] for place, value in enumerate(values)]
    found = guess(header, rows)
    assert found.system == (name if known else "")
    assert (name in found.metadata) is not known


def test_a_column_that_differs_within_a_passage_but_not_alike_is_no_system() -> None:
    header = ["Nr", "Absatz", "Antwort", "Art", "Frage"]
    rows = [
        [*row[:3], ("who", "what", "who")[place % 3], row[4]]
        for place, row in enumerate(crossed(header))
    ]
    assert guess(header, rows).system == ""


def test_whole_words_of_the_passage_are_answers_and_numbers_of_rows_are_not() -> None:
    rows = [
        [str(n), f"{passage(town)} It has {n} bells.", town[:3], f"Who? {n}?"]
        for n, town in enumerate(TOWNS, 1)
    ]
    assert guess(["a", "b", "c", "d"], rows).answer == "", (
        "Alp is no word of the passage, and 1 to 4 number the rows"
    )


def test_a_table_with_a_column_for_each_system_becomes_a_row_for_each() -> None:
    table = read_delimited(wide())
    columns = FORMAT["csv"].columns(table)
    assert columns.by_system == (
        QuestionColumn(column="t5-large question", system="t5-large"),
        QuestionColumn(column="bart_pred", system="bart"),
    )
    assert (columns.passage, columns.answer, columns.references) == (
        "text",
        "Antwort",
        ("gold question",),
    )
    assert columns.metadata == () and columns.scores == (), (
        "a number beside all systems is nobody's"
    )
    study = to_study(table, columns)
    assert (study.rows_read, study.rows_kept, len(study.sources)) == (4, 4, 4)
    assert [(each.system, each.text, each.row) for each in study.questions[:4]] == [
        ("t5-large", "Who made Alpha?", 2),
        ("bart", "What lies on a river?", 2),
        ("t5-large", "Who made Beta?", 3),
        ("bart", None, 3),
    ]
    assert study.expected[study.sources[1].key, "bart"] == 1, (
        "a blank cell is a question that was not returned"
    )


def test_what_is_wrong_with_a_row_of_several_systems_is_told_once() -> None:
    data = (
        b"text,source,a question,b question\nA long text.,1,Who?,What?\nA long text.,,Why?,When?\n"
    )
    by = (
        QuestionColumn(column="a question", system="a"),
        QuestionColumn(column="b question", system="b"),
    )
    study = to_study(
        read_delimited(data), ColumnRoles(passage="text", source_id="source", by_system=by)
    )
    assert [(each.row, each.reason) for each in study.problems] == [(3, "The row names no source.")]
    assert (study.rows_read, study.rows_kept) == (2, 1)


def test_two_names_that_would_be_one_system_stay_whole() -> None:
    cells = {"model question": ["Who?"], "system question": ["What?"]}
    assert [each.system for each in question_columns(list(cells), cells)] == [
        "model question",
        "system question",
    ]


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"by_system": (("a", ""),)}, "Say whose questions each column of questions holds."),
        ({"by_system": (("a", "x"), ("b", "x"))}, "Two columns hold questions of the same system."),
        ({"by_system": (("a", "x"),), "question": "q"}, "not both"),
        (
            {"by_system": (("a", "x"),), "rater": "r"},
            "a score or rating cannot be assigned to a system",
        ),
    ],
)
def test_what_does_not_go_with_a_column_for_each_system_is_refused(
    columns: dict, sentence: str
) -> None:
    by = tuple(
        QuestionColumn(column=column, system=system) for column, system in columns.pop("by_system")
    )
    assert any(sentence in reason for reason in conflicts(ColumnRoles(by_system=by, **columns)))


def test_long_texts_of_one_letter_are_looked_at_quickly() -> None:
    rows = [["a" * 1_000_000, "a", f"{n}?"] for n in range(50)]
    assert guess(["x", "y", "z"], rows).answer == ""
