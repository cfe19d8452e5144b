"""All agreement of millions of judgments: value counts made by PostgreSQL, coefficients with
intervals from those.

Intervals are over sources, each with six units, and also over units: then PostgreSQL need not
return a unit's source, and only a few hundred rows are read.

    OMP_NUM_THREADS=1 .venv/bin/python bench/judgments.py [--judgments 10_000_000]

A PostgreSQL of its own is made in a temporary folder and removed again; five annotators judge every
question on three criteria of three points. The floor printed beside it is the time that the
database needs to count the rows once. Memory is the peak of this process and its server process.
"""

import argparse
import resource
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402

ANNOTATORS, CRITERIA, UNITS_A_TASK = 5, 3, 6
MATERIAL = (
    """
    INSERT INTO judging_source
        (id, dataset_id, key, position, answer, sentence, target_type, modality, language)
    SELECT task, %(dataset)s, task::text, task, '', '', '', '', '' FROM generate_series(1, %(tasks)s) AS task
    """,
    """
    INSERT INTO judging_questionset (id, source_id, system_id, expected)
    SELECT task * %(units)s + slot, task, slot, 1
    FROM generate_series(1, %(tasks)s) AS task, generate_series(1, %(units)s) AS slot
    """,
    "INSERT INTO judging_unit (id, question_set_id, position) SELECT id, id, 1 FROM judging_questionset",
)
ROWS = """
    WITH assigned AS (
        INSERT INTO judging_assignment (id, round_id, task_id, place, position, enrollment_id, state, stage,
                                        submit_token, held_at, submitted_at, active_seconds)
        SELECT gen_random_uuid(), %(round)s, task, e.place, task, e.id, 'submitted', 0,
               gen_random_uuid(), now(), now(), 0
        FROM generate_series(1, %(tasks)s) AS task,
             (SELECT id, row_number() OVER (ORDER BY id) AS place FROM judging_enrollment) AS e
        RETURNING id, task_id
    )
    INSERT INTO judging_judgment (assignment_id, unit_id, criterion_id, value, origin, cause, revision, created_at)
    SELECT a.id, a.task_id * %(units)s + slot, c.id, 1 + least(2, floor(random() * 3.5))::int, 'judged', '', 1, now()
    FROM assigned a, generate_series(1, %(units)s) AS slot, (SELECT id FROM judging_criterion ORDER BY id LIMIT 3) AS c
"""


def filled(judgments: int) -> Any:
    """Return a campaign with a number of judgments; rows are inserted without checks of foreign
    keys, to save time."""
    from django.db import connection, transaction

    from judging.campaigns.models.campaign import Campaign, Round
    from judging.campaigns.models.members import Enrollment
    from judging.datasets.models.dataset import Dataset
    from judging.people.models.user import User
    from judging.protocols import documents
    from judging.protocols.actions import protocols

    by = User.objects.create(username="bench")
    protocol = protocols.install(document=documents.shipped("qgbench"))
    dataset = Dataset.objects.create(name="Bench", owner=by)
    campaign = Campaign.objects.create(
        title="Bench", created_by=by, protocol=protocol, dataset=dataset
    )
    main = Round.objects.create(campaign=campaign)
    Enrollment.objects.bulk_create(
        Enrollment(campaign=campaign, label=f"A{i}") for i in range(ANNOTATORS)
    )
    tasks = judgments // (ANNOTATORS * CRITERIA * UNITS_A_TASK)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        sizes = {
            "tasks": tasks,
            "units": UNITS_A_TASK,
            "dataset": dataset.pk,
            "round": main.pk,
        }
        for rows in (*MATERIAL, ROWS):
            cursor.execute(rows, sizes)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return campaign


def server_memory() -> float:
    """Return the most memory, in MB, that the server process of this connection held."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        lines = Path(f"/proc/{cursor.fetchone()[0]}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def measure(judgments: int) -> None:
    import django

    django.setup()
    from django.db import connection

    from analysis import frames
    from judging.work.models.judgment import Judgment

    start = time.perf_counter()
    campaign = filled(judgments)
    print(f"{judgments:,} judgments made in {time.perf_counter() - start:.0f} s")
    connection.close()
    start = time.perf_counter()
    rows = Judgment.objects.count()
    floor = time.perf_counter() - start
    for by_source in (False, True):
        start = time.perf_counter()
        counted = frames.count_values(campaign, by_source=by_source)
        read = time.perf_counter() - start
        print(
            f"{len(counted)} criteria of {rows:,} rows counted over {'sources' if by_source else 'units'}: "
            f"{read:.1f} s, {read / floor:.1f} x counting the rows once"
        )
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"memory: this process {own:.0f} MB, its server process {server_memory():.0f} MB; goal 2,000 MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--judgments", type=int, default=1_000_000)
    judgments = parser.parse_args().judgments
    with own_database():
        measure(judgments)


if __name__ == "__main__":
    main()
