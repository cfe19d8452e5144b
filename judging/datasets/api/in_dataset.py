"""The common part of API resources within a dataset."""

from functools import cached_property

from django.http import Http404
from rest_framework import permissions

from judging.datasets.guards import check_owner, datasets_of
from judging.datasets.models.dataset import Dataset
from judging.jobs.api.resources import Resource
from judging.people.guards import check_creator


class InDataset(Resource):
    """A part of a dataset, whose id is in the address. Its owner writes, and reads `owner_actions`."""

    owner_actions: tuple[str, ...] = ()

    @cached_property
    def dataset(self) -> Dataset:
        """The dataset of the address, if the user may do what the request asks."""
        found = datasets_of(self.request.user).filter(pk=self.kwargs["dataset"]).first()
        if found is None:
            raise Http404
        is_reading = self.request.method in permissions.SAFE_METHODS
        if not is_reading or self.action in self.owner_actions:
            check_owner(self.request.user, found)
            check_creator(self.request.user)
        return found

    def check_access(self) -> None:
        if self.action:
            _ = self.dataset
