"""Jobs: queueing one, claiming it, reporting its progress, ending it, and starting it again.

A running job renews its lease every second. If the lease ends, its worker has died, and another
worker starts the job again. Leases use the database's clock.
"""

import json
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Now
from django.dispatch import Signal

from judging.base.models.statements import named_statements, query_rows
from judging.base.refusals import Refused
from judging.jobs import storage
from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job, WorkerPresence
from judging.people.models.user import User

if TYPE_CHECKING:
    from judging.campaigns.models.campaign import Campaign
    from judging.datasets.models.dataset import Dataset

BEAT = 1.0  # seconds between two signs of life
BEATS_A_CHECK = 3  # signs of life between two checks whether the job may still be done
LEASE = timedelta(seconds=60)  # of a running job, and of a queued one that a worker has reserved
QUEUES = ("celery", "gpu")
PRESENT_FOR = timedelta(seconds=10)
SWEEP = "sweep"  # the name under which sweeps give a sign of life; no worker has it
SWEPT_WITHIN = timedelta(minutes=5)  # counting a large campaign may take a sweep two minutes
ATTEMPTS = 3
WAITS_FOR_OTHERS = "judging.ask_judge"  # the kind whose jobs ask an external server
DRY_RUN = "analysis.dry_run"  # the kind that fills a copy of a draft
FORGET_ANNOTATORS = "analysis.forget"  # the kind that removes erased annotators from reports
LIVE_AGREEMENT = "analysis.live_agreement"  # the kind that computes agreement for the overview
ERASE = "judging.erase"  # the kind that erases an annotator
FILE_JOBS = (  # the kinds about files of a dataset
    "judging.add_files",
    "judging.add_rows",
    "judging.examine_file",
    "judging.preview_files",
    "judging.take_back_file",
)
OWED = (FORGET_ANNOTATORS, ERASE)  # to the person who is erased: they cannot be cancelled
REMOVE_CAMPAIGN = (  # the kinds that delete the campaign they belong to
    "judging.discard",
    "analysis.remove_dry_run",
)
BRING_FILES = (
    "judging.add_judge",
    "analysis.reproduce",
)  # kinds with files that no other row refers to
FILES = ("file", "files")  # names of these files in a job's parameters
BELL = "quaestor_jobs"  # the channel of PostgreSQL's NOTIFY
LOST_TOO_OFTEN = f"Its worker died {ATTEMPTS} times; it was not tried again."

SQL = named_statements(Path(__file__).with_suffix(".sql"))
job_ended = Signal()  # sent with `job` and its last `state`, in the transaction of the end

MESSAGE_CHARACTERS = 300  # the width of the column
IS_DUE = Q(not_before=None) | Q(not_before__lte=Now())
HAS_UNFINISHED_PARTS = Exists(
    Job.objects.filter(parent=OuterRef("pk"), state__in=[Job.State.QUEUED, Job.State.RUNNING])
)


class JobCancelled(Exception):
    """A user asked for the job to stop."""


class CannotDo(Refused):
    """The job cannot be done; the message is a sentence for the user who asked for it."""

    code = "cannot_do"


class JobLost(Exception):
    """Another worker took the job over; what this one did must not be kept."""


class PartsStarted(Exception):
    """The job's parts are queued; it goes on when they have ended. `total`: the steps of all."""

    def __init__(self, total: int) -> None:
        super().__init__(total)
        self.total = total


def enqueue(
    *,
    kind: str,
    parameters: Mapping[str, Any],
    by: User,
    campaign: "Campaign | None" = None,
    dataset: "Dataset | None" = None,
) -> Job:
    """Create a queued job. The caller notifies workers with `tasks.ring` after commit."""
    return Job.objects.create(
        kind=kind,
        parameters=dict(parameters),
        created_by=by,
        campaign=campaign,
        dataset=dataset,
    )


