"""Annotators sent by a crowd platform: entry, declining, the page with their code, and the
platform's messages.

The ids in a link are hashed at once and stored nowhere; a redirect removes them from the address
bar.
"""

from hashlib import sha256

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from annotation.forms import JoinForm
from annotation.views import entry, way_back
from annotation.views.crowd_end import CAME, end_page
from judging.base.addresses import study_visitor
from judging.base.limits import MAX_CROWD_MESSAGES_PER_MINUTE, MAX_NAME_CHARACTERS
from judging.campaigns.campaign_texts import whole_consent
from judging.crowd.actions import crowd_platforms, participations
from judging.crowd.actions.crowd_platforms import PlatformRequest
from judging.crowd.actions.participations import Arrival, BadLink, NotOpen
from judging.crowd.models.crowd import CrowdPlatform, Participation
from judging.enrolments.actions.enrollments import TextChanged, TooManyNow
from judging.people.models.user import User

NO_IDS = _(
    "This page does not know who you are. Open the study on the platform again, in a browser that accepts cookies."
)


@never_cache
@require_http_methods(["GET", "POST"])
def admit_participant(request: HttpRequest, key: str) -> HttpResponse:
    """Admit annotators sent by a platform, and show those who have finished, or cannot take part,
    their code."""
    known = CrowdPlatform.objects.select_related("campaign__protocol")
    platform = get_object_or_404(known, key=key)
    if request.GET:
        return _at_the_door(request, platform)
    came = _came(request, platform)
    if came is None:
        own = _own(request, platform)
        return (
            redirect("annotation:work", platform.campaign.uuid)
            if own
            else _refused(request, str(NO_IDS), 400)
        )
    try:
        return _known_or_new(request, platform, came)
    except NotOpen as refused:
        return _refused(request, str(refused), 409)
    except TextChanged as changed:
        messages.error(request, str(changed), extra_tags=changed.code)
        return redirect(request.path)
    except TooManyNow as refused:
        answer = _refused(request, str(refused), 429)
        answer.headers["Retry-After"] = "60"
        return answer


def _at_the_door(request: HttpRequest, platform: CrowdPlatform) -> HttpResponse:
    """Move the ids from the link into the session, hashed or sealed, and redirect to an address
    without them."""
    try:
        came = participations.parse_arrival(
            platform=platform, said=request.GET.dict(), now=timezone.now()
        )
    except BadLink as refused:
        answer = _refused(request, str(refused), 400)
    else:
        _remember(request, platform, came)
        answer = redirect("annotation:crowd", platform.key)
        answer.status_code = 303
    answer.headers["Referrer-Policy"] = "no-referrer"
    return answer


def _remember(request: HttpRequest, platform: CrowdPlatform, came: Arrival) -> None:
    request.session[CAME] = [platform.pk, came.person, came.session, came.given]


def _came(request: HttpRequest, platform: CrowdPlatform) -> Arrival | None:
    """Return the arrival by the last link that was opened in this browser."""
    kept = request.session.get(CAME)
    return Arrival(*kept[1:]) if kept and kept[0] == platform.pk else None


def _own(request: HttpRequest, platform: CrowdPlatform) -> bool:
    """Return whether the logged-in user came by this platform."""
    logged_in = request.user.is_authenticated
    return logged_in and platform.participations.filter(enrollment__user=request.user).exists()


def _known_or_new(request: HttpRequest, platform: CrowdPlatform, came: Arrival) -> HttpResponse:
    known = participations.find(platform=platform, came=came)
    if known is None:
        return _new(request, platform, came)
    if known.enrollment is None or participations.is_over(participation=known, came=came):
        return end_page(request, known)
    if _lacks_password(request, known.enrollment.user):
        return redirect_to_login(request.path)
    if request.method == "GET" and request.user != known.enrollment.user:
        # another site may lead a browser here, so a button must be pressed before any log-in
        return render(request, "annotation/crowd_again.html", {"title": platform.campaign.title})
    known = participations.resume_participation(participation=known, came=came, now=timezone.now())
    return _into(request, known, came)


