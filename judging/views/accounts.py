"""Accounts: who may log in, what they may do, and links for choosing a password."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, SetPasswordForm
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.views import LoginView, PasswordChangeView, PasswordResetConfirmView
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.actions import accounts, collections, history, log_ins, second_factors, visits
from judging.actions.accounts import find_account
from judging.actions.enrollments import OUTSIDE
from judging.forms.accounts import (
    AccountForm,
    ChangedPasswordForm,
    ConfirmForm,
    LogInForm,
    NewPasswordForm,
    RightsForm,
)
from judging.forms.campaigns import MemberForm
from judging.forms.plain_text import sent
from judging.guards import (
    CONFIRMED,
    administrator_required,
    password_confirmed,
    password_confirmed_first,
)
from judging.models import Campaign, Event, User
from judging.views.refusals import refusals_shown
from judging.views.second_factor import ask_for_code

CARRIED = "carried"  # a field of the page for the password: another form's fields are with it


class _Counted:
    """Mixin for Django's views of a form with a password: after too many attempts users must
    wait."""

    def post(self: Any, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            return super().post(request, *args, **kwargs)
        except log_ins.Paused as pause:
            empty = self.get_form_class()(**self.get_form_kwargs() | {"data": None, "files": None})
            page = self.get_context_data(form=empty, pause=pause)
            return self.render_to_response(
                page, status=429, headers={"Retry-After": str(pause.seconds)}
            )


class LogIn(_Counted, LoginView):
    """Django's view, with attempts counted."""

    authentication_form = LogInForm
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        if second_factors.is_on(form.get_user()):
            return ask_for_code(self.request, form.get_user(), self.get_success_url())
        with transaction.atomic():
            answer = super().form_valid(form)
            history.note(Event.Act.LOGGED_IN, by=form.get_user())
        return log_ins.let_in(answer, name=form.get_user().get_username())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.has_error(NON_FIELD_ERRORS):
            log_ins.failed(name=form.cleaned_data["username"])
        return super().form_invalid(form)


class NewPassword(PasswordResetConfirmView):
    """Django's view; the first password also logs its owner in, because accounts without a password
    have no second factor. A user with the link owns the account, so guesses of others do not block
    this browser."""

    form_class = NewPasswordForm
    token_generator = accounts.PasswordLinks()

    def form_valid(self, form: SetPasswordForm) -> HttpResponse:
        is_first = not self.user.has_usable_password()
        with transaction.atomic():
            # another of several requests was first: hashing for each would keep others waiting
            if User.objects.select_for_update().get(pk=self.user.pk).password != self.user.password:
                self.validlink = False
                return self.render_to_response(self.get_context_data())
            answer = super().form_valid(form)
            visits.end_all(user=self.user)
            history.note(Event.Act.PASSWORD_CHANGED, by=self.user, after="by a link")
            if is_first and not second_factors.is_on(self.user):
                login(self.request, self.user)
                history.note(Event.Act.LOGGED_IN, by=self.user)
                answer = redirect("judging:home")
        return log_ins.let_in(answer, name=self.user.get_username())


class ChangedPassword(_Counted, PasswordChangeView):
    """Django's view, with attempts counted; it ends every other session, and revokes the token that
    was created under the old password."""

    form_class = ChangedPasswordForm

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        user = self.request.user
        with transaction.atomic():
            # another request with the old password came a moment before
            if User.objects.select_for_update().get(pk=user.pk).password != user.password:
                form.add_error("old_password", form.error_messages["password_incorrect"])
                return self.form_invalid(form)
            answer = super().form_valid(form)
            visits.end_all(user=user)
            history.note(Event.Act.PASSWORD_CHANGED, by=user)
        update_session_auth_hash(self.request, self.request.user)
        return log_ins.let_in(answer, name=self.request.user.get_username())


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask for the password again, and lead back to the page that required it.

    A form that was sent before the password is a part of this page, and is sent again after it. It
    is sent only if it came here as a form: an address alone does no act.
    """
    if not request.user.has_usable_password():
        raise Http404
    is_answered = "password" in request.POST
    form = ConfirmForm(request.POST if is_answered else None, user=request.user)
    is_carried = CARRIED in request.POST or (request.method == "POST" and not is_answered)
    shown: dict[str, Any] = {"form": form}
    if is_carried:
        shown["carried"] = [(CARRIED, "yes"), *_fields_of(request)]
    try:
        if form.is_valid():
            log_ins.forget(name=request.user.get_username())
            request.session[CONFIRMED] = int(timezone.now().timestamp())
            back = request.GET.get("next", "")
            if not url_has_allowed_host_and_scheme(
                back, {request.get_host()}, require_https=request.is_secure()
            ):
                return redirect("judging:home")
            return redirect(back, preserve_request=is_carried)
    except log_ins.Paused as pause:
        answer = render(
            request, "judging/accounts/confirm.html", shown | {"pause": pause}, status=429
        )
        answer.headers["Retry-After"] = str(pause.seconds)
        return answer
    return render(
        request, "judging/accounts/confirm.html", shown, status=422 if form.errors else 200
    )


def _fields_of(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields of a form, but for those that the page for the password adds."""
    added = {CARRIED, "password", "csrfmiddlewaretoken"}
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in added
    ]


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Lead users to the page of their work: researchers to their campaigns, annotators to
    theirs."""
    if request.user.may_create_campaigns or Campaign.objects.visible_to(request.user).exists():
        return redirect("judging:campaigns")
    if request.user.is_superuser:
        return redirect("judging:accounts")
    return redirect("annotation:home")


@administrator_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the accounts; annotators who came by a link, perhaps hundreds, are listed only on
    demand."""
    accounts_there = User.objects.order_by("username")
    by_link = accounts_there.filter(
        username__startswith=OUTSIDE, password__startswith=UNUSABLE_PASSWORD_PREFIX
    )
    shows_all = "all" in request.GET
    listed = accounts_there if shows_all else accounts_there.exclude(pk__in=by_link.values("pk"))
    page = Paginator(listed, 50).get_page(request.GET.get("page"))
    paused = log_ins.paused(names=[each.username for each in page], now=timezone.now())
    shown = {
        "page": page,
        "paused": paused,
        "not_listed": 0 if shows_all else by_link.count(),
        "query": "all&" if shows_all else "",
    }
    return render(request, "judging/accounts/index.html", shown)


