"""A full disk, memory or time limit gives a sentence, and a job that lost the database does not
fail."""

import errno

import psycopg2.errors
import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import DatabaseError, IntegrityError, OperationalError, ProgrammingError, connection

from judging.base.actions import outages
from judging.jobs import tasks
from judging.jobs.actions import jobs
from tests import factories


def refused(code: str) -> OperationalError:
    """Return the error of a statement that the server refused with this code."""
    with pytest.raises(OperationalError) as raised, connection.cursor() as cursor:
        cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{code}'; END $$")
    return raised.value


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (MemoryError(), outages.OUT_OF_MEMORY),
        (OSError(errno.ENOSPC, "No space left on device"), outages.DISK_FULL),
        (psycopg2.errors.DiskFull(), ""),  # unknown without a server's answer
        (ValueError("full"), ""),
    ],
)
def test_what_the_machine_ran_out_of_is_a_sentence(error, said):
    assert outages.sentence(error) == said


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("code", "said", "cut_off"),
    [
        ("53100", outages.DISK_FULL, False),
        ("53200", outages.OUT_OF_MEMORY, False),
        ("40P01", "", False),
        ("57P01", "", True),
        ("08006", "", True),
    ],
)
def test_what_the_database_says_is_told_apart(code, said, cut_off):
    error = refused(code)

    assert outages.sentence(error) == said
    assert outages.is_cut_off(error) is cut_off


@pytest.mark.parametrize(
    ("error", "cut_off"),
    [
        (DatabaseError("server closed the connection unexpectedly"), True),  # within a COPY
        (ProgrammingError("can't adapt type 'object'"), False),
        (IntegrityError("unlike"), False),
    ],
)
def test_without_a_code_only_the_lost_connection_is_cut_off(error, cut_off):
    error.__cause__ = psycopg2.DatabaseError(str(error))
    assert outages.is_cut_off(error) is cut_off


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("error", "state", "said"),
    [
        (MemoryError(), "failed", outages.OUT_OF_MEMORY),
        (SoftTimeLimitExceeded(), "failed", outages.TOO_SLOW.format(hours="12")),
        (OSError(errno.ENOSPC, "No space left on device"), "failed", outages.DISK_FULL),
        (OperationalError("server closed the connection unexpectedly"), "running", ""),
        (KeyError("x"), "failed", "KeyError: 'x'"),
    ],
)
def test_job_ends_with_the_sentence_or_waits_to_be_begun_again(error, state, said):
    job = jobs.enqueue(kind="judging.launch", parameters={}, by=factories.user())

    def doing(work):
        raise error

    tasks._carry_out(jobs.claim_job(job_id=job.pk), doing, right=None, whole=True, first=None)

    job.refresh_from_db()
    assert (job.state, job.error) == (state, said)
