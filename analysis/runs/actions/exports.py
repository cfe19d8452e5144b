"""A run's files, for a paper's supplement: everything that was found, and what it was found in."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from analysis import frames, sections
from analysis.evidence.actions import examples
from analysis.models import Result, Run
from analysis.reports import tables
from analysis.reports.rows import Record
from analysis.reports.rscript import mixed_model_script
from analysis.reports.tables import to_csv
from analysis.runs.actions import papers, runs
from judging.base import transactions
from judging.formats.recipes.writers import study_pieces
from judging.imports.actions import exports
from judging.jobs import storage
from judging.protocols.models.protocol import Criterion, Protocol

EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal results are equal archives


def run_json(run: Run) -> Iterator[str]:
    """Yield a whole run as JSON, with how it was made, in pieces."""
    made = {
        "campaign": run.campaign.title,
        "run": run.number,
        "seed": run.seed,
        "parameters": run.parameters,
        "versions": run.versions,
        "input_sha256": run.input_sha256,
        "plan_sha256": run.campaign.locked_digest,
        "protocol": {"key": run.campaign.protocol.key, "version": run.campaign.protocol.version},
    }
    with transactions.one_moment():  # erasing an annotator rewrites the tables
        yield from tables.run_json_pieces(made, runs.StoredTables(run, keep=False))


def api_json(run: Run, told: Mapping[str, Any]) -> Iterator[str]:
    """Yield a run as JSON for programs, in pieces: the facts in ``told``, then its tables."""
    yield json.dumps(told, ensure_ascii=False)[:-1] + ', "tables": {'
    with transactions.one_moment():
        for place, (key, document) in enumerate(runs.StoredTables(run, keep=False).items()):
            rows = table_rows(key, document) if isinstance(document, list) else document
            yield (", " if place else "") + f"{json.dumps(key)}: {json.dumps(rows)}"
    yield "}}"


def table_csv(name: str, rows: list[Record]) -> str:
    """Return one table of a run as CSV, its columns in the order of the section's row."""
    return to_csv(rows, _columns_of(name))


def table_rows(name: str, rows: list[Record]) -> list[Record]:
    """Return the rows of one table of a run with their columns in the order of the CSV."""
    return tables.ordered_records(rows, _columns_of(name))


def _columns_of(name: str) -> list[str]:
    section = sections.section_of(name)
    return [column.name for column in section.columns()] if section else []


def files(run: Run) -> Iterator[tuple[str, Iterable[bytes]]]:
    """Yield every file of a report by name, in pieces: each row of the judgments repeats its
    passage."""
    yield "README.txt", [readme(run).encode()]
    yield "report.json", (piece.encode() for piece in run_json(run))
    stored_tables = runs.StoredTables(run, keep=False)
    whole = (
        ("report.txt", sentences_text(run).encode()),
        *_table_files(stored_tables),
        *_stored_files(run),
        *_files_for_papers(run, stored_tables),
        *_files_on_the_protocol(run),
    )
    yield from ((name, [content]) for name, content in whole)
    study = exports.export_campaign(
        campaign=run.campaign, extras=bool(run.parameters.get("extras"))
    )
    for name, guarded in (("judgments.csv", True), ("judgments-raw.csv", False)):
        yield name, (piece.encode() for piece in study_pieces(study, guarded=guarded))


def _table_files(stored_tables: runs.StoredTables) -> Iterator[tuple[str, bytes]]:
    for name, rows in stored_tables.items():
        if isinstance(rows, list) and rows and name != "sentences":
            yield f"tables/{name}.csv", table_csv(name, rows).encode()


