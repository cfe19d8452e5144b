"""Report progress to the caller of a metric before each text, so that scoring can be cancelled
within one metric."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Tell = Callable[[], None]
T = TypeVar("T")
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)


class _Stopped(BaseException):
    """Carries an exception of `tell` to the caller; no metric can catch it as its own failure."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Call `tell` before each text, also within composed metrics; an exception that it raises ends
    the scoring and leaves this context."""
    before = _tell.set(tell)
    try:
        yield
    except _Stopped as stopped:
        raise stopped.reason from None
    finally:
        _tell.reset(before)


def told(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and call `tell` before each; outside `telling` nothing is called."""
    tell = _tell.get()
    for item in items:
        if tell:
            try:
                tell()
            except Exception as reason:
                raise _Stopped(reason) from reason
        yield item
