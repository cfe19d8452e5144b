"""Let the caller of a metric count its texts, or cancel it, before each text."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

T = TypeVar("T")
_callback: ContextVar[Callable[[], None] | None] = ContextVar("callback", default=None)


class _Stopped(BaseException):
    """Carries an exception of the callback to the caller; no metric can catch it as its own failure."""

    def __init__(self, reason: Exception) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def on_each_text(callback: Callable[[], None]) -> Iterator[None]:
    """Call a function before each text that a metric scores; an exception that it raises ends the
    scoring and leaves this context."""
    before = _callback.set(callback)
    try:
        yield
    except _Stopped as stopped:
        raise stopped.reason from None
    finally:
        _callback.reset(before)


def interruptible(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and call the function of `on_each_text` before each.

    Parameters
    ----------
    items : iterable
        The batch of a metric, or any part of its work.

    Returns
    -------
    iterator
        The same items.

    Examples
    --------
    >>> list(interruptible("ab"))
    ['a', 'b']
    """
    callback = _callback.get()
    for item in items:
        if callback:
            try:
                callback()
            except Exception as reason:
                raise _Stopped(reason) from reason
        yield item
