"""Rows of totals and averages."""

import json

import pytest

from tests.judging.imports.readers.shape.reading import as_csv, case, read, remarks, values

HEADER = ("passage", "system", "question", "fluency_A", "fluency_B")
ROWS = [
    ("Owls hunt.", "A", "Who hunts?", "3", "2"),
    ("Owls hunt.", "B", "What hunts?", "1", "1"),
    ("Mice sleep.", "A", "Who sleeps?", "2", "3"),
    ("Mice sleep.", "B", "What sleeps?", "3", "1"),
]
BLANK = {"A": 0, "B": 0}


@pytest.mark.parametrize("name", ["64.csv", "64f.csv"])
def test_total_of_the_shared_cases_is_excluded_and_reported(name: str) -> None:
    found, study = case("04-summary-row", name)

    assert (len(study.questions), study.systems) == (8, ("S1", "S2"))
    assert study.missing == {"S1": 0, "S2": 0}
    assert "Row 10 is a total" in remarks(found)[0]
    assert found.rows_read == study.rows_read == study.rows_kept == 8


@pytest.mark.parametrize(
    "total",
    [
        ("", "Average", "", "2.25", "1.75"),
        ("TOTAL", "", "", "9", "7"),
        ("Mean", "", "", "2.25", ""),
        ("Overall average:", "", "", "2.3", "1.8"),
        ("", "", "", "2.25", "1.75"),
        ("", "", "", "2.3", "1.8"),
        ("", "", "", "9", "7"),
    ],
)
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_row_of_totals_is_excluded(total: tuple[str, ...], form: str) -> None:
    rows = [*ROWS, total]
    lines = "\n".join(json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows)
    found, study = read(lines if form == "jsonl" else as_csv(HEADER, rows), f"a.{form}")

    assert study.missing == BLANK
    assert values(study) == {"A": ["3", "1", "2", "3"], "B": ["2", "1", "3", "1"]}
    assert [each for each in remarks(found) if "is excluded" in each]


def test_totals_within_the_file_are_excluded_too() -> None:
    rows = [*ROWS[:2], ("Subtotal", "", "", "4", "3"), *ROWS[2:], ("Total", "", "", "9", "7")]
    found, study = read(as_csv(HEADER, rows))

    assert len(study.questions) == 4
    assert remarks(found) == ["Rows 4 (“Subtotal”), 7 (“Total”) are totals and are excluded."]


@pytest.mark.parametrize(
    "row",
    [
        ("Cats purr.", "Average", "Who purrs?", "2.25", "1.75"),
        ("Cats purr.", "A", "", "2.25", "1.75"),
        ("Cats purr.", "A", "", "", ""),
    ],
)
def test_a_row_of_the_study_is_no_total(row: tuple[str, ...]) -> None:
    found, _ = read(as_csv(HEADER, [*ROWS, row]))

    assert found.rows_read == 5
    assert not [each for each in remarks(found) if "excluded" in each]


def test_numbers_alone_within_the_file_are_no_total() -> None:
    rows = [*ROWS[:2], ("", "", "", "2", "1.5"), *ROWS[2:]]
    found, _ = read(as_csv(HEADER, rows))

    assert found.rows_read == 5


def test_a_system_of_such_a_name_that_asks_keeps_its_missing_outputs() -> None:
    rows = [
        ("Mice sleep.", "Overall", "", "1", "1"),
        ("Owls hunt.", "Overall", "Who hunts?", "3", "2"),
        *ROWS,
    ]
    _, study = read(as_csv(HEADER, rows))

    assert study.missing["Overall"] == 1


def test_totals_left_as_they_are_stay() -> None:
    rows = [*ROWS, ("", "Average", "", "2.25", "1.75")]
    found, _ = read(as_csv(HEADER, rows), options={"as_is": "totals"})

    assert found.rows_read == 5
