"""The Celery application. The row of a job in PostgreSQL is the truth; a message only names it."""

import logging
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from celery import Celery, bootsteps, signals
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES

from config import memory, site_lock

if TYPE_CHECKING:
    from judging.tasks import Sweep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["jobs"] = "config.job_transport:Transport"

# A page waits no longer for a Redis that hangs; its job is in the database anyway.
PATIENCE_WITH_REDIS = {"socket_timeout": 2, "socket_connect_timeout": 2}  # seconds

log = logging.getLogger(__name__)
app = Celery("quaestor")
app.conf.update(
    broker_url=settings.CELERY_BROKER_URL or "jobs://localhost",  # kombu wants a host name
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options=PATIENCE_WITH_REDIS
    if settings.CELERY_BROKER_URL.startswith("redis")
    else {},
    task_default_queue="celery",
    # A worker takes both queues, or those of its option -Q
    task_queues=[Queue(name, routing_key=name) for name in ("celery", "gpu")],
    task_ignore_result=True,
    task_acks_late=True,  # so that a worker takes no more jobs than it has processes
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_proc_alive_timeout=60.0,  # on a busy machine a new process takes longer than 4 s to say that it is up
    worker_lost_wait=0.5,  # seconds; a killed process has nothing more to say, and its place is free
    worker_hijack_root_logger=False,
    timezone="UTC",
)
app.autodiscover_tasks(["judging", "analysis"])


NICER = 10  # pages and the sweep come first


@signals.worker_process_init.connect
def step_back(**about: Any) -> None:
    """Let jobs compute on what pages leave of the processors, and within their part of the
    memory."""
    os.nice(NICER)
    memory.limit()


@signals.worker_init.connect
@signals.beat_init.connect
def hold_site_lock(**about: Any) -> None:
    """Keep restores and upgrades away while this process may touch the database."""
    site_lock.hold()


class Sweeper(bootsteps.StartStopStep):
    """Repeats the sweep in a thread of every worker, so that some worker does it as long as one
    lives."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self.over = threading.Event()

    def start(self, worker: Any) -> None:
        from judging.tasks import Sweep

        threading.Thread(target=self.repeat, args=(Sweep(),), name="sweep", daemon=True).start()

    def stop(self, worker: Any) -> None:
        self.over.set()

    def terminate(self, worker: Any) -> None:
        self.over.set()

    def repeat(self, sweep: "Sweep") -> None:
        """Sweep again and again until the worker stops."""
        while not self.over.is_set():
            try:
                sweep(time.monotonic())
            except (DatabaseError, InterfaceError) as problem:
                log.warning("The sweep was put off: %s", problem)
                connection.close()
            except Exception:  # the next sweep may succeed
                log.exception("The sweep failed")
            self.over.wait(sweep.EVERY)
        connection.close()


app.steps["worker"].add(Sweeper)
