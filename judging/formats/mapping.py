"""From a table and its declared columns to a study."""

from collections.abc import Iterator, Mapping, Sequence

from judging.formats.columns import MOST_EXPECTED, Columns, check
from judging.formats.marking import Marks, Said
from judging.formats.numbers import is_number, whole_number
from judging.formats.records import (
    MarkRecord,
    NoteRecord,
    Problem,
    ProblemKind,
    QuestionRecord,
    RatingRecord,
    SourceRecord,
    Study,
)
from judging.formats.slots import Slots
from judging.formats.sources import Given, RowRefused, Sources, references_in
from judging.formats.tables import Row, Table, shorten

Unit = tuple[str, str, int | None]

_NOTHING: Mapping[str, str] = {}


def to_study(table: Table, columns: Columns) -> Study:
    """Return what the table says under these columns.

    A row comes once for each question, or once for each rating of it where a rater column is named. A blank question
    is a slot in which the system gave none; a row with neither question nor position, in a table of ratings with
    positions, rates the set as a whole.

    Raises
    ------
    BadColumns
        Where the columns do not fit the table.
    """
    check(columns, table.header)
    reading = _Reading(table, columns)
    for row in table.rows:
        reading.take(row)
    return reading.study()


class _Reading:
    """The rows taken so far. A row that is refused leaves nothing behind but its problem."""

    def __init__(self, table: Table, columns: Columns) -> None:
        self.table = table
        self.columns = columns
        self.place = {name: place for place, name in enumerate(table.header)}
        self.sources = Sources(columns)
        self.slots = Slots(columns)
        self.problems: list[Problem] = list(table.problems)
        self.ratings: list[RatingRecord] = []
        self.notes: list[NoteRecord] = []
        self.marks = Marks()
        self._first: dict[tuple[str, ...], int] = {}
        self._rated: dict[tuple[Unit, str, str], int] = {}
        self._scores: dict[Unit, dict[str, str]] = {}
        self._differing: dict[tuple[str, str], int] = {}

    def take(self, row: Row) -> None:
        try:
            unit = self._unit(row)
        except RowRefused as refusal:
            self._report(row, refusal.column, refusal.value, refusal.reason, kind="row")
            return
        for column, criterion, rater, value in self._values(row):
            self._rate(row, unit, column, criterion, rater, value)
        if note := self._cell(row, self.columns.note).strip():
            self._note(row, unit, note)
        if self.columns.has_marks and (said := self._marked(row)):
            self.marks.put(unit, self._cell(row, self.columns.rater).strip(), said)

    def study(self) -> Study:
        sources = tuple(self._sources())
        marks = tuple(self._marks(sources))
        self.problems.extend(self._lost_metadata())
        refused = sum(problem.kind == "row" for problem in self.problems)
        return Study(
            sources=sources,
            questions=tuple(self.slots.questions.values()),
            ratings=tuple(self.ratings),
            notes=tuple(self.notes),
            marks=marks,
            problems=tuple(sorted(self.problems, key=lambda problem: problem.row)),
            expected=self.slots.expected(),
            score_columns=self.columns.scores,
            rows_read=self.table.rows_read,
            rows_kept=self.table.rows_read - refused,
        )

    def _cell(self, row: Row, column: str) -> str:
        return row.cells[self.place[column]] if column else ""

    def _attributes(self, row: Row, columns: tuple[str, ...], prefix: str) -> Mapping[str, str]:
        """Return the cells that are not blank, by the column's name without the prefix of our own exports."""
        if not columns:
            return _NOTHING  # one for all: an empty dictionary for each question would be felt
        return {name.removeprefix(prefix): cell for name in columns if (cell := self._cell(row, name))}

    def _report(self, row: Row, column: str, value: str, reason: str, *, kind: ProblemKind = "value") -> None:
        self.problems.append(Problem(row=row.number, column=column, value=value, reason=reason, kind=kind))

    def _unit(self, row: Row) -> Unit:
        """Return what the row is about, its question put in its slot."""
        first = self._first.setdefault(row.cells, row.number)
        if first != row.number:
            hint = "" if self.columns.position else " If the system gave the question twice, add a column of positions."
            raise RowRefused(f"The row repeats row {first:,} cell for cell.{hint}")
        system, position = self._system(row), self._position(row)
        given = self._given(row)
        name = self._name(row) if self.columns.has_rater_rows else ""
        source, before = self.sources.key_of(given, source_id=self._source_id(row), row=row.number, question=name)
        self._compare(row, before.attributes, given.attributes, "source:")
        if position is None:
            self.slots.know(source, system)
            return source, system, None
        scores: dict[str, str] = {}
        question = self._question(row, source, system, position, scores)
        self._compare(row, self.slots.put(question).attributes, question.attributes, "attribute:")
        unit = (source, system, question.position)
        if self.columns.has_rater_rows:
            scores = self._scores.setdefault(unit, scores)
        self._score(row, scores)
        return unit

    def _compare(self, row: Row, before: Mapping[str, str], now: Mapping[str, str], prefix: str) -> None:
        """Note which metadata another row gave otherwise; the first row's are kept."""
        for name, value in now.items():
            if before.get(name) != value:
                self._differing.setdefault((prefix, name), row.number)

    def _system(self, row: Row) -> str:
        if not self.columns.system:
            return self.columns.default_system
        if system := self._cell(row, self.columns.system).strip():
            return system
        raise RowRefused("The row names no system.", column=self.columns.system)

    def _source_id(self, row: Row) -> str:
        source_id = self._cell(row, self.columns.source_id).strip()
        if self.columns.source_id and not source_id:
            raise RowRefused("The row names no source.", column=self.columns.source_id)
        return source_id

    def _position(self, row: Row) -> int | None:
        """Return the declared position, 0 where it is to be counted, None for the set as a whole."""
        cell = self._cell(row, self.columns.position).strip()
        if not self.columns.position:
            return 0
        if not cell and self.columns.has_rater_rows and not self._cell(row, self.columns.question).strip():
            return None
        position = whole_number(cell, least=1)
        if position is None:
            raise RowRefused("A position is a whole number from 1.", column=self.columns.position, value=shorten(cell))
        most = self.columns.expected or MOST_EXPECTED
        if position > most:
            reason = f"The position is beyond the {most:,} {'expected' if self.columns.expected else 'a set can hold'}."
            raise RowRefused(reason, column=self.columns.position, value=shorten(cell))
        return position

    def _given(self, row: Row) -> Given:
        columns = self.columns
        return Given(
            passage=self._cell(row, columns.passage) or None,
            sentence=self._cell(row, columns.sentence),
            answer=self._cell(row, columns.answer),
            answer_start=self._start(row),
            target_type=self._cell(row, columns.target_type).strip(),
            modality=self._cell(row, columns.modality).strip() or columns.default_modality,
            references=references_in(self._cell(row, column) for column in columns.references),
            attributes=self._attributes(row, columns.source_metadata, "source:"),
        )

    def _start(self, row: Row) -> int | None:
        cell = self._cell(row, self.columns.answer_start).strip()
        start = whole_number(cell, least=0)
        if cell and start is None:
            reason = "The start of an answer is a whole number from 0, counted in characters."
            raise RowRefused(reason, column=self.columns.answer_start, value=shorten(cell))
        return start

    def _name(self, row: Row) -> str:
        """Return what a question goes by: its key, else its text."""
        return self._cell(row, self.columns.key).strip() or self._cell(row, self.columns.question)

    def _question(self, row: Row, source: str, system: str, declared: int, scores: dict[str, str]) -> QuestionRecord:
        text = self._cell(row, self.columns.question)
        return QuestionRecord(
            source_key=source,
            system=system,
            position=self.slots.position(source, system, declared=declared, name=self._name(row)),
            text=text if text.strip() else None,
            question_type=self._cell(row, self.columns.question_type).strip(),
            submitted_answer=self._cell(row, self.columns.submitted_answer),
            key=self._cell(row, self.columns.key).strip(),
            scores=scores,
            attributes=self._attributes(row, self.columns.metadata, "attribute:"),
            row=row.number,
        )

    def _score(self, row: Row, scores: dict[str, str]) -> None:
        """Add the row's scores to those of its question: where it comes once for every rater, they may be repeated."""
        for column in self.columns.scores:
            cell = self._cell(row, column.column).strip()
            if cell and not is_number(cell):
                self._report(row, column.column, cell, _no_number(cell))
            elif cell and scores.setdefault(column.name, cell) != cell:
                self._report(row, column.column, cell, "An earlier row gives this question another score.")

    def _values(self, row: Row) -> Iterator[tuple[str, str, str, str]]:
        """Yield column, criterion, rater and value of every rating in the row that is not blank."""
        rater = self._cell(row, self.columns.rater).strip()
        for rating in self.columns.ratings:
            if value := self._cell(row, rating.column).strip():
                yield rating.column, rating.criterion, rating.rater or rater, value
        if self.columns.value and (value := self._cell(row, self.columns.value).strip()):
            yield self.columns.value, self._cell(row, self.columns.criterion).strip(), rater, value

    def _rate(self, row: Row, unit: Unit, column: str, criterion: str, rater: str, value: str) -> None:
        if not rater or not criterion:
            missing = "annotator" if not rater else "criterion"
            self._report(row, column, value, f"The rating names no {missing}.")
            return
        rated = (unit, rater, criterion)
        if rated in self._rated:
            reason = f"{shorten(rater)} rated {shorten(criterion)} of the same question in row {self._rated[rated]:,}."
            self._report(row, column, value, reason)
            return
        self._rated[rated] = row.number
        source, system, position = unit
        self.ratings.append(
            RatingRecord(
                source_key=source,
                system=system,
                position=position,
                rater=rater,
                criterion=criterion,
                value=value,
                row=row.number,
                column=column,
                attributes=self._attributes(row, self.columns.rating_metadata, "judgment:"),
            )
        )

    def _note(self, row: Row, unit: Unit, note: str) -> None:
        source, system, position = unit
        rater = self._cell(row, self.columns.rater).strip()
        if not rater:
            self._report(row, self.columns.note, note, "The note names no annotator.")
            return
        self.notes.append(
            NoteRecord(source_key=source, system=system, position=position, rater=rater, text=note, row=row.number)
        )

    def _marked(self, row: Row) -> Said:
        columns = self.columns
        return Said(
            kind=self._cell(row, columns.mark).strip(),
            start=self._cell(row, columns.mark_start).strip(),
            end=self._cell(row, columns.mark_end).strip(),
            text=self._cell(row, columns.mark_text),
            row=row.number,
            column=columns.mark_start or columns.mark,
        )

    def _marks(self, sources: Sequence[SourceRecord]) -> Iterator[MarkRecord]:
        for found in self.marks.records({source.key: source for source in sources}):
            if isinstance(found, Problem):
                self.problems.append(found)
            else:
                yield found

    def _lost_metadata(self) -> Iterator[Problem]:
        """Tell once about each column of metadata of which something is not kept."""
        for (prefix, name), number in self._differing.items():
            what = "source" if prefix == "source:" else "question"
            column = name if name in self.place else prefix + name
            hint = " If it is about each rating, call it metadata of the rating." if self.columns.has_rater_rows else ""
            reason = f"Rows of the same {what} differ in this, and only the first of them is kept.{hint}"
            yield Problem(row=number, column=column, value="", reason=reason, kind="warning")
        for name in () if self.ratings else self.columns.rating_metadata:
            reason = "This is about ratings, of which the file has none: it is left out."
            yield Problem(row=0, column=name, value="", reason=reason, kind="warning")

    def _sources(self) -> Iterator[SourceRecord]:
        for source, doubts in self.sources.records():
            self.problems.extend(doubts)
            yield source
        for key in self.sources.unknown_starts():
            reason = f"A start was chosen for source “{shorten(key)}”, which the file does not have."
            self.problems.append(Problem(row=0, column=self.columns.answer, value="", reason=reason, kind="warning"))


def _no_number(cell: str) -> str:
    hint = " Write decimals with a point." if is_number(cell.replace(",", ".", 1)) else ""
    return f"The score is not a number.{hint}"
