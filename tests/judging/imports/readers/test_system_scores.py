"""A table of systems' scores: taken whole, or refused with the row."""

import tracemalloc

import pytest

from judging.imports.readers.system_scores import read_system_scores
from judging.imports.readers.text import Unreadable

SYSTEMS = ("Alba", "Brisa")


def test_every_column_beside_the_systems_is_a_metric_with_its_digits() -> None:
    data = b"system\tQA F1\textrinsic\nBrisa\t61.20\t4.6e-14\n Alba \t58.1\t\n"
    found = read_system_scores(data, systems=SYSTEMS)
    assert found == {"QA F1": {"Brisa": "61.20", "Alba": "58.1"}, "extrinsic": {"Brisa": "4.6e-14"}}


@pytest.mark.parametrize(
    ("text", "row", "reason"),
    [
        (
            "system,F1\nAlba,1\nCorvo,2\n",
            3,
            "No system is called “Corvo”; there are “Alba”, “Brisa”.",
        ),
        ("system,F1\nAlba,1\nAlba,2\n", 3, "The system “Alba” comes twice."),
        ("system,F1\nAlba,best\n", 2, "“best” in the column “F1” is no number."),
        ("system,F1\nAlba,NaN\n", 2, "“NaN” in the column “F1” is no number."),
        ("system,F1,EM\nAlba,1,\nBrisa,2,\n", 0, "The column “EM” has no score."),
        ("system,F1, F1\nAlba,1,2\n", 1, "The header names the column “F1” 2 times."),
        ("system\nAlba\n", 0, "Beside the column of systems there is none of scores."),
    ],
)
def test_what_cannot_be_taken_refuses_the_file(text: str, row: int, reason: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_system_scores(text.encode(), systems=SYSTEMS)
    assert (refused.value.reason, refused.value.row) == (reason, row)


def test_a_row_of_another_width_refuses_the_file() -> None:
    with pytest.raises(Unreadable):
        read_system_scores(b"system,F1\nAlba,1,2\nBrisa,3\n", systems=SYSTEMS)


WIDE = "system," + ",".join(f"c{number}" for number in range(1_999)) + "\n"


def test_a_wide_table_of_short_rows_is_refused_at_the_first_of_them() -> None:
    data = (WIDE + "Alba" + ",1" * 1_999 + "\n" + "x\n" * 15_000).encode()
    tracemalloc.start()
    with pytest.raises(Unreadable) as refused:
        read_system_scores(data, systems=SYSTEMS)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.row == 3
    assert most < 30_000_000  # filled up, all rows would take 240 MB


def test_nothing_is_read_behind_the_first_row_that_is_refused() -> None:
    data = b"system,F1\nAlba,1\nBrisa,2,3\n" + b"Alba,1\n" * 300 + b'"never closed\n'
    with pytest.raises(
        Unreadable, match=r"^The row has 3 cells where the header has 2\."
    ) as refused:
        read_system_scores(data, systems=SYSTEMS)
    assert refused.value.row == 3
