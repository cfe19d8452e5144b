"""Celery's transport on the rows of jobs, without a worker."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import pytest
from django.db import connection
from django.utils import timezone
from kombu import Connection, Consumer, Queue

from config.data_folder import ROOT
from config.postgres import PORT, Cluster
from judging.campaigns.actions import campaigns
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE = 60  # seconds for a worker to start or stop on a busy machine


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
    answers = json.loads(asked.stdout).items()
    tasks = {node.partition("@")[0]: running for node, running in answers}
    assert tasks.keys() == {"celery", "sweeps"}
    assert tasks["celery"] == []


@contextmanager
def worker_of(address: str, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker on a database while the block runs."""
    command = [sys.executable, "-m", "celery", "-A", "config", "worker", "-c", "1", "-l", "INFO"]
    environment = {**os.environ, "DATABASE_URL": address}
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def wait_for(holds: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until a condition holds, as long as a worker lives."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.1)


@pytest.mark.jobs
def test_worker_started_while_the_database_is_away_waits_and_does_the_jobs(
    cluster: Cluster, tmp_path: Path
) -> None:
    campaign = factories.campaign()
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    job = jobs.enqueue(
        kind=campaigns.LAUNCH, parameters={}, by=campaign.created_by, campaign=campaign
    )
    log, name = tmp_path / "worker.txt", f".s.PGSQL.{PORT}"
    with TemporaryDirectory() as folder:  # where the server's socket will appear
        address = cluster.url(str(connection.settings_dict["NAME"]))
        address = address.replace(quote(str(cluster.socket), safe=""), quote(folder, safe=""))
        with worker_of(address, log) as process:
            wait_for(lambda: log.read_text().count("Trying again") >= 2, process, log)
            Path(folder, name).symlink_to(cluster.socket / name)
            done = Job.objects.filter(pk=job.pk, state=Job.State.DONE)
            wait_for(done.exists, process, log)
