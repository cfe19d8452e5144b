"""The tables of a report's page, read back from its HTML: a number has its section, table, row and
column."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

from django.test import Client


@dataclass
class Shown:
    """One cell as it stands on the page."""

    text: str = ""
    under: str = ""
    letters: str = ""
    bold: bool = False


@dataclass
class ShownTable:
    """One table of the page: its section, its title, its heads and its lines."""

    section: str
    title: str
    heads: list[Shown] = field(default_factory=list)
    lines: dict[str, list[Shown]] = field(default_factory=dict)
    names: dict[str, Shown] = field(default_factory=dict)  # the first cell of each line

    def cell(self, line: str, head: str) -> Shown:
        """Return the cell in the row and the column of these names."""
        heads = [each.text for each in self.heads]
        assert heads.count(head) == 1, (self.title, heads, head)
        return self.lines[line][heads.index(head) - 1]


class Page(HTMLParser):
    """Reads every table of a report."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tables: list[ShownTable] = []
        self._section = self._title = ""
        self._open: list[str] = []
        self._cell: Shown | None = None
        self._cells: list[Shown] = []
        self._in_title = False
        self.feed(html)

    def table(self, section: str, title: str = "") -> ShownTable:
        """Return the one table of a section with this title."""
        found = [
            each for each in self.tables if each.section == section and title in ("", each.title)
        ]
        assert len(found) == 1, (
            section,
            title,
            [(each.section, each.title) for each in self.tables],
        )
        return found[0]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "h3":
            self._section = (given.get("id") or "").removeprefix("more-")
        elif tag == "div" and "table-scroll" in (given.get("class") or ""):
            self._title = given.get("aria-label") or ""
        elif tag == "table":
            self.tables.append(ShownTable(self._section, self._title))
        elif tag == "tr":
            self._cells = []
        elif tag in ("th", "td"):
            self._cell = Shown()
            self._cells.append(self._cell)
            self._open = []
        elif tag == "span" and self._cell is not None:
            self._open.append(given.get("class") or "")
        elif tag == "sup" and self._cell is not None:
            self._open.append("letters")
        elif tag == "b" and self._cell is not None:
            self._cell.bold = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td"):
            self._cell = None
        elif tag in ("span", "sup") and self._cell is not None and self._open:
            self._open.pop()
        elif tag == "tr" and self.tables:
            table = self.tables[-1]
            if not table.heads:
                table.heads = self._cells
            else:
                assert self._cells[0].text not in table.lines, (table.title, self._cells[0].text)
                table.lines[self._cells[0].text] = self._cells[1:]
                table.names[self._cells[0].text] = self._cells[0]

    def handle_data(self, data: str) -> None:
        if self._cell is None or not data.strip():
            return
        inside = self._open[-1] if self._open else ""
        if inside in ("under", "range"):
            self._cell.under += data.strip()
        elif inside == "letters":
            self._cell.letters += data.strip()
        elif not inside:
            self._cell.text += data.strip()


def whole(client: Client, html: str) -> Page:
    """Return the page with every table, also of sections that show one at a time and send the
    others when asked."""
    shown = Page(html)
    for address in dict.fromkeys(re.findall(r'href="([^"]+/sections/[^"]+)"', html)):
        key = address.rstrip("/").rpartition("/")[2]
        first = next(each for each in shown.tables if each.section == key)
        place = shown.tables.index(first)
        shown.tables[place : place + 1] = Page(client.get(address).text).tables
        for each in shown.tables:
            each.section = each.section or key
        assert shown.tables[place] == first
    return shown


def written(value: float | None) -> str:
    return "–" if value is None else f"{float(f'{value:.12g}'):.2f}".replace("-", "−")


def signed(value: float | None) -> str:
    return ("+" if value is not None and value >= 0.005 else "") + written(value).replace(
        "−0.00", "0.00"
    )


def p_text(p: float | None) -> str:
    if p is None:
        return "–"
    return "< .001" if p < 0.001 else "> .999" if p > 0.999 else f"{p:.3f}".removeprefix("0")


def short(value: float) -> str:
    return written(value).replace("0.", ".", 1).replace("−.00", ".00")
