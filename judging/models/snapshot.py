"""What a large campaign's overview was counted to be, and when: so that looking at it counts nothing."""

from django.db import models


class Snapshot(models.Model):
    """One campaign's counts. Only kept where counting takes long; it can be thrown away at any time."""

    campaign = models.OneToOneField(
        "judging.Campaign", on_delete=models.CASCADE, related_name="snapshot", primary_key=True
    )
    document = models.JSONField(default=dict)
    taken_at = models.DateTimeField()
    seconds = models.FloatField(help_text="How long counting took; the next count waits many times as long.")

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.taken_at:%H:%M:%S}"
