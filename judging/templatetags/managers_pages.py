"""Parts that are on many pages of managers: the head of a campaign, and the jobs in the header."""

from typing import Any

from django import template
from django.template.context import RequestContext
from django.utils import timezone

from judging.jobs.views import jobs
from judging.overview.views import campaign_head as heads
from judging.people.models.user import User

register = template.Library()


@register.simple_tag(takes_context=True)
def campaign_head(context: RequestContext) -> heads.CampaignHead:
    """Return the head of the campaign's page that is rendered."""
    request = context["request"]
    return heads.build_head(
        context["campaign"], request.user, tab=context["tab"], path=request.path
    )


@register.inclusion_tag("judging/jobs/in_header.html")
def header_jobs(user: User) -> dict[str, Any]:
    """Show the jobs of a user in the header."""
    return jobs.in_header(user, since=timezone.now() - jobs.NOTICE)
