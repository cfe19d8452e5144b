"""A report as PDF, set by typst: the same numbers and figures as on the page, for printing and for
a supplement.

Texts reach typst as data, never as markup, so that no character of a name can be taken for a
command.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from analysis.reports.layout import Cell, PageTable
from analysis.reports.other_scripts import script_of

if TYPE_CHECKING:
    import typst

# what the fonts that come with typst have; other scripts need a font of the server
COVERED = {"Latin", "Greek", "Cyrillic", "Hebrew", "Combining", "Modifier", "Symbols", ""}
LONG_NAME = 40  # characters of a line's name, which then takes several lines of a wide table
LONG_WORD = re.compile(r"\w{22}(?=\w{22})")  # a word that may break after each of these
TEMPLATE = """
#let data = json(bytes(sys.inputs.report))
#set document(title: data.title)
#set page(paper: "a4", margin: (x: 20mm, y: 22mm), numbering: "1 / 1",
  header: context if counter(page).get().first() > 1 { text(8pt, fill: luma(90), data.title) })
#set text(font: "Libertinus Serif", size: 10pt, lang: "en")
#set par(justify: true, leading: .6em)
#set table(stroke: none, inset: (x: 4pt, y: 3pt))
#show heading: set block(above: 1.4em, below: .7em)
#show heading: set text(weight: "semibold")
#let small(it) = text(7pt, fill: luma(70), it)
#let cell(each) = {
  if each.best { strong(each.text) } else { each.text }
  if each.letters != "" { super(each.letters) }
  if each.under != "" { linebreak(); small(each.under) }
}
#let shown(it) = {
  let columns = it.columns.len()
  let made(widths) = table(
    columns: widths,
    align: (x, y) => if x == 0 or (it.last and x == columns - 1) { left } else { right },
    table.hline(stroke: .8pt),
    table.header(..it.columns.map(head => [#strong(head.name)#if head.note != "" { linebreak(); small(head.note) }])),
    table.hline(stroke: .5pt),
    ..it.lines.map(line => line.map(cell)).flatten(),
    table.hline(stroke: .8pt),
  )
  let body = made(columns)
  // a short table stands with its title on one page
  block(breakable: it.long or it.lines.len() > 12, width: 100%, {
  block(above: 1.2em, below: .5em, strong(it.title))
  if it.caption != "" { block(below: .6em, small(it.caption)) }
  set text(8.5pt)
  layout(size => {
    let wide = measure(body).width
    if wide > 1.6 * size.width {
      set text(7pt)
      set par(justify: false)
      made((if it.long { 4fr } else { auto },) + (1fr,) * (columns - 1))
    }
    else if wide > size.width and it.lines.len() <= 30 {
      let part = size.width / wide * 100%
      scale(x: part, y: part, reflow: true, body)
    } else { body }
  })
  })
  for reason in it.reasons { block(small(reason)) }
}
#align(center, text(17pt, weight: "semibold", data.title))
#align(center, text(9pt, fill: luma(70), data.stamp))
#for text in data.warnings { block(fill: luma(235), inset: 7pt, width: 100%, strong(text)) }
= In short
#for part in data.short [#strong[#part.about.] #part.text #parbreak()]
#for it in data.short_tables { shown(it) }
= Methods
#for part in data.methods [#strong[#part.about.] #part.text #parbreak()]
#for chapter in data.chapters {
  heading(chapter.title)
  if chapter.text != "" { par(chapter.text) }
  for card in chapter.cards {
    heading(level: 2, card.title)
    if card.note != "" { block(sticky: true, text(8.5pt, fill: luma(70), card.note)) }
    for it in card.tables { shown(it) }
    for name in card.figures {
      let alt = data.alts.at(name)
      let drawing = image(bytes(sys.inputs.at("figure-" + name)), format: "svg", alt: alt)
      let fitted = context {
        let (width, height) = measure(drawing)
        let part = calc.min(1, 165mm / width, 200mm / height)  // of a page, with its caption
        scale(part * 100%, reflow: true, drawing)
      }
      figure(fitted, caption: alt, kind: image)
    }
    for line in card.remarks { block(small(line)) }
  }
}
#if data.examples.len() > 0 {
  heading("Examples")
  for each in data.examples {
    block(above: 1em)[#strong(each.system), source #each.source: #emph(each.question)]
    block(small(each.told))
    if each.note != "" { block(each.note) }
  }
}
"""


FIGURE = """
#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.figure), format: "svg")
"""
PRINT_TYPES = {"pdf": "application/pdf", "png": "image/png"}


@dataclass(frozen=True)
class PrintedCard:
    """A section of the report with what is printed of it."""

    title: str
    note: str
    tables: Sequence[PageTable]
    figures: Sequence[tuple[str, str]]  # name and what it shows
    remarks: Sequence[str]


@dataclass(frozen=True)
class PrintedReport:
    """Everything that the PDF of a report holds."""

    title: str
    stamp: str
    warnings: Sequence[str]
    short: Sequence[tuple[str, str]]
    methods: Sequence[tuple[str, str]]
    chapters: Sequence[tuple[str, str, Sequence[PrintedCard]]]  # title, text, sections
    examples: Sequence[Mapping[str, str]] = ()
    short_table: PageTable | None = None


class CannotSet(RuntimeError):
    """The report cannot be set as PDF; the message is typst's."""


def typeset_report(report: PrintedReport, figures: Mapping[str, bytes]) -> bytes:
    """Return the report as PDF; equal reports give equal bytes. `figures`: SVG by name."""
    held = {
        name: alt
        for _title, _text, cards in report.chapters
        for card in cards
        for name, alt in card.figures
        if name in figures
    }
    data = {
        "title": report.title,
        "stamp": report.stamp,
        "warnings": [*report.warnings, *uncovered(report)],
        "short": [{"about": about, "text": text} for about, text in report.short],
        "short_tables": [_table(part) for part in report.short_table.in_parts()]
        if report.short_table
        else [],
        "methods": [{"about": about, "text": text} for about, text in report.methods],
        "chapters": [
            {"title": title, "text": text, "cards": [_card(card, held) for card in cards]}
            for title, text, cards in report.chapters
        ],
        "examples": list(report.examples),
        "alts": held,
    }
    inputs = {"report": _breakable(json.dumps(data, ensure_ascii=False))}
    inputs |= {_breakable(f"figure-{name}"): figures[name].decode() for name in held}
    return _compiled(TEMPLATE, inputs)


def print_figures(figures: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return figures for print, by name and ending: PDF with embedded fonts, PNG at 200 dots an
    inch. `figures`: SVG by name."""
    made = {}
    for name, figure in figures.items():
        inputs = {"figure": figure.decode()}
        made[f"{name}.pdf"] = _compiled(FIGURE, inputs)
        made[f"{name}.png"] = _compiled(FIGURE, inputs, "png")
    return made


def _compiled(
    template: str, inputs: Mapping[str, str], ending: Literal["pdf", "png"] = "pdf"
) -> bytes:
    import typst

    try:
        made = typst.compile(
            template.encode(),
            format=ending,
            ppi=200,
            sys_inputs=dict(inputs),
            timestamp=0,
            font_paths=_fonts(),
        )
    except typst.TypstError as error:
        raise CannotSet(str(error)) from None
    return bytes(made)


@cache
def _fonts() -> "typst.Fonts":
    """Return the fonts of the server, of typst and of matplotlib, which figures name. Finding them
    takes longer than setting a figure."""
    import matplotlib
    import typst

    return typst.Fonts(font_paths=[f"{matplotlib.get_data_path()}/fonts/ttf"])


def uncovered(report: PrintedReport) -> list[str]:
    """Return the scripts of the report that need a font of the server, because a missing glyph
    prints nothing."""
    texts = [report.title, *(text for _about, text in (*report.short, *report.methods))]
    texts += [str(value) for example in report.examples for value in example.values()]
    texts += [
        line.name
        for _title, _text, cards in report.chapters
        for card in cards
        for table in card.tables
        for line in table.lines
    ]
    scripts = {script_of(letter) for letter in set().union(*texts)} - COVERED
    if not scripts:
        return []
    names = ", ".join(sorted(scripts))
    return [
        f"This report holds letters of other scripts ({names}). They are printed where the server has a font for them."
    ]


def _breakable(text: str) -> str:
    """Return a text whose long words may break, so that none is wider than the page."""
    return LONG_WORD.sub("\\g<0>\u200b", text)


def _card(card: PrintedCard, held: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": card.title,
        "note": card.note,
        "tables": [_table(part) for table in card.tables for part in table.in_parts()],
        "figures": [name for name, _alt in card.figures if name in held],
        "remarks": list(card.remarks),
    }


def _table(table: PageTable) -> dict[str, Any]:
    heads = [{"name": table.first, "note": ""}, *table.heads()]
    return {
        "title": table.title,
        "caption": table.caption,
        "columns": [*heads, *([{"name": table.last, "note": ""}] if table.last else [])],
        "last": bool(table.last),
        "long": any(len(line.name) > LONG_NAME for line in table.lines),
        "lines": [
            [
                _written(line.name + (f" ({line.chip})" if line.chip else ""), line.under),
                *(_cell(cell) for cell in line.cells),
                *([_written(line.last)] if table.last else []),
            ]
            for line in table.lines
        ],
        "reasons": table.reasons,
    }


def _cell(cell: Cell) -> dict[str, Any]:
    text = cell.text or ", ".join(share for share, _query in cell.shares)
    return {"text": text, "best": cell.best, "letters": cell.letters, "under": cell.under}


def _written(text: str, under: str = "") -> dict[str, Any]:
    return {"text": text, "best": False, "letters": "", "under": under}
