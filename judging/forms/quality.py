"""What a researcher enters about checks, flags and the rules of exclusion."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging import quality
from judging.models import Campaign
from judging.quality import QualityPlan

DEFAULT = QualityPlan()


def _whole(label: Any, name: str, why: Any, *, least: int, most: int, required: bool = True) -> forms.IntegerField:
    initial = getattr(DEFAULT, name)
    return forms.IntegerField(
        label=label, help_text=why, min_value=least, max_value=most, initial=initial, required=required
    )


def _share(label: Any, name: str, why: Any, *, required: bool = True) -> forms.FloatField:
    return forms.FloatField(
        label=label, help_text=why, min_value=0, max_value=1, initial=getattr(DEFAULT, name), required=required
    )


class QualityForm(forms.Form):
    """The thresholds of flags and the rules of exclusion, each with the reason for its default."""

    least_values = _whole(
        _("Say nothing before this many values"), "least_values",
        _("A page or two of an ordinary protocol; of fewer values any share is chance."), least=1, most=10_000,
    )  # fmt: skip
    fastest = forms.FloatField(
        label=_("Too fast: seconds a value"), min_value=0, max_value=600, initial=DEFAULT.fastest,
        help_text=_("Nobody reads a question and chooses a value in half a second."),
    )  # fmt: skip
    faster_than_others = forms.FloatField(
        label=_("Or so many times as fast as the others"), min_value=1, max_value=100,
        initial=DEFAULT.faster_than_others,
        help_text=_("Careful annotators differ by a factor of two or three; four is rare. Compared with the median."),
    )  # fmt: skip
    same_share = _share(
        _("Equal values: share of one value"), "same_share",
        _("Flagged only where the others give that value to fewer than 0.8 of the questions."),
    )  # fmt: skip
    longest_run = _whole(
        _("Equal values in a row"), "longest_run",
        _("Flagged only where, by the others’ share of the value, such a run comes up less than once in 1,000."),
        least=2, most=10_000,
    )  # fmt: skip
    exclude_speed = forms.BooleanField(label=_("Propose whoever is flagged as too fast"), required=False)
    exclude_same = forms.BooleanField(
        label=_("Propose whoever is flagged for equal values or a long run"), required=False
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        initial = quality.to_document(quality.from_document(campaign.quality))
        super().__init__(*args, initial=initial, **kwargs)
        self.campaign = campaign
        if campaign.state != Campaign.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def sections(self) -> list[tuple[str, str, list[forms.BoundField]]]:
        """Return the fields under what they are for: a title, why, and the fields."""
        flags = ("least_values", "fastest", "faster_than_others", "same_share", "longest_run")
        rules = ("exclude_speed", "exclude_same")
        return [
            (_("Flags"), _("A flag asks you to look. It excludes nobody."), [self[name] for name in flags]),
            (
                _("Rules of exclusion"),
                _(
                    "Fixed beforehand, so that nobody can choose them by the results. Rules propose; you look at the "
                    "list and apply it. Nobody’s pay depends on it, and the report shows results with and without."
                ),
                [self[name] for name in rules],
            ),
        ]

    def document(self) -> dict[str, Any]:
        """Return the plan as the campaign holds it."""
        kept = quality.to_document(quality.from_document(self.campaign.quality))
        return quality.to_document(quality.from_document(kept | self.cleaned_data))
