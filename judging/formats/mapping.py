"""How a file is read: one `Mapping` for the page, the API, jobs and the command.

A mapping says how the file is opened, which steps change its shape, what each column is, and what
the file leaves open: the words used as ratings, raters who may be no annotators, rows to exclude.
It is plain data: `model_dump` gives what the database and a job keep.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from judging.base.limits import MAX_NAME_CHARACTERS, MAX_QUESTIONS_PER_SET

# Roles that only one column of a file has
SingleRole = Literal[
    "question",
    "passage",
    "sentence",
    "answer",
    "answer_start",
    "target_type",
    "modality",
    "language",
    "source_id",
    "system",
    "position",
    "key",
    "question_type",
    "submitted_answer",
    "rater",
    "criterion",
    "value",
    "note",
    "mark",
    "mark_start",
    "mark_end",
    "mark_text",
]
# Roles that several columns may have; "" excludes a column, "ask" must be decided by a person
Role = (
    SingleRole
    | Literal[
        "",
        "reference",
        "question_of",
        "ratings",
        "llm_judge",
        "ask",
        "metric",
        "human_mean",
        "metadata",
        "source_metadata",
        "rating_metadata",
    ]
)
SINGLE: tuple[str, ...] = get_args(SingleRole)
RATED = ("ratings", "llm_judge", "ask")  # roles of a column of ratings on one criterion
SCORED = ("metric", "human_mean")
# Encodings beside UTF-8 and UTF-16, which are detected; the likelier first
ENCODINGS = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1256", "mac_roman"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
)
UNNAMED = "unnamed"  # the system of questions of which the file names none

Step = Literal["sheets", "lists", "totals", "percent", "fill_down"]
Repair = Literal["entities", "mojibake"]
RaterKind = Literal["annotator", "llm_judge", "exclude", "ask"]
Name = Annotated[str, StringConstraints(strip_whitespace=True, max_length=MAX_NAME_CHARACTERS)]
Label = Annotated[str, StringConstraints(strip_whitespace=True, max_length=100)]


class Column(BaseModel):
    """What one column is.

    `name` is the criterion of ratings, the system of `question_of`, or the name under which a score
    is stored; `rater` is the one rater of a column of ratings, blank if another column names the
    raters. `round` counts the ratings that one rater gave on one criterion in several columns.
    `why` is the reason of a proposal, which pages show; `is_direction_guessed` says that nothing in
    the file shows the direction, so that the check asks about it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Role = ""
    name: Name = ""
    rater: Label = ""
    round: int = Field(default=1, ge=1, le=100)
    direction: Literal["", "higher", "lower"] = ""
    is_direction_guessed: bool = False
    scale: Literal["none", "fraction", "percent"] = "none"
    why: str = ""


