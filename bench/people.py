"""What people who run a study wait for: the overview of a large one, its design, and a class that
qualifies at one moment.

    .venv/bin/python bench/people.py [--judgments 10000 1000000] [--tasks 100000] [--arrivals 100]

A PostgreSQL of its own is made in a temporary folder and removed again. The overview is the whole
page through Django's test client, the best of five loads, once its counts are kept; the ratio is of
the largest study and the smallest. A design is the opening of a campaign: tasks and places drawn
and written. A qualification is one try handed in by everybody at one moment, in a thread each,
without a web server; the ratio compares the median with a try of somebody alone.
"""

import argparse
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.crowd import all_at_once, timed  # noqa: E402
from bench.own_database import own_database  # noqa: E402

PEOPLE = 30
DAYS = 20
FILL = """
UPDATE judging_assignment own
SET state = 'submitted', active_seconds = 40, enrollment_id = people.id, held_at = now(),
    submitted_at = now() - make_interval(mins => (own.position %% (%(days)s * 1440))::int)
FROM judging_task task, unnest(%(people)s::bigint[]) WITH ORDINALITY AS people(id, number)
WHERE task.id = own.task_id AND own.round_id = %(round)s
    AND people.number = 1 + (own.place - 1) * %(share)s + task.number %% %(share)s;
INSERT INTO judging_judgment (assignment_id, unit_id, criterion_id, value, origin, cause, revision)
SELECT own.id, shown.unit_id, criterion.id, 1 + (random() * 2)::int, 'judged', '', 1
FROM judging_assignment own JOIN judging_taskunit shown ON shown.task_id = own.task_id,
    judging_criterion criterion
WHERE own.round_id = %(round)s AND criterion.rubric_id = %(rubric)s;
"""


def overview(judgments: int) -> tuple[float, float, int]:
    """Return the seconds of a count, and milliseconds and statements of the page."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import override_settings
    from django.utils import timezone

    from bench import judging_material
    from judging.actions import snapshots
    from judging.models import Membership

    round = judging_material.open_campaign(tasks=judgments // (3 * judging_material.PLACES) + 1)
    campaign = round.campaign
    people = [judging_material.annotator(round).pk for _ in range(PEOPLE)]
    with connection.cursor() as cursor:
        cursor.execute(
            FILL,
            {
                "people": people, "share": PEOPLE // judging_material.PLACES, "days": DAYS,
                "round": round.pk, "rubric": campaign.rubric_id,
            },
        )  # fmt: skip
    judging_material.tidy()
    counting = timed(lambda: snapshots.take(campaign=campaign, now=timezone.now())) / 1000
    assert Membership.objects.filter(campaign=campaign, user=campaign.created_by).exists()
    client = Client()
    client.force_login(campaign.created_by)

    def page() -> None:
        answer = client.get(f"/campaigns/{campaign.uuid}/")
        assert answer.status_code == 200, answer.status_code

    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False, STORAGES=plain):
        page()
        asked: list[str] = []

        def note(execute: Any, sql: str, *rest: Any) -> Any:
            asked.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(note):
            page()
        return counting, min(timed(page) for _ in range(5)), len(asked)


def design(tasks: int) -> float:
    """Return the seconds that opening a campaign of so many tasks takes."""
    from django.db import connection
    from django.utils import timezone

    from bench import judging_material
    from judging.actions import campaigns, rubrics
    from judging.models import Collection, Task, User
    from judging.models import System as Made
    from judging.protocols import documents

    by = User.objects.create_user("designer", may_create_campaigns=True)
    collection = Collection.objects.create(name="Locks", owner=by)
    rubric = rubrics.install(document=documents.shipped("qgbench"))
    system = Made.objects.create(collection=collection, name="Alba")
    material = judging_material.ROWS.partition("INSERT INTO judging_task ")[0]
    with connection.cursor() as cursor:
        cursor.execute(material, {"tasks": tasks, "collection": collection.pk, "system": system.pk})
    judging_material.tidy()
    plan = {"title": "Locks", "annotators_per_task": judging_material.PLACES}
    campaign = campaigns.create(by=by, collection=collection, rubric=rubric, plan=plan)
    campaigns.lock(campaign=campaign, now=timezone.now())
    taken = timed(lambda: campaigns.open_(campaign=campaign, now=timezone.now())) / 1000
    assert Task.objects.filter(round__campaign=campaign).count() == tasks
    return taken


def qualifications(arrivals: int) -> tuple[float, list[float]]:
    """Return the milliseconds of a try of somebody alone, and of everybody's at one moment."""
    from django.utils import timezone

    from judging.actions import qualifications as gate
    from judging.models import Enrollment
    from tests import factories
    from tests.judging.actions import test_qualifications as given

    campaign, first = given.opened("qualification")
    answers = given.given(campaign)
    people = [factories.enrollment(campaign) for _ in range(arrivals)]

    def attempt(who: Any) -> None:
        gate.attempt(enrollment=who, number=1, given=answers, now=timezone.now())

    alone = timed(lambda: attempt(first))
    taken = all_at_once(attempt, people)
    passed = Enrollment.objects.filter(campaign=campaign, qualified_at__isnull=False).count()
    assert passed == arrivals + 1, passed
    return alone, taken


def main(judgments: list[int], tasks: int, arrivals: int) -> None:
    import django

    django.setup()
    pages: dict[int, float] = {}
    for size in judgments:
        counting, pages[size], statements = overview(size)
        print(
            f"overview of {size:,} judgments: {pages[size]:.0f} ms, {statements} statements; "
            f"counted in {counting:.2f} s"
        )
    if len(pages) > 1:
        print(f"largest beside smallest: {pages[max(pages)] / pages[min(pages)]:.2f} x")
    began = time.perf_counter()
    print(f"design of {tasks:,} tasks: {design(tasks):.1f} s")
    print(f"  with its material made: {time.perf_counter() - began:.1f} s")
    alone, taken = qualifications(arrivals)
    print(
        f"{arrivals} tries of a qualification at once: median {median(taken):.0f} ms, longest "
        f"{max(taken):.0f} ms; alone {alone:.0f} ms, {median(taken) / alone:.1f} x"
    )


def parsed() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--judgments", type=int, nargs="+", default=[10_000, 1_000_000])
    options.add_argument("--tasks", type=int, default=100_000)
    options.add_argument("--arrivals", type=int, default=100)
    return options.parse_args()


if __name__ == "__main__":
    asked = parsed()
    with own_database():
        main(asked.judgments, asked.tasks, asked.arrivals)
