"""The outline of a file, from one pass without keeping its rows: its columns, its number of rows,
and the questions to the user before it is read as a study.
"""

import json
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import Any

from judging.imports.readers.cells import (
    COUNTED_VALUES,
    MISSING_WORDS,
    CellCounts,
    ColumnCounts,
    few_words,
)
from judging.imports.readers.column_summaries import rating_range
from judging.imports.readers.columns import ColumnRoles, columns_from
from judging.imports.readers.contract import Format
from judging.imports.readers.guessing import Evidence
from judging.imports.readers.likely_language import are_mixed, likely_language
from judging.imports.readers.pseudonyms import Pseudonyms, pseudonymised
from judging.imports.readers.rater_names import named_as
from judging.imports.readers.records import WHOLE_FILE, Problem, StudyRecords
from judging.imports.readers.tables import AnyTable, Row, RowTable, row_digest, shorten
from judging.imports.readers.text import Unreadable
from judging.limits import MAX_EXCERPT_CHARACTERS, MAX_PAGE_ROWS

FIRST_VALUES = 3
_LOOKED_AT = 60  # characters of a question from which its script is detected
_PARTS = 4
_STEP = 5_000  # rows between two calls of `progress`

TellRows = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """The outline of a file. If a format has no columns, only the format, the criteria and the
    counts are known.

    `values` are the first distinct values of each column; `missing` gives, by column, the words
    that may mean "no value", with their numbers; `criteria` are those of the ratings; `words` gives
    the values of columns with few words, with their numbers; `words_of` the words used on each
    criterion of a table with one rating a row; `rated` the values of columns that may hold ratings,
    with their numbers, and `rated_of` those of each criterion if no column is about one; `repeated`
    the rows that equal an earlier one, each with that one's number. `refused` counts the refused
    rows; `problems` are the first of all.
    """

    format: str
    header: tuple[str, ...] = ()
    headed: bool = True
    values: tuple[tuple[str, ...], ...] = ()
    missing: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    proposed: ColumnRoles | None = None
    criteria: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    words_of: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rated: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rated_of: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    rows_read: int = 0
    refused: int = 0
    problems: tuple[Problem, ...] = ()
    repeated_count: int = 0
    repeated: tuple[tuple[int, int], ...] = ()

    def as_json(self) -> str:
        """Return the outline as text."""
        return json.dumps(asdict(self), ensure_ascii=False)


def outline_from(text: str) -> Outline:
    """Return the outline that `as_json` wrote."""
    data: dict[str, Any] = json.loads(text)
    columns = data["proposed"]
    lists = ("header", "criteria", "sheets")
    return Outline(
        **data
        | {name: tuple(data[name]) for name in lists}
        | {
            "values": tuple(map(tuple, data["values"])),
            "proposed": None if columns is None else columns_from(columns),
            "problems": tuple(
                Problem(**each | {"choices": tuple(each["choices"])}) for each in data["problems"]
            ),
            "repeated": tuple((row, first) for row, first in data["repeated"]),
        }
    )


def outline(
    *,
    data: bytes,
    known: Format,
    name: str = "",
    options: Mapping[str, Any] | None = None,
    pseudonyms: Pseudonyms | None = None,
    progress: TellRows = lambda rows: None,
) -> Outline:
    """Return the outline of a file from one pass; `progress` is called with the number of rows at
    intervals.

    Raises
    ------
    Unreadable
        If the file cannot be read.
    """
    taken = known.taken(data, options)
    if pseudonyms:
        taken = pseudonymised(taken, pseudonyms)
    if isinstance(taken, StudyRecords):
        return _of_study(known, taken)
    names = known.sheets(data) if known.sheets else ()
    return _of_table(known, taken, name, names, progress)


def heading(*, data: bytes, known: Format, options: Mapping[str, Any] | None = None) -> Outline:
    """Return the format, the header and the sheets of a file alone; nothing is counted.

    The header is empty if the file names no columns.

    Raises
    ------
    Unreadable
        If the file cannot be read.
    """
    taken = known.taken(data, options) if known.table else None
    if taken is None or isinstance(taken, StudyRecords) or not taken.headed:
        return Outline(format=known.key)
    sheets = known.sheets(data) if known.sheets else ()
    return Outline(format=known.key, header=taken.header, sheets=sheets)


