"""Access control of datasets."""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from judging.base.guards import guard_by
from judging.datasets.models.dataset import Collection
from judging.jobs import guards as job_guards
from judging.jobs.models.job import Job
from judging.people.guards import creator_required
from judging.people.models.user import User

# other subjects register through which of their objects a user sees datasets
SEEN_BY: dict[str, Callable[[User], Q]] = {}


def collections_of(user: User) -> QuerySet[Collection]:
    """Return the collections a user owns, has a right on, or sees through a campaign they manage or
    analyse."""
    seen = Q(owner=user) | Q(shares__user=user)
    for filter_of in SEEN_BY.values():
        seen |= filter_of(user)
    return Collection.objects.filter(seen, checks_of__isnull=True).distinct()


def collections_to_plan_with(user: User) -> QuerySet[Collection]:
    """Return the collections about which a user may plan campaigns: seeing one through another
    user's campaign is not enough."""
    return Collection.objects.filter(
        Q(owner=user) | Q(shares__user=user), checks_of__isnull=True
    ).distinct()


def owns(user: User, job: Job) -> bool:
    """Return whether the user still owns the job's collection; a job about one of their files has
    none. If the collection was deleted, the job itself reports it."""
    theirs = user.collections.filter(pk=job.collection_id)
    return user.can_create_campaigns and (job.collection_id is None or theirs.exists())


def reads(user: User, job: Job) -> bool:
    """Return whether the user still sees the job's collection. If it was deleted, the job itself
    reports it."""
    return job.collection_id is None or collections_of(user).filter(pk=job.collection_id).exists()


def _collection(request: HttpRequest, pk: int) -> Collection | None:
    return collections_of(request.user).filter(pk=pk).first()


def _own_collection(request: HttpRequest, pk: int) -> Collection | None:
    collection = _collection(request, pk)
    if collection:
        check_owner(request.user, collection)
    return collection


def check_owner(user: User, collection: Collection) -> None:
    """Raise PermissionDenied if the user is not the owner of a dataset; readers change nothing."""
    if collection.owner_id != user.pk:
        raise PermissionDenied("Only the owner of this dataset may do that.")


collection_for_readers = guard_by(_collection)
collection_for_owner = guard_by(_own_collection, after=creator_required)


def _jobs_about_datasets(user: User) -> Q:
    """Select the jobs that a user started about datasets they still see, and all computations on
    their own datasets, whoever started them."""
    started = Q(created_by=user, campaign__isnull=True, collection__in=collections_of(user))
    return started | Q(kind__in=Job.COMPUTES, campaign__isnull=True, collection__owner=user)


job_guards.SEEN_BY["datasets"] = _jobs_about_datasets
