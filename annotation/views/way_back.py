"""How annotators without a password return: by a cookie of their browser, else by their personal
link."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth import views as auth
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import Resolver404, resolve, reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from judging.enrolments.actions import enrollments
from judging.people.guards import CONFIRMED
from judging.people.models.user import User
from judging.people.views.accounts import LogIn

COOKIE = "way_back"
A_YEAR = 60 * 60 * 24 * 365  # seconds


def log_in_annotator(request: HttpRequest, user: User) -> None:
    """Log in an annotator without a password by their cookie or link; this does not count as a
    recent confirmation of a password."""
    login(request, user)
    request.session[CONFIRMED] = 0


def keep_way_back(answer: HttpResponse, user: User) -> None:
    """Store the cookie that leads the annotator back; a new personal link ends it, too."""
    signed = enrollments.personal_link(user)
    if signed:
        answer.set_cookie(
            COOKIE,
            signed,
            max_age=A_YEAR,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )


@never_cache
def log_in(request: HttpRequest) -> HttpResponseBase:
    """Lead annotators back to the requested page by their browser's cookie, or explain how to
    return; ask all other users for name and password."""
    wanted = request.GET.get("next", "")
    is_asked_for_account = "account" in request.GET
    if request.method != "GET" or is_asked_for_account or not _is_for_annotators(wanted):
        return LogIn.as_view()(request)
    user = enrollments.user_of_link(request.COOKIES.get(COOKIE, ""))
    if user is not None:
        log_in_annotator(request, user)
        return redirect(wanted)
    account_url = f"{reverse('login')}?{urlencode({'next': wanted, 'account': ''})}"
    return render(request, "annotation/way_back.html", {"account_url": account_url})


def _is_for_annotators(address: str) -> bool:
    """Return whether an address of this site is one of the annotators' pages."""
    try:
        return resolve(address.partition("?")[0]).app_name == "annotation"
    except Resolver404:
        return False


def log_out(request: HttpRequest) -> HttpResponseBase:
    """Log out, and delete the cookie, so that no other user of this browser can return by it.
    Annotators without a password are told how to return."""
    by_link = request.user.is_authenticated and not request.user.has_usable_password()
    way_back = f"{reverse('login')}?{urlencode({'next': reverse('annotation:home')})}"
    answer = auth.LogoutView.as_view(next_page=way_back if by_link else None)(request)
    answer.delete_cookie(COOKIE, samesite="Lax")
    return answer