def _of_study(known: Format, study: StudyRecords) -> Outline:
    if not study.usable:
        raise Unreadable(study.problems_of("file")[0].reason)
    rated_of: dict[str, Counter[str]] = defaultdict(Counter)
    for rating in study.ratings:
        rated_of[rating.criterion][rating.value] += 1
    return Outline(
        format=known.key,
        criteria=study.criteria,
        rated_of={criterion: dict(values) for criterion, values in rated_of.items()},
        rows_read=study.rows_read,
        refused=study.rows_read - study.rows_kept,
        problems=study.problems[:MAX_PAGE_ROWS],
    )


def _of_table(
    known: Format, table: AnyTable, name: str, names: tuple[str, ...], progress: TellRows
) -> Outline:
    first = tuple(table.sample())
    sample = [row.cells for row in first]
    counts = _Counts(table.header, known.columns(table, name))
    evidence = Evidence(table.header, sample)
    for count, row in enumerate(table.rows, 1):
        counts.take(row)
        evidence.take(row.cells)
        if count % _STEP == 0:
            progress(count)
    looked_at = RowTable(
        header=table.header,
        rows=first,
        problems=(),
        rows_read=len(first),
        headed=table.headed,
        evidence=evidence,
        percentages=table.percentages,
    )
    proposed, missing = known.columns(looked_at, name), evidence.missing
    criteria = dict.fromkeys([*(each.criterion for each in proposed.ratings), *counts.criteria])
    repeated_count, repeated = _repeated(counts.digests, counts.numbers)
    return Outline(
        format=known.key,
        header=table.header,
        headed=table.headed,
        values=tuple(
            first_values(cells[place] for cells in sample) for place in range(len(table.header))
        ),
        missing=missing,
        proposed=replace(proposed, missing_words=_proposed_words(proposed, missing)),
        criteria=tuple(filter(None, criteria)),
        words=evidence.words,
        words_of=counts.words_of(),
        rated=_rated(proposed, evidence.counts, counts.by_no_annotators()),
        rated_of=counts.rated_of(),
        sheets=names,
        rows_read=table.rows_read,
        refused=sum(problem.kind == "row" for problem in table.problems),
        # problems of the whole file come first, so that they are never cut
        problems=tuple(
            sorted([*table.problems, *counts.languages(proposed)], key=lambda each: each.row > 0)[
                :MAX_PAGE_ROWS
            ]
        ),
        repeated_count=repeated_count,
        repeated=tuple(repeated),
    )


def _rated(
    proposed: ColumnRoles,
    counts: Mapping[str, CellCounts],
    by_no_annotators: Mapping[str, CellCounts],
) -> dict[str, dict[str, int]]:
    """Return the values of the columns that hold ratings, or numbers that look like ratings."""
    ratings = {each.column for each in proposed.ratings}
    found = {}
    for column, each in counts.items():
        if column in ratings or rating_range(each):
            values = Counter(each.values) - Counter(by_no_annotators[column].values)
            found[column] = dict(values or each.values)
    return found


