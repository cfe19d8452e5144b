"""Files that a real worker reads, adds and takes back: progress, cancel, and the worker's deaths."""

import os
import signal
from datetime import timedelta

import pytest
from django.utils import timezone

from judging.datasets.models.dataset import Passage, Question
from judging.datasets.models.score import Metric, Score
from judging.formats.mapping import Mapping
from judging.imports.actions import files
from judging.jobs import storage, tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User
from tests import factories
from tests.conftest import KeptWorker
from tests.judging.imports.studies import MATERIAL, adding_job, assembled, scored, waiting
from tests.judging.imports.watching import asked, children, imports_held, over, wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.jobs]

ROWS = 6_000
HELD = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'COPY%%judging_score%%'"


def large(rows: int = ROWS) -> bytes:
    lines = (
        f"{row // 4},Lock {row // 4} was built.,S{row % 4},Who built lock {row}?,0.5\n"
        for row in range(rows)
    )
    return ("source_id,passage,system,question,Bleu_4\n" + "".join(lines)).encode()


def started(owner: User) -> Job:
    job = adding_job(owner, large())
    tasks.announce_job(job.pk)
    return job


@pytest.mark.long
def test_a_worker_adds_a_large_file_and_shows_how_far_it_is(worker):
    owner = factories.researcher()
    with imports_held():
        job = started(owner)
        held = wait_for(job, lambda job: job.done > 0)
        assert (held.state, held.done < held.total) == ("running", True)
    wait_for(job, over)

    assert (job.state, job.error) == ("done", "")
    assert job.done == job.total > 0
    assert Question.objects.count() == ROWS
    assert Passage.objects.count() == ROWS // 4


@pytest.mark.long
def test_a_worker_previews_a_large_file_for_a_page(worker):
    owner = factories.researcher()
    dataset = files.create_dataset(name="Large", by=owner)
    kept = storage.store_bytes(large())
    added = files.upload_file(dataset=dataset, name="large.csv", file=kept, by=owner)
    files.choose_mapping(added=added, mapping=Mapping(), protocol=None)
    said = {"by": owner, "dataset": dataset}
    job = jobs.enqueue(kind=files.EXAMINE, parameters={"files": [added.pk]}, **said)
    gone = jobs.enqueue(kind=files.EXAMINE, parameters={"files": [0]}, **said)
    tasks.announce_job(job.pk)
    wait_for(job, over)
    wait_for(gone, over)

    added.refresh_from_db()
    assert (job.state, job.error) == ("done", "")
    assert added.examined[files.MATCHED]["expected"]["new"] == ROWS
    assert added.rows.count() == ROWS
    assert (gone.state, gone.error) == ("failed", "The files are gone already.")


def test_a_cancelled_import_leaves_nothing(worker):
    owner = factories.researcher()
    with imports_held():
        job = started(owner)
        wait_for(job, lambda job: job.state == "running")
        jobs.cancel_job(job=job)
        for _ in range(2):  # the second sign of life began after the cancel, so it has seen it
            last = job.heartbeat_at
            wait_for(job, lambda job, last=last: job.heartbeat_at > last or over(job))

    wait_for(job, over)
    assert job.state == "cancelled"
    assert Passage.objects.count() == 0
    assert Question.objects.count() == 0


def test_job_whose_process_is_killed_is_taken_over_at_once(worker):
    owner = factories.researcher()
    with imports_held():
        job = started(owner)
        wait_for(job, lambda job: bool(asked(HELD)))
        for pid in children(worker.pid):
            # pages first
            assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(
                os.PRIO_PROCESS, worker.pid
            )
            os.kill(pid, signal.SIGKILL)
        wait_for(job, lambda job: (job.state, job.attempts) == ("running", 2))
    wait_for(job, lambda job: job.state not in ("queued", "running"))

    assert (job.state, job.attempts, job.error) == ("done", 2, "")
    assert Question.objects.count() == ROWS


@pytest.mark.long
def test_a_file_whose_adding_is_killed_is_added_whole_and_once(worker):
    dataset = assembled()
    text = "passage,answer,system,question,Bleu_4\nHerons wade at dawn.,at dawn,Alba,When do herons wade?,0.5\n"
    added = waiting(dataset, text, columns={**MATERIAL, **scored("Bleu_4")})
    with imports_held():
        job = jobs.enqueue(
            kind=files.ADD,
            parameters={"files": [added.pk], "accept_surprises": True},
            by=dataset.owner,
            dataset=dataset,
        )
        tasks.announce_job(job.pk)
        wait_for(job, lambda job: bool(asked(HELD)))
        for pid in children(worker.pid):
            os.kill(pid, signal.SIGKILL)
        wait_for(job, lambda job: (job.state, job.attempts) == ("running", 2))
        added.refresh_from_db()
        assert (added.state, Metric.objects.count()) == ("waiting", 0), "nothing is half there"
    wait_for(job, over)

    added.refresh_from_db()
    assert (job.state, job.error, added.state) == ("done", "", "added")
    assert added.brought["scores"] == Score.objects.count() == 1


@pytest.mark.long
def test_a_job_that_is_cut_off_from_the_database_begins_again(worker):
    """All connections end, as when the database is started again."""
    owner = factories.researcher()
    with imports_held():
        job = started(owner)
        wait_for(job, lambda job: bool(asked(HELD)))
        asked(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_locks WHERE relation = "
            "'judging_score'::regclass AND mode = 'ShareLock' AND granted)"
        )
        wait_for(job, lambda _job: "was cut off from the database" in KeptWorker.LOG.read_text())
        ended = timezone.now() - jobs.LEASE - timedelta(seconds=1)
        Job.objects.filter(pk=job.pk).update(heartbeat_at=ended)
        wait_for(job, lambda job: (job.state, job.attempts) == ("running", 2))
    wait_for(job, lambda job: job.state not in ("queued", "running"))

    assert (job.state, job.attempts, job.error) == ("done", 2, "")
    assert Question.objects.count() == ROWS


@pytest.mark.long
def test_a_worker_whose_idle_process_was_killed_does_the_next_job(worker):
    """Processes that share a pipe share its lock, and one that dies while it waits there takes it
    along."""
    for pid in children(worker.pid):
        os.kill(pid, signal.SIGKILL)
    job = started(factories.researcher())
    wait_for(job, lambda job: job.state not in ("queued", "running"))

    assert (job.state, job.error) == ("done", "")
