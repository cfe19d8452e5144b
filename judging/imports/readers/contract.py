"""The definition of a format: one module of `judging.imports.formats`, or of an installed plug-in,
with a tuple `READS` of `Format`.

A format says how a file is recognised and opened, what its columns are, and what it can contain.
All other code uses the registry, so a format is added by its module and a test.
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
    """One format. A table has columns, which the researcher may map otherwise than proposed; files
    of other formats are read as a whole.

    `is_like` is called with a file's first bytes, in UTF-8, without byte order mark and blanks; the
    formats are tried in the order of their `rank`, special ones before general ones. A file that no
    format recognises is identified by its ending, general formats first. `sheets` names the tables
    of a file that holds several. `options` names the settings of how it is opened. `is_shaped` is
    False for our own tables, which are read exactly as they were written. `carries` says what the
    format can contain, `writes` that Quaestor writes it too, `page` where it is described: a page
    of docs/formats, or, of a format without one, `example`, a small file of it.
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
            If there are none.
        """
        taken = self.taken(data, options) if self.table else None
        if taken is None or isinstance(taken, StudyRecords):
            raise Unreadable(f"{self.title} is no table.")
        return taken.table() if isinstance(taken, OpenTable) else taken

    def columns(self, table: AnyTable, name: str = "") -> ColumnRoles:
        """Return the proposed columns; the file's name may add information."""
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
        """Return the study in a file; if the file cannot be read, a study with only the reason.

        With `pseudonyms`, ids of external annotators are replaced by labels as they are read, and
        only `pseudonyms` keeps the ids.

        Raises
        ------
        BadColumns, UnknownOption
            If the caller's declarations do not fit.
        """
        return self.study_of(self.take(data, options, pseudonyms), name=name, columns=columns)

    def take(
        self,
        data: bytes,
        options: Mapping[str, Any] | None = None,
        pseudonyms: Pseudonyms | None = None,
    ) -> AnyTable | StudyRecords:
        """Return the file's rows, in some formats read lazily, or its study if it is no table or
        cannot be read."""
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
        """Return the rows or study from `take` as a study; rows of a table that the screen rejects
        are skipped."""
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
        """Return the file's rows in the shape from which roles are proposed, or its study; raise
        Unreadable if it is neither."""
        opened = self.opened(data, options)
        if isinstance(opened, StudyRecords) or not self.is_shaped:
            return opened
        chosen = {name: said for name, said in (options or {}).items() if name in SHAPE_OPTIONS}
        return shape(opened, self.columns, **chosen)

    def opened(
        self, data: bytes, options: Mapping[str, Any] | None = None
    ) -> AnyTable | StudyRecords:
        """Return the file's rows unchanged, in some formats read lazily, or its study; raise
        Unreadable if it is neither."""
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
        """Add the options that every text has, its encoding, and that every table has, the changes
        to its cells and rows."""
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
    """Return the columns proposed from names and cells."""
    evidence = table.evidence if isinstance(table, RowTable) else None
    return guess(table.header, [row.cells for row in table.sample()], evidence)


def first_line(head: bytes) -> bytes:
    """Return the first line of a file's beginning."""
    return head.partition(b"\n")[0]


def is_object(head: bytes, *words: bytes) -> bool:
    """Return whether the file begins like a JSON object that has these keys somewhere."""
    return head.startswith(b"{") and all(b'"' + word + b'"' in head for word in words)
