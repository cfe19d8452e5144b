"""The records that every reader of this package returns, and problems with their row numbers.

A row is a number the researcher can find again in their own file: the row of a table as a
spreadsheet counts it (the header is row 1), the line of an element in XML, the item of a JSON list.
Text is kept as it was written, digit for digit; the importer, not the reader, decides whether a
rating is a point of a rubric's scale. Offsets count code points.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

WHOLE_FILE = 0

Direction = Literal["higher", "lower", "unknown"]
WrittenScale = Literal["fraction", "percent", "none"]
ScoreKind = Literal["metric", "human_mean"]
KeptKind = Literal["question", "ratings", "nothing"]
WhyExcluded = Literal[
    "off_scale",
    "no_criterion",
    "unnamed",
    "second",
    "contradicts",
    "refused_row",
    "no_question",
    "mistake",
    "word",
]
ProblemKind = Literal["file", "row", "value", "ask", "warning", "offer"]

# Why a rating is not stored, in words that follow a number of ratings.
WHY_EXCLUDED: Mapping[WhyExcluded, str] = {
    "off_scale": "not on the scale of their criterion",
    "no_criterion": "on no criterion of the protocol, or on one that it asks of other units",
    "unnamed": "without an annotator or a criterion",
    "second": "by an annotator who had rated the same before",
    "contradicts": "contradicted by the dataset",
    "refused_row": "in refused rows",
    "no_question": "about questions that the dataset lacks",
    "mistake": "repeated, which the plan declares a mistake",
    "word": "with words that were excluded",
}

_EXPORTED_SCORE = re.compile(
    r"score:(?P<name>.+) \[(?P<direction>higher|lower|unknown), (?P<scale>fraction|percent|none)"
    r"(?P<mean>, human mean)?\]",
    re.S,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something a reader could not use as it was.

    Kinds: `file`, nothing can be read until it is corrected; `row`, the whole row is refused;
    `value`, one value is refused and the rest of its row kept; `ask`, all is kept but the
    researcher must choose among `choices` (the possible starts of the answer); `warning`, all is kept;
    `offer`, all is kept and may be changed with one click.
    """

    row: int
    column: str
    value: str
    reason: str
    kind: ProblemKind = "row"
    source_key: str = ""
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """The input of a system.

    `answer_start` is an offset in the passage, or in the sentence if there is no passage;
    `sentence_start` is one in the passage. They are None if the text does not occur there. A source
    with repeated ratings has copies: `repeat_of` is its key, and `repeat` counts from 2. `language`
    is a tag, blank if the source does not name its own.
    """

    key: str
    passage: str | None = None
    answer: str = ""
    answer_start: int | None = None
    sentence: str = ""
    sentence_start: int | None = None
    target_type: str = ""
    modality: str = ""
    language: str = ""
    references: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    repeat_of: str = ""
    repeat: int = 1
    row: int = WHOLE_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """One slot that the file names. `text` is None if the file shows that the system gave no
    question there."""

    source_key: str
    system: str
    position: int
    text: str | None
    question_type: str = ""
    submitted_answer: str = ""
    key: str = ""
    scores: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    row: int = WHOLE_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRecord:
    """One value that a rater gave to a question, or to the question set as a whole if `position` is
    None.

    `repeat` counts the values that one rater gave to the same unit on the same criterion, in the
    order of the file: a unit, a rater, a criterion and a repeat name one record.
    """

    source_key: str
    system: str
    position: int | None
    rater: str
    criterion: str
    value: str
    row: int
    column: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LostRatings:
    """The number of annotators' ratings on a criterion of which a reader made no record, and why."""

    criterion: str
    why: WhyExcluded
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedRow:
    """A row that repeats an earlier row.

    `exact`: it equals that row cell for cell; otherwise a rater rates the same question again,
    perhaps with another value. `kept_as` is what the reader made of it: another question of its
    set, ratings with the next `repeat` number, or nothing, if the plan declares repeats as
    mistakes.
    """

    row: int
    first: int
    exact: bool
    kept_as: KeptKind


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRecord:
    """A rater's note on a question or a set."""

    source_key: str
    system: str
    position: int | None
    rater: str
    text: str
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkRecord:
    """A range of the passage in which a rater sees the answer; without one, nothing there answers
    the question."""

    source_key: str
    system: str
    position: int
    rater: str
    start: int | None
    end: int | None
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumn:
    """A column of scores, as the researcher declared it. `name` is the key in
    `QuestionRecord.scores`."""

    column: str
    name: str
    direction: Direction = "unknown"
    scale: WrittenScale = "none"
    kind: ScoreKind = "metric"

    @property
    def exported_name(self) -> str:
        """Return the name of the column in our own exports, which declares its direction, scale and
        kind.

        >>> ScoreColumn(column="t", name="TER", direction="lower").exported_name
        'score:TER [lower, none]'
        """
        kind = ", human mean" if self.kind == "human_mean" else ""
        return f"score:{self.name} [{self.direction}, {self.scale}{kind}]"


