"""A report as a page shows it: chapters of sections, each with its tables, figures and remarks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from analysis.reports.cells import estimate_cell
from analysis.reports.layout import Line, PageTable
from analysis.reports.numerals import coefficient, format_short_list, inside_sentence, or_dash
from analysis.reports.rows import Record
from analysis.sections import CHAPTERS, SECTIONS
from analysis.sections.about import run_facts
from analysis.sections.chapters import Chapter
from analysis.sections.omitted_tables import unlisted
from analysis.sections.section import Found, Section
from analysis.sections.systems.primary_hypotheses import PrimaryHypotheses
from judging.base.limits import MAX_PAGE_CELLS

# chapters with a paragraph of their own
HEADLINES = (
    "study",
    "primary",
    "agreement",
    "systems",
    "protocol",
    "metrics",
    "judges",
)
CONFIRMATORY = ("study", "primary")
EXPLORATORY = "exploratory"
ENDINGS = (("md", "Markdown"), ("tex", "LaTeX"), ("tsv", "TSV"))  # forms of a table to paste


@dataclass(frozen=True)
class Card:
    """One section on the page."""

    key: str
    title: str
    note: str
    tables: list[PageTable]
    folded: list[PageTable]
    figures: list[dict[str, str]]
    remarks: list[str]
    technical_notes: list[str]
    downloads: list[tuple[str, str]]  # key and title of tables as CSV
    has_tables: bool
    leads: bool
    listed: bool
    endings: tuple[tuple[str, str], ...]  # forms in which a table can be taken, with their names
    # all its tables, if the page shows one of them and loads the others on request
    switched: list[PageTable]


@dataclass(frozen=True)
class ShownChapter:
    """A chapter with something to show."""

    key: str
    title: str
    results: list[str]  # sentences
    caveats: list[str]  # sentences, shown without a click
    cards: list[Card]
    mark: str = ""  # behind the title

    @property
    def text(self) -> str:
        """The results in words with the caveats; empty if there are none."""
        return " ".join([*self.results, *self.caveats])

    @property
    def leading(self) -> list[Card]:
        """The sections that are open."""
        return [card for card in self.cards if card.leads]

    @property
    def listed(self) -> list[Card]:
        """The sections that are folded beside the leading ones."""
        return [card for card in self.cards if card.listed]

    @property
    def more(self) -> list[Card]:
        """The sections behind "More"."""
        return [card for card in self.cards if not card.leads and not card.listed]

    @property
    def is_folded(self) -> bool:
        """Whether nothing of the chapter is shown without a click."""
        return not self.caveats and not self.leading and not self.listed

    @property
    def name(self) -> str:
        """The title in the form for use within a sentence."""
        return inside_sentence(self.title)

    @property
    def marked_title(self) -> str:
        """The title as files print it."""
        return f"{self.title} ({self.mark})" if self.mark else self.title


def results_in_words(found: Found) -> list[Record]:
    """Return the results in words: a paragraph for each chapter that has some."""
    paragraphs = []
    for chapter in CHAPTERS:
        if sentences := [*_results(chapter, found), *_caveats(chapter, found)]:
            paragraphs.append({"about": chapter.title, "text": " ".join(sentences)})
    return paragraphs


def _results(chapter: Chapter, found: Found) -> list[str]:
    if chapter.key not in HEADLINES:
        return []
    return [sentence for section in chapter.sections for sentence in section.sentences(found)]


def _caveats(chapter: Chapter, found: Found) -> list[str]:
    if chapter.key not in HEADLINES:
        return []
    return [sentence for section in chapter.sections for sentence in section.caveats(found)]


def chapters(found: Found, drawn: list[str]) -> list[ShownChapter]:
    """Return the chapters that have something to show. `drawn`: the figures that the run has."""
    shown = []
    for chapter in CHAPTERS:
        cards = [card for section in chapter.sections if (card := card_of(section, found, drawn))]
        results, caveats = _results(chapter, found), _caveats(chapter, found)
        if cards or results or caveats:
            mark = mark_of(chapter, found)
            shown.append(ShownChapter(chapter.key, chapter.title, results, caveats, cards, mark))
    return shown


def mark_of(chapter: Chapter, found: Found) -> str:
    """Return the mark of a chapter beside a primary hypothesis; empty if none is declared."""
    if chapter.key in CONFIRMATORY or not found.of(PrimaryHypotheses):
        return ""
    return EXPLORATORY


def card_of(section: Section[Any], found: Found, drawn: list[str]) -> Card | None:
    """Return a section as the page shows it; None where it has nothing to show."""
    ordered = sorted(section.tables(found), key=lambda table: table.folded)
    tables = [replace(table.cut(), place=place) for place, table in enumerate(ordered)]
    remarks = [*unlisted(found, section.key), *section.small_print(found)]
    technical_notes = section.technical_notes(found)
    if not tables and not remarks and not technical_notes:
        return None
    return Card(
        key=section.key,
        title=section.title,
        note=section.note,
        tables=[table for table in tables if not table.folded],
        folded=[table for table in tables if table.folded],
        figures=_drawn_figures(section, found, drawn),
        remarks=remarks,
        technical_notes=technical_notes,
        downloads=[(section.key, section.title), *section.beside],
        has_tables=bool(tables),
        leads=section.leads,
        listed=section.listed,
        endings=ENDINGS,
        switched=tables if sum(table.folded for table in tables) > 1 else [],
    )


def _drawn_figures(
    section: Section[Any], found: Found, drawn: Collection[str]
) -> list[dict[str, str]]:
    """Return the figures of a section that the run has."""
    return [
        {"name": figure.name, "alt": figure.alt}
        for figure in section.figures(found)
        if figure.name in drawn
    ]


def tables_of_one_page(tables: Sequence[PageTable]) -> list[PageTable]:
    """Return the first tables, as many as one page shows: the first one however long it is."""
    cells = accumulate(len(table.lines) * len(table.columns) for table in tables)
    return [
        table
        for place, (table, so_far) in enumerate(zip(tables, cells, strict=True))
        if place == 0 or so_far <= MAX_PAGE_CELLS
    ]


def side_by_side(runs: Sequence[tuple[str, Found]]) -> list[PageTable]:
    """Return the core numbers of several runs, a column for each run, a table for each section that
    has them.

    Long tables are cut to their first lines. If a run lacks a name (for example of a system that it
    excludes), its column has a dash. A note below each run's name states how it read the ratings
    and what it excludes.
    """
    tables = []
    notes = [_settings(found) for _, found in runs]
    for section in SECTIONS:
        columns = [section.headline(found) for _, found in runs]
        names = dict.fromkeys(name for column in columns for name in column)
        write = or_dash if section.key == "systems" else coefficient
        lines = [
            Line(name, [estimate_cell(column.get(name), write) for column in columns])
            for name in names
        ]
        if lines:
            heads = [title for title, _ in runs]
            table = PageTable(section.title, heads, lines, first="Of", notes=notes)
            tables.append(table.cut(files="files of each run"))
    return tables


def _settings(found: Found) -> str:
    """Return in words how a run's numbers differ from those of all ratings as given."""
    study = run_facts(found)
    told = {
        "by the protocol": study.reading == "by_protocol",
        "with adjudicated ratings": study.adjudicated > 0,
        "with answers submitted late": study.extras_counted,
        f"without {format_short_list(study.excluded_by_run)}": bool(study.excluded_by_run),
    }
    return ", ".join(words for words, holds in told.items() if holds)


def downloads(filled: Collection[str]) -> list[tuple[str, str]]:
    """Return key and title of every table that a run has. `filled`: the keys of those with
    rows."""
    return [
        (section.key, section.title)
        for chapter in CHAPTERS
        for section in chapter.sections
        if section.key in filled or section.download_only
    ]
