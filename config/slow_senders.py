"""gunicorn's threaded worker, but slow clients hold none of the few threads that answer.

Threads that answer have a database connection each, so there are few, and whoever sends a request
byte by byte, or does not read the answer, would hold one. So other threads, of which there are many,
wait until a request is whole, and send the answer; who is too slow is cut off.
"""

import logging
import math
import os
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager, suppress
from copy import copy
from functools import partial
from socket import SHUT_RDWR, SHUT_WR
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore, Lock
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders, NoMoreData
from gunicorn.workers.gthread import ThreadWorker

from config.limits import OF_STRANGERS, SMALL
from config.turns import BodyWanted, OutOfTurn, Turns, UnreadBody

READERS = 256  # requests that may be on their way to one process
PATIENCE = 15.0  # seconds for a request besides what has come of it, and for silence
LEAST = 3.0  # seconds of them for who has waited for a thread; what they sent is there
# Bytes of them, as nginx takes at most. A browser with a proxy before it sends two to ten thousand. gunicorn looks at
# all of an unfinished head again for each piece that comes, and would take 800,000.
LONGEST_HEAD = 32 * 1024
SLOWEST = 16 * 1024  # bytes a second, in both directions
# Files over SMALL that come to one process at once: each is kept on the disk until it is answered
FILES = 2
FILES_OF_ONE = 1  # of one person
LOOK_AGAIN = 30.0  # seconds from one look at who sends a file to the next
IN_MEMORY = 256 * 1024
PIECE = 64 * 1024
LARGEST = 64 * 1024 * 1024  # bytes of an answer that is kept whole
KEPT = 256 * 1024 * 1024  # of all such answers over SMALL, on the disk of one process
BUSY_TEXT = b"Too much is under way at once. Try again soon."
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 60\r\nConnection: close\r\n"
    b"Content-Type: text/plain\r\nContent-Length: %d\r\n\r\n" % len(BUSY_TEXT)
) + BUSY_TEXT
# Seconds that a process which ends waits for a request that is not whole, and for an answer to be
# read. No other process takes its place before it has gone.
ON_THEIR_WAY = 2.0
BEING_READ = 5.0
# What takes longer is long: threads for it come beside the others, for pages of several people about much
# material would hold all of these for a minute. They share the processor, so that others are slower, but answered.
LONG_AFTER = 1.0  # seconds
LONG = 6  # of them at once in a process; each has a connection of its own to the database
SLOW = LONG // 2  # answers over LARGEST that are read slowly, at once
LEFT_OVER = 10.0  # seconds for what is still on its way of a body that nobody wanted
LONGEST_TURN = 120.0  # seconds that a request waits for others of the same person
LEFT_TO_OTHERS = 0.0002  # seconds for each connection that a process holds
LONGEST_LEFT = 0.005

log = logging.getLogger(__name__)


class Hurried:
    """A socket from which only so much time is left to read, and of a request's head so many
    bytes. What comes gives more time, but none is saved up: who sends much at once and then little
    is cut off as who sends little from the beginning. What was announced gives none."""

    def __init__(self, socket: Any, deadline: float, most: float = LONGEST_HEAD) -> None:
        self.socket, self.deadline, self.most = socket, deadline, most

    def recv(self, size: int) -> bytes:
        if self.most <= 0:
            raise LimitRequestHeaders("the head of the request is too long")
        left = min(self.deadline - time.monotonic(), PATIENCE)
        if left <= 0:
            raise NoMoreData
        self.socket.settimeout(left)
        try:
            data = bytes(self.socket.recv(size))
        except TimeoutError:
            raise NoMoreData from None
        finally:
            self.socket.settimeout(None)
        self.most -= len(data)
        latest = max(self.deadline, time.monotonic() + PATIENCE)
        self.deadline = min(self.deadline + len(data) / SLOWEST, latest)
        return data

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)


