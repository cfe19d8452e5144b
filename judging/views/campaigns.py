"""A researcher's pages about a campaign: planning, locking, opening and watching it."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from judging import tasks
from judging.actions import (
    campaigns,
    crowd_platforms,
    enrollments,
    exclusion_rules,
    exports,
    jobs,
    panels,
    selections,
)
from judging.actions.accounts import find_account
from judging.actions.snapshots import counted_for
from judging.forms.campaigns import (
    ExclusionForm,
    InvitationForm,
    MemberForm,
)
from judging.guards import (
    campaign_for_managers,
    campaign_for_staff,
    collections_to_plan_with,
    creator_required,
    judges_now,
    password_confirmed,
)
from judging.limits import MAX_PAGE_ROWS
from judging.models import (
    Assignment,
    Campaign,
    Membership,
    Round,
    Task,
    User,
)
from judging.models.campaign import TasksInOrder
from judging.views import live
from judging.views.jobs import TITLES
from judging.views.plans import material_of, outlook
from judging.views.quality import days_of, rows_of
from judging.views.refusals import refusals_shown

THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")


@login_required
@require_GET
def index(request: HttpRequest) -> HttpResponse:
    """List the campaigns a user manages or analyses."""
    found = Campaign.objects.visible_to(request.user).select_related("rubric", "collection")
    page = Paginator(found.listed().with_places(), 50).get_page(request.GET.get("page"))
    context = {"page": page, "campaigns": page.object_list}
    return render(request, "judging/campaigns/index.html", context)


@campaign_for_staff
@require_GET
def overview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a campaign's state and what it needs."""
    job = campaign.jobs.unfinished().exclude(kind=jobs.LIVE_AGREEMENT).first()
    context = live.of(campaign, request.user) | {
        "tab": "overview",
        "job": job,
        "job_title": TITLES.get(job.kind, job.kind) if job else "",
        "worker_lives": jobs.worker_lives(),
        "fits_qgstec": not exports.misfit_of_qgstec(campaign),
        "reproduced": campaign.collection.mapping.get("reproduced"),
        **outlook(campaign, material_of(campaign)),
    }
    return render(request, "judging/campaigns/overview.html", context)


