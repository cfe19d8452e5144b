"""What pages show of a file before anything of it is stored, as plain data.

A small file is looked at while its page waits, a large one by a job, whose row keeps what was
found.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import BytesIO
from typing import Any
from zipfile import BadZipFile, ZipFile

from judging import storage
from judging.actions.rounds import TellProgress, silent
from judging.design import letter
from judging.imports.actions import new_collections, reading_plans, row_list_files
from judging.imports.actions.reading_plans import Head, Plan
from judging.imports.readers.overview import (
    Sample,
    handful,
    having,
    per_system,
    samples,
    source_pieces,
    surroundings,
)
from judging.imports.readers.records import Problem, SourceRecord, StudyRecords
from judging.imports.readers.row_lists import rows_of
from judging.imports.readers.text import Unreadable, decodings
from judging.imports.readers.unpacking import ZIP, unpacked_size
from judging.models import AddedFile, Rubric, StoredFile, Upload, User

COLUMNS, PREVIEW = "judging.read_columns", "judging.preview_import"
HANDFUL = "judging.draw_sources"
AT_ONCE = 2_000_000  # bytes; a file with more to read is looked at by a job
SHOWN = 50
SAMPLES = 5
FIRST_SEED = 1


def is_quick(file: StoredFile) -> bool:
    """Say whether a file is looked at while its page waits, which ends after some seconds."""
    return size_to_read(file) <= AT_ONCE


def size_to_read(file: StoredFile, *, enough: int = AT_ONCE) -> int:
    """Return how many bytes reading a file goes through: of a workbook, those it unpacks to, which
    may be a thousand times as many. Of a file that has more than `enough` no more is looked at: a
    list of parts alone may take a second to read."""
    if file.size > enough or storage.head_of(file, len(ZIP)) != ZIP:
        return file.size
    try:
        with ZipFile(BytesIO(storage.content_of(file))) as archive:
            return max(file.size, unpacked_size(archive))
    except (BadZipFile, ValueError, OSError, NotImplementedError):
        return file.size  # and is refused


def of_upload(upload: Upload, plan: Plan, **said: Any) -> dict[str, Any]:
    """Return what a look at an upload is asked with; equal looks are asked with equal
    parameters."""
    return {"upload": upload.pk, "plan": plan.as_dict(), **said}


def of_added(added: AddedFile, plan: Plan) -> dict[str, Any]:
    """Return what a look at the columns of a collection's file is asked with."""
    return {"files": [added.pk], "number": added.number, "plan": plan.as_dict()}


def look(
    *,
    kind: str,
    parameters: Mapping[str, Any],
    by: User,
    progress: TellProgress = silent,
    waits: bool = False,
) -> dict[str, Any]:
    """Return what is found; whoever asks sees files of their own alone. NotAtOnce where a page
    waits for what takes long."""
    name, file = _file(parameters, by)
    plan = reading_plans.plan_from(parameters["plan"])
    progress(0, 0, "Reading the file")
    return _LOOKS[kind](name, file, plan, parameters, progress, waits)


def _file(parameters: Mapping[str, Any], by: User) -> tuple[str, StoredFile]:
    if "upload" in parameters:
        upload = Upload.objects.of(by).get(pk=parameters["upload"])
        return upload.name, upload.file
    [key] = parameters["files"]
    added = AddedFile.objects.listed().get(pk=key, collection__owner=by)
    return added.name, added.file


def _columns(
    name: str,
    file: StoredFile,
    plan: Plan,
    _parameters: Mapping[str, Any],
    progress: TellProgress,
    waits: bool,
) -> dict[str, Any]:
    """Return the file's head, or why it cannot be read, with what it says in each encoding."""
    content = storage.content_of(file)
    try:
        return {
            "head": asdict(
                reading_plans.read_head(
                    name=name, data=content, plan=plan, progress=progress, waits=waits
                )
            )
        }
    except Unreadable as error:
        return {"reason": error.reason, "decodings": [asdict(each) for each in decodings(content)]}


def head_in(found: Mapping[str, Any]) -> Head | None:
    """Return the head that was found; None where the file cannot be read."""
    return reading_plans.head_from(found["head"]) if "head" in found else None


