"""Client of the REST API of Quaestor."""

from quaestor_client.annotators import Annotator, Control, Task
from quaestor_client.campaigns import Campaign, Campaigns, Invitation, Judgments
from quaestor_client.client import Quaestor
from quaestor_client.connection import Job, JobFailed, QuaestorError, Rows
from quaestor_client.datasets import Dataset, Datasets
from quaestor_client.protocols import Protocol, Protocols
from quaestor_client.runs import Run

__all__ = [
    "Annotator",
    "Campaign",
    "Campaigns",
    "Control",
    "Dataset",
    "Datasets",
    "Invitation",
    "Job",
    "JobFailed",
    "Judgments",
    "Protocol",
    "Protocols",
    "Quaestor",
    "QuaestorError",
    "Rows",
    "Run",
    "Task",
]