def exported_score(column: str) -> ScoreColumn | None:
    """Return the declaration in a column name of our own exports; None if there is none."""
    declared = _EXPORTED_SCORE.fullmatch(column)
    if declared is None:
        return None
    return ScoreColumn(
        column=column,
        name=declared["name"],
        direction=cast(Direction, declared["direction"]),
        scale=cast(WrittenScale, declared["scale"]),
        kind="human_mean" if declared["mean"] else "metric",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """The first value of a column, and the range of its numbers if they look like ratings."""

    column: str
    first: str = ""
    rating_range: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecords:
    """The contents of one file. `ratings` are annotators', `judge_ratings` LLM judges'. `expected`
    counts the slots of each (source key, system). `column_summaries` are of a table's columns."""

    sources: tuple[SourceRecord, ...] = ()
    questions: tuple[QuestionRecord, ...] = ()
    ratings: tuple[RatingRecord, ...] = ()
    judge_ratings: tuple[RatingRecord, ...] = ()
    lost_ratings: tuple[LostRatings, ...] = ()
    notes: tuple[NoteRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = ()
    problems: tuple[Problem, ...] = ()
    expected: Mapping[tuple[str, str], int] = field(default_factory=dict)
    score_columns: tuple[ScoreColumn, ...] = ()
    column_summaries: tuple[ColumnSummary, ...] = ()
    repeats: tuple[RepeatedRow, ...] = ()
    rows_read: int = 0
    rows_kept: int = 0

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems, in the order of the file."""
        return _distinct(system for _, system in self.expected)

    @property
    def raters(self) -> tuple[str, ...]:
        """Return the raters, in the order of the file."""
        return _distinct(rating.rater for rating in self.ratings)

    @property
    def llm_judges(self) -> tuple[str, ...]:
        """Return the LLM judges that have ratings, in the order of the file."""
        return _distinct(rating.rater for rating in self.judge_ratings)

    @property
    def criteria(self) -> tuple[str, ...]:
        """Return the criteria that have ratings, in the order of the file."""
        return _distinct(rating.criterion for rating in self.ratings)

    @property
    def returned(self) -> Mapping[str, int]:
        """Return the number of questions that each system gave."""
        given = Counter(question.system for question in self.questions if question.text is not None)
        return {system: given[system] for system in self.systems}

    @property
    def missing(self) -> Mapping[str, int]:
        """Return the number of expected slots without a question, by system."""
        slots: Counter[str] = Counter()
        for (_, system), count in self.expected.items():
            slots[system] += count
        return {system: slots[system] - given for system, given in self.returned.items()}

    @property
    def usable(self) -> bool:
        """Return whether the file could be read at all."""
        return not any(problem.kind == "file" for problem in self.problems)

    def problems_of(self, *kinds: ProblemKind) -> tuple[Problem, ...]:
        """Return the problems of these kinds, in the order of the file."""
        return tuple(problem for problem in self.problems if problem.kind in kinds)


def unreadable(
    reason: str, *, row: int = WHOLE_FILE, column: str = "", value: str = ""
) -> StudyRecords:
    """Return the study of a file that cannot be read, with a sentence that gives the reason."""
    return StudyRecords(
        problems=(Problem(row=row, column=column, value=value, reason=reason, kind="file"),)
    )


def _distinct(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))