def _preview(
    name: str,
    file: StoredFile,
    plan: Plan,
    parameters: Mapping[str, Any],
    progress: TellProgress,
    waits: bool,
) -> dict[str, Any]:
    """Return what would be stored, the first of what would not, and what is to be asked."""
    study = reading_plans.read_study(
        name=name,
        data=storage.content_of(file),
        plan=plan,
        progress=progress,
        waits=waits,
    )
    rubric = Rubric.objects.filter(pk=parameters["rubric"]).first()
    examined = new_collections.examine(
        study=study, rubric=rubric, has_columns=plan.columns is not None
    )
    asks, warnings = study.problems_of("ask"), study.problems_of("warning", "offer")
    sources = {source.key: source for source in study.sources} if asks else {}
    stored = {}
    if not waits:  # of a quick one the list is made when it is asked for
        listed = rows_of(study, examined.refused)
        whose = f"upload {parameters['upload']}"
        stored[row_list_files.LISTED] = row_list_files.store(listed, whose=whose)
    return {
        "study": {
            "rows_read": study.rows_read,
            "rows_kept": study.rows_kept,
            "sources": len(study.sources),
            "raters": len(study.raters),
            "ratings": len(study.ratings),
            "llm_judges": list(study.llm_judges),
            "judge_ratings": len(study.judge_ratings),
            "questions": sum(study.returned.values()),
            "score_columns": [
                {"name": each.name, "direction": each.direction} for each in study.score_columns
            ],
        },
        "obstacles": list(examined.obstacles),
        "ratings": bool(examined.ratings),
        "systems": [asdict(each) for each in per_system(study)],
        "system_count": len(study.systems),
        "refused": [_told(each) for each in examined.refused[:SHOWN]],
        "refused_count": len(examined.refused),
        "warnings": [_told(each) for each in warnings[:SHOWN]],
        "warning_count": len(warnings),
        "samples": [_sample(each) for each in samples(study, SAMPLES)],
        "asks": [_ask(each, sources[each.source_key]) for each in asks[:SHOWN]],
        "ask_count": len(asks),
        "handful": _drawn(study, FIRST_SEED),
        **stored,
    }


def rows_listed(*, upload: Upload, plan: Plan, rubric: Rubric | None) -> bytes:
    """Return the packed list of the rows of an upload that is small; NotAtOnce where that takes
    long."""
    content = storage.content_of(upload.file)
    study = reading_plans.read_study(name=upload.name, data=content, plan=plan, waits=True)
    refused = new_collections.examine(study=study, rubric=rubric).refused
    return b"".join(rows_of(study, refused).pieces(""))


def _told(problem: Problem) -> dict[str, Any]:
    return {
        "row": problem.row,
        "column": problem.column,
        "value": problem.value[: SHOWN * 4],
        "reason": problem.reason,
    }


def _sample(sample: Sample) -> dict[str, Any]:
    questions = [{"system": each.system, "text": each.text} for each in sample.questions]
    return _source(sample) | {"questions": questions}


def _source(sample: Sample) -> dict[str, Any]:
    return {
        "source": asdict(sample.source),
        "text": source_pieces(sample.source),
        "more": sample.more,
    }


def _ask(ask: Problem, source: SourceRecord) -> dict[str, Any]:
    """Return an answer that stands more than once, with each of its places."""
    text = source.sentence if source.passage is None else source.passage
    places = [(start, surroundings(text, start, len(source.answer))) for start in ask.choices]
    return {"row": ask.row, "value": ask.value, "source_key": ask.source_key, "places": places}


def _handful(
    name: str,
    file: StoredFile,
    plan: Plan,
    parameters: Mapping[str, Any],
    progress: TellProgress,
    waits: bool,
) -> dict[str, Any]:
    study = reading_plans.read_study(
        name=name,
        data=storage.content_of(file),
        plan=plan,
        progress=progress,
        waits=waits,
    )
    return _drawn(study, parameters["seed"], parameters.get("words", ""))


def _drawn(study: StudyRecords, seed: int, words: str = "") -> dict[str, Any]:
    """Return some sources by chance as annotators see them: questions under letters, nothing that
    names a system. With words, of those that have them."""
    drawn, sources = [], having(study, words)
    for each in handful(study, most=SAMPLES, seed=seed, sources=sources):
        questions = [
            (letter(place), question.text) for place, question in enumerate(each.questions)
        ]
        drawn.append(_source(each) | {"questions": questions})
    return {"samples": drawn, "source_count": len(sources)}


_LOOKS: dict[str, Callable[..., dict[str, Any]]] = {
    COLUMNS: _columns,
    PREVIEW: _preview,
    HANDFUL: _handful,
}
