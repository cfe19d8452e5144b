"""Workbooks."""

import io
import zipfile
from datetime import date, datetime, time
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment

from judging.imports.formats import workbook
from judging.imports.formats.workbook import WorkbookSheet, read_workbook, sheets
from judging.imports.readers.registry import FORMAT
from judging.imports.readers.text import Unreadable


def saved(*rows: tuple[Any, ...], sheets: int = 1) -> bytes:
    book = Workbook()
    sheet = book.worksheets[0]
    for number in range(1, sheets):
        sheet = book.create_sheet(f"more {number}")
    for row in rows:
        sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def changed(data: bytes, part: str, old: bytes, new: bytes) -> bytes:
    """Return the workbook with one of its parts changed."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        for info in before.infolist():
            content = before.read(info)
            after.writestr(
                info.filename, content.replace(old, new) if info.filename == part else content
            )
    return out.getvalue()


SHEET = "xl/worksheets/sheet1.xml"


def test_read_workbook_writes_values_as_text() -> None:
    moment = datetime(2010, 5, 1, 12, 30)
    table = read_workbook(
        saved(
            ("q", "n", "x", "t", "d"),
            ("Où 🦉?", 3, 0.1, True, moment),
            ("b", 3.0, 1e-9, None, None),
        )
    )
    assert table.header == ("q", "n", "x", "t", "d")
    assert [(row.number, row.cells) for row in table.rows] == [
        (2, ("Où 🦉?", "3", "0.1", "true", "2010-05-01T12:30:00")),
        (3, ("b", "3", "1e-09", "", "")),
    ]


def test_read_workbook_refuses_only_rows_that_are_too_wide() -> None:
    table = read_workbook(saved(("q", "x"), ("a", 1), ("b", 2, 3)))
    assert [row.cells for row in table.rows] == [("a", "1")]
    assert [problem.row for problem in table.problems] == [3]


def test_read_workbook_passes_over_blank_rows_and_empty_sheets() -> None:
    table = read_workbook(saved((), ("q",), (), ("a",), sheets=2))
    assert [(row.number, row.cells) for row in table.rows] == [(4, ("a",))]


def test_read_workbook_keeps_a_formula_without_stored_value_as_text() -> None:
    assert read_workbook(saved(("q", "m"), ("a", "=1+1"))).rows[0].cells == ("a", "=1+1")


def test_read_workbook_takes_the_value_stored_with_a_formula() -> None:
    data = changed(
        saved(("q", "m"), ("a", "=1+1")), SHEET, b"<f>1+1</f><v />", b"<f>1+1</f><v>2</v>"
    )
    data = changed(data, SHEET, b"<f>1+1</f><v></v>", b"<f>1+1</f><v>2</v>")
    assert read_workbook(data).rows[0].cells == ("a", "2")


def test_read_workbook_reads_the_named_sheet_or_says_that_there_is_none() -> None:
    data = saved(("q",), ("a",), sheets=2)
    assert read_workbook(data, sheet="more 1").rows[0].cells == ("a",)
    with pytest.raises(Unreadable, match="no sheet “less”"):
        read_workbook(data, sheet="less")


def bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for number in range(3):
            archive.writestr(f"xl/{number}.xml", b" " * 70_000_000)
    return out.getvalue()


ENTITIES = b'<!DOCTYPE w [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><worksheet'


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no workbook"),
        (b"question,system\n", "no workbook"),
        (saved(("q",), ("a",))[:-200], "no workbook"),
        (saved(), "The workbook is empty"),
        (saved(("q",)), "a header but no rows"),
        (b"question,system\n" + saved(("q",), ("a",)), "no workbook"),
        (changed(saved(("q",), ("a",)), "xl/workbook.xml", b"<", b""), "damaged"),
        (changed(saved(("q",), ("a",)), SHEET, b"<worksheet", ENTITIES), "damaged"),
        (
            changed(saved(("q",), ("a",)), SHEET, b'<row r="2"', b'<row r="999999999"'),
            "more than 1,048,576 rows",
        ),
    ],
)
def test_read_workbook_refuses_with_a_sentence(data: bytes, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read_workbook(data)


def test_read_workbook_refuses_damaged_parts_of_any_packing() -> None:
    for packing in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED):
        out = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(saved(("q",), ("a",)))) as before,
            zipfile.ZipFile(out, "w", packing) as after,
        ):
            for info in before.infolist():
                after.writestr(info.filename, before.read(info))
            place = after.getinfo(SHEET).header_offset + 30 + len(SHEET)
        data = bytearray(out.getvalue())
        data[place + 9 : place + 40] = b"\xff" * 31
        with pytest.raises(Unreadable, match="damaged"):
            read_workbook(bytes(data))


def test_read_workbook_refuses_a_bomb_with_a_sentence() -> None:
    with pytest.raises(Unreadable, match="unpacks to 210,000,000 bytes"):
        read_workbook(bomb())


def of_sheets(**sheets: list[tuple[Any, ...]]) -> bytes:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


RATERS = of_sheets(
    readme=[],
    ann=[("q", "fluency"), ("Who?", 3)],
    ben=[("q", "note", "fluency"), ("Who?", "odd", 2), ("Why?", "", 1, 9)],
)


def test_sheets_under_the_same_names_are_one_table_and_it_is_said_which() -> None:
    data = of_sheets(
        texts=[("id", "passage"), ("P1", "Owls hunt.")],
        t5=[("id", "question"), ("P1", "Who hunts?")],
        notes=[("Made in spring.",)],
        bart=[("id", "question"), ("P1", "What hunts?")],
    )
    table = read_workbook(data)
    assert [row.cells for row in table.rows] == [
        ("t5", "P1", "Who hunts?"),
        ("bart", "P1", "What hunts?"),
    ]
    assert [problem.reason for problem in table.problems] == [
        "The sheets “t5”, “bart” are read as one table, of “texts”, “t5”, “notes”, “bart”."
    ]


def test_sheets_of_one_table_are_systems_or_else_annotators() -> None:
    head = ("id", "question", "fluency")
    data = of_sheets(t5=[head, ("P1", "Who?", 2)], bart=[head, ("P1", "What?", 3)])
    assert [each.system for each in FORMAT["xlsx"].read(data).questions] == ["t5", "bart"]
    head = ("id", "system", "question", "fluency")
    data = of_sheets(ann=[head, ("P1", "t5", "Who?", 2)], ben=[head, ("P1", "t5", "Who?", 3)])
    study = FORMAT["xlsx"].read(data)
    assert [(each.rater, each.criterion, each.value) for each in study.ratings] == [
        ("ann", "fluency", "2"),
        ("ben", "fluency", "3"),
    ]
    assert [(each.system, each.text) for each in study.questions] == [("t5", "Who?")]


def test_sheets_are_listed_with_their_first_rows() -> None:
    assert sheets(RATERS) == (
        WorkbookSheet("readme", ()),
        WorkbookSheet("ann", ("q", "fluency")),
        WorkbookSheet("ben", ("q", "note", "fluency")),
    )


def test_several_sheets_are_one_table_that_names_the_sheet() -> None:
    table = read_workbook(RATERS, sheet=["ann", "ben"])
    assert table.header == ("sheet", "q", "fluency", "note")
    assert [(row.number, row.cells) for row in table.rows] == [
        (2, ("ann", "Who?", "3", "")),
        (2, ("ben", "Who?", "2", "odd")),
    ]
    assert [(problem.row, problem.reason) for problem in table.problems] == [
        (3, "Sheet “ben”: The row has 4 cells where the header has 3.")
    ]
    assert table.rows_read == 3


def test_dates_times_and_errors_are_text() -> None:
    data = of_sheets(a=[("d", "t", "e", "p"), (date(2010, 5, 1), time(12, 30), "#N/A", 0.25)])
    assert read_workbook(data).rows[0].cells == ("2010-05-01T00:00:00", "12:30:00", "#N/A", "0.25")


def test_shared_texts_are_read_with_their_runs_and_without_how_they_are_spoken() -> None:
    texts = (
        "<sst><si><t>q</t></si><si><r><t>Who </t></r><r><rPr/><t xml:space='preserve'>hunts?</t></r></si>"
        "<si><t>夜</t><rPh sb='0' eb='1'><t>よる</t></rPh></si><si/></sst>"
    )
    cells = "".join(f"<row><c t='s'><v>{number}</v></c></row>" for number in range(4))
    data, out = saved(("q",), ("a",)), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(out, "w") as after:
        for info in before.infolist():
            sheet = f"<worksheet><sheetData>{cells}</sheetData></worksheet>".encode()
            after.writestr(info.filename, sheet if info.filename == SHEET else before.read(info))
        after.writestr("xl/sharedStrings.xml", texts)
    assert [row.cells for row in read_workbook(out.getvalue()).rows] == [("Who hunts?",), ("夜",)]


@pytest.mark.parametrize("value", ["7", "-1", "x", "1e400", "nan"])
def test_a_cell_that_points_nowhere_is_damage(value: str) -> None:
    cell = f'<c t="s"><v>{value}</v></c>'.encode()
    data = changed(saved(("q",), (1,)), SHEET, b'<c r="A2" t="n"><v>1</v></c>', cell)
    assert cell in zipfile.ZipFile(io.BytesIO(data)).read(SHEET)
    with pytest.raises(Unreadable, match="damaged"):
        read_workbook(data)


def test_read_workbook_passes_over_a_sheet_of_instructions_and_says_so() -> None:
    book = Workbook()
    book.worksheets[0].title = "Instructions"
    book.worksheets[0].append(["Rate from 1 to 5."])
    sheet = book.create_sheet("Ben, final")
    sheet.append(["question", "fluency"])
    sheet.append(["Who?", 3])
    out = io.BytesIO()
    book.save(out)

    table = read_workbook(out.getvalue())

    assert [row.cells for row in table.rows] == [("Who?", "3")]
    assert [(problem.kind, problem.reason) for problem in table.problems] == [
        ("warning", "The sheet “Ben, final” is read, one of “Instructions”, “Ben, final”.")
    ]
    with pytest.raises(Unreadable, match="a header but no rows"):
        read_workbook(out.getvalue(), sheet="Instructions")


def test_read_workbook_takes_a_first_sheet_of_one_column_where_all_have_one() -> None:
    assert [row.cells for row in read_workbook(saved(("q",), ("a",))).rows] == [("a",)]


def test_read_workbook_takes_the_sheet_whose_table_stands_under_a_title() -> None:
    data = of_sheets(
        readme=[("Rate from 1 to 3.",), ("Leave nothing blank.",)],
        carla=[
            ("Ratings by Carla", ""),
            (),
            ("ID", "model", "fluency"),
            ("S1", "A", 3),
            ("S1", "B", 1),
        ],
    )
    table = read_workbook(data)
    assert table.header == ("ID", "model", "fluency")
    assert [(row.number, row.cells) for row in table.rows] == [
        (4, ("S1", "A", "3")), (5, ("S1", "B", "1")),
    ]  # fmt: skip


def test_read_workbook_fills_a_row_that_ends_before_the_last_name() -> None:
    table = read_workbook(
        saved(
            ("", "", "Ratings (1 is worst)"),
            ("question", "model", "fluency", "note"),
            ("Who?", "A", 3),
            ("Why?", "B", 2),
        )
    )
    assert [row.cells for row in table.rows] == [("Who?", "A", "3", ""), ("Why?", "B", "2", "")]


def test_read_workbook_writes_a_merged_cell_into_each_row_that_it_covers() -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    for row in [("id", "model", "value"), ("S1", "A", 3), (None, "B", 1), (None, "C", None),
                ("S2", "A", 2), (None, None, 5)]:  # fmt: skip
        sheet.append(row)
    sheet.merge_cells("A2:A4")
    sheet.merge_cells("B5:B6")
    sheet.merge_cells("C3:C4")
    out = io.BytesIO()
    book.save(out)
    assert [row.cells for row in read_workbook(out.getvalue()).rows] == [
        ("S1", "A", "3"), ("S1", "B", "1"), ("S1", "C", "1"), ("S2", "A", "2"), ("", "A", "5"),
    ]  # fmt: skip


def commented(data: bytes, **said: str) -> bytes:
    """Return the workbook with comments on cells of its last sheet."""
    book = load_workbook(io.BytesIO(data))
    for cell, text in said.items():
        book.worksheets[-1][cell].comment = Comment(text, "Eva Owl")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


RATED = saved(
    ("passage", "system", "question", "fluency@J1", "clarity@J1", "fluency@J2"),
    ("Owls hunt.", "A", "Who hunts?", 3, 2, 3),
    ("Owls hunt.", "B", "What hunt?", 1, None, 3),
)
THREAD = (
    "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment.\n\nComment:\n"
    "    Either way"
)


def test_comments_on_ratings_are_notes_of_their_raters() -> None:
    data = commented(RATED, D3="Eva Owl:\nOdd verb", E3=" Unsure ", F2=THREAD)
    study = FORMAT["xlsx"].read(data)
    assert [(note.rater, note.system, note.text, note.row) for note in study.notes] == [
        ("J2", "A", "fluency: Either way", 2),
        ("J1", "B", "fluency: Odd verb", 3),
        ("J1", "B", "clarity: Unsure", 3),
    ]
    assert study.problems == ()


def test_comments_on_other_cells_are_counted() -> None:
    data = commented(RATED, A1="From the paper", A2="Checked", C3="Rude", H9="Look", D2="Fine")
    study = FORMAT["xlsx"].read(data)
    assert [note.text for note in study.notes] == ["fluency: Fine"]
    assert [(each.row, each.column, each.reason) for each in study.problems] == [
        (0, "", "2 comments on no cell of a row that is read are left out."),
        (2, "passage", "2 comments on cells that hold no rating are left out."),
    ]


def test_comments_of_raters_by_row_and_of_several_sheets_find_their_rows() -> None:
    first = saved(
        ("question", "rater", "criterion", "value"), ("Who?", "J1", "fluency", 3), sheets=1
    )
    assert [each.text for each in FORMAT["xlsx"].read(commented(first, D2="Well")).notes] == [
        "fluency: Well"
    ]
    book = load_workbook(io.BytesIO(commented(first, D2="Well")))
    other = book.create_sheet("more")
    for row in (("question", "rater", "criterion", "value"), ("Who?", "J2", "fluency", 1)):
        other.append(row)
    other["D2"].comment = Comment("Badly", "")
    out = io.BytesIO()
    book.save(out)
    study = FORMAT["xlsx"].read(out.getvalue(), options={"sheet": ["Sheet", "more"]})
    assert [(note.rater, note.text) for note in study.notes] == [
        ("J1", "fluency: Well"),
        ("J2", "fluency: Badly"),
    ]


def test_a_comment_whose_part_is_missing_is_no_harm() -> None:
    data = commented(RATED, D3="Odd")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        part = next(name for name in archive.namelist() if "comment" in name.casefold())
    broken = changed(data, "xl/worksheets/_rels/sheet1.xml.rels", part.encode()[3:], b"gone.xml")
    assert FORMAT["xlsx"].read(broken).notes == ()


def test_sheets_together_have_no_more_columns_than_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_TABLE_COLUMNS", 4)
    book = Workbook()
    for name in ("ab", "cd"):
        sheet = book.create_sheet(name)
        sheet.append([f"{name} 1", f"{name} 2"])
        sheet.append(["x", "y"])
    content = io.BytesIO()
    book.save(content)
    with pytest.raises(Unreadable, match="Choose fewer of them"):
        read_workbook(content.getvalue(), sheet=["ab", "cd"])
