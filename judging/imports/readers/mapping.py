"""From a table and its declared columns to a study."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter

from judging.imports.readers.column_summaries import ColumnSummaries
from judging.imports.readers.columns import ColumnRoles, RaterKind, check
from judging.imports.readers.likely_language import language_tag
from judging.imports.readers.marking import MarkSaid, MarksSeen
from judging.imports.readers.numbers import is_number, whole_number, with_point
from judging.imports.readers.records import (
    KeptKind,
    LostRatings,
    MarkRecord,
    NoteRecord,
    Problem,
    ProblemKind,
    QuestionRecord,
    RatingRecord,
    RepeatedRow,
    SourceRecord,
    StudyRecords,
    WhyExcluded,
)
from judging.imports.readers.screening import Screen, TellLeftOut
from judging.imports.readers.slots import SlotsSeen
from judging.imports.readers.sources import GivenInRow, RowRefused, Sources, references_in
from judging.imports.readers.tables import (
    AnyTable,
    OpenTable,
    Row,
    row_digest,
    shorten,
)
from judging.limits import MAX_QUESTIONS_PER_SET

MappedUnit = tuple[str, str, int | None]

_NOTHING: Mapping[str, str] = {}
_NO_SCORES: dict[str, str] = {}  # shared by all questions if the table has no column of scores
# Columns of free text, in which a word for "missing" is kept.
_FREE_TEXT = ("passage", "sentence", "answer", "submitted_answer", "note", "mark", "mark_text")


def to_study(
    table: AnyTable,
    columns: ColumnRoles,
    *,
    screen: Screen | None = None,
    left_out: TellLeftOut = lambda row, what: None,
) -> StudyRecords:
    """Return the study in the table under these columns.

    There is a row for each question or, if a rater column is named, for each rating of it. A blank
    question is a slot in which the system gave none; a row with neither question nor position, in a
    table of ratings with positions, rates the set as a whole. Rows that repeat earlier ones are
    kept, and listed (see `ColumnRoles.repeats_are`). The rows of an open table are used as they
    are read. Rows that the screen rejects are reported only to `left_out`.

    Raises
    ------
    BadColumns
        If the columns do not fit the table.
    """
    check(columns, table.header)
    summaries = ColumnSummaries(table.header, columns)
    if columns.by_system:
        study = to_study(*_one_row_a_system(table, columns, summaries))
        # a problem of a row is a problem for each of its systems
        problems = tuple(dict.fromkeys(study.problems))
        refused = {problem.row for problem in problems if problem.kind == "row"}
        read = table.rows_read
        return replace(
            study,
            problems=problems,
            column_summaries=summaries.found(),
            rows_read=read,
            rows_kept=read - len(refused),
        )
    reading = _Reading(table, columns)
    words = frozenset(word.strip().casefold() for word in columns.missing_words)
    texts = {getattr(columns, role) for role in _FREE_TEXT}
    cleared = (
        [place for place, name in enumerate(table.header) if name not in texts] if words else []
    )
    passes = screen.passes(table.header, columns, left_out) if screen else None
    for row in table.rows:
        row = _without(row, words, cleared) if words else row
        summaries.take(row.cells)
        if passes is None or passes(row):
            reading.take(row)
        else:
            reading.lose(row, "no_question")
    return replace(reading.study(), column_summaries=summaries.found())


def _one_row_a_system(
    table: AnyTable, columns: ColumnRoles, summaries: ColumnSummaries
) -> tuple[OpenTable, ColumnRoles]:
    """Return a table with a column of questions for each system as one with a row for each, and its
    columns.

    A row keeps its number in the file, and a blank cell is a slot in which the system gave nothing.
    """
    asked = columns.by_system
    place = {name: number for number, name in enumerate(table.header)}
    places = [place[each.column] for each in asked]
    kept = [number for number in range(len(table.header)) if number not in places]
    header = [table.header[number] for number in kept]
    question, system = (_unused(name, header) for name in ("question", "system"))

    def rows() -> Iterator[Row | Problem]:
        for row in table.rows:
            summaries.take(row.cells)
            cells = tuple(row.cells[number] for number in kept)
            for each, number in zip(asked, places, strict=True):
                yield Row(row.number, (*cells, row.cells[number], each.system.strip()))
        yield from table.problems

    long = OpenTable((*header, question, system), rows())
    return long, replace(columns, by_system=(), question=question, system=system)


def _unused(name: str, header: Sequence[str]) -> str:
    while name in header:
        name += "_"
    return name


def _without(row: Row, words: frozenset[str], places: Sequence[int]) -> Row:
    """Return the row with cells blanked that hold only a word for "missing"."""
    cells = list(row.cells)
    for place in places:
        if cells[place].strip().casefold() in words:
            cells[place] = ""
    return Row(row.number, tuple(cells))


class _Reading:
    """The rows read so far. A refused row leaves nothing but its problem."""

    def __init__(self, table: AnyTable, columns: ColumnRoles) -> None:
        self.table = table
        self.columns = columns
        self.place = {name: place for place, name in enumerate(table.header)}
        self.sources = Sources(columns)
        self.slots = SlotsSeen(columns)
        self.problems: list[Problem] = []
        self.ratings: list[RatingRecord] = []
        self.judge_ratings: list[RatingRecord] = []
        self.lost: Counter[tuple[str, WhyExcluded]] = Counter()
        self.notes: list[NoteRecord] = []
        self.marks = MarksSeen()
        self.repeats: list[RepeatedRow] = []
        self._first: dict[bytes, int] = {}
        self._units: dict[int, MappedUnit] = {}
        self._given_cells = _chosen([self.place[name] for name in _given_columns(columns)])
        self._givens: dict[object, GivenInRow] = {}
        self._rated: dict[tuple[MappedUnit, str, str], list[int]] = {}
        self._scores: dict[MappedUnit, dict[str, str]] = {}
        self._differing: dict[tuple[str, str], int] = {}
        self._points = {(each.criterion, each.word): each.point for each in columns.points}
        self._kinds = {each.name: each.kind for each in columns.raters}

    def take(self, row: Row) -> None:
        first = self._first.setdefault(row_digest(row.cells), row.number)
        try:
            unit = self._unit(row) if first == row.number else self._again(row, first)
        except RowRefused as refusal:
            self._report(row, refusal.column, refusal.value, refusal.reason, kind="row")
            is_mistake = first != row.number and self.columns.repeats_are == "mistakes"
            self.lose(row, "mistake" if is_mistake else "refused_row")
            return
        if first == row.number and self._names_slots:
            self._units[first] = unit
        if values := list(self._values(row)):
            about = self._attributes(row, self.columns.rating_metadata, "judgment:")
            for column, criterion, rater, kind, value in values:
                self._rate(row, unit, column, criterion, rater, kind, value, about)
        if self._points:
            self._lose_words(row)
        is_other = self._kind_of(self._cell(row, self.columns.rater).strip()) != "annotator"
        if not is_other and (note := self._cell(row, self.columns.note).strip()):
            self._note(row, unit, note)
        if self.columns.has_marks and not is_other and (said := self._marked(row)):
            self.marks.put(unit, self._cell(row, self.columns.rater).strip(), said)

    def lose(self, row: Row, why: WhyExcluded) -> None:
        """Count the annotators' ratings in a row of which no record is made."""
        for _column, criterion, _rater, kind, _value in self._values(row):
            if kind == "annotator":
                self.lost[criterion, why] += 1

    def _lose_words(self, row: Row) -> None:
        """Count the words in a row that the user excluded."""
        columns = self.columns
        places = [(each.column, each.criterion) for each in columns.ratings]
        places += [(columns.value, self._cell(row, columns.criterion).strip())]
        for column, criterion in places:
            if self._points.get((criterion, self._number(row, column))) == "":
                self.lost[criterion, "word"] += 1

    def _lost_ratings(self) -> tuple[LostRatings, ...]:
        """Return the ratings without a record. A row that could not be opened counts as one rating
        in each column of ratings."""
        closed = sum(problem.kind == "row" for problem in self.table.problems)
        for rating in self.columns.ratings if closed else ():
            if rating.kind == "annotator":
                self.lost[rating.criterion, "refused_row"] += closed
        if closed and self.columns.value:
            self.lost["", "refused_row"] += closed
        return tuple(
            LostRatings(criterion=criterion, why=why, count=count)
            for (criterion, why), count in self.lost.items()
        )

    def study(self) -> StudyRecords:
        sources = tuple(self._sources())
        marks = tuple(self._marks(sources))
        self.problems.extend(self.table.problems)
        self.problems.extend(self._lost_metadata())
        self.problems.extend(self._undecided())
        refused = sum(problem.kind == "row" for problem in self.problems)
        return StudyRecords(
            sources=sources,
            questions=tuple(self.slots.questions.values()),
            ratings=tuple(self.ratings),
            judge_ratings=tuple(self.judge_ratings),
            lost_ratings=self._lost_ratings(),
            notes=tuple(self.notes),
            marks=marks,
            problems=tuple(sorted(self.problems, key=lambda problem: problem.row)),
            expected=self.slots.expected(),
            score_columns=self.columns.scores,
            repeats=tuple(self.repeats),
            rows_read=self.table.rows_read,
            rows_kept=self.table.rows_read - refused,
        )

    def _cell(self, row: Row, column: str) -> str:
        return row.cells[self.place[column]] if column else ""

    def _number(self, row: Row, column: str) -> str:
        """Return a cell that may hold a number, written with a point."""
        cell = self._cell(row, column).strip()
        return with_point(cell) if self.columns.decimal == "comma" else cell

    def _attributes(self, row: Row, columns: tuple[str, ...], prefix: str) -> Mapping[str, str]:
        """Return the cells that are not blank, by the column's name without the prefix of our own
        exports."""
        if not columns:
            return _NOTHING  # one for all: an empty dictionary for each question would cost memory
        return {
            name.removeprefix(prefix): cell for name in columns if (cell := self._cell(row, name))
        }

    def _report(
        self, row: Row, column: str, value: str, reason: str, *, kind: ProblemKind = "value"
    ) -> None:
        self.problems.append(
            Problem(row=row.number, column=column, value=value, reason=reason, kind=kind)
        )

    def _unit(self, row: Row) -> MappedUnit:
        """Return the unit that the row is about, with its question put in its slot."""
        system, position = self._system(row), self._position(row)
        given = self._given(row)
        name = self._name(row) if self.columns.has_rater_rows else ""
        source, before = self.sources.key_of(
            given, source_id=self._source_id(row), row=row.number, question=name
        )
        self._compare(row, before.attributes, given.attributes, "source:")
        if position is None:
            self.slots.know(source, system)
            return source, system, None
        scores: dict[str, str] = {} if self.columns.scores else _NO_SCORES
        question = self._question(row, source, system, position, scores)
        self._compare(row, self.slots.put(question).attributes, question.attributes, "attribute:")
        unit = (source, system, question.position)
        if self.columns.has_rater_rows and self.columns.scores:
            scores = self._scores.setdefault(unit, scores)
        self._score(row, scores)
        return unit

    @property
    def _names_slots(self) -> bool:
        """Return whether a row that equals an earlier one is about the same question without a
        rater column: it names the slot, or the user declared repeats as ratings. Otherwise it is a
        question of its own."""
        columns = self.columns
        return not columns.has_rater_rows and (
            bool(columns.position) or columns.repeats_are == "ratings"
        )

    def _again(self, row: Row, first: int) -> MappedUnit:
        """Return the unit of a row that equals an earlier one."""
        if self.columns.repeats_are == "mistakes":
            self.repeats.append(
                RepeatedRow(row=row.number, first=first, exact=True, kept_as="nothing")
            )
            raise RowRefused(
                f"The row repeats row {first:,} cell for cell; by the plan that is a mistake."
            )
        if self._names_slots and first not in self._units:
            raise RowRefused(f"The row repeats row {first:,}, which was refused.")
        unit = self._units[first] if self._names_slots else self._unit(row)
        kept_as: KeptKind = "ratings" if any(self._values(row)) else "nothing"
        if not self._names_slots and not self.columns.has_rater_rows:
            self.slots.repeat(*unit[:2])
            kept_as = "question"
        if kept_as != "nothing" or not self.columns.has_rater_rows:
            self.repeats.append(
                RepeatedRow(row=row.number, first=first, exact=True, kept_as=kept_as)
            )
        return unit

    def _undecided(self) -> Iterator[Problem]:
        """Ask once about repeated rows, with their number and the first of them."""
        if self.columns.repeats_are or not self.repeats:
            return
        for exact in (True, False):
            found = [each for each in self.repeats if each.exact is exact]
            if found:
                yield Problem(
                    row=found[0].row, column="", value="", reason=_repeats(found), kind="warning"
                )

    def _compare(
        self, row: Row, before: Mapping[str, str], now: Mapping[str, str], prefix: str
    ) -> None:
        """Note which metadata differ in another row; the first row's are kept."""
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
        """Return the declared position, 0 if it is to be counted, None for the set as a whole."""
        cell = self._cell(row, self.columns.position).strip()
        if not self.columns.position:
            return 0
        if (
            not cell
            and self.columns.has_rater_rows
            and not self._cell(row, self.columns.question).strip()
        ):
            return None
        position = whole_number(cell, least=1)
        if position is None:
            raise RowRefused(
                "A position is a whole number from 1.",
                column=self.columns.position,
                value=shorten(cell),
            )
        most = self.columns.expected or MAX_QUESTIONS_PER_SET
        if position > most:
            reason = f"The position is beyond the {most:,} {'expected' if self.columns.expected else 'a set can hold'}."
            raise RowRefused(reason, column=self.columns.position, value=shorten(cell))
        return position

    def _given(self, row: Row) -> GivenInRow:
        """Return the inputs of the system in this row; most rows have the same as an earlier
        one."""
        cells = self._given_cells(row.cells)
        found = self._givens.get(cells)
        if found is None:
            found = self._givens[cells] = self._new_given(row)
        return found

    def _new_given(self, row: Row) -> GivenInRow:
        columns = self.columns
        return GivenInRow(
            passage=self._cell(row, columns.passage) or None,
            sentence=self._cell(row, columns.sentence),
            answer=self._cell(row, columns.answer),
            answer_start=self._start(row),
            target_type=self._cell(row, columns.target_type).strip(),
            modality=self._cell(row, columns.modality).strip() or columns.default_modality,
            language=self._language(row),
            references=references_in(self._cell(row, column) for column in columns.references),
            attributes=self._attributes(row, columns.source_metadata, "source:"),
        )

    def _language(self, row: Row) -> str:
        """Return the row's language tag; report a text that is no tag, and exclude it."""
        cell = self._cell(row, self.columns.language).strip()
        tag = language_tag(cell)
        if cell and not tag:
            reason = "This is no language tag such as en, de or zh-Hant; it is excluded."
            self._report(row, self.columns.language, shorten(cell), reason, kind="warning")
        return tag

    def _start(self, row: Row) -> int | None:
        cell = self._cell(row, self.columns.answer_start).strip()
        start = whole_number(cell, least=0)
        if cell and start is None:
            reason = "The start of an answer is a whole number from 0, counted in characters."
            raise RowRefused(reason, column=self.columns.answer_start, value=shorten(cell))
        return start

    def _name(self, row: Row) -> str:
        """Return a question's identifier: its key, else its text."""
        return self._cell(row, self.columns.key).strip() or self._cell(row, self.columns.question)

    def _question(
        self, row: Row, source: str, system: str, declared: int, scores: dict[str, str]
    ) -> QuestionRecord:
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
        """Add the row's scores to those of its question: if a question has a row for every rater,
        they may be repeated."""
        for column in self.columns.scores:
            cell = self._number(row, column.column)
            if cell and not is_number(cell):
                self._report(row, column.column, cell, _no_number(cell))
            elif cell and scores.setdefault(column.name, cell) != cell:
                self._report(
                    row, column.column, cell, "An earlier row gives this question another score."
                )

    def _values(self, row: Row) -> Iterator[tuple[str, str, str, RaterKind, str]]:
        """Yield column, criterion, rater, kind of rater and value of every rating in the row that is
        not blank."""
        rater = self._cell(row, self.columns.rater).strip()
        kind = self._kind_of(rater)
        if kind == "exclude":
            return
        for rating in self.columns.ratings:
            if value := self._value(row, rating.column, rating.criterion):
                named = rating.rater or rater
                own = rating.kind if rating.kind != "annotator" else kind
                yield rating.column, rating.criterion, named, own, value
        criterion = self._cell(row, self.columns.criterion).strip()
        if self.columns.value and (value := self._value(row, self.columns.value, criterion)):
            yield self.columns.value, criterion, rater, kind, value

    def _kind_of(self, rater: str) -> RaterKind:
        """Return the kind of a rater: an annotator, unless declared otherwise."""
        return self._kinds.get(rater, "annotator")

    def _value(self, row: Row, column: str, criterion: str) -> str:
        """Return a rating, for a word the point that it means; blank if it is excluded."""
        value = self._number(row, column)
        return self._points.get((criterion, value), value)

    def _rate(
        self,
        row: Row,
        unit: MappedUnit,
        column: str,
        criterion: str,
        rater: str,
        kind: RaterKind,
        value: str,
        about: Mapping[str, str],
    ) -> None:
        if not rater or not criterion:
            missing = "annotator" if not rater else "criterion"
            self._report(row, column, value, f"The rating names no {missing}.")
            if kind == "annotator":
                self.lost[criterion, "unnamed"] += 1
            return
        before = self._rated.setdefault((unit, rater, criterion), [])
        if before and not self._repeated(row, before[0], column, criterion, rater, value):
            if kind == "annotator":
                self.lost[criterion, "mistake"] += 1
            return
        before.append(row.number)
        source, system, position = unit
        ratings = self.ratings if kind == "annotator" else self.judge_ratings
        ratings.append(
            RatingRecord(
                source_key=source,
                system=system,
                position=position,
                rater=rater,
                criterion=criterion,
                value=value,
                row=row.number,
                column=column,
                attributes=about,
                repeat=len(before),
            )
        )

    def _repeated(
        self, row: Row, first: int, column: str, criterion: str, rater: str, value: str
    ) -> bool:
        """Return whether a further rating of the same question is kept; note that there is one."""
        kept = self.columns.repeats_are != "mistakes"
        last = self.repeats[-1] if self.repeats else None
        if last is None or last.row != row.number:
            kept_as: KeptKind = "ratings" if kept else "nothing"
            self.repeats.append(
                RepeatedRow(row=row.number, first=first, exact=False, kept_as=kept_as)
            )
        if not kept:
            self._report(
                row,
                column,
                value,
                f"{shorten(rater)} rated {shorten(criterion)} of the same question in row "
                f"{first:,}.",
            )
        return kept

    def _note(self, row: Row, unit: MappedUnit, note: str) -> None:
        source, system, position = unit
        rater = self._cell(row, self.columns.rater).strip() or self.columns.only_rater
        if not rater:
            self._report(row, self.columns.note, note, "The note names no annotator.")
            return
        self.notes.append(
            NoteRecord(
                source_key=source,
                system=system,
                position=position,
                rater=rater,
                text=note,
                row=row.number,
            )
        )

    def _marked(self, row: Row) -> MarkSaid:
        columns = self.columns
        return MarkSaid(
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
        """Report once each column of metadata whose values are not all kept."""
        for (prefix, name), number in self._differing.items():
            what = "source" if prefix == "source:" else "question"
            column = name if name in self.place else prefix + name
            hint = (
                " If it is about each rating, call it metadata of the rating."
                if self.columns.has_rater_rows
                else ""
            )
            reason = (
                f"Rows of the same {what} differ in this, and only the first of them is kept.{hint}"
            )
            yield Problem(row=number, column=column, value="", reason=reason, kind="warning")
        for name in () if self.ratings else self.columns.rating_metadata:
            reason = "This is about ratings, of which the file has none: the column is skipped."
            yield Problem(row=0, column=name, value="", reason=reason, kind="warning")

    def _sources(self) -> Iterator[SourceRecord]:
        for source, doubts in self.sources.records():
            self.problems.extend(doubts)
            yield source
        for key in self.sources.unknown_starts():
            reason = (
                f"A start was chosen for source “{shorten(key)}”, which the file does not have."
            )
            self.problems.append(
                Problem(row=0, column=self.columns.answer, value="", reason=reason, kind="warning")
            )


def _no_number(cell: str) -> str:
    hint = (
        " If the file writes decimals with a comma, say so."
        if is_number(cell.replace(",", ".", 1))
        else ""
    )
    return f"The score is not a number.{hint}"


def _chosen(places: Sequence[int]) -> Callable[[tuple[str, ...]], object]:
    """Return a function that picks these cells of a row, for comparison."""
    return itemgetter(*places) if places else lambda cells: ()


def _given_columns(columns: ColumnRoles) -> Iterator[str]:
    """Yield the columns of a system's inputs, and of the source's id, in which a blank cell may be
    filled from an earlier row."""
    roles = (
        "source_id",
        "passage",
        "sentence",
        "answer",
        "answer_start",
        "target_type",
        "modality",
        "language",
    )
    yield from (name for role in roles if (name := getattr(columns, role)))
    yield from columns.references
    yield from columns.source_metadata


def _repeats(found: Sequence[RepeatedRow]) -> str:
    rows = ", ".join(f"{each.row:,}" for each in found[:5]) + (
        " and others" if len(found) > 5 else ""
    )
    which = f"{len(found):,} rows ({rows})" if len(found) > 1 else f"Row {rows}"
    verb = "repeat an earlier row" if len(found) > 1 else f"repeats row {found[0].first:,}"
    if not found[0].exact:
        verb = "rate" if len(found) > 1 else "rates"
        return (
            f"{which} {verb} what the same annotator rated before. All ratings are kept, numbered in the order of the "
            "file; say whether they are repeated ratings or mistakes."
        )
    kept = {
        "question": "Such a row is kept as a question of its own",
        "ratings": "Such a row is kept as further ratings of the same question",
        "nothing": "Such a row names a question that is there already and rates nothing, so it adds nothing",
    }
    return f"{which} {verb} cell for cell. {kept[found[0].kept_as]}; say whether that is right, or a mistake."
