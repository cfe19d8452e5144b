"""Requests of programs that take effect once, however often they are sent."""

from django.conf import settings
from django.db import models


class IdempotentRequest(models.Model):
    """A request with an `Idempotency-Key`, and its response without secrets; kept for a day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)
    digest = models.CharField(max_length=64, help_text="Of method, address and content.")
    status = models.PositiveSmallIntegerField()
    body = models.TextField()
    location = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "key"], name="idempotency_key_once"),
        ]

    def __str__(self) -> str:
        return self.key
