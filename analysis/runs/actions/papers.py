"""A run as it goes into a paper: LaTeX that compiles, a PDF to read, and the text of the
methods."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis import frames
from analysis.evidence.actions import examples
from analysis.models import Result, Run
from analysis.reports import bibliography, charts, latex, text_tables, typeset
from analysis.reports.rows import Record
from analysis.sections import CHAPTERS, SECTIONS, page
from analysis.sections.about import run_facts
from analysis.sections.methods import RunMade, methods
from analysis.sections.section import Found, Section
from analysis.sections.summary import summarise_run
from judging.base.limits import MAX_DOCUMENT_CHARACTERS
from judging.jobs import storage

PDF = "report-pdf"


def methods_facts(run: Run) -> RunMade:
    """Return the facts about a run that its methods text states."""
    return RunMade(
        protocol=frames.protocol_of(run.campaign),
        protocol_version=run.campaign.protocol.version,
        plan_sha256=run.campaign.locked_digest if run.campaign.origin == "judged" else "",
        seed=run.seed,
        resamples=int(run.parameters.get("resamples", 0)),
        parameters=run.parameters,
        versions=run.versions,
        input_sha256=run.input_sha256,
    )


def methods_text(run: Run, found: Found) -> str:
    """Return the methods section as plain text, a paragraph for each subject."""
    return "\n\n".join(f"{about}. {text}" for about, text in methods(found, methods_facts(run)))


def section_text(found: Found, key: str, *, ending: str, place: int | None = None) -> str:
    """Return the tables of one section as LaTeX, Markdown or text with tabs, or the one at a place
    of its page.

    Tables that the page shows folded come last. Empty if there is none.
    """
    section = next(section for section in SECTIONS if section.key == key)
    tables = sorted(section.tables(found), key=lambda table: table.folded)
    chosen = tables if place is None else tables[place : place + 1]
    if ending == "tex":
        labelled = zip(chosen, _labels(key, len(chosen)), strict=True)
        return "\n".join(latex.latex_table(table, label=label) for table, label in labelled)
    written = {"md": text_tables.markdown, "tsv": text_tables.tabs}[ending]
    return "\n".join(written(table) for table in chosen)


def latex_files(run: Run, found: Found, tables: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield every file of the report's LaTeX by name; `report.tex` compiles by itself. All tables of
    a section, also those that it does not show, are a file for papers."""
    yield from latex.latex_number_files(_numbered_tables(tables))
    paragraphs = methods(found, methods_facts(run))
    mentions = bibliography.mentions([text for _about, text in paragraphs])
    sources = bibliography.cited(mentions)
    yield "methods.tex", "\n".join(latex.paragraphs(paragraphs, mentions))
    yield "references.bib", bibliography.bib(sources)
    yield "report.bbl", "".join(bibliography.printed_references(sources))
    for section in SECTIONS:
        if text := section_text(found, section.key, ending="tex"):
            yield f"tables/{section.key}.tex", text
    parts = [*_latex_summary(found), "\\section{Methods}", "\\input{methods}"]
    parts += _latex_chapters(run, found)
    if kept := examples.example_rows(run.campaign):
        criteria = list(run.campaign.protocol.criteria.values_list("key", "name"))
        yield "examples.tex", latex.latex_examples(kept, criteria)
        parts += ["\\section{Examples}", "\\input{examples}"]
    yield "report.tex", latex.latex_document(run.campaign.title, parts, references=bool(sources))


def _latex_summary(found: Found) -> Iterator[str]:
    summary = summarise_run(found)
    yield "\\section{In short}"
    yield from latex.paragraphs([(part.about, part.text) for part in summary.parts])
    if summary.table:
        yield latex.latex_table(summary.table, label="summary")


def _latex_chapters(run: Run, found: Found) -> Iterator[str]:
    """Yield the chapters as the page shows them: a paragraph, the open tables and the figures."""
    drawn = _figure_names(run)
    paragraphs = {row["about"]: row["text"] for row in page.results_in_words(found)}
    for chapter in CHAPTERS:
        paragraph = paragraphs.get(chapter.title, "")
        lines = [
            line for section in chapter.sections for line in _section_lines(section, found, drawn)
        ]
        if lines or paragraph:
            mark = page.mark_of(chapter, found)
            title = f"{chapter.title} ({mark})" if mark else chapter.title
            yield f"\\section{{{latex.escaped(title)}}}"
            yield latex.escaped(paragraph)
            yield from lines


