"""Celery's transport on the rows of jobs, without a worker."""

import json
import os
import subprocess
import sys
import time

import pytest
from django.db import connection
from kombu import Connection, Consumer, Queue

from config.postgres import ROOT
from judging.actions import jobs
from judging.models import Job
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker():
    """Return a transport with one free process, and what was handed out."""
    got = []
    with Connection("jobs://localhost") as line, line.channel() as channel:
        consumer = Consumer(channel, [Queue("celery")], on_message=got.append)
        consumer.qos(prefetch_count=1)
        consumer.consume()
        yield line.transport, channel, got


def asked() -> Job:
    return jobs.enqueue(kind="judging.launch", parameters={}, by=factories.user())


def test_a_waiting_job_becomes_a_message_that_names_it_once(broker):
    transport, _channel, got = broker
    first, second = asked(), asked()

    transport.tick()
    transport.tick()

    [message] = got  # one process, one job
    assert message.headers["task"] == "judging.launch"
    assert message.decode() == [[str(first.pk)], {}, {}]
    message.ack()
    transport.tick()
    assert got[1].decode() == [[str(second.pk)], {}, {}]


def test_a_ring_is_heard_before_the_next_look(broker):
    transport, _channel, got = broker
    transport.tick()
    transport.look_at["celery"] = time.monotonic() + 3600
    job = asked()
    transport.tick()
    assert got == []

    jobs.notify()
    deadline = time.monotonic() + 60
    while not got:
        transport.tick()
        assert time.monotonic() < deadline

    assert got[0].decode()[0] == [str(job.pk)]


def test_what_is_handed_back_still_waits_in_its_row(broker):
    transport, _channel, got = broker
    job = asked()
    transport.tick()

    got[0].requeue()

    transport.tick()
    assert got[1].decode()[0] == [str(job.pk)]


@pytest.mark.jobs
def test_celery_inspect_reaches_a_worker_through_the_database(worker, cluster):
    name = str(connection.settings_dict["NAME"])
    asked = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "config", "inspect", "active", "--json"],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": cluster.url(name)},
        capture_output=True,
        text=True,
        check=True,
    )
    [(node, tasks)] = json.loads(asked.stdout).items()
    assert node.startswith("celery@")
    assert tasks == []
