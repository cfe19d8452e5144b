"""A run's files, for a paper's supplement: everything that was found, and what it was found in."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from analysis import sections
from analysis.evidence.actions import examples
from analysis.models import Result, Run
from analysis.reports import tables
from analysis.reports.rows import Record
from analysis.reports.rscript import mixed_model_script
from analysis.reports.tables import to_csv
from analysis.runs.actions import papers, runs
from analysis.runs.actions.bundles import SCRIPT, Bundle, SystemNames
from judging.base import transactions
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


def files(run: Run, *, pseudonyms: bool = False) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a run's bundle by name; the last ones describe those before.

    `pseudonyms`: systems have pseudonyms, and files that would name them are left out.
    """
    names = SystemNames.pseudonyms(run) if pseudonyms else SystemNames()
    bundle = Bundle(run, names)
    yield bundle.record("README.md", bundle.card())
    of_report = () if pseudonyms else _report_files(run)
    for name, content in chain(_files_to_recompute(bundle), of_report, _files_on_protocol(run)):
        yield bundle.record(name, content)
    yield bundle.record("croissant.json", bundle.croissant())
    yield "ro-crate-metadata.json", bundle.crate()


def _files_to_recompute(bundle: Bundle) -> Iterator[tuple[str, bytes]]:
    yield from bundle.data_files()
    yield from bundle.plan_files()
    yield from bundle.expected_files()
    yield "recompute.py", SCRIPT.read_bytes()


def _report_files(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield the report to read, and what papers take of it."""
    stored_tables = runs.StoredTables(run, keep=False)
    yield "report.json", "".join(run_json(run)).encode()
    yield "report.txt", sentences_text(run).encode()
    yield from _table_files(stored_tables)
    yield from _stored_files(run)
    yield from _files_for_papers(run, stored_tables)


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


def _files_on_protocol(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield what the judgments mean, and a model of them in R."""
    yield "codebook.csv", exports.codebook_csv(campaign=run.campaign).encode()
    yield "mixed-model.R", mixed_model_script(_missing_values(run.campaign.protocol)).encode()


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


def sentences_text(run: Run) -> str:
    """Return the report's plain sentences, a paragraph for each subject."""
    return (
        "\n\n".join(f"{row['about']}. {row['text']}" for row in runs.StoredTables(run)["sentences"])
        + "\n"
    )


def archive(run: Run, *, pseudonyms: bool = False) -> bytes:
    """Return the bundle of a run as one ZIP."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in files(run, pseudonyms=pseudonyms):
            bundle.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write_report(run: Run, folder: Path) -> list[Path]:
    """Write the bundle of a run into a folder and return the paths of its files."""
    written = []
    for name, content in files(run):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written
