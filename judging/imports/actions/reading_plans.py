"""From the bytes of a file to a study, under a plan that can wait in the database, a job or a
shell."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from django.conf import settings

from judging.actions.rounds import TellProgress, silent
from judging.imports.readers import limited
from judging.imports.readers.columns import BadColumns, ColumnRoles, WhenAmbiguous, columns_from
from judging.imports.readers.outline import Outline, heading, outline
from judging.imports.readers.pseudonyms import Pseudonyms
from judging.imports.readers.records import (
    WHOLE_FILE,
    Problem,
    ProblemKind,
    StudyRecords,
    unreadable,
)
from judging.imports.readers.registry import FORMAT, Format, sniff
from judging.imports.readers.screening import Screen, TellLeftOut
from judging.imports.readers.tables import TooManyCells, at_most
from judging.imports.readers.unpacking import GZIP, ZIP

NEAR = 250_000  # bytes, and cells; a larger file is read in a process of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a file is read. What is not said is found out: the format, what its columns hold.

    Options that the format does not have are passed over, so that a plan outlives a change of the
    format.
    """

    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: ColumnRoles | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The beginning of a file: its format, what its ratings are about, and of a table the first
    different values of each column. `sheets` are those of a workbook, `remarks` what is to be known
    of the file as a whole, `offers` what may be removed from it."""

    format: str
    header: tuple[str, ...] = ()
    values: tuple[tuple[str, ...], ...] = ()
    proposed: ColumnRoles | None = None
    criteria: tuple[str, ...] = ()
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    words_of: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    sheets: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()

    @property
    def rated(self) -> dict[str, set[str]]:
        """The first values on each criterion, of which all columns of ratings are known."""
        values = dict(zip(self.header, self.values, strict=True))
        found: dict[str, set[str]] = {}
        for rating in self.proposed.ratings if self.proposed else ():
            found.setdefault(rating.criterion, set()).update(values[rating.column])
        return found

    def words_under(self, columns: ColumnRoles) -> dict[str, Counter[str]]:
        """Return the words among the ratings on each criterion, with their numbers."""
        found: dict[str, Counter[str]] = {}
        for rating in columns.ratings:
            if words := self.words.get(rating.column):
                found.setdefault(rating.criterion, Counter()).update(words)
        for criterion, words in self.words_of.items() if columns.value else ():
            found.setdefault(criterion, Counter()).update(words)
        return found


def plan_from(data: Mapping[str, Any]) -> Plan:
    """Return the plan that plain data hold; BadColumns where its columns are misshapen."""
    columns = data.get("columns")
    return Plan(**{**data, "columns": None if columns is None else columns_from(columns)})


def head_from(data: Mapping[str, Any]) -> Head:
    """Return the head that plain data hold."""
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
        sheets=tuple(data.get("sheets", ())),
        remarks=tuple(data.get("remarks", ())),
        offers=tuple(data.get("offers", ())),
    )


def read_head(
    *, name: str, data: bytes, plan: Plan, progress: TellProgress = silent, waits: bool = False
) -> Head:
    """Return the beginning of a file. Ids of people outside are labels already.

    What could take long or much is read in a process of its own. `waits` says that a page waits.

    Raises
    ------
    Unreadable
        With a sentence, where the file cannot be read at all.
    NotAtOnce
        Where a page waits for what takes long.
    """
    format = format_of(name, data, plan)
    options, key = _options(format, plan), pseudonym_key()
    if not is_read_apart(format, data):
        with suppress(TooManyCells), at_most(NEAR):
            labels = Pseudonyms(key)
            return _head(
                outline(data=data, known=format, name=name, options=options, pseudonyms=labels)
            )
    request = limited.Request(
        data=data,
        name=name,
        format=plan.format,
        options=plan.options,
        key=key,
        is_packed=not format.is_text,
    )
    with limited.limits_where(waits) as limits:
        found, _ = limited.outline_of(request, limits=limits, progress=_rows(progress))
    return _head(found)


def read_heading(*, name: str, data: bytes, plan: Plan) -> Outline:
    """Return the format, the header and the sheets of a file, while a page waits.

    Raises
    ------
    Unreadable
        If the file cannot be read, or not within the limits of a page.
    """
    format = format_of(name, data, plan)
    options = _options(format, plan)
    if not is_read_apart(format, data):
        with suppress(TooManyCells), at_most(NEAR):
            return heading(data=data, known=format, options=options)
    return limited.heading_of(
        limited.Request(
            data=data,
            name=name,
            format=plan.format,
            options=plan.options,
            is_packed=not format.is_text,
        )
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
        sheets=found.sheets,
        remarks=_said_of_file(found.problems, "warning"),
        offers=_said_of_file(found.problems, "offer"),
    )


def _said_of_file(problems: Iterable[Problem], kind: ProblemKind) -> tuple[str, ...]:
    """Return what is said of the file as a whole."""
    return tuple(each.reason for each in problems if each.row == WHOLE_FILE and each.kind == kind)


def pseudonym_key() -> bytes:
    """Return the secret key by which people outside get their labels."""
    return settings.PSEUDONYM_KEY.encode()


def is_read_apart(format: Format, data: bytes) -> bool:
    """Say whether a file is read in a process of its own from the first: packed formats, and what is
    not small. A small one goes there when its rows turn out to come to more than so many cells."""
    return len(data) > NEAR or not format.is_text or data.startswith((ZIP, GZIP))


def read_study(
    *,
    name: str,
    data: bytes,
    plan: Plan,
    progress: TellProgress = silent,
    screen: Screen | None = None,
    left_out: TellLeftOut = lambda row, what: None,
    waits: bool = False,
) -> StudyRecords:
    """Return the study in a file; one with the reason where it cannot be read, or not under these
    columns.

    Ids of people outside are labels already. What could take long or much is read in a process of
    its own. Rows that do not pass the screen are told to `left_out` alone.
    `waits` says that a page waits.

    Raises
    ------
    NotAtOnce
        Where a page waits for what takes long.
    """
    format = format_of(name, data, plan)
    options, key = _options(format, plan), pseudonym_key()
    with no_cycles():
        if not is_read_apart(format, data):
            told: list[tuple[int, str]] = []  # of a reading that is given up, nothing is told
            with suppress(TooManyCells), at_most(NEAR):
                taken = format.take(data, options, Pseudonyms(key))
                try:
                    study = format.study_of(
                        taken,
                        name=name,
                        columns=plan.columns,
                        screen=screen,
                        left_out=lambda row, what: told.append((row, what)),
                    )
                except BadColumns as error:
                    study = unreadable(str(error))
                for row, what in told:
                    left_out(row, what)
                return study
        request = limited.Request(
            data=data,
            name=name,
            format=plan.format,
            options=plan.options,
            columns=plan.columns,
            key=key,
            is_packed=not format.is_text,
            screen=screen,
            left_out=left_out,
        )
        with limited.limits_where(waits) as limits:
            return limited.study_of(request, limits=limits, progress=_rows(progress))[0]


def ids_behind_labels(*, name: str, data: bytes, plan: Plan) -> Mapping[str, str]:
    """Return the ids of people outside by the labels that reading a file gives them."""
    format = format_of(name, data, plan)
    request = limited.Request(
        data=data,
        name=name,
        format=plan.format,
        options=plan.options,
        columns=plan.columns,
        key=pseudonym_key(),
        is_packed=not format.is_text,
    )
    return limited.study_of(request)[1]


@contextmanager
def no_cycles() -> Iterator[None]:
    """Pause the search for cycles: records have none, and walking a million of them costs a sixth
    of the time."""
    searches = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searches:
            gc.enable()


def with_starts(plan: Plan, starts: Mapping[str, int], *, others: WhenAmbiguous) -> Plan:
    """Return the plan with these more places of answers that occur more than once; `others` is for
    those not chosen."""
    if plan.columns is None:
        return plan
    chosen = {**plan.columns.starts, **starts}
    return replace(plan, columns=replace(plan.columns, starts=chosen, when_ambiguous=others))


def without_columns(plan: Plan) -> Plan:
    """Return how a file is taken apart, whatever its columns hold."""
    return replace(plan, columns=None)


def has_starts(plan: Plan) -> bool:
    """Say whether anything was decided about answers that stand more than once."""
    return plan.columns is not None and (
        bool(plan.columns.starts) or plan.columns.when_ambiguous != "ask"
    )


def without_starts(plan: Plan) -> Plan:
    """Return the plan with no place chosen, so that all are asked about again."""
    if plan.columns is None:
        return plan
    return replace(plan, columns=replace(plan.columns, starts={}, when_ambiguous="ask"))


def _rows(progress: TellProgress) -> Callable[[int], None]:
    """Return what the reading process calls with the number of rows it has read."""
    return lambda rows: progress(0, 0, f"Reading the file: {rows:,} rows")


def format_of(name: str, data: bytes, plan: Plan) -> Format:
    """Return the format of the plan, else the one that the name and the first bytes suggest."""
    return FORMAT[plan.format] if plan.format in FORMAT else sniff(name, data)


def _options(format: Format, plan: Plan) -> dict[str, Any]:
    return {option: value for option, value in plan.options.items() if option in format.options}
