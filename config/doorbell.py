"""The queue of one machine or several without a broker: Celery takes its work from the rows of jobs themselves.

There are no messages that could be lost, doubled or half written. A worker with a free process reserves the oldest job
that waits; when none does, it listens to the database until somebody rings.
"""

import logging
import select
import time
from queue import Empty
from typing import Any

from django.db import DatabaseError, InterfaceError, connection
from kombu.serialization import dumps
from kombu.transport import virtual

from judging.actions import jobs

LOOK_EVERY = 1.0  # seconds, should a ring be lost
BUSY = 0.1  # seconds between two looks for a process that has become free

log = logging.getLogger(__name__)


class Channel(virtual.Channel):
    """Turns waiting jobs into messages. Nothing is ever stored: what is handed back still stands in its row."""

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        found = jobs.reserve()
        if found is None:
            raise Empty
        kind, job_id = found
        content_type, encoding, body = dumps([[job_id], {}, {}], serializer="json")
        headers = {"lang": "py", "task": kind, "id": job_id, "root_id": job_id, "retries": 0}
        properties = {"delivery_info": {"exchange": "", "routing_key": queue}, "correlation_id": job_id}
        properties["delivery_tag"] = self._next_delivery_tag()
        message = self.prepare_message(body, None, content_type, encoding, headers, properties)
        message["body"], properties["body_encoding"] = self.encode_body(message["body"], self.body_encoding)
        return message

    def _put(self, queue: str, message: dict[str, Any], **options: Any) -> None:
        """Keep nothing: the job's row says that it waits."""

    def _size(self, queue: str) -> int:
        return 0

    def _purge(self, queue: str) -> int:
        return 0


class Transport(virtual.Transport):
    """A broker that is the database, on the connection of the worker's main thread."""

    Channel = Channel
    default_port = 0
    driver_type = driver_name = "jobs"

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self._listening: Any = None

    def drain_events(self, connection: Any, timeout: float | None = None, **options: Any) -> None:
        """Deliver one job, or wait a moment for one; Celery calls again and again."""
        try:
            self.cycle.get(self._deliver)  # type: ignore[union-attr]
        except Empty:
            self._wait()
        except (DatabaseError, InterfaceError) as problem:
            self._lost(problem)
        else:
            return
        raise TimeoutError

    def _wait(self) -> None:
        if not any(channel.qos.can_consume() for channel in self.channels or ()):
            time.sleep(BUSY)
            return
        try:
            self._listen()
        except (DatabaseError, InterfaceError) as problem:
            self._lost(problem)

    def _listen(self) -> None:
        """Wait until somebody rings; a connection that is new is made to listen, and the rows looked at again."""
        connection.ensure_connection()
        line: Any = connection.connection
        if line is not self._listening:
            with connection.cursor() as cursor:
                cursor.execute(f"LISTEN {jobs.BELL}")
            self._listening = line
            return
        if not line.notifies and select.select([line], [], [], LOOK_EVERY)[0]:
            with connection.wrap_database_errors:
                line.poll()
        line.notifies.clear()

    def _lost(self, problem: Exception) -> None:
        """Give the database a moment to come back."""
        log.warning("The database does not answer; jobs wait for it: %s", problem)
        connection.close()
        time.sleep(BUSY * 3)

    def driver_version(self) -> str:
        return ""
