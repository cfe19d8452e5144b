"""Files of every kind become sheets of cells or a tree, or end with a sentence."""

import bz2
import gzip
import io
import json
import lzma
import zipfile
from typing import Any

import pandas as pd
import pytest
from openpyxl import Workbook

from judging.formats import open as opening
from judging.formats.frames import Opened, Problem, Unreadable
from judging.formats.mapping import Mapping
from judging.formats.open import open_file

CSV = b"question,system,fluency\nWho?,a,3\nWhy?,b,1\n"


def opened(data: bytes | str, name: str = "a.csv", **given: Any) -> Opened:
    data = data.encode() if isinstance(data, str) else data
    return open_file(name, data, Mapping(**given))


def sheet(data: bytes | str, name: str = "a.csv", **given: Any) -> pd.DataFrame:
    return opened(data, name, **given).sheets[0].frame


def rows(data: bytes | str, name: str = "a.csv", **given: Any) -> list[list[str]]:
    frame = sheet(data, name, **given)
    return [list(frame.columns), *frame.to_numpy().tolist()]


def problems(data: bytes | str, name: str = "a.csv") -> list[Problem]:
    return [problem for each in opened(data, name).sheets for problem in each.problems]


def reason(data: bytes | str, name: str = "a.csv", **given: Any) -> str:
    with pytest.raises(Unreadable) as refusal:
        opened(data, name, **given)
    return refusal.value.reason


def archive(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in files.items():
            file.writestr(name.replace("_", "."), data)
    return made.getvalue()


def workbook(**sheets: list[list[object]]) -> bytes:
    book, made = Workbook(), io.BytesIO()
    book.remove(book.worksheets[0])
    for name, cells in sheets.items():
        added = book.create_sheet(name)
        for row in cells:
            added.append(row)
    book.save(made)
    return made.getvalue()


def test_table_cells_are_text_and_rows_have_the_numbers_of_a_spreadsheet() -> None:
    found = sheet('question,note\nWho?,\n\n"Why,\nthen?",x\n')
    assert found.index.tolist() == [2, 4]
    assert found["question"].tolist() == ["Who?", "Why,\nthen?"]
    assert found["note"].tolist() == ["", "x"]
    assert set(found.dtypes) == {pd.Series(dtype=object).dtype}


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, lambda data: archive(a_csv=data)]
)
def test_compressed_file_is_unpacked(pack: Any) -> None:
    assert rows(pack(CSV), "a.csv.gz") == rows(CSV)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (archive(a_csv=CSV, b_csv=CSV), "2 files: “a.csv”, “b.csv”. Upload its files one by one"),
        (archive(a_zip=archive(a_csv=CSV)), "holds another archive. Unpack it"),
        (gzip.compress(gzip.compress(CSV)), "compressed twice. Unpack it"),
        (gzip.compress(CSV)[:-9], "damaged or cut off"),
        (archive(a_csv=CSV)[:60], "damaged or cut off"),
        (b"%PDF-1.4", "This is a PDF. Save its table as CSV."),
        (b"$FL2@(#) SPSS DATA FILE", "an SPSS file. Export it as CSV or Parquet."),
        (b"\x72\x01\x01\x00", "a Stata file"),
        (b"RDX3\n", "an R file"),
        (b"ARROW1\x00\x00", "an Arrow or Feather file. Save it as Parquet or CSV."),
        (b"\x89PNG\r\n", "an image"),
        (archive(**{"word/document_xml": b"", "mimetype": b""}), "a text document"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "WordDocument".encode("utf-16-le"), "an Office"),
        (b"<html><table><tr><td>Who?", "a web page (HTML)"),
        (b"PAR1 and nothing else", "Parquet file is damaged"),
        (b" \n", "The file is empty."),
        (b"\xff\xfe\x00\x00" + "question\nWho?".encode("utf-32-le"), "too many bytes are zero"),
        (b"question,system\n", "a header but no rows"),
        (b'{"a": ', "The file is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[]", "No row can be read. The list is empty."),
        (b"<a><b></a>", "The XML cannot be read at line 1: mismatched tag"),
        (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "declares a document type or entities"),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_unusable_file_ends_with_a_sentence(data: bytes, said: str) -> None:
    assert said in reason(data, "a")


def test_bomb_is_not_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening.limits, "MAX_UNPACKED_BYTES", 10_000)
    large = b"question\n" + b" " * 20_000
    for data in (gzip.compress(large), archive(a_csv=large), lzma.compress(large)):
        assert "unpacks to more than 10,000 bytes" in reason(data)
    assert "too large" in reason(workbook(a=[["question"], ["Who?" * 5_000]]))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
