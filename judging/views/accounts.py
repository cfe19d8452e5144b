"""Accounts: who may log in, what they may do, and links for choosing a password."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.actions import accounts
from judging.forms.accounts import AccountForm, RightsForm
from judging.guards import administrator_required
from judging.models import Campaign, User


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Send people where their work is: researchers to their campaigns, annotators to theirs."""
    if request.user.may_create_campaigns or Campaign.objects.visible_to(request.user).exists():
        return redirect("judging:campaigns")
    if request.user.is_superuser:
        return redirect("judging:accounts")
    return redirect("annotation:home")


@administrator_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the accounts."""
    page = Paginator(User.objects.order_by("username"), 50).get_page(request.GET.get("page"))
    return render(request, "judging/accounts/index.html", {"page": page})


@administrator_required
@require_http_methods(["GET", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Make an account, and show the link by which its owner chooses a password."""
    form = AccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        messages.success(request, _("The account is made."))
        return redirect("judging:account", user.pk)
    return render(request, "judging/accounts/new.html", {"form": form}, status=422 if form.errors else 200)


@administrator_required
@require_http_methods(["GET", "POST"])
def account(request: HttpRequest, pk: int) -> HttpResponse:
    """Change what an account may do."""
    owner = get_object_or_404(User, pk=pk)
    form = RightsForm(request.POST if request.method == "POST" else None, instance=owner)
    if request.method == "POST" and form.is_valid():
        try:
            accounts.set_rights(user=form.instance)
        except accounts.LastAdministrator as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, _("Saved."))
            return redirect("judging:accounts")
    return render(
        request, "judging/accounts/account.html", {"form": form, "owner": owner}, status=422 if form.errors else 200
    )


@administrator_required
@require_POST
def password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a one-time link by which the account's owner chooses a new password."""
    owner = get_object_or_404(User, pk=pk, is_active=True)
    link = request.build_absolute_uri(
        reverse("password_reset_confirm", kwargs=accounts.password_link_parts(user=owner))
    )
    return render(
        request,
        "registration/password_reset_link.html",
        {"account": owner, "link": link, "hours": settings.PASSWORD_RESET_TIMEOUT // 3600},
    )
