"""Rows of jobs without a worker: who is told of them, and who is found dead."""

from contextlib import contextmanager

import pytest
from django.db import connection
from django.utils import timezone

from judging.actions import jobs
from judging.models import Job, WorkerPresence
from tests import factories

pytestmark = pytest.mark.django_db
LATER = "2099-01-01T00:00Z"


def asked(*, kind: str = "judging.launch", **columns) -> Job:
    job = jobs.enqueue(kind=kind, parameters={}, by=factories.user())
    Job.objects.filter(pk=job.pk).update(**columns)
    return job


def claimed(**columns) -> Job:
    job = jobs.claim(job_id=asked().pk)
    Job.objects.filter(pk=job.pk).update(**columns)
    return job


def now_is(job: Job) -> tuple[str, str]:
    job.refresh_from_db()
    return job.state, job.error or job.message


@contextmanager
def lifeline(job: Job):
    """Hold a job's lifeline, as its worker does on a connection of its own."""
    line = connection.copy()
    with line.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_lock_shared(%s, %s)", [jobs.LIFELINES, jobs._lifeline(job.pk)]
        )
    yield
    line.close()


def test_the_oldest_waiting_job_is_told_first_and_to_one_worker():
    first, second = asked(), asked()
    claimed()

    assert jobs.reserve() == (first.kind, str(first.pk))
    assert jobs.reserve() == (second.kind, str(second.pk))
    assert jobs.reserve() is None


def test_one_persons_many_jobs_hold_up_no_other():
    first, second, third = asked(), asked(), asked()
    Job.objects.update(created_by=first.created_by)
    begun = jobs.claim(job_id=first.pk)
    other = asked()
    assert jobs.reserve() == (other.kind, str(other.pk))
    of_other = jobs.claim(job_id=other.pk)
    again = asked(created_by=other.created_by)
    assert jobs.reserve() is None, "one of theirs is under way"
    second.refresh_from_db()
    assert jobs.before(second) == begun
    for done in (begun, of_other):
        jobs.finish(job=done, result={})
    assert jobs.reserve() == (second.kind, str(second.pk)), "theirs began longer ago"
    begun = jobs.claim(job_id=second.pk)
    assert jobs.reserve() == (again.kind, str(again.pk))
    assert jobs.reserve() is None
    jobs.finish(job=begun, result={})
    assert jobs.reserve() == (third.kind, str(third.pk))


def test_one_job_that_waits_for_others_is_told_for_each_worker_and_the_rest_go_before():
    first, second, third = (asked(kind=jobs.WAITS_FOR_OTHERS) for _ in range(3))
    assert jobs.reserve() == (jobs.WAITS_FOR_OTHERS, str(first.pk))
    assert jobs.reserve() is None

    jobs.claim(job_id=first.pk)
    own = asked()
    assert jobs.reserve() == (own.kind, str(own.pk))
    assert jobs.reserve() is None

    jobs.say_alive(worker="one")
    jobs.say_alive(worker="two")
    assert jobs.reserve() == (jobs.WAITS_FOR_OTHERS, str(second.pk))
    assert jobs.reserve() is None
    Job.objects.filter(pk=third.pk).update(created_by=second.created_by)
    newest = asked(kind=jobs.WAITS_FOR_OTHERS)
    jobs.finish(job=jobs.claim(job_id=second.pk), result={})
    assert jobs.reserve() == (jobs.WAITS_FOR_OTHERS, str(newest.pk)), "of somebody not served yet"
    jobs.finish(job=jobs.claim(job_id=newest.pk), result={})
    assert jobs.reserve() == (jobs.WAITS_FOR_OTHERS, str(third.pk))


def test_many_erasures_of_one_person_leave_a_process_to_the_others():
    """One after the other they took all three: each begun another that goes through all reports."""
    report = asked(kind="analysis.run")
    first, second = (asked(kind=jobs.FORGET_ANNOTATORS) for _ in range(2))
    Job.objects.update(created_by=report.created_by)
    jobs.claim(job_id=report.pk)
    at_work = jobs.claim(job_id=first.pk)
    other = asked(kind="analysis.run")
    assert jobs.reserve() == (other.kind, str(other.pk))
    assert jobs.reserve() is None
    second.refresh_from_db()
    assert jobs.before(second) == at_work


