"""The account of annotators without a password: their label, their personal link, and an optional
password."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.views.work import own_way_out
from judging.enrolments.actions import enrollments
from judging.people.actions import history, log_ins, visits
from judging.people.forms.accounts import NewPasswordForm
from judging.people.guards import CONFIRMED
from judging.people.models.event import Event
from judging.people.models.user import User


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def show_account(request: HttpRequest) -> HttpResponse:
    """Show an annotator's labels and how to return; let them choose a password, which ends all
    sessions and tokens of the link's other users."""
    if request.user.has_usable_password():
        return redirect("password_change")
    form = NewPasswordForm(request.user, request.POST if request.method == "POST" else None)
    is_too_fast = False
    if request.method == "POST" and form.is_valid():
        try:
            log_ins.count_first_password(now=timezone.now())
        except log_ins.Paused:
            is_too_fast = True
            form.add_error(None, _("Many passwords are being chosen. Try again in a minute."))
        else:
            return _with_password(request, form)
    signed = enrollments.personal_link(request.user)
    taking_part = request.user.enrollments.select_related("campaign").order_by("-created_at", "-pk")
    ways_out = [(each.campaign.title, own_way_out(each.campaign)) for each in taking_part]
    context = {
        "form": form,
        "taking_part": taking_part,
        "ways_out": [(title, url) for title, url in ways_out if url],
        "link": request.build_absolute_uri(reverse("annotation:go", args=[signed])),
    }
    status = 429 if is_too_fast else 422 if form.errors else 200
    return render(request, "annotation/account.html", context, status=status)


def _with_password(request: HttpRequest, form: NewPasswordForm) -> HttpResponse:
    """Set the password, and end all sessions and tokens that began with the link."""
    with transaction.atomic():
        # another of several requests was first: hashing for each would keep others waiting
        if User.objects.select_for_update().get(pk=request.user.pk).has_usable_password():
            return redirect("password_change")
        form.save()
        visits.end_all(user=request.user)
        history.record_event(Event.Act.PASSWORD_CHANGED, by=request.user)
    update_session_auth_hash(request, request.user)
    request.session[CONFIRMED] = int(timezone.now().timestamp())
    name = {"name": request.user.get_username()}
    messages.success(request, _("Your password is set. Log in as %(name)s from now on.") % name)
    return redirect("annotation:home")
