"""Two-factor authentication: its owner sets it up and enters a code at each log-in; an
administrator helps if the device is lost."""

from datetime import timedelta
from typing import Any

import segno
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from judging.base.views.refusals import refusals_shown
from judging.people.actions import history, log_ins, two_factors
from judging.people.forms.accounts import CodeForm
from judging.people.guards import (
    administrator_required,
    password_confirmed,
    password_confirmed_first,
)
from judging.people.models.event import Event
from judging.people.models.user import User

PENDING = "log_in_half_done"
PATIENCE = timedelta(minutes=5)  # between the password and the code


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@password_confirmed_first
def two_factor(request: HttpRequest) -> HttpResponse:
    """Set up the second factor or turn it off. Until it is confirmed the page shows its secret, so
    the password is asked for before the page."""
    if not request.user.has_usable_password():
        return redirect("annotation:account")
    act = request.POST.get("act", "")
    if act == "begin":
        return _told(request, lambda: two_factors.start_two_factor(user=request.user))
    if act == "off":
        return _told(request, lambda: two_factors.turn_off(user=request.user, by=request.user))
    form = CodeForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            codes = two_factors.confirm_two_factor(
                user=request.user, code=form.cleaned_data["code"], now=timezone.now()
            )
        except two_factors.WrongCode:
            form.add_error(
                "code", _("This is not the code your device shows now. Is its clock right?")
            )
        else:
            update_session_auth_hash(request, request.user)
            request.session[two_factors.SHOWN] = True
            page = render(request, "judging/people/recovery_codes.html", {"codes": codes})
            return log_ins.note_log_in(page, name=request.user.get_username())
    offer = two_factors.pending_two_factor(request.user)
    context = {
        "form": form,
        "offer": offer,
        "picture": segno.make(offer.address, error="m").svg_data_uri(
            scale=5, border=4, light="white"
        )
        if offer
        else "",
        "is_on": two_factors.is_on(request.user),
        "is_required": two_factors.is_required(request.user),
    }
    return render(
        request, "judging/people/two_factor.html", context, status=422 if form.errors else 200
    )


def _told(request: HttpRequest, act: Any) -> HttpResponse:
    with refusals_shown(request):
        act()
    return redirect("judging:two_factor")


def ask_for_code(request: HttpRequest, user: User, onward: str) -> HttpResponse:
    """Lead a user whose password was right to the page that asks for the code."""
    until = (timezone.now() + PATIENCE).timestamp()
    request.session.cycle_key()
    request.session[PENDING] = {
        "user": user.pk,
        "as": user.get_session_auth_hash(),
        "until": until,
        "next": onward,
    }
    return redirect("login_code")


@never_cache
@require_http_methods(["GET", "POST"])
def log_in_code(request: HttpRequest) -> HttpResponse:
    """Ask for a code after the password, and log in the user if it is right."""
    pending = request.session.get(PENDING) or {}
    user = User.objects.filter(pk=pending.get("user"), is_active=True).first()
    if user is None or pending["until"] < timezone.now().timestamp():
        return redirect("login")
    if not constant_time_compare(
        pending["as"], user.get_session_auth_hash()
    ) or not two_factors.is_on(user):
        return redirect("login")  # changed meanwhile: the password has to be entered again
    form = CodeForm(request.POST if request.method == "POST" else None)
    shown: dict[str, Any] = {"form": form}
    if request.method == "POST" and form.is_valid():
        try:
            return _let_in(request, user, form.cleaned_data["code"], pending["next"])
        except log_ins.Paused as pause:
            answer = render(
                request, "judging/people/log_in_code.html", shown | {"pause": pause}, status=429
            )
            answer.headers["Retry-After"] = str(pause.seconds)
            return answer
        except two_factors.WrongCode as refused:
            history.record_event(
                Event.Act.LOG_IN_FAILED, about=history.account_name(user), after="wrong code"
            )
            form.add_error("code", str(refused))
    return render(
        request, "judging/people/log_in_code.html", shown, status=422 if form.errors else 200
    )


def _let_in(request: HttpRequest, user: User, code: str, onward: str) -> HttpResponse:
    """Count the attempt before the code is checked; because the password was right, attempts of
    others do not count here."""
    name = f"second factor of {user.pk}"  # no user name has blanks
    log_ins.count_attempt(
        name=name,
        mark_shown=log_ins.make_browser_mark(name=name),
        account=user.get_username(),
        now=timezone.now(),
    )
    two_factors.check_code(user=user, code=code, now=timezone.now())
    log_ins.reset_attempts(name=name)
    del request.session[PENDING]
    login(request, user)
    request.session[two_factors.SHOWN] = True
    history.record_event(Event.Act.LOGGED_IN, by=user, after="with a second factor")
    return log_ins.note_log_in(redirect(onward), name=user.get_username())


@administrator_required
@require_POST
@password_confirmed
def turn_off_for_user(request: HttpRequest, pk: int) -> HttpResponse:
    """Turn off the second factor of a user who has lost it."""
    owner = get_object_or_404(User, pk=pk)
    with refusals_shown(request):
        two_factors.turn_off(user=owner, by=request.user)
        messages.success(
            request, _("They log in by their password alone until they set up another.")
        )
    return redirect("judging:account", owner.pk)
