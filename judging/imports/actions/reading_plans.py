"""Reading the bytes of a file as a study, under a plan that can be kept in the database, a job or
a shell."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.conf import settings

from judging.actions.rounds import TellProgress, silent
from judging.imports.readers import limited
from judging.imports.readers.columns import ColumnRoles, WhenAmbiguous, columns_from
from judging.imports.readers.numbers import with_point
from judging.imports.readers.outline import Outline
from judging.imports.readers.records import WHOLE_FILE, Problem, ProblemKind, StudyRecords
from judging.imports.readers.screening import Screen, TellLeftOut


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a file is read. Blank settings are detected: the format and the roles of the columns.

    Options that the format does not have are ignored, so that a plan stays valid if the format
    changes.
    """

    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: ColumnRoles | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file: its format, the criteria of its ratings and, of a table, the first
    distinct values of each column. `sheets` are those of a workbook, `remarks` are notes on the
    file as a whole, `offers` describe rows or columns that may be removed."""

    format: str
    header: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    proposed: ColumnRoles | None = None
    criteria: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    words_of: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rated: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rated_of: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()

    def ratings_under(self, columns: ColumnRoles | None) -> dict[str, Counter[str]]:
        """Return annotators' ratings on each criterion with their numbers; `columns` is None if the
        format names its own parts."""
        found: dict[str, Counter[str]] = {}
        has_commas = columns is not None and columns.decimal == "comma"
        parts = [
            (rating.criterion, self.rated.get(rating.column, {}))
            for rating in (columns.ratings if columns else ())
            if rating.kind == "annotator"
        ]
        parts += self.rated_of.items() if columns is None or columns.value else ()
        for criterion, rated in parts:
            if not criterion:
                continue
            values = found.setdefault(criterion, Counter())
            for value, count in rated.items():
                values[with_point(value) if has_commas else value] += count
        return found

    def words_under(self, columns: ColumnRoles) -> dict[str, dict[str, int]]:
        """Return the words among the ratings on each criterion, with their numbers, the most common
        first."""
        found: dict[str, Counter[str]] = {}
        for rating in columns.ratings:
            if words := self.words.get(rating.column):
                found.setdefault(rating.criterion, Counter()).update(words)
        for criterion, words in self.words_of.items() if columns.value else ():
            found.setdefault(criterion, Counter()).update(words)
        return {
            criterion: dict(sorted(words.items(), key=lambda pair: (-pair[1], pair[0])))
            for criterion, words in found.items()
        }


def plan_from(data: Mapping[str, Any]) -> Plan:
    """Return the plan that plain data hold; raise BadColumns if its columns are malformed."""
    columns = data.get("columns")
    return Plan(**{**data, "columns": None if columns is None else columns_from(columns)})


def head_from(data: Mapping[str, Any]) -> Head:
    """Return the head stored as plain data."""
    proposed = data["proposed"] and columns_from(data["proposed"])
    values = tuple(tuple(each) for each in data["values"])
    criteria = tuple(data.get("criteria", ()))
    return Head(
        format=data["format"],
        header=tuple(data["header"]),
        values=values,
        proposed=proposed,
        criteria=criteria,
        words=data["words"],
        words_of=data["words_of"],
        rated=data["rated"],
        rated_of=data["rated_of"],
        sheets=tuple(data.get("sheets", ())),
        remarks=tuple(data.get("remarks", ())),
        offers=tuple(data.get("offers", ())),
    )


def read_head(*, name: str, data: bytes, plan: Plan, progress: TellProgress = silent) -> Head:
    """Return the beginning of a file, read in a process under limits. Ids of external annotators
    are already replaced by labels.

    Raises
    ------
    Unreadable
        If the file cannot be read.
    """
    found, _ = limited.outline_of(_request(name, data, plan), progress=_rows(progress))
    return _head(found)


def read_heading(*, name: str, data: bytes, plan: Plan) -> Outline:
    """Return the format, the header and the sheets of a file; Unreadable if it cannot be read."""
    return limited.heading_of(_request(name, data, plan))


def _request(
    name: str,
    data: bytes,
    plan: Plan,
    screen: Screen | None = None,
    left_out: TellLeftOut = lambda row, what: None,
) -> limited.Request:
    return limited.Request(
        data=data,
        name=name,
        format=plan.format,
        options=plan.options,
        columns=plan.columns,
        key=pseudonym_key(),
        screen=screen,
        left_out=left_out,
    )


def _head(found: Outline) -> Head:
    return Head(
        format=found.format,
        header=found.header,
        values=found.values,
        proposed=found.proposed,
        criteria=found.criteria,
        words=found.words,
        words_of=found.words_of,
        rated=found.rated,
        rated_of=found.rated_of,
        sheets=found.sheets,
        remarks=_said_of_file(found.problems, "warning"),
        offers=_said_of_file(found.problems, "offer"),
    )


def _said_of_file(problems: Iterable[Problem], kind: ProblemKind) -> tuple[str, ...]:
    """Return the reasons of the problems that are about the file as a whole."""
    return tuple(each.reason for each in problems if each.row == WHOLE_FILE and each.kind == kind)


def pseudonym_key() -> bytes:
    """Return the secret key from which labels of external annotators are derived."""
    return settings.PSEUDONYM_KEY.encode()


def read_study(
    *,
    name: str,
    data: bytes,
    plan: Plan,
    progress: TellProgress = silent,
    screen: Screen | None = None,
    left_out: TellLeftOut = lambda row, what: None,
) -> StudyRecords:
    """Return the study in a file, read in a process under limits; if the file cannot be read, or
    not under these columns, return a study with the reason.

    Ids of external annotators are already replaced by labels. Rows that the screen rejects are
    reported only to `left_out`.
    """
    request = _request(name, data, plan, screen, left_out)
    with no_cycles():
        return limited.study_of(request, progress=_rows(progress))[0]


def ids_behind_labels(*, name: str, data: bytes, plan: Plan) -> Mapping[str, str]:
    """Return the ids of external annotators by their labels in a file."""
    return limited.study_of(_request(name, data, plan))[1]


@contextmanager
def no_cycles() -> Iterator[None]:
    """Pause garbage collection: records form no cycles, and scanning a million of them costs a
    sixth of the time."""
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


def with_starts(plan: Plan, starts: Mapping[str, int], *, others: WhenAmbiguous) -> Plan:
    """Return the plan with further positions chosen for answers that occur more than once;
    `others` is the rule for the rest."""
    if plan.columns is None:
        return plan
    chosen = {**plan.columns.starts, **starts}
    return replace(plan, columns=replace(plan.columns, starts=chosen, when_ambiguous=others))


def without_columns(plan: Plan) -> Plan:
    """Return the plan without the roles of columns."""
    return replace(plan, columns=None)


def has_starts(plan: Plan) -> bool:
    """Return whether anything was decided about answers that occur more than once."""
    return plan.columns is not None and (
        bool(plan.columns.starts) or plan.columns.when_ambiguous != "ask"
    )


def without_starts(plan: Plan) -> Plan:
    """Return the plan without chosen positions of answers, so that all are asked about again."""
    if plan.columns is None:
        return plan
    return replace(plan, columns=replace(plan.columns, starts={}, when_ambiguous="ask"))


def _rows(progress: TellProgress) -> Callable[[int], None]:
    """Return the function that the reading process calls with the number of rows read."""
    return lambda rows: progress(0, 0, f"Reading the file: {rows:,} rows")
