"""Reporting the progress of a long action."""

from collections.abc import Callable

TellProgress = Callable[[int, int, str], None]


def ignore_progress(done: int, total: int, message: str) -> None:
    """Report no progress."""
