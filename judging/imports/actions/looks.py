"""What pages show of a file before anything of it is stored, as plain data: a job reads the file,
and its row keeps what was found."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from judging import storage
from judging.actions.rounds import TellProgress, silent
from judging.design import letter
from judging.imports.actions import new_collections, proposals, reading_plans, row_list_files
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
from judging.models import AddedFile, Rubric, StoredFile, Upload, User
from judging.spans import range_of

COLUMNS, PREVIEW = "judging.read_columns", "judging.preview_import"
HANDFUL = "judging.draw_sources"
SHOWN = 50
SAMPLES = 5
FIRST_SEED = 1


def of_upload(upload: Upload, plan: Plan, **said: Any) -> dict[str, Any]:
    """Return what a look at an upload is asked with; equal looks are asked with equal
    parameters."""
    return {"upload": upload.pk, "plan": plan.as_dict(), **said}


def of_added(added: AddedFile, plan: Plan) -> dict[str, Any]:
    """Return what a look at the columns of a dataset's file is asked with. Another file that waits
    makes it another look, because it may have the same columns."""
    waiting = added.collection.added_files.waiting().exclude(pk=added.pk).order_by("pk")
    return {
        "files": [added.pk],
        "number": added.number,
        "plan": plan.as_dict(),
        "waiting": list(waiting.values_list("pk", flat=True)),
    }


def look(
    *,
    kind: str,
    parameters: Mapping[str, Any],
    by: User,
    progress: TellProgress = silent,
) -> dict[str, Any]:
    """Return what is found; users see their own files alone."""
    name, file = _file(parameters, by)
    plan = reading_plans.plan_from(parameters["plan"])
    progress(0, 0, "Reading the file")
    return _LOOKS[kind](name, file, plan, parameters, progress)


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
    parameters: Mapping[str, Any],
    progress: TellProgress,
) -> dict[str, Any]:
    """Return the file's head, or why it cannot be read, with what it says in each encoding; of a
    dataset's file also the waiting files with the same columns."""
    content = storage.content_of(file)
    try:
        head = reading_plans.read_head(name=name, data=content, plan=plan, progress=progress)
        return {"head": asdict(head), "siblings": _siblings(parameters)}
    except Unreadable as error:
        return {"reason": error.reason, "decodings": [asdict(each) for each in decodings(content)]}


def _siblings(parameters: Mapping[str, Any]) -> list[int]:
    """Return the keys of the waiting files with the same columns as a dataset's file."""
    if "upload" in parameters:
        return []
    added = AddedFile.objects.listed().get(pk=parameters["files"][0])
    return [each.pk for each in proposals.siblings(added)]


def head_in(found: Mapping[str, Any]) -> Head | None:
    """Return the head that was found; None where the file cannot be read."""
    return reading_plans.head_from(found["head"]) if "head" in found else None


def _preview(
    name: str,
    file: StoredFile,
    plan: Plan,
    parameters: Mapping[str, Any],
    progress: TellProgress,
) -> dict[str, Any]:
    """Return what would be stored, the first of what would not, and what is to be asked."""
    study = reading_plans.read_study(
        name=name,
        data=storage.content_of(file),
        plan=plan,
        progress=progress,
    )
    rubric = Rubric.objects.filter(pk=parameters["rubric"]).first()
    examined = new_collections.examine(
        study=study, rubric=rubric, has_columns=plan.columns is not None
    )
    asks, warnings = study.problems_of("ask"), study.problems_of("warning", "offer")
    sources = {source.key: source for source in study.sources} if asks else {}
    listed = rows_of(study, examined.refused)
    whose = f"upload {parameters['upload']}"
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
        row_list_files.LISTED: row_list_files.store(listed, whose=whose),
    }


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
    ranges = [place for start in ask.choices if (place := range_of(source.answer, start, text))]
    places = [(start, surroundings(text, start, end - start)) for start, end in ranges]
    return {"row": ask.row, "value": ask.value, "source_key": ask.source_key, "places": places}


def _handful(
    name: str,
    file: StoredFile,
    plan: Plan,
    parameters: Mapping[str, Any],
    progress: TellProgress,
) -> dict[str, Any]:
    study = reading_plans.read_study(
        name=name,
        data=storage.content_of(file),
        plan=plan,
        progress=progress,
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
