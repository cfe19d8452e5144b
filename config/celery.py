"""The Celery application. A job's row in PostgreSQL is authoritative; a message only names it."""

import gc
import logging
import os
from typing import Any

from celery import Celery, signals
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES

from config import memory, site_lock

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")  # checks load every page
TRANSPORT_ALIASES["jobs"] = "config.job_transport:Transport"

BY_REDIS = settings.CELERY_BROKER_URL.startswith("redis")
# A page waits no longer for a Redis that hangs; its job is in the database anyway.
PATIENCE_WITH_REDIS = {"socket_timeout": 2, "socket_connect_timeout": 2}  # seconds

# They wait for no job: a worker of its own takes their queue
SHORT_TASKS = ("judging.sweep", "judging.clean_up", "judging.send_webhook")

log = logging.getLogger(__name__)
app = Celery("quaestor")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL or "jobs://localhost",  # kombu wants a host name
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options=PATIENCE_WITH_REDIS if BY_REDIS else {},
    # Counts the parts of a job that have ended; other brokers keep no results
    result_backend=settings.CELERY_BROKER_URL if BY_REDIS else None,
    **{f"redis_{name}": seconds for name, seconds in PATIENCE_WITH_REDIS.items()},
    task_default_queue="celery",
    # A worker takes all queues, or those of its option -Q
    task_queues=[Queue(name, routing_key=name) for name in ("celery", "gpu", "sweeps")],
    task_routes={name: {"queue": "sweeps"} for name in SHORT_TASKS},
    beat_scheduler="celery.beat:Scheduler",  # in memory; no entry has to outlast beat
    beat_schedule={
        "sweep": {
            "task": "judging.sweep",
            "schedule": 5.0,
            "options": {"expires": 30, "ignore_result": True},
        },
        "clean up": {
            "task": "judging.clean_up",
            "schedule": 600.0,
            "options": {"expires": 600, "ignore_result": True},
        },
    },
    task_ignore_result=True,
    task_acks_late=True,  # so that a worker takes no more jobs than it has processes
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_proc_alive_timeout=60.0,  # on a busy machine a new process takes longer than 4 s to say that it is up
    worker_lost_wait=0.5,  # seconds; a killed process sends nothing more, and its place is free
    worker_hijack_root_logger=False,
    timezone="UTC",
)


@signals.celeryd_init.connect
def load_tasks(**about: Any) -> None:
    """Load the tasks in workers; beat knows the names that it sends."""
    app.autodiscover_tasks(["judging", "analysis"], force=True)


NICER = 10  # pages and the sweep come first


@signals.worker_process_init.connect
def step_back(**about: Any) -> None:
    """Run jobs at a lower priority than pages, and within their limit of memory."""
    os.nice(NICER)
    memory.limit()


@signals.worker_init.connect
def share_memory(**about: Any) -> None:
    """Keep the memory of loaded modules shared with the processes that are forked: the collector
    writes to each object that it looks at."""
    gc.collect()
    gc.freeze()


@signals.worker_init.connect
@signals.beat_init.connect
def hold_site_lock(**about: Any) -> None:
    """Block restores and upgrades while this process may use the database."""
    hold_or_end(site_lock.SITE)


@signals.beat_init.connect
def hold_beat_lock(**about: Any) -> None:
    """End this process if another beat runs."""
    hold_or_end(site_lock.BEAT)


def hold_or_end(lock: site_lock.Lock) -> None:
    """Hold a lock, or end this process with the reason; Celery would only log another exception."""
    try:
        site_lock.hold(lock)
    except site_lock.SiteLockRefused as refused:
        raise SystemExit(str(refused)) from None


@signals.heartbeat_sent.connect
def say_alive(**about: Any) -> None:
    """Note every two seconds that a worker is there for jobs."""
    from judging.jobs import tasks
    from judging.jobs.actions import jobs

    if not app.amqp.queues.consume_from.keys() & set(jobs.QUEUES):
        return
    try:
        jobs.note_worker_alive(worker=tasks.worker_name())
    except (DatabaseError, InterfaceError) as problem:
        log.warning("The sign of life was put off: %s", problem)
        connection.close()
