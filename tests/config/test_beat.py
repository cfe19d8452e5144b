"""Beat and the worker of sweeps, as `up` starts them, with no worker of jobs."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from config.data_folder import ROOT
from config.postgres import Cluster
from config.serving import programs
from judging.campaigns.actions import webhooks
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.webhook import WebhookDelivery
from judging.jobs.actions import jobs
from judging.work.actions import assignments
from tests import factories
from tests.webhook_server import WebhookServer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.jobs]
PATIENCE = 90  # seconds, on a busy machine


@contextmanager
def running(name: str, cluster: Cluster, log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run one of the programs of `up` on the test's database while the block runs."""
    [program] = [each for each in programs(port=1) if each.name == name]
    address = cluster.url(str(connection.settings_dict["NAME"]))
    own = {"DATABASE_URL": address, "QUAESTOR_PRIVATE_WEBHOOKS": "1"}
    environment = {**os.environ, **program.environment, **own}
    with log.open("w") as out:
        process = subprocess.Popen(
            program.command, cwd=ROOT, env=environment, stdout=out, stderr=out
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def wait_for(holds: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, log.read_text()[-3000:]
        time.sleep(0.1)


def lapsed(campaign: Campaign) -> QuerySet[Assignment]:
    """Claim a task whose lease then runs out; return the query that finds it once it is released."""
    round = campaign.rounds.select_related("campaign").get()
    held = assignments.claim_assignment(
        enrollment=factories.enrollment(campaign), round=round
    ).assignment
    own = Assignment.objects.filter(pk=held.pk)
    own.update(lease_expires_at=timezone.now())
    return own.filter(state="released")


def test_sweeps_run_and_webhooks_are_sent_until_accepted_while_no_worker_takes_jobs(
    cluster: Cluster, tmp_path: Path
) -> None:
    campaign = factories.opened()
    log = tmp_path / "sweeps.txt"
    with (
        closing(WebhookServer()) as server,
        running("worker of sweeps", cluster, log),
        running("beat", cluster, tmp_path / "beat.txt"),
    ):
        wait_for(lapsed(campaign).exists, log)
        webhook = webhooks.Webhook.objects.create(
            campaign=campaign,
            url=server.url,
            events=["run.finished"],
            secret=webhooks.seals.seal_secret(webhooks._new_secret()),
            created_by=campaign.created_by,
        )
        server.statuses = [503]
        webhooks.queue_test_message(webhook=webhook)
        wait_for(WebhookDelivery.objects.filter(state="delivered").exists, log)
        with connection.cursor() as cursor:  # as when the database is started again
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
        wait_for(lapsed(campaign).exists, log)
    assert WebhookDelivery.objects.get().attempts == len(server.received) == 2
    assert not jobs.worker_lives()


def test_second_beat_ends_with_the_reason(cluster: Cluster, tmp_path: Path) -> None:
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    beats = "SELECT count(*) FROM pg_locks WHERE classid = 20821 AND objid = 16965 AND granted"

    def is_held() -> bool:
        with connection.cursor() as cursor:
            cursor.execute(beats)
            return cursor.fetchone() == (1,)

    with running("beat", cluster, first):
        wait_for(is_held, first)
        with running("beat", cluster, second) as process:
            assert process.wait(timeout=PATIENCE) == 1
    assert "Another beat of this site is running; one is enough." in second.read_text()
