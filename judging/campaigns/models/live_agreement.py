"""Stored counts of large campaigns, so that viewing them counts nothing."""

from django.db import models


class LiveAgreement(models.Model):
    """The agreement of a campaign's annotators at one moment, for its overview. Only the newest row
    of a campaign has pairs and items."""

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="live_agreements"
    )
    computed_at = models.DateTimeField()
    criteria = models.JSONField(
        default=dict,
        help_text="By the criterion's key: alpha, its interval, and why there is none.",
    )
    pairs = models.JSONField(
        default=list,
        help_text="Of two enrolments: ratings of the same items, and how many of them are equal.",
    )
    items = models.JSONField(
        default=list, help_text="The most disputed units, with their sources and disagreement."
    )

    class Meta:
        ordering = ["computed_at", "pk"]

    def __str__(self) -> str:
        return f"{self.campaign_id} at {self.computed_at:%H:%M:%S}"