def _new(request: HttpRequest, platform: CrowdPlatform, came: Arrival) -> HttpResponse:
    """Show a new annotator what the campaign is about, and act on their decision."""
    now, campaign = timezone.now(), platform.campaign
    if request.method == "POST" and request.POST.get("act") == "decline":
        return end_page(
            request, participations.decline_participation(platform=platform, came=came, now=now)
        )
    if turned_away := participations.end_newcomer(platform=platform, came=came, now=now):
        return end_page(request, turned_away)
    form = JoinForm(
        request.POST if request.method == "POST" else None, text=whole_consent(campaign)
    )
    del form.fields["another"]
    if not campaign.consent:
        del form.fields["agree"]
    if request.method == "POST" and form.is_valid():
        seen = study_visitor(request, study=campaign.uuid, now=now)
        joined = participations.join_from_platform(
            platform=platform, came=came, agreed=True, now=now, visitor=seen
        )
        return _into(request, joined, came)
    context = {
        "invitation": entry.join_texts(campaign),
        "form": form,
        "joined_before": "",
        "is_known": True,  # by the platform
        "can_decline": True,
    }
    return render(request, "annotation/join.html", context, status=422 if form.errors else 200)


def _into(request: HttpRequest, own: Participation, came: Arrival) -> HttpResponse:
    """Lead an annotator to their work in a session of their own; this ends another user's session
    in this browser."""
    if own.end or own.enrollment is None:
        return end_page(request, own)
    if _lacks_password(request, own.enrollment.user):
        return redirect_to_login(request.path)
    if request.user != own.enrollment.user:
        way_back.log_in_annotator(request, own.enrollment.user)
    _remember(request, own.platform, came)
    return redirect("annotation:work", own.platform.campaign.uuid)


def _lacks_password(request: HttpRequest, user: User) -> bool:
    """Return whether the account has a password that was not entered: the id of a platform alone
    does not log in to such an account."""
    return request.user != user and user.has_usable_password()


def _refused(request: HttpRequest, reason: str, status: int) -> HttpResponse:
    return render(request, "annotation/crowd_refused.html", {"reason": reason}, status=status)


@csrf_exempt
@require_POST
def crowd_events(request: HttpRequest, key: str) -> HttpResponse:
    """Process a message that the platform signed; the platform repeats it until this answers
    200."""
    if not _is_within_pace(key):
        answer = _said("too many", 429)
        answer.headers["Retry-After"] = "60"
        return answer
    platform = get_object_or_404(CrowdPlatform.objects.select_related("campaign"), key=key)
    sent = PlatformRequest(
        body=request.body,
        signature=request.headers.get("X-Prolific-Request-Signature", ""),
        sent=request.headers.get("X-Prolific-Request-Timestamp", ""),
        event=request.headers.get("X-Event-Id", "")[:MAX_NAME_CHARACTERS],
    )
    try:
        crowd_platforms.receive_request(platform=platform, request=sent, now=timezone.now())
    except crowd_platforms.Forged:
        return _said("not signed by the platform", 400)
    except crowd_platforms.UnreadableRequest:
        return _said("not understood", 400)
    return _said("taken", 200)


def _is_within_pace(key: str) -> bool:
    """Count a message before any query, because a flood of forged ones must cost little.

    The name in the cache has the same length for every address: Django warns of long names and
    keeps each warning.
    """
    name = f"crowd-messages-{sha256(key.encode()).hexdigest()}-{timezone.now():%H%M}"
    cache.add(name, 0, timeout=120)
    try:
        return int(cache.incr(name)) <= MAX_CROWD_MESSAGES_PER_MINUTE
    except ValueError:  # meanwhile a flood to other addresses has removed the name
        return False


def _said(text: str, status: int) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain")
