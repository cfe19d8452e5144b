"""Forms for the settings of a crowd platform."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.crowd import crowd_kinds
from judging.crowd.actions.crowd_platforms import LONGEST, MINUTES, PlatformSettings
from judging.crowd.models.crowd import CrowdPlatform, Participation

MEANINGS = {
    Participation.End.COMPLETED: _("Did their whole share."),
    Participation.End.NO_CONSENT: _(
        "Did not agree to take part. Ask them on the platform to return the submission."
    ),
    Participation.End.SCREENED_OUT: _("Did not qualify. On Prolific: a fixed screen-out payment."),
    Participation.End.FAILED_CHECKS: _(
        "Excluded from the analysis while they worked. Pay them; nothing here rejects."
    ),
    Participation.End.QUOTA_FULL: _("Came when all tasks were taken."),
    Participation.End.TIMED_OUT: _("Returned after their time, when no task was left."),
}


class NewPlatformForm(forms.Form):
    """The kind of the platform."""

    kind = forms.ChoiceField(
        label=_("Platform"), choices=CrowdPlatform.Kind.choices, widget=forms.RadioSelect
    )


class PlatformForm(forms.Form):
    """The settings of a platform, with a code for each end. A stored secret is not shown again."""

    minutes = forms.IntegerField(
        label=_("Minutes a share is kept"),
        min_value=MINUTES[0],
        max_value=MINUTES[1],
        help_text=_(
            "The platform's longest time for a submission. After it, unfinished assignments are open to others."
        ),
    )
    person_param = forms.RegexField(
        crowd_kinds.PARAMETER, label=_("Parameter with the person's id")
    )
    study_param = forms.RegexField(
        crowd_kinds.PARAMETER, label=_("Parameter with the study's id"), required=False
    )
    session_param = forms.RegexField(
        crowd_kinds.PARAMETER,
        label=_("Parameter with the submission's id"),
        required=False,
        help_text=_("It distinguishes a second submission of the same person from the first."),
    )
    return_template = forms.CharField(
        label=_("Return address"),
        required=False,
        max_length=LONGEST["return_template"],
        help_text=_(
            "With {code} in the place of the code. Leave empty if annotators copy their code. For SONA: the credit "
            "address with {person} in the place of the survey code."
        ),
    )
    signed = forms.BooleanField(
        label=_("Take only links that the platform signed"),
        required=False,
        help_text=_("Turn on the platform's secure URL first."),
    )
    studies = forms.CharField(
        label=_("Ids of the studies that lead here"),
        required=False,
        max_length=2_000,
        help_text=_(
            "As the platform shows them, with blanks between several. Links of other studies are refused."
        ),
    )
    keys_url = forms.URLField(
        label=_("Address of its public keys"),
        required=False,
        max_length=LONGEST["keys_url"],
        assume_scheme="https",
    )
    audience = forms.CharField(
        label=_("Audience of the signature"),
        required=False,
        max_length=LONGEST["audience"],
        help_text=_("The address of this site, such as https://quaestor.example.org."),
    )
    webhook_secret = forms.CharField(
        label=_("Webhook secret"),
        required=False,
        max_length=MAX_NAME_CHARACTERS,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_(
            "From the platform, as you subscribe to its messages. It is encrypted, and not shown again."
        ),
    )

    def __init__(self, *args: Any, platform: CrowdPlatform, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.platform = platform
        for end in Participation.End:
            self.fields[f"code_{end.value}"] = forms.RegexField(
                crowd_kinds.CODE,
                label=end.label,
                help_text=MEANINGS[end],
                required=False,
                initial=platform.codes.get(end.value, ""),
                strip=True,
                error_messages={"invalid": _("4 to 40 letters, digits, hyphens or underscores.")},
            )

    def codes(self) -> list[forms.BoundField]:
        return [self[f"code_{end.value}"] for end in Participation.End]

    def names(self) -> list[forms.BoundField]:
        """Return the fields that are fixed once an annotator has come by the platform."""
        return [
            self[name]
            for name in ("person_param", "study_param", "session_param", "return_template")
        ]

    def trust(self) -> list[forms.BoundField]:
        return [
            self[name] for name in ("signed", "studies", "keys_url", "audience", "webhook_secret")
        ]

    def settings(self) -> PlatformSettings:
        """Return the settings as the action takes them."""
        written = self.cleaned_data
        codes = {end.value: written[f"code_{end.value}"] for end in Participation.End}
        return PlatformSettings(
            person_param=written["person_param"],
            study_param=written["study_param"],
            session_param=written["session_param"],
            return_template=written["return_template"],
            minutes=written["minutes"],
            signed=written["signed"],
            keys_url=written["keys_url"],
            audience=written["audience"],
            studies=tuple(dict.fromkeys(written["studies"].replace(",", " ").split())),
            codes={end: code for end, code in codes.items() if code},
        )
