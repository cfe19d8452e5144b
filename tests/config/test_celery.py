"""What every worker does beside its jobs."""

import time
from collections.abc import Callable

import pytest
from django.db import connection

from config.celery import Sweeper
from judging.actions import jobs
from judging.models import Job
from tests import factories

SLOW_SIGN = """
CREATE FUNCTION rest() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
CREATE TRIGGER rests BEFORE INSERT ON judging_workerpresence EXECUTE FUNCTION rest()
"""
RESTING = (
    "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
)


@pytest.mark.django_db(transaction=True)
def test_a_sweep_that_takes_long_holds_up_no_recovery():
    """Counting what an overview shows takes half a minute at a million judgments."""
    job = jobs.enqueue(kind="judging.launch", parameters={}, by=factories.user())
    jobs.claim(job_id=job.pk)  # and nobody holds its lifeline
    sweeper = Sweeper(None)
    with connection.cursor() as cursor:
        cursor.execute(SLOW_SIGN)
        try:
            sweeper.start(None)
            until(lambda: cursor.execute(RESTING) or cursor.fetchall())
            until(lambda: Job.objects.get(pk=job.pk).state == Job.State.QUEUED)
        finally:
            sweeper.stop(None)
            cursor.execute(f"SELECT pg_terminate_backend(pid) FROM ({RESTING}) AS resting")
            cursor.execute("DROP FUNCTION rest() CASCADE")


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
