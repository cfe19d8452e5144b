"""Tables of a report as text to paste: Markdown for a README, tabs for a spreadsheet."""

import re
from collections.abc import Sequence

from analysis.reports.layout import Cell, PageTable
from judging.base.formulas import defuse_cell
from judging.base.markdown import escape_markdown


def markdown(shown: PageTable) -> str:
    """Return a table as Markdown: its title, its caption, and in parentheses the text below a
    cell's number.

    >>> from analysis.reports.layout import Line
    >>> print(markdown(Table("Means", ["n"], [Line("A_1", [Cell("2.5", "1 to 4", best=True)])], first="System")))
    **Means**
    <BLANKLINE>
    | System | n |
    |:---|---:|
    | A\\\\_1 | **2.5** (1 to 4) |
    <BLANKLINE>
    """
    named = [
        f"{head['name']} ({head['note']})" if head["note"] else head["name"]
        for head in shown.heads()
    ]
    heads = [shown.first, *named]
    sides = [":---", *["---:"] * len(shown.columns)]
    if shown.last:
        heads, sides = [*heads, shown.last], [*sides, ":---"]
    lines = [
        [
            escape_markdown(line.name) + _below(", ".join(filter(None, [line.chip, line.under]))),
            *(_cell(cell) for cell in line.cells),
            *([escape_markdown(line.last)] if shown.last else []),
        ]
        for line in shown.lines
    ]
    told = [f"**{escape_markdown(shown.title)}**", escape_markdown(shown.caption)]
    rows = [
        _row([escape_markdown(head) for head in heads]),
        f"|{'|'.join(sides)}|",
        *map(_row, lines),
    ]
    reasons = [f"– {escape_markdown(reason)}" for reason in shown.reasons]
    return "\n\n".join(filter(None, [*told, "\n".join(rows), *reasons])) + "\n"


def tabs(shown: PageTable) -> str:
    """Return a table with tabs between its cells, numbers alone; nothing in it is a formula for a
    spreadsheet."""
    ends = [shown.last] if shown.last else []
    rows = [[shown.first, *shown.columns, *ends]]
    for line in shown.lines:
        cells = [cell.text.replace("−", "-") for cell in line.cells]
        rows.append([line.name, *cells, *([line.last] if shown.last else [])])
    return "".join("\t".join(_plain(each) for each in row) + "\n" for row in rows)


def _plain(text: str) -> str:
    """Return a cell in one line; a number stays one, other text that begins like a formula is made
    inert."""
    one_line = " ".join(text.split())
    return one_line if re.fullmatch(r"[-+]?[\d,]*\.?\d+", one_line) else str(defuse_cell(one_line))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _below(text: str) -> str:
    return f" ({escape_markdown(text)})" if text else ""


def _cell(cell: Cell) -> str:
    text = escape_markdown(cell.text) or ", ".join(
        escape_markdown(share) for share, _query in cell.shares
    )
    if cell.best and text:
        text = f"**{text}**"
    letters = f" <sup>{escape_markdown(cell.letters)}</sup>" if cell.letters else ""
    return text + letters + _below(cell.under)
