"""CSV files for spreadsheets: cells that a spreadsheet would take for formulas are made inert, because
another user may have written them, and a mark says that the file is UTF-8."""

import re

from judging.base.texts import is_number

# Every CSV file with inert cells begins with it: otherwise spreadsheets read UTF-8 in the encoding of their system.
# Files for programs have none; many would read it as a part of the first column's name.
BYTE_ORDER_MARK = "\ufeff"

# a sign that begins a formula, with spaces and double quotes that a spreadsheet removes
_FORMULA = r'[ "]*[=+\-@＝＋－＠]'
_FIRST = re.compile(rf"[\t\n]|{_FORMULA}")
_INSIDE = re.compile(rf"([;\t\n])(?={_FORMULA})")


def defuse_cell(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers do not change.

    If a semicolon or a tab separates cells, as in many languages, quotes inside a line of commas do
    not hold a cell together: an apostrophe is put wherever a formula would begin after one of them,
    or in a new line. A carriage return becomes a line feed: not every writer puts it in quotes.

    >>> inert("=1+1"), inert("-1.5"), inert("-"), inert("yes; =1")
    ("'=1+1", '-1.5', "'-", "yes;' =1")
    """
    cell = _INSIDE.sub(r"\1'", cell.replace("\r\n", "\n").replace("\r", "\n"))
    return f"'{cell}" if _FIRST.match(cell) and not is_number(cell.strip(" ")) else cell
