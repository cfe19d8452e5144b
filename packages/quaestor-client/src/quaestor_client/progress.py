"""Progress bars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(label: str, is_wanted: bool | None) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar; yield a function that takes how much is done, and of how much.

    By default the bar is shown on a terminal and in a notebook only.
    """
    if is_wanted is None:
        is_wanted = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not is_wanted:
        yield lambda done, total: None
        return
    from tqdm.auto import tqdm

    with tqdm(desc=label) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total or None
            bar.n = done
            bar.refresh()

        yield show
