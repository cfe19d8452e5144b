"""Jobs of one kind that programs ask for, watch and read."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from rest_framework import mixins, serializers

from judging.base.api.pages import NewestFirst
from judging.campaigns.api.in_campaign import OfStaff
from judging.jobs import tasks
from judging.jobs.api.resources import Create, JobSerializer
from judging.jobs.models.job import Job


class AskedJobs(Create, mixins.ListModelMixin, mixins.RetrieveModelMixin):
    """Jobs of one kind: the newest first, each with what it found; POST asks for another."""

    queryset = Job.objects.all()
    output = JobSerializer
    filterset_fields = ("state",)
    pagination_class = NewestFirst
    lookup_value_converter = "uuid"


class CampaignJobs(AskedJobs, OfStaff):
    """Jobs of one kind in a campaign."""

    kind: str

    def rows(self) -> QuerySet[Job]:
        return self.campaign.jobs.filter(kind=self.kind).select_related("campaign")

    def begin(self, start: Callable[..., Job], settings: Any) -> Job:
        """Have an action create a job with settings, and notify workers."""
        return tasks.start_job(
            start, campaign=self.campaign, by=self.request.user, settings=settings
        )


class JobWithResultSerializer(JobSerializer):
    """A job with what was asked of it, and what was found once it is done."""

    parameters = serializers.DictField()
    result = serializers.DictField()

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "parameters", "result")
