"""The form for the rate of pay."""

from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.campaigns.models.campaign import Campaign
from judging.quality.pay import Rate, rate_document

CURRENCY = r"[A-Z]{3}"


class RateForm(forms.Form):
    """The pay of a task and its planned minutes; an hour must pay at least the minimum."""

    amount = forms.DecimalField(
        label=_("Pay for a task"), min_value=Decimal("0.001"), max_digits=9, decimal_places=3
    )
    currency = forms.RegexField(
        regex=CURRENCY,
        label=_("Currency"),
        max_length=3,
        initial="GBP",
        help_text=_("Three letters, such as GBP."),
    )
    minutes = forms.DecimalField(
        label=_("Planned minutes a task"),
        min_value=Decimal("0.01"),
        max_digits=7,
        decimal_places=2,
        help_text=_("From a pilot: the median. Checks between tasks are paid as tasks."),
    )
    floor = forms.DecimalField(
        label=_("Least pay for an hour"),
        min_value=0,
        max_digits=9,
        decimal_places=2,
        required=False,
        help_text=_(
            "Annotators who get less for the hours at work are listed for a top-up. Platforms ask for one."
        ),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, initial=campaign.rate, **kwargs)
        if campaign.state != Campaign.State.DRAFT:
            for field in self.fields.values():
                field.disabled = True

    def document(self) -> dict[str, str]:
        return rate_document(Rate(**self.cleaned_data))
