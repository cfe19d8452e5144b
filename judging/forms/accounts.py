"""Accounts, which administrators make; there is no mail server to rely on."""

from django import forms
from django.contrib.auth.forms import AdminUserCreationForm
from django.utils.translation import gettext_lazy as _

from judging.models import User


class AccountForm(AdminUserCreationForm):
    """A new account; without a password it is entered by a one-time link."""

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "may_create_campaigns")
        labels = {"may_create_campaigns": _("May create collections and campaigns")}


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
