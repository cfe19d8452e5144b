"""The adjudicator of a campaign, and the distance of ratings from which they adjudicate."""

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.quality.actions.adjudications import MAX_THRESHOLD


class AdjudicatorForm(forms.Form):
    """An account, and the ranks that annotators' ratings may differ by."""

    username = forms.CharField(
        label=_("User name of the adjudicator"),
        max_length=150,
        help_text=_("An account with a password; it needs no role in the campaign."),
    )
    threshold = forms.IntegerField(
        label=_("Ranks that annotators may lie apart"),
        initial=1,
        min_value=0,
        max_value=MAX_THRESHOLD,
        help_text=_(
            "Ratings further apart are adjudicated. On a scale without order any two values."
        ),
    )
