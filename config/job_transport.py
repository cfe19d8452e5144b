"""A Celery broker that is the site's own database, for sites without Redis or RabbitMQ.

A job is a row of `judging_job`: a worker with a free process reserves the next one. Other messages
(sweeps, webhooks, remote control, events) are published with NOTIFY: every worker of their queue gets
them, and they are lost if no process listens.
"""

import json
import logging
import select
import zlib
from base64 import b64decode, b64encode
from collections import defaultdict, deque
from queue import Empty
from time import monotonic
from typing import Any

import django
from django.apps import apps
from django.db import DatabaseError, InterfaceError, connection
from kombu.serialization import dumps
from kombu.transport import virtual

if not apps.ready:  # in a command of Celery's own, such as `inspect`
    django.setup()

from judging.jobs.actions import jobs  # needs the models

TICK_SECONDS = 0.1
LOOK_SECONDS = 1.0  # between two checks of the rows, and before a failing database is asked again
MESSAGES = "quaestor_celery"  # the channel of NOTIFY for messages that are not jobs

Message = dict[str, Any]
log = logging.getLogger(__name__)


class Channel(virtual.Channel):
    """Turns queued jobs into messages, and delivers notifications to this process's queues."""

    connection: "Transport"
    do_restore = False  # a job that a worker has reserved is put back when its lease ends

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.inboxes: dict[str, deque[Message]] = defaultdict(deque)

    def _new_queue(self, queue: str, **options: Any) -> None:
        if options.get("auto_delete"):  # it is this process's own
            self.connection.listen()  # before anything is sent that could have an answer

    def basic_publish(self, message: Message, exchange: str, routing_key: str, **_: Any) -> None:
        self._inplace_augment_message(message, exchange, routing_key)
        text = json.dumps([exchange, routing_key, message])
        payload = b64encode(zlib.compress(text.encode())).decode()
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_notify(%s, %s)", [MESSAGES, payload])

    def receive(self, exchange: str, routing_key: str, message: Message) -> None:
        """Keep a message for those of this channel's queues that it is addressed to."""
        for queue in set(self._lookup(exchange, routing_key)) & set(self._active_queues):
            self.inboxes[queue].append(message)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        super().basic_ack(delivery_tag, multiple=multiple)
        self.connection.look_at.clear()  # a process is free again

    def _get(self, queue: str, timeout: float | None = None) -> Message:
        self.connection.receive()
        if inbox := self.inboxes[queue]:
            return inbox.popleft()
        if queue not in jobs.QUEUES or monotonic() < self.connection.look_at[queue]:
            raise Empty
        if (found := jobs.reserve(queue=queue)) is None:
            self.connection.look_at[queue] = monotonic() + LOOK_SECONDS
            raise Empty
        kind, job_id = found
        content_type, encoding, body = dumps([[job_id], {}, {}], serializer="json")
        headers = {"lang": "py", "task": kind, "id": job_id, "root_id": job_id, "retries": 0}
        named = {"correlation_id": job_id, "delivery_info": {}}
        message = self.prepare_message(body, None, content_type, encoding, headers, named)
        self._inplace_augment_message(message, "", queue)
        return message

    def _put(self, queue: str, message: Message, **options: Any) -> None:
        """Put back a job whose process died: Celery rejects its message."""
        jobs.put_back(job_id=message["headers"]["id"])
        self.connection.look_at.clear()

    def _purge(self, queue: str) -> int:
        return 0


class Transport(virtual.Transport):
    """The broker, on the database connection of the worker's main thread.

    It runs in Celery's event loop. Without the loop the processes share a pipe and its lock, and a
    process that is killed while it waits there keeps the lock for ever.
    """

    Channel = Channel
    _listening: Any = None
    _retry_at = 0.0
    driver_type = driver_name = "jobs"
    # Celery waits and connects again after these
    connection_errors = (*virtual.Transport.connection_errors, DatabaseError, InterfaceError)
    polling_interval = TICK_SECONDS
    implements = virtual.Transport.implements.extend(
        asynchronous=True, exchange_type=frozenset({"direct", "topic", "fanout"})
    )

    def __init__(self, client: Any, **options: Any) -> None:
        super().__init__(client, **options)
        self.look_at: dict[str, float] = defaultdict(float)  # by queue: time of the next check

    def establish_connection(self) -> Any:
        """Connect to the database, so that a worker started without it waits for it."""
        connection.close_if_unusable_or_obsolete()
        connection.ensure_connection()
        return super().establish_connection()

    def register_with_event_loop(self, connection: Any, loop: Any) -> None:
        loop.call_repeatedly(TICK_SECONDS, self.tick)

    def tick(self) -> None:
        """Deliver everything that waits, as long as there are free processes."""
        if monotonic() < self._retry_at:
            return
        try:
            while True:
                self.cycle.get(self._deliver)  # type: ignore[union-attr]
        except Empty:
            return
        except (DatabaseError, InterfaceError) as problem:
            log.warning("The database does not answer; jobs wait for it: %s", problem)
            connection.close()
            self._retry_at = monotonic() + LOOK_SECONDS

    def listen(self) -> None:
        """Listen on the current connection; a new one may have missed notifications."""
        if self._listening is None or connection.connection is not self._listening:
            with connection.cursor() as cursor:
                cursor.execute(f"LISTEN {jobs.BELL}; LISTEN {MESSAGES}")
            self._listening = connection.connection
            self.look_at.clear()

    def receive(self) -> None:
        """Read the notifications that have arrived, without asking the server."""
        self.listen()
        line: Any = self._listening
        with connection.wrap_database_errors:
            if not line.notifies and select.select([line], [], [], 0)[0]:
                line.poll()
        while line.notifies:
            notification = line.notifies.pop(0)
            if notification.channel == jobs.BELL:
                self.look_at.clear()
                continue
            addressed = json.loads(zlib.decompress(b64decode(notification.payload)))
            for channel in self.channels or ():
                channel.receive(*addressed)  # type: ignore[attr-defined]
