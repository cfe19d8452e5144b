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

from judging.base.limits import MAX_PAGE_ROWS
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns, panels, selections
from judging.campaigns.forms.campaigns import ExclusionForm, InvitationForm, MemberForm
from judging.campaigns.guards import campaign_for_managers, campaign_for_staff, judges_now
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round, Task, TasksInOrder
from judging.campaigns.models.members import Membership
from judging.crowd.actions import crowd_platforms
from judging.datasets.guards import datasets_to_plan_with
from judging.enrolments import guards
from judging.enrolments.actions import enrollments
from judging.imports.actions import exports
from judging.jobs import tasks
from judging.jobs.actions import jobs
from judging.jobs.views.jobs import TITLES
from judging.overview.actions import erasures
from judging.overview.views import live
from judging.overview.views.plans import count_judged, outlook
from judging.people.actions.accounts import find_account
from judging.people.guards import creator_required, password_confirmed
from judging.people.models.user import User
from judging.quality.actions import exclusion_rules, exclusions
from judging.quality.actions.snapshots import counted_for
from judging.quality.views.quality import annotator_rows, days_of

THIS_MACHINE = ("127.0.0.1", "localhost", "[::1]")


@login_required
@require_GET
def list_campaigns(request: HttpRequest) -> HttpResponse:
    """List the campaigns a user manages or analyses."""
    found = Campaign.objects.visible_to(request.user).select_related("protocol", "dataset")
    page = Paginator(found.listed().with_places(), 50).get_page(request.GET.get("page"))
    context = {"page": page, "campaigns": page.object_list}
    return render(request, "judging/overview/index.html", context)


@campaign_for_staff
@require_GET
def overview(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show a campaign's state and what it needs."""
    job = campaign.jobs.unfinished().exclude(kind=jobs.LIVE_AGREEMENT).first()
    context = live.live_values(campaign, request.user) | {
        "tab": "overview",
        "job": job,
        "job_title": TITLES.get(job.kind, job.kind) if job else "",
        "worker_lives": jobs.worker_lives(),
        "fits_qgstec": not exports.misfit_of_qgstec(campaign),
        "reproduced": campaign.dataset.mapping.get("reproduced"),
        **outlook(campaign, count_judged(campaign)),
    }
    return render(request, "judging/overview/overview.html", context)


@campaign_for_managers
@creator_required
@require_POST
def duplicate_campaign_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Plan another campaign with the same settings."""
    get_object_or_404(datasets_to_plan_with(request.user), pk=campaign.dataset_id)
    with refusals_shown(request):
        made = campaigns.duplicate_campaign(campaign=campaign, by=request.user)
        messages.success(
            request,
            _("A draft with the same plan. Change what is to differ, then lock it."),
        )
        return redirect("judging:plan", made.uuid)
    return redirect("judging:campaign", campaign.uuid)


@campaign_for_managers
@require_POST
@password_confirmed
def discard_draft_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Delete a draft; if it has many places, a job deletes it."""
    is_draft = campaign.state == Campaign.State.DRAFT
    if is_draft and campaigns.is_slow_to_remove(campaign):
        job = tasks.begin_once(kind=campaigns.DISCARD, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    with refusals_shown(request):
        campaigns.discard_draft(campaign=campaign, by=request.user)
        messages.success(request, _("“%(title)s” is deleted.") % {"title": campaign.title})
        return redirect("judging:campaigns")
    return redirect("judging:campaign", campaign.uuid)


PEOPLE = 200  # annotators on a page


@campaign_for_managers
@require_POST
def open_campaign_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
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
    opening = partial(
        campaigns.open_campaign, campaign=campaign, now=timezone.now(), by=request.user
    )
    return _told(request, campaign, opening, _("Annotators can begin."))


@campaign_for_managers
@require_POST
def move_campaign_view(request: HttpRequest, campaign: Campaign, to: str) -> HttpResponse:
    """Pause, close or archive a campaign."""
    change = {"campaign": campaign, "now": timezone.now(), "by": request.user}
    if to == Campaign.State.CLOSED and campaign.state != Campaign.State.ARCHIVED:
        return _told(
            request,
            campaign,
            partial(campaigns.close_campaign, **change),
            _("Closed. Now run the analysis."),
        )
    return _told(request, campaign, partial(campaigns.move_campaign, to=to, **change), _("Done."))


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
            annotator_rows(campaign, counted, page, request.user),
            key=lambda row: (not row["flags"], row["each"].label),
        ),
        "days": days_of(campaign, counted.days),
        "invitations": campaign.invitations.annotate(joined=Count("enrollments")).order_by(
            "-created_at"
        ),
        "members": campaign.memberships.staff().select_related("user"),
        "declined": campaigns.declined_users(campaign).exclude(enrollments__campaign=campaign),
        "only_here": split_domain_port(request.get_host())[0] in THIS_MACHINE,
        "invitation_form": InvitationForm(),
        "member_form": MemberForm(),
        "exclusion_form": ExclusionForm(campaign=campaign),
        "lacking": exclusion_rules.count_lacking_assignments(campaign),
        "has_rules": bool(exclusion_rules.standing_rules(campaign)),
        "seats": panels.seats(campaign),
        "follows_draft": campaigns.follows_draft(campaign),
        "free_seats": len(panels.free_seats(campaign)),
        "is_manager": guards.may_manage(request.user, campaign),
    }
    return render(request, "judging/overview/annotators.html", context | forms, status=status)


