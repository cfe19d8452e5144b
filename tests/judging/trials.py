"""Pilot and calibration rounds in tests: opened on a draft, and judged to the end by annotators."""

from collections.abc import Callable
from datetime import UTC, datetime

from judging.campaigns.actions import rounds
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.quality.actions import checks
from judging.work.actions import assignments, judgments, sheets
from judging.work.actions.assignments import Here
from judging.work.actions.drafts import SentPage

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
Say = Callable[[str, str], int]  # a question's text and a criterion's key, to a value


def begun(
    campaign: Campaign,
    *,
    kind: str = "calibration",
    size: int = 2,
    annotators: int = 2,
    apart: bool = True,
) -> Round:
    return rounds.start_round(
        campaign=campaign,
        kind=kind,
        size=size,
        annotators=annotators,
        apart=apart,
        by=campaign.created_by,
        now=NOW,
    )


def judged(
    enrollment: Enrollment, round: Round, say: Say = lambda text, key: 3, *, most: int = 1_000
) -> int:
    """Judge a round's tasks until none is left for the annotator; return how many."""
    round.campaign.refresh_from_db()
    for done in range(most):
        found = assignments.claim_assignment(enrollment=enrollment, round=round)
        if not isinstance(found, Here):
            return done
        related = ("task", "enrollment", "round__campaign__protocol")
        own = Assignment.objects.select_related(*related).get(pk=found.assignment.pk)
        sheet = sheets.sheet_of_assignment(own)
        texts = {question.unit: question.text for question in sheet.questions()}
        given = [
            (asked, say(texts.get(asked.unit, ""), asked.criterion.key)) for asked in sheet.asked()
        ]
        judgments.submit_and_claim_next(
            claim_next=checks.claim_next_with_checks,
            assignment=own,
            page=SentPage(given, 1, None),
            token=own.submit_token,
            sheet=sheet,
        )
    return most


def sources(round: Round) -> set[str]:
    """Return the keys of the sources a round is judged on."""
    return set(round.tasks.values_list("task_units__unit__question_set__source__key", flat=True))
