"""Label Studio's JSON, in and out: a task for each question, an annotation for each rater.

It reads the full export (tasks with `data` and `annotations`) and the short one (JSON-MIN), with
ratings given as choices, stars or numbers. A text area is a note. Labels on a part of the passage
are marked spans; those on a part of the question are notes, because Quaestor stores no marks in
questions. Other controls are ignored, with one remark for each kind.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from xml.sax.saxutils import quoteattr

from judging.imports.formats.long import in_pieces, long_rows
from judging.imports.readers.annotations import (
    MARK,
    MARK_END,
    MARK_START,
    MARK_TEXT,
    NOTE,
    RATER,
    SAID,
    TASK,
    VALUE,
    Remarks,
    annotated_columns,
    rating,
)
from judging.imports.readers.contract import ALL, Format
from judging.imports.readers.json_files import at, items, list_at, object_at, refused, text_at
from judging.imports.readers.marking import SPAN
from judging.imports.readers.nesting import Opening, json_text
from judging.imports.readers.records import Problem, StudyRecords
from judging.imports.readers.tables import OpenTable, open_objects
from judging.protocols.rubric_schema import RubricCriterion
from judging.spans import NOTHING

_RATINGS = ("choices", "rating", "number")
# in every task of the short export, whose lists are one annotator's marks
_SHORT = {
    "annotator",
    "annotation_id",
}
_LABELS = ("labels", "hypertextlabels")
_UNMARKED = "mark_none"  # the control for "nothing in the passage answers the question"


def open_label_studio(data: bytes) -> OpenTable:
    """Return the ratings of an export as rows, one for each rating; a task without any has a row of
    its own.

    Raises
    ------
    Unreadable
        If the file is not JSON, or holds no task.
    """
    opening = Opening()
    remarks = Remarks(opening.remarks)
    # each row repeats what its task shows: rows are yielded as they are made, so that the limits of
    # a table stop the reading before there are too many
    rows = (
        (number, row)
        for number, task in items(data)
        for row in _rows(number, task, opening, remarks)
    )
    return open_objects(rows, remarks=remarks.problems)


def write_label_studio(study: StudyRecords) -> str:
    """Return the study as a list of tasks that Label Studio imports and that `open_label_studio`
    reads."""
    return "".join(label_studio_pieces([study], raters=study.raters))


def label_studio_pieces(parts: Iterable[StudyRecords], *, raters: Iterable[str]) -> Iterator[str]:
    """Yield the same list some tasks at a time: each repeats its passage, so that the file may take
    far more than the study."""
    numbers = {rater: number for number, rater in enumerate(raters, 1)}
    yield from in_pieces(_listed(_tasks(parts, numbers)))


def _tasks(
    parts: Iterable[StudyRecords], numbers: Mapping[str, int]
) -> Iterator[dict[str, object]]:
    rows = (row for part in parts for row in long_rows(part))
    # the rows of a question are adjacent
    of_questions = groupby(rows, itemgetter("source_id", "system", "position"))
    for number, (_question, own) in enumerate(of_questions, 1):
        yield _task(number, list(own), numbers)


def _listed(tasks: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Yield the whole list as `json.dumps` would write it."""
    before = "[\n "
    for task in tasks:
        yield before
        yield json.dumps(task, ensure_ascii=False, indent=1).replace("\n", "\n ")
        before = ",\n "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def label_studio_config(criteria: Iterable[RubricCriterion]) -> str:
    """Return the labelling interface that shows such tasks with these criteria."""
    lines = [
        "<View>",
        '  <Text name="passage" value="$passage"/>',
        '  <Text name="question" value="$question"/>',
    ]
    for criterion in criteria:
        lines.append(f"  <Header value={quoteattr(criterion.prompt)}/>")
        lines.append(
            f'  <Choices name={quoteattr(criterion.key)} toName="question" choice="single" showInLine="true">'
        )
        for point in criterion.points:
            lines.append(
                f"    <Choice value={quoteattr(str(point.value))} hint={quoteattr(point.label)}/>"
            )
        lines.append("  </Choices>")
    lines += [
        '  <Labels name="mark" toName="passage"><Label value="answer"/></Labels>',
        f'  <Choices name="{_UNMARKED}" toName="question"><Choice value="{NOTHING}"/></Choices>',
        '  <TextArea name="note" toName="question"/>',
    ]
    return "\n".join([*lines, "</View>", ""])


def _rows(
    number: int, task: object, opening: Opening, remarks: Remarks
) -> Iterator[Mapping[str, object] | Problem]:
    if not isinstance(task, dict):
        yield refused(number, task, "A task is an object with “data”.")[1]
        return
    if "data" not in task:
        yield from [task] if task.keys() >= _SHORT else opening.rows(task, number)
        return
    # a list among the data is written out as JSON once, not for each rating
    shown: dict[str, object] = {
        name: json_text(value) for name, value in object_at(task, "data").items()
    }
    shown[TASK] = text_at(task, "id") or str(number)
    is_rated = False
    for annotation in list_at(task, "annotations"):
        for said in _said(number, annotation, remarks):
            is_rated = True
            yield shown | said
    if not is_rated:
        yield shown


