"""A campaign's plan: a new draft, its checklist, amendments after the lock, and the lock itself."""

from copy import copy
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from judging.base.texts import whole_number
from judging.base.views.refusals import refusals_shown
from judging.campaigns.actions import campaigns, fit, panels, plans
from judging.campaigns.actions.fit import MaterialFacts
from judging.campaigns.forms.declarations import DeclarationsForm
from judging.campaigns.forms.plans import PARTS, AmendForm, NewCampaignForm, PlanForm
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign, Deviation
from judging.campaigns.selection import CannotChoose
from judging.crowd.actions import crowd_platforms
from judging.datasets.guards import datasets_to_plan_with
from judging.datasets.models.dataset import Dataset, Source
from judging.jobs import tasks
from judging.overview.views import plan_checklist
from judging.people.guards import creator_required
from judging.work.actions import sheets


@creator_required
@require_http_methods(["GET", "POST"])
def create_draft_view(request: HttpRequest) -> HttpResponse:
    """Create a draft from the four fields that a campaign needs.

    The button `look` shows the protocols that fit another dataset, and keeps what was entered.
    """
    own = datasets_to_plan_with(request.user)
    if request.method == "GET" and not own.exists():
        return render(request, "judging/overview/no_dataset.html")
    about = _dataset_named(request, own)
    is_sent = request.method == "POST" and "look" not in request.POST
    form = NewCampaignForm(
        request.POST if is_sent else None,
        user=request.user,
        material=fit.count_contents(about) if about else None,
        datasets=own,
        initial={**request.GET.dict(), **request.POST.dict(), "dataset": about and about.pk},
    )
    if is_sent and form.is_valid():
        with refusals_shown(form):
            made = plans.create_draft(
                by=request.user, dataset=form.cleaned_data["dataset"], plan=form.plan()
            )
            messages.success(request, _("The draft is saved. Annotators see nothing of it yet."))
            return redirect("judging:plan", made.uuid)
    context = {"form": form, "about": about}
    return render(request, "judging/overview/new.html", context, status=422 if form.errors else 200)


def _dataset_named(request: HttpRequest, own: QuerySet[Dataset]) -> Dataset | None:
    """Return the dataset that a form or an address names; an address that names none means the
    user's newest with questions."""
    named = request.POST if request.method == "POST" else request.GET
    if "dataset" not in named:
        has_questions = Exists(Source.objects.filter(dataset=OuterRef("pk")))
        return own.order_by(has_questions.desc(), "-pk").first()
    return own.filter(pk=whole_number(named["dataset"], least=1)).first()


@campaign_for_managers
@require_GET
def show_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the checklist of a draft, or the values of a locked plan."""
    return _plan_page(request, campaign)


@campaign_for_managers
@require_POST
def plan_part(request: HttpRequest, campaign: Campaign, part: str) -> HttpResponse:
    """Change a part of a draft's plan."""
    if part not in PARTS:
        raise Http404
    form = _part_form(request, campaign, part, material=count_judged(campaign), data=request.POST)
    if form.is_valid():
        with refusals_shown(form):
            plans.replace_plan(campaign=campaign, plan=form.plan())
            messages.success(request, _("Saved."))
            return redirect("judging:plan", campaign.uuid)
    return _plan_page(request, campaign, refused=(part, form))


def _part_form(
    request: HttpRequest,
    campaign: Campaign,
    part: str,
    *,
    material: MaterialFacts | None,
    data: QueryDict | None = None,
) -> PlanForm:
    return PlanForm(
        data,
        instance=copy(campaign),  # it gets what was entered, also if that is refused
        names=PARTS[part].fields,
        user=request.user,
        material=material,
        auto_id=f"{part}-%s",
    )


def _plan_page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    refused: tuple[str, PlanForm] | None = None,
    amended: AmendForm | None = None,
) -> HttpResponse:
    material = count_judged(campaign)
    context: dict[str, Any] = {
        "campaign": campaign,
        "tab": "plan",
        "deviations": _deviations(request, campaign),
        "proof": panels.count_panel_balance(campaign),
        **outlook(campaign, material),
    }
    if campaign.state == Campaign.State.DRAFT:
        forms = {part: _part_form(request, campaign, part, material=material) for part in PARTS}
        forms |= dict([refused]) if refused else {}
        context["lines"] = plan_checklist.checklist_lines(campaign, forms)
    else:
        context["values"] = plan_checklist.values(campaign, amended)
    status = 422 if refused or amended else 200
    return render(request, "judging/overview/plan.html", context, status=status)


