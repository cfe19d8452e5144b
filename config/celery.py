"""The engine that runs jobs. A message is only a doorbell: the job's row in PostgreSQL is the
truth."""

import logging
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from celery import Celery, bootsteps, signals
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from kombu.transport import TRANSPORT_ALIASES

from config import memory, site_lock

if TYPE_CHECKING:
    from config.doorbell import LoopWatch
    from judging.tasks import JobRecovery, Sweep

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
TRANSPORT_ALIASES["jobs"] = "config.doorbell:Transport"

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
    task_ignore_result=True,
    task_acks_late=True,  # so that a worker takes no more jobs than it has processes
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    worker_proc_alive_timeout=60.0,  # on a busy machine a new process takes longer than 4 s to say that it is up
    worker_lost_wait=0.5,  # seconds; a killed process has nothing more to say, and its place is free
    worker_enable_remote_control=False,  # nobody asks, and two workers of one name would lock each other out
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
    """Recovery, sweep and the watch of the loop, in a thread each of every worker: as long as one
    lives, somebody does the first two, and a sweep that takes long holds up no recovery."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self.over = threading.Event()

    def start(self, worker: Any) -> None:
        from config.doorbell import LoopWatch
        from judging.tasks import JobRecovery, Sweep

        for due in (JobRecovery(), Sweep(), LoopWatch()):
            name = type(due).__name__
            threading.Thread(target=self.repeat, args=(due,), name=name, daemon=True).start()

    def stop(self, worker: Any) -> None:
        self.over.set()

    def terminate(self, worker: Any) -> None:
        self.over.set()

    def repeat(self, due: "JobRecovery | Sweep | LoopWatch") -> None:
        """Do it again and again until the worker stops."""
        while not self.over.is_set():
            try:
                due(time.monotonic())
            except (DatabaseError, InterfaceError) as problem:
                log.warning("%s was put off: %s", type(due).__name__, problem)
                connection.close()
            except (
                Exception
            ):  # whatever it is, the next time may do better, and never again would be worse
                log.exception("%s failed", type(due).__name__)
            self.over.wait(due.EVERY)
        connection.close()


app.steps["worker"].add(Sweeper)
