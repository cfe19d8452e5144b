"""Keys for programs: made by their owner, shown once, made worthless by making another."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.authtoken.models import Token

from judging.actions import keys


@login_required
@require_http_methods(["GET", "POST"])
def key(request: HttpRequest) -> HttpResponse:
    """Say whether there is a key; make a new one, which replaces the old."""
    made = keys.make(user=request.user) if request.method == "POST" else None
    has_key = Token.objects.filter(user=request.user).exists()
    return render(request, "judging/accounts/key.html", {"made": made, "has_key": has_key})


@login_required
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """Make the key worthless."""
    keys.revoke(user=request.user)
    return redirect("judging:key")
