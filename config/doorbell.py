"""The queue of one machine or several without a broker: Celery takes its work from the rows of jobs
themselves.

There are no messages that could be lost, doubled or half written. A worker with a free process
reserves the oldest job that waits; when none does, it listens to the database until somebody rings.
"""

import faulthandler
import logging
import os
import select
import time
from queue import Empty
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from kombu.serialization import dumps
from kombu.transport import virtual

from judging.actions import jobs

TICK = 0.1  # seconds; hearing a ring costs no statement
LOOK_EVERY = 1.0  # seconds between two looks at the rows, should a ring be lost
AWAY = 0.5  # seconds before a database that does not answer is asked again
STUCK_AFTER = 10.0  # seconds in which no process is at any of the jobs that were given out
STANDS_AFTER = 60  # seconds without a tick: Celery's loop hangs, for one in a read that never ends

log = logging.getLogger(__name__)


class Channel(virtual.Channel):
    """Turns waiting jobs into messages. Nothing is ever stored: what is handed back still stands in
    its row."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.given: dict[str, tuple[str, float]] = {}  # by delivery tag: the job, and since when

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        found = jobs.reserve()
        if found is None:
            raise Empty
        kind, job_id = found
        content_type, encoding, body = dumps([[job_id], {}, {}], serializer="json")
        headers = {"lang": "py", "task": kind, "id": job_id, "root_id": job_id, "retries": 0}
        properties = {
            "delivery_info": {"exchange": "", "routing_key": queue},
            "correlation_id": job_id,
        }
        properties["delivery_tag"] = tag = self._next_delivery_tag()
        message = self.prepare_message(body, None, content_type, encoding, headers, properties)
        message["body"], properties["body_encoding"] = self.encode_body(
            message["body"], self.body_encoding
        )
        self.given[tag] = job_id, time.monotonic()
        return message

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        self.given.pop(delivery_tag, None)
        super().basic_ack(delivery_tag, multiple=multiple)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        self.given.pop(delivery_tag, None)
        super().basic_reject(delivery_tag, requeue=requeue)

    def is_free(self) -> bool:
        """Say whether a process could take a job."""
        return bool(self._consumers) and self.qos.can_consume()

    def is_idle(self) -> bool:
        """Say whether all processes were given jobs and none of these runs: they were not begun, or
        Celery was never told that they are over."""
        return not self.is_free() and jobs.none_runs([job_id for job_id, _ in self.given.values()])

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        """Keep nothing: the job's row says that it waits."""

    def _size(self, queue: str) -> int:
        return 0

    def _purge(self, queue: str) -> int:
        return 0


class Transport(virtual.Transport):
    """A broker that is the database, on the connection of the worker's main thread.

    It asks for Celery's event loop. Without one the worker's processes share a pipe and the lock on
    it, and one that is killed while it waits there takes the lock with it: no other process gets a
    job any more.
    """

    Channel = Channel
    default_port = 0
    driver_type = driver_name = "jobs"
    implements = virtual.Transport.implements.extend(asynchronous=True)

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self._listening: Any = None
        self._look_at = self._away_until = 0.0
        self._was_busy = False
        self._idle_since: float | None = None

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        loop.call_repeatedly(TICK, self.tick)

    def tick(self) -> None:
        """Hand out jobs that wait, as long as processes are free."""
        LoopWatch.since_tick = 0
        now = time.monotonic()
        if now < self._away_until:
            return
        channels: list[Any] = list(self.channels or ())
        try:
            if not any(channel.is_free() for channel in channels):
                if self._is_stuck(now, channels):
                    _end("No process is at the jobs that were given out")
                self._was_busy = True
            elif self._is_rung() or self._was_busy or now >= self._look_at:
                self._hand_out()
                self._idle_since = None
                # more may wait than was handed out
                self._was_busy = not any(channel.is_free() for channel in channels)
                self._look_at = now + LOOK_EVERY
        except (DatabaseError, InterfaceError) as problem:
            log.warning("The database does not answer; jobs wait for it: %s", problem)
            connection.close()
            self._look_at, self._away_until = 0.0, now + AWAY

    def _is_stuck(self, now: float, channels: list[Any]) -> bool:
        """Say whether for a while no process was at any job: what Celery keeps of them is
        broken."""
        if now < self._look_at:
            return False
        self._look_at = now + LOOK_EVERY
        if not any(channel.given and channel.is_idle() for channel in channels):
            self._idle_since = None
            return False
        if self._idle_since is None:
            self._idle_since = now
        return now - self._idle_since >= STUCK_AFTER

    def _hand_out(self) -> None:
        while True:
            try:
                self.cycle.get(self._deliver)  # type: ignore[union-attr]
            except Empty:
                return

    def _is_rung(self) -> bool:
        """Say whether somebody rang, without asking the server; a new connection is made to listen,
        and counts too."""
        if self._listening is None or connection.connection is not self._listening:
            with connection.cursor() as cursor:
                cursor.execute(f"LISTEN {jobs.BELL}")
            self._listening = connection.connection
            return True
        line: Any = self._listening
        if not line.notifies and select.select([line], [], [], 0)[0]:
            with connection.wrap_database_errors:
                line.poll()
        rung = bool(line.notifies)
        line.notifies.clear()
        return rung

    def driver_version(self) -> str:
        return ""


class LoopWatch:
    """Ends a worker whose loop stands still. It counts its own seconds: a machine that slept gives
    the loop as many. A worker that takes its leave has no loop any more, and may wait for its jobs
    for hours: its sweeper stops this first."""

    EVERY = 1.0
    since_tick: int | None = None  # seconds; None where another transport rings

    def __call__(self, now: float) -> None:
        if LoopWatch.since_tick is not None:
            LoopWatch.since_tick += 1
            if LoopWatch.since_tick >= STANDS_AFTER:
                _end("The loop that hands out jobs stands still")


def _end(reason: str) -> None:
    """End the worker, which its keeper starts again. There is no leave-taking: Celery would wait for
    the very processes that do nothing."""
    log.critical("%s; the worker ends, and is started again.", reason)
    faulthandler.dump_traceback()  # where each thread is
    os._exit(1)
