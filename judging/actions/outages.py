"""What a machine runs out of, in a sentence for whoever asked for something."""

import errno

DISK_FULL = "The disk is full. Nothing of this was kept; free some space, then try again."
OUT_OF_MEMORY = "The machine ran out of memory. Nothing of this was kept; a smaller part at a time may fit."
DISK = ("53100",)  # PostgreSQL's disk_full
MEMORY = ("53200",)


def sentence(error: BaseException) -> str:
    """Return the sentence for an error that means that disk or memory ran out; empty for every other."""
    code = getattr(error.__cause__ or error, "pgcode", None)
    if code in DISK or (isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)):
        return DISK_FULL
    if code in MEMORY or isinstance(error, MemoryError):
        return OUT_OF_MEMORY
    return ""
