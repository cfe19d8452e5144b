"""The tasks of the queue. Each carries only a job's id; the job's row holds its parameters."""

import functools
import json
import logging
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

from celery import Signature, Task, chord, current_app, shared_task
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection, transaction
from django.dispatch import receiver
from django.utils import timezone

from judging import guards
from judging.actions import (
    assignments,
    campaigns,
    collections,
    draw_checks,
    draws,
    dry_runs,
    enrollments,
    idempotent_requests,
    jobs,
    judge_jobs,
    log_ins,
    outages,
    participations,
    retention,
    snapshots,
    visits,
    webhooks,
)
from judging.imports import files, take_back
from judging.models import AddedFile, Campaign, Collection, Enrollment, Job, User
from judging.refusals import Refused

log = logging.getLogger(__name__)
Doing = Callable[..., Mapping[str, Any]]
First = Callable[[jobs.Work], Any]
Undo = Callable[[Any], None]
Right = Callable[[User, Job], bool]
RIGHTS: dict[str, Right | None] = {}  # by kind of job
SWEEPING, CLOCK = threading.Lock(), assignments.DatabaseClock()
LONGEST_COUNTDOWN = 15 * 60  # seconds that a broker keeps a task
EXPIRY = 30  # seconds after which the sweep has sent another task for a webhook
NO_MORE = "The user who asked for this no longer has the right."


def ring(job_id: uuid.UUID | str) -> None:
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


def ring_queued() -> None:
    """Tell the workers about all queued jobs that they may not know of."""
    if not settings.CELERY_BROKER_URL:
        jobs.notify()
        return
    for job in jobs.to_send():
        ring(job.pk)


def ring_parts(job: Job) -> None:
    """Tell the workers about the parts of a job. Redis counts those that have ended and then starts
    the job again, as the sweep does for other brokers and if a message is lost."""
    if not settings.CELERY_BROKER_URL.startswith("redis"):
        ring_queued()
        return
    try:
        chord([_message(part) for part in jobs.to_send(parent=job)])(_message(job))
    except Exception:  # the broker's library may raise anything
        log.warning("The broker could not be reached; the sweep will send the parts of %s.", job)


def _message(job: Job) -> Signature:
    return current_app.signature(job.kind, args=[str(job.pk)], queue=job.queue, immutable=True)


def begin(start: Callable[..., Job], **asked: Any) -> Job:
    """Have an action create a job, and notify the workers once it is stored."""
    with transaction.atomic():
        job = start(**asked)
        transaction.on_commit(lambda: ring(job.pk))
    return job


def begin_once(
    *,
    kind: str,
    by: User,
    campaign: Campaign | None = None,
    collection: Collection | None = None,
    **parameters: Any,
) -> Job:
    """Start a job for work that would take a page too long; if the same job is already unfinished,
    return that one."""
    with transaction.atomic():
        if campaign:
            Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        if collection:
            Collection.objects.select_for_update(no_key=True).get(pk=collection.pk)
        asked: dict[str, Any] = {
            "kind": kind,
            "parameters": parameters,
            "campaign": campaign,
            "collection": collection,
        }
        same = Job.objects.unfinished().filter(**asked)
        if kind in jobs.OWED:  # each manager has their own: another's fails if that role ends
            same = same.filter(created_by=by)
        if under_way := same.first():
            return under_way
        job = jobs.enqueue(by=by, **asked)
        transaction.on_commit(lambda: ring(job.pk))
    return job


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
            if job := jobs.claim(job_id=job_id):
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
                        jobs.finish(job=job, result=result, total=work.total)
                except BaseException:
                    if undo:
                        undo(*given)
                    raise
        except jobs.PartsStarted as started:
            jobs.wait_for_parts(job=job, total=started.total)
            ring_parts(job)
        except jobs.JobCancelled:
            jobs.stop(job=job)
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


@shared_task(name="judging.sweep", throws=(DatabaseError, InterfaceError))
def sweep() -> None:
    """Do what beat asks for every few seconds; a sweep of this process that still runs is enough.

    Sweeps of two processes at once do no harm.
    """
    if SWEEPING.acquire(blocking=False):
        try:
            sweep_once(now=time.monotonic(), clock=CLOCK)
        finally:
            SWEEPING.release()