def _said(number: int, annotation: object, remarks: Remarks) -> Iterator[dict[str, object]]:
    if at(annotation, "was_cancelled") is True:
        remarks.say(number, "An annotation that was skipped is passed over.")
        return
    for result in list_at(annotation, "result"):
        kind, control = text_at(result, "type"), text_at(result, "from_name")
        if kind in _RATINGS:
            values = _texts(at(result, "value", kind))
            if found := rating(number, _rater(annotation), control, values, remarks):
                if control == _UNMARKED:
                    found = {RATER: found[RATER], MARK: found[VALUE]}
                yield found | _about(annotation, result)
        elif kind == "textarea":
            yield {RATER: _rater(annotation), NOTE: "\n".join(_texts(at(result, "value", "text")))}
        elif kind in _LABELS:
            yield {RATER: _rater(annotation), **_labelled(result, kind)}
        else:
            remarks.say(
                number, f"A result of type “{kind}” is no rating and is passed over.", control
            )


def _about(annotation: object, result: object) -> dict[str, object]:
    """Return a rating's details besides its value: the time that the annotation took, and the
    result's `meta`."""
    seconds = text_at(annotation, "lead_time")
    known = {"lead_time": seconds} if seconds else {}
    return {
        f"judgment:{name}": value
        for name, value in (known | dict(object_at(result, "meta"))).items()
    }


def _labelled(result: object, kind: str) -> dict[str, object]:
    """Return a label on a part of the passage as a mark, one on a part of the question as a
    note."""
    value = object_at(result, "value")
    places = object_at(value, "globalOffsets") or value
    start, end, text = text_at(places, "start"), text_at(places, "end"), text_at(value, "text")
    if text_at(result, "to_name") == "question":
        return {NOTE: f"{', '.join(_texts(at(value, kind)))}: “{text}” ({start} to {end})"}
    return {MARK: SPAN, MARK_START: start, MARK_END: end, MARK_TEXT: text}


def _rater(annotation: object) -> str:
    """Return the rater's label if Quaestor wrote it, else the user's number or address."""
    by = at(annotation, "completed_by")
    return text_at(annotation, "rater") or (
        by if isinstance(by, str) else text_at(by, "id") or text_at(by, "email")
    )


def _texts(value: object) -> list[str]:
    found = value if isinstance(value, list) else [value]
    return [each for each in found if isinstance(each, str)]


def _task(
    number: int, rows: Sequence[Mapping[str, object]], numbers: Mapping[str, int]
) -> dict[str, object]:
    shown = {
        name: value
        for name, value in rows[0].items()
        if name not in SAID and not name.startswith("judgment:")
    }
    said: defaultdict[str, list[dict[str, object]]] = defaultdict(list)
    for row in rows:
        if rater := row.get("rater"):
            said[str(rater)].append(_result(row))
    annotations = [
        {
            "completed_by": numbers.get(rater, 0),
            "rater": rater,
            "was_cancelled": False,
            "result": results,
        }
        for rater, results in said.items()
    ]
    return {
        "id": number,
        "data": {"passage": "", **shown, "question": shown["question"] or ""},
        "annotations": annotations,
    }


def _result(row: Mapping[str, object]) -> dict[str, object]:
    if "note" in row:
        return {
            "from_name": "note",
            "to_name": "question",
            "type": "textarea",
            "value": {"text": [row["note"]]},
        }
    if "mark_start" in row:
        place = {
            "start": row["mark_start"],
            "end": row["mark_end"],
            "text": row["mark_text"],
            "labels": ["answer"],
        }
        return {"from_name": "mark", "to_name": "passage", "type": "labels", "value": place}
    if "mark" in row:
        value = {"choices": [row["mark"]]}
        return {"from_name": _UNMARKED, "to_name": "question", "type": "choices", "value": value}
    about = {
        name.removeprefix("judgment:"): said
        for name, said in row.items()
        if name.startswith("judgment:")
    }
    value = {"choices": [row["value"]]}
    found = {
        "from_name": row["criterion"],
        "to_name": "question",
        "type": "choices",
        "value": value,
    }
    return found | ({"meta": about} if about else {})


READS = (
    Format(
        key="label_studio",
        title="Label Studio JSON, or a JSON list of objects",
        endings=(".json",),
        is_like=lambda head: head.startswith(b"["),
        rank=90,
        table=open_label_studio,
        propose=lambda table, _name: annotated_columns(table),
        carries=ALL,
        writes=True,
        page="label-studio",
    ),
)
