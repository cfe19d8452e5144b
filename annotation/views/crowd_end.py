"""The last page of an annotator sent by a crowd platform: the end they reached, and its code."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from judging.base.actions import seals
from judging.crowd import crowd_kinds
from judging.crowd.actions import participations
from judging.crowd.models.crowd import CrowdPlatform, Participation

CAME = "came_from_platform"  # in the session: the arrival, with its ids hashed


def code_and_return_address(request: HttpRequest, own: Participation) -> dict[str, Any]:
    """Return the code and the address for returning. If the platform grants credits by the id that
    the annotator came with, return that address and no code, only in the browser they came by and
    after all work is done."""
    code, platform = participations.code(own), own.platform
    person, credits = "", crowd_kinds.gives_credit(platform.return_template)
    if credits:
        kept = request.session.get(CAME) or [None]
        done = own.end == Participation.End.COMPLETED
        if done and [platform.pk, own.person] == kept[:2] and len(kept) > 3:
            person = seals.unseal_secret(kept[3])
        code = ""
    named = platform.kind != CrowdPlatform.Kind.GENERIC
    label = (
        _("Back to %(platform)s") % {"platform": platform.get_kind_display()}
        if named
        else _("Back to the platform")
    )
    return {
        "code": code,
        "return_url": crowd_kinds.return_address(platform.return_template, code, person),
        "open_again": credits and own.end == Participation.End.COMPLETED and not person,
        "credits": credits,
        "return_label": label,
    }


def end_page(request: HttpRequest, own: Participation) -> HttpResponse:
    """Show the end an annotator reached; those who returned their submission get no code."""
    campaign = own.platform.campaign
    context = {"title": campaign.title, "end": own.end or "left", "contact": campaign.contact}
    return render(
        request, "annotation/crowd_end.html", context | code_and_return_address(request, own)
    )
