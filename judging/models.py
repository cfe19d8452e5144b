"""The tables of the domain: what is judged, by which protocol, by whom, and the judgments."""

from judging.base.models.conditions import (
    Device,
    InputKind,
    KeywordDisplay,
    PageView,
    ReviewDisplay,
)
from judging.base.models.idempotent_request import IdempotentRequest
from judging.base.models.request_count import RequestCount
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.authorship import BarredTask, SystemAuthor
from judging.campaigns.models.campaign import Campaign, Deviation, Round, Task, TaskUnit
from judging.campaigns.models.dry_run import DryRun
from judging.campaigns.models.guideline import DiscussionNote, GuidelineVersion
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.campaigns.models.members import Enrollment, Erasure, Exclusion, Invitation, Membership
from judging.campaigns.models.selected_unit import SelectedUnit
from judging.campaigns.models.webhook import Webhook, WebhookDelivery
from judging.crowd.models.crowd import CrowdEvent, CrowdPlatform, Participation
from judging.datasets.models.added_file import AddedFile, FileRow, FilledBlank
from judging.datasets.models.dataset import (
    Attribute,
    Dataset,
    DatasetShare,
    Passage,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Source,
    System,
    Unit,
)
from judging.datasets.models.score import Metric, Score
from judging.datasets.models.system_change import SystemChange
from judging.enrolments.models.exit_form import ExitAnswer, ExitQuestion
from judging.jobs.models.file import StoredFile, StoredPart
from judging.jobs.models.job import Job, WorkerPresence
from judging.llm_judges.models.llm_judge import SAME_TEXT, JudgeKey, LLMJudge, LLMJudgment
from judging.people.models.event import Event, EventSeal
from judging.people.models.two_factor import TwoFactor
from judging.people.models.user import ApiToken, LogInAttempts, User, Visit
from judging.protocols.models.protocol import Criterion, Protocol, ProtocolDraft, ScalePoint
from judging.quality.models.adjudication import Adjudication, SettledValue
from judging.quality.models.check import AcceptedValue, CheckItem, CheckKind, CheckTask
from judging.quality.models.exercise import (
    Exercise,
    ExerciseKey,
    QualificationTry,
    TrainedExercise,
    TryAnswer,
)
from judging.quality.models.snapshot import Snapshot
from judging.work.models.assignment import Draft, Marking, Note, SpanMark
from judging.work.models.judgment import Judgment, JudgmentAttribute

__all__ = [
    "SAME_TEXT",
    "AcceptedValue",
    "AddedFile",
    "Adjudication",
    "ApiToken",
    "Assignment",
    "Attribute",
    "BarredTask",
    "Campaign",
    "CheckItem",
    "CheckKind",
    "CheckTask",
    "Criterion",
    "CrowdEvent",
    "CrowdPlatform",
    "Dataset",
    "DatasetShare",
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
    "LLMJudge",
    "LLMJudgment",
    "LiveAgreement",
    "LogInAttempts",
    "Marking",
    "Membership",
    "Metric",
    "Note",
    "PageView",
    "Participation",
    "Passage",
    "Protocol",
    "ProtocolDraft",
    "QualificationTry",
    "Quarantine",
    "Question",
    "QuestionSet",
    "Reference",
    "RequestCount",
    "ReviewDisplay",
    "Round",
    "ScalePoint",
    "Score",
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
    "TwoFactor",
    "Unit",
    "User",
    "Visit",
    "Webhook",
    "WebhookDelivery",
    "WorkerPresence",
]
