"""Degraded copies of a dataset: questions made worse on purpose, by a job, in a new dataset."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import serializers
from rest_framework.exceptions import ValidationError

from analysis.scoring.api.asked_jobs import AskedJobs
from analysis.scoring.api.lazy_modules import LazyModule
from judging.campaigns.guards import check_not_judging
from judging.datasets.api.in_dataset import InDataset
from judging.jobs import tasks
from judging.jobs.api.resources import JobSerializer
from judging.jobs.models.job import Job

degradations = LazyModule("analysis.scoring.actions.degradations")
degrading = LazyModule("analysis.scoring.actions.degrading")


class DegradedCopySerializer(JobSerializer):
    """A job that makes a degraded copy: what was asked, and the new dataset once it is done."""

    parameters = serializers.DictField()
    copy = serializers.IntegerField(
        source="result.dataset",
        default=None,
        allow_null=True,
        help_text="The id of the new dataset.",
    )

    class Meta(JobSerializer.Meta):
        fields = (*JobSerializer.Meta.fields, "parameters", "copy")


class NewDegradedCopySerializer(serializers.Serializer):
    """Settings of a degradation. Omitted fields have the defaults of the page."""

    systems = serializers.ListField(
        child=serializers.IntegerField(),
        default=list,
        help_text="The ids of the systems whose questions are degraded.",
    )
    references = serializers.BooleanField(
        default=False, help_text="Whether references are degraded, too."
    )
    noise = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="Kinds of degradation; each becomes a system of its own.",
    )
    percent = serializers.IntegerField(required=False, help_text="Percentage of the sources.")
    beside = serializers.CharField(
        required=False,
        help_text="Which questions the copy has unchanged: all, chosen (those of the systems) or none.",
    )
    seed = serializers.IntegerField(required=False)
    name = serializers.CharField(required=False, help_text="The name of the new dataset.")


@extend_schema_view(
    list=extend_schema(summary="List the jobs that make degraded copies of a dataset"),
    retrieve=extend_schema(summary="Return a job that makes a degraded copy"),
)
class DegradedCopies(AskedJobs, InDataset):
    """Degraded copies of a dataset, for its owner; not while the owner judges it."""

    input, serializer_class = NewDegradedCopySerializer, DegradedCopySerializer
    owner_actions = ("list", "retrieve")

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            check_not_judging(self.request.user, self.dataset)

    def rows(self) -> QuerySet[Job]:
        jobs = Job.objects.filter(dataset=self.dataset, kind=degradations.KIND)
        return jobs.select_related("campaign")

    def add(self, content: dict[str, Any]) -> Job:
        """Make a copy of a dataset with degraded questions, by a job."""
        systems = degradations.degradable_systems(self.dataset)
        names = dict(systems.values_list("pk", "name"))
        if unknown := [pk for pk in content["systems"] if pk not in names]:
            raise ValidationError({"systems": [f"The dataset has no system {unknown[0]}."]})
        content["systems"] = [names[pk] for pk in content["systems"]]
        content.setdefault("name", degradations.name_of_copy(self.dataset))
        wanted = degrading.WantedDegradation(**content)
        by = self.request.user
        return tasks.start_job(
            degradations.start_degradation, dataset=self.dataset, wanted=wanted, by=by
        )
