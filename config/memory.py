"""A limit on the memory of each process: a request for more fails by itself, before the machine
kills some process, such as the database."""

import contextlib
import os
import resource
import threading
from pathlib import Path

from judging.base.limits import MAX_WEB_MEMORY_BYTES, MIN_JOB_MEMORY_BYTES

SHARE = 3  # a process takes a third of the machine's memory at most
# Bytes that each thread may fill, which are counted from its start. Python's thousand nested calls need three million
# where each is a sort's.
STACK = 4 * 1024 * 1024
CONTAINER = Path("/sys/fs/cgroup/memory.max")
MEGABYTE = 1024 * 1024


def limit() -> None:
    """Limit the memory of this process and of its children.

    QUAESTOR_PROCESS_MEMORY says how many megabytes; 0 is no limit. It is each process's own: several
    at once may still want more than there is.
    """
    _limit(_said(max(MIN_JOB_MEMORY_BYTES, of_the_machine() // SHARE)))


def limit_web(*, threads: int) -> None:
    """Limit the memory of a web process with this many further threads, none of which has
    started."""
    threading.stack_size(STACK)
    if most := _said(MAX_WEB_MEMORY_BYTES):
        _limit(most + threads * STACK)


def _said(otherwise: int) -> int:
    said = os.environ.get("QUAESTOR_PROCESS_MEMORY", "")
    return int(said) * MEGABYTE if said else otherwise


def _limit(most: int) -> None:
    if most:
        with contextlib.suppress(ValueError, OSError):  # some systems know no such limit
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def of_the_machine() -> int:
    """Return the memory of the machine, or of the container, in bytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(CONTAINER.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit, which says “max”
        return machine
