"""Every row of a file with its findings, as packed lines that are searched page by page: no page
needs the file again, or all of its rows in memory."""

import gzip
import json
import zlib
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice, pairwise
from tempfile import SpooledTemporaryFile
from typing import Literal, NamedTuple

from judging.imports.readers.records import Problem, QuestionRecord, StudyRecords
from judging.imports.readers.tables import shorten
from judging.limits import MAX_EXCERPT_CHARACTERS, MAX_NAME_CHARACTERS, MAX_SYSTEMS

RowKind = Literal[
    "kept",
    "matched",
    "similar",
    "new",
    "unmatched",
    "ambiguous",
    "conflicting",
    "refused",
    "warning",
]
PAGE = 50
SPOOLED = 1 << 20  # bytes that wait in memory before a temporary file is on the disk
TOGETHER = 500  # lines that are packed at a time
_FASTEST, _AS_GZIP = 1, 31


class ListedRow(NamedTuple):
    """One question of a file, or a finding about one of its rows. `text` is None if the file shows
    that the system gave no question."""

    kind: RowKind
    row: int
    system: str
    source: str
    position: int
    text: str | None
    reason: str


class RowList:
    """A list while it is written: its lines are in a temporary file, with only the start of each
    line in memory."""

    def __init__(self) -> None:
        self._file = SpooledTemporaryFile(SPOOLED, "w+b")  # noqa: SIM115
        self._rows, self._starts = array("q"), array("q")
        self._end = 0
        self.kinds: Counter[str] = Counter()
        self.systems: dict[str, None] = {}

    def note(
        self,
        kind: RowKind,
        row: int,
        text: str | None,
        reason: str = "",
        *,
        question: QuestionRecord | None = None,
    ) -> None:
        """Add a line. `question` gives its system, source and position."""
        system, source, position = "", "", 1
        if question:
            system = shorten(question.system, most=MAX_NAME_CHARACTERS)
            source, position = question.source_key, question.position
        shown = None if text is None else shorten(text, most=MAX_EXCERPT_CHARACTERS)
        listed = ListedRow(kind, row, system, shorten(source), position, shown, reason)
        line = json.dumps(listed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        self._file.write(line)
        self._rows.append(row)
        self._starts.append(self._end)
        self._end += len(line)
        self.kinds[kind] += 1
        if len(self.systems) < MAX_SYSTEMS and system:
            self.systems[system] = None

    def note_problems(self, kind: RowKind, problems: Iterable[Problem]) -> None:
        """Add the problems of rows, each with its column and value."""
        for each in problems:
            self.note(
                kind, each.row, ": ".join(filter(None, (each.column, each.value))), each.reason
            )

    def pieces(self, whose: str) -> Iterator[bytes]:
        """Yield the packed list in the order of the file; `whose` distinguishes equal lists."""
        packing = zlib.compressobj(_FASTEST, zlib.DEFLATED, _AS_GZIP)
        head = {"whose": whose, "kinds": self.kinds, "systems": list(self.systems)}
        yield packing.compress(json.dumps(head).encode() + b"\n")
        lines = self._in_order()
        while together := b"".join(islice(lines, TOGETHER)):
            yield packing.compress(together)
        yield packing.flush()

    def _in_order(self) -> Iterator[bytes]:
        self._file.seek(0)
        if all(one <= other for one, other in pairwise(self._rows)):
            yield from self._file
            return
        for place in sorted(range(len(self._rows)), key=self._rows.__getitem__):
            self._file.seek(self._starts[place])
            yield self._file.readline()


def rows_of(study: StudyRecords, refused: Iterable[Problem]) -> RowList:
    """Return the list of a file that becomes a dataset by itself."""
    listed = RowList()
    for question in study.questions:
        listed.note("kept", question.row, question.text, question=question)
    listed.note_problems("refused", refused)
    listed.note_problems("warning", study.problems_of("warning"))
    return listed


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedRows:
    """Filters of the requested rows, and the page; a blank filter selects all."""

    text: str = ""
    system: str = ""
    kind: str = ""
    page: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RowPage:
    """A page of a list: its rows, the page's number, and how many rows match the filters."""

    rows: Sequence[ListedRow]
    page: int
    total: int

    @property
    def first(self) -> int:
        """Return the place of the first row, counted from 1."""
        return (self.page - 1) * PAGE + 1

    @property
    def last(self) -> int:
        """Return the place of the last row."""
        return self.first + len(self.rows) - 1

    @property
    def before(self) -> int | None:
        """Return the number of the page before."""
        return self.page - 1 if self.page > 1 else None

    @property
    def after(self) -> int | None:
        """Return the number of the page after."""
        return self.page + 1 if self.last < self.total else None


def kinds_and_systems(packed: bytes) -> tuple[Mapping[str, int], Sequence[str]]:
    """Return the number of rows of each kind in a list, and its systems."""
    with gzip.open(BytesIO(packed)) as lines:
        head = json.loads(next(lines))
    return head["kinds"], head["systems"]


def page_of(packed: bytes, wanted: WantedRows) -> RowPage:
    """Return a page of a list; the last one if it has no such page."""
    kinds, _ = kinds_and_systems(packed)
    known = kinds.get(wanted.kind, 0) if wanted.kind else sum(kinds.values())
    is_counted = not (wanted.text or wanted.system)
    number = min(wanted.page, _pages(known))
    start = (number - 1) * PAGE
    with gzip.open(BytesIO(packed)) as lines:
        next(lines)
        found = _as_wanted(lines, wanted)
        shown = [_row(line) for line in islice(found, start, start + PAGE)]
        total = known if is_counted else None
        if total is None and (shown or number == 1):
            total = start + len(shown) + sum(1 for _ in found)
    if total is None:  # the page is beyond the end of the filtered rows: count them
        first = page_of(packed, replace(wanted, page=1))
        return page_of(packed, replace(wanted, page=_pages(first.total)))
    return RowPage(rows=shown, page=number, total=total)


def _pages(total: int) -> int:
    return max(1, -(-total // PAGE))


def _as_wanted(lines: Iterable[bytes], wanted: WantedRows) -> Iterator[bytes]:
    """Yield the lines of matching rows; a line is parsed only if its text decides."""
    begins = f'["{wanted.kind}",'.encode() if wanted.kind else b"["
    system = json.dumps(wanted.system, ensure_ascii=False).encode()
    text = wanted.text.casefold()
    for line in lines:
        if not line.startswith(begins) or (wanted.system and system not in line):
            continue
        if wanted.system or text:
            row = _row(line)
            if wanted.system and row.system != wanted.system:
                continue
            if text not in (row.text or "").casefold() and text not in row.source.casefold():
                continue
        yield line


def _row(line: bytes) -> ListedRow:
    return ListedRow(*json.loads(line.decode()))
