"""Measure the time that the restricted role and the history add to a submission.

    .venv/bin/python bench/trust.py [--submissions 400]

A PostgreSQL of its own, with the disk's safety off so that nothing hides a difference. One
annotator saves, submits and claims; every second submission runs as the owner of the database, the
others as the role that serves. It also measures the cost of one event of the history.
Medians of one run.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402


def measure(submissions: int) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.db import connection
    from django.utils import timezone

    from config.database import roles
    from judging.enrolments.actions import enrollments
    from judging.people.actions import history
    from judging.people.models.event import Event
    from judging.work.actions import assignments, drafts, judgments, sheets
    from tests import factories

    roles.grant()
    manager = factories.researcher()
    material = factories.dataset(sources=submissions + 1, systems=("Alba",), owner=manager)
    campaign = factories.opened(manager=manager, dataset=material, annotators_per_task=1)
    own, main = enrollments.enroll(campaign=campaign, user=factories.user()), campaign.rounds.get()
    before = Event.objects.count()
    took: dict[str, list[float]] = {"owner": [], settings.SERVER_ROLE: []}
    for number in range(submissions):
        role = "owner" if number % 2 else settings.SERVER_ROLE
        with connection.cursor() as cursor:
            cursor.execute("RESET ROLE" if role == "owner" else f"SET ROLE {role}")
        begun = time.perf_counter()
        held = assignments.claim_assignment(enrollment=own, round=main).assignment
        answers = [(asked, 2) for asked in sheets.sheet_of_assignment(held).asked()]
        drafts.save_draft(assignment=held, page=drafts.SentPage(answers, sequence=1))
        judgments.submit_task(assignment=held, token=held.submit_token)
        took[role].append(time.perf_counter() - begun)
    events = Event.objects.count() - before
    noted = []
    for _ in range(submissions):
        begun = time.perf_counter()
        history.record_event(
            Event.Act.EXPORTED, by=manager, campaign=campaign, about=f"{timezone.now()}"
        )
        noted.append(time.perf_counter() - begun)
    owner, server = (statistics.median(each) * 1000 for each in took.values())
    print(
        f"claim, save, submit as the owner {owner:.2f} ms, as the serving role {server:.2f} ms: {server / owner:.3f} x"
    )
    print(f"events written by {submissions} submissions: {events}")
    print(f"one event, sealed and committed: {statistics.median(noted) * 1000:.2f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=400)
    given = parser.parse_args()
    with own_database():
        measure(given.submissions)
