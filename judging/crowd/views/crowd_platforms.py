"""The page about a campaign's crowd platform: values to paste there, unmet rules, and annotators
who came."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.base.views.refusals import refusals_shown
from judging.campaigns.guards import campaign_for_managers
from judging.campaigns.models.campaign import Campaign
from judging.crowd import crowd_kinds
from judging.crowd.actions import crowd_platforms
from judging.crowd.crowd_policies import POLICIES
from judging.crowd.forms.crowd_platforms import MEANINGS, NewPlatformForm, PlatformForm
from judging.crowd.models.crowd import CrowdPlatform, Participation

SHOWN = (
    "person_param",
    "study_param",
    "session_param",
    "return_template",
    "minutes",
    "signed",
    "keys_url",
    "audience",
)


@campaign_for_managers
@require_http_methods(["GET", "POST"])
def edit_crowd_platform(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Set up the platform that sends annotators, and show how many came."""
    platform = CrowdPlatform.objects.filter(campaign=campaign).first()
    if platform is None:
        return _begin(request, campaign)
    platform.campaign = campaign
    initial = {name: getattr(platform, name) for name in SHOWN}
    initial["studies"] = " ".join(platform.studies)
    initial["audience"] = initial["audience"] or request.build_absolute_uri("/").rstrip("/")
    form = PlatformForm(
        request.POST if request.method == "POST" else None, platform=platform, initial=initial
    )
    if request.method == "POST" and form.is_valid():
        with refusals_shown(form):
            crowd_platforms.change_platform(
                platform=platform,
                settings=form.settings(),
                webhook_secret=form.cleaned_data["webhook_secret"],
                by=request.user,
            )
            messages.success(request, _("Saved."))
            return redirect("judging:crowd", campaign.uuid)
    return _page(request, platform, form)


def _begin(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = NewPlatformForm(
        request.POST if request.method == "POST" else None, initial={"kind": "prolific"}
    )
    if request.method == "POST" and form.is_valid():
        kind = form.cleaned_data["kind"]
        with refusals_shown(form):
            crowd_platforms.add_crowd_platform(campaign=campaign, kind=kind, by=request.user)
            return redirect("judging:crowd", campaign.uuid)
    context = {"campaign": campaign, "tab": "crowd", "new_form": form, "is_manager": True}
    return render(request, "judging/crowd/crowd.html", context, status=422 if form.errors else 200)


def _page(request: HttpRequest, platform: CrowdPlatform, form: PlatformForm) -> HttpResponse:
    kind = crowd_kinds.KINDS[platform.kind]
    entry = request.build_absolute_uri(reverse("annotation:crowd", args=[platform.key]))
    names = (platform.person_param, platform.study_param, platform.session_param)
    counted, rules = (
        crowd_platforms.platform_standing(platform),
        crowd_platforms.policy_checks(platform),
    )
    context = {
        "campaign": platform.campaign,
        "tab": "crowd",
        "is_manager": True,
        "platform": platform,
        "kind": kind,
        "form": form,
        "study_address": crowd_kinds.study_address(kind, entry, names),
        "messages_address": request.build_absolute_uri(
            reverse("annotation:crowd_events", args=[platform.key])
        ),
        "rules": rules,
        "unmet": sum(rule.state == "fails" for rule in rules),
        "policy": POLICIES[platform.kind],
        "standing": counted,
        "ends": [_end(platform, end, counted.ends[end.value]) for end in Participation.End],
        "heard": platform.events.count(),
    }
    return render(request, "judging/crowd/crowd.html", context, status=422 if form.errors else 200)


def _end(platform: CrowdPlatform, end: Participation.End, count: int) -> dict[str, Any]:
    code = platform.codes.get(end.value, "")
    return {"key": end.value, "label": end.label, "means": MEANINGS[end], "code": code, "n": count}
