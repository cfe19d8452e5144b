"""Client of the REST API of Quaestor."""

from quaestor_client.annotators import Annotator, Control, Task
from quaestor_client.campaigns import Campaign, Campaigns, Invitation
from quaestor_client.client import Quaestor
from quaestor_client.columns import Metric
from quaestor_client.connection import QuaestorError
from quaestor_client.datasets import Dataset, Datasets, File
from quaestor_client.judgments import Judgments
from quaestor_client.llm_judges import LlmJudges
from quaestor_client.protocols import Protocol, Protocols
from quaestor_client.resources import Job, JobFailed, Jobs
from quaestor_client.rows import Rows
from quaestor_client.runs import Run
from quaestor_client.webhooks import Webhooks

__all__ = [
    "Annotator",
    "Campaign",
    "Campaigns",
    "Control",
    "Dataset",
    "Datasets",
    "File",
    "Invitation",
    "Job",
    "JobFailed",
    "Jobs",
    "Judgments",
    "LlmJudges",
    "Metric",
    "Protocol",
    "Protocols",
    "Quaestor",
    "QuaestorError",
    "Rows",
    "Run",
    "Task",
    "Webhooks",
]