class _Counts:
    """Counts taken row by row; no row is kept."""

    def __init__(self, header: tuple[str, ...], proposed: ColumnRoles) -> None:
        self.digests, self.numbers = array("Q"), array("L")
        self.criteria: dict[str, None] = {}
        self._rater = header.index(proposed.rater) if proposed.rater else None
        self._is_annotator: dict[str, bool] = {}
        self._no_annotators = ColumnCounts(header)
        self._rated: dict[bool, dict[str, Counter[str]]] = {
            True: defaultdict(Counter),
            False: defaultdict(Counter),
        }
        self._places = (
            (header.index(proposed.criterion), header.index(proposed.value))
            if proposed.criterion
            else None
        )
        self._values: dict[str, Counter[str]] = defaultdict(Counter)
        self._texts = [header.index(name) for name in [proposed.question] if name]
        self._languages = Counter[str]()

    def take(self, row: Row) -> None:
        # 64 bits: among a million rows, two different ones share them in one of 37 million files
        self.digests.append(int.from_bytes(row_digest(row.cells)[:8]))
        self.numbers.append(row.number)
        for place in self._texts:
            if text := row.cells[place].strip():
                self._languages[likely_language([text[:_LOOKED_AT]])] += 1
        is_annotator = self._is_by_annotator(row)
        if not is_annotator:
            self._no_annotators.take(row.cells)
        if self._places is not None:
            criterion, value = (row.cells[place].strip() for place in self._places)
            self.criteria.setdefault(criterion)
            for values in (self._values[criterion], self._rated[is_annotator][criterion]):
                if value in values or len(values) < COUNTED_VALUES:
                    values[value] += 1

    def _is_by_annotator(self, row: Row) -> bool:
        """Return whether the row's rater is not named like a statistic, a model or an adjudication."""
        if self._rater is None:
            return True
        rater = row.cells[self._rater].strip()
        if rater not in self._is_annotator:
            self._is_annotator[rater] = named_as(rater) == "annotator"
        return self._is_annotator[rater]

    def languages(self, proposed: ColumnRoles) -> list[Problem]:
        """Return a warning about questions in several scripts, if no column names languages."""
        if proposed.language or not are_mixed(self._languages):
            return []
        counts = ", ".join(f"{tag} ({n:,})" for tag, n in self._languages.most_common(5))
        reason = (
            f"The scripts of the questions are mixed; the languages may be {counts}. Add a column “language” "
            "with a tag in each row, so that metrics and pages use the language of each source."
        )
        return [Problem(row=WHOLE_FILE, column="", value="", reason=reason, kind="warning")]

    def words_of(self) -> dict[str, dict[str, int]]:
        """Return the words used on each criterion, with their numbers."""
        return {name: found for name, each in self._values.items() if (found := few_words(each))}

    def by_no_annotators(self) -> dict[str, CellCounts]:
        """Return the values of each column in rows whose rater is not named like an annotator."""
        return self._no_annotators.of_columns()

    def rated_of(self) -> dict[str, dict[str, int]]:
        """Return the ratings on each criterion, with their numbers; those of annotators alone, if
        there are any."""
        return {
            criterion: {
                value: count
                for value, count in rated.items()
                if value and value.casefold() not in MISSING_WORDS
            }
            for criterion, rated in {**self._rated[False], **self._rated[True]}.items()
        }


def _proposed_words(
    proposed: ColumnRoles, missing: Mapping[str, Mapping[str, int]]
) -> tuple[str, ...]:
    """Return the words for "no value" in columns of questions, references, ratings and scores, each
    in its first spelling. Other columns are not searched: a system may have such a name."""
    columns = {proposed.question, proposed.value, *proposed.references}
    columns |= {each.column for each in proposed.by_system}
    columns |= {each.column for each in proposed.ratings}
    columns |= {each.column for each in proposed.scores}
    found: dict[str, str] = {}
    for column, words in missing.items():
        for word in words if column in columns else ():
            found.setdefault(word.casefold(), word)
    return tuple(found.values())


def first_values(cells: Iterable[str]) -> tuple[str, ...]:
    values = dict.fromkeys(
        shorten(cell.strip(), most=MAX_EXCERPT_CHARACTERS) for cell in cells if cell.strip()
    )
    return tuple(values)[:FIRST_VALUES]


def _repeated(digests: "array[int]", numbers: "array[int]") -> tuple[int, list[tuple[int, int]]]:
    """Return the number of rows whose digest occurred before, and the first of them, each with the
    first row of that digest.

    Sixteen bytes of a row are kept; the digests are sorted in parts, because a list of them would
    take four times as much memory.
    """
    twice: set[int] = set()
    for part in range(_PARTS):
        ordered = sorted(digest for digest in digests if digest % _PARTS == part)
        twice.update(one for one, other in pairwise(ordered) if one == other)
    if not twice:
        return 0, []
    first: dict[int, int] = {}
    count = 0
    found: list[tuple[int, int]] = []
    for digest, number in zip(digests, numbers, strict=True):
        if digest in twice and first.setdefault(digest, number) != number:
            count += 1
            if len(found) < MAX_PAGE_ROWS:
                found.append((number, first[digest]))
    return count, found