def count_judged(campaign: Campaign) -> MaterialFacts | None:
    """Count what a draft judges; None for a campaign past its draft, or if its selection no longer
    fits the dataset."""
    try:
        return fit.of_draft(campaign) if campaign.state == Campaign.State.DRAFT else None
    except CannotChoose:
        return None


def outlook(campaign: Campaign, material: MaterialFacts | None) -> dict[str, Any]:
    """Return the part of a draft's pages before the lock: problems of the plan, and the amount of
    judging."""
    if material is None:
        return {}
    document = sheets.cached_protocol(campaign.protocol).document
    effort = fit.effort(document, material, campaign.annotators_per_task)
    return {"misfits": fit.misfits(document, material), "effort": effort}


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def declarations(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Declare a draft's hypotheses; those of a locked plan are read with the plan."""
    if campaign.state != Campaign.State.DRAFT:
        return redirect("judging:plan", campaign.uuid)
    form = DeclarationsForm(request.POST if request.method == "POST" else None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            plans.declare_hypotheses(campaign=campaign, declared=form.hypotheses())
            messages.success(request, _("Saved."))
            return redirect("judging:declarations", campaign.uuid)
    context = {"campaign": campaign, "tab": "hypotheses", "form": form}
    return render(
        request, "judging/overview/declarations.html", context, status=422 if form.errors else 200
    )


def _deviations(request: HttpRequest, campaign: Campaign) -> Page[Deviation]:
    found = campaign.deviations.shortened().select_related("made_by")
    return Paginator(found, 50).get_page(request.GET.get("page"))


@campaign_for_managers
@require_POST
def amend_plan(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Change an amendable part after the lock, with the reason."""
    form = AmendForm(request.POST)
    is_draft = campaign.state == Campaign.State.DRAFT
    if form.is_valid():
        with refusals_shown(request if is_draft else form):
            campaigns.amend_field(
                campaign=campaign, by=request.user, now=timezone.now(), **form.cleaned_data
            )
            messages.success(request, _("Changed; the report lists it."))
            return redirect("judging:plan", campaign.uuid)
    if is_draft:
        return redirect("judging:plan", campaign.uuid)
    return _plan_page(request, campaign, amended=form)


@campaign_for_managers
@require_POST
def lock_plan_view(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Lock the plan, and open the campaign later."""
    with refusals_shown(request):
        campaigns.lock_plan(campaign=campaign, now=timezone.now(), by=request.user)
        messages.success(request, _("The plan is locked. Open the campaign when you are ready."))
    return redirect("judging:campaign", campaign.uuid)


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def launch_campaign(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """List what a draft or a locked campaign lacks, then lock its plan and open it."""
    if campaign.step > 2:
        return redirect("judging:campaign", campaign.uuid)
    lacks = plan_checklist.lacks(campaign)
    if request.method == "POST":
        with refusals_shown(request):
            return _launched(request, campaign, [lack.name for lack in lacks])
        return redirect("judging:campaign", campaign.uuid)
    context = {
        "campaign": campaign,
        "tab": "overview",
        "lacks": lacks,
        **outlook(campaign, count_judged(campaign)),
    }
    return render(request, "judging/overview/launch.html", context)


def _launched(request: HttpRequest, campaign: Campaign, lacks: list[str]) -> HttpResponse:
    """Lock a draft, record what it lacks, and open it; a job lays out a large campaign. If a step
    is refused nothing is changed."""
    now, is_slow = timezone.now(), campaigns.is_slow_to_open(campaign)
    with transaction.atomic():
        if campaign.state == Campaign.State.DRAFT:
            campaigns.lock_plan(campaign=campaign, now=now, by=request.user)
        campaigns.note_lacks(campaign=campaign, lacks=lacks, by=request.user, now=now)
        if broken := crowd_platforms.unmet(campaign):
            crowd_platforms.note_unmet(campaign=campaign, rules=broken, by=request.user)
        if not is_slow:
            campaigns.open_campaign(campaign=campaign, now=now, by=request.user)
    if is_slow:
        job = tasks.begin_once(kind=campaigns.LAUNCH, by=request.user, campaign=campaign)
        return redirect("judging:job", job.pk)
    messages.success(request, _("Annotators can begin."))
    return redirect("judging:campaign", campaign.uuid)
