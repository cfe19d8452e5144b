"""What Quaestor exports: judgments in long form (CSV, JSON Lines), Label Studio's tasks, and the XML
of QG-STEC Task B. The recipes read each of them as the same study.

In long form a row is one judgment, with its question and source. A slot without judgments has a row
of its own, a missing question a blank cell: nothing that was expected is lost.
"""

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar
from xml.sax.saxutils import escape, quoteattr

from judging.base.formulas import BYTE_ORDER_MARK, defuse_cell
from judging.formats.recipes.shared import json_cell
from judging.formats.records import (
    MarkRecord,
    NoteRecord,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    StudyRecords,
)
from judging.protocols.protocol_schema import ProtocolCriterion
from judging.protocols.spans import NOTHING

_GIVEN = ("source_id", "passage", "sentence", "answer", "answer_start")
SOURCE = (*_GIVEN, "target_type", "modality", "language", "references")
QUESTION = ("system", "position", "question_id", "question", "question_type", "submitted_answer")
JUDGMENT = (
    "annotator",
    "criterion",
    "value",
    "note",
    "mark",
    "mark_start",
    "mark_end",
    "mark_text",
)
ITEM = "item"  # the key of the judged unit in the database
UNMARKED = "mark_none"  # Label Studio's control for "nothing in the passage answers the question"
HUMAN = "human"  # the system of questions outside any submission
PIECE = 1 << 20  # characters: each row repeats its passage, so a study is written in pieces

Spoken = RatingRecord | NoteRecord | MarkRecord
Slot = tuple[str, str, int | None]
Origin = Mapping[str, str]
Placed = TypeVar("Placed", QuestionRecord, RatingRecord, NoteRecord, Spoken)
_NAME = re.compile(r"[^\W\d][\w.-]*")
_IMPOSSIBLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


class CannotWrite(ValueError):
    """The study contains something that QG-STEC's XML cannot express."""


def csv_pieces(
    parts: Iterable[StudyRecords], *, used: Collection[str], guarded: bool = False
) -> Iterator[str]:
    """Yield a study in long form as CSV, some rows at a time.

    The header has the known columns among those used, in their order, then the others. `guarded`
    puts an apostrophe before everything that a spreadsheet could take for a formula, also in names
    of columns, and begins the file with a byte order mark.
    """
    known = [name for name in (ITEM, *SOURCE, *QUESTION, *JUDGMENT) if name in used]
    header = [*known, *(name for name in used if name not in known)]
    guard = defuse_cell if guarded else str
    if guarded:
        yield BYTE_ORDER_MARK
    yield from _csv_lines([[guard(name) for name in header]])
    for part in parts:
        rows = long_rows(part)
        yield from _csv_lines([guard(json_cell(row.get(name))) for name in header] for row in rows)


def csv_of_rows(rows: Iterable[Mapping[str, Any]], header: Sequence[str]) -> Iterator[str]:
    """Yield rows as CSV under these columns, every cell as it is stored."""
    yield from _csv_lines([header])
    yield from _csv_lines([json_cell(row.get(name)) for name in header] for row in rows)


def study_pieces(study: StudyRecords, *, guarded: bool = False) -> Iterator[str]:
    """Yield the study as CSV under the columns that its rows use; see `csv_pieces`."""
    used = dict.fromkeys(name for row in long_rows(study) for name in row)
    yield from csv_pieces([study], used=used, guarded=guarded)


def jsonl_pieces(parts: Iterable[StudyRecords]) -> Iterator[str]:
    """Yield a study in long form as JSON Lines, without fields that do not apply."""
    for part in parts:
        yield from in_pieces(json.dumps(row, ensure_ascii=False) + "\n" for row in long_rows(part))


def in_pieces(texts: Iterable[str]) -> Iterator[str]:
    """Yield joined texts of limited length; a long text is a piece of its own or ends one."""
    waiting, length = list[str](), 0
    for text in texts:
        waiting.append(text)
        length += len(text)
        if length > PIECE:
            yield "".join(waiting)
            waiting, length = [], 0
    yield "".join(waiting)


