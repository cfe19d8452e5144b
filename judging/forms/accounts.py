"""Accounts, which administrators make; there is no mail server to rely on."""

from typing import Any

from django import forms
from django.contrib.auth.forms import AdminUserCreationForm, AuthenticationForm
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.actions import log_ins
from judging.models import AccessKey, User


class LogInForm(AuthenticationForm):
    """A name and its password. The attempt is counted first; `log_ins.Paused` comes out where it has to wait."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name and self.cleaned_data.get("password"):
            log_ins.count(name=name, mark_shown=self.request.COOKIES.get(log_ins.MARK, ""), now=timezone.now())
        return super().clean()


class AccountForm(AdminUserCreationForm):
    """A new account; without a password it is entered by a one-time link."""

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "may_create_campaigns")
        labels = {"may_create_campaigns": _("May create collections and campaigns")}


class CodeForm(forms.Form):
    """A one-time code of a device, or a recovery code."""

    code = forms.CharField(
        label=_("Code"), max_length=40,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "text", "spellcheck": "false"}),
    )  # fmt: skip


class KeyForm(forms.Form):
    """What a key for programs opens, and for how long."""

    scope = forms.ChoiceField(label=_("It may"), choices=AccessKey.Scope.choices, initial=AccessKey.Scope.READ)
    days = forms.IntegerField(label=_("Days until it ends"), min_value=1, max_value=366, initial=90)


class RightsForm(forms.ModelForm):
    """What an account may do at all; roles in campaigns are given there."""

    class Meta:
        model = User
        fields = ("first_name", "last_name", "email", "may_create_campaigns", "is_superuser", "is_active")
        labels = {
            "may_create_campaigns": _("May create collections and campaigns"),
            "is_superuser": _("Administrator"),
            "is_active": _("May log in"),
        }
        help_texts = {
            "is_superuser": _("Makes accounts and password links. Sees no campaign unless added to it."),
            "is_active": _("Take this away instead of deleting an account; what it did stays."),
        }
