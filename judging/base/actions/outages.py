"""The error sentences for a disk, memory or time that ran out."""

import errno

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError

DISK_FULL = "The disk is full. Nothing of this was kept; free some space, then try again."
OUT_OF_MEMORY = (
    "The machine ran out of memory. Nothing of this was kept; a smaller part at a time may fit."
)
TOO_SLOW = (
    "The job was stopped after {hours} hours, the longest that a job may take. Use a smaller part of the "
    "data, or ask the administrator to raise QUAESTOR_JOB_SECONDS."
)
DISK = ("53100",)  # PostgreSQL's disk_full
MEMORY = ("53200",)
HELD = ("55P03",)  # lock_not_available: other sessions held a lock for longer than the timeout
CUT_OFF = ("57P", "08")  # the server was shut down, crashed, or ended the connection


def sentence(error: BaseException) -> str:
    """Return the sentence for an error that means that disk, memory or time ran out; empty for any
    other error."""
    if isinstance(error, SoftTimeLimitExceeded):
        return TOO_SLOW.format(hours=f"{settings.JOB_SECONDS / 3600:.3g}")
    code = getattr(error.__cause__ or error, "pgcode", None)
    if code in DISK or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        return DISK_FULL
    of_torch = isinstance(error, RuntimeError) and "can't allocate memory" in str(error)
    if code in MEMORY or isinstance(error, MemoryError) or of_torch:
        return OUT_OF_MEMORY
    return ""


def is_cut_off(error: Exception) -> bool:
    """Return whether the server ended or lost the connection, and did not just refuse a statement.

    In the middle of a COPY psycopg2 raises a plain DatabaseError for it.
    """
    code = getattr(error.__cause__, "pgcode", None)
    if code is not None:
        return str(code).startswith(CUT_OFF)
    return type(error) in (DatabaseError, OperationalError, InterfaceError)


def is_held_up(error: Exception) -> bool:
    """Return whether other sessions held a lock for too long."""
    return getattr(error.__cause__, "pgcode", None) in HELD
