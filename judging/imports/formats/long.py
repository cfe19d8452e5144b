"""Judgments in long form, written as CSV or JSON Lines, so that the table reader reads the same
study again.

A row is one judgment, with its question and source. A slot without judgments has a row of its own,
a missing question a blank cell: nothing that was expected is lost.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from judging.formulas import BYTE_ORDER_MARK, inert
from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import ALL, Format, first_line, proposed
from judging.imports.readers.marking import SPAN
from judging.imports.readers.nesting import json_text
from judging.imports.readers.records import (
    MarkRecord,
    NoteRecord,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    StudyRecords,
)
from judging.imports.readers.tables import AnyTable, open_delimited
from judging.spans import NOTHING

RatedUnit = tuple[str, str, int | None]
Spoken = RatingRecord | NoteRecord | MarkRecord

SOURCE = (
    "source_id",
    "passage",
    "sentence",
    "answer",
    "answer_start",
    "target_type",
    "modality",
    "language",
    "references",
)
QUESTION = ("system", "position", "question_id", "question", "question_type", "submitted_answer")
PIECE = 1 << 20  # characters: each row repeats its passage, so a study is written in pieces
JUDGMENT = ("rater", "criterion", "value", "note", "mark", "mark_start", "mark_end", "mark_text")


def write_long_csv(study: StudyRecords, *, guarded: bool = False) -> str:
    """Return the study as CSV, one judgment to a row; see `csv_pieces`."""
    return "".join(pieces_of(study, guarded=guarded))


def pieces_of(study: StudyRecords, *, guarded: bool = False) -> Iterator[str]:
    """Yield the study as CSV under the columns that its rows use; see `csv_pieces`."""
    used = dict.fromkeys(name for row in long_rows(study) for name in row)
    yield from csv_pieces([study], used=used, guarded=guarded)


def write_long_jsonl(study: StudyRecords) -> str:
    """Return the study as JSON Lines, one judgment to a line, without fields that do not apply."""
    return "".join(jsonl_pieces([study]))


def csv_pieces(
    parts: Iterable[StudyRecords],
    *,
    used: Collection[str],
    guarded: bool = False,
) -> Iterator[str]:
    """Yield a study as CSV, one judgment to a row, some rows at a time.

    The header has the known columns among those used, in their order, then the others. Cells keep
    text, also if it begins like a formula: guarding changes data that are read back or compared.
    `guarded` puts an apostrophe before everything that a spreadsheet could take for a formula,
    including names of columns, for files that others will open, and begins the file with a byte
    order mark.
    """
    known = [name for name in (*SOURCE, *QUESTION, *JUDGMENT) if name in used]
    header = [*known, *(name for name in used if name not in known)]
    guard = inert if guarded else str
    if guarded:
        yield BYTE_ORDER_MARK
    yield from _csv_lines([[guard(name) for name in header]])
    for part in parts:
        yield from _csv_lines(
            [guard(json_text(row.get(name))) for name in header] for row in long_rows(part)
        )


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


def jsonl_pieces(parts: Iterable[StudyRecords]) -> Iterator[str]:
    """Yield a study as JSON Lines, some rows at a time."""
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


def long_columns(table: AnyTable) -> ColumnRoles:
    """Return the columns of a table that Quaestor wrote: each set expects the questions it holds,
    and all raters are annotators, whatever their names."""
    return replace(proposed(table, ""), crossed=False, raters=())


def long_rows(study: StudyRecords) -> Iterator[dict[str, object]]:
    """Yield the rows, every set in the order of its positions, followed by judgments of the whole
    set."""
    said: defaultdict[RatedUnit, list[Spoken]] = defaultdict(list)
    spoken: list[Spoken] = [*study.ratings, *study.notes, *study.marks]
    for each in spoken:
        said[each.source_key, each.system, each.position].append(each)
    passages = {source.key: source.passage or "" for source in study.sources}
    sources = {source.key: _source_fields(source) for source in study.sources}
    scores = {column.name: column.exported_name for column in study.score_columns}
    questions = {
        (question.source_key, question.system, question.position): question
        for question in study.questions
    }
    for (source, system), expected in study.expected.items():
        for position in (*range(1, expected + 1), None):
            unit = (source, system, position)
            slot = {"system": system, "position": position, "question": None}
            if position is not None and (question := questions.get((source, system, position))):
                slot |= _question_fields(question, scores)
            if position is not None or unit in said:
                judgments = [_judgment(each, passages[source]) for each in said.get(unit, ())]
                yield from (
                    {**sources[source], **slot, **judgment} for judgment in judgments or [{}]
                )


def _source_fields(source: SourceRecord) -> dict[str, object]:
    """Return a source's fields by column, without blank ones."""
    values = (
        source.key,
        source.passage,
        source.sentence,
        source.answer,
        source.answer_start,
        source.target_type,
        source.modality,
        source.language,
        list(source.references),
    )
    known = {
        name: value
        for name, value in zip(SOURCE, values, strict=True)
        if value not in (None, "", [])
    }
    return known | _prefixed("source:", source.attributes)


def _question_fields(question: QuestionRecord, scores: Mapping[str, str]) -> dict[str, object]:
    """Return a question's fields by column, without blank ones. `scores` gives the column of each
    score."""
    values = (
        question.system,
        question.position,
        question.key,
        question.text,
        question.question_type,
        question.submitted_answer,
    )
    known = {
        name: value for name, value in zip(QUESTION, values, strict=True) if value not in (None, "")
    }
    given = {scores.get(name, f"score:{name}"): value for name, value in question.scores.items()}
    return known | given | _prefixed("attribute:", question.attributes)


def _judgment(said: Spoken, passage: str) -> dict[str, object]:
    by: dict[str, object] = {"rater": said.rater}
    if isinstance(said, NoteRecord):
        return by | {"note": said.text}
    if isinstance(said, RatingRecord):
        return (
            by
            | {"criterion": said.criterion, "value": said.value}
            | _prefixed("judgment:", said.attributes)
        )
    if said.start is None:
        return by | {"mark": NOTHING}
    text = passage[said.start : said.end]
    return by | {"mark": SPAN, "mark_start": said.start, "mark_end": said.end, "mark_text": text}


def _prefixed(prefix: str, values: Mapping[str, str]) -> dict[str, object]:
    return {f"{prefix}{name}": value for name, value in values.items()}


def _is_like(head: bytes) -> bool:
    """Return whether the header is Quaestor's own: the source first, system and position together,
    and also rater, criterion and value."""
    names = first_line(head).rstrip(b"\r").split(b",")
    together = [(b"system", b"position"), (b"rater", b"criterion", b"value")]
    found = (names.index(first[0]) if first[0] in names else -1 for first in together)
    placed = all(
        tuple(names[at : at + len(words)]) == words
        for at, words in zip(found, together, strict=True)
    )
    return names[0] == b"source_id" and b"question" in names and placed


READS = (
    Format(
        key="long_csv",
        title="Judgments in long form, as exported here",
        endings=(".csv",),
        is_like=_is_like,
        rank=10,
        is_shaped=False,
        table=open_delimited,
        propose=lambda table, _name: long_columns(table),
        carries=ALL,
        writes=True,
        page="long",
    ),
)
