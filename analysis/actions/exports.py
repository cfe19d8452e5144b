"""A run's files, for a paper's supplement: everything that was found, and what it was found in."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

from analysis import sections
from analysis.actions import runs
from analysis.models import Result, Run
from analysis.reports.rows import Record
from analysis.reports.rscript import mixed_model_script
from analysis.reports.tables import to_csv, to_json
from judging import storage
from judging.actions import exports
from judging.formats.long import write_long_csv
from judging.models import Criterion, Rubric

EPOCH = (1980, 1, 1, 0, 0, 0)  # a fixed date, so that equal results are equal archives


def run_json(run: Run) -> str:
    """Return a whole run as JSON, with how it was made."""
    made = {
        "campaign": run.campaign.title,
        "run": run.number,
        "seed": run.seed,
        "parameters": run.parameters,
        "versions": run.versions,
        "input_sha256": run.input_sha256,
        "protocol_sha256": run.campaign.protocol_digest,
        "rubric": {"key": run.campaign.rubric.key, "version": run.campaign.rubric.version},
    }
    return to_json({"made": made, "tables": runs.tables_of(run)})


def table_csv(name: str, rows: list[Record]) -> str:
    """Return one table of a run as CSV, its columns in the order of the section's row."""
    section = sections.section_of(name)
    return to_csv(rows, [column.name for column in section.columns()] if section else ())


def files(run: Run) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a report by name."""
    yield "report.json", run_json(run).encode()
    yield "report.txt", sentences_text(run).encode()
    for name, rows in runs.tables_of(run).items():
        if isinstance(rows, list) and name != "sentences":
            yield f"tables/{name}.csv", table_csv(name, rows).encode()
    for result in Result.objects.filter(run=run, file__isnull=False).select_related("file").order_by("key"):
        if result.file:
            yield f"figures/{result.key.removeprefix('figure-')}.svg", storage.content_of(result.file)
    study = exports.study_of(campaign=run.campaign, extras=bool(run.parameters.get("extras")))
    yield "judgments.csv", write_long_csv(study).encode()
    yield "codebook.csv", exports.codebook_csv(campaign=run.campaign).encode()
    yield "mixed-model.R", mixed_model_script(_missing_values(run.campaign.rubric)).encode()
    yield "rubric.json", json.dumps(run.campaign.rubric.document, indent=1, ensure_ascii=False, sort_keys=True).encode()


def _missing_values(rubric: Rubric) -> dict[str, list[int]]:
    """Return the criteria whose points have an order, each with the values that count as missing."""
    ordered = rubric.criteria.exclude(level=Criterion.Level.NOMINAL).prefetch_related("points")
    return {each.key: [point.value for point in each.points.all() if point.missing] for each in ordered}


def sentences_text(run: Run) -> str:
    """Return the report's plain sentences, a paragraph for each subject."""
    return "\n\n".join(f"{row['about']}. {row['text']}" for row in runs.tables_of(run)["sentences"]) + "\n"


def archive(run: Run) -> bytes:
    """Return all files of a report in one ZIP."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, content in files(run):
            bundle.writestr(zipfile.ZipInfo(name, EPOCH), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def write(run: Run, folder: Path) -> list[Path]:
    """Write all files of a report into a folder and return their paths."""
    written = []
    for name, content in files(run):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        written.append(path)
    return written
