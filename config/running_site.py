"""The running site of a data folder, found by its lock file. Standard library only, because run.py
stops the site before it builds a new environment."""

import fcntl
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def lock_file(home: Path) -> Path:
    """Return the file that the serving process keeps locked; it holds the site's address."""
    return home / "serving.lock"


def process_file(home: Path) -> Path:
    """Return the file that holds the number of the serving process."""
    return home / "serving.pid"


def stop_site(home: Path, say: Callable[[str], object]) -> None:
    """Stop the site that serves this data folder, if it runs, and wait until it has ended."""
    path = lock_file(home)
    with suppress(FileNotFoundError, ValueError, ProcessLookupError), path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            process = int(process_file(home).read_text())
            say(f"Stopping the site at {path.read_text()} ...")
            os.kill(process, signal.SIGTERM)
            fcntl.flock(file, fcntl.LOCK_EX)
