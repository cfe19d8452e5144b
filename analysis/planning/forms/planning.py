"""The form of a power analysis."""

from functools import partial
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.planning.actions import planning
from analysis.runs.forms.runs import FROM
from judging.base.forms.numbers import number_field
from judging.campaigns.models.campaign import Campaign

_power_field = partial(
    number_field, defaults=planning.PowerSettings(variances=""), bounds=planning.BOUNDS
)


class PowerForm(forms.Form):
    """Settings of a power analysis: the source of variances, the difference to find, the power, and
    the number of annotators."""

    variances = forms.ChoiceField(
        label=_("Variances from"),
        help_text=_("A pilot of your own is best. The published ones are on a scale of 1 to 3."),
    )
    difference = _power_field(
        forms.FloatField,
        "difference",
        label=_("Difference of two systems' means to find"),
        help_text=_("In points of the scale: the smallest that would matter to you."),
    )
    annotators = _power_field(
        forms.IntegerField, "annotators", label=_("Annotators an item, at most")
    )
    power = _power_field(forms.FloatField, "power", label=_("Power"))
    level = _power_field(forms.FloatField, "level", label=_("Level of the test"))
    comparisons = _power_field(
        forms.IntegerField,
        "comparisons",
        label=_("Comparisons"),
        help_text=_(
            "Pairs of systems you will compare: each is tested at the level divided by their number."
        ),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        groups: dict[str, list[tuple[str, str]]] = {}
        for key, kind, name in planning.variance_sources(campaign):
            groups.setdefault(str(FROM[kind]), []).append((key, name))
        self.fields["variances"].choices = list(groups.items())
