"""Measure a crowd study's rush: a hundred participants of a platform who join at one moment, and
the time that kept shares add to a claim.

    .venv/bin/python bench/crowd.py [--arrivals 100] [--tasks 2000] [--share 10]

A PostgreSQL of its own is made in a temporary folder and removed again. Times are of actions,
without a web server: to join (an account, an enrollment and a share), and to get the code. The
ratio compares the first claim of an annotator who came by a link, with all those shares kept for
others, with the same claim without kept shares.
"""

import argparse
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402

CLAIMS = 50


def timed(work: Callable[[], Any]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def all_at_once(work: Callable[[Any], Any], things: Sequence[Any]) -> list[float]:
    """Do something with each thing in a thread of its own; return the milliseconds each took."""
    from django.db import connections

    taken = [0.0] * len(things)
    barrier = threading.Barrier(len(things))

    def run(index: int) -> None:
        barrier.wait()
        taken[index] = timed(lambda: work(things[index]))
        connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(things))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


def claims(campaign: Any, round: Any) -> float:
    """Return the median of first claims, each by a new annotator, undone afterwards."""
    from django.db import transaction

    from judging.work.actions import assignments
    from tests import factories

    found = []
    for _ in range(CLAIMS):
        with transaction.atomic():
            who = factories.enrollment(campaign)
            found.append(
                timed(lambda who=who: assignments.claim_assignment(enrollment=who, round=round))
            )
            transaction.set_rollback(True)
    return median(found)


def measure(arrivals: int, tasks: int, share: int) -> None:
    """Make a study, let all participants join at once, and print the times."""
    import django

    django.setup()
    from django.utils import timezone

    from judging.campaigns.models.assignment import Assignment
    from judging.campaigns.models.campaign import Round
    from judging.crowd.actions import crowd_platforms, participations
    from judging.crowd.actions.participations import Arrival
    from judging.crowd.models.crowd import Participation
    from tests.annotation import studies

    campaign = studies.opened(
        sources=tasks, systems=("Alba",), annotators_per_task=1, tasks_per_annotator=share
    )
    round = Round.objects.select_related("campaign").get(campaign=campaign, kind="main")
    platform = crowd_platforms.add_crowd_platform(
        campaign=campaign, kind="prolific", by=campaign.created_by
    )
    platform.signed = True  # in memory: no limit of arrivals a minute
    before = claims(campaign, round)
    people = [Arrival(f"{number:064d}", f"{number:064d}") for number in range(arrivals)]
    joining = sorted(
        all_at_once(
            lambda came: participations.join_from_platform(
                platform=platform, came=came, agreed=True, now=timezone.now()
            ),
            people,
        )
    )
    kept = Assignment.objects.open().filter(round=round, seat__isnull=False).count()
    after = claims(campaign, round)
    Assignment.objects.filter(round=round, state="open", seat__isnull=False).update(seat=None)
    Participation.objects.update(share=0)  # as if all of it were submitted
    own = list(Participation.objects.select_related("platform__campaign", "enrollment", "round"))
    ending = sorted(
        all_at_once(
            lambda each: participations.end_participation(participation=each, now=timezone.now()),
            own,
        )
    )
    last = int(arrivals * 0.95) - 1
    sys.stdout.write(
        f"{arrivals} join at once, {kept} places kept: median {median(joining):.0f} ms, p95 {joining[last]:.0f} ms\n"
        f"{arrivals} get their code at once: median {median(ending):.0f} ms, p95 {ending[last]:.0f} ms\n"
        f"first claim by a link: {before:.2f} ms with nothing kept, {after:.2f} ms with {kept} kept: "
        f"{after / before:.2f} times\n"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arrivals", type=int, default=100)
    parser.add_argument("--tasks", type=int, default=2_000)
    parser.add_argument("--share", type=int, default=10)
    asked = parser.parse_args()
    with own_database():
        measure(asked.arrivals, asked.tasks, asked.share)