def _stored_files(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield the PDF and the figures that the worker made with the run."""
    stored = Result.objects.filter(run=run, file__isnull=False).select_related("file")
    for result in stored.order_by("key"):
        if result.file and not result.key.endswith("-dark"):  # for dark pages
            yield _name_of(result), storage.content_of(result.file)


def _files_for_papers(run: Run, stored_tables: runs.StoredTables) -> Iterator[tuple[str, bytes]]:
    """Yield the methods, LaTeX, tables as Markdown and kept examples."""
    found = runs.found_by(run)
    yield "methods.txt", papers.methods_text(run, found).encode() + b"\n"
    for name, text in papers.latex_files(run, found, stored_tables):
        yield f"latex/{name}", text.encode()
    chapters = (
        papers.section_text(found, section.key, ending="md") for section in sections.SECTIONS
    )
    yield "tables.md", "\n".join(filter(None, chapters)).encode()
    kept = examples.example_rows(run.campaign)
    if kept:
        yield "examples.csv", to_csv(kept, list(kept[0])).encode()


def _files_on_the_protocol(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield what is needed to read and to compute again the judgments: codebook, R script, clusters
    of sources, protocol."""
    yield "codebook.csv", exports.codebook_csv(campaign=run.campaign).encode()
    yield "mixed-model.R", mixed_model_script(_missing_values(run.campaign.protocol)).encode()
    if clusters := frames.shared_clusters(run.campaign, str(run.parameters.get("clusters", ""))):
        yield "clusters-raw.csv", _clusters_csv(clusters).encode()
    protocol = run.campaign.protocol.document
    text = json.dumps(protocol, indent=1, ensure_ascii=False, sort_keys=True)
    yield "protocol.json", text.encode()


def _clusters_csv(clusters: Mapping[str, str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(
        [("source_id", "cluster"), *clusters.items()]
    )
    return written.getvalue()


def _name_of(result: Result) -> str:
    """Return the path of a run's file in its archive; LaTeX expects the printed figures in its own
    folder."""
    kind, _dash, name = result.key.partition("-")
    if result.key == papers.PDF:
        return "report.pdf"
    if kind == "print":
        return f"latex/figures/{name}" if name.endswith(".pdf") else f"figures/{name}"
    return f"figures/{name.removesuffix('-light')}.svg"


def _missing_values(protocol: Protocol) -> dict[str, list[int]]:
    """Return the criteria whose points have an order, each with the values that count as
    missing."""
    ordered = protocol.criteria.exclude(level=Criterion.Level.NOMINAL).prefetch_related("points")
    return {
        each.key: [point.value for point in each.points.all() if point.missing] for each in ordered
    }


README = """\
{title}
{line}

The report of run {number}, made by Quaestor. The same input, settings and seed give the same numbers again.

report.pdf          the report to read and print (if the run made one)
report.txt          its plain sentences
methods.txt         the methods section, to be copied
latex/report.tex    compiles by itself, with pdfLaTeX or XeLaTeX. Texts in other scripts need the latter and a font of
                    the script; without a font, the name of the script is printed instead
                    (\\QuaestorFonts{{Arabic}}{{Amiri}} before \\input{{numbers}} names a font of yours).
                    numbers.tex names the numbers: \\Q{{systems/correctness/alba/value}}. Those of large tables
                    are in latex/numbers and are read when a paper uses one.
                    tables/NAME.tex has all tables of a section, also those that report.tex does not show
latex/references.bib  who the methods, metrics and protocol are from; methods.tex cites them. report.bbl is the list of
                    references if BibTeX was not run
tables/             every table as CSV. Text that a spreadsheet would take for a formula begins with an apostrophe;
                    report.json has it as it is. Every CSV file not named -raw.csv is for spreadsheets and begins
                    with a byte order mark: programs read it as utf-8-sig. Quaestor's docs/report-tables.md
                    describes every column.
                    omitted_tables.csv, if there is one, names the parts that tables omit for their length.
tables.md           the tables of the page for a README
figures/            SVG and PNG; PDF under latex/figures
judgments.csv       every standing judgment; text that a spreadsheet would take for a formula begins with an apostrophe
judgments-raw.csv   the same, every cell as it is stored, for programs: do not open it in a spreadsheet
codebook.csv        what the columns and values of judgments.csv mean
examples.csv        questions that were kept as examples, if there are any
protocol.json         the protocol: {protocol}, version {version}
clusters-raw.csv    which sources belong together, if some do
mixed-model.R       the same mixed model in R; it reads judgments-raw.csv and clusters-raw.csv

Dataset: {dataset}. Licence: {licence}.
Input: SHA-256 {sha256}
"""


def readme(run: Run) -> str:
    """Return what is in the archive, with the name of the study and the licence of its dataset."""
    campaign = run.campaign
    return README.format(
        title=campaign.title,
        line="=" * len(campaign.title),
        number=run.number,
        protocol=campaign.protocol.title,
        version=campaign.protocol.version,
        dataset=campaign.dataset.name,
        licence=campaign.dataset.licence
        or "not stated; ask the dataset's creator before passing it on",
        sha256=run.input_sha256,
    )


def sentences_text(run: Run) -> str:
    """Return the report's plain sentences, a paragraph for each subject."""
    return (
        "\n\n".join(f"{row['about']}. {row['text']}" for row in runs.StoredTables(run)["sentences"])
        + "\n"
    )


def archive(run: Run) -> bytes:
    """Return all files of a report in one ZIP."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, pieces in files(run):
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with bundle.open(entry, "w", force_zip64=True) as file:
                for piece in pieces:
                    file.write(piece)
    return buffer.getvalue()


def write_report(run: Run, folder: Path) -> list[Path]:
    """Write all files of a report into a folder and return their paths."""
    written = []
    for name, pieces in files(run):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.writelines(pieces)
        written.append(path)
    return written
