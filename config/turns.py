"""One person's requests take turns, so that nobody alone holds all threads that answer of a process.

A page about much material may take a minute of a processor, and whoever has an account may ask for
four. Who asks is known only once a request is being answered, so one that comes out of turn is put
back, and answered from its beginning when another of the same person has ended.
"""

from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition, Event, Lock, local

MOST_WAITING = 20  # requests of one person; a browser has some six under way

_thread = local()


class OutOfTurn(BaseException):
    """A request must wait for others of the same person. No page and no middleware answers this,
    so it is no Exception."""

    def __init__(self, person: int) -> None:
        super().__init__(person)
        self.person = person


class BodyWanted(BaseException):
    """A request cannot go on without its body, a large file that comes as slowly as its sender likes.

    It is read first, by no thread that answers, and the request is answered from its beginning:
    hours may have passed, in which its person was logged out or lost a right. Like OutOfTurn it is
    no Exception.
    """

    def __init__(self, person: int | None) -> None:
        super().__init__(person)
        self.person = person


class UnreadBody:
    """What stands in the place of a large body until something wants it."""

    def read(self, size: int = -1) -> bytes:
        raise BodyWanted(getattr(_thread, "person", None))

    readline = read


class Places:
    """So many places, given in the order of asking: a semaphore's go to whoever asks at the moment
    that one is free, and who has waited longest waits on."""

    def __init__(self, count: int) -> None:
        self.free, self.lock = count, Lock()
        self.asking: deque[Event] = deque()

    def acquire(self) -> None:
        with self.lock:
            if self.free:  # then nobody waits, for a place that is given back goes to the first
                self.free -= 1
                return
            given = Event()
            self.asking.append(given)
        given.wait()

    def release(self) -> None:
        with self.lock:
            if self.asking:
                self.asking.popleft().set()
            else:
                self.free += 1


class Turns:
    """Who holds how many of what a process has few of, such as the threads that answer, and of which
    each may hold `most`."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held: Counter[int] = Counter()
        self.waiting: Counter[int] = Counter()
        self.changed = Condition()

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Let `begin` count what this thread does until it is done."""
        _thread.turns, _thread.person = self, None
        try:
            yield
        finally:
            person, _thread.turns = _thread.person, None
            if person is not None:
                self.give_back(person)

    def take(self, person: int) -> bool:
        """Have the person hold one thread more, if they may."""
        with self.changed:
            may = self.held[person] < self.most
            self.held[person] += may
        return may

    def give_back(self, person: int) -> None:
        with self.changed:
            _less(self.held, person)
            self.changed.notify_all()

    def wait(self, person: int, seconds: float) -> bool:
        """Wait until the person may hold one more; say no where they have too many that wait, or
        wait too long."""
        with self.changed:
            if self.waiting[person] >= MOST_WAITING:
                return False
            self.waiting[person] += 1
            try:
                return self.changed.wait_for(lambda: self.held[person] < self.most, seconds)
            finally:
                _less(self.waiting, person)


def begin(person: int) -> None:
    """Count the request that this thread answers among the person's; OutOfTurn where they hold as
    many threads as one may. Where nobody counts, as in a test, nothing happens."""
    turns: Turns | None = getattr(_thread, "turns", None)
    if turns is None or _thread.person is not None:
        return
    if not turns.take(person):
        raise OutOfTurn(person)
    _thread.person = person


def _less(counted: Counter[int], person: int) -> None:
    counted[person] -= 1
    if not counted[person]:
        del counted[person]
