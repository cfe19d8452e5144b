"""Whether the disk has room for what takes much: a full one stops the database, and with it the site."""

import errno
import shutil

from django.conf import settings

SENTENCE = (
    "The disk is nearly full, so nothing large is stored: free some space, then try again. What "
    "annotators hand in is still kept."
)


def is_short() -> bool:
    """Say whether less is free than is kept for the database; no where its disk is elsewhere."""
    try:
        free = shutil.disk_usage(settings.DATABASE_FOLDER).free
    except OSError:  # nobody said where it is, or it is not here
        return False
    return free < settings.KEEP_FREE


def check() -> None:
    """Raise the error of a full disk where it is short: its page and a job's error say so."""
    if is_short():
        raise OSError(errno.ENOSPC, SENTENCE)
