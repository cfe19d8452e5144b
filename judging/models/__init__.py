"""The ground: what is judged, by which rubric, by whom, and what was said."""

from judging.models.assignment import Assignment, Draft, Marking, Note, SpanMark
from judging.models.campaign import Campaign, Deviation, Round, Task, TaskUnit
from judging.models.file import StoredFile, Upload
from judging.models.job import Job, WorkerPresence
from judging.models.judgment import Judgment, JudgmentAttribute
from judging.models.material import (
    Attribute,
    Collection,
    Passage,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from judging.models.people import Enrollment, Erasure, Exclusion, Invitation, LogInAttempts, Membership, User
from judging.models.rubric import Criterion, Rubric, RubricDraft, ScalePoint
from judging.models.score import Metric, Score

__all__ = [
    "Assignment",
    "Attribute",
    "Campaign",
    "Collection",
    "Criterion",
    "Deviation",
    "Draft",
    "Enrollment",
    "Erasure",
    "Exclusion",
    "Invitation",
    "Job",
    "Judgment",
    "JudgmentAttribute",
    "LogInAttempts",
    "Marking",
    "Membership",
    "Metric",
    "Note",
    "Passage",
    "Quarantine",
    "Question",
    "QuestionSet",
    "Reference",
    "Round",
    "Rubric",
    "RubricDraft",
    "ScalePoint",
    "Score",
    "Source",
    "SpanMark",
    "StoredFile",
    "System",
    "Task",
    "TaskUnit",
    "Unit",
    "Upload",
    "User",
    "WorkerPresence",
]
