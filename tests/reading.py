"""Readings of imported files, as `judging.formats.child` starts them, from a process that
has the reader's modules already: the code, the limits and the ends are the same, and a test does not
wait for Python and pandas to start. The tests of `child` itself, and real workers, start theirs as the product
does.
"""

import io
import multiprocessing
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path

from judging.formats import child, pipeline  # noqa: F401  (pandas is loaded before the fork)

STARTED = child._start
PREPARED = multiprocessing.get_context("forkserver")
PREPARED.set_forkserver_preload([__name__])


class PreparedReader:
    """What `child` uses of a `subprocess.Popen`."""

    def __init__(self) -> None:
        to_read, request = PREPARED.Pipe(duplex=False)
        answer, to_write = PREPARED.Pipe(duplex=False)
        self._process = PREPARED.Process(target=_read, args=(to_read, to_write), daemon=True)
        self._process.start()
        to_read.close()
        to_write.close()
        self.stdin = _file_of(request, "wb")
        self.stdout = _file_of(answer, "rb")

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> int:
        """Return how it ended: by a signal, its number below zero."""
        self._process.join()
        code = self._process.exitcode
        assert code is not None
        return code


def _file_of(end: Connection, mode: str) -> io.BufferedIOBase:
    with end:
        return os.fdopen(os.dup(end.fileno()), mode)


def _read(request: Connection, answer: Connection) -> None:
    with request, answer, Path(os.devnull).open("wb") as nowhere:
        for given, wanted in ((request, 0), (answer, 1), (nowhere, 2)):
            os.dup2(given.fileno(), wanted)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    child.main()
