"""Telling whoever waits for scores that the work goes on, so that it can be stopped within one
metric."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Tell = Callable[[], None]
T = TypeVar("T")
_tell: ContextVar[Tell | None] = ContextVar("tell", default=None)


class _Stopped(BaseException):
    """What the teller raised, on its way out: no metric may take it for a failure of its own."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Call `tell` before each text, also of metrics that are made of others; what it raises ends
    the scoring and comes out of this context."""
    before = _tell.set(tell)
    try:
        yield
    except _Stopped as stopped:
        raise stopped.reason from None
    finally:
        _tell.reset(before)


def told(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and tell before each; nobody is told outside `telling`."""
    tell = _tell.get()
    for item in items:
        if tell:
            try:
                tell()
            except Exception as reason:
                raise _Stopped(reason) from reason
        yield item
