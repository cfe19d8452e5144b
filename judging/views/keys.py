"""Keys for programs: made by their owner, shown once, made worthless by making another."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST
from rest_framework.authtoken.models import Token


@login_required
@require_http_methods(["GET", "POST"])
def key(request: HttpRequest) -> HttpResponse:
    """Say whether there is a key; make a new one, which replaces the old."""
    made = None
    if request.method == "POST":
        Token.objects.filter(user=request.user).delete()
        made = Token.objects.create(user=request.user).key
    has_key = Token.objects.filter(user=request.user).exists()
    return render(request, "judging/accounts/key.html", {"made": made, "has_key": has_key})


@login_required
@require_POST
def revoke(request: HttpRequest) -> HttpResponse:
    """Make the key worthless."""
    Token.objects.filter(user=request.user).delete()
    return redirect("judging:key")
