"""Rows of jobs without a worker: which are sent to a queue, and which are found to be lost."""

from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judging.jobs.actions import jobs
from judging.jobs.models.job import Job, WorkerPresence
from tests import factories

pytestmark = pytest.mark.django_db
LATER = "2099-01-01T00:00Z"


def asked(*, kind: str = "judging.launch", **columns) -> Job:
    job = jobs.enqueue(kind=kind, parameters={}, by=factories.user())
    Job.objects.filter(pk=job.pk).update(**columns)
    return job


def claimed(**columns) -> Job:
    job = jobs.claim_job(job_id=asked().pk)
    Job.objects.filter(pk=job.pk).update(**columns)
    return job


def now_is(job: Job) -> tuple[str, str]:
    job.refresh_from_db()
    return job.state, job.error or job.message


def expire_lease(job: Job) -> None:
    """Let the time pass after which a running job's worker is dead."""
    ended = timezone.now() - jobs.LEASE - timedelta(seconds=1)
    Job.objects.filter(pk=job.pk).update(heartbeat_at=ended)


def reserved() -> tuple[str, str] | None:
    return jobs.reserve(queue="celery")


def test_the_oldest_waiting_job_is_told_first_and_to_one_worker():
    first, second = asked(), asked()
    claimed()

    assert reserved() == (first.kind, str(first.pk))
    assert reserved() == (second.kind, str(second.pk))
    assert reserved() is None


def test_reserve_serves_the_user_who_was_served_longest_ago():
    first, second, third = asked(), asked(), asked()
    Job.objects.update(created_by=first.created_by)
    jobs.claim_job(job_id=first.pk)
    other = asked()
    assert reserved() == (other.kind, str(other.pk))
    jobs.claim_job(job_id=other.pk)
    again = asked(created_by=other.created_by)
    assert reserved() == (second.kind, str(second.pk))
    jobs.claim_job(job_id=second.pk)
    assert reserved() == (again.kind, str(again.pk))
    assert reserved() == (third.kind, str(third.pk))


def test_reserve_takes_jobs_of_its_queue_only():
    job = asked(queue="gpu")
    assert reserved() is None
    assert jobs.reserve(queue="gpu") == (job.kind, str(job.pk))


def test_one_job_that_waits_for_others_is_told_for_each_worker_and_the_rest_go_before():
    first, second, third = (asked(kind=jobs.WAITS_FOR_OTHERS) for _ in range(3))
    assert reserved() == (jobs.WAITS_FOR_OTHERS, str(first.pk))
    assert reserved() is None

    jobs.claim_job(job_id=first.pk)
    own = asked()
    assert reserved() == (own.kind, str(own.pk))
    assert reserved() is None

    jobs.note_worker_alive(worker="one")
    jobs.note_worker_alive(worker="two")
    assert reserved() == (jobs.WAITS_FOR_OTHERS, str(second.pk))
    assert reserved() is None
    Job.objects.filter(pk=third.pk).update(created_by=second.created_by)
    newest = asked(kind=jobs.WAITS_FOR_OTHERS)
    jobs.finish_job(job=jobs.claim_job(job_id=second.pk), result={})
    assert reserved() == (jobs.WAITS_FOR_OTHERS, str(newest.pk)), "of somebody not served yet"
    jobs.finish_job(job=jobs.claim_job(job_id=newest.pk), result={})
    assert reserved() == (jobs.WAITS_FOR_OTHERS, str(third.pk))


@pytest.mark.parametrize("rung", ["2020-01-01T00:00Z", LATER])
def test_a_job_that_was_told_in_vain_is_told_again_though_the_clock_was_set_back(rung):
    job = asked(rung_at=rung)

    assert [found.pk for found in jobs.claim_messages()] == [job.pk]
    Job.objects.filter(pk=job.pk).update(rung_at=rung)
    assert reserved() == (job.kind, str(job.pk))


def test_a_broker_is_told_of_a_waiting_job_once_in_a_while():
    job = asked()

    assert [found.pk for found in jobs.claim_messages()] == [job.pk]
    assert jobs.claim_messages() == []


def test_job_whose_lease_ended_is_put_back():
    job = claimed()
    expire_lease(job)
    assert jobs.requeue_lost() == [job]
    assert now_is(job) == ("queued", "its worker died; waiting for another")
    assert reserved() == (job.kind, str(job.pk))


def test_job_whose_lease_lies_in_the_future_is_put_back():
    job = claimed(heartbeat_at=LATER)  # the database's clock was set back
    assert jobs.requeue_lost() == [job]


def test_job_with_a_lease_is_left_alone():
    job = claimed()
    assert jobs.requeue_lost() == []
    assert now_is(job)[0] == "running"


def test_job_whose_workers_died_three_times_fails_and_says_so():
    job = claimed(attempts=jobs.ATTEMPTS)
    expire_lease(job)
    assert jobs.requeue_lost() == []
    assert now_is(job) == ("failed", "Its worker died 3 times; it was not tried again.")


def test_job_whose_process_died_is_put_back_at_once():
    job = claimed()
    jobs.put_back(job_id=job.pk)
    assert reserved() == (job.kind, str(job.pk))


def test_job_that_was_handed_out_and_never_begun_can_be_put_back():
    job = asked()
    assert reserved() == (job.kind, str(job.pk))
    jobs.put_back(job_id=job.pk)
    assert reserved() == (job.kind, str(job.pk))


def test_finished_job_is_not_put_back():
    job = claimed()
    jobs.finish_job(job=job, result={})
    jobs.put_back(job_id=job.pk)
    assert now_is(job)[0] == "done"


@pytest.mark.parametrize(("seen", "lives"), [(0, True), (60, False), (-3600, False)])
def test_a_worker_lives_that_was_seen_lately_and_not_in_the_future(seen, lives):
    jobs.note_worker_alive(worker="worker@here")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE judging_workerpresence SET seen_at = now() - make_interval(secs => %s)", [seen]
        )
    assert WorkerPresence.objects.count() == 1
    assert jobs.worker_lives() is lives
