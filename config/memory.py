"""How much memory a process takes at most: what asks for more fails by itself, before the machine
ends whichever process it likes, the database's for one."""

import contextlib
import os
import resource
from pathlib import Path

SHARE = 3  # a process takes a third of the machine's memory at most
LEAST = 2 * 1024**3  # bytes of it on a small machine: METEOR's program wants one gigabyte alone
STACK = 8 * 1024 * 1024  # bytes that each thread may fill, and which are counted from its start
CONTAINER = Path("/sys/fs/cgroup/memory.max")
MEGABYTE = 1024 * 1024


def limit(*, threads: int = 0) -> None:
    """Limit this process and what it starts; `threads` may run beside the first.

    QUAESTOR_PROCESS_MEMORY says how many megabytes; 0 is no limit. It is each process's own: several
    at once may still want more than there is.
    """
    said = os.environ.get("QUAESTOR_PROCESS_MEMORY", "")
    most = int(said) * MEGABYTE if said else max(LEAST, of_the_machine() // SHARE)
    if most:
        most += threads * STACK
        with contextlib.suppress(ValueError, OSError):  # some systems know no such limit
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def of_the_machine() -> int:
    """Return the bytes of memory that the machine has, or the container."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        return min(machine, int(CONTAINER.read_text()))
    except (OSError, ValueError):  # no container, or one without a limit, which says “max”
        return machine
