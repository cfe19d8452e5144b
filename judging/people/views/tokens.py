"""API tokens, and the browsers in which a user is logged in: made, seen and ended by the user."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.people.actions import history, log_ins, tokens, visits
from judging.people.forms.accounts import TokenForm
from judging.people.guards import password_confirmed
from judging.people.models.event import Event


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
@password_confirmed
def api_tokens(request: HttpRequest) -> HttpResponse:
    """List the user's API tokens; create another, which only this answer shows."""
    now, made = timezone.now(), None
    form = TokenForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            log_ins.count_key(user=request.user, now=now)
            made = tokens.make_token(
                user=request.user, now=now, by=request.user, **form.cleaned_data
            )
            form = TokenForm()
        except tokens.LoggedOut:
            return redirect("login")
        except log_ins.Paused:
            form.add_error(
                None, _("You created many tokens just now. Create the next one in a minute.")
            )
            status = 429
    elif form.errors:
        status = 422
    valid_tokens = request.user.api_tokens.valid(now=now)
    context = {"made": made, "tokens": valid_tokens, "form": form}
    return render(request, "judging/people/tokens.html", context, status=status)


@login_required
@require_POST
def revoke_token_view(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke an API token of the user."""
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    tokens.revoke_token(token=token, by=request.user)
    return redirect("judging:tokens")


@never_cache
@login_required
@require_GET
def sessions(request: HttpRequest) -> HttpResponse:
    """List the browsers in which the user is logged in."""
    here = request.session.session_key
    return render(
        request,
        "judging/people/sessions.html",
        {"visits": request.user.visits.all(), "here": here},
    )


@login_required
@require_POST
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    """Log one browser out."""
    visits.end_visit(visit=get_object_or_404(request.user.visits, pk=pk))
    return redirect("judging:sessions")


@login_required
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Log the user out everywhere, here too, and revoke their API tokens."""
    with transaction.atomic():
        visits.end_all(user=request.user)
        history.record_event(Event.Act.LOGGED_OUT, by=request.user)
    request.session.flush()
    messages.success(request, _("You are logged out everywhere, and your API tokens are revoked."))
    return redirect("login")
