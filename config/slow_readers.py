"""Answers wait here until they are read, so that no thread that answers waits for who reads slowly."""

import re
import time
from collections.abc import Iterator
from functools import partial
from tempfile import SpooledTemporaryFile
from threading import BoundedSemaphore, Lock
from typing import Any

from config.limits import SMALL
from config.slow_senders import PATIENCE, PIECE, SLOWEST

IN_MEMORY = 256 * 1024
LARGEST = 64 * 1024 * 1024  # bytes of an answer that is kept whole
KEPT = 256 * 1024 * 1024  # of all such answers over SMALL, on the disk of one process


class NoTurn(OSError):
    """A thread that answers, or room for a file, is wanted, and as many as may be are taken: by
    large files that come or go slowly, or by the same person."""


class Outbox:
    """A socket that keeps what is sent until `flush`, so that an answer is complete before anybody
    reads it.

    Large answers are kept too, as long as all that one process keeps has room: anybody with a task
    can make one of some megabytes. Answers beyond that are researchers' files, and must not fill
    the disk: the thread that makes one sends it, in parts of SMALL. Only so many threads may do so
    at once (`turns`); whoever comes when they are all taken is told so.
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
        """Count this request's thread among the few that slow readers may hold, or raise NoTurn."""
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
        """Keep room for an answer of so many bytes; return whether there is as much."""
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
