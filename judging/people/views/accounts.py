"""Accounts: who may log in, what they may do, and links for choosing a password."""

from typing import Any

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
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.people.actions import accounts, history, log_ins, two_factors, visits
from judging.people.forms.accounts import (
    ChangedPasswordForm,
    ConfirmForm,
    LogInForm,
    NewPasswordForm,
)
from judging.people.guards import CONFIRMED, administrator_required
from judging.people.models.event import Event
from judging.people.models.user import BY_LINK_PREFIX, User
from judging.people.views.two_factor import ask_for_code

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
        if two_factors.is_on(form.get_user()):
            return ask_for_code(self.request, form.get_user(), self.get_success_url())
        with transaction.atomic():
            answer = super().form_valid(form)
            history.record_event(Event.Act.LOGGED_IN, by=form.get_user())
        return log_ins.note_log_in(answer, name=form.get_user().get_username())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.has_error(NON_FIELD_ERRORS):
            log_ins.note_failed_log_in(name=form.cleaned_data["username"])
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
            history.record_event(Event.Act.PASSWORD_CHANGED, by=self.user, after="by a link")
            if is_first and not two_factors.is_on(self.user):
                login(self.request, self.user)
                history.record_event(Event.Act.LOGGED_IN, by=self.user)
                answer = redirect("judging:home")
        return log_ins.note_log_in(answer, name=self.user.get_username())


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
            history.record_event(Event.Act.PASSWORD_CHANGED, by=user)
        update_session_auth_hash(self.request, self.request.user)
        return log_ins.note_log_in(answer, name=self.request.user.get_username())


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def confirm_password(request: HttpRequest) -> HttpResponse:
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
            log_ins.reset_attempts(name=request.user.get_username())
            request.session[CONFIRMED] = int(timezone.now().timestamp())
            back = request.GET.get("next", "")
            if not url_has_allowed_host_and_scheme(
                back, {request.get_host()}, require_https=request.is_secure()
            ):
                return redirect("judging:home")
            return redirect(back, preserve_request=is_carried)
    except log_ins.Paused as pause:
        answer = render(
            request, "judging/people/confirm.html", shown | {"pause": pause}, status=429
        )
        answer.headers["Retry-After"] = str(pause.seconds)
        return answer
    return render(request, "judging/people/confirm.html", shown, status=422 if form.errors else 200)


def _fields_of(request: HttpRequest) -> list[tuple[str, str]]:
    """Return the fields of a form, but for those that the page for the password adds."""
    added = {CARRIED, "password", "csrfmiddlewaretoken"}
    return [
        (name, value)
        for name, values in request.POST.lists()
        for value in values
        if name not in added
    ]


@administrator_required
@require_GET
def list_accounts(request: HttpRequest) -> HttpResponse:
    """List the accounts; annotators who came by a link, perhaps hundreds, are listed only on
    demand."""
    accounts_there = User.objects.order_by("username")
    by_link = accounts_there.filter(
        username__startswith=BY_LINK_PREFIX, password__startswith=UNUSABLE_PASSWORD_PREFIX
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
    return render(request, "judging/people/index.html", shown)


@administrator_required
@require_POST
def end_log_in_pause(request: HttpRequest, pk: int) -> HttpResponse:
    """End the pause after too many wrong passwords."""
    owner = get_object_or_404(User, pk=pk)
    log_ins.reset_attempts(name=owner.username)
    messages.success(request, _("They can log in at once."))
    return redirect("judging:account", owner.pk)
