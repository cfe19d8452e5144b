"""CSV, TSV and JSON Lines to header and rows."""

import csv
import io
import tracemalloc
from collections import deque
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.imports.readers import tables
from judging.imports.readers.tables import (
    RowTable,
    open_delimited,
    open_jsonl,
    parse_json,
    read_delimited,
    read_jsonl,
    shorten,
)
from judging.imports.readers.text import Unreadable
from tests.shared_data import path


def cells(table: RowTable) -> list[tuple[str, ...]]:
    return [row.cells for row in table.rows]


def reasons(table: RowTable) -> list[tuple[int, str]]:
    return [(problem.row, problem.reason) for problem in table.problems]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_read_delimited_finds_the_delimiter(delimiter: str) -> None:
    text = f'question{delimiter}system\n"Who, when; and{delimiter}where?"{delimiter}a\nWhy?{delimiter}b\n'
    table = read_delimited(text.encode())
    assert table.delimiter == delimiter
    assert cells(table) == [(f"Who, when; and{delimiter}where?", "a"), ("Why?", "b")]


def test_read_delimited_prefers_the_delimiter_of_all_rows() -> None:
    table = read_delimited(b"question, as shown;system, short\nWho, if any?;a\nWhy?;b\n")
    assert table.header == ("question, as shown", "system, short")


def test_read_delimited_takes_the_declared_delimiter() -> None:
    assert read_delimited(b"a,b;c\n1,2;3\n", delimiter=";").header == ("a,b", "c")


def test_read_delimited_reads_one_column() -> None:
    assert cells(read_delimited(b"question\nWho?\n")) == [("Who?",)]
    assert cells(read_delimited(b"question\nWho, and when?\nWhere, if at all?\n")) == [
        ("Who, and when?",),
        ("Where, if at all?",),
    ]


@pytest.mark.parametrize("delimiter", [",,", '"', "\n"])
def test_read_delimited_refuses_a_delimiter_that_cannot_be(delimiter: str) -> None:
    with pytest.raises(Unreadable, match="A delimiter is one character"):
        read_delimited(b"a,b\n1,2\n", delimiter=delimiter)


def test_read_delimited_keeps_line_breaks_and_counts_rows_as_a_spreadsheet() -> None:
    table = read_delimited(b'question,system\r\n"Who\r\nwas it?",a\r\n\r\nWhy?,b\r\n')
    assert [(row.number, row.cells) for row in table.rows] == [
        (2, ("Who\r\nwas it?", "a")),
        (4, ("Why?", "b")),
    ]


def test_read_delimited_reads_tabs_without_quoting_where_marks_are_ordinary() -> None:
    table = read_delimited(b'gold\tnoised\n"Who" wrote it?\twrote it?\nWhy "The\tof The"\n')
    assert not table.quoted
    assert cells(table) == [('"Who" wrote it?', "wrote it?"), ('Why "The', 'of The"')]


def test_read_delimited_reads_tabs_with_quoting_where_cells_are_quoted() -> None:
    table = read_delimited(b'gold\tnoised\n"Who\twrote it?"\t"a ""b"""\n')
    assert cells(table) == [("Who\twrote it?", 'a "b"')]


def test_read_delimited_reads_a_lone_quotation_mark_among_tabs() -> None:
    table = read_delimited(b'gold\tnoised\nWho?\t"dynamic theory\nWhy?\tWhy\nWhen?\tWhen\n')
    assert cells(table) == [("Who?", '"dynamic theory'), ("Why?", "Why"), ("When?", "When")]


def test_read_delimited_refuses_ragged_rows_and_keeps_the_rest() -> None:
    table = read_delimited(b"a,b\n1,2\n3\n4,5,6\n7,8,,\n")
    assert cells(table) == [("1", "2"), ("7", "8")]
    assert reasons(table) == [
        (3, "The row has 1 cells where the header has 2."),
        (4, "The row has 3 cells where the header has 2."),
    ]
    assert table.rows_read == 4


def test_read_delimited_refuses_rows_with_nul_and_with_huge_cells() -> None:
    table = read_delimited(b"a,b\n1,2\nx\x00,3\n4," + b"y" * 10_000_000 + b"\n5,6\n")
    assert cells(table) == [("1", "2"), ("5", "6")]
    assert [(problem.row, problem.column) for problem in table.problems] == [(3, "a"), (4, "b")]
    assert len(table.problems[1].value) == 80


def test_read_delimited_refuses_a_row_whose_quotation_goes_on() -> None:
    table = read_delimited(b'a,b\n"x"y,2\n3,4\n')
    assert cells(table) == [("3", "4")]
    assert reasons(table)[0][0] == 2
    assert "double the quotation marks" in reasons(table)[0][1]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "The file is empty"),
        (b"question,system\n", "a header but no rows"),
        (b"question,system,question\nWho?,a,b\n", "names the column “question” 2 times"),
        (b'a,b\n1,2\n3,"open\n4,5\n', "Row 3 opens a quotation mark that is never closed"),
        (b'"a,b\n', "Row 1 opens a quotation mark"),
        (b'"a"b,c\n1,2\n', "The header cannot be read"),
        (b"a\x00,b\n1,2\n", "The name of a column holds a NUL"),
        (b"," * 2_000 + b"\n1\n", "2,001 columns"),
    ],
)
def test_read_delimited_refuses_the_file_with_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_delimited(data)


def test_read_delimited_names_a_column_without_name_by_its_place() -> None:
    assert read_delimited(b",question\n0,Who?\n").header == ("column 1", "question")


def test_read_delimited_keeps_formulas_and_markup_as_text() -> None:
    values = ("=1+1", "+1", "-2", "@sum", "<script>alert(1)</script>", "1.50e-09")
    table = read_delimited((",".join("abcdef") + "\n" + ",".join(values) + "\n").encode())
    assert cells(table) == [values]


