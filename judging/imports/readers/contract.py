"""What a format is: one module of `judging.imports.formats`, or of an installed plug-in, with a
tuple `READS` of these.

A format says by which signs a file is known, how it is opened, what its columns are, and what can
be in it. Everything else asks the registry, so that a format is added by its module and a test.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any, Literal, get_args

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.guessing import Evidence, guess
from judging.imports.readers.mapping import to_study
from judging.imports.readers.pseudonyms import Pseudonyms, pseudonymised
from judging.imports.readers.records import StudyRecords, unreadable
from judging.imports.readers.screening import Screen, TellLeftOut
from judging.imports.readers.shape import SHAPE_OPTIONS, shape
from judging.imports.readers.tables import AnyTable, OpenTable, RowTable
from judging.imports.readers.text import Unreadable, as_utf8

Carried = Literal[
    "questions", "references", "answers", "ratings", "scores", "notes", "marks", "metadata"
]

ALL: tuple[Carried, ...] = get_args(Carried)


class UnknownOption(ValueError):
    """An option that the format does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format. A table has columns, which the researcher may map otherwise than proposed; the
    others are read whole.

    `is_like` is asked about a file's first bytes, in UTF-8, without mark and blanks; the formats
    are asked in the order of their `rank`, the particular before the general, and a file that bears
    no sign is known by its ending, to the general first. `sheets` names the tables of a file that
    holds several. `options` name what may be declared about how it is opened. `is_shaped` is False
    of our own tables, which are read exactly as they were written. `carries` says what
    can be in it, `writes` that it is written here too, `page` where it is described: a page of
    docs/formats, or, of a format without one, `example`, a small file of it.
    """

    key: str
    title: str
    endings: tuple[str, ...]
    is_like: Callable[[bytes], bool]
    table: Callable[..., AnyTable] | None = None
    propose: Callable[[AnyTable, str], ColumnRoles] | None = None
    study: Callable[..., StudyRecords] | None = None
    sheets: Callable[[bytes], tuple[str, ...]] | None = None
    options: tuple[str, ...] = ()
    is_text: bool = True
    is_shaped: bool = True
    rank: int = 0
    carries: tuple[Carried, ...] = ()
    writes: bool = False
    page: str = ""
    example: str = ""

    def open(self, data: bytes, options: Mapping[str, Any] | None = None) -> RowTable:
        """Return the file's rows.

        Raises
        ------
        Unreadable
            Where there are none.
        """
        taken = self.taken(data, options) if self.table else None
        if taken is None or isinstance(taken, StudyRecords):
            raise Unreadable(f"{self.title} is no table.")
        return taken.table() if isinstance(taken, OpenTable) else taken

    def columns(self, table: AnyTable, name: str = "") -> ColumnRoles:
        """Return the proposed columns; the file's name may tell what the file does not."""
        if self.propose is None:
            raise Unreadable(f"{self.title} is no table.")
        if isinstance(table, RowTable) and table.evidence is None:
            rows = [row.cells for row in table.rows]
            table = replace(table, evidence=Evidence.of(table.header, rows))
        roles = self.propose(table, PurePath(name).stem)
        return replace(
            roles,
            scores=tuple(
                replace(score, scale="percent") if score.column in table.percentages else score
                for score in roles.scores
            ),
        )

    def read(
        self,
        data: bytes,
        *,
        name: str = "",
        columns: ColumnRoles | None = None,
        options: Mapping[str, Any] | None = None,
        pseudonyms: Pseudonyms | None = None,
    ) -> StudyRecords:
        """Return what the file says; a file that cannot be read is a study with the reason and
        nothing else.

        With `pseudonyms`, ids of people outside become labels as they are read, and the ids stay
        there alone.

        Raises
        ------
        BadColumns, UnknownOption
            Where what the caller declares does not fit.
        """
        return self.study_of(self.take(data, options, pseudonyms), name=name, columns=columns)

    def take(
        self,
        data: bytes,
        options: Mapping[str, Any] | None = None,
        pseudonyms: Pseudonyms | None = None,
    ) -> AnyTable | StudyRecords:
        """Return the file's rows, of some formats while they are read, or its study where it is no
        table or cannot be read."""
        try:
            taken = self.taken(data, options)
            return pseudonymised(taken, pseudonyms) if pseudonyms else taken
        except Unreadable as refusal:
            return unreadable(refusal.reason, row=refusal.row)

    def study_of(
        self,
        taken: AnyTable | StudyRecords,
        *,
        name: str = "",
        columns: ColumnRoles | None = None,
        screen: Screen | None = None,
        left_out: TellLeftOut = lambda row, what: None,
    ) -> StudyRecords:
        """Return what was taken as a study; of a table, without the rows that do not pass the
        screen."""
        if isinstance(taken, StudyRecords):
            return taken
        try:
            if columns is None:
                # roles are proposed from all rows, so they are read before the first is taken
                taken = taken.table() if isinstance(taken, OpenTable) else taken
                columns = self.columns(taken, name)
            return to_study(taken, columns, screen=screen, left_out=left_out)
        except Unreadable as refusal:
            return unreadable(refusal.reason, row=refusal.row)

    def taken(
        self, data: bytes, options: Mapping[str, Any] | None = None
    ) -> AnyTable | StudyRecords:
        """Return the file's rows in the shape that roles are proposed for, or its study; Unreadable
        where it is neither."""
        opened = self.opened(data, options)
        if isinstance(opened, StudyRecords) or not self.is_shaped:
            return opened
        chosen = {name: said for name, said in (options or {}).items() if name in SHAPE_OPTIONS}
        return shape(opened, self.columns, **chosen)

    def opened(
        self, data: bytes, options: Mapping[str, Any] | None = None
    ) -> AnyTable | StudyRecords:
        """Return the file's rows as they stand there, of some formats while they are read, or its
        study; Unreadable where it is neither."""
        known = dict(self._checked(options))
        for option in SHAPE_OPTIONS:
            known.pop(option, None)
        encoding = known.pop("encoding", "")
        if encoding and self.is_text:
            data = as_utf8(data, encoding)
        read = self.study or self.table
        if read is None:
            raise Unreadable(f"{self.title} cannot be read.")
        return read(data, **known)

    def __post_init__(self) -> None:
        """Add what may be declared of every text, its encoding, and of every table, what is done to
        its cells and rows."""
        if self.is_text:
            object.__setattr__(self, "options", (*self.options, "encoding"))
        if self.table and self.is_shaped:
            object.__setattr__(self, "options", (*self.options, *SHAPE_OPTIONS))

    def _checked(self, options: Mapping[str, Any] | None) -> Mapping[str, Any]:
        for option in options or {}:
            if option not in self.options:
                raise UnknownOption(f"{self.title} has no option “{option}”.")
        return options or {}


def proposed(table: AnyTable, _name: str) -> ColumnRoles:
    """Return the columns that names and cells suggest."""
    evidence = table.evidence if isinstance(table, RowTable) else None
    return guess(table.header, [row.cells for row in table.sample()], evidence)


def first_line(head: bytes) -> bytes:
    """Return the first line of a file's beginning."""
    return head.partition(b"\n")[0]


def is_object(head: bytes, *words: bytes) -> bool:
    """Say whether the file begins like a JSON object that has these keys somewhere."""
    return head.startswith(b"{") and all(b'"' + word + b'"' in head for word in words)
