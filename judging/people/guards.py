"""Access control by account: creators, administrators, and the password entered again."""

from datetime import timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from judging.base.guards import View
from judging.people.models.user import User

if TYPE_CHECKING:
    from judging.jobs.models.job import Job

CONFIRMED = "password_shown"  # in the session: when the user last entered the password
CONFIRMED_FOR = timedelta(minutes=15)


def creates(user: User, job: "Job") -> bool:
    """Return whether the user of a job that creates a dataset or campaign may still do so."""
    return user.can_create_campaigns


def creator_required(view: View) -> View:
    """Admit only users who may create datasets and campaigns."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        check_creator(request.user)
        return view(request, *args, **kwargs)

    return login_required(guarded)


def password_confirmed(view: View) -> View:
    """Ask for the password again before an act that cannot be undone or that gives rights away.

    Users who logged in or entered it within a quarter of an hour are not asked; nor are users
    without a password. The browser sends the form on to the page that asks for the password, and
    from there back to this view: the server stores none of it.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "POST" or is_confirmed(request):
            return view(request, *args, **kwargs)
        return redirect(_confirm_before(request.get_full_path()), preserve_request=True)

    return guarded


def password_confirmed_first(view: View) -> View:
    """Ask for the password also before a page is shown."""
    asking_again = password_confirmed(view)

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if request.method != "GET" or is_confirmed(request):
            return asking_again(request, *args, **kwargs)
        return redirect(_confirm_before(request.path))

    return guarded


def _confirm_before(address: str) -> str:
    """Return the address of the page that asks for the password, and then leads to this one."""
    return f"{reverse('judging:confirm')}?{urlencode({'next': address})}"


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the password was entered recently, or cannot be asked for."""
    return (
        not request.user.is_authenticated
        or not request.user.has_usable_password()
        or timezone.now().timestamp() - request.session.get(CONFIRMED, 0)
        < CONFIRMED_FOR.total_seconds()
    )


def administrator_required(view: View) -> View:
    """Admit only administrators."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_superuser:
            raise PermissionDenied("Only an administrator may do that.")
        return view(request, *args, **kwargs)

    return login_required(guarded)


def check_creator(user: User) -> None:
    """Raise PermissionDenied if the user may not create datasets and campaigns."""
    if not user.can_create_campaigns:
        raise PermissionDenied("Ask an administrator for the right to create campaigns.")
