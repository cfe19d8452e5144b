"""Long work: asking for it, claiming it, saying how far it is, ending it, and finding what died."""

import threading
import uuid
from collections.abc import Mapping
from datetime import timedelta
from types import TracebackType
from typing import Any

from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from judging.models import Campaign, Collection, Job, User, WorkerPresence

BEAT = 1.0  # seconds between two signs of life
DEAD_AFTER = timedelta(seconds=30)
RING_AGAIN_AFTER = timedelta(seconds=10)
ATTEMPTS = 3


class JobCancelled(Exception):
    """Somebody asked for the job to stop."""


class CannotDo(Exception):
    """What was asked for cannot be done; the message is a sentence for whoever asked."""


class JobLost(Exception):
    """Another worker took the job over; what this one did must not be kept."""


def enqueue(
    *,
    kind: str,
    parameters: Mapping[str, Any],
    by: User,
    campaign: Campaign | None = None,
    collection: Collection | None = None,
) -> Job:
    """Write down work to be done; the caller rings with `tasks.ring` once the transaction is through."""
    return Job.objects.create(
        kind=kind, parameters=dict(parameters), created_by=by, campaign=campaign, collection=collection
    )


def claim(*, job_id: uuid.UUID | str) -> Job | None:
    """Take a queued job by one conditional update; None when another worker has it or it is over."""
    taken = Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(
        state=Job.State.RUNNING, attempts=F("attempts") + 1, started_at=Now(), heartbeat_at=Now(), message=""
    )
    return Job.objects.select_related("created_by", "campaign", "collection").get(pk=job_id) if taken else None


def finish(*, job: Job, result: Mapping[str, Any], total: int | None = None) -> None:
    """End a claimed job well, in the same transaction as what it made.

    `total`: how many steps it had; a quick job ends before its first sign of life could say so.
    """
    steps = F("total") if total is None else total
    _end(job, state=Job.State.DONE, result=dict(result), done=steps, total=steps)


def fail(*, job: Job, error: str) -> None:
    """End a claimed job with a sentence that says what went wrong."""
    _end(job, state=Job.State.FAILED, error=error or "It failed without saying why.")


def stop(*, job: Job) -> None:
    """End a claimed job that somebody cancelled."""
    _end(job, state=Job.State.CANCELLED)


def _claimed(job: Job) -> QuerySet[Job]:
    """The job's row while this attempt still has it; `attempts` is the fence."""
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts)


def _end(job: Job, **columns: Any) -> None:
    if not _claimed(job).update(finished_at=Now(), heartbeat_at=Now(), **columns):
        raise JobLost(f"{job.kind} {job.pk} was taken over by another worker.")


def cancel(*, job: Job) -> None:
    """Ask a running job to stop at its next step, or end one that has not begun."""
    with transaction.atomic():
        waiting = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED)
        if not waiting.update(state=Job.State.CANCELLED, finished_at=Now(), cancel_requested_at=Now()):
            Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested_at=Now())


def to_ring() -> list[Job]:
    """Put jobs whose worker died back in the queue, and return queued jobs that nobody took."""
    dead = Job.objects.filter(state=Job.State.RUNNING, heartbeat_at__lt=Now() - DEAD_AFTER)
    dead.filter(attempts__gte=ATTEMPTS).update(
        state=Job.State.FAILED, finished_at=Now(), error=f"Its worker died {ATTEMPTS} times; it was not tried again."
    )
    dead.update(state=Job.State.QUEUED, message="its worker died; waiting for another")
    waiting = Job.objects.filter(state=Job.State.QUEUED).filter(
        Q(rung_at__isnull=True) | Q(rung_at__lt=Now() - RING_AGAIN_AFTER)
    )
    found = list(waiting)
    waiting.update(rung_at=Now())
    return found


def say_alive(*, worker: str) -> None:
    """Note that a worker lives, and forget those that have long been silent."""
    WorkerPresence.objects.update_or_create(name=worker, defaults={"seen_at": Now()})
    WorkerPresence.objects.filter(seen_at__lt=Now() - timedelta(days=1)).delete()


def worker_lives() -> bool:
    """Say whether any worker gave a sign of life lately."""
    return WorkerPresence.objects.filter(seen_at__gt=Now() - DEAD_AFTER).exists()


class Work:
    """A claimed job at work. A thread with a connection of its own beats for it, so that a long computation or
    transaction still shows its progress and learns of a cancel."""

    def __init__(self, job: Job, *, worker: str) -> None:
        self.job, self.worker = job, worker
        self._shown: dict[str, Any] = {"done": job.done, "total": job.total, "message": ""}
        self._over, self._cancelled, self._lost = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"beat {job.pk}", daemon=True)

    @property
    def total(self) -> int:
        """The number of steps last said."""
        return int(self._shown["total"])

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Say how far the job is; raises JobCancelled or JobLost when it should not go on."""
        self._shown = {"done": done, "total": total, "message": message[:300]}
        if self._cancelled.is_set():
            raise JobCancelled
        if self._lost.is_set():
            raise JobLost

    def _beat(self) -> None:
        try:
            while not self._over.wait(BEAT):
                self._sign()
        finally:
            connection.close()

    def _sign(self) -> None:
        if not _claimed(self.job).update(heartbeat_at=Now(), **self._shown):
            self._lost.set()
        elif Job.objects.filter(pk=self.job.pk, cancel_requested_at__isnull=False).exists():
            self._cancelled.set()
        say_alive(worker=self.worker)

    def __enter__(self) -> "Work":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
