"""The Celery application. A job's row in PostgreSQL is authoritative; a message only names it."""

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import Any

from celery import Celery, bootsteps, signals
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from kombu import Queue
from kombu.transport import TRANSPORT_ALIASES

from config import memory, site_lock

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
    worker_lost_wait=0.5,  # seconds; a killed process sends nothing more, and its place is free
    worker_hijack_root_logger=False,
    timezone="UTC",
)
app.autodiscover_tasks(["judging", "analysis"])


NICER = 10  # pages and the sweep come first


@signals.worker_process_init.connect
def step_back(**about: Any) -> None:
    """Run jobs at a lower priority than pages, and within their limit of memory."""
    os.nice(NICER)
    memory.limit()


@signals.worker_init.connect
@signals.beat_init.connect
def hold_site_lock(**about: Any) -> None:
    """Block restores and upgrades while this process may use the database."""
    site_lock.hold()


class Repeater(bootsteps.StartStopStep):
    """Repeats some work in a thread of every worker, so that it is done as long as one worker is
    alive."""

    requires = ("celery.worker.components:Pool",)
    thread_name: str
    every: float  # seconds between two rounds

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self.over = threading.Event()

    def work(self) -> Callable[[], object]:
        """Return the work to repeat."""
        raise NotImplementedError

    def start(self, worker: Any) -> None:
        threading.Thread(
            target=self.repeat, args=(self.work(),), name=self.thread_name, daemon=True
        ).start()

    def stop(self, worker: Any) -> None:
        self.over.set()

    def terminate(self, worker: Any) -> None:
        self.over.set()

    def repeat(self, work: Callable[[], object]) -> None:
        """Repeat the work until the worker stops."""
        while not self.over.is_set():
            try:
                work()
            except (DatabaseError, InterfaceError) as problem:
                log.warning("The %s was put off: %s", self.thread_name, problem)
                connection.close()
            except Exception:  # the next round may succeed
                log.exception("The %s failed", self.thread_name)
            self.over.wait(self.every)
        connection.close()


class Sweeper(Repeater):
    """Repeats the sweep."""

    thread_name, every = "sweep", 5.0

    def work(self) -> Callable[[], object]:
        from judging.tasks import Sweep

        sweep = Sweep()
        return lambda: sweep(time.monotonic())


class WebhookSender(Repeater):
    """Sends the messages of webhooks in parallel to jobs, so that a slow target delays no job."""

    thread_name, every = "sending of webhooks", 1.0

    def work(self) -> Callable[[], object]:
        from judging.actions import webhooks

        return webhooks.send_due


app.steps["worker"].add(Sweeper)
app.steps["worker"].add(WebhookSender)
