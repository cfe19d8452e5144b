"""Forms to invite, exclude and erase annotators, and to give roles."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Invitation, Membership

FIRST_LIFE = timedelta(days=14)  # of a link, unless its creator chooses otherwise


class InvitationForm(forms.ModelForm):
    """A link by which annotators join."""

    class Meta:
        model = Invitation
        fields = ("label", "places", "expires_at")
        labels = {
            "label": _("Name of the link"),
            "places": _("Annotators who may join"),
            "expires_at": _("Valid until"),
        }
        help_texts = {
            "label": _("For yourself, such as where you send it."),
            "places": _("One annotator to a link is safest: nobody can join twice by it."),
        }
        widgets = {
            "expires_at": forms.DateTimeInput(
                attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"
            )
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["places"] = forms.IntegerField(
            label=self.fields["places"].label,
            help_text=self.fields["places"].help_text,
            min_value=1,
            max_value=10_000,
            initial=1,
        )
        self.fields["expires_at"].required = True
        self.fields["expires_at"].initial = lambda: timezone.now() + FIRST_LIFE


class MemberForm(forms.Form):
    """An account to which a role is given."""

    username = forms.CharField(label=_("User name"), max_length=150)
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices)

    def __init__(
        self, *args: Any, roles: Sequence[tuple[str, str]] = Membership.Role.choices, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        if not roles:
            del self.fields["role"]


class ErasureForm(forms.Form):
    """The label of the annotator to erase, entered as a confirmation."""

    label = forms.CharField(label=_("The annotator's label"), max_length=100)

    def __init__(self, *args: Any, enrollment: Enrollment, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.enrollment = enrollment

    def clean_label(self) -> str:
        if self.cleaned_data["label"].strip() != self.enrollment.label:
            raise forms.ValidationError(_("This is not the label of the annotator on this page."))
        return self.enrollment.label


class ExclusionForm(forms.Form):
    """An annotator to exclude from the analysis, and the reason."""

    enrollment = forms.ModelChoiceField(
        label=_("Annotator"), queryset=Enrollment.objects.none(), empty_label=None
    )
    reason = forms.CharField(label=_("Why"), max_length=500, help_text=_("The report prints it."))

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["enrollment"].queryset = campaign.enrollments.order_by("label")
