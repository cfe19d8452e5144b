"""Lists and tables: pages, HTML, files; addresses from the environment; progress bars."""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from quaestor_client import Quaestor, Rows
from quaestor_client.datasets import rows_of
from quaestor_client.progress import progress_bar

ROWS = [{"system": "Alba", "mean": 2.5, "n": None}, {"system": "<b>", "mean": 1 / 3, "n": 7}]


def test_rows_load_only_what_is_read() -> None:
    read: list[int] = []

    def coming() -> Iterator[int]:
        for number in range(100):
            read.append(number)
            yield number

    rows = Rows(coming())
    assert rows and rows[3] == 3
    assert len(read) == 4
    assert [next(iter(rows)), *rows[2:4]] == [0, 2, 3]  # a slice reads all
    assert (len(rows), rows[-1], len(read)) == (100, 99, 100)
    assert list(rows) == list(range(100))
    assert repr(Rows(range(2))) == "[0, 1]"
    assert repr(rows).endswith("19, ...]")


def test_rows_are_shown_as_an_escaped_table_in_a_notebook() -> None:
    shown = Rows(ROWS)._repr_html_()
    assert "<th>system</th><th>mean</th><th>n</th>" in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown
    assert "None" not in shown
    long = Rows([{"text": "x" * 500}] * 30)._repr_html_()
    assert long.count("<tr>") == 21
    assert "x" * 101 not in long


def test_rows_become_files_that_hold_them_exactly(tmp_path: Path) -> None:
    rows = Rows(ROWS)
    assert pd.read_csv(rows.to_csv(tmp_path / "rows.csv"))["mean"].tolist() == [2.5, 1 / 3]
    read = pd.read_parquet(rows.to_parquet(tmp_path / "rows.parquet"))
    assert read["mean"].tolist() == [2.5, 1 / 3]
    assert read["n"].isna().tolist() == [True, False]


def test_rows_become_a_dataset_of_hugging_face() -> None:
    pytest.importorskip("datasets")
    made = Rows(ROWS).to_datasets()
    assert (made.column_names, made[1]["mean"]) == (["system", "mean", "n"], 1 / 3)


def test_client_takes_its_address_and_token_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("QUAESTOR_URL", raising=False)
    with pytest.raises(ValueError, match="QUAESTOR_URL"):
        Quaestor()
    monkeypatch.setenv("QUAESTOR_URL", "https://quaestor.example/")
    monkeypatch.setenv("QUAESTOR_TOKEN", "secret")
    connection = Quaestor().connection
    assert connection.url == "https://quaestor.example"
    assert connection.http.headers["Authorization"] == "Token secret"
    other = Quaestor("https://other.example").connection  # which gets no token of another site
    assert "Authorization" not in other.http.headers


def test_progress_bar_is_shown_if_wanted_only(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    for is_wanted in (None, False):
        with progress_bar("judging.add", is_wanted) as show:
            show(1, 2)
    assert capsys.readouterr().err == ""
    with progress_bar("judging.add", True) as show:
        show(1, 2)
    assert "judging.add" in (shown := capsys.readouterr().err)
    assert "1/2" in shown


def test_rows_of_a_dataframe_keep_numbers_and_leave_gaps_blank() -> None:
    df = pd.DataFrame(
        {
            "id": ["007", "008"],
            "score": [1 / 3, float("nan")],
            "rating": [2.0, None],
            "when": [datetime(2026, 11, 30, tzinfo=UTC), pd.NaT],
            "labels": [["a"], None],
            5: [True, False],
        },
        index=[7, 9],
    )
    first, second = rows_of(df)
    assert first == {
        "id": "007",
        "score": 1 / 3,
        "rating": 2,
        "when": "2026-11-30T00:00:00+00:00",
        "labels": ["a"],
        "5": True,
    }
    assert list(second.values()) == ["008", None, None, None, None, False]
    assert [type(value) for value in first.values()][1:3] == [float, int]
    assert list(first) == list(map(str, df.columns))


def test_dates_and_decimals_of_a_dataframe_become_texts_and_numbers() -> None:
    days = [date(2026, 11, 30), None]
    df = pd.DataFrame({"day": days, "score": [Decimal("0.1"), Decimal(3)]})
    assert rows_of(df) == [{"day": "2026-11-30", "score": 0.1}, {"day": None, "score": 3}]
    assert type(rows_of(df)[1]["score"]) is int


@pytest.mark.parametrize(
    ("value", "named"),
    [
        (pd.Timedelta("1s"), "Timedelta"),
        (pd.Period("2026-11"), "Period"),
        (pd.Interval(0, 1), "Interval"),
        (1j, "complex"),
        ([{1}], "list"),
        (float("inf"), "Infinity"),
        (Decimal("Infinity"), "Infinity"),
        ([float("nan")], "Infinity"),
    ],
)
def test_dataframe_with_a_value_that_json_lacks_is_refused(value: Any, named: str) -> None:
    df = pd.DataFrame({"question": ["Who?", "By whom?"], "x": [None, value]})
    with pytest.raises(ValueError, match=f"Column “x”.*{named}"):
        rows_of(df)
