"""Log lines, for people or as JSON, without the ends of links that let a user in."""

import json
import logging
import re
import time
from contextvars import ContextVar

# the id of the request that is being answered
current_request: ContextVar[str] = ContextVar("request_id", default="")
LINK = re.compile(r"/(join|go|password/new/[^/\s]+)/(?!set-password|done|crowd/)[^/\s]+")
CROWD = re.compile(r"/join/crowd/[^\s\"']+")  # followed by ids of annotators
MEASURED = ("method", "route", "status", "milliseconds")


def without_links(text: str) -> str:
    """Return a text with the ends of such links removed."""
    return LINK.sub(r"/\1/...", CROWD.sub("/join/crowd/...", text))


class WithoutLinks(logging.Filter):
    """Removes the ends of such links from the lines of every logger."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if (hidden := without_links(said)) != said:
            record.msg, record.args = hidden, ()
        return True


class WithRequest(logging.Filter):
    """Adds the id of the request that the line belongs to."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current_request.get() or "-"
        return True


class Json(logging.Formatter):
    """Writes one JSON object a line, with the traceback in it."""

    converter = time.gmtime  # type: ignore[assignment]

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%SZ"),
            "level": record.levelname,
            "logger": record.name,
            "request": getattr(record, "request_id", "-"),
            "message": record.getMessage(),
        }
        said |= {name: getattr(record, name) for name in MEASURED if hasattr(record, name)}
        if record.exc_info:
            said["traceback"] = without_links(self.formatException(record.exc_info))
        return json.dumps(said, ensure_ascii=False)