def claim_job(*, job_id: uuid.UUID | str) -> Job | None:
    """Take a queued job by one conditional update; None if another worker has it or it is over."""
    due = Job.objects.filter(IS_DUE, ~HAS_UNFINISHED_PARTS, pk=job_id, state=Job.State.QUEUED)
    taken = due.update(
        state=Job.State.RUNNING,
        attempts=F("attempts") + 1,
        started_at=Now(),
        heartbeat_at=Now(),
        message="",
    )
    return (
        Job.objects.select_related("created_by", "campaign", "dataset").get(pk=job_id)
        if taken
        else None
    )


def start_parts(*, job: Job, kind: str, parts: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Queue the parts of a running job, each with its queue and parameters; the workers of these
    queues share them. The caller raises PartsStarted."""
    Job.objects.bulk_create(
        Job(
            kind=kind,
            queue=queue,
            parameters=dict(parameters),
            parent=job,
            created_by_id=job.created_by_id,
        )
        for queue, parameters in parts
    )


def wait_for_parts(*, job: Job, total: int) -> None:
    """Put a job whose parts are started back in the queue, where it waits for their end. This does
    not count as an attempt."""
    ended = job.parts.filter(state=Job.State.DONE).aggregate(steps=Sum("done"))
    waiting = _claimed(job).filter(cancel_requested_at__isnull=True)
    if not waiting.update(
        state=Job.State.QUEUED,
        attempts=F("attempts") - 1,
        rung_at=None,
        done=ended["steps"] or 0,
        total=total,
    ):
        stop_job(job=job)


def advance_parent(*, part: Job, steps: int, message: str) -> None:
    """Add the steps of a part to the progress of its job."""
    parent = Job.objects.filter(parts=part.pk, state=Job.State.QUEUED)
    parent.update(done=F("done") + steps, message=message[:MESSAGE_CHARACTERS])


def finish_job(*, job: Job, result: Mapping[str, Any], total: int | None = None) -> None:
    """End a claimed job successfully, in the same transaction as its results.

    `total`: how many steps it had, because a quick job ends before its first sign of life.
    """
    steps = F("total") if total is None else total
    _end(job, state=Job.State.DONE, result=dict(result), done=steps, total=steps)


def fail(*, job: Job, error: str) -> None:
    """End a claimed job with a sentence on what went wrong."""
    _end(job, state=Job.State.FAILED, error=error or "It failed without saying why.")


def stop_job(*, job: Job) -> None:
    """End a claimed job that was cancelled."""
    _end(job, state=Job.State.CANCELLED)


def result_fields(job: Job, names: Iterable[str]) -> dict[str, Any]:
    """Return some fields of a finished job's result by name, without reading the rest; True in
    place of a list or an object."""
    [[found]] = query_rows(SQL["result_fields"], {"job": str(job.pk), "names": list(names)})
    return dict(json.loads(found))


def _claimed(job: Job) -> QuerySet[Job]:
    """Select the job's row while this attempt still has it: a later attempt has a higher number."""
    return Job.objects.filter(pk=job.pk, state=Job.State.RUNNING, attempts=job.attempts)


def _end(job: Job, **columns: Any) -> None:
    if not _claimed(job).update(finished_at=Now(), heartbeat_at=Now(), **columns):
        raise JobLost(f"{job.kind} {job.pk} was taken over by another worker.")
    job.parts.all().delete()
    job_ended.send(Job, job=job, state=columns["state"])
    if job.parent_id:
        notify()  # this may have been the last part


def cancel_job(*, job: Job) -> None:
    """Ask a running job to stop at its next step, or end one that has not begun. Jobs of the kinds
    in OWED go on."""
    if job.kind in OWED:
        return
    with transaction.atomic():
        Job.objects.filter(parent=job).delete()  # a running part notices at its next step
        waiting = Job.objects.filter(pk=job.pk, state=Job.State.QUEUED)
        if waiting.update(state=Job.State.CANCELLED, finished_at=Now(), cancel_requested_at=Now()):
            job_ended.send(Job, job=job, state=Job.State.CANCELLED)
        else:
            Job.objects.filter(pk=job.pk, state=Job.State.RUNNING).update(cancel_requested_at=Now())


def delete_campaign_jobs(campaign: "Campaign") -> None:
    """Delete a campaign's jobs before the campaign is deleted. The running job that deletes it is
    kept without its campaign, visible to the user who asked for it. The job's sign of life waits
    for the end of this transaction, so this comes last."""
    removes = Q(kind__in=REMOVE_CAMPAIGN, state=Job.State.RUNNING)
    campaign.jobs.exclude(removes).delete()
    campaign.jobs.update(campaign=None)


def forget_files() -> int:
    """Delete the files that came with jobs that failed or were cancelled; return how many jobs. A
    file that other rows refer to stays."""
    brought = Job.objects.filter(kind__in=BRING_FILES, parameters__has_any_keys=FILES)
    wanted = {sha256 for job in brought.unfinished() for sha256 in _files_of(job)}
    over = list(brought.filter(state__in=[Job.State.FAILED, Job.State.CANCELLED]))
    for job in over:
        with transaction.atomic():
            hashes = _files_of(job) - wanted
            for file in StoredFile.objects.defer("content").filter(sha256__in=hashes):
                storage.release_file(file)
            left = {key: job.parameters[key] for key in job.parameters if key not in FILES}
            Job.objects.filter(pk=job.pk).update(parameters=left)
    return len(over)


def _files_of(job: Job) -> set[str]:
    """Return the hashes of the files that came with a job."""
    one, several = job.parameters.get("file"), job.parameters.get("files", ())
    return {sha256 for _name, sha256, *_ in several} | ({one} if one else set())


def claim_messages(**which: Any) -> list[Job]:
    """Return the queued jobs, or some of them, for which a broker needs a message, and note that it
    gets one. A lost message is sent again when the lease ends."""
    waiting = Job.objects.filter(
        _lease_ended("rung_at"), IS_DUE, ~HAS_UNFINISHED_PARTS, state=Job.State.QUEUED, **which
    )
    found = list(waiting)
    waiting.update(rung_at=Now())
    return found


def _lease_ended(column: str) -> Q:
    """Select the jobs without a lease; one in the future means that the clock was set back."""
    return (
        Q(**{f"{column}__isnull": True})
        | Q(**{f"{column}__lt": Now() - LEASE})
        | Q(**{f"{column}__gt": Now() + LEASE})
    )


def requeue_lost() -> list[Job]:
    """Put the jobs whose lease ended back in the queue, or fail them; return those put back."""
    lost = Job.objects.filter(_lease_ended("heartbeat_at"), state=Job.State.RUNNING)
    return [job for job in lost if _requeue(job)]


def put_back(*, job_id: uuid.UUID | str) -> None:
    """Put a job back in the queue whose process died, or that was reserved and never begun."""
    Job.objects.filter(pk=job_id, state=Job.State.QUEUED).update(rung_at=None)
    for job in Job.objects.filter(pk=job_id, state=Job.State.RUNNING):
        _requeue(job)


def notify() -> None:
    """Wake the workers that listen, at the end of the transaction if there is one."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, '')", [BELL])


def reserve(*, queue: str) -> tuple[str, str] | None:
    """Return kind and id of the queue's next job, and lease it to the caller; None if none waits."""
    arguments: dict[str, str | float] = {
        "lease": LEASE.total_seconds(),
        "present": PRESENT_FOR.total_seconds(),
        "waits": WAITS_FOR_OTHERS,
        "sweep": SWEEP,
        "queue": queue,
    }
    rows = query_rows(SQL["reserve_next"], arguments)
    return (rows[0][0], rows[0][1]) if rows else None


def note_worker_alive(*, worker: str) -> None:
    """Note that a worker is alive, or that a sweep runs; delete those that were silent for a day."""
    WorkerPresence.objects.update_or_create(name=worker, defaults={"seen_at": Now()})
    WorkerPresence.objects.filter(seen_at__lt=Now() - timedelta(days=1)).delete()


def worker_lives() -> bool:
    """Return whether any worker gave a sign of life within PRESENT_FOR."""
    return _seen_within(PRESENT_FOR).exclude(name=SWEEP).exists()


def sweeps_run() -> bool:
    """Return whether a sweep ran within SWEPT_WITHIN: beat and a worker of its queue are there."""
    return _seen_within(SWEPT_WITHIN).filter(name=SWEEP).exists()


def _seen_within(time: timedelta) -> QuerySet[WorkerPresence]:
    return WorkerPresence.objects.filter(seen_at__range=(Now() - time, Now()))


def _requeue(job: Job) -> bool:
    """Put a job back in the queue, or fail it if it was tried often enough; return whether it is
    queued."""
    if job.attempts >= ATTEMPTS:
        if _claimed(job).update(state=Job.State.FAILED, finished_at=Now(), error=LOST_TOO_OFTEN):
            job_ended.send(Job, job=job, state=Job.State.FAILED)
        return False
    queued = _claimed(job).update(
        state=Job.State.QUEUED, rung_at=None, message="its worker died; waiting for another"
    )
    return bool(queued)


class Work:
    """A claimed job at work. A thread with a connection of its own renews its lease, so that a long
    computation or transaction still shows its progress and notices a cancellation.

    `check` is called with the job's row every few seconds, and raises CannotDo if the job may not
    go on."""

    def __init__(
        self, job: Job, *, worker: str, check: Callable[[Job], None] | None = None
    ) -> None:
        self.job, self.worker = job, worker
        self._check, self._signs, self._refused = check, 0, ""
        self._shown: dict[str, Any] = {"done": job.done, "total": job.total, "message": ""}
        self._over, self._cancelled, self._lost = (
            threading.Event(),
            threading.Event(),
            threading.Event(),
        )
        self._begun = threading.Event()
        self._thread = threading.Thread(target=self._beat, name=f"beat {job.pk}", daemon=True)

    @property
    def total(self) -> int:
        """The number of steps last reported."""
        return int(self._shown["total"])

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Report how far the job is; raise JobCancelled, JobLost or CannotDo if it should not go
        on."""
        self._shown = {"done": done, "total": total, "message": message[:MESSAGE_CHARACTERS]}
        if self._cancelled.is_set():
            raise JobCancelled
        if self._lost.is_set():
            raise JobLost
        if self._refused:
            raise CannotDo(self._refused)

    def again(self) -> None:
        """Report the same progress again, to notice a cancellation while waiting."""
        self.progress(**self._shown)

    def _beat(self) -> None:
        try:
            while True:
                try:
                    self._sign()
                except (
                    DatabaseError,
                    InterfaceError,
                ):  # the server went away: the next beat connects again
                    connection.close()
                self._begun.set()
                if self._over.wait(BEAT):
                    break
        finally:
            connection.close()

    def _sign(self) -> None:
        if not _claimed(self.job).update(heartbeat_at=Now(), **self._shown):
            self._lost.set()
            return
        columns = "kind", "created_by", "campaign", "dataset", "parent", "cancel_requested_at"
        row = Job.objects.only(*columns).filter(pk=self.job.pk).first()
        if row is None:  # its campaign was deleted at this moment
            self._lost.set()
            return
        if row.cancel_requested_at:
            self._cancelled.set()
        self._signs += 1
        if self._check is not None and self._signs % BEATS_A_CHECK == 0:
            try:
                self._check(row)
            except CannotDo as refused:
                self._refused = str(refused)
            except ObjectDoesNotExist:  # its campaign or dataset is being deleted, and it as well
                self._lost.set()

    def __enter__(self) -> "Work":
        self._thread.start()
        self._begun.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