class Arriving:
    """A large body on its way, read by a thread that does not answer. Now and then its request is
    looked at again: whose it is may have been logged out, or have lost a right."""

    def __init__(self, body: Any, content: SpooledTemporaryFile[bytes], hurried: Hurried) -> None:
        self.body, self.content, self.hurried = body, content, hurried
        self.left, self.has_begun = PATIENCE, False

    def comes(self, seconds: float) -> bool:
        """Read for so long, and say whether it is whole. What others took of the time since
        the last look is not the sender's."""
        self.has_begun = True
        until = time.monotonic() + seconds
        self.hurried.deadline = time.monotonic() + self.left
        while piece := self.body.read(PIECE):
            self.content.write(piece)
            if time.monotonic() > until:
                self.left = self.hurried.deadline - time.monotonic()
                return False
        self.content.seek(0)
        return True


class NoTurn(OSError):
    """A request would hold a thread that answers, or have a file kept, and as many as may be are
    held: by large files that come or go slowly, or by the same person."""


class Outbox:
    """A socket that keeps what is sent until `flush`, so that an answer is done before anybody
    reads it.

    Anybody with a task can make an answer of some megabytes, so large ones are kept as well, as
    long as all that one process keeps of them has room. The others, which are researchers' files,
    must not fill the disk: the thread that makes them sends them, a part of SMALL at a time. Of
    these threads there are only so many: `turns`. Who comes when there is no turn left is told so.
    """

    lock = Lock()
    kept_by_all = 0  # bytes of answers over SMALL that wait to be read from this process

    def __init__(self, socket: Any, turns: BoundedSemaphore) -> None:
        self.socket, self.turns = socket, turns
        self.kept: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115
        self.announced: int | None = None  # bytes of the answer with its head, once that is there
        self.booked = 0
        self.has_turn = self.is_sending = False

    def take_turn(self) -> None:
        """Have the request's thread be one of the few that slow clients may hold; NoTurn where it
        cannot be."""
        if not self.has_turn and not self.turns.acquire(blocking=False):
            raise NoTurn("others read large files")
        self.has_turn = True

    def sendall(self, data: bytes) -> None:
        if self.announced is None:
            self.announced = _announced(data)
        self.kept.write(data)
        size = self.kept.tell()
        if size <= max(SMALL, self.booked):
            return
        if not self.is_sending and not self._book(max(self.announced, size + SMALL)):
            self.take_turn()  # nothing is sent yet, so who gets none can still be told so
            self.is_sending = True
        if self.is_sending:
            self.flush()

    def sendfile(self, file: Any, offset: int, count: int) -> None:
        file.seek(offset)
        while count > 0 and (piece := file.read(min(PIECE, count))):
            self.sendall(piece)
            count -= len(piece)

    def flush(self) -> None:
        """Send what is kept; raise TimeoutError where the other side is too slow."""
        deadline = time.monotonic() + PATIENCE + self.kept.tell() / SLOWEST
        self.kept.seek(0)
        send(self.socket, iter(partial(self.kept.read, PIECE), b""), deadline)
        self.kept.seek(0)
        self.kept.truncate()
        self._book(0)

    def end_turn(self) -> None:
        if self.has_turn:
            self.turns.release()
        self.has_turn = False

    def close(self) -> None:
        self.kept.close()
        self._book(0)
        self.end_turn()

    def _book(self, size: int) -> bool:
        """Keep room for an answer of so many bytes; say whether there is as much."""
        with Outbox.lock:
            kept_by_all = Outbox.kept_by_all - self.booked + size
            if size > LARGEST or kept_by_all > KEPT:
                return False
            Outbox.kept_by_all = kept_by_all
        self.booked = size
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self.socket, name)


def _announced(head: bytes) -> int:
    """Return how many bytes an answer has by its head, with it; 0 where it does not say so."""
    said = re.search(rb"\r\ncontent-length: *(\d+)\r\n", head.lower())
    return len(head) + int(said[1]) if said else 0


def send(socket: Any, pieces: Iterator[bytes], deadline: float) -> None:
    """Send all pieces; raise TimeoutError where that takes longer than until the deadline."""
    try:
        for piece in pieces:
            if (left := deadline - time.monotonic()) <= 0:
                raise TimeoutError
            socket.settimeout(min(left, PATIENCE))  # who takes nothing has less than who is slow
            socket.sendall(piece)
    finally:
        socket.settimeout(None)


def wait_before(held: int) -> float:
    """Return how many seconds a process that holds so many connections leaves a new one to
    others."""
    return min(held * LEFT_TO_OTHERS, LONGEST_LEFT)