def test_encoding_is_detected(encoding: str) -> None:
    text = "question,passage\n" + "Où est le café de la forêt?,Élise a déjà mangé près d’ici.\n" * 5
    found = opened(text.encode(encoding))
    assert found.sheets[0].frame["question"].iloc[0] == "Où est le café de la forêt?"
    assert any(encoding in note for note in found.notes) == (encoding == "cp1252")


def test_encoding_can_be_chosen() -> None:
    data = "question,note\nŁódź?,x\n".encode("cp1250")
    assert rows(data, encoding="cp1250")[1][0] == "Łódź?"
    assert "line 2" in reason(data, encoding="utf-8")
    assert "No encoding is called “klingon”" in reason(data, encoding="klingon")


@pytest.mark.parametrize(
    ("data", "cells"),
    [
        ("q;note;f\nWho, then?;a;3,5\n", ["Who, then?", "a", "3,5"]),
        ("q\tnote\tf\nWho, then?\ta|b\t3\n", ["Who, then?", "a|b", "3"]),
        ("q|note|f\nWho, then?|a|3\n", ["Who, then?", "a", "3"]),
        ("q^note^f\nWho, then?^a^3\n", ["Who, then?", "a", "3"]),
        ('q, note, f\n"Who, then?", "a, b", 3\n', ["Who, then?", "a, b", "3"]),
        ('q,note,f\n"Who is \\"A, B\\"?",a,3\n', ['Who is "A, B"?', "a", "3"]),
        ('q\tnote\tf\n"Who" is it?\t"a\t3\nWhy?\tb\t1\n', ['"Who" is it?', '"a', "3"]),
        ('q,note,f\n"Who ""x""?",a,3\n', ['Who "x"?', "a", "3"]),
    ],
)
def test_dialect_that_suits_most_rows_is_taken(data: str, cells: list[str]) -> None:
    assert rows(data)[1] == cells


def test_dialect_is_compared_over_the_whole_file_if_a_row_does_not_fit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(opening, "SAMPLE_CHARACTERS", 30)
    data = "q\tnote\n" + "Who?\ta\n" * 9 + '"Why\tb\n' + "How?\tc\n" * 9
    assert sheet(data).shape == (19, 2)


def test_single_column_with_commas_stays_one_column() -> None:
    data = "question\nWho, then?\nWhy, oh why, is it?\nWhen?\n"
    assert rows(data) == [["question"], ["Who, then?"], ["Why, oh why, is it?"], ["When?"]]


def test_dialect_can_be_chosen() -> None:
    assert rows("a;b,c\n1;2,3\n", delimiter=";") == [["a", "b,c"], ["1", "2,3"]]
    assert rows('a,b\n"1,2\n', quoted=False) == [["a", "b"], ['"1', "2"]]


def test_row_of_another_width_goes_to_quarantine() -> None:
    data = "question,system\nWho?,a\nWhy?\nHow?,b,c\nWhen?,b,\n"
    assert sheet(data).index.tolist() == [2, 5]
    assert [(each.row, each.reason, each.value) for each in problems(data)] == [
        (3, "The row has 1 cells where the header has 2.", "Why?"),
        (4, "The row has 3 cells where the header has 2.", "How? | b | c"),
    ]
    [broken] = problems('q,s\n"Who" is,a\n"Why, then?",b\n"How, then?",b\n')
    assert (broken.row, broken.reason[:19]) == (2, "A quoted cell goes ")


@pytest.mark.parametrize(
    ("cell", "said"),
    [("a\x00b", "NUL"), ("\ud800", "surrogate"), ("x" * 1_000_001, "at most 1,000,000")],
)
def test_text_that_cannot_be_stored_goes_to_quarantine(cell: str, said: str) -> None:
    lines = "\n".join(json.dumps({"question": each}) for each in ("Who?", cell, "Why?"))
    assert opened(lines, "a.jsonl").tree == [{"question": "Who?"}, {"question": "Why?"}]
    tables = [(lines, "a.jsonl", 2)]
    if cell != "\ud800":  # which no text file holds
        tables.append((f"question,note\nWho?,a\nWhy?,{cell}\n", "a.csv", 3))
    for data, name, row in tables:
        [problem] = problems(data, name)
        assert said in problem.reason and problem.row == row


def test_rows_shorter_by_the_same_number_throughout_are_padded() -> None:
    assert rows("a,b,c,d\n1,2,3\n4,5,6\n7,8,9\n")[1] == ["1", "2", "3", ""]


def test_names_are_unique_and_blank_columns_without_a_name_are_dropped() -> None:
    assert rows("a,a,,b,\n1,2,3,4,\n5,6,7,8,\n")[0] == ["a", "a (2)", "column 3", "b"]


