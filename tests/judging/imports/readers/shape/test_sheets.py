"""Sheets of a workbook that are one table."""

import pytest

from tests.judging.imports.readers.shape.reading import as_workbook, case, read, remarks, values

HEAD = ("id", "question", "fluency")
FIRST = [HEAD, (1, "Who hunts?", 3), (2, "Who sleeps?", 1), (3, "Who sings?", 2)]
SECOND = [HEAD, (3, "Who sings?", 1), (1, "Who hunts?", 2), (2, "Who sleeps?", 2)]


def test_sheets_of_the_shared_case_are_annotators() -> None:
    found, study = case("16-sheets-as-criteria-or-raters", "85.xlsx")

    assert (study.raters, study.criteria) == (("Anna", "Ben"), ("fluency",))
    assert (len(study.questions), len(study.ratings)) == (8, 16)
    assert "“Anna”, “Ben” are read as annotators" in remarks(found)[0]


def test_sheets_with_ratings_of_the_same_questions_are_annotators() -> None:
    found, study = read(as_workbook(Coder1=FIRST, Coder2=SECOND), "a.xlsx")

    assert values(study) == {"Coder1": ["3", "1", "2"], "Coder2": ["1", "2", "2"]}
    assert len(study.questions) == 3
    assert "of the same questions" in remarks(found)[0]


def test_sheets_with_ratings_of_the_same_items_of_one_system_are_annotators() -> None:
    head = ("item_id", "system", "question", "clarity", "ease")
    sheets = {
        name: [head, ("P1", "t5", "Who hunts?", 4, 5), ("P2", "t5", "Who sleeps?", 2, place)]
        for place, name in enumerate(("round_1", "round_2", "round_3"), 1)
    }
    _, study = read(as_workbook(**sheets), "a.xlsx")

    assert study.raters == ("round_1", "round_2", "round_3")
    assert (study.systems, len(study.questions)) == (("t5",), 2)


@pytest.mark.parametrize("head", [HEAD, ("id", "question", "remark")])
def test_sheets_of_other_questions_are_systems(head: tuple[str, ...]) -> None:
    sheets = {
        "t5": [head, (1, "Who hunts?", 3), (2, "Who sleeps?", 1)],
        "bart": [head, (1, "What hunts?", 3), (2, "What sleeps?", 1)],
    }
    _, study = read(as_workbook(**sheets), "a.xlsx")

    assert (study.systems, study.raters) == (("t5", "bart"), ())


def test_sheets_called_as_criteria_are_criteria() -> None:
    head = ("id", "question", "Ann", "Ben")
    sheets = {
        "Fluency": [head, (1, "Who hunts?", 3, 2), (2, "Who sleeps?", 1, 1)],
        "Relevance": [head, (1, "Who hunts?", 2, 2), (2, "Who sleeps?", 3, 1)],
    }
    found, study = read(as_workbook(**sheets), "a.xlsx")

    assert (study.criteria, study.raters) == (("Fluency", "Relevance"), ("Ann", "Ben"))
    assert len(study.ratings) == 8
    assert any("read as criteria" in each for each in remarks(found))


def test_sheets_left_as_they_are_keep_their_column() -> None:
    found, _ = read(
        as_workbook(Coder1=FIRST, Coder2=SECOND), "a.xlsx", options={"as_is": ["sheets"]}
    )

    assert found.header[0] == "sheet"
