"""The jobs of all subjects of analysis, which workers find here."""

from analysis.evidence import tasks as evidence_tasks
from analysis.planning import tasks as planning_tasks
from analysis.published import tasks as published_tasks
from analysis.runs import tasks as run_tasks
from analysis.scoring import tasks as scoring_tasks

__all__ = ["evidence_tasks", "planning_tasks", "published_tasks", "run_tasks", "scoring_tasks"]
