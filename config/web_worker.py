"""gunicorn's threaded worker, changed so that slow clients hold none of the threads that answer.

There are few of these threads, since each has a connection to the database. So other threads, of
which there are many, wait until a request is whole and send its answer. Clients that are too slow
are cut off.
"""

import logging
import math
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from functools import partial
from socket import SHUT_RDWR, SHUT_WR
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore
from typing import Any

from gunicorn.http.errors import NoMoreData
from gunicorn.workers.gthread import ThreadWorker

from config import memory
from config.limits import OF_STRANGERS, SMALL
from config.slow_readers import IN_MEMORY, NoTurn, Outbox, send
from config.slow_senders import PATIENCE, PIECE, Arriving, Hurried
from config.turns import BodyWanted, OutOfTurn, Places, Turns, UnreadBody

READERS = 256  # requests that may be on their way to one process
LEAST = 3.0  # seconds for a request that waited for a thread to read it; what was sent is there
FILES = 2  # bodies over SMALL that one process reads at once: each is on the disk until its answer
FILES_OF_ONE = 1  # of one person
LOOK_AGAIN = 30.0  # seconds from one look at who sends a file to the next
BUSY_TEXT = b"Too much is under way at once. Try again soon."
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BUSY_TEXT)
) + BUSY_TEXT
# Seconds that a process which ends waits for a request that is not whole, and for an answer to be
# read. No other process takes its place before it has gone.
ON_THEIR_WAY = 2.0
BEING_READ = 5.0
LEFT_OVER = 10.0  # seconds for what is still on its way of a body that nobody wanted
# Requests that take longer are answered by threads beside the others: pages of several people about
# much material would hold all of these for a minute. The processor is shared, so all are slower.
LONG_AFTER = 1.0  # seconds
LONG = 6  # such threads of a process; each has a connection of its own to the database
SLOW = LONG // 2  # answers over LARGEST that are read slowly, at once
# Bytes that a process may hold more than at its start. One that holds more between two requests ends, and
# another takes its place: Python seldom gives back what a large page took.
GROWN = 512 * 1024 * 1024
LONGEST_TURN = 120.0  # seconds that a request waits for others of the same person
LEFT_TO_OTHERS = 0.0002  # seconds for each connection that a process holds
LONGEST_LEFT = 0.005

log = logging.getLogger(__name__)


def wait_before(held: int) -> float:
    """Return for how many seconds a process with so many connections leaves a new one to the
    others."""
    return min(held * LEFT_TO_OTHERS, LONGEST_LEFT)


