"""The counts of a campaign that its overview shows."""

from django.db import models


class Snapshot(models.Model):
    """One campaign's counts. Only stored if counting takes long; they can be deleted at any
    time."""

    campaign = models.OneToOneField(
        "judging.Campaign", on_delete=models.CASCADE, related_name="snapshot", primary_key=True
    )
    document = models.JSONField(default=dict)
    taken_at = models.DateTimeField()
    seconds = models.FloatField(
        help_text="How long counting took; the next count waits many times as long."
    )

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.taken_at:%H:%M:%S}"