def _numbered_tables(
    tables: Mapping[str, object],
) -> Iterator[tuple[str, list[Record], tuple[str, ...]]]:
    """Yield the tables whose numbers have names in LaTeX: key, rows and identity."""
    by_key = {section.key: section for section in SECTIONS}
    for key, rows in tables.items():
        section = by_key.get(key)
        if section is not None and isinstance(rows, list):
            yield key, rows, section.identity


def _section_lines(section: Section[Any], found: Found, drawn: set[str]) -> Iterator[str]:
    """Yield the tables of a section that the page shows open, and its figures."""
    tables = section.tables(found)
    shown = [table for table in tables if not table.folded]
    for table, label in zip(shown, _labels(section.key, len(shown)), strict=True):
        yield latex.latex_table(table, label=label)
    if tables:
        for figure in section.figures(found):
            if figure.name in drawn:
                yield latex.latex_figure(figure.name, figure.alt)


def _labels(key: str, count: int) -> list[str]:
    """Return the labels of a section's tables."""
    name = key.replace("_", "-")
    return [name if place == 1 else f"{name}-{place}" for place in range(1, count + 1)]


def _figure_names(run: Run) -> set[str]:
    keys = Result.objects.filter(run=run, key__startswith="figure-").values_list("key", flat=True)
    return {key.removeprefix("figure-").rpartition("-")[0] for key in keys}


def make_pdf(run: Run, found: Found, figures: Mapping[str, bytes]) -> bytes:
    """Return the report as PDF. `figures`: SVG by name and ink, of which the light ones are
    printed."""
    study = run_facts(found)
    light = charts.light(figures)
    unfinished = (
        f"This study is unfinished: {study.filled:,} of {study.places:,} assignments are submitted. "
        "All numbers rest on these."
    )
    chapters = []
    for chapter in page.chapters(found, list(light)):
        cards = [
            typeset.PrintedCard(
                title=card.title,
                note=card.note,
                tables=card.tables,
                figures=[(figure["name"], figure["alt"]) for figure in card.figures],
                remarks=[*card.remarks, *card.technical_notes],
            )
            for card in chapter.cards
            if card.tables or card.figures
        ]
        if cards or chapter.text:
            chapters.append((chapter.marked_title, chapter.text, cards))
    summary = summarise_run(found)
    protocol = run.campaign.protocol
    report = typeset.PrintedReport(
        title=run.campaign.title,
        stamp=(
            f"{protocol.title}, run {run.number}, seed {run.seed}, input {run.input_sha256[:16]}"
        ),
        warnings=[unfinished] if study.unfinished else [],
        short=[(part.about, part.text) for part in summary.parts],
        short_table=summary.table,
        methods=methods(found, methods_facts(run)),
        chapters=chapters,
        examples=_printed_examples(run),
    )
    return typeset.typeset_report(report, light)


def _printed_examples(run: Run) -> list[dict[str, str]]:
    """Return the kept examples, each with its answer and its values in one line."""
    names = list(run.campaign.protocol.criteria.values_list("key", "name"))
    printed = []
    for row in examples.example_rows(run.campaign, longest=MAX_DOCUMENT_CHARACTERS):
        told = [f"Answer: {row['answer']}"] if row["answer"] else []
        told += [f"{name} {row[key]}" for key, name in names if row.get(key)]
        shown = {name: str(row[name]) for name in ("system", "source", "question", "note")}
        printed.append(shown | {"told": "; ".join(told)})
    return printed


def kept_pdf(run: Run) -> bytes | None:
    """Return the PDF that the worker made with the run; None for runs from before there was one."""
    result = Result.objects.filter(run=run, key=PDF).select_related("file").first()
    return storage.content_of(result.file) if result and result.file else None


def printed_figure(run: Run, name: str) -> bytes | None:
    """Return a figure as it was made for print."""
    result = Result.objects.filter(run=run, key=f"print-{name}").select_related("file").first()
    return storage.content_of(result.file) if result and result.file else None