def test_one_persons_long_jobs_leave_a_process_of_each_worker_to_the_others():
    scores, report = asked(kind="analysis.score"), asked(kind="analysis.run")
    file = asked()
    Job.objects.update(created_by=scores.created_by)
    assert jobs.reserve() == (scores.kind, str(scores.pk))
    assert jobs.reserve() == (file.kind, str(file.pk)), "quick jobs of the same person go on"
    assert jobs.reserve() is None
    assert jobs.before(report) is None, "what was told is not yet at work"

    at_work = jobs.claim(job_id=scores.pk)
    report.refresh_from_db()
    assert jobs.before(report) == at_work
    assert (jobs.before(file), jobs.before(at_work)) == (None, None)
    other = asked(kind="analysis.run")
    assert jobs.before(other) is None
    assert jobs.reserve() == (other.kind, str(other.pk)), "another person's is not held up"
    assert jobs.reserve() is None

    jobs.say_alive(worker="one")
    jobs.say_alive(worker="two")
    assert jobs.before(report) is None
    assert jobs.reserve() == (report.kind, str(report.pk)), "of two workers each has one to spare"
    assert jobs.reserve() is None


@pytest.mark.parametrize("kind", Job.COMPUTES)
def test_a_long_job_begins_when_the_same_persons_other_one_is_done(kind):
    first, second = asked(kind="analysis.run"), asked(kind=kind)
    Job.objects.update(created_by=first.created_by)
    running = jobs.claim(job_id=first.pk)
    assert jobs.reserve() is None
    jobs.finish(job=running, result={})
    assert jobs.reserve() == (kind, str(second.pk))


@pytest.mark.parametrize("rung", ["2020-01-01T00:00Z", LATER])
def test_a_job_that_was_told_in_vain_is_told_again_though_the_clock_was_set_back(rung):
    job = asked(rung_at=rung)

    assert [found.pk for found in jobs.to_ring()] == [job.pk]
    Job.objects.filter(pk=job.pk).update(rung_at=rung)
    assert jobs.reserve() == (job.kind, str(job.pk))


def test_a_broker_is_told_of_a_waiting_job_once_in_a_while():
    job = asked()

    assert [found.pk for found in jobs.to_ring()] == [job.pk]
    assert jobs.to_ring() == []


@pytest.mark.parametrize("heartbeat", [None, "2020-01-01T00:00Z", LATER])
def test_a_silent_job_without_a_lifeline_is_put_back_by_the_monotonic_clock_alone(heartbeat):
    job = claimed(**({"heartbeat_at": heartbeat} if heartbeat else {}))
    watch = jobs.Watch()

    assert [watch.recover(now=now) for now in (5.0, 5.0 + jobs.CUT_AFTER - 0.1)] == [0, 0]
    assert now_is(job)[0] == "running"
    assert watch.recover(now=5.0 + jobs.CUT_AFTER) == 1
    assert now_is(job) == ("queued", "its worker died; waiting for another")
    assert jobs.reserve() == (job.kind, str(job.pk))


def test_a_job_that_gives_signs_of_life_is_left_alone():
    job = claimed()
    watch = jobs.Watch()
    for now in range(4):
        Job.objects.filter(pk=job.pk).update(heartbeat_at=timezone.now())
        assert watch.recover(now=float(now)) == 0


def test_a_silent_job_whose_lifeline_stands_is_frozen_only_after_minutes():
    job = claimed(heartbeat_at="2020-01-01T00:00Z")
    watch = jobs.Watch()
    with lifeline(job):
        assert [watch.recover(now=now) for now in (0.0, 60.0)] == [0, 0]
        assert watch.recover(now=jobs.FROZEN_AFTER) == 1
    assert now_is(job)[0] == "queued"


def test_a_job_whose_workers_died_thrice_fails_and_says_so():
    job = claimed(attempts=jobs.ATTEMPTS)
    watch = jobs.Watch()

    assert [watch.recover(now=now) for now in (0.0, 9.0)] == [0, 1]
    assert now_is(job) == ("failed", "Its worker died 3 times; it was not tried again.")


def test_an_end_between_look_and_verdict_stands():
    job = claimed()
    watch = jobs.Watch()
    watch.recover(now=0.0)
    jobs.finish(job=job, result={})

    assert watch.recover(now=9.0) == 0
    assert now_is(job)[0] == "done"


@pytest.mark.parametrize(("seen", "lives"), [(0, True), (60, False), (-3600, False)])
def test_a_worker_lives_that_was_seen_lately_and_not_in_the_future(seen, lives):
    jobs.say_alive(worker="worker@here")
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE judging_workerpresence SET seen_at = now() - make_interval(secs => %s)", [seen]
        )
    assert WorkerPresence.objects.count() == 1
    assert jobs.worker_lives() is lives
