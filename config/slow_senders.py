"""How long a request is waited for that comes slowly."""

import time
from tempfile import SpooledTemporaryFile
from typing import Any

from gunicorn.http.errors import LimitRequestHeaders, NoMoreData

PATIENCE = 15.0  # seconds for a request besides what has come of it, and for silence
# Bytes of a head, as nginx takes at most. A browser with a proxy before it sends two to ten thousand. gunicorn looks
# at all of an unfinished head again for each piece that comes, and would take 800,000.
LONGEST_HEAD = 32 * 1024
SLOWEST = 16 * 1024  # bytes a second, in both directions
PIECE = 64 * 1024


class Hurried:
    """A socket with a deadline for reading, and a limit on the bytes of a request's head.

    What comes moves the deadline, by the time it would take at the slowest pace, but never further
    than PATIENCE from now: nobody sends much at once and then trickles. A length that was announced
    moves nothing.
    """

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
    """A large body on its way, which a thread reads that answers nothing.

    Between two stretches of reading its request is looked at again: its sender may have been logged
    out, or have lost a right.
    """

    def __init__(self, body: Any, content: SpooledTemporaryFile[bytes], hurried: Hurried) -> None:
        self.body, self.content, self.hurried = body, content, hurried
        self.left, self.has_begun = PATIENCE, False

    def comes(self, seconds: float) -> bool:
        """Read for so many seconds, and return whether the body is whole. The sender's deadline
        stands still between two calls."""
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
