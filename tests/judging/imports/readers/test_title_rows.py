"""Rows above the names of a table's columns, and names in two rows."""

import pytest

from judging.imports.readers.tables import RowTable, read_delimited
from judging.imports.readers.title_rows import column_names

ROWS = "S1,A,When did it open?,3,2\nS1,B,Who opened it?,1,2\nS2,A,Where is it?,3,3\n"
NAMES = "item,system,question,fluency,relevance\n"


def told(table: RowTable) -> list[str]:
    return [problem.reason for problem in table.problems if problem.kind == "warning"]


@pytest.mark.parametrize(
    "above",
    [
        "Ratings by Carla\n",
        "Ratings by Carla,,,,\n\n,,,,\n",
        "Ratings by Carla\nreturned 3 May,by mail\n",
    ],
)
def test_a_title_above_the_names_is_left_out_and_told(above: str) -> None:
    table = read_delimited(f"{above}{NAMES}{ROWS}".encode())
    assert table.header == ("item", "system", "question", "fluency", "relevance")
    assert [row.cells[0] for row in table.rows] == ["S1", "S1", "S2"]
    number = above.count("\n") + 1
    assert table.rows[0].number == number + 1
    [reason] = told(table)
    assert reason.startswith(
        f"The names of the columns are in row {number}. "
        "The text above them is skipped: “Ratings by Carla"
    )


def test_a_title_with_commas_does_not_say_what_divides_cells() -> None:
    text = f"Ratings, by Carla, of May\n{NAMES}{ROWS}".replace(",", ";").replace(
        "Ratings; by Carla; of May", "Ratings, by Carla, of May"
    )
    table = read_delimited(text.encode())
    assert (table.delimiter, table.header[1], len(table.rows)) == (";", "system", 3)


def test_names_that_repeat_under_groups_have_the_groups_name_before_them() -> None:
    text = (
        ",,Rater 1,,Rater 2,\nitem,question,fluency,relevance,fluency,relevance\n"
        "S1,When did it open?,3,2,3,1\nS2,Who opened it?,1,2,1,1\n"
    )
    table = read_delimited(text.encode())
    assert table.header == (
        *("item", "question", "Rater 1 fluency", "Rater 1 relevance"),
        *("Rater 2 fluency", "Rater 2 relevance"),
    )


def test_names_may_go_on_in_the_second_row() -> None:
    text = (
        "item,question,Anna,,Ben,\n,,fluency,relevance,fluency,relevance\n"
        "S1,When did it open?,3,2,3,1\nS2,Who opened it?,1,2,1,1\n"
    )
    table = read_delimited(text.encode())
    assert table.header == (
        *("item", "question", "Anna fluency", "Anna relevance", "Ben fluency", "Ben relevance"),
    )
    assert [row.number for row in table.rows] == [3, 4]
    assert told(table) == ["The names of the columns are in rows 1 and 2, which are read as one."]


@pytest.mark.parametrize(
    "text",
    [
        "question,,\nWho?,a,3\nWhy?,b,2\nWhen?,c,1\n",  # a header that forgot names
        "Who?,,\nWhy?,b,2\nWhen?,c,1\nWhere?,c,1\n",  # no header, and cells left blank
        "question,note\nWho?,\nWhy?,\nWhen?,odd\n",
    ],
)
def test_a_first_row_with_few_cells_is_no_title_where_nothing_below_names_columns(
    text: str,
) -> None:
    table = read_delimited(text.encode())
    assert not any("left out" in reason for reason in told(table))
    assert table.rows[-1].cells[0] in ("When?", "Where?")


def test_how_many_rows_stand_above_can_be_said() -> None:
    text = f"A study,of May,by mail,and more,again\n{NAMES}{ROWS}"
    assert read_delimited(text.encode()).header[0] == "A study"
    assert read_delimited(text.encode(), above=1).header[0] == "item"


def test_column_names_of_no_rows_are_none() -> None:
    assert column_names([]).cells == ()
    assert column_names([["a"]], above=7).cells == ("a",)
