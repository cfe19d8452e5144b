"""Forms for the settings of a crowd platform."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging import crowd_kinds
from judging.actions import signed_links
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import CrowdPlatform, Participation

PARAMETER = r"^[A-Za-z][A-Za-z0-9_.-]{0,39}$"
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
        min_value=5,
        max_value=7 * 24 * 60,
        help_text=_(
            "The platform's longest time for a submission. After it, unfinished tasks are open to others."
        ),
    )
    person_param = forms.RegexField(PARAMETER, label=_("Parameter with the person's id"))
    study_param = forms.RegexField(
        PARAMETER, label=_("Parameter with the study's id"), required=False
    )
    session_param = forms.RegexField(
        PARAMETER,
        label=_("Parameter with the submission's id"),
        required=False,
        help_text=_("It distinguishes a second submission of the same person from the first."),
    )
    return_template = forms.CharField(
        label=_("Return address"),
        required=False,
        max_length=300,
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
        label=_("Address of its public keys"), required=False, max_length=300, assume_scheme="https"
    )
    audience = forms.CharField(
        label=_("Audience of the signature"),
        required=False,
        max_length=200,
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

    def clean_return_template(self) -> str:
        template = self.cleaned_data["return_template"].strip()
        placed = "{code}" in template or crowd_kinds.gives_credit(template)
        if template and not (template.startswith("https://") and placed):
            raise forms.ValidationError(_("It begins with https:// and has {code} in it."))
        return template

    def clean_studies(self) -> list[str]:
        ids = list(dict.fromkeys(self.cleaned_data["studies"].replace(",", " ").split()))
        if wrong := [each for each in ids if not crowd_kinds.is_id(each)]:
            raise forms.ValidationError(
                _("This is no id of a study: %(id)s.") % {"id": wrong[0][:80]}
            )
        return ids

    def clean_keys_url(self) -> str:
        address = self.cleaned_data["keys_url"]
        if address and not signed_links.is_allowed(address):
            raise forms.ValidationError(
                _(
                    "This site may not read keys there; its operator can allow it (QUAESTOR_CROWD_ORIGINS)."
                )
            )
        return address

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("signed"):
            for name in ("keys_url", "audience"):
                if not cleaned.get(name) and name not in self.errors:
                    self.add_error(name, _("Signed links cannot be checked without it."))
        by_study = cleaned.get("signed") or cleaned.get("studies")
        if by_study and not cleaned.get("study_param") and "study_param" not in self.errors:
            self.add_error(
                "study_param", _("Links of other studies cannot be detected without it.")
            )
        codes = [self.cleaned_data.get(f"code_{end.value}") for end in Participation.End]
        given = [code for code in codes if code]
        if len(set(given)) < len(given):
            self.add_error(None, _("Two ends have the same code; each needs its own."))
        names = [
            cleaned.get(name)
            for name in ("person_param", "study_param", "session_param")
            if cleaned.get(name)
        ]
        if len(set(names)) < len(names):
            self.add_error(None, _("Two parameters have the same name."))
        return cleaned

    def to(self) -> dict[str, Any]:
        """Return the settings as they are stored."""
        plain = {
            name: value for name, value in self.cleaned_data.items() if not name.startswith("code_")
        }
        codes = {end.value: self.cleaned_data[f"code_{end.value}"] for end in Participation.End}
        return plain | {"codes": {end: code for end, code in codes.items() if code}}
