"""CSV files for spreadsheets: cells that a spreadsheet would take for formulas are made inert, because
another user may have written them, and a mark says that the file is UTF-8."""

import re

from judging.imports.readers.numbers import is_number

# Every CSV file with inert cells begins with it: without it, spreadsheets read UTF-8 in the encoding of their system.
# Files for programs have none; many would take it for a part of the first column's name.
BYTE_ORDER_MARK = "\ufeff"

# a sign by which a formula begins, with spaces and double quotes that a spreadsheet takes away
_FORMULA = r'[ "]*[=+\-@＝＋－＠]'
_FIRST = re.compile(rf"[\t\n]|{_FORMULA}")
_INSIDE = re.compile(rf"([;\t\n])(?={_FORMULA})")


def inert(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; numbers stay as they are.

    Where a semicolon or a tab parts cells, as in many languages, quotes inside a line of commas
    keep nothing together: an apostrophe stands wherever a formula would begin behind one of them,
    or in a new line. A carriage return becomes a line feed: not every writer puts it in quotes.

    >>> inert("=1+1"), inert("-1.5"), inert("-"), inert("yes; =1")
    ("'=1+1", '-1.5', "'-", "yes;' =1")
    """
    cell = _INSIDE.sub(r"\1'", cell.replace("\r\n", "\n").replace("\r", "\n"))
    return f"'{cell}" if _FIRST.match(cell) and not is_number(cell.strip(" ")) else cell