def long_rows(study: StudyRecords) -> Iterator[dict[str, Any]]:
    """Yield the rows, every set in the order of its positions, followed by judgments of the whole
    set."""
    spoken: tuple[Spoken, ...] = (*study.ratings, *study.notes, *study.marks)
    said = _by_slot(spoken)
    for slot, row in slot_rows(study):
        judgments = [_judgment(each, row) for each in said.get(slot, ())]
        yield from (row | judgment for judgment in judgments)
        if row["position"] is not None and not judgments:
            yield row


def slot_rows(study: StudyRecords) -> Iterator[tuple[Slot, dict[str, Any]]]:
    """Yield the slots of every set and the set as a whole, each with its row without judgments."""
    questions = _by_slot(study.questions)
    sources = {source.key: _source_fields(source) for source in study.sources}
    scores = {column.name: column.exported_name for column in study.score_columns}
    for slot in _slots(study):
        source, system, position = slot
        row = {**sources[source], "system": system, "position": position, "question": None}
        if item := study.items.get(slot):
            row = {ITEM: item, **row}
        for question in questions.get(slot, [])[-1:]:
            row |= _question_fields(question, scores)
        yield slot, row


def _slots(study: StudyRecords) -> Iterator[Slot]:
    """Yield the slots of every set, and the set as a whole."""
    for (source, system), expected in study.expected.items():
        yield from ((source, system, position) for position in (*range(1, expected + 1), None))


def label_studio_pieces(parts: Iterable[StudyRecords], *, raters: Iterable[str]) -> Iterator[str]:
    """Yield the list of tasks that Label Studio imports, some tasks at a time."""
    numbers = {rater: number for number, rater in enumerate(raters, 1)}
    rows = (row for part in parts for row in long_rows(part))
    # the rows of a question are adjacent
    of_questions = groupby(rows, itemgetter("source_id", "system", "position"))
    tasks = (_task(count, list(own), numbers) for count, (_, own) in enumerate(of_questions, 1))
    yield from in_pieces(_listed(tasks))


def label_studio_config(criteria: Iterable[ProtocolCriterion]) -> str:
    """Return the labelling interface that shows such tasks with these criteria."""
    lines = ["<View>"]
    lines += [f'  <Text name="{name}" value="${name}"/>' for name in ("passage", "question")]
    for criterion in criteria:
        shown = 'toName="question" choice="single" showInLine="true"'
        lines.append(f"  <Header value={quoteattr(criterion.prompt)}/>")
        lines.append(f"  <Choices name={quoteattr(criterion.key)} {shown}>")
        points = [
            (quoteattr(str(point.value)), quoteattr(point.label)) for point in criterion.points
        ]
        lines += [f"    <Choice value={value} hint={label}/>" for value, label in points]
        lines.append("  </Choices>")
    lines += [
        '  <Labels name="mark" toName="passage"><Label value="answer"/></Labels>',
        f'  <Choices name="{UNMARKED}" toName="question"><Choice value="{NOTHING}"/></Choices>',
        '  <TextArea name="note" toName="question"/>',
    ]
    return "\n".join([*lines, "</View>", ""])


def write_qgstec(study: StudyRecords) -> str:
    """Return the study as XML. A study whose only system is `human`, without ratings, is written as
    a development set.

    Raises
    ------
    CannotWrite
        If a source is no sentence with a target type, a whole set is rated, or a name or text is
        impossible in XML.
    """
    _refuse(study)
    instances = "".join(_QgstecWriter(study).instances())
    return f'<?xml version="1.0" encoding="utf-8"?>\n<dataset>\n{instances}</dataset>\n'


def _by_slot(records: Iterable[Placed]) -> dict[Slot, list[Placed]]:
    """Return the records by source, system and position."""
    found: dict[Slot, list[Placed]] = {}
    for record in records:
        slot = (record.source_key, record.system, record.position)
        found.setdefault(slot, []).append(record)
    return found


def _csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        writer.writerow(row)
        if out.tell() > PIECE:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def _source_fields(source: SourceRecord) -> dict[str, Any]:
    given = (source.key, source.passage, source.sentence, source.answer, source.answer_start)
    about = (source.target_type, source.modality, source.language, list(source.references))
    return _filled(SOURCE, (*given, *about)) | _prefixed("source:", source.attributes)