@pytest.mark.parametrize(
    ("data", "header"),
    [
        ("Who is it?,a,3\nWhy is it?,b,1\nWhen is it?,b,2\n", ["column 1", "column 2", "column 3"]),
        ("question,system,3\nWhy is it?,b,1\nWhen is it?,b,2\n", ["question", "system", "3"]),
        ("item,1,2\nx,3,1\ny,2,2\nz,1,2\n", ["item", "1", "2"]),
    ],
)
def test_header_is_missing_only_if_that_is_clear(data: str, header: list[str]) -> None:
    assert rows(data)[0] == header


def test_header_and_rows_above_it_can_be_chosen() -> None:
    assert rows("a,b\nc,d\n", header=False)[1:] == [["a", "b"], ["c", "d"]]
    found = sheet("Some,title\n\nq,s\nWho?,a\nWhy?,b\n", skip=1)
    assert (list(found.columns), found.index.tolist()) == (["q", "s"], [4, 5])
    assert list(sheet("Results of May\n\nq;s\nWho?;a\nWhy?;b\n").columns) == ["q", "s"]


def test_too_large_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening.limits, "MAX_TABLE_ROWS", 1)
    assert "more than 1 rows" in reason(CSV)
    monkeypatch.setattr(opening.limits, "MAX_TABLE_COLUMNS", 2)
    assert "at most 2 can be read" in reason(CSV)


def test_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    monkeypatch.setattr(opening, "report", told.append)
    opened("question,n\n" + "".join(f"Who is {n}?,{n}\n" for n in range(10_100)))
    assert told == [5_000, 10_000]


@pytest.mark.parametrize(
    ("data", "numbers"),
    [
        ('[{"a": 1.50, "b": NaN}, {"a": null}]', [1, 2]),
        ('{"a": 1.50, "b": NaN}\n\n{"a": null}\n', [1, 3]),
        ('{\n "a": 1.50,\n "b": NaN\n}\n{\n "a": null\n}', [1, 5]),
    ],
)
def test_json_items_have_rows_and_numbers_keep_their_digits(data: str, numbers: list[int]) -> None:
    tree = opened(data, "a.json").tree
    assert (tree, tree.rows) == ([{"a": "1.50", "b": None}, {"a": None}], numbers)


def test_json_object_is_a_tree_and_a_repeated_key_is_refused() -> None:
    assert opened('{"data": [{"a": 12345678901234567890}]}').tree == {
        "data": [{"a": "12345678901234567890"}]
    }
    assert "the key “a” occurs twice" in reason('{"a": 1, "a": 2}')


def test_json_line_that_is_broken_goes_to_quarantine() -> None:
    data = '{"a": 1}\n{"a": 2\n{"a": 3}\n'
    assert opened(data, "a.jsonl").tree.rows == [1, 3]
    [problem] = problems(data, "a.jsonl")
    assert (problem.row, problem.reason) == (2, 'The line is not JSON: {"a": 2')


def test_xml_elements_have_lines() -> None:
    found = opened('<?xml version="1.0"?>\n<a>\n<b id="1">Who?</b>\n</a>', "a.xml")
    [element] = found.tree
    assert (found.kind, element.tag, element.text, element.line) == ("xml", "b", "Who?", 3)
    latin = '<?xml version="1.0" encoding="latin-1"?><a>Où?</a>'.encode("latin-1")
    assert opened(latin).tree.text == "Où?"


def test_workbook_sheets_hold_cells_as_people_see_them() -> None:
    data = workbook(
        One=[["question", "fluency", "date"], ["Who?", 3.0, pd.Timestamp("2026-01-02")]],
        Two=[["Ratings of May"], [], ["question", "fluency"], ["Why?", 2.5], ["How?", True]],
        Empty=[],
    )
    one, two = opened(data).sheets
    assert (one.name, one.frame.to_numpy().tolist()) == (
        "One",
        [["Who?", "3", "2026-01-02"]],
    )
    assert two.frame.index.tolist() == [4, 5]
    assert two.frame["fluency"].tolist() == ["2.5", "true"]
    assert [each.name for each in opened(data, sheets=["Two"]).sheets] == ["Two"]
    assert "no sheet “Three”" in reason(data, sheets=["Three"])
    assert reason(workbook(a=[])) == "The workbook is empty."


def test_parquet_is_read_with_lists_as_json() -> None:
    frame = pd.DataFrame({"q": ["Who?", "Why?"], "refs": [["a", "b"], None], "f": [3.0, None]})
    made = io.BytesIO()
    frame.to_parquet(made)
    assert rows(made.getvalue(), "a.parquet") == [
        ["q", "refs", "f"],
        ["Who?", '["a", "b"]', "3"],
        ["Why?", "", ""],
    ]
