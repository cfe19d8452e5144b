"""Parts that are on many pages of managers: the jobs in the header."""

from typing import Any

from django import template

from judging.models import User
from judging.views import jobs

register = template.Library()


@register.inclusion_tag("judging/jobs/in_header.html")
def header_jobs(user: User) -> dict[str, Any]:
    """Show the jobs of a user in the header."""
    return jobs.in_header(user)
