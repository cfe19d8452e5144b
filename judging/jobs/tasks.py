"""Jobs in the queue: telling workers about them, and registering functions for each kind.

A message carries only a job's id; the job's row holds its parameters.
"""

import functools
import logging
import socket
import uuid
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from celery import Signature, chord, current_app, shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction

from judging.base.actions import outages
from judging.base.refusals import Refused
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.models.user import User

if TYPE_CHECKING:
    from judging.campaigns.models.campaign import Campaign
    from judging.datasets.models.dataset import Dataset

log = logging.getLogger(__name__)
Doing = Callable[..., Mapping[str, Any]]
First = Callable[[jobs.Work], Any]
Undo = Callable[[Any], None]
Right = Callable[[User, Job], bool]
RIGHTS: dict[str, Right | None] = {}  # by kind of job
NO_MORE = "The user who asked for this no longer has the right."


def announce_job(job_id: uuid.UUID | str) -> None:
    """Tell the workers about a job: those that listen to the database, or by a message to a broker.

    If the message is lost, the job is not: workers check the rows every second, and the sweep sends
    messages to a broker again.
    """
    if not settings.CELERY_BROKER_URL:
        jobs.notify()
        return
    job = Job.objects.get(pk=job_id)
    try:
        current_app.send_task(
            job.kind, args=[str(job.pk)], queue=job.queue, retry=False, ignore_result=True
        )
    except Exception:  # the broker's library may raise anything, and the page must not fail
        log.warning("The broker could not be reached; the sweep will send a message for %s.", job)


def announce_queued_jobs() -> None:
    """Tell the workers about all queued jobs that they may not know of."""
    if not settings.CELERY_BROKER_URL:
        jobs.notify()
        return
    for job in jobs.claim_messages():
        announce_job(job.pk)


def execute_due_jobs() -> None:
    """Do every queued job that is due in this process, and the jobs that these queue."""
    due = Job.objects.filter(jobs.IS_DUE, ~jobs.HAS_UNFINISHED_PARTS, state=Job.State.QUEUED)
    while job := due.order_by("created_at").first():
        current_app.tasks[job.kind](str(job.pk))


def announce_parts(job: Job) -> None:
    """Tell the workers about the parts of a job. Redis counts those that have ended and then starts
    the job again, as the sweep does for other brokers and if a message is lost."""
    if not settings.CELERY_BROKER_URL.startswith("redis"):
        announce_queued_jobs()
        return
    try:
        chord([_message(part) for part in jobs.claim_messages(parent=job)])(_message(job))
    except Exception:  # the broker's library may raise anything
        log.warning("The broker could not be reached; the sweep will send the parts of %s.", job)


def _message(job: Job) -> Signature:
    return current_app.signature(job.kind, args=[str(job.pk)], queue=job.queue, immutable=True)


def start_job(start: Callable[..., Job], **asked: Any) -> Job:
    """Have an action create a job, and notify the workers once it is stored."""
    with transaction.atomic():
        job = start(**asked)
        transaction.on_commit(lambda: announce_job(job.pk))
    return job


def begin_once(
    *,
    kind: str,
    by: User,
    campaign: "Campaign | None" = None,
    dataset: "Dataset | None" = None,
    **parameters: Any,
) -> Job:
    """Start a job for work that would take a page too long; if the same job is already unfinished,
    return that one."""
    with transaction.atomic():
        for row in filter(None, (campaign, dataset)):
            type(row)._default_manager.select_for_update(no_key=True).get(pk=row.pk)
        asked: dict[str, Any] = {
            "kind": kind,
            "parameters": parameters,
            "campaign": campaign,
            "dataset": dataset,
        }
        same = Job.objects.unfinished().filter(**asked)
        if kind in jobs.OWED:  # each manager has their own: another's fails if that role ends
            same = same.filter(created_by=by)
        if under_way := same.first():
            return under_way
        job = jobs.enqueue(by=by, **asked)
        transaction.on_commit(lambda: announce_job(job.pk))
    return job


