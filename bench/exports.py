"""The export of a campaign's judgments, as its page sends it: how long it takes, and whether memory
stays flat.

    .venv/bin/python bench/exports.py [--judgments 1_000_000]

A PostgreSQL of its own is made in a temporary folder and removed again. Two campaigns, one a tenth
as large, are exported piece by piece as a web server would send them; memory is the most this
process ever held. The API's stream of the same judgments is timed beside COPY of the same query.
"""

import argparse
import io
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.judgments import UNITS_A_TASK, filled  # noqa: E402
from bench.own_database import own_database  # noqa: E402

MATERIAL = (
    """
    INSERT INTO judging_system (id, dataset_id, name, kind)
    SELECT slot, %(dataset)s, 'System ' || slot, 'model' FROM generate_series(1, %(systems)s) AS slot
    """,
    """
    INSERT INTO judging_question (unit_id, text, key, question_type, submitted_answer)
    SELECT id, 'What does question ' || id || ' want to know of lock ' || id %% 97 || '?', '', '', ''
    FROM judging_unit
    """,
    """
    INSERT INTO judging_score (metric_id, unit_id, value, text, reason)
    SELECT %(metric)s, id, random(), '', '' FROM judging_unit
    """,
)


def measure(judgments: int) -> None:
    """Export a campaign with a number of judgments, and print time and memory."""
    import django

    django.setup()
    from django.db import connection, transaction
    from django.test import Client, override_settings
    from django.urls import reverse

    from judging.campaigns.models.members import Membership
    from judging.datasets.models.score import Metric

    campaign = filled(judgments)
    Membership.objects.create(user=campaign.created_by, campaign=campaign, role="manager")
    metric = Metric.objects.create(
        dataset=campaign.dataset, name="Bench", kind="imported", fingerprint="bench"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        for rows in MATERIAL:
            cursor.execute(
                rows,
                {
                    "dataset": campaign.dataset_id,
                    "systems": UNITS_A_TASK,
                    "metric": metric.pk,
                },
            )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(campaign.created_by)
    with override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False):
        for key in ("jsonl", "csv"):
            start, before, size, first = time.perf_counter(), time.process_time(), 0, 0.0
            for piece in client.get(reverse("judging:export", args=[campaign.uuid, key])):
                first = first or time.perf_counter() - start
                size += len(piece)
            took, own = time.perf_counter() - start, time.process_time() - before
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{judgments:,} judgments as {key}: {size / 1e6:.0f} MB in {took:.1f} s ({own:.1f} s of processor "
                f"time here), the first piece after {first:.1f} s; peak {peak:.0f} MB",
                flush=True,
            )
    print_stream_beside_copy(campaign)


def print_stream_beside_copy(campaign: Any) -> None:
    """Print the time of the API's JSON Lines as a multiple of that of COPY of the same query; the
    least of three turns counts."""
    from django.db import connection

    from judging.work.actions import judgment_rows

    rows = judgment_rows.campaign_judgments(campaign=campaign)
    columns = rows.order_by("pk").values_list(*judgment_rows.COLUMNS.values())
    sql, parameters = columns.query.sql_with_params()

    def stream() -> None:
        for _piece in judgment_rows.json_lines(rows, is_simulated=False):
            pass

    def copy() -> None:
        with connection.cursor() as cursor:
            query = cursor.mogrify(sql, parameters).decode()
            cursor.copy_expert(f"COPY ({query}) TO STDOUT", io.StringIO())

    def seconds(work: Callable[[], None]) -> float:
        began = time.perf_counter()
        work()
        return time.perf_counter() - began

    streamed, copied = (min(seconds(work) for _ in range(3)) for work in (stream, copy))
    print(f"stream of the API / COPY: {streamed / copied:.1f} × (goal: at most 3 ×)", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--judgments", type=int, default=1_000_000)
    parser.add_argument("--one", action="store_true", help="that size alone")
    arguments = parser.parse_args()
    if not arguments.one:  # a process of its own, for memory is the most that one ever held
        smaller = [sys.executable, __file__, "--one", "--judgments", str(arguments.judgments // 10)]
        subprocess.run(smaller, check=True)
    with own_database():
        measure(arguments.judgments)


if __name__ == "__main__":
    main()
