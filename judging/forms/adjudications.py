"""Who settles values, and from which distance on."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.models import User


class AdjudicatorForm(forms.Form):
    """An account, and the ranks that annotators may lie apart."""

    username = forms.CharField(
        label=_("User name of whoever settles"),
        max_length=150,
        help_text=_("An account with a password; it needs no role in the campaign."),
    )
    threshold = forms.IntegerField(
        label=_("Ranks that annotators may lie apart"),
        initial=1,
        min_value=0,
        max_value=32_767,  # as the column holds
        help_text=_("What lies further apart is settled. On a scale without order any two values."),
    )

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"]).strip()
        self.user = User.objects.filter(username=name, is_active=True).first()
        if self.user is None:
            raise forms.ValidationError(_("There is no account of that name."))
        return name


def value_of(text: Any) -> int | None:
    """Return the value that a form sent; None where it is no number of a scale."""
    said = str(text or "")
    return int(said) if said.isdecimal() and len(said) < 5 else None
