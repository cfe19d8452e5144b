"""The three header rows of Qualtrics."""

import json

from tests import shared_data
from tests.judging.imports.readers.shape.reading import as_csv, read, remarks

NAMES = ("StartDate", "ResponseId", "Q1_1", "Q1_2", "Q2", "Q3")
TEXTS = ("Start Date", "Response ID", "Who hunts? - Clarity", "Who hunts? - Ease", "Why?", "Why?")
IDS = tuple(json.dumps({"ImportId": f"QID{number}"}) for number in range(6))
ALONE = {"as_is": "survey"}  # without the step that makes rows of such columns
ROWS = [
    ("2026-01-01 10:00:00", "R_1", "5", "4", "a", "b"),
    ("2026-01-02 10:00:00", "R_2", "3", "2", "", "c"),
]


def test_shared_survey_export_has_one_header_row() -> None:
    data = shared_data.path("cases/11-survey-exports/23.csv").read_bytes()
    found, _ = read(data, options=ALONE)

    assert found.rows_read == 4
    assert "When do ravens store food? - Fluency" in found.header
    assert "PROLIFIC_PID" in found.header
    assert found.values[found.header.index("What store ravens? - Fluency")] == ("1", "2")


def test_columns_of_a_survey_are_named_by_their_texts() -> None:
    found, _ = read(as_csv(NAMES, [TEXTS, IDS, *ROWS]), options=ALONE)

    named = ("StartDate", "ResponseId", "Who hunts? - Clarity", "Who hunts? - Ease", "Q2", "Q3")
    assert found.header == named
    assert (found.rows_read, "three header rows of Qualtrics" in remarks(found)[0]) == (2, True)


def test_survey_rows_in_json_lines_are_known_too() -> None:
    rows = [dict(zip(NAMES, row, strict=True)) for row in (TEXTS, IDS, *ROWS)]
    found, _ = read("\n".join(map(json.dumps, rows)), "a.jsonl", options=ALONE)

    assert (found.rows_read, found.header[2]) == (2, "Who hunts? - Clarity")


def test_survey_rows_left_as_they_are_are_rows() -> None:
    found, _ = read(as_csv(NAMES, [TEXTS, IDS, *ROWS]), options={"as_is": "header,lists"})

    assert (found.rows_read, found.header) == (4, NAMES)
