"""Stored counts of large campaigns, so that viewing them counts nothing."""

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


class AnalysedAgreement(models.Model):
    """The agreement that a campaign's latest analysis found, for its overview: written by the
    analysis."""

    campaign = models.OneToOneField(
        "judging.Campaign", on_delete=models.CASCADE, related_name="agreement", primary_key=True
    )
    criteria = models.JSONField(
        default=dict,
        help_text="By the criterion's key: alpha, its interval, and why there is none.",
    )
    run = models.PositiveIntegerField()
    found_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"run {self.run}"
