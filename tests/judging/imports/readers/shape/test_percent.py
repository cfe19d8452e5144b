"""Scores and ratings with a percent sign."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, case, read, remarks, values

HEADER = ("passage", "system", "question", "rouge_l", "clarity_1", "clarity_2")
ROWS = [
    ("Owls hunt.", "A", "Who hunts?", "61%", "80 %", "70 %"),
    ("Owls hunt.", "B", "What hunts?", "12.5%", "20 %", "30 %"),
    ("Mice sleep.", "A", "Who sleeps?", "", "90 %", "100 %"),
]


def test_percentages_of_the_shared_case_are_scores() -> None:
    found, study = case("19-percent-cells", "41.csv")

    assert [question.scores["bleu"] for question in study.questions[:3]] == ["61", "12", "55.5"]
    assert len(study.questions) == 8
    assert not [each for each in study.problems if each.kind == "value"]
    assert found.proposed is not None
    assert [(each.column, each.scale) for each in found.proposed.scores] == [("bleu", "percent")]
    assert "“61%”" in remarks(found)[0]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_percentages_are_read_as_numbers(form: str) -> None:
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in ROWS)
    found, study = read(lines if form == "jsonl" else as_csv(HEADER, ROWS), f"a.{form}")

    assert [dict(question.scores) for question in study.questions] == [
        {"rouge_l": "61"},
        {"rouge_l": "12.5"},
        {},
    ]
    assert values(study) == {"1": ["80", "20", "90"], "2": ["70", "30", "100"]}
    assert len(remarks(found)) == 3
    assert study.score_columns[0].scale == "percent"


def test_a_score_of_small_percentages_is_still_a_percentage() -> None:
    rows = [("Owls hunt.", "A", "Who hunts?", "0.4%"), ("Mice sleep.", "A", "Who sleeps?", "0.9%")]
    _, study = read(as_csv((*HEADER[:3], "bleu"), rows))

    assert study.score_columns[0].scale == "percent"


def test_values_without_a_sign_in_a_column_of_percentages_are_told() -> None:
    rows = [(f"Owl {n}.", "A", f"Who is {n}?", "0.5" if n == 7 else f"{n}%") for n in range(20)]
    found, study = read(as_csv((*HEADER[:3], "bleu"), rows))

    assert study.questions[7].scores["bleu"] == "0.5"
    assert "Column “bleu”: 1 value has no percent sign" in " ".join(remarks(found))


def test_a_percent_sign_in_a_few_cells_is_left_alone() -> None:
    rows = [(f"Owl {n}.", "A", f"Who is {n}?", "5%" if n == 7 else "0.5") for n in range(9)]
    _, study = read(as_csv((*HEADER[:3], "bleu"), rows))

    assert [(each.row, each.value) for each in study.problems] == [(9, "5%")]


def test_percent_signs_left_as_they_are_are_no_numbers() -> None:
    _, study = read(as_csv(HEADER, ROWS), options={"as_is": ["percent"]})

    assert [each.value for each in study.problems if each.kind == "value"] == ["61%", "12.5%"]
