"""How people come in: by an invitation, by their personal link, and after agreeing to take part."""

from typing import Any

from django.contrib.auth import login
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from annotation.forms import JoinForm
from annotation.views.work import enrollment_of
from judging.actions import enrollments, sheets
from judging.actions.enrollments import InvitationOver
from judging.guards import campaign_for_annotators
from judging.models import Campaign, Invitation, Membership, User

BACKEND = "config.visitors.Backend"
JOIN = ["GET", "POST"]


@never_cache
@require_http_methods(JOIN)
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Show what an invitation is about, and let people in."""
    invitation = get_object_or_404(Invitation.objects.select_related("campaign__rubric"), token=token)
    user = request.user if request.user.is_authenticated else None
    if user and user.memberships.filter(campaign=invitation.campaign, role=invitation.role).exists():
        return _into(invitation.campaign, invitation.role)
    if user is None and invitation.role != Membership.Role.ANNOTATOR:
        return redirect_to_login(request.get_full_path())
    form = _form(request, invitation.campaign)
    try:
        enrollments.check(invitation=invitation, now=timezone.now())
        if request.method == "POST" and form.is_valid():
            return _let_in(request, invitation, user)
    except InvitationOver as over:
        return render(request, "annotation/invitation_over.html", {"reason": str(over)}, status=410)
    return _landing(request, invitation.campaign, form)


def _let_in(request: HttpRequest, invitation: Invitation, user: User | None) -> HttpResponse:
    joined = enrollments.join(invitation=invitation, user=user, agreed=True, now=timezone.now())
    if user is None:
        login(request, joined, backend=BACKEND)
    return _into(invitation.campaign, invitation.role)


def _into(campaign: Campaign, role: str) -> HttpResponse:
    name = "annotation:work" if role == Membership.Role.ANNOTATOR else "judging:campaign"
    return redirect(name, campaign.uuid)


@never_cache
@campaign_for_annotators
@require_http_methods(JOIN)
def consent(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask those who came by an account to agree before their first task."""
    enrollment = enrollment_of(request.user, campaign)
    form = _form(request, campaign)
    if not campaign.consent or enrollment.consented_at:
        return redirect("annotation:work", campaign.uuid)
    if request.method == "POST" and form.is_valid():
        enrollments.agree(enrollment=enrollment, now=timezone.now())
        return redirect("annotation:work", campaign.uuid)
    return _landing(request, campaign, form)


def _form(request: HttpRequest, campaign: Campaign) -> JoinForm:
    form = JoinForm(request.POST if request.method == "POST" else None)
    if not campaign.consent:
        del form.fields["agree"]
    return form


def _landing(request: HttpRequest, campaign: Campaign, form: JoinForm) -> HttpResponse:
    context = {"invitation": _about(campaign), "form": form, "decline_url": ""}
    return render(request, "annotation/join.html", context, status=422 if form.errors else 200)


def _about(campaign: Campaign) -> dict[str, Any]:
    """Return what people read before they join."""
    seconds = sheets.known(campaign.rubric).document.estimated_seconds
    return {
        "title": campaign.title,
        "about": _paragraphs(campaign.introduction),
        "minutes": max(1, round(seconds / 60)),
        "tasks": None,
        "pay": "",
        "consent": _paragraphs(campaign.consent),
        "contact": campaign.contact,
    }


def _paragraphs(text: str) -> list[str]:
    return [part.strip() for part in text.split("\n\n") if part.strip()]


@never_cache
@require_GET
def go(request: HttpRequest, signed: str) -> HttpResponse:
    """Log in whoever a personal link belongs to, and lead on to their work."""
    user = enrollments.user_of_link(signed)
    if user is None:
        raise Http404
    if request.user != user:
        login(request, user, backend=BACKEND)
    own = list(user.enrollments.values_list("campaign__uuid", flat=True)[:2])
    return redirect("annotation:work", own[0]) if len(own) == 1 else redirect("annotation:home")
