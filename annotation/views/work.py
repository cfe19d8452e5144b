"""An annotator's path through a campaign: the next task, none now, the end; guideline, pause, and
the start page."""

from datetime import timedelta

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from annotation.actions import next_tasks
from annotation.actions.next_tasks import enrollment_of
from annotation.views.crowd_end import code_and_return_address, end_page
from annotation.views.own_tasks import own_tasks
from annotation.views.page import guideline_sections as written
from annotation.views.way_back import keep_way_back
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import discussions
from judging.campaigns.guards import campaign_for_annotators, campaign_for_members
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Membership
from judging.crowd.actions import participations
from judging.crowd.models.crowd import Participation
from judging.enrolments.actions import enrollments, exit_forms
from judging.protocols import documents
from judging.work.actions import assignments, judgments, sheets
from judging.work.actions.assignments import Finished, Here, NoneNow
from judging.work.actions.drafts import MissingAnswers, TaskClosed
from judging.work.actions.sheets import Sheet

HOURS_FROM = 90  # minutes; longer times are given in hours
ON_A_PAGE = 50  # tasks in the list of submitted ones


@never_cache
@login_required
@require_GET
def list_own_campaigns(request: HttpRequest) -> HttpResponse:
    """List the campaigns in which the user judges."""
    judges = request.user.memberships.filter(role=Membership.Role.ANNOTATOR).values("campaign")
    campaigns = Campaign.objects.filter(pk__in=judges).listed().order_by("-created_at", "-pk")
    declinable = set(request.user.memberships.not_begun().values_list("campaign", flat=True))
    studies = [(campaign, campaign.pk in declinable) for campaign in campaigns]
    return render(request, "annotation/home.html", {"studies": studies})


@never_cache
@login_required
@require_GET
def note_presence(request: HttpRequest) -> HttpResponse:
    """Accept the signal that a page is open whose user only reads: as every request, it is noted as
    a visit."""
    return HttpResponse(status=204)