def test_read_delimited_reads_the_released_answerability_file() -> None:
    data = path("nema2018/squad.tsv").read_bytes()
    table = read_delimited(data)
    assert (table.delimiter, len(table.rows), table.problems) == ("\t", 897, ())
    assert cells(table) == [tuple(line.split("\t")) for line in data.decode().split("\r\n")[1:]]


def test_read_jsonl_keeps_digits_lists_and_nulls() -> None:
    numbers = '{"q": "Who?", "m": 0.10000000000000000555, "n": 12345678901234567890123, '
    table = read_jsonl(
        (numbers + '"r": ["a", "é"], "x": null, "t": true}\n\n{"q": "Why?", "y": NaN}').encode()
    )
    assert table.header == ("q", "m", "n", "r", "x", "t", "y")
    assert [(row.number, row.cells) for row in table.rows] == [
        (
            1,
            (
                "Who?",
                "0.10000000000000000555",
                "12345678901234567890123",
                '["a", "é"]',
                "",
                "true",
                "",
            ),
        ),
        (3, ("Why?", "", "", "", "", "", "")),
    ]


def test_read_jsonl_refuses_lines_that_are_no_objects() -> None:
    deep = "[" * 100_000
    lines = [
        '{"q": "Who?"}',
        "nonsense",
        "[1]",
        '{"q": "a", "q": "b"}',
        '{"q": "\\u0000"}',
        '{"q": "\\ud800"}',
        deep,
    ]
    table = read_jsonl("\n".join(lines).encode())
    assert cells(table) == [("Who?",)]
    assert [problem.row for problem in table.problems] == [2, 3, 4, 5, 6, 7]
    assert "nested too deeply" in table.problems[-1].reason
    assert table.rows_read == 7


@pytest.mark.parametrize("data", [b"", b"nonsense\n", b"{}\n", b"[1]\n"])
def test_read_jsonl_refuses_a_file_without_objects(data: bytes) -> None:
    with pytest.raises(Unreadable):
        read_jsonl(data)


def test_parse_json_names_the_line_of_the_error() -> None:
    with pytest.raises(ValueError, match="at line 2"):
        parse_json('{"a": 1,\n}')


def test_shorten_shows_no_control_characters() -> None:
    assert shorten("a\nb\x00c") == "a b c"
    assert shorten("x" * 100, most=5) == "xxxx…"


@given(
    st.binary(max_size=300) | st.text(alphabet=',;\t"\n\rab\x00=🦉', max_size=120).map(str.encode)
)
def test_reading_any_bytes_accounts_for_every_row_or_refuses(data: bytes) -> None:
    for read in (read_delimited, read_jsonl):
        try:
            table = read(data)
        except Unreadable as refusal:
            assert refusal.reason.endswith(".")
            continue
        refused = [problem.row for problem in table.problems if problem.kind == "row"]
        assert table.rows_read == len(table.rows) + len(refused)
        assert all(len(row.cells) == len(table.header) for row in table.rows)
        numbers = [row.number for row in table.rows] + refused
        assert len(set(numbers)) == len(numbers)


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=20)


@given(
    st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=10),
    st.sampled_from([",", ";", "\t"]),
)
def test_what_a_csv_writer_wrote_comes_back(
    rows: list[tuple[str, str, str]], delimiter: Literal[",", ";", "\t"]
) -> None:
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b", "c"), *rows])
    table = read_delimited(out.getvalue().encode(), delimiter=delimiter, quoted=True)
    assert cells(table) == rows


@pytest.mark.parametrize("data", [b"question\n" + b"Who?\n" * 11, b'{"question": "Who?"}\n' * 11])
def test_more_rows_than_can_be_read_are_refused(
    data: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 11)
    read = read_jsonl if data.startswith(b"{") else read_delimited
    assert read(data).rows_read == 11
    monkeypatch.setattr(tables, "MAX_TABLE_ROWS", 10)
    with pytest.raises(Unreadable, match="more than 10 rows; split it"):
        read(data)


def test_a_file_is_gone_through_once_and_its_sample_comes_again() -> None:
    opened = open_delimited(b"q,s\na,1\nb\nc,3\nd,4\n")
    assert [row.cells for row in opened.sample(2)] == [("a", "1"), ("c", "3")]
    assert [row.number for row in opened.sample(3)] == [2, 4, 5]
    told: list[int] = []
    opened.tell(told.append, every=1)
    assert [row.number for row in opened.rows] == [2, 4, 5]
    assert (list(opened.rows), opened.rows_read, [problem.row for problem in opened.problems]) == (
        [],
        4,
        [3],
    )


def test_equal_rows_of_a_table_in_tabs_with_short_rows_are_read_without_quoting() -> None:
    table = read_delimited(b'q\ts\tApprove\n"Who" is it?\ta\nWhy "x?\tb\nWhen?\tc\n')
    assert [row.cells[0] for row in table.rows] == ['"Who" is it?', 'Why "x?', "When?"]


@pytest.mark.long
def test_objects_with_few_of_many_columns_take_what_they_hold() -> None:
    keys = ",".join(f'"k{number}":1' for number in range(1_999))
    data = (f"{{{keys}}}\n" + '{"k1998":2}\n' * 5_000).encode()
    tracemalloc.start()
    last = deque((row.cells for row in open_jsonl(data).rows), maxlen=1)
    _now, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (last[0][1_997:], len(last[0])) == (("", "2"), 1_999)
    assert most < 20_000_000


def test_blank_cells_beyond_a_short_header_are_no_column() -> None:
    table = read_delimited(b",\n,,x,\n")
    assert len(table.header) == 3
    assert [row.cells for row in table.rows] == [("", "", "x")]