@administrator_required
@require_http_methods(["GET", "POST"])
@password_confirmed_first
def new(request: HttpRequest) -> HttpResponse:
    """Create an account, and show the link by which its owner chooses a password."""
    form = AccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = form.save()
            history.note(Event.Act.ACCOUNT_MADE, by=request.user, about=history.account(user))
        if not user.has_usable_password():
            return _link_page(request, user)
        messages.success(request, _("The account is made."))
        return redirect("judging:account", user.pk)
    return render(
        request, "judging/accounts/new.html", {"form": form}, status=422 if form.errors else 200
    )


@administrator_required
@require_http_methods(["GET", "POST"])
@password_confirmed
def account(request: HttpRequest, pk: int) -> HttpResponse:
    """Change the rights of an account."""
    owner = get_object_or_404(User, pk=pk)
    form = RightsForm(request.POST if request.method == "POST" else None, instance=owner)
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            accounts.set_rights(user=form.instance, by=request.user)
            messages.success(request, _("Saved."))
            return redirect("judging:accounts")
    paused = log_ins.paused(names=[owner.username], now=timezone.now()).get(owner.username)
    shown = {
        "form": form,
        "owner": owner,
        "paused": paused,
        "has_second_factor": second_factors.is_on(owner),
        "hand_over_form": MemberForm(roles=()),
    }
    return render(
        request, "judging/accounts/account.html", shown, status=422 if form.errors else 200
    )


@administrator_required
@require_POST
def let_try(request: HttpRequest, pk: int) -> HttpResponse:
    """End the pause after too many wrong passwords."""
    owner = get_object_or_404(User, pk=pk)
    log_ins.forget(name=owner.username)
    messages.success(request, _("They can log in at once."))
    return redirect("judging:account", owner.pk)


@administrator_required
@require_POST
@password_confirmed
def hand_over(request: HttpRequest, pk: int) -> HttpResponse:
    """Give all datasets and campaigns of an account to another one."""
    owner = get_object_or_404(User, pk=pk)
    with refusals_shown(request):
        to = find_account(sent(request.POST, "username"))
        owned, managed = collections.hand_over_all(owner=owner, to=to, by=request.user)
        told = {"name": to, "collections": owned, "campaigns": managed}
        messages.success(
            request,
            _("Handed over to %(name)s: %(collections)s datasets, %(campaigns)s campaigns.") % told,
        )
    return redirect("judging:account", owner.pk)


@administrator_required
@require_POST
@password_confirmed
def password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a one-time link by which the account's owner chooses a new password."""
    owner = get_object_or_404(User, pk=pk, is_active=True)
    log_ins.forget(name=owner.username)
    return _link_page(request, owner)


def _link_page(request: HttpRequest, owner: User) -> HttpResponse:
    link = request.build_absolute_uri(
        reverse(
            "password_reset_confirm",
            kwargs=accounts.password_link_parts(user=owner, by=request.user),
        )
    )
    return render(
        request,
        "registration/password_reset_link.html",
        {"account": owner, "link": link, "hours": settings.PASSWORD_RESET_TIMEOUT // 3600},
    )
