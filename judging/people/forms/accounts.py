"""Forms of accounts, which administrators create; they do not depend on a mail server."""

from typing import Any

from django import forms
from django.contrib.auth.forms import (
    AdminUserCreationForm,
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
)
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from judging.base.limits import MAX_NAME_CHARACTERS
from judging.people.actions import log_ins
from judging.people.actions.tokens import MAX_TOKEN_DAYS
from judging.people.models.user import ApiToken, User


class LogInForm(AuthenticationForm):
    """A name and its password. The attempt is counted first; `log_ins.Paused` is raised if the user
    has to wait."""

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name and self.cleaned_data.get("password"):
            now = timezone.now()
            log_ins.count_attempt(
                name=name,
                mark_shown=self.request.COOKIES.get(log_ins.MARK, ""),
                visitor=log_ins.log_in_visitor(self.request, now=now),
                now=now,
            )
        return super().clean()


def is_own_password(user: User, shown: str) -> bool:
    """Return whether a logged-in user has entered their password; `log_ins.Paused` is raised after
    too many attempts."""
    name = user.get_username()
    log_ins.count_attempt(
        name=name, mark_shown=log_ins.make_browser_mark(name=name), now=timezone.now()
    )
    if user.check_password(shown):
        return True
    log_ins.note_failed_log_in(name=name)
    return False


class NewPasswordForm(SetPasswordForm):
    """A new password. Django would save the whole account as it was before the password was hashed,
    and so restore rights that were removed meanwhile; this form saves only the password."""

    def save(self, commit: bool = True) -> User:
        user: User = super().save(commit=False)
        if commit:
            user.save(update_fields=["password"])
        return user


class ChangedPasswordForm(NewPasswordForm, PasswordChangeForm):
    """The old password and a new one. The attempt is counted before the old one is checked."""

    def clean_old_password(self) -> str:
        shown = self.cleaned_data["old_password"]
        if not is_own_password(self.user, shown):
            wrong = self.error_messages["password_incorrect"]
            raise forms.ValidationError(wrong, code="password_incorrect")
        return str(shown)


class AccountForm(AdminUserCreationForm):
    """A new account; without a password, its owner logs in by a one-time link."""

    class Meta:
        model = User
        fields = ("username", "first_name", "last_name", "email", "may_create_campaigns")
        labels = {"may_create_campaigns": _("May create datasets and campaigns")}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["usable_password"] = forms.ChoiceField(
            label=_("Password"),
            choices=[
                ("false", _("they choose it, by a link that the next page shows")),
                ("true", _("it is set here")),
            ],
            initial="false",
            widget=forms.RadioSelect,
        )
        self.fields["password1"].label = _("Password, if it is set here")
        self.order_fields([*self.Meta.fields, "usable_password"])


class ConfirmForm(forms.Form):
    """The password of a logged-in user. The attempt is counted before it is checked."""

    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=4096,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_password(self) -> str:
        if not is_own_password(self.user, self.cleaned_data["password"]):
            raise forms.ValidationError(_("This is not your password."))
        return str(self.cleaned_data["password"])


class CodeForm(forms.Form):
    """A one-time code of a device, or a recovery code."""

    code = forms.CharField(
        label=_("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "text", "spellcheck": "false"}
        ),
    )


class TokenForm(forms.Form):
    """The name and scope of an API token, and how long it is valid."""

    name = forms.CharField(
        label=_("Name"),
        max_length=MAX_NAME_CHARACTERS,
        help_text=_("Such as the program that uses it."),
    )
    scope = forms.ChoiceField(
        label=_("Scope"), choices=ApiToken.Scope.choices, initial=ApiToken.Scope.READ
    )
    days = forms.IntegerField(
        label=_("Valid for (days)"),
        required=False,
        min_value=1,
        max_value=MAX_TOKEN_DAYS,
        initial=90,
        help_text=_("Without a number the token is valid until you revoke it."),
    )


class RightsForm(forms.ModelForm):
    """The general rights of an account; roles in campaigns are given there."""

    class Meta:
        model = User
        fields = (
            "first_name",
            "last_name",
            "email",
            "may_create_campaigns",
            "is_superuser",
            "is_active",
        )
        labels = {
            "may_create_campaigns": _("May create datasets and campaigns"),
            "is_superuser": _("Administrator"),
            "is_active": _("May log in"),
        }
        help_texts = {
            "is_superuser": _(
                "Makes accounts and password links, and may create campaigns. Sees no other campaign "
                "unless added to it."
            ),
            "is_active": _("Take this away instead of deleting an account; what it did stays."),
        }
