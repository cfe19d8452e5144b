"""Systems of a dataset: renaming, merging and marking them, and undoing each change."""

from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.base.api.problems import Conflict, check_form
from judging.datasets.api.in_dataset import InDataset
from judging.datasets.models.dataset import System
from judging.datasets.models.system_change import SystemChange
from judging.imports.actions import names
from judging.imports.forms.mapping import SystemsForm


class SystemChangeSerializer(serializers.ModelSerializer):
    """A change of a dataset's systems. For merged systems, `after` is the name that remains."""

    made_by = serializers.CharField(source="made_by.username")

    class Meta:
        model = SystemChange
        fields = ("id", "what", "before", "after", "made_by", "made_at", "undone_at")
        extra_kwargs = {
            "before": {"help_text": "Its name or kind before."},
            "after": {"help_text": "Its name or kind since."},
        }


class ChangedSystemSerializer(serializers.Serializer):
    """The changes of one system: a name, a kind, or the subset that its questions come from."""

    id = serializers.IntegerField()
    name = serializers.CharField(required=False)
    kind = serializers.ChoiceField(System.Kind.choices, required=False)
    subset = serializers.CharField(
        required=False, help_text="Becomes metadata of the questions, by which reports compare."
    )


class SystemChangesSerializer(serializers.Serializer):
    """Changes that are made together. Systems that get the same name are merged."""

    systems = ChangedSystemSerializer(many=True, allow_empty=False)
    reason = serializers.CharField(
        required=False,
        max_length=500,
        help_text="Campaigns whose plan is locked list the change with it.",
    )


@extend_schema_view(
    list=extend_schema(summary="List the changes of a dataset's systems"),
    retrieve=extend_schema(summary="Return a change of a dataset's systems"),
)
class SystemChanges(mixins.ListModelMixin, mixins.RetrieveModelMixin, InDataset):
    """Changes of a dataset's systems, for its owner."""

    queryset = SystemChange.objects.all()
    serializer_class = SystemChangeSerializer
    filterset_fields = ("what",)
    owner_actions = ("list", "retrieve")
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[SystemChange]:
        return self.dataset.system_changes.select_related("made_by")

    @extend_schema(
        request=SystemChangesSerializer, responses={200: SystemChangeSerializer(many=True)}
    )
    def create(self, request: Request, dataset: int) -> Response:
        """Rename, merge or mark systems, all or none. The response lists the changes."""
        sent = SystemChangesSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        made = list(self.dataset.systems.order_by("name"))
        form = SystemsForm(_form_data(sent.validated_data, made), made=made)
        check_form(form, names=_names_of_fields(sent.validated_data))
        done = names.rename_systems(
            dataset=self.dataset,
            names=form.names(),
            kinds=form.kinds(),
            by=request.user,
            now=timezone.now(),
            reason=form.cleaned_data["reason"],
            subsets=form.subsets(),
        )
        return Response(SystemChangeSerializer(done, many=True).data)

    @extend_schema(request=None, responses=SystemChangeSerializer)
    @action(detail=True, methods=["post"])
    def undo(self, request: Request, dataset: int, pk: int) -> Response:
        """Undo the latest change that is not undone."""
        change = self.get_object()
        if change.undone_at is not None:
            raise Conflict("The change is undone already.")
        names.undo(change=change, by=request.user, now=timezone.now())
        return Response(SystemChangeSerializer(self.get_object()).data)


def _form_data(sent: dict[str, Any], made: list[System]) -> dict[str, Any]:
    """Return the changes as the data of the form, which has three fields for each system."""
    data = {"table": "", "reason": sent.get("reason", "")}
    for system in made:
        data |= {f"name-{system.pk}": system.name, f"kind-{system.pk}": system.kind}
    known = {system.pk for system in made}
    for place, changed in enumerate(sent["systems"]):
        if changed["id"] not in known:
            problem = {"id": [f"The dataset has no system {changed['id']}."]}
            raise ValidationError({f"systems.{place}": problem})
        for name in ("name", "kind", "subset"):
            if name in changed:
                data[f"{name}-{changed['id']}"] = changed[name]
    return data


def _names_of_fields(sent: dict[str, Any]) -> dict[str, str]:
    """Return the API's names of the form's fields."""
    return {
        f"{name}-{changed['id']}": f"systems.{place}.{name}"
        for place, changed in enumerate(sent["systems"])
        for name in ("name", "kind", "subset")
    }
