"""Workbooks."""

import io
import struct
import zipfile
from datetime import date, datetime, time
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from judging.imports.formats import workbook
from judging.imports.formats.workbook import read_workbook, sheet_names
from judging.imports.readers.registry import FORMAT, sniff
from judging.imports.readers.text import Unreadable
from tests import shared_data


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


def test_read_workbook_leaves_a_formula_without_stored_value_blank() -> None:
    assert read_workbook(saved(("q", "m"), ("a", "=1+1"))).rows[0].cells == ("a", "")


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


def as_xls(*rows: tuple[object, ...]) -> bytes:
    """Return an Excel 97 workbook (BIFF8 in a compound file) of one sheet."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    def cell(row: int, column: int, value: object) -> bytes:
        place = struct.pack("<HHH", row, column, 0)
        if isinstance(value, str):
            text = struct.pack("<HB", len(value), 0) + value.encode("latin-1")
            return record(0x0204, place + text)
        return record(0x0203, place + struct.pack("<d", value))

    end = record(0x000A, b"")
    sheet = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 1997, 0, 0))
    sheet += b"".join(
        cell(row, column, value)
        for row, cells in enumerate(rows)
        for column, value in enumerate(cells)
    )
    book = record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 1997, 0, 0))
    name = struct.pack("<BB", 6, 0) + b"Sheet1"
    offset = len(book) + len(record(0x0085, bytes(6) + name)) + len(end)
    book += record(0x0085, struct.pack("<IH", offset, 0) + name) + end
    return compound_file("Workbook", book + sheet + end)


def compound_file(name: str, stream: bytes) -> bytes:
    """Return a compound file with one stream, in sectors of 512 bytes."""
    stream = stream.ljust(4_096, b"\0")  # smaller streams are stored elsewhere
    stream += bytes(-len(stream) % 512)
    sectors = len(stream) // 512
    last, free, special = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16)
    header += struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4_096, last, 0, last, 0)
    header += struct.pack("<109I", 0, *[free] * 108)
    chain = [special, last, *range(3, sectors + 2), last]
    table = struct.pack(f"<{len(chain)}I", *chain).ljust(512, b"\xff")

    def entry(title: str, kind: int, child: int, start: int, size: int) -> bytes:
        written = (title + "\0").encode("utf-16-le")
        head = written.ljust(64, b"\0") + struct.pack("<HBB", len(written), kind, 1)
        return (
            head
            + struct.pack("<III", free, free, child)
            + bytes(36)
            + struct.pack("<IQ", start, size)
        )

    folder = entry("Root Entry", 5, 1, last, 0) + entry(name, 2, free, 2, len(stream))
    return header + table + folder.ljust(512, b"\0") + stream


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not a workbook"),
        (b"question,system\n", "not a workbook"),
        (saved(("q",), ("a",))[:-200], "cut off"),
        (saved(), "The workbook is empty"),
        (compound_file("EncryptedPackage", b"x"), "encrypted. Save it without a password"),
        (saved(("q",)), "a header but no rows"),
        (b"question,system\n" + saved(("q",), ("a",)), "not a workbook"),
        (changed(saved(("q",), ("a",)), "xl/workbook.xml", b"<sheets>", b"<sheets"), "damaged"),
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


def test_sheet_names_are_listed_in_the_order_of_the_workbook() -> None:
    assert sheet_names(RATERS) == ("readme", "ann", "ben")


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


def test_dates_and_times_are_in_iso_form_and_errors_are_blank() -> None:
    data = of_sheets(a=[("d", "t", "e", "p"), (date(2010, 5, 1), time(12, 30), "#N/A", 0.25)])
    assert read_workbook(data).rows[0].cells == ("2010-05-01", "12:30:00", "", "0.25")


def test_shared_texts_are_read_with_their_runs_and_without_how_they_are_spoken() -> None:
    texts = (
        "<sst><si><t>q</t></si><si><r><t xml:space='preserve'>Who </t></r>"
        "<r><rPr/><t xml:space='preserve'>hunts?</t></r></si>"
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
def test_a_cell_that_names_no_shared_text_is_damage_or_blank(value: str) -> None:
    cell = f'<c t="s"><v>{value}</v></c>'.encode()
    data = changed(saved(("q", "m"), (1, "Why?")), SHEET, b'<c r="A2" t="n"><v>1</v></c>', cell)
    assert cell in zipfile.ZipFile(io.BytesIO(data)).read(SHEET)
    try:
        assert read_workbook(data).rows[0].cells[0] == ""
    except Unreadable as refusal:
        assert "damaged" in refusal.reason


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


def test_comments_on_cells_are_left_out() -> None:
    book = load_workbook(io.BytesIO(saved(("question", "fluency@J1"), ("Who hunts?", 3))))
    book.worksheets[0]["B2"].comment = Comment("Odd verb", "Eva Owl")
    out = io.BytesIO()
    book.save(out)
    study = FORMAT["xlsx"].read(out.getvalue())
    assert ([each.value for each in study.ratings], study.notes, study.problems) == (["3"], (), ())


def test_dates_that_count_from_1904_are_the_same_days() -> None:
    book = Workbook()
    book.epoch = CALENDAR_MAC_1904
    book.worksheets[0].append(["q", "day"])
    book.worksheets[0].append(["a", date(2010, 5, 1)])
    out = io.BytesIO()
    book.save(out)
    assert read_workbook(out.getvalue()).rows[0].cells == ("a", "2010-05-01")


def as_ods(*rows: tuple[object, ...], sheet: str = "Table") -> bytes:
    """Return an OpenDocument spreadsheet of one sheet."""
    cells = "".join(
        f"<table:table-row>{''.join(map(_ods_cell, row))}</table:table-row>" for row in rows
    )
    names = ("office", "table", "text")
    spaces = " ".join(
        f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names
    )
    content = (
        f'<office:document-content {spaces} office:version="1.3"><office:body><office:spreadsheet>'
        f'<table:table table:name="{sheet}">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        "</manifest:manifest>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", kind)
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)
    return out.getvalue()


def _ods_cell(value: object) -> str:
    if isinstance(value, float | int):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    text = f"<text:p>{value}</text:p>"
    return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'


@pytest.mark.parametrize("name", ["ratings.ods", "ratings"])
def test_an_opendocument_spreadsheet_is_read_like_a_workbook(name: str) -> None:
    data = as_ods(
        ("system", "question", "fluency@Ann", "fluency@Ben"),
        ("A", "Who hunts?", 3, 2.0),
        ("B", "What hunts?", 1, 1),
    )
    study = sniff(name, data).read(data)
    assert [(each.system, each.text) for each in study.questions] == [
        ("A", "Who hunts?"), ("B", "What hunts?"),
    ]  # fmt: skip
    assert [(each.rater, each.value) for each in study.ratings] == [
        ("Ann", "3"), ("Ben", "2"), ("Ann", "1"), ("Ben", "1"),
    ]  # fmt: skip


def test_an_old_excel_file_is_read_like_a_workbook() -> None:
    data = as_xls(("system", "question", "fluency@Ann"), ("A", "Who hunts?", 3.0))
    study = sniff("owls.xls", data).read(data)
    assert [(each.system, each.text) for each in study.questions] == [("A", "Who hunts?")]
    assert [(each.rater, each.value) for each in study.ratings] == [("Ann", "3")]


def test_an_opendocument_spreadsheet_of_other_people_gives_its_questions() -> None:
    data = shared_data.path("cases/10-parquet-arrow-ods-spss-stata/05.ods").read_bytes()
    study = sniff("05.ods", data).read(data)
    assert study.problems == ()
    assert study.questions


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