def imported(path: str) -> Callable[..., Any]:
    """Return the function at a dotted path, whose module is imported when it is called.

    Modules that compute load scipy and pandas, which would delay the start of a killed worker.
    """
    module, _, name = path.rpartition(".")

    def call(*arguments: Any) -> Any:
        return getattr(import_module(module), name)(*arguments)

    return call


def worker_name() -> str:
    return f"worker@{socket.gethostname()}"


def job_task(
    kind: str,
    *,
    right: Right | None,
    whole: bool = True,
    timed: bool = True,
    first: First | None = None,
    undo: Undo | None = None,
) -> Callable[[Doing], Doing]:
    """Register the function for jobs of a kind. `whole`: all its writes and its end are one
    transaction. `timed`: after `settings.JOB_SECONDS` it fails, as by an error.

    `right` is the right that the page offering the job requires; the user who asked must still have
    it when the job starts and while it runs, because either may take hours. It is None if the job
    is done for somebody else.

    `first` runs before that transaction and commits as it goes, so that a successor need not repeat
    it; its result is passed on. `undo` reverts what `first` made if the rest fails; if a worker
    dies, the successor's `first` does that.
    """

    def register(doing: Doing) -> Doing:
        seconds = settings.JOB_SECONDS if timed else None
        RIGHTS[kind] = right

        @shared_task(name=kind, soft_time_limit=seconds or None)
        @functools.wraps(doing)
        def task(job_id: str) -> None:
            if job := jobs.claim_job(job_id=job_id):
                _carry_out(job, doing, right=right, whole=whole, first=first, undo=undo)

        return doing

    return register


def _carry_out(
    job: Job,
    doing: Doing,
    *,
    right: Right | None,
    whole: bool,
    first: First | None,
    undo: Undo | None = None,
) -> None:
    """Do a claimed job and store its end, whichever it is."""
    with suppress(jobs.JobLost):
        try:
            may = partial(check_right, right=right)
            with jobs.Work(job, worker=worker_name(), check=may) as work:
                check_right(job, right)
                given = [first(work)] if first else []
                try:
                    with transaction.atomic() if whole else nullcontext():
                        if first:  # it took some time
                            check_right(job, right)
                        result = doing(work, *given)
                        jobs.finish_job(job=job, result=result, total=work.total)
                except BaseException:
                    if undo:
                        undo(*given)
                    raise
        except jobs.PartsStarted as started:
            jobs.wait_for_parts(job=job, total=started.total)
            announce_parts(job)
        except jobs.JobCancelled:
            jobs.stop_job(job=job)
        except jobs.JobLost:
            log.warning("%s was taken over; this worker's attempt is dropped.", job)
        except Refused as refused:
            jobs.fail(job=job, error=str(refused))
        except (DatabaseError, InterfaceError) as error:
            if not outages.is_cut_off(error):
                _fail(job, error)
            else:  # the row does not change: its lease ends, and a worker begins it again
                log.warning("%s was cut off from the database; it is begun again.", job)
                connection.close()
        except Exception as error:
            _fail(job, error)


def right_of_parent(user: User, part: Job) -> bool:
    """Return whether a user still has the right to the job that this is a part of."""
    if part.parent is None:
        raise jobs.JobLost
    right = RIGHTS[part.parent.kind]
    return right is None or right(user, part.parent)


def check_right(job: Job, right: Right | None) -> None:
    """Raise CannotDo if the user who asked for the job has lost the right to it, or the account."""
    if right is None:
        return
    asked = User.objects.get(pk=job.created_by_id)  # the current state of the account
    if not (asked.is_active and right(asked, job)):
        raise jobs.CannotDo(NO_MORE)


def _fail(job: Job, error: Exception) -> None:
    log.exception("%s failed", job)
    jobs.fail(job=job, error=outages.sentence(error) or f"{type(error).__name__}: {error}"[:2000])
