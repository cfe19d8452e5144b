"""Entry of annotators: by an invitation, by their personal link, and after giving consent."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.next_tasks import enrollment_of
from annotation.forms import JoinForm
from annotation.views.start import campaign_facts
from annotation.views.way_back import A_YEAR, COOKIE, keep_way_back, log_in_annotator
from judging.base.addresses import study_visitor
from judging.campaigns.campaign_texts import text_in, whole_consent
from judging.campaigns.guards import campaign_for_annotators, use_fixed_language
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Invitation, Membership
from judging.enrolments.actions import enrollments
from judging.enrolments.actions.enrollments import InvitationOver, TextChanged, TooManyNow
from judging.people.models.user import User, token_digest

JOIN = ["GET", "POST"]
MARKED = "who joined from this browser"


@never_cache
@require_http_methods(JOIN)
def join_study(request: HttpRequest, token: str) -> HttpResponse:
    """Show what an invitation is about, and admit annotators."""
    known = Invitation.objects.select_related("campaign__protocol")
    invitation = get_object_or_404(known, digest=token_digest(token))
    use_fixed_language(request, invitation.campaign)
    user = request.user if request.user.is_authenticated else None
    if (
        user
        and user.memberships.filter(campaign=invitation.campaign, role=invitation.role).exists()
    ):
        return _into(invitation.campaign, invitation.role)
    before = "" if user else _joined_before(request, invitation.campaign)
    form = _form(request, invitation.campaign, joined_before=bool(before))
    try:
        enrollments.check_invitation(invitation=invitation, now=timezone.now())
        if request.method == "POST" and form.is_valid():
            return _let_in(request, invitation, user)
    except TextChanged as changed:
        messages.error(request, str(changed), extra_tags=changed.code)
        return redirect(request.path)
    except InvitationOver as over:
        return render(request, "annotation/invitation_over.html", {"reason": str(over)}, status=410)
    except TooManyNow as refused:
        page = {"reason": str(refused)}
        answer = render(request, "annotation/invitation_over.html", page, status=429)
        answer.headers["Retry-After"] = "60"
        return answer
    return _landing(request, invitation.campaign, form, before)


def _let_in(request: HttpRequest, invitation: Invitation, user: User | None) -> HttpResponse:
    now = timezone.now()
    seen = study_visitor(request, study=invitation.campaign.uuid, now=now)
    joined = enrollments.join_by_link(
        invitation=invitation, user=user, agreed=True, now=now, visitor=seen
    )
    if user is None:
        log_in_annotator(request, joined)
    answer = _into(invitation.campaign, invitation.role)
    if invitation.role == Membership.Role.ANNOTATOR:
        label = joined.enrollments.get(campaign=invitation.campaign).label
        answer.set_signed_cookie(
            _mark(invitation.campaign),
            label,
            salt=MARKED,
            max_age=A_YEAR,
            httponly=True,
            samesite="Lax",
            secure=settings.SESSION_COOKIE_SECURE,
        )
        keep_way_back(answer, joined)
    return answer


def _mark(campaign: Campaign) -> str:
    return f"joined_{campaign.uuid.hex}"


def _joined_before(request: HttpRequest, campaign: Campaign) -> str:
    """Return the label with which this browser joined a campaign: otherwise an annotator who logged
    out could join as a second person."""
    return str(request.get_signed_cookie(_mark(campaign), default="", salt=MARKED, max_age=A_YEAR))


def _into(campaign: Campaign, role: str) -> HttpResponse:
    name = "annotation:work" if role == Membership.Role.ANNOTATOR else "judging:campaign"
    return redirect(name, campaign.uuid)


@never_cache
@campaign_for_annotators
@require_http_methods(JOIN)
def consent(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask annotators who came by an account for their consent before the first task."""
    enrollment = enrollment_of(request.user, campaign)
    form = _form(request, campaign)
    if enrollments.has_agreed(enrollment):
        return redirect("annotation:work", campaign.uuid)
    if request.method == "POST" and form.is_valid():
        enrollments.store_consent(enrollment=enrollment, now=timezone.now())
        return redirect("annotation:work", campaign.uuid)
    return _landing(request, campaign, form, changed=enrollment.consented_at is not None)


def ask_before_storing(request: HttpRequest, enrollment: Enrollment) -> HttpResponse | None:
    """Ask an annotator who sent answers to agree to a text that has changed meanwhile; return None
    if this page says that they do.

    Nothing is stored before. The page that asks holds the sent answers, and sends them again.
    """
    form = _form(request, enrollment.campaign)
    if form.is_valid():
        enrollments.store_consent(enrollment=enrollment, now=timezone.now())
        return None
    if request.headers.get("Accept") == "application/json":
        return redirect("annotation:consent", enrollment.campaign.uuid)
    own = ("csrfmiddlewaretoken", *form.fields)
    sent = [(k, v) for k, vs in request.POST.lists() if k not in own for v in vs]
    unsent = JoinForm(text=whole_consent(enrollment.campaign))
    del unsent.fields["another"]
    return _landing(request, enrollment.campaign, unsent, changed=True, sent=sent)


def _form(request: HttpRequest, campaign: Campaign, *, joined_before: bool = False) -> JoinForm:
    form = JoinForm(
        request.POST if request.method == "POST" else None, text=whole_consent(campaign)
    )
    if not campaign.consent:
        del form.fields["agree"]
    if not joined_before:
        del form.fields["another"]
    return form


def _landing(
    request: HttpRequest,
    campaign: Campaign,
    form: JoinForm,
    before: str = "",
    *,
    changed: bool = False,
    sent: Sequence[tuple[str, str]] = (),
) -> HttpResponse:
    context = {
        "invitation": join_texts(campaign),
        "form": form,
        "joined_before": before,
        "way_back_url": _way_back_url(request, campaign) if before else "",
        "is_known": bool(before) or request.user.is_authenticated,
        "changed": changed,
        "sent": sent,
    }
    return render(request, "annotation/join.html", context, status=422 if form.errors else 200)


def _way_back_url(request: HttpRequest, campaign: Campaign) -> str:
    """Return the address to which the browser's cookie leads in a campaign, or ""."""
    user = enrollments.user_of_link(request.COOKIES.get(COOKIE, ""))
    if user is None or not user.enrollments.filter(campaign=campaign).exists():
        return ""
    return reverse("annotation:work", args=[campaign.uuid])


def join_texts(campaign: Campaign) -> dict[str, Any]:
    """Return the texts that annotators read before they join."""
    language = get_language() or campaign.text_language
    return campaign_facts(campaign) | {
        "title": campaign.title,
        "about": text_in(campaign, "introduction", language),
        "consent": text_in(campaign, "consent", language),
        "may_withdraw": enrollments.may_withdraw(campaign),
    }


@never_cache
@require_http_methods(JOIN)
def follow_personal_link(request: HttpRequest, signed: str) -> HttpResponse:
    """Log in the annotator to whom a personal link belongs, and lead on to their work.

    Another site may lead a browser here, so a button must be pressed before the log-in.
    """
    user = enrollments.user_of_link(signed)
    if user is None:
        raise Http404
    if request.user != user:
        if request.method == "GET":
            return render(request, "annotation/go.html")
        log_in_annotator(request, user)
    own = list(user.enrollments.values_list("campaign__uuid", flat=True)[:2])
    is_one = len(own) == 1
    answer = redirect("annotation:work", own[0]) if is_one else redirect("annotation:home")
    keep_way_back(answer, user)
    return answer
