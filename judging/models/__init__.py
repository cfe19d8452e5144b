"""The tables of the domain: what is judged, by which protocol, by whom, and the judgments."""

from judging.models.added_file import AddedFile, FileRow, FilledBlank
from judging.models.adjudication import Adjudication, SettledValue
from judging.models.assignment import Assignment, Draft, Marking, Note, SpanMark
from judging.models.authorship import BarredTask, SystemAuthor
from judging.models.campaign import Campaign, Deviation, Round, Task, TaskUnit
from judging.models.check import AcceptedValue, CheckItem, CheckKind, CheckTask
from judging.models.conditions import (
    Device,
    InputKind,
    KeywordDisplay,
    PageView,
    ReviewDisplay,
)
from judging.models.crowd import CrowdEvent, CrowdPlatform, Participation
from judging.models.dry_run import DryRun
from judging.models.event import Event, EventSeal
from judging.models.exercise import (
    Exercise,
    ExerciseKey,
    QualificationTry,
    TrainedExercise,
    TryAnswer,
)
from judging.models.exit_form import ExitAnswer, ExitQuestion
from judging.models.file import StoredFile, StoredPart
from judging.models.guideline import DiscussionNote, GuidelineVersion
from judging.models.idempotent_request import IdempotentRequest
from judging.models.job import Job, WorkerPresence
from judging.models.judgment import Judgment, JudgmentAttribute
from judging.models.machine_judge import SAME_TEXT, JudgeKey, MachineJudge, MachineJudgment
from judging.models.material import (
    Attribute,
    Collection,
    CollectionShare,
    Passage,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from judging.models.people import (
    AccessKey,
    Enrollment,
    Erasure,
    Exclusion,
    Invitation,
    LogInAttempts,
    Membership,
    User,
    Visit,
)
from judging.models.rubric import Criterion, Rubric, RubricDraft, ScalePoint
from judging.models.score import Metric, Score
from judging.models.second_factor import SecondFactor
from judging.models.selected_unit import SelectedUnit
from judging.models.snapshot import LiveAgreement, Snapshot
from judging.models.system_change import SystemChange
from judging.models.webhook import Webhook, WebhookDelivery

__all__ = [
    "SAME_TEXT",
    "AcceptedValue",
    "AccessKey",
    "AddedFile",
    "Adjudication",
    "Assignment",
    "Attribute",
    "BarredTask",
    "Campaign",
    "CheckItem",
    "CheckKind",
    "CheckTask",
    "Collection",
    "CollectionShare",
    "Criterion",
    "CrowdEvent",
    "CrowdPlatform",
    "Deviation",
    "Device",
    "DiscussionNote",
    "Draft",
    "DryRun",
    "Enrollment",
    "Erasure",
    "Event",
    "EventSeal",
    "Exclusion",
    "Exercise",
    "ExerciseKey",
    "ExitAnswer",
    "ExitQuestion",
    "FileRow",
    "FilledBlank",
    "GuidelineVersion",
    "IdempotentRequest",
    "InputKind",
    "Invitation",
    "Job",
    "JudgeKey",
    "Judgment",
    "JudgmentAttribute",
    "KeywordDisplay",
    "LiveAgreement",
    "LogInAttempts",
    "MachineJudge",
    "MachineJudgment",
    "Marking",
    "Membership",
    "Metric",
    "Note",
    "PageView",
    "Participation",
    "Passage",
    "QualificationTry",
    "Quarantine",
    "Question",
    "QuestionSet",
    "Reference",
    "ReviewDisplay",
    "Round",
    "Rubric",
    "RubricDraft",
    "ScalePoint",
    "Score",
    "SecondFactor",
    "SelectedUnit",
    "SettledValue",
    "Snapshot",
    "Source",
    "SpanMark",
    "StoredFile",
    "StoredPart",
    "System",
    "SystemAuthor",
    "SystemChange",
    "Task",
    "TaskUnit",
    "TrainedExercise",
    "TryAnswer",
    "Unit",
    "User",
    "Visit",
    "Webhook",
    "WebhookDelivery",
    "WorkerPresence",
]
