"""Access control of datasets."""

from collections.abc import Callable

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from judging.base.guards import guard_by
from judging.datasets.models.dataset import Dataset
from judging.jobs import guards as job_guards
from judging.jobs.models.job import Job
from judging.people.guards import creator_required
from judging.people.models.user import User

# other subjects register through which of their objects a user sees datasets
SEEN_BY: dict[str, Callable[[User], Q]] = {}


def datasets_of(user: User) -> QuerySet[Dataset]:
    """Return the datasets a user owns, has a right on, or sees through a campaign they manage or
    analyse."""
    seen = Q(owner=user) | Q(shares__user=user)
    for filter_of in SEEN_BY.values():
        seen |= filter_of(user)
    return Dataset.objects.filter(seen, checks_of__isnull=True).distinct()


def datasets_to_plan_with(user: User) -> QuerySet[Dataset]:
    """Return the datasets about which a user may plan campaigns: seeing one through another
    user's campaign is not enough."""
    return Dataset.objects.filter(
        Q(owner=user) | Q(shares__user=user), checks_of__isnull=True
    ).distinct()


def owns(user: User, job: Job) -> bool:
    """Return whether the user still owns the job's dataset; a job about one of their files has
    none. If the dataset was deleted, the job itself reports it."""
    theirs = user.datasets.filter(pk=job.dataset_id)
    return user.can_create_campaigns and (job.dataset_id is None or theirs.exists())


def reads(user: User, job: Job) -> bool:
    """Return whether the user still sees the job's dataset. If it was deleted, the job itself
    reports it."""
    return job.dataset_id is None or datasets_of(user).filter(pk=job.dataset_id).exists()


def _dataset(request: HttpRequest, pk: int) -> Dataset | None:
    return datasets_of(request.user).filter(pk=pk).first()


def _own_dataset(request: HttpRequest, pk: int) -> Dataset | None:
    dataset = _dataset(request, pk)
    if dataset:
        check_owner(request.user, dataset)
    return dataset


def check_owner(user: User, dataset: Dataset) -> None:
    """Raise PermissionDenied if the user is not the owner of a dataset; readers change nothing."""
    if dataset.owner_id != user.pk:
        raise PermissionDenied("Only the owner of this dataset may do that.")


dataset_for_readers = guard_by(_dataset)
dataset_for_owner = guard_by(_own_dataset, after=creator_required)


def _jobs_about_datasets(user: User) -> Q:
    """Select the jobs that a user started about datasets they still see, and all computations on
    their own datasets, whoever started them."""
    started = Q(created_by=user, campaign__isnull=True, dataset__in=datasets_of(user))
    return started | Q(kind__in=Job.COMPUTES, campaign__isnull=True, dataset__owner=user)


job_guards.SEEN_BY["datasets"] = _jobs_about_datasets
