"""What is written into logs: never the end of a link by which somebody comes in."""

import logging
import re

LINK = re.compile(r"/(join|go|password/new/[^/\s]+)/(?!set-password|done)[^/\s]+")


class WithoutLinks(logging.Filter):
    """Replaces what a link ends in, whoever writes the line."""

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.getMessage()
        if (hidden := LINK.sub(r"/\1/...", said)) != said:
            record.msg, record.args = hidden, ()
        return True