def _question_fields(question: QuestionRecord, scores: Mapping[str, str]) -> dict[str, Any]:
    """Return a question's fields by column; `scores` gives the column of each score."""
    slot = (question.system, question.position, question.key, question.text)
    values = (*slot, question.question_type, question.submitted_answer)
    given = {scores.get(name, f"score:{name}"): value for name, value in question.scores.items()}
    return _filled(QUESTION, values) | given | _prefixed("attribute:", question.attributes)


def _judgment(spoken: Spoken, row: Mapping[str, Any]) -> dict[str, Any]:
    by = {"annotator": spoken.rater}
    if isinstance(spoken, NoteRecord):
        return by | {"note": spoken.text}
    if isinstance(spoken, RatingRecord):
        given = {"criterion": spoken.criterion, "value": spoken.value}
        return by | given | _prefixed("judgment:", spoken.attributes)
    if spoken.start is None:
        return by | {"mark": NOTHING}
    ends = {"mark_start": spoken.start, "mark_end": spoken.end}
    text = row.get("passage", "")[spoken.start : spoken.end]
    return by | {"mark": "span"} | ends | {"mark_text": text}


def _filled(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    cells = zip(names, values, strict=True)
    return {name: value for name, value in cells if value not in (None, "", [])}


def _prefixed(prefix: str, values: Mapping[str, str]) -> dict[str, Any]:
    return {f"{prefix}{name}": value for name, value in values.items()}


def _listed(tasks: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the whole list as `json.dumps` would write it."""
    before = "[\n "
    for task in tasks:
        yield before
        yield json.dumps(task, ensure_ascii=False, indent=1).replace("\n", "\n ")
        before = ",\n "
    yield "[]\n" if before.startswith("[") else "\n]\n"


def _task(
    number: int, rows: Sequence[Mapping[str, Any]], numbers: Mapping[str, int]
) -> dict[str, Any]:
    is_judgment = re.compile(f"judgment:.*|{'|'.join(JUDGMENT)}", re.S).fullmatch
    shown = {name: value for name, value in rows[0].items() if not is_judgment(name)}
    said: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if annotator := row.get("annotator"):
            said[annotator].append(_result(row))
    annotations = []
    for annotator, results in said.items():
        by = {"completed_by": numbers.get(annotator, 0), "annotator": annotator}
        annotations.append(by | {"was_cancelled": False, "result": results})
    data = {"passage": "", **shown, "question": shown["question"] or ""}
    return {"id": number, "data": data, "annotations": annotations}


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    if "note" in row:
        return _control("note", "question", "textarea", {"text": [row["note"]]})
    if "mark_start" in row:
        place = {"start": row["mark_start"], "end": row["mark_end"], "text": row["mark_text"]}
        return _control("mark", "passage", "labels", place | {"labels": ["answer"]})
    if "mark" in row:
        return _control(UNMARKED, "question", "choices", {"choices": [row["mark"]]})
    prefix = "judgment:"
    meta = {n.removeprefix(prefix): value for n, value in row.items() if n.startswith(prefix)}
    found = _control(row["criterion"], "question", "choices", {"choices": [row["value"]]})
    return found | ({"meta": meta} if meta else {})


def _control(name: str, of: str, kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    return {"from_name": name, "to_name": of, "type": kind, "value": value}


def _refuse(study: StudyRecords) -> None:
    for source in study.sources:
        if source.passage is not None or not source.sentence or not source.target_type:
            raise CannotWrite(
                f"Source “{source.key}” is not a sentence with a target type; this XML has no other sources."
            )
    for rating in study.ratings:
        if rating.position is None:
            raise CannotWrite(
                f"The ratings on “{rating.criterion}” are about whole sets; this XML rates questions."
            )
        is_taken = rating.criterion in ("rater", "note", "comment")
        if is_taken or not _NAME.fullmatch(rating.criterion):
            raise CannotWrite(f"“{rating.criterion}” cannot be the name of an attribute.")


def _origins(study: StudyRecords) -> tuple[dict[str, Origin], dict[str, Origin]]:
    """Return the origins that stored questions name, by source and by sentence."""
    named = [question for question in study.questions if "instance" in question.attributes]
    of_sources = {question.source_key: question.attributes for question in named}
    sources = [source for source in study.sources if source.key in of_sources]
    return of_sources, {source.sentence: of_sources[source.key] for source in sources}


class _QgstecWriter:
    """Writes the sentences of a study, each with its target types, submissions and questions."""

    def __init__(self, study: StudyRecords) -> None:
        self.study = study
        self.bare = study.systems == (HUMAN,) and not study.ratings and not study.notes
        self.origins, self.of_sentences = _origins(study)
        self.texts = {slot: own[-1].text for slot, own in _by_slot(study.questions).items()}
        self.ratings, self.notes = _by_slot(study.ratings), _by_slot(study.notes)
        self.last: defaultdict[tuple[str, str], int] = defaultdict(int)
        for source, system, position in self.texts:
            self.last[source, system] = max(self.last[source, system], position or 0)

    def instances(self) -> Iterator[str]:
        grouped: defaultdict[str, list[SourceRecord]] = defaultdict(list)
        for source in self.study.sources:
            own = f"sentence: {source.sentence}"
            grouped[self._origin(source).get("instance", own)].append(source)
        for place, (name, sources) in enumerate(grouped.items(), 1):
            is_named = "instance" in self._origin(sources[0])
            yield from self._instance(name if is_named else str(place), sources)

    def _origin(self, source: SourceRecord) -> Mapping[str, str]:
        """Return the origin of a sentence, from its source, or from its stored questions of any
        target type."""
        known = source.attributes or self.origins.get(source.key)
        return known or self.of_sentences.get(source.sentence, {})

    def _instance(self, name: str, sources: Sequence[SourceRecord]) -> Iterator[str]:
        yield f"<instance id={_attribute(name)}>\n"
        for tag in ("id", "source"):
            if value := self._origin(sources[0]).get(tag):
                yield f"\t<{tag}>{_text(value)}</{tag}>\n"
        yield f"\t<text>{_text(sources[0].sentence)}</text>\n"
        for source in () if self.bare else sources:
            yield f"\t<targetQuestionType>{_text(source.target_type)}</targetQuestionType>\n"
        for system in self.study.systems:
            yield "" if self.bare else f"\t<submission id={_attribute(system)}>\n"
            yield from (line for source in sources for line in self._questions(source, system))
            yield "" if self.bare else "\t</submission>\n"
        yield "</instance>\n"

    def _questions(self, source: SourceRecord, system: str) -> Iterator[str]:
        """Yield the questions of a source; an empty slot before a filled one is written, so that
        later questions keep their positions."""
        kind = _attribute(source.target_type)
        for position in range(1, self.last[source.key, system] + 1):
            text = self.texts.get((source.key, system, position)) or ""
            ratings = "".join(self._ratings((source.key, system, position)))
            yield f"\t\t<question type={kind}>{_text(text)}{ratings}</question>\n"

    def _ratings(self, slot: Slot) -> Iterator[str]:
        by_rater: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for rating in self.ratings.get(slot, ()):
            by_rater[rating.rater][rating.criterion] = rating.value
            if comment := rating.attributes.get("comment"):
                by_rater[rating.rater]["comment"] = comment
        for note in self.notes.get(slot, ()):
            by_rater[note.rater]["note"] = note.text
        for rater, values in by_rater.items():
            attributes = "".join(f" {name}={_attribute(value)}" for name, value in values.items())
            yield f"\n\t\t\t<rating rater={_attribute(rater)}{attributes}/>"


def _text(text: str) -> str:
    return escape(_possible(text), {"\r": "&#13;"})


def _attribute(text: str) -> str:
    return quoteattr(_possible(text))


def _possible(text: str) -> str:
    if _IMPOSSIBLE.search(text):
        raise CannotWrite(f"“{text[:40]!r}” holds a character that XML cannot hold.")
    return text