@campaign_for_annotators
@require_POST
def decline_study(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Remove a user from a study that others named them in, before they begin."""
    with refusals_shown(request):
        enrollments.decline_enrolment(campaign=campaign, user=request.user)
        done = _("You declined to judge in “%(title)s”.") % {"title": campaign.title}
        messages.success(request, done)
    return redirect("annotation:home")


@never_cache
@campaign_for_annotators
@require_GET
def work(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Lead an annotator to the task they hold or get, or say why there is none."""
    enrollment = enrollment_of(request.user, campaign)
    state = next_tasks.annotator_state(
        enrollment=enrollment, now=timezone.now(), skips_start="begin" in request.GET
    )
    match state.next_step:
        case "consent" | "start" | "training" | "qualification":
            return redirect(f"annotation:{state.next_step}", campaign.uuid)
        case "tasks":
            outcome = next_tasks.claim_task(enrollment=enrollment, rounds=state.rounds)
        case "none":
            outcome = None
    if isinstance(outcome, Here):
        return redirect("annotation:task", outcome.assignment.pk)
    return _no_task(request, enrollment, state.participation, outcome)


def _no_task(
    request: HttpRequest,
    enrollment: Enrollment,
    own: Participation | None,
    outcome: NoneNow | Finished | None,
) -> HttpResponse:
    """Show why there is no task; `own`: the part in a crowd platform's study."""
    campaign = enrollment.campaign
    context = _corrections(enrollment, campaign) | {
        "title": campaign.title,
        "done": Assignment.objects.done_by(enrollment).count(),
    }
    if own is not None:
        own = participations.end_participation(participation=own, now=timezone.now())
        if own.end == Participation.End.COMPLETED:
            context |= code_and_return_address(request, own) | _exit_url(enrollment)
            return render(request, "annotation/finished.html", context)
        if own.end or own.left:
            return end_page(request, own)
    if isinstance(outcome, NoneNow):
        context |= {
            "held": outcome.held_by_others,
            "retry_url": reverse("annotation:work", args=[campaign.uuid]) + "?begin",
            "pause_url": reverse("annotation:pause", args=[campaign.uuid]),
        }
        return render(request, "annotation/none_now.html", context)
    context |= _exit_url(enrollment)
    if outcome is None:
        held = Assignment.objects.held_by(enrollment).select_related("round__campaign")
        kept = [each for each in held if not assignments.closed_reason(each.round)]
        context["held_url"] = reverse("annotation:task", args=[kept[0].pk]) if kept else ""
        return render(request, "annotation/closed.html", context)
    return render(request, "annotation/finished.html", context)


def _corrections(enrollment: Enrollment, campaign: Campaign) -> dict[str, object]:
    """Return the values with which the pages around judging list tasks that were changed and not
    submitted again."""
    found = judgments.corrections(enrollment=enrollment)
    return {
        "corrections": {each.pk for each in found},
        "corrections_open": any(assignments.assigns_tasks(each.round) for each in found),
        "again_url": reverse("annotation:hand_in_again", args=[campaign.uuid]),
        "label": enrollment.label,
        "contact": campaign.contact,
        "done_url": reverse("annotation:done", args=[campaign.uuid]),
    }


def _exit_url(enrollment: Enrollment) -> dict[str, str]:
    """Return the address of the exit form for the last page, if the form has questions."""
    is_open = exit_forms.is_open(enrollment)
    return {
        "exit_url": reverse("annotation:exit_form", args=[enrollment.campaign.uuid])
        if is_open
        else ""
    }


@campaign_for_annotators
@require_POST
def resubmit_tasks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Submit all corrections that were not submitted yet; tasks that lack an answer stay open, and
    are named."""
    enrollment = enrollment_of(request.user, campaign)
    if not enrollments.has_agreed(enrollment):
        return redirect("annotation:consent", campaign.uuid)
    left = False
    for correction in judgments.corrections(enrollment=enrollment):
        try:
            judgments.resubmit_task(assignment=correction)
        except (MissingAnswers, TaskClosed):
            left = True
    if left:
        messages.warning(
            request,
            _("Some changed tasks still lack an answer, or are no longer taken. Open them to see."),
        )
    elif not judgments.corrections(enrollment=enrollment):  # one request has a limit
        messages.success(request, _("Submitted again. All your changes count."))
    return redirect("annotation:done", campaign.uuid)


def personal_link_of(request: HttpRequest) -> str:
    """Return the annotator's personal link; "" for an account with a password."""
    signed = enrollments.personal_link(request.user)
    return request.build_absolute_uri(reverse("annotation:go", args=[signed])) if signed else ""


@never_cache
@campaign_for_annotators
@require_GET
def pause(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show that everything is saved, and how to continue elsewhere."""
    enrollment = enrollment_of(request.user, campaign)
    held = Assignment.objects.held_by(enrollment).order_by("-lease_expires_at").first()
    held_until = held.lease_expires_at if held else None
    left = held_until - timezone.now() if held_until else timedelta()
    minutes = max(1, round(left.total_seconds() / 60))
    context = _corrections(enrollment, campaign) | {
        "title": campaign.title,
        "link": personal_link_of(request),
        "new_link_url": reverse("annotation:new_link", args=[campaign.uuid]),
        "resume_url": reverse("annotation:work", args=[campaign.uuid]),
        "held_until": held_until,
        "held_hours": round(minutes / 60) if minutes >= HOURS_FROM else 0,
        "held_minutes": minutes,
        "own": own_tasks(enrollment),
        "withdraw_url": own_way_out(campaign),
    }
    return render(request, "annotation/paused.html", context)


def own_way_out(campaign: Campaign) -> str:
    """Return the address where an annotator withdraws, or "" if the study does not allow it."""
    return (
        reverse("annotation:withdraw", args=[campaign.uuid])
        if enrollments.may_withdraw(campaign)
        else ""
    )


@never_cache
@campaign_for_annotators
@require_GET
def list_submitted_tasks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the tasks an annotator has submitted, the last first, each by its question A: in the
    order of the file the first questions would all be of one system."""
    enrollment = enrollment_of(request.user, campaign)
    mine = (
        Assignment.objects.done_by(enrollment)
        .select_related("task", "round")
        .order_by("-submitted_at", "pk")
    )
    page = Paginator(mine, ON_A_PAGE).get_page(request.GET.get("page"))
    for each in page:
        each.enrollment, each.round.campaign = enrollment, campaign
    context = _corrections(enrollment, campaign) | {
        "title": campaign.title,
        "own": own_tasks(enrollment),
        "page_obj": page,
        "listed": list(
            zip(page, map(_first_question, sheets.sheets_of_assignments(list(page))), strict=True)
        ),
        "is_open": any(assignments.assigns_tasks(each.round) for each in page),
        "resume_url": reverse("annotation:work", args=[campaign.uuid]),
    }
    return render(request, "annotation/done.html", context)


def _first_question(sheet: Sheet) -> str:
    return next((question.text for question in sheet.questions()), "")


@campaign_for_annotators
@require_POST
def new_link(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Revoke the annotator's personal link, and log out every other browser; the next page shows a
    new link."""
    enrollments.withdraw_link(user=request.user)
    update_session_auth_hash(request, request.user)
    answer = redirect("annotation:pause", campaign.uuid)
    keep_way_back(answer, request.user)
    return answer


@campaign_for_members
@require_GET
def show_whole_guideline(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the whole guideline to all members of a campaign, in any role."""
    protocol = sheets.cached_protocol(campaign.protocol).document
    words = documents.localized(protocol, get_language() or protocol.language)
    judges = request.user.memberships.filter(
        campaign=campaign, role=Membership.Role.ANNOTATOR
    ).exists()
    back = reverse("annotation:work", args=[campaign.uuid]) if judges else ""
    context = {
        "title": campaign.title,
        "guideline": written(words, discussions.current_decisions(campaign)),
        "back_url": back,
    }
    return render(request, "annotation/guideline.html", context)