@campaign_for_managers
@creator_required
@require_POST
def duplicate(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Plan another campaign with the same settings."""
    get_object_or_404(collections_to_plan_with(request.user), pk=campaign.collection_id)
    with refusals_shown(request):
        made = campaigns.duplicate(campaign=campaign, by=request.user)
        messages.success(
            request,
            _("A draft with the same plan. Change what is to differ, then lock its protocol."),
        )
        return redirect("judging:plan", made.uuid)
    return redirect("judging:campaign", campaign.uuid)


@campaign_for_managers
@require_POST
@password_confirmed
def discard(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Delete a draft; if it has many places, a job deletes it."""
    is_draft = campaign.state == Campaign.State.DRAFT
    if is_draft and campaigns.is_slow_to_remove(campaign):
        job = tasks.begin_once(kind=campaigns.DISCARD, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    with refusals_shown(request):
        campaigns.discard(campaign=campaign, by=request.user)
        messages.success(request, _("“%(title)s” is deleted.") % {"title": campaign.title})
        return redirect("judging:campaigns")
    return redirect("judging:campaign", campaign.uuid)


PEOPLE = 200  # annotators on a page


@campaign_for_managers
@require_POST
def open_(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Admit annotators; a job lays out a large campaign.

    If the campaign breaks rules of its crowd platform they are shown first.
    """
    if campaign.state == Campaign.State.LOCKED and (broken := crowd_platforms.unmet(campaign)):
        if "anyway" not in request.POST:
            messages.error(
                request,
                _("Not opened yet: look at the rules of the platform that are not met."),
            )
            return redirect("judging:crowd", campaign.uuid)
        crowd_platforms.note_unmet(campaign=campaign, rules=broken, by=request.user)
    if campaigns.is_slow_to_open(campaign):
        job = tasks.begin_once(kind=campaigns.LAUNCH, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    opening = partial(campaigns.open_, campaign=campaign, now=timezone.now(), by=request.user)
    return _told(request, campaign, opening, _("Annotators can begin."))


@campaign_for_managers
@require_POST
def move(request: HttpRequest, campaign: Campaign, to: str) -> HttpResponse:
    """Pause, close or archive a campaign."""
    change = {"campaign": campaign, "now": timezone.now(), "by": request.user}
    if to == Campaign.State.CLOSED and campaign.state != Campaign.State.ARCHIVED:
        return _told(
            request,
            campaign,
            partial(campaigns.close, **change),
            _("Closed. Now run the analysis."),
        )
    return _told(request, campaign, partial(campaigns.move, to=to, **change), _("Done."))


@campaign_for_staff
@require_GET
def annotators(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the annotators, their progress, and the links by which more may join."""
    return _annotators_page(request, campaign)


def _annotators_page(
    request: HttpRequest, campaign: Campaign, status: int = 200, **forms: Any
) -> HttpResponse:
    counted = counted_for(request.user, campaign)
    page = Paginator(live.enrolled(campaign), PEOPLE).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "tab": "annotators",
        "page": page,
        "annotators": sorted(
            rows_of(campaign, counted, page, request.user),
            key=lambda row: (not row["told"], row["each"].label),
        ),
        "days": days_of(campaign, counted.days),
        "invitations": campaign.invitations.annotate(joined=Count("enrollments")).order_by(
            "-created_at"
        ),
        "members": campaign.memberships.staff().select_related("user"),
        "declined": campaigns.declined(campaign).exclude(enrollments__campaign=campaign),
        "only_here": split_domain_port(request.get_host())[0] in THIS_MACHINE,
        "invitation_form": InvitationForm(),
        "member_form": MemberForm(),
        "exclusion_form": ExclusionForm(campaign=campaign),
        "lacking": exclusion_rules.lacking(campaign),
        "has_rules": bool(exclusion_rules.standing_rules(campaign)),
        "seats": panels.seats(campaign),
        "follows_draft": campaigns.follows_draft(campaign),
        "free_seats": len(panels.free_seats(campaign)),
        "is_manager": live.manages(request.user, campaign),
    }
    return render(request, "judging/campaigns/annotators.html", context | forms, status=status)


@campaign_for_managers
@require_POST
def invite(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Create an invitation link."""
    form = InvitationForm(request.POST)
    with timezone.override(
        campaign.time_zone
    ):  # the entered end is in the time zone in which it will be shown
        valid = form.is_valid()
    if not valid:
        return _annotators_page(request, campaign, status=422, invitation_form=form)
    return _told(
        request,
        campaign,
        partial(campaigns.invite, campaign=campaign, by=request.user, **form.cleaned_data),
        _("The link is ready; copy it from the list."),
        "judging:annotators",
    )


@campaign_for_managers
@require_POST
def revoke(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Revoke an invitation link."""
    link = get_object_or_404(campaign.invitations, pk=pk)
    campaigns.revoke(invitation=link, now=timezone.now(), by=request.user)
    messages.success(request, _("The link is revoked: no further annotators can join by it."))
    return redirect("judging:annotators", campaign.uuid)


@campaign_for_managers
@require_POST
@password_confirmed
def undo_joins(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Revoke a link that unwanted people found, and undo the joins by it."""
    link = get_object_or_404(campaign.invitations, pk=pk)
    undone = enrollments.undo_joins(invitation=link, by=request.user, now=timezone.now())
    messages.success(
        request,
        _(
            "The link is revoked. %(removed)s without submissions are removed, %(excluded)s are excluded."
        )
        % {"removed": undone.removed, "excluded": undone.excluded},
    )
    return redirect("judging:annotators", campaign.uuid)


@campaign_for_managers
@require_POST
@password_confirmed
def add_member(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Give an account a role."""
    form = MemberForm(request.POST)
    if form.is_valid():
        with refusals_shown(form):
            campaigns.add_member(
                campaign=campaign,
                user=find_account(form.cleaned_data["username"]),
                role=form.cleaned_data["role"],
                by=request.user,
            )
            messages.success(request, _("Added."))
            return redirect("judging:annotators", campaign.uuid)
    return _annotators_page(request, campaign, status=422, member_form=form)


@campaign_for_managers
@require_POST
@password_confirmed
def remove_member(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Take a role away from an account."""
    membership = get_object_or_404(campaign.memberships.select_related("user"), pk=pk)
    removing = {
        "campaign": campaign,
        "user": membership.user,
        "role": membership.role,
        "by": request.user,
    }
    done = _("Removed.")
    is_manager = membership.role == Membership.Role.MANAGER
    if is_manager and enrollments.lets_in(campaign, now=timezone.now()):
        links = _("They know the links by which annotators can still join: revoke these.")
        done = f"{done} {links}"
    removal = partial(campaigns.remove_member, **removing)
    return _told(request, campaign, removal, done, "judging:annotators")


@campaign_for_managers
@require_POST
def exclude(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Exclude an annotator from the analysis, or re-include them; nothing is deleted."""
    form = ExclusionForm(request.POST, campaign=campaign)
    asked = request.POST.get("act")
    form.fields["reason"].required = asked not in ("readmit", "free")
    if not form.is_valid():
        return _annotators_page(request, campaign, status=422, exclusion_form=form)
    if asked == "free":
        free = partial(
            enrollments.free_seat, enrollment=form.cleaned_data["enrollment"], by=request.user
        )
        return _told(
            request,
            campaign,
            free,
            _("The seat is free: the next annotator to join takes it."),
            "judging:annotators",
        )
    change = {
        "enrollment": form.cleaned_data["enrollment"],
        "by": request.user,
        "now": timezone.now(),
    }
    exclude_rows = partial(enrollments.exclude, reason=form.cleaned_data["reason"])
    act = enrollments.readmit if asked == "readmit" else exclude_rows
    done = _("Done. Run the analysis again to see what it changes.")
    return _told(request, campaign, lambda: act(**change), done, "judging:annotators")


@campaign_for_staff
@require_GET
def task_list(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List the tasks with how many of their assignments are submitted."""
    listed = TasksInOrder(campaign.rounds.exclude(kind=Round.Kind.CHECKS))
    page: Page[Task] = Paginator(listed, 50).get_page(request.GET.get("page"))
    context = {
        "campaign": campaign,
        "page": page,
        "tab": "tasks",
        "is_manager": live.manages(request.user, campaign),
    }
    if not selections.names_systems(campaign, request.user):
        context["reports"] = live.reports(campaign, request.user)[:MAX_PAGE_ROWS]
    if judges_now(request.user, campaign.collection):
        _without_own(page, request.user)
    return render(request, "judging/campaigns/tasks.html", context)


def _without_own(page: Page[Task], user: User) -> None:
    """Take the user's own held or submitted tasks out of the counts: otherwise a task of theirs
    that is in no count would be known as a check."""
    own = Assignment.objects.filter(task__in=[task.pk for task in page], enrollment__user=user)
    states = dict(own.values_list("task", "state"))
    for task in page:
        task.filled -= states.get(task.pk) == Assignment.State.SUBMITTED
        task.held -= states.get(task.pk) == Assignment.State.HELD


def _told(
    request: HttpRequest, campaign: Campaign, act: Any, done: str, to: str = "judging:campaign"
) -> HttpResponse:
    """Perform an act, and report on the next page that it is done or why it cannot be."""
    with refusals_shown(request):
        act()
        messages.success(request, done)
    return redirect(to, campaign.uuid)