class Worker(ThreadWorker):  # type: ignore[misc]
    """Reads requests and sends answers in one pool of threads, and answers in another.

    All processes accept from one socket, and connections stay open. Whoever is awake would take
    nearly all of them, and its users wait while the other process is idle. So the more connections
    a process holds, the longer it leaves a new one to others.
    """

    def run(self) -> None:
        super().run()
        # Python would wait for all threads, and so as long as slow clients like; until then no
        # other process comes in the place of this one
        self.log.info("Worker exiting (pid: %s)", self.pid)
        logging.shutdown()
        os._exit(0)

    def accept(self, listener: Any) -> None:
        time.sleep(wait_before(self.nr_conns))
        super().accept(listener)  # which another process may have done by now

    def get_thread_pool(self) -> ThreadPoolExecutor:
        self.answering = ThreadPoolExecutor(self.cfg.threads + LONG)
        self.quick, self.long = BoundedSemaphore(self.cfg.threads), BoundedSemaphore(LONG)
        self.slow, self.persons = BoundedSemaphore(SLOW), Turns(max(1, self.cfg.threads - 1))
        self.files, self.senders = BoundedSemaphore(FILES), Turns(FILES_OF_ONE)
        self.waits: dict[Any, float] = {}  # for whom, and how long at the end
        self.ends_since: float | None = None
        return ThreadPoolExecutor(READERS)

    def enqueue_req(self, conn: Any) -> None:
        conn.came = time.monotonic()  # who waits for a thread that reads has begun, too
        super().enqueue_req(conn)

    def murder_pending(self) -> None:
        """Do what is done every second; when the process ends, hang up on slow clients too."""
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
        try:
            goes_on = super().handle(conn)
            if not goes_on:
                _hang_up(conn.sock, LEFT_OVER if conn.is_unread else ON_THEIR_WAY)
                conn.close = _has_closed
        finally:
            self.waits.pop(conn, None)
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
        """Have a request answered, once it is its person's turn and a large body of theirs is here.
        Without a length none is read, in however many chunks it comes."""
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
        """Have a request answered by one of the few threads for that. What takes long leaves its
        place to others, and a thread more answers as long as it lasts."""
        place, doing = self.quick, None
        place.acquire()
        try:
            doing = self.answering.submit(answer)
            while not wait([doing], timeout=LONG_AFTER).done:
                if place is self.quick and self.long.acquire(blocking=False):
                    place.release()
                    place = self.long
            return doing.result()
        finally:
            place.release()
            # An error names this frame, and would be named by it: with the file, for long
            doing = None

    @contextmanager
    def _place_for_file(self, person: int) -> Iterator[None]:
        """Have a file of somebody be one of the few that are kept at once; NoTurn where there is no
        place for it within some seconds."""
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
    """Return until when a request is waited for of which nothing more comes."""
    return max(float(conn.came) + PATIENCE, time.monotonic() + LEAST)


def _hang_up(socket: Any, seconds: float) -> None:
    """Close a connection once the other side has read the answer and hung up, or is silent.

    Whoever still sends when it is closed never sees the answer. gunicorn waits in the one thread
    that accepts, and for no more than 64 kB of a body that nobody wanted.
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
    """Do nothing: the connection is closed, and gunicorn closes it once more."""


def _length(req: Any) -> int:
    said = next((value for name, value in req.headers if name == "CONTENT-LENGTH"), "0")
    return int(said) if said.isdecimal() else 0


def _is_chunked(req: Any) -> bool:
    return any(name == "TRANSFER-ENCODING" for name, _value in req.headers)


def _expect(req: Any, conn: Any, deadline: float) -> None:
    """Tell a sender to go on who waits to be told so; gunicorn would do it without an end, in a
    thread that answers."""
    if getattr(req, "_expected_100_continue", False):
        send(conn.sock, iter([b"HTTP/1.1 100 Continue\r\n\r\n"]), deadline)
        req._expected_100_continue = False  # gunicorn would say it once more


def _whole(body: Any, whole: SpooledTemporaryFile[bytes]) -> SpooledTemporaryFile[bytes]:
    """Return a body once all of it is here."""
    while piece := body.read(PIECE):
        whole.write(piece)
    whole.seek(0)
    return whole
