"""Counts of API requests, by which all web processes together limit their rate."""

from datetime import datetime, timedelta

from judging.base.models.request_count import RequestCount
from judging.base.models.statements import query_rows

KEPT_FOR = timedelta(hours=1)
COUNT = """
INSERT INTO judging_requestcount AS counted (sender, minute, requests)
VALUES (%(sender)s, %(minute)s, 1)
ON CONFLICT (sender, minute) DO UPDATE SET requests = counted.requests + 1
RETURNING requests
"""


def count_request(*, sender: str, now: datetime) -> int:
    """Count a request; return how many the sender has made in this minute."""
    minute = now.replace(second=0, microsecond=0)
    [[requests]] = query_rows(COUNT, {"sender": sender, "minute": minute})
    return int(requests)


def delete_old_counts(*, now: datetime) -> int:
    """Delete the counts that are older than an hour; return how many."""
    return RequestCount.objects.filter(minute__lt=now - KEPT_FOR).delete()[0]