def sweep_once(*, now: float, clock: assignments.DatabaseClock) -> None:
    """Start lost jobs and webhooks again, release assignments whose lease has expired, refresh the
    counts of overviews; `now` is the monotonic time."""
    _give_way()
    jobs.say_alive(worker=jobs.SWEEP)
    jobs.requeue_lost()
    ring_queued()
    assignments.begin_leases_anew(clock_was_set=clock.was_set(now=now))
    assignments.release_due()
    participations.release_due(now=timezone.now())
    webhooks.note_reached_targets()
    _send_webhooks(webhooks.due())
    snapshots.refresh_one(now=timezone.now())


@shared_task(name="judging.clean_up", throws=(DatabaseError, InterfaceError))
def clean_up() -> None:
    """Delete sessions that have ended, and personal data that are kept only for a time."""
    _give_way()
    now = timezone.now()
    visits.clear(now=now)
    enrollments.forget_visitors(now=now)
    log_ins.forget_old(now=now)
    retention.forget_due(now=now)
    files.delete_old_rows(now=now)
    idempotent_requests.delete_old(now=now)
    webhooks.delete_old(now=now)
    jobs.forget_files()
    dry_runs.forget_left()


def _give_way() -> None:
    """Give way to the holder of a lock before PostgreSQL checks for deadlocks (after a second), so
    that no other statement fails."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '500ms'")


@shared_task(
    name="judging.send_webhook",
    bind=True,
    max_retries=None,
    throws=(DatabaseError, InterfaceError),
)
def send_webhook(self: Task, webhook: int) -> None:
    """Send the messages of a webhook that are due, and those that were not accepted again later.

    The rows know when each message is due, so a task that is lost is started again by the sweep. It
    starts those of long delays as well, because brokers do not keep a task for hours.
    """
    delay = webhooks.send_due(webhook=webhook)
    if delay is not None and delay <= LONGEST_COUNTDOWN:
        raise self.retry(countdown=delay, expires=delay + EXPIRY)


@receiver(webhooks.messages_queued)
def send_after_commit(sender: Any, webhooks: Sequence[int], **about: Any) -> None:
    """Start the tasks that send new messages."""
    transaction.on_commit(lambda: _send_webhooks(webhooks))


def _send_webhooks(ids: Iterable[int]) -> None:
    for pk in ids:
        try:
            send_webhook.apply_async([pk], retry=False, expires=EXPIRY)
        except Exception:  # the broker's library may raise anything, and the page must not fail
            log.warning("The broker could not be reached; the sweep will send to webhook %s.", pk)
            return


@job_task(campaigns.LAUNCH, right=guards.manages)
def launch(work: jobs.Work) -> Mapping[str, Any]:
    """Open a large campaign: lay out its tasks and places."""
    campaign = work.job.campaign
    campaigns.open_(
        campaign=campaign, now=timezone.now(), by=work.job.created_by, progress=work.progress
    )
    snapshots.take(campaign=campaign, now=timezone.now())  # so that no page waits for it
    return {"campaign": str(campaign.uuid)}


@job_task(draw_checks.KIND, right=guards.manages)
def check_draws(work: jobs.Work) -> Mapping[str, Any]:
    """Check whether a closed campaign was drawn as its revealed secret says."""
    work.progress(0, 0, "Reading the draws")
    document = draws.document(work.job.campaign)
    return {"problems": draw_checks.problems(json.loads("".join(draws.written(document))))}


@job_task(campaigns.DISCARD, right=guards.manages)
def discard(work: jobs.Work) -> Mapping[str, Any]:
    """Delete a draft with many tasks and places."""
    campaign = work.job.campaign
    campaigns.discard(campaign=campaign, by=work.job.created_by, progress=work.progress)
    return {"removed": campaign.title}


@job_task(jobs.ERASE, right=guards.manages)
def erase(work: jobs.Work) -> Mapping[str, Any]:
    """Erase an annotator with many tasks, on their demand."""
    own = Enrollment.objects.filter(campaign=work.job.campaign)
    person = own.filter(pk=work.job.parameters["enrollment"]).first()
    if person is None:
        raise jobs.CannotDo("This annotator is erased already.")
    enrollments.erase(
        enrollment=person, by=work.job.created_by, now=timezone.now(), progress=work.progress
    )
    return {}


def _files(work: jobs.Work) -> list[AddedFile]:
    """Return the files that a job is about, in their order; some may be gone."""
    wanted = AddedFile.objects.filter(
        collection=work.job.collection, pk__in=work.job.parameters["files"]
    )
    if not (found := list(wanted.listed())):
        raise jobs.CannotDo("The files are gone already.")
    return found


@job_task(files.EXAMINE, right=guards.owns)
def examine_file(work: jobs.Work) -> Mapping[str, Any]:
    """Preview what a file would add to its dataset."""
    from judging.imports import adding  # loads pandas, which no page needs

    [added] = _files(work)
    work.progress(0, 0, "Reading and matching")
    rubrics = guards.rubrics_of(work.job.created_by)
    adding.examine(added=added, rubrics=rubrics, progress=work.progress)
    return {work.job.parameters.get("shows", "file"): added.number}


@job_task(files.PREVIEW_ALL, right=guards.owns)
def preview_files(work: jobs.Work) -> Mapping[str, Any]:
    """Preview what several files would add to their dataset together."""
    from judging.imports import adding  # loads pandas, which no page needs

    waiting = _files(work)
    rubrics = guards.rubrics_of(work.job.created_by)
    adding.examine_all(waiting=waiting, rubrics=rubrics, progress=work.progress)
    return {"files": len(waiting)}


@job_task(files.ADD, right=guards.owns, first=_files, undo=files.match_again_all)
def add_files(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    """Add files to a dataset: all of them or none."""
    return _add(work, waiting)


def _add(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    from judging.imports import adding  # loads pandas, which no page needs

    done = adding.add_all(
        waiting=waiting,
        by=work.job.created_by,
        now=timezone.now(),
        rubrics=guards.rubrics_of(work.job.created_by),
        progress=work.progress,
        accept_surprises=work.job.parameters.get("accept_surprises", False),
    )
    return {
        "collection": work.job.collection_id,
        "quarantined": sum(each.brought["quarantined"] for each in done),
    }


@job_task(files.ADD_ROWS, right=guards.owns, first=_files, undo=files.match_again_all)
def add_rows(work: jobs.Work, waiting: list[AddedFile]) -> Mapping[str, Any]:
    """Add the rows that a program sent, with the roles that are proposed for their columns."""
    return _add(work, waiting)


@job_task(files.TAKE_BACK, right=guards.owns)
def take_back_file(work: jobs.Work) -> Mapping[str, Any]:
    """Take a large file back."""
    [added] = _files(work)
    take_back.take_back(
        added=added, by=work.job.created_by, now=timezone.now(), progress=work.progress
    )
    return {"files": 1}


@job_task(judge_jobs.KIND, right=guards.manages, whole=False, timed=False)
def ask_judge(work: jobs.Work) -> Mapping[str, Any]:
    """Ask an LLM judge at an address; each answer commits as it arrives. If the user loses the
    right meanwhile, nothing more is asked: the job may take days."""
    return judge_jobs.execute(work, check=partial(check_right, right=guards.manages))


@job_task(judge_jobs.ADD, right=guards.manages, first=judge_jobs.read_table)
def add_judge(work: jobs.Work, read: tuple[Any, ...]) -> Mapping[str, Any]:
    """Store an LLM judge whose table is large: read first, then stored in one transaction."""
    return judge_jobs.add(work, *read)


@job_task(collections.DELETE, right=guards.owns)
def delete_collection(work: jobs.Work) -> Mapping[str, Any]:
    """Remove a large collection."""
    collection = work.job.collection
    if collection is None:
        raise jobs.CannotDo("The dataset is gone already.")
    collections.delete(collection=collection, by=work.job.created_by, progress=work.progress)
    return {"deleted": collection.name}
