"""What passes between the steps of an import: opened files, problems and studies as frames.

Every cell of a frame is text; a blank cell is "". The index of a frame holds the number of each row
as its author finds it: in a table the row of a spreadsheet (the header is row 1), in JSON the item,
in XML the line. pandas is loaded in the reading process and in jobs only, so nothing here imports
it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

WHOLE_FILE = 0
SHOWN_CHARACTERS = 120

OpenedKind = Literal["text", "workbook", "json", "xml", "columnar", "bundle"]
ProblemKind = Literal["file", "row", "value", "ask", "repeat", "warning"]


class Unreadable(ValueError):
    """The file cannot be read at all; `reason` is a sentence for the researcher."""

    def __init__(self, reason: str, *, row: int = WHOLE_FILE) -> None:
        """Keep the reason and the row, 0 for the whole file."""
        super().__init__(reason)
        self.reason = reason
        self.row = row


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something that could not be used as it was.

    Kinds: `file`, nothing can be read until it is corrected; `row`, the whole row goes to
    quarantine; `value`, one value does and the rest of its row is kept; `ask`, all is kept but the
    researcher must choose among `choices` (the possible starts of an answer); `repeat`, rows or
    ratings repeat earlier ones and are kept; `warning`, all is kept.
    """

    row: int
    column: str
    value: str
    reason: str
    kind: ProblemKind = "row"
    source_key: str = ""
    choices: tuple[int, ...] = ()


@dataclass(slots=True, kw_only=True)
class FileSheet:
    """One table of a file as it was written: its name, its rows, and the rows in quarantine."""

    name: str
    frame: "pd.DataFrame"
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Opened:
    """A file after opening. Tables have `sheets`; JSON and XML have a `tree`, from which a recipe or
    `shape` makes a frame: JSON as Python objects, XML as its root element. The `tree` of a bundle is
    the text of its protocol.

    `sheet_names` are those of a whole workbook. `notes` are sentences on how the file was opened,
    such as its encoding and delimiter.
    """

    kind: OpenedKind
    sheets: list[FileSheet] = field(default_factory=list)
    sheet_names: list[str] = field(default_factory=list)
    tree: Any = None
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True, kw_only=True)
class Study:
    """The contents of a file as five frames, and what could not be kept.

    `sources` (index: number of the source): key, passage, sentence, answer, answer_start and
    sentence_start (number or None), target_type, modality, language, references (list of texts),
    metadata (dictionary), row.

    `questions` (index: number of the question): source (number), system, position, text (None if
    the system gave no question there), key, question_type, submitted_answer, metadata, row. One
    line for each question of a system, however many people rated it.

    `ratings`: question (number, or None for a rating of the whole set), source, system, rater, is_judge
    (whether the rater is an LLM judge), criterion, value, repeat (counts the values by one rater of
    one unit on one criterion), metadata, row, column.

    `scores`: question, name, value, row, column.

    `notes`: question, source, system, rater, kind ("note", "span" or "nothing"), text, start, end,
    row.

    `expected` counts the slots of each (source, system). `lost` counts ratings of which no record
    was made, by criterion and reason.
    """

    sources: "pd.DataFrame"
    questions: "pd.DataFrame"
    ratings: "pd.DataFrame"
    scores: "pd.DataFrame"
    notes: "pd.DataFrame"
    problems: list[Problem] = field(default_factory=list)
    expected: Mapping[tuple[int, str], int] = field(default_factory=dict)
    lost: Mapping[tuple[str, str], int] = field(default_factory=dict)
    rows_read: int = 0
    rows_kept: int = 0


SOURCE_COLUMNS = (
    "key",
    "passage",
    "sentence",
    "answer",
    "answer_start",
    "sentence_start",
    "target_type",
    "modality",
    "language",
    "references",
    "metadata",
    "row",
)
QUESTION_COLUMNS = (
    "source",
    "system",
    "position",
    "text",
    "key",
    "question_type",
    "submitted_answer",
    "metadata",
    "row",
)
RATING_COLUMNS = (
    "question",
    "source",
    "system",
    "rater",
    "is_judge",
    "criterion",
    "value",
    "repeat",
    "metadata",
    "row",
    "column",
)
SCORE_COLUMNS = ("question", "name", "value", "row", "column")
NOTE_COLUMNS = ("question", "source", "system", "rater", "kind", "text", "start", "end", "row")


def iterate_rows(frame: "pd.DataFrame") -> Iterator[Any]:
    """Yield each row with its cells as attributes, and its index as `Index`."""
    return iter(frame.itertuples())


def shorten_line(text: str, most: int = SHOWN_CHARACTERS) -> str:
    """Return the text on one line, cut to `most` characters."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
