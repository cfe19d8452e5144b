"""A study as plain records, for the writers of exports and for copies of datasets. Offsets count
code points."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from judging.formats.frames import WHOLE_FILE

Direction = Literal["higher", "lower", "unknown"]
WrittenScale = Literal["fraction", "percent", "none"]
ScoreKind = Literal["metric", "human_mean"]


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
    """One slot of a question set. `text` is None if the system gave no question there."""

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
    None. `repeat` counts the values that one rater gave to one unit on one criterion."""

    source_key: str
    system: str
    position: int | None
    rater: str
    criterion: str
    value: str
    row: int = WHOLE_FILE
    column: str = ""
    attributes: Mapping[str, str] = field(default_factory=dict)
    repeat: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRecord:
    """A rater's note on a question or a set."""

    source_key: str
    system: str
    position: int | None
    rater: str
    text: str
    row: int = WHOLE_FILE


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
    row: int = WHOLE_FILE


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreColumn:
    """A column of scores. `name` is the key in `QuestionRecord.scores`."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRecords:
    """A study. `expected` counts the slots of each (source key, system). `items` has the keys that
    the units have in the database, by source, system and position."""

    sources: tuple[SourceRecord, ...] = ()
    questions: tuple[QuestionRecord, ...] = ()
    ratings: tuple[RatingRecord, ...] = ()
    notes: tuple[NoteRecord, ...] = ()
    marks: tuple[MarkRecord, ...] = ()
    expected: Mapping[tuple[str, str], int] = field(default_factory=dict)
    score_columns: tuple[ScoreColumn, ...] = ()
    items: Mapping[tuple[str, str, int | None], int] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """Return the systems, in the order of the study."""
        return tuple(dict.fromkeys(system for _, system in self.expected))


def column_fingerprint(*, file_sha256: str, column: str, name: str) -> str:
    """Return the identifier of an imported column: a hash of its file, its position there and its
    name."""
    said = json.dumps([file_sha256, column, name], ensure_ascii=False)
    return hashlib.sha256(said.encode()).hexdigest()
