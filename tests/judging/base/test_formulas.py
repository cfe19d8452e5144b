"""No cell of a table is a formula, nor a part of one that a spreadsheet takes for a cell."""

import csv
import io

import pytest

from judging.base.formulas import defuse_cell

COMMAND = "cmd|'/C calc'!A0"


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("=1+1", "'=1+1"),
        (" =1+1", "' =1+1"),
        ('"=1+1"', '\'"=1+1"'),
        ("\t=1+1", "'\t'=1+1"),
        ("x;=1+1", "x;'=1+1"),
        ("x;  +1", "x;'  +1"),
        ('x;"=1+1"', 'x;\'"=1+1"'),
        ('x; "@a";y', 'x;\' "@a";y'),
        ("x\t-1", "x\t'-1"),
        ("x\n=1\r=2\r\n＝3", "x\n'=1\n'=2\n'＝3"),
        ("=1;=2;3", "'=1;'=2;3"),
        ("1;-2", "1;'-2"),
    ],
)
def test_inert_puts_an_apostrophe_wherever_a_formula_would_begin(cell: str, said: str) -> None:
    assert defuse_cell(cell) == said


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "-1.5",
        " -1.5",
        "a=b",
        "a -b; c+d",
        "x; y",
        "a\n\nb\t",
        "a, =b",
        "';x",
        "x;'=1",
        'a "=b"',
    ],
)
def test_inert_leaves_what_begins_no_formula(cell: str) -> None:
    assert defuse_cell(cell) == cell


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize(
    "note", ["x;={}", "x\t={}", "x\r\n={}", 'x;"={}"', 'a"\n;={};"={}', '";={}']
)
def test_no_cell_is_a_formula_whatever_parts_cells(note: str, separator: str) -> None:
    file = io.StringIO()
    csv.writer(file).writerow(["A", defuse_cell(note.replace("{}", COMMAND)), "B"])
    found = csv.reader(io.StringIO(file.getvalue(), newline=""), delimiter=separator)
    assert not [cell for row in found for cell in row if cell.lstrip().startswith("=")]
