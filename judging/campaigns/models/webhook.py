"""Webhooks of a campaign: the addresses to which events are sent, and each delivery with its
outcome."""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class Webhook(models.Model):
    """An address to which events of a campaign are sent. Its secret is encrypted."""

    class Event(models.TextChoices):
        CAMPAIGN_STATE = "campaign.state", "The state of the campaign changed"
        TASK_SUBMITTED = "task.submitted", "An annotator submitted a task"
        TARGET_REACHED = "target.reached", "All planned assignments of a round are submitted"
        RUN_FINISHED = "run.finished", "An analysis ended"

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="webhooks"
    )
    url = models.CharField(max_length=500)
    events = models.JSONField(help_text="The events that are sent.")
    secret = models.TextField(editable=False, help_text="Encrypted.")
    is_active = models.BooleanField(default=True)
    created_by = models.ForeignKey("judging.User", on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=~Q(events=[]), name="webhook_has_events")]

    def __str__(self) -> str:
        return f"{self.url} for {self.campaign_id}"


class WebhookDelivery(models.Model):
    """An event that is sent to a webhook until its server accepts it."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        DELIVERED = "delivered", "delivered"
        FAILED = "failed", "failed"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=20)
    data = models.JSONField()
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    state = models.CharField(max_length=9, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(db_default=Now())
    delivered_at = models.DateTimeField(null=True, blank=True)
    status = models.PositiveSmallIntegerField(
        null=True, blank=True, help_text="The HTTP status of the last response."
    )
    problem = models.CharField(
        max_length=200, blank=True, help_text="Why the last attempt was not accepted."
    )

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "delivered", "failed"]),
                name="webhook_delivery_state",
            ),
            models.CheckConstraint(
                condition=Q(state="delivered") ^ Q(delivered_at__isnull=True),
                name="webhook_delivery_delivered_at",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_attempt_at"],
                condition=Q(state="waiting"),
                name="webhook_delivery_due",
            ),
            models.Index(fields=["webhook", "-created_at"], name="webhook_delivery_log"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.id}"
