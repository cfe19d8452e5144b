"""Annotators for tests of checks and flags: they claim tasks and submit them, with given values at a
given pace."""

from collections.abc import Callable

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.members import Enrollment
from judging.work.actions import assignments, drafts, judgments, sheets
from judging.work.actions.assignments import Here
from judging.work.actions.drafts import SentPage
from judging.work.actions.sheets import AskedControl
from tests.annotation.studies import main_round

Choose = Callable[[Assignment, AskedControl], int]


def work(
    enrollment: Enrollment, *, tasks: int, choose: Choose | int, seconds: float = 60
) -> list[Assignment]:
    """Have an annotator do as many tasks as there are, up to `tasks`, `seconds` each; return the
    assignments."""
    done = []
    round = main_round(enrollment.campaign)
    for _ in range(tasks):
        outcome = assignments.claim_assignment(enrollment=enrollment, round=round)
        if not isinstance(outcome, Here):
            break
        done.append(hand_in(outcome.assignment, choose, seconds))
    return done


def hand_in(assignment: Assignment, choose: Choose | int, seconds: float = 60) -> Assignment:
    own = Assignment.objects.select_related("task", "enrollment", "round__campaign__protocol").get(
        pk=assignment.pk
    )
    sheet = sheets.sheet_of_assignment(own)
    given = [
        (asked, choose if isinstance(choose, int) else choose(own, asked))
        for asked in sheet.asked()
    ]
    drafts.save_draft(assignment=own, page=SentPage(given, 1))
    own.refresh_from_db()
    judgments.submit_task(assignment=own, token=own.submit_token, sheet=sheet)
    Assignment.objects.filter(pk=own.pk).update(active_seconds=seconds)
    own.refresh_from_db()
    return own


def varied(own, asked):
    """Choose values that differ from task to task and criterion to criterion."""
    return 1 + (own.task.number + len(asked.name)) % 3
