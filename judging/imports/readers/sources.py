"""The sources of a table: rows with the same inputs share one."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.locating import AnswerPlace, locate, occurrences
from judging.imports.readers.records import Problem, SourceRecord
from judging.imports.readers.tables import shorten
from judging.limits import MAX_PAGE_ROWS
from judging.spans import Range


class RowRefused(ValueError):
    """A row cannot be used; `column` says where the fault is."""

    def __init__(self, reason: str, *, column: str = "", value: str = "") -> None:
        """Keep the reason, the column and the value."""
        super().__init__(reason)
        self.reason = reason
        self.column = column
        self.value = value


@dataclass(slots=True, kw_only=True)
class GivenInRow:
    """The inputs of a system in one row."""

    passage: str | None
    sentence: str
    answer: str
    answer_start: int | None
    target_type: str
    modality: str
    language: str
    references: tuple[str, ...]
    attributes: Mapping[str, str]


@dataclass(slots=True)
class _Draft:
    key: str
    row: int
    given: GivenInRow
    references: tuple[str, ...] = ()


class Sources:
    """The sources seen so far, each with the first row that named it."""

    def __init__(self, columns: ColumnRoles) -> None:
        """Start with none."""
        self.columns = columns
        self._drafts: dict[object, _Draft] = {}
        self._places: dict[tuple[str | None, str, str, int | None], AnswerPlace] = {}
        self._found: dict[tuple[str, str], Sequence[Range]] = {}

    def key_of(
        self, given: GivenInRow, *, source_id: str, row: int, question: str = ""
    ) -> tuple[str, GivenInRow]:
        """Return the key of this row's source, and its inputs in the first row.

        `question` identifies the row's question if there is a row for every rater.

        Raises
        ------
        RowRefused
            If the row contradicts an earlier row about the source.
        """
        identity = (
            ("id", source_id) if self.columns.source_id else self._identity(given, question, row)
        )
        draft = self._drafts.get(identity)
        if draft is None:
            draft = _Draft(source_id or str(len(self._drafts) + 1), row, given)
            self._drafts[identity] = draft
        elif self.columns.source_id:
            _agree(draft, given, self.columns)
        if given.references and given.references != draft.references:
            draft.references = tuple(dict.fromkeys((*draft.references, *given.references)))
        return draft.key, draft.given

    def records(self) -> Iterator[tuple[SourceRecord, tuple[Problem, ...]]]:
        """Yield each source with the problems of its answer and sentence."""
        for draft in self._drafts.values():
            place = self._place(draft.given)
            start = self._chosen(draft, place)
            yield _record(draft, place, start), tuple(self._doubts(draft, place, start))

    def unknown_starts(self) -> Iterator[str]:
        """Yield the source keys of chosen starts for which there is no source."""
        known = {draft.key for draft in self._drafts.values()}
        yield from (key for key in self.columns.starts if key not in known)

    def _identity(self, given: GivenInRow, question: str, row: int) -> object:
        """Return what identifies a source: passage, answer, start and target type; without them the
        references, else the same question by several raters, else the row."""
        text = given.sentence if given.passage is None else given.passage
        if text or given.answer or given.target_type:
            place = self._place(given)
            start = place.choices if place.answer_start is None else place.answer_start
            return ("given", text, given.answer, start, given.target_type)
        if given.references:
            return ("references", given.references)
        return ("question", question) if question else ("row", row)

    def _place(self, given: GivenInRow) -> AnswerPlace:
        known = (given.passage, given.sentence, given.answer, given.answer_start)
        if known not in self._places:
            self._places[known] = locate(
                passage=given.passage,
                sentence=given.sentence,
                answer=given.answer,
                declared=given.answer_start,
                found=self._occurrences,
            )
        return self._places[known]

    def _occurrences(self, text: str, answer: str) -> Sequence[Range]:
        """Return the occurrences of an answer, cached: many rows may declare other places."""
        if (text, answer) not in self._found:
            self._found[text, answer] = occurrences(text, answer)
        return self._found[text, answer]

    def _chosen(self, draft: _Draft, place: AnswerPlace) -> int | None:
        if not place.choices:
            return place.answer_start
        chosen = self.columns.starts.get(draft.key)
        if chosen is None and self.columns.when_ambiguous == "first":
            return place.choices[0]
        return chosen if chosen in place.choices else None

    def _doubts(self, draft: _Draft, place: AnswerPlace, start: int | None) -> Iterator[Problem]:
        answer = shorten(draft.given.answer)
        if place.choices and start is None:
            times = len(place.choices)
            often = f"{times} times" if times < MAX_PAGE_ROWS else f"{times} times or more"
            reason = f"The answer occurs {often} in the text; say which is meant."
            yield Problem(
                row=draft.row,
                column=self.columns.answer,
                value=answer,
                reason=reason,
                kind="ask",
                source_key=draft.key,
                choices=place.choices,
            )
        if place.warning:
            yield Problem(
                row=draft.row,
                column=self.columns.answer or self.columns.sentence,
                value=answer,
                reason=place.warning,
                kind="warning",
                source_key=draft.key,
            )


def references_in(cells: Iterator[str]) -> tuple[str, ...]:
    """Return the references of a row: one in a cell, or a JSON list of them."""
    return tuple(reference for cell in cells for reference in _listed(cell) if reference.strip())


def _listed(cell: str) -> list[str]:
    if cell.startswith("["):
        try:
            found = json.loads(cell)
        except (ValueError, RecursionError):
            return [cell]
        if isinstance(found, list) and all(isinstance(each, str) for each in found):
            return found
    return [cell]


def _agree(draft: _Draft, given: GivenInRow, columns: ColumnRoles) -> None:
    """Fill a blank cell from an earlier row, and refuse different values."""
    if given == draft.given:
        return
    for name in (
        "passage",
        "sentence",
        "answer",
        "answer_start",
        "target_type",
        "modality",
        "language",
    ):
        before, now = getattr(draft.given, name), getattr(given, name)
        if before in (None, ""):
            setattr(draft.given, name, now)
        elif now not in (None, "", before):
            reason = f"Source “{shorten(draft.key)}” has another {name.replace('_', ' ')} in row {draft.row:,}."
            raise RowRefused(reason, column=getattr(columns, name), value=shorten(str(now)))


def _record(draft: _Draft, place: AnswerPlace, start: int | None) -> SourceRecord:
    given = draft.given
    return SourceRecord(
        key=draft.key,
        passage=given.passage,
        answer=given.answer,
        answer_start=start,
        sentence=given.sentence,
        sentence_start=place.sentence_start,
        target_type=given.target_type,
        modality=given.modality,
        language=given.language,
        references=draft.references,
        attributes=given.attributes,
        row=draft.row,
    )