@campaign_for_managers
@require_POST
def create_invitation_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
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
        partial(
            campaigns.create_invitation, campaign=campaign, by=request.user, **form.cleaned_data
        ),
        _("The link is ready; copy it from the list."),
        "judging:annotators",
    )


@campaign_for_managers
@require_POST
def revoke_invitation_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Revoke an invitation link."""
    link = get_object_or_404(campaign.invitations, pk=pk)
    campaigns.revoke_invitation(invitation=link, now=timezone.now(), by=request.user)
    messages.success(request, _("The link is revoked: no further annotators can join by it."))
    return redirect("judging:annotators", campaign.uuid)


@campaign_for_managers
@require_POST
@password_confirmed
def undo_joins_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
    """Revoke a link that unwanted people found, and undo the joins by it."""
    link = get_object_or_404(campaign.invitations, pk=pk)
    undone = erasures.undo_joins(invitation=link, by=request.user, now=timezone.now())
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
def add_member_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
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
def remove_member_view(request: HttpRequest, campaign: Campaign, pk: int) -> HttpResponse:
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
    if is_manager and enrollments.accepts_newcomers(campaign, now=timezone.now()):
        links = _("They know the links by which annotators can still join: revoke these.")
        done = f"{done} {links}"
    removal = partial(campaigns.remove_member, **removing)
    return _told(request, campaign, removal, done, "judging:annotators")


@campaign_for_managers
@require_POST
def change_exclusion(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Exclude an annotator from the analysis, or re-include them; nothing is deleted."""
    form = ExclusionForm(request.POST, campaign=campaign)
    asked = request.POST.get("act")
    form.fields["reason"].required = asked not in ("readmit", "free")
    if not form.is_valid():
        return _annotators_page(request, campaign, status=422, exclusion_form=form)
    if asked == "free":
        free = partial(
            exclusions.free_seat, enrollment=form.cleaned_data["enrollment"], by=request.user
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
    exclude_rows = partial(exclusions.exclude_annotator, reason=form.cleaned_data["reason"])
    act = exclusions.readmit if asked == "readmit" else exclude_rows
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
        "is_manager": guards.may_manage(request.user, campaign),
    }
    if not selections.names_systems(campaign, request.user):
        context["reports"] = live.problem_reports(campaign, request.user)[:MAX_PAGE_ROWS]
    if judges_now(request.user, campaign.dataset):
        _without_own(page, request.user)
    return render(request, "judging/overview/tasks.html", context)


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
