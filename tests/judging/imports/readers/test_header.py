"""Whether the first line of a table is a header, and how its fields match those of the rows."""

import pytest

from judging.imports.readers.tables import RowTable, read_delimited


def remarks(table: RowTable) -> list[str]:
    return [problem.reason for problem in table.problems if problem.kind == "warning"]


def cells(table: RowTable) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]


def test_last_names_that_no_row_fills_are_told_and_blank() -> None:
    table = read_delimited(b"question,system,Approve,Reject\nWho?,a\nWhy?,b\nWhen?,c,x\n")
    assert cells(table) == [("Who?", "a", "", ""), ("Why?", "b", "", ""), ("When?", "c", "x", "")]
    assert remarks(table) == [
        "The header has 4 fields and most rows have 2: they end before “Approve”, “Reject”, which is blank there."
    ]


def test_a_row_that_is_narrower_than_the_usual_is_refused() -> None:
    table = read_delimited(b"q,s,x\nWho?,a\nWhy?,b\nWhen?,c\nWhere?\n")
    assert [problem.row for problem in table.problems if problem.kind == "row"] == [5]


def test_a_last_name_that_the_header_forgot_is_told() -> None:
    table = read_delimited(b"question,system\nWho?,a,3\nWhy?,b,2\n")
    assert (table.header, cells(table)[0]) == (
        ("question", "system", "column 3"),
        ("Who?", "a", "3"),
    )
    assert remarks(table) == [
        "The rows have 3 fields and the header has 2: the rows’ last is called “column 3”."
    ]


def test_numbers_of_rows_before_the_first_name_are_told() -> None:
    table = read_delimited(
        b'"question","system"\n"1","Who?","a"\n"2","Why?","b"\n"3","When?","b"\n'
    )
    assert (table.header, cells(table)[1]) == (
        ("column 1", "question", "system"),
        ("2", "Why?", "b"),
    )
    assert remarks(table) == [
        "The rows have 3 fields and the header has 2: the rows’ first, which numbers them, is called “column 1”."
    ]


def test_blank_cells_behind_every_row_are_none() -> None:
    table = read_delimited(b"question,system\nWho?,a,\nWhy?,b,\n")
    assert (table.header, remarks(table)) == (("question", "system"), [])


@pytest.mark.parametrize(
    "text",
    [
        "Who hunts?,T5,0.31\nWhat hunts?,T5,0.4\nWhen?,NQG,0.2\n",
        "Who hunts?,T5\nWhat hunts?,T5\nWhen?,NQG\n",
        "1,Who hunts?\n2,What hunts?\n3,When?\n",
        "7,3\n7,2\n8,1\n",
    ],
)
def test_a_file_without_names_is_known_by_its_shape(text: str) -> None:
    table = read_delimited(text.encode())
    assert not table.headed
    assert (table.header[0], len(table.rows), table.rows[0].number) == ("column 1", 3, 1)
    assert "The first line looks like a row" in remarks(table)[0]
    named = read_delimited(text.encode(), header=True)
    assert (named.headed, len(named.rows), remarks(named)) == (True, 2, [])


@pytest.mark.parametrize(
    "text",
    [
        "question,system,BLEU\nWho?,T5,0.31\nWhat?,T5,0.4\nWhen?,NQG,0.2\n",
        "item,1,2,3\nWho hunts?,3,2,1\nWhat hunts?,3,3,3\nWhen?,1,2,3\n",
        "a,b\nx,y\nz,y\nw,y\n",
        "frage,wert\nWer jagt?,3\nWas jagt?,2\nWann?,1\n",
        "Who hunts?,T5\nWhy?,NQG\n",
    ],
)
def test_a_line_of_names_is_known_by_its_shape(text: str) -> None:
    assert read_delimited(text.encode()).headed


def test_a_file_is_read_without_names_where_somebody_says_so() -> None:
    table = read_delimited(b"a,b\nc,d\n", header=False)
    assert (table.header, cells(table), remarks(table)) == (
        ("column 1", "column 2"),
        [("a", "b"), ("c", "d")],
        [],
    )


def test_read_delimited_with_a_column_name_as_long_as_a_text_reads_it() -> None:
    name = "x" * 2_000
    assert read_delimited(f"question,{name}\nWho?,3\n".encode(), header=True).header[1] == name
