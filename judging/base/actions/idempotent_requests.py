"""Requests with an `Idempotency-Key`, which are kept for a day."""

from datetime import datetime, timedelta

from judging.base.models.idempotent_request import IdempotentRequest

KEPT_FOR = timedelta(days=1)


def delete_old_requests(*, now: datetime) -> int:
    """Delete the requests that are older than a day; return how many."""
    return IdempotentRequest.objects.filter(created_at__lt=now - KEPT_FOR).delete()[0]
