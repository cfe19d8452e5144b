"""Withdrawal of an annotator: all their work is erased, if the study allows it."""

from contextlib import suppress

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.actions.next_tasks import enrollment_of
from judging.campaigns.guards import campaign_for_annotators
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.enrolments.actions import enrollments
from judging.overview.actions import erasures
from judging.people.models.user import User


@never_cache
@campaign_for_annotators
@require_http_methods(["GET", "POST"])
def withdraw_from_study(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show what would be erased, and erase it after a confirmation."""
    enrollment = enrollment_of(request.user, campaign)
    if not enrollments.may_withdraw(campaign):
        raise Http404
    if request.method == "GET":
        done = Assignment.objects.done_by(enrollment).count()
        return render(request, "annotation/withdraw.html", {"campaign": campaign, "done": done})
    try:
        with suppress(erasures.AlreadyWithdrawn):
            erasures.withdraw_annotator(enrollment=enrollment, now=timezone.now())
    except erasures.CannotWithdraw:  # the campaign was closed at this moment
        raise Http404 from None
    if not User.objects.filter(pk=request.user.pk).exists():
        request.session.flush()
    return render(request, "annotation/withdrawn.html", {"title": campaign.title})
