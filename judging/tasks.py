"""What is done again and again, and the jobs of all subjects, which workers find here."""

import threading
import time

from celery import shared_task
from django.db import DatabaseError, InterfaceError, connection
from django.utils import timezone

from judging.base.actions import idempotent_requests, request_counts
from judging.campaigns.actions import webhooks
from judging.campaigns.tasks import send_webhooks
from judging.crowd.actions import participations
from judging.enrolments.actions import enrollments
from judging.imports import tasks as import_tasks
from judging.imports.actions import files
from judging.jobs.actions import jobs
from judging.jobs.tasks import announce_queued_jobs
from judging.llm_judges import tasks as llm_judge_tasks
from judging.overview import tasks as overview_tasks
from judging.overview.actions import dry_runs, retention
from judging.people.actions import log_ins, visits
from judging.quality.actions import snapshots
from judging.work.actions import assignments

JOBS = (import_tasks, llm_judge_tasks, overview_tasks)  # imported for the jobs that they register
SWEEPING, CLOCK = threading.Lock(), assignments.DatabaseClock()


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
    jobs.note_worker_alive(worker=jobs.SWEEP)
    jobs.requeue_lost()
    announce_queued_jobs()
    assignments.restart_leases(clock_was_set=clock.was_set(now=now))
    assignments.release_expired()
    participations.free_due_shares(now=timezone.now())
    webhooks.note_reached_targets()
    send_webhooks(webhooks.due_webhooks())
    snapshots.refresh_one(now=timezone.now())


@shared_task(name="judging.clean_up", throws=(DatabaseError, InterfaceError))
def clean_up() -> None:
    """Delete sessions that have ended, and personal data that are kept only for a time."""
    _give_way()
    now = timezone.now()
    visits.clear_sessions(now=now)
    enrollments.forget_visitors(now=now)
    log_ins.forget_old(now=now)
    retention.forget_due(now=now)
    files.delete_old_rows(now=now)
    idempotent_requests.delete_old_requests(now=now)
    request_counts.delete_old_counts(now=now)
    webhooks.delete_old_messages(now=now)
    jobs.forget_files()
    dry_runs.forget_left()


def _give_way() -> None:
    """Give way to the holder of a lock before PostgreSQL checks for deadlocks (after a second), so
    that no other statement fails."""
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '500ms'")
