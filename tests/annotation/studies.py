"""Campaigns as an annotator meets them: opened, with a browser's client that is logged in."""

import re

from django.test import Client

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.datasets.models.dataset import Question
from judging.protocols.models.protocol import Protocol
from judging.work.actions import assignments, sheets
from tests import factories


def opened(
    key: str | None = None,
    *,
    sources: int = 2,
    systems=("Alba", "Brisa"),
    expected: int = 1,
    protocol: Protocol | None = None,
    **fields,
) -> Campaign:
    """Return an open campaign whose questions do not say which system made them."""
    material = factories.dataset(sources=sources, systems=systems, expected=expected)
    questions = list(
        Question.objects.filter(unit__question_set__source__dataset=material).order_by("pk")
    )
    for number, question in enumerate(questions, start=1):
        question.text = f"What does the {number}th question want to know?"
    Question.objects.bulk_update(questions, ["text"])
    return factories.opened(
        dataset=material, protocol=protocol or factories.protocol(key), **fields
    )


def main_round(campaign: Campaign) -> Round:
    return Round.objects.select_related("campaign").get(campaign=campaign, kind="main")


def annotator(campaign: Campaign) -> tuple[Client, Enrollment]:
    """Return a logged-in client and whose it is."""
    enrollment = factories.enrollment(campaign)
    client = factories.logged_in(enrollment.user)
    return client, enrollment


def held(enrollment: Enrollment) -> Assignment:
    outcome = assignments.claim_assignment(
        enrollment=enrollment, round=main_round(enrollment.campaign)
    )
    return Assignment.objects.select_related("task", "enrollment", "round__campaign__protocol").get(
        pk=outcome.assignment.pk
    )


def filled(
    assignment: Assignment, *, sequence: int = 0, stage: int = 0, action: str = "submit", **values
) -> dict:
    """Return what a browser without JavaScript sends: each control with 3, or with what is given
    for its criterion."""
    assignment.refresh_from_db()
    controls = [
        asked for asked in sheets.sheet_of_assignment(assignment).asked() if asked.stage == stage
    ]
    answers = {asked.name: values.get(asked.criterion.key, 3) for asked in controls}
    form = {"token": assignment.submit_token, "sequence": sequence, "action": action, "note": ""}
    return {name: value for name, value in (answers | form).items() if value is not None}


def fields(html: str) -> set[str]:
    """Return the names of a page's controls."""
    return set(re.findall(r'name="([qs]\d+\.[^"]+)"', html))
