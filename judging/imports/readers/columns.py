"""The roles of a table's columns, as the researcher declared them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any, Literal, get_args

from judging.imports.readers.records import Direction, ScoreColumn, ScoreKind, WrittenScale
from judging.limits import MAX_QUESTIONS_PER_SET

WhenAmbiguous = Literal["ask", "first"]
RaterKind = Literal["annotator", "llm_judge", "exclude", "ask"]
RepeatsAre = Literal["", "questions", "ratings", "mistakes"]
Decimal = Literal["point", "comma"]

ONE_COLUMN = (
    "question",
    "passage",
    "answer",
    "answer_start",
    "sentence",
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
)
_LISTS = ("references", "metadata", "source_metadata", "rating_metadata", "missing_words")
_CHOICES = {
    "direction": get_args(Direction),
    "scale": get_args(WrittenScale),
}
_KINDS = {
    "scores": get_args(ScoreKind),
    "ratings": ("annotator", "llm_judge", "ask"),
    "raters": get_args(RaterKind),
}


class BadColumns(ValueError):
    """The declared columns do not fit the file or each other; `reasons` are sentences."""

    def __init__(self, reasons: Sequence[str]) -> None:
        """Keep the reasons."""
        super().__init__(" ".join(reasons))
        self.reasons = tuple(reasons)


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingColumn:
    """A column of ratings on one criterion, by one rater, or by the one that the rater column
    names. If its kind is "ask", a user must first decide whether the rater is an annotator."""

    column: str
    criterion: str
    rater: str = ""
    kind: RaterKind = "annotator"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedRater:
    """A rater of the rater column who may not be an annotator, and a sentence with the reason."""

    name: str
    kind: RaterKind
    evidence: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordPoint:
    """The point of a criterion's scale that a word means, as a number; a blank point excludes the
    ratings with this word."""

    criterion: str
    word: str
    point: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionColumn:
    """A column of the questions of one system, in a table that has a column for each system."""

    column: str
    system: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnRoles:
    """The columns of a table by their roles; only that of the question is required.

    With `without_questions` it is not: rows name their questions by ids. If each system has a
    column of its own, `by_system` names them in place of `question` and `system`. Ratings are in
    columns of one criterion and one rater each, in columns of one criterion with a rater column, or
    one value to a row with the columns `rater` and `criterion`. Metadata are about questions,
    sources or ratings, under the column's name without the prefix of our own exports. `expected` is
    how many questions each system is expected to return for each source; if it is None, the highest
    number that any system returned for the source or, if systems are not crossed with sources, the
    number that the system returned. `starts` gives, by source key, the position of an answer that
    occurs in its passage more than once. `repeats_are` says what rows are that equal an earlier one
    cell for cell: further questions, further ratings of the same question, or mistakes, which are
    skipped; undecided (""), they are kept as one of the first two, and `Study.repeats` lists them.
    `missing_words` are words for a blank cell ("NaN"), in all columns except those of free text;
    with `decimal` "comma", scores and ratings are written 0,61. A marked span is given by its ends
    and, as a check, its text; `mark` distinguishes it from a rater's statement that nothing in the
    passage answers the question (`none`). `raters` are those of the rater column who may not be
    annotators, `points` the meanings of words used as ratings. `evidence` has a sentence for each
    column whose proposal is based on its values; it declares nothing.
    """

    question: str = ""
    passage: str = ""
    answer: str = ""
    answer_start: str = ""
    sentence: str = ""
    target_type: str = ""
    modality: str = ""
    language: str = ""
    source_id: str = ""
    system: str = ""
    position: str = ""
    key: str = ""
    question_type: str = ""
    submitted_answer: str = ""
    rater: str = ""
    criterion: str = ""
    value: str = ""
    note: str = ""
    mark: str = ""
    mark_start: str = ""
    mark_end: str = ""
    mark_text: str = ""
    references: tuple[str, ...] = ()
    by_system: tuple[QuestionColumn, ...] = ()
    scores: tuple[ScoreColumn, ...] = ()
    ratings: tuple[RatingColumn, ...] = ()
    raters: tuple[NamedRater, ...] = ()
    points: tuple[WordPoint, ...] = ()
    metadata: tuple[str, ...] = ()
    source_metadata: tuple[str, ...] = ()
    rating_metadata: tuple[str, ...] = ()
    default_system: str = "unnamed"
    default_modality: str = ""
    expected: int | None = None
    crossed: bool = True
    when_ambiguous: WhenAmbiguous = "ask"
    without_questions: bool = False
    repeats_are: RepeatsAre = ""
    missing_words: tuple[str, ...] = ()
    decimal: Decimal = "point"
    starts: Mapping[str, int] = field(default_factory=dict)
    evidence: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def has_rater_rows(self) -> bool:
        """Return whether a question has a row for every rater."""
        return bool(self.rater)

    @property
    def only_rater(self) -> str:
        """Return the one annotator of all rating columns, or "" if there are several or none."""
        raters = {each.rater for each in self.ratings if each.kind == "annotator"}
        return raters.pop() if len(raters) == 1 else ""

    @property
    def has_marks(self) -> bool:
        """Return whether raters marked spans."""
        return bool(self.mark or self.mark_start)

    def named(self) -> Iterator[str]:
        """Yield every column that is named."""
        yield from (name for role in ONE_COLUMN if (name := getattr(self, role)))
        yield from self.references
        yield from (each.column for each in self.by_system)
        yield from (score.column for score in self.scores)
        yield from (rating.column for rating in self.ratings)
        yield from self.metadata
        yield from self.source_metadata
        yield from self.rating_metadata

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)


_PARTS = {
    "by_system": QuestionColumn,
    "scores": ScoreColumn,
    "ratings": RatingColumn,
    "raters": NamedRater,
    "points": WordPoint,
}


def columns_from(data: Mapping[str, Any]) -> ColumnRoles:
    """Return the columns that plain data declare.

    Raises
    ------
    BadColumns
        If an entry is unknown or malformed, with a sentence for each.
    """
    if reasons := list(_misshapen(data)):
        raise BadColumns(reasons)
    values = dict(data)
    for name in _LISTS:
        values[name] = tuple(data.get(name, ()))
    for name, kind in _PARTS.items():
        values[name] = tuple(kind(**each) for each in data.get(name, ()))
    return ColumnRoles(**values)


def check(columns: ColumnRoles, header: Sequence[str]) -> None:
    """Refuse columns that the file does not have or that contradict each other.

    Raises
    ------
    BadColumns
        If anything is wrong, with a sentence for each fault.
    """
    reasons = [
        f"The file has no column “{name}”."
        for name in dict.fromkeys(columns.named())
        if name not in header
    ]
    reasons += conflicts(columns)
    if reasons:
        raise BadColumns(reasons)


def conflicts(columns: ColumnRoles) -> list[str]:
    """Return a sentence for every contradiction between these columns, for any file."""
    return [sentence for wrong, sentence in _conflicts(columns) if wrong]


def _conflicts(columns: ColumnRoles) -> Iterator[tuple[bool, str]]:
    names = [score.name for score in columns.scores]
    wide = [(rating.criterion, rating.rater) for rating in columns.ratings]
    asked = columns.question or columns.by_system
    yield not asked and not columns.without_questions, "Say which column holds the questions."
    systems = [each.system.strip() for each in columns.by_system]
    yield not all(systems), "Say whose questions each column of questions holds."
    yield len(set(systems)) < len(systems), "Two columns hold questions of the same system."
    yield (
        bool(systems) and bool(columns.question or columns.system),
        "Either each system has a column of questions, or one column holds all questions: not both.",
    )
    yield (
        bool(systems) and bool(columns.scores or columns.ratings or columns.rater),
        "If each system has a column of questions, a score or rating cannot be assigned to a system: put scores and "
        "ratings in a file with a row for each question.",
    )
    yield len(set(names)) < len(names), "Two score columns have the same name."
    yield len(set(wide)) < len(wide), "Two rating columns have the same criterion and annotator."
    yield (
        any(not rating.criterion for rating in columns.ratings),
        "Say which criterion each rating column is about.",
    )
    yield (
        not columns.rater and any(not rating.rater for rating in columns.ratings),
        "Say who gave the ratings: name an annotator for each rating column, or the column that names the annotator.",
    )
    for named in (rating.column for rating in columns.ratings if rating.kind == "ask"):
        yield (
            True,
            f"Column “{named}”: say whether it holds the ratings of an annotator, or exclude it.",
        )
    for named in (rater.name for rater in columns.raters if rater.kind == "ask"):
        yield True, f"Rater “{named}”: say whether this is an annotator, or exclude the rater."
    yield (
        bool(columns.criterion) != bool(columns.value),
        "Name both the criterion and the value column, or neither.",
    )
    yield (
        bool(columns.criterion) and not columns.rater,
        "Ratings by criterion and value need a column of annotators.",
    )
    yield (
        bool(columns.mark_start) != bool(columns.mark_end),
        "Name both ends of the marked spans, or neither.",
    )
    yield columns.has_marks and not columns.rater, "Marked spans need a column of annotators."
    yield (
        columns.expected is not None and columns.expected < 1,
        "The expected number of questions starts at 1.",
    )
    yield (
        (columns.expected or 0) > MAX_QUESTIONS_PER_SET,
        f"At most {MAX_QUESTIONS_PER_SET:,} questions can be expected of a set.",
    )
    yield (
        not columns.default_system.strip(),
        "The name for a system that the file does not name is blank.",
    )


def _misshapen(data: Mapping[str, Any]) -> Iterator[str]:
    known = {each.name for each in fields(ColumnRoles)}
    yield from (f"“{name}” is not a part of the mapping." for name in data if name not in known)
    for name in (*ONE_COLUMN, "default_system", "default_modality"):
        if not isinstance(data.get(name, ""), str):
            yield f"“{name}” must be the name of one column."
    for name in _LISTS:
        if not _is_list_of(data.get(name, ()), str):
            yield f"“{name}” must be a list of {'words' if name == 'missing_words' else 'columns'}."
    for name, kind in _PARTS.items():
        yield from _misshapen_parts(data, name, kind)
    yield from _misshapen_options(data)


def _misshapen_options(data: Mapping[str, Any]) -> Iterator[str]:
    if type(data.get("expected", 1)) is not int and data["expected"] is not None:
        yield "“expected” must be a whole number or null."
    if not isinstance(data.get("crossed", True), bool):
        yield "“crossed” must be true or false."
    if not isinstance(data.get("without_questions", False), bool):
        yield "“without_questions” must be true or false."
    if data.get("when_ambiguous", "ask") not in get_args(WhenAmbiguous):
        yield "“when_ambiguous” must be ask or first."
    if data.get("repeats_are", "") not in get_args(RepeatsAre):
        yield "“repeats_are” must be questions, ratings or mistakes, or nothing."
    if data.get("decimal", "point") not in get_args(Decimal):
        yield "“decimal” must be point or comma."
    evidence = data.get("evidence", {})
    if not isinstance(evidence, dict) or not _is_list_of([*evidence.values()], str):
        yield "“evidence” must give a sentence for each column."
    starts = data.get("starts", {})
    if not isinstance(starts, dict) or not all(type(start) is int for start in starts.values()):
        yield "“starts” must give a whole number for each source."


def _misshapen_parts(data: Mapping[str, Any], name: str, kind: Any) -> Iterator[str]:
    known = {each.name for each in fields(kind)}
    required = {each.name for each in fields(kind) if each.default is MISSING}
    parts = data.get(name, ())
    if not _is_list_of(parts, dict):
        yield f"“{name}” must be a list of columns with their properties."
        return
    for place, part in enumerate(parts, 1):
        if not required <= set(part) <= known or not all(
            isinstance(value, str) for value in part.values()
        ):
            yield f"“{name}” number {place} must give {' and '.join(sorted(required))}, as text."
        choices_of = _CHOICES | {"kind": _KINDS.get(name, ())}
        for key, choices in choices_of.items():
            if key in part and part[key] not in choices:
                yield f"“{name}” number {place}: {key} must be one of {', '.join(choices)}."


def _is_list_of(value: object, kind: type) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, kind) for each in value)
