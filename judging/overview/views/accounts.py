"""Home, and the pages of accounts that show campaigns and datasets."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.forms.plain_text import sent_text
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import dataset_uses
from judging.campaigns.forms.campaigns import MemberForm
from judging.campaigns.models.campaign import Campaign
from judging.people.actions import accounts, history, log_ins, two_factors
from judging.people.actions.accounts import find_account
from judging.people.forms.accounts import AccountForm, RightsForm
from judging.people.guards import (
    administrator_required,
    password_confirmed,
    password_confirmed_first,
)
from judging.people.models.event import Event
from judging.people.models.user import User


@login_required
@require_GET
def redirect_to_work(request: HttpRequest) -> HttpResponse:
    """Lead users to the page of their work: researchers to their campaigns, annotators to
    theirs."""
    if request.user.may_create_campaigns or Campaign.objects.visible_to(request.user).exists():
        return redirect("judging:campaigns")
    if request.user.is_superuser:
        return redirect("judging:accounts")
    return redirect("annotation:home")


@administrator_required
@require_http_methods(["GET", "POST"])
@password_confirmed_first
def create_account(request: HttpRequest) -> HttpResponse:
    """Create an account, and show the link by which its owner chooses a password."""
    form = AccountForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            user = form.save()
            history.record_event(
                Event.Act.ACCOUNT_MADE, by=request.user, about=history.account_name(user)
            )
        if not user.has_usable_password():
            return _link_page(request, user)
        messages.success(request, _("The account is made."))
        return redirect("judging:account", user.pk)
    return render(
        request, "judging/people/new.html", {"form": form}, status=422 if form.errors else 200
    )


@administrator_required
@require_http_methods(["GET", "POST"])
@password_confirmed
def edit_account(request: HttpRequest, pk: int) -> HttpResponse:
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
        "has_two_factor": two_factors.is_on(owner),
        "hand_over_form": MemberForm(roles=()),
    }
    return render(request, "judging/people/account.html", shown, status=422 if form.errors else 200)


@administrator_required
@require_POST
@password_confirmed
def transfer_all_work(request: HttpRequest, pk: int) -> HttpResponse:
    """Give all datasets and campaigns of an account to another one."""
    owner = get_object_or_404(User, pk=pk)
    with refusals_shown(request):
        to = find_account(sent_text(request.POST, "username"))
        owned, managed = dataset_uses.hand_over_all(owner=owner, to=to, by=request.user)
        told = {"name": to, "datasets": owned, "campaigns": managed}
        messages.success(
            request,
            _("Handed over to %(name)s: %(datasets)s datasets, %(campaigns)s campaigns.") % told,
        )
    return redirect("judging:account", owner.pk)


@administrator_required
@require_POST
@password_confirmed
def show_password_link(request: HttpRequest, pk: int) -> HttpResponse:
    """Show a one-time link by which the account's owner chooses a new password."""
    owner = get_object_or_404(User, pk=pk, is_active=True)
    log_ins.reset_attempts(name=owner.username)
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
