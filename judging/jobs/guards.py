"""Access control of jobs."""

from collections.abc import Callable

from django.db.models import Q, QuerySet

from judging.base.guards import guard_by
from judging.jobs.models.job import Job
from judging.people.models.user import User

# other subjects register who sees the jobs about their objects: a filter of jobs for a user
SEEN_BY: dict[str, Callable[[User], Q]] = {}


def jobs_of(user: User) -> QuerySet[Job]:
    """Return the jobs that a user started about nothing but themselves, and those about objects
    that the user sees."""
    seen = Q(created_by=user, campaign__isnull=True, dataset__isnull=True)
    for filter_of in SEEN_BY.values():
        seen |= filter_of(user)
    return Job.objects.filter(seen).distinct()


# a job's result may be hundreds of megabytes, and most requests only ask for its progress
job_for_readers = guard_by(
    lambda request, pk: jobs_of(request.user).defer("result").filter(pk=pk).first()
)
