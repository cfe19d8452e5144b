"""The part of a dataset that a campaign judges, if it does not judge all of it."""

from django.db import models


class SelectedUnit(models.Model):
    """A unit that a campaign's selection chose when its plan was locked.

    The plan describes the selection in words and seeds; these rows store its result, so that a
    later change of a system's name or of a column does not change it. A campaign without such rows
    judges the whole dataset.
    """

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="selected_units", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="selected_in")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "unit"], name="selected_unit_once")
        ]

    def __str__(self) -> str:
        return f"{self.unit} in {self.campaign}"