class Mapping(BaseModel):
    """How a file is read. What is not given is detected or proposed; `columns` is empty until
    somebody decided about the columns.

    Opening: `sheets` of a workbook (all that look alike by default), `encoding`, `delimiter`,
    `quoted`, `header` (whether the first row names the columns) and `skip`, the rows above it.
    `recipe` is the export of a program that the file is, "table" for none. `as_is` lists steps that
    are not taken, `repairs` those that change texts and are taken on request only.

    Reading: `system`, `rater` and `modality` stand for columns that the file lacks. `expected` is
    the number of questions that each system owes a source; by default the largest number that any
    system returned for it or, if the systems were not `crossed` with the sources, its own.
    `repeats` says what rows are that equal an earlier one: further questions, further ratings or
    mistakes; by default the former if no column names raters, else the second. `blanks` are words
    for a blank cell, `numbers` how numbers are written, `points` the meaning of words used as
    ratings, by criterion; a blank point excludes them. `raters` are those of a column of raters who
    may be no annotators. `one_spelling` gives people and systems whose names differ only in case
    and blanks one name. `exclude_rows` lists, by column, values that mark rows to be excluded.
    `starts` gives, by the key of a source, the start of an answer that occurs more than once;
    `first_start` takes the first for all others.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    recipe: str = Field(default="", max_length=40)
    sheets: tuple[str, ...] = ()
    encoding: str = Field(default="", max_length=20)
    delimiter: Literal["", ",", ";", "\t", "|", "^"] = ""
    quoted: bool | None = None
    header: bool | None = None
    skip: int | None = Field(default=None, ge=0, le=1000)
    as_is: tuple[Step, ...] = ()
    repairs: tuple[Repair, ...] = ()

    columns: dict[str, Column] = Field(default_factory=dict)
    system: Name = ""
    rater: Label = ""
    modality: Label = ""
    expected: int | None = Field(default=None, ge=1, le=MAX_QUESTIONS_PER_SET)
    crossed: bool = True
    repeats: Literal["", "questions", "ratings", "mistakes"] = ""
    blanks: tuple[str, ...] = ()
    numbers: Literal["point", "comma", "point_thousands", "comma_thousands"] = "point"
    points: dict[str, dict[str, str]] = Field(default_factory=dict)
    raters: dict[str, RaterKind] = Field(default_factory=dict)
    one_spelling: bool = False
    exclude_rows: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    starts: dict[str, int] = Field(default_factory=dict)
    first_start: bool = False

    def of_role(self, *roles: str) -> dict[str, Column]:
        """Return the columns of these roles, in the order of the file."""
        return {name: each for name, each in self.columns.items() if each.role in roles}

    def column(self, role: str) -> str:
        """Return the one column of a role, "" if there is none."""
        return next(iter(self.of_role(role)), "")

    @property
    def has_rater_rows(self) -> bool:
        """Return whether a question has a row for each rater."""
        return bool(self.column("rater"))

    @property
    def names_systems(self) -> bool:
        """Return whether the file or the researcher says whose the questions are."""
        return bool(self.system or self.of_role("system", "question_of"))

    def in_order(self, header: Sequence[str]) -> "Mapping":
        """Return the mapping with its columns in the order of the file, which the database does not
        keep."""
        places = {name: place for place, name in enumerate(header)}
        columns = sorted(self.columns.items(), key=lambda each: places.get(each[0], len(places)))
        return self.model_copy(update={"columns": dict(columns)})

    def as_data(self) -> dict[str, Any]:
        """Return plain data for the database or a job, without what is left to its default."""
        return self.model_dump(mode="json", exclude_defaults=True)


class MappingRefused(ValueError):
    """A mapping does not fit the file or contradicts itself; `errors` are sentences by field, and a
    field is a path such as `columns.Fluency.name`, or "" for the mapping as a whole."""

    def __init__(self, errors: dict[str, list[str]]) -> None:
        """Keep the errors."""
        super().__init__(" ".join(sentence for error in errors.values() for sentence in error))
        self.errors = errors


def mapping_from(data: Any) -> Mapping:
    """Return the mapping in plain data.

    Raises
    ------
    MappingRefused
        If anything is unknown or malformed, with a sentence for each field.
    """
    try:
        return Mapping.model_validate(data)
    except ValidationError as wrong:
        errors: dict[str, list[str]] = {}
        for error in wrong.errors(include_url=False):
            path = ".".join(str(part) for part in error["loc"] if not _is_branch(part))
            errors.setdefault(path, []).append(_sentence(error["type"], error["msg"]))
        raise MappingRefused(errors) from None


def check_mapping(mapping: Mapping, header: Sequence[str]) -> None:
    """Refuse a mapping of columns that the file lacks, or that contradict each other.

    Raises
    ------
    MappingRefused
        With a sentence for each fault.
    """
    errors: dict[str, list[str]] = {}
    for field, sentence in (*_unknown(mapping, header), *conflicts(mapping)):
        errors.setdefault(field, []).append(sentence)
    if errors:
        raise MappingRefused(errors)


def _unknown(mapping: Mapping, header: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name in (*mapping.columns, *mapping.exclude_rows):
        if name not in header:
            yield f"columns.{name}", f"The file has no column “{name}”."


def conflicts(mapping: Mapping) -> Iterator[tuple[str, str]]:
    """Yield the field and a sentence for every contradiction, whatever the file."""
    yield from _of_one_role(mapping)
    yield from _of_questions(mapping)
    yield from _of_ratings(mapping)
    yield from _of_rows_of_raters(mapping)
    for name, column in mapping.of_role(*SCORED).items():
        if not column.direction:
            yield f"columns.{name}.direction", f"“{name}”: say whether higher or lower is better."
    scores = Counter(each.name or name for name, each in mapping.of_role(*SCORED).items())
    for name in (name for name, count in scores.items() if count > 1):
        yield "columns", f"Two columns hold scores called “{name}”."
    if bool(mapping.column("mark_start")) != bool(mapping.column("mark_end")):
        yield "columns", "Name both ends of the marked spans, or neither."


def _of_one_role(mapping: Mapping) -> Iterator[tuple[str, str]]:
    for role in SINGLE:
        if len(named := list(mapping.of_role(role))) > 1:
            both = " and ".join(f"“{name}”" for name in named)
            yield f"columns.{named[1]}.role", f"Only one column can be this, not {both}."


def _of_questions(mapping: Mapping) -> Iterator[tuple[str, str]]:
    systems = mapping.of_role("question_of")
    for name, column in systems.items():
        if not column.name:
            yield f"columns.{name}.name", "Say which system's questions these are."
    if len({system.name for system in systems.values()}) < len(systems):
        yield "columns", "Two columns hold questions of the same system."
    if systems and mapping.of_role("question", "system"):
        yield (
            "columns",
            "Either each system has a column of questions, or one column holds all questions: not both.",
        )
    if systems and mapping.of_role(*RATED, *SCORED, "rater", "value"):
        yield (
            "columns",
            "If each system has a column of questions, a score or rating belongs to no system: put scores and "
            "ratings in a file with a row for each question.",
        )


def _of_ratings(mapping: Mapping) -> Iterator[tuple[str, str]]:
    seen: set[tuple[str, str, int]] = set()
    for name, column in mapping.of_role(*RATED).items():
        if column.role == "ask":
            yield (
                f"columns.{name}.role",
                f"“{name}”: say whether it holds the ratings of an annotator, or exclude it.",
            )
        if not column.name:
            yield f"columns.{name}.name", f"“{name}”: say which criterion was rated."
        if not (column.rater or mapping.rater or mapping.has_rater_rows):
            yield (
                f"columns.{name}.rater",
                f"“{name}”: say who gave the ratings, or which column names the annotators.",
            )
        rated = (column.name, column.rater, column.round)
        if rated in seen:
            yield "columns", f"Two columns hold ratings on “{column.name}” by the same annotator."
        seen.add(rated)


def _of_rows_of_raters(mapping: Mapping) -> Iterator[tuple[str, str]]:
    for name, kind in mapping.raters.items():
        if kind == "ask":
            yield f"raters.{name}", f"“{name}”: say whether this is an annotator, or exclude it."
    if bool(mapping.column("criterion")) != bool(mapping.column("value")):
        yield "columns", "Name both the column of criteria and that of the ratings, or neither."
    if mapping.column("value") and not (mapping.has_rater_rows or mapping.rater):
        yield "columns", "Ratings by criterion and value need a column of annotators."
    if mapping.of_role("mark", "mark_start") and not mapping.has_rater_rows:
        yield "columns", "Marked spans need a column of annotators."


def _is_branch(part: object) -> bool:
    """Return whether a part of an error's path is a branch of a union, which no reader knows."""
    return isinstance(part, str) and (part.startswith(("literal[", "function-")) or part == "bool")


def _sentence(kind: str, message: str) -> str:
    """Return the sentence for an error of pydantic."""
    known = {"extra_forbidden": "This is no part of a mapping.", "missing": "This is required."}
    return known.get(kind, f"{message}.")
