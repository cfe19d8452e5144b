"""Celery's transport on the rows of jobs, without a worker."""

import time

import pytest
from django.utils import timezone
from kombu import Connection, Consumer, Queue

from config import doorbell
from judging.actions import jobs
from judging.models import Job
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bell():
    """Return a transport with one free process, and what was handed out."""
    got = []
    with Connection("jobs://localhost") as line, line.channel() as channel:
        consumer = Consumer(channel, [Queue("celery")], on_message=got.append)
        consumer.qos(prefetch_count=1)
        consumer.consume()
        yield line.transport, channel, got


def asked() -> Job:
    return jobs.enqueue(kind="judging.launch", parameters={}, by=factories.user())


def test_a_waiting_job_becomes_a_message_that_names_it_once(bell):
    transport, _channel, got = bell
    first, second = asked(), asked()

    transport.tick()
    transport.tick()

    [message] = got  # one process, one job
    assert message.headers["task"] == "judging.launch"
    assert message.decode() == [[str(first.pk)], {}, {}]
    message.ack()
    transport.tick()
    assert got[1].decode() == [[str(second.pk)], {}, {}]


def test_a_ring_is_heard_before_the_next_look(bell):
    transport, _channel, got = bell
    transport.tick()
    transport._look_at = time.monotonic() + 3600
    job = asked()
    transport.tick()
    assert got == []

    jobs.notify()
    deadline = time.monotonic() + 60
    while not got:
        transport.tick()
        assert time.monotonic() < deadline

    assert got[0].decode()[0] == [str(job.pk)]


def test_what_is_handed_back_still_waits_in_its_row(bell):
    transport, _channel, got = bell
    job = asked()
    transport.tick()

    got[0].requeue()

    Job.objects.filter(pk=job.pk).update(rung_at=None)
    transport.tick()
    assert got[1].decode()[0] == [str(job.pk)]


@pytest.fixture
def ended(monkeypatch):
    """Return the numbers a worker ended with; here it goes on."""
    codes = []
    monkeypatch.setattr(doorbell.os, "_exit", codes.append)
    monkeypatch.setattr(doorbell.faulthandler, "dump_traceback", lambda: None)
    return codes


@pytest.mark.parametrize("state", ["queued", "done", "gone"])
def test_a_worker_none_of_whose_processes_is_at_its_job_ends(bell, ended, state, monkeypatch):
    """A job that is over, or gone, and of whose end Celery was not told, keeps its place for ever."""
    monkeypatch.setattr(doorbell, "STUCK_AFTER", 600.0)  # no machine is as slow
    transport, channel, _got = bell
    job = asked()
    transport.tick()
    jobs.claim(job_id=job.pk)
    assert not channel.is_idle()
    if state == "gone":
        job.delete()
    else:
        at = {"done": {"finished_at": timezone.now()}}.get(state, {})
        Job.objects.filter(pk=job.pk).update(state=state, **at)
    assert channel.is_idle()

    transport._look_at, transport._idle_since = 0.0, time.monotonic() - doorbell.STUCK_AFTER + 300
    transport.tick()
    assert ended == []
    transport._look_at, transport._idle_since = 0.0, time.monotonic() - doorbell.STUCK_AFTER
    transport.tick()
    assert ended == [1]


def test_a_worker_whose_loop_stands_still_ends(bell, ended, monkeypatch):
    transport, _channel, _got = bell
    watch = doorbell.LoopWatch()
    monkeypatch.setattr(doorbell.LoopWatch, "since_tick", None)

    for _ in range(doorbell.STANDS_AFTER):
        watch(0.0)
    assert ended == []  # another transport rings: it never ticks

    transport.tick()
    for _ in range(doorbell.STANDS_AFTER - 1):
        watch(0.0)
    transport.tick()
    for _ in range(doorbell.STANDS_AFTER - 1):
        watch(0.0)
    assert ended == []
    watch(0.0)
    assert ended == [1]