class Worker(ThreadWorker):  # type: ignore[misc]
    """Reads requests and sends answers in one pool of threads, and answers in another.

    All processes accept from one socket, and connections stay open. The process that is awake would
    take nearly all of them, and its users would wait while another is idle. So the more connections
    a process holds, the longer it leaves a new one to the others.
    """

    alive: bool

    def run(self) -> None:
        super().run()
        # Python would wait for all threads, so for as long as slow clients like, and no other
        # process takes the place of this one before it ends
        self.log.info("Worker exiting (pid: %s)", self.pid)
        logging.shutdown()
        os._exit(0)

    def accept(self, listener: Any) -> None:
        time.sleep(wait_before(self.nr_conns))
        super().accept(listener)  # which another process may have done by now

    def get_thread_pool(self) -> ThreadPoolExecutor:
        self.answering = ThreadPoolExecutor(self.cfg.threads + LONG)
        self.quick, self.long = Places(self.cfg.threads), BoundedSemaphore(LONG)
        self.slow, self.persons = BoundedSemaphore(SLOW), Turns(max(1, self.cfg.threads - 1))
        self.files, self.senders = BoundedSemaphore(FILES), Turns(FILES_OF_ONE)
        self.waits: dict[Any, float] = {}  # for whom, and how long at the end
        self.ends_since: float | None = None
        self.under_way: set[Any] = set()
        self.at_start = memory.held()
        return ThreadPoolExecutor(READERS)

    def enqueue_req(self, conn: Any) -> None:
        conn.came = time.monotonic()  # its time runs while it waits for a thread that reads
        super().enqueue_req(conn)

    def murder_pending(self) -> None:
        """Called every second; hangs up on slow clients once the process ends."""
        super().murder_pending()
        if self.alive:
            return
        self.ends_since = self.ends_since or time.monotonic()
        for conn, patience in self.waits.copy().items():
            if time.monotonic() - self.ends_since > patience:
                with suppress(OSError):  # it has just hung up
                    conn.sock.shutdown(SHUT_RDWR)

    def handle(self, conn: Any) -> Any:
        conn.init = partial(_begin, conn)
        self.waits[conn] = ON_THEIR_WAY
        conn.is_unread = False
        self.under_way.add(conn)
        try:
            goes_on = super().handle(conn)
            if not goes_on:
                _hang_up(conn.sock, LEFT_OVER if conn.is_unread else ON_THEIR_WAY)
                conn.close = _has_closed
        finally:
            self.waits.pop(conn, None)
            self.under_way.discard(conn)
        if not self.under_way and self.alive and memory.held() - self.at_start > GROWN:
            self.log.info("This process has grown; another takes its place.")
            self.alive = False
        return goes_on

    def handle_request(self, req: Any, conn: Any) -> Any:
        length = _length(req)
        deadline = _deadline(conn)
        hurried = conn.parser.unreader.sock
        hurried.deadline, hurried.most = deadline, math.inf  # the head is whole
        answered, body = copy(conn), req.body
        answered.sock = Outbox(conn.sock, self.slow)
        try:
            _expect(req, conn, deadline)
            with SpooledTemporaryFile(max_size=IN_MEMORY) as content:
                if 0 < length <= OF_STRANGERS:
                    req.body = _whole(req.body, content)
                elif length or _is_chunked(req):
                    # refused unread, or read once it is known whose it is
                    req.force_close()
                    conn.is_unread = True
                self.waits.pop(conn, None)
                goes_on = self._in_turn(req, answered, Arriving(req.body, content, hurried))
            self.waits[conn] = BEING_READ
            answered.sock.end_turn()  # what is left is sent by this thread
            answered.sock.flush()
        except NoTurn as full:
            log.warning("A request was not answered: %s.", full)
            send(conn.sock, iter([BUSY]), time.monotonic() + PATIENCE)
            raise NoMoreData from None
        except TimeoutError:
            raise NoMoreData from None
        finally:
            answered.sock.close()
            req.body = body  # what is left of it would be read before the next request
        return goes_on

    def _in_turn(self, req: Any, answered: Any, large: Arriving) -> Any:
        """Answer a request when it is its person's turn, and its large body is here if it is wanted.
        A body without a length (in chunks) is never read."""
        length = _length(req)
        if length > OF_STRANGERS:
            req.body = UnreadBody()
        with ExitStack() as kept:
            while True:
                try:
                    return self._done(partial(self._answer, req, answered))
                except OutOfTurn as out:
                    if not self.persons.wait(out.person, LONGEST_TURN):
                        raise NoTurn("others of the same person are under way") from None
                except BodyWanted as wanted:
                    if length > SMALL and not large.has_begun:
                        kept.enter_context(self._place_for_file(wanted.person or 0))
                    if large.comes(LOOK_AGAIN):
                        req.body = large.content

    def _done(self, answer: Callable[[], Any]) -> Any:
        """Answer a request in one of the threads for that. If it takes long it gives its place to
        others, and counts among the long ones."""
        place: Places | BoundedSemaphore = self.quick
        place.acquire()
        doing = None
        try:
            doing = self.answering.submit(answer)
            while not wait([doing], timeout=LONG_AFTER).done:
                if place is self.quick and self.long.acquire(blocking=False):
                    place.release()
                    place = self.long
            return doing.result()
        finally:
            place.release()
            # An error refers to this frame, which would refer to the error: a cycle that keeps the
            # request's file until Python collects it
            doing = None

    @contextmanager
    def _place_for_file(self, person: int) -> Iterator[None]:
        """Count a person's file among the few that are read at once; raise NoTurn if there is no
        place for it within PATIENCE."""
        until = time.monotonic() + PATIENCE
        while not self.senders.take(person):
            if not self.senders.wait(person, until - time.monotonic()):
                raise NoTurn("others of the same person send large files")
        try:
            if not self.files.acquire(timeout=max(0, until - time.monotonic())):
                raise NoTurn("others send large files")
            try:
                yield
            finally:
                self.files.release()
        finally:
            self.senders.give_back(person)

    def _answer(self, req: Any, answered: Any) -> Any:
        with self.persons.answering():
            return super().handle_request(req, answered)


def _begin(conn: Any) -> None:
    type(conn).init(conn)
    conn.parser.unreader.sock = Hurried(conn.sock, _deadline(conn))


def _deadline(conn: Any) -> float:
    """Return until when a request is waited for if nothing more of it comes."""
    return max(float(conn.came) + PATIENCE, time.monotonic() + LEAST)


def _hang_up(socket: Any, seconds: float) -> None:
    """Close a connection once the other side has hung up or is silent.

    A client that is still sending when the connection closes never sees the answer. gunicorn's own
    way waits in the one thread that accepts, and for no more than 64 kB.
    """
    until = time.monotonic() + seconds
    with suppress(OSError):  # it is gone already, or silent
        socket.shutdown(SHUT_WR)
        while (left := until - time.monotonic()) > 0:
            socket.settimeout(min(left, ON_THEIR_WAY))
            if not socket.recv(PIECE):
                break
    socket.close()


def _has_closed(graceful: bool = False) -> None:
    """Do nothing: gunicorn closes a connection once more that is closed already."""


def _length(req: Any) -> int:
    said = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "0")
    return int(said) if said.isdecimal() else 0


def _is_chunked(req: Any) -> bool:
    return any(name == "TRANSFER-ENCODING" for name, _value in req.headers)


def _expect(req: Any, conn: Any, deadline: float) -> None:
    """Tell a client to send the body if it waits for that; gunicorn would say so in a thread that
    answers, without a time limit."""
    if getattr(req, "_expected_100_continue", False):
        send(conn.sock, iter([b"HTTP/1.1 100 Continue\r\n\r\n"]), deadline)
        req._expected_100_continue = False  # else gunicorn says it again


def _whole(body: Any, whole: SpooledTemporaryFile[bytes]) -> SpooledTemporaryFile[bytes]:
    """Read a body to its end, and return it from its beginning."""
    while piece := body.read(PIECE):
        whole.write(piece)
    whole.seek(0)
    return whole
