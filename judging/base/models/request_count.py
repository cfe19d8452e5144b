"""Requests of programs, counted by sender and minute for all web processes together."""

from django.db import models


class RequestCount(models.Model):
    """The number of API requests of one sender in one minute; kept for an hour."""

    sender = models.CharField(max_length=64, help_text="A user's id, or a hash of an address.")
    minute = models.DateTimeField(db_index=True)
    requests = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["sender", "minute"], name="request_count_once"),
        ]

    def __str__(self) -> str:
        return f"{self.requests} requests"
