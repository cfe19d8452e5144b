"""Training and qualification items of a campaign, their answer keys, and the qualification's rules."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns.actions import campaigns, selections
from judging.campaigns.api.in_campaign import InCampaign
from judging.campaigns.models.campaign import Campaign
from judging.jobs.api.resources import Create, Destroy
from judging.quality.actions import exercises
from judging.quality.actions.exercises import KeyText
from judging.quality.models.exercise import Exercise


class KeySerializer(serializers.Serializer):
    """The accepted values of one criterion, and why they are right."""

    criterion = serializers.CharField(source="criterion.key", help_text="The criterion's key.")
    accepted = serializers.ListField(child=serializers.IntegerField())
    explanation = serializers.CharField(required=False, allow_blank=True, default="")


class ExerciseSerializer(serializers.ModelSerializer):
    """A training or qualification item with its answer key."""

    keys = KeySerializer(many=True, read_only=True)
    repeats = serializers.IntegerField(
        source="repeats_id",
        allow_null=True,
        read_only=True,
        help_text="The id of the item that this one asks again.",
    )

    class Meta:
        model = Exercise
        fields = ("id", "kind", "number", "question", "passage", "answer", "repeats", "keys")


class NewExerciseSerializer(serializers.Serializer):
    """A new item. Its answer key accepts at least one value of one criterion."""

    kind = serializers.ChoiceField(Exercise.Kind.choices)
    question = serializers.CharField()
    passage = serializers.CharField(required=False, allow_blank=True, default="")
    answer = serializers.CharField(required=False, allow_blank=True, default="")
    keys = KeySerializer(many=True)


class CorrectionSerializer(serializers.Serializer):
    """The values that are accepted from now on. After the lock the report lists the reason."""

    criterion = serializers.CharField()
    accepted = serializers.ListField(child=serializers.IntegerField())
    explanation = serializers.CharField(required=False, allow_blank=True)
    reason = serializers.CharField(max_length=500)


class CorrectedSerializer(serializers.Serializer):
    """How many attempts at the qualification pass by the corrected key, and passed before."""

    passed = serializers.IntegerField()
    passed_before = serializers.IntegerField()


class QualificationRulesSerializer(serializers.ModelSerializer):
    """When an annotator passes the qualification. The pass mark is a percentage of the answers."""

    class Meta:
        model = Campaign
        fields = ("pass_mark", "tries", "qualification_paid")


class OfExercises(InCampaign):
    """Items, for managers only; managers who judge the dataset see none that would name a
    system."""

    def check_access(self) -> None:
        super().check_access()
        if self.action:
            campaign = self.campaign
            selections.keep_from_who_judges(self.request.user, campaign.dataset, campaign=campaign)


@extend_schema_view(
    list=extend_schema(summary="List the training and qualification items of a campaign"),
    retrieve=extend_schema(summary="Return a training or qualification item"),
)
class Exercises(Create, Destroy, mixins.ListModelMixin, mixins.RetrieveModelMixin, OfExercises):
    """Training and qualification items of a campaign."""

    queryset = Exercise.objects.all()
    input = NewExerciseSerializer
    serializer_class = output = ExerciseSerializer
    filterset_fields = ("kind",)
    lookup_value_converter = "int"
    hidden_from_analysts = ("list", "retrieve")

    def rows(self) -> QuerySet[Exercise]:
        return self.campaign.exercises.prefetch_related("keys__criterion")

    def add(self, content: dict[str, Any]) -> Exercise:
        """Add a training or qualification item to a draft."""
        exercise = exercises.NewExercise(**content | {"keys": _by_criterion(content["keys"])})
        made = exercises.add_exercise(
            campaign=self.campaign, exercise=exercise, by=self.request.user
        )
        return self.rows().get(pk=made.pk)

    @extend_schema(request=None, responses={201: ExerciseSerializer})
    @action(detail=True, methods=["post"])
    def repeat(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Ask an item again as the last one of its kind."""
        made = exercises.repeat(exercise=self.get_object(), by=request.user)
        data = ExerciseSerializer(self.rows().get(pk=made.pk)).data
        return Response(data, status=status.HTTP_201_CREATED)

    def remove(self, instance: Exercise) -> None:
        """Delete an item of a draft, with the items that repeat it."""
        exercises.remove_exercise(exercise=instance, by=self.request.user)

    @extend_schema(request=CorrectionSerializer, responses=CorrectedSerializer)
    @action(detail=True, methods=["post"], url_path="correct-key")
    def correct_key(self, request: Request, campaign: UUID, pk: int) -> Response:
        """Correct the answer key of an item; all attempts are marked again.

        An annotator who passed before stays qualified. Items that repeat this one get the same key.
        """
        content = self.content(CorrectionSerializer)
        keys = self.get_object().keys.select_related("exercise", "criterion")
        own = keys.filter(criterion__key=content.pop("criterion")).first()
        if own is None:
            raise ValidationError({"criterion": ["The item has no key for this criterion."]})
        correction = {"explanation": own.explanation} | content
        after, before = exercises.correct_key(
            key=own, by=request.user, now=timezone.now(), **correction
        )
        return Response({"passed": after, "passed_before": before})


class QualificationRules(OfExercises):
    """The pass mark, the attempts and the pay of a campaign's qualification, for its managers."""

    queryset = Campaign.objects.all()
    serializer_class = QualificationRulesSerializer
    hidden_from_analysts = ("retrieve",)

    @extend_schema(responses=QualificationRulesSerializer)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """Return the rules of the qualification."""
        return Response(QualificationRulesSerializer(self.campaign).data)

    @extend_schema(request=QualificationRulesSerializer, responses=QualificationRulesSerializer)
    def update(self, request: Request, campaign: UUID) -> Response:
        """Replace the rules of a draft's qualification."""
        blank = Campaign()
        defaults = {name: getattr(blank, name) for name in QualificationRulesSerializer.Meta.fields}
        rules = defaults | self.content(QualificationRulesSerializer)
        campaigns.change_plan(campaign=self.campaign, plan=rules)
        self.campaign.refresh_from_db(fields=rules)
        return Response(QualificationRulesSerializer(self.campaign).data)


def _by_criterion(keys: Iterable[dict[str, Any]]) -> dict[str, KeyText]:
    """Return the keys of an item by the keys of their criteria; each is named once."""
    found: dict[str, KeyText] = {}
    for key in keys:
        criterion = key["criterion"]["key"]
        if criterion in found:
            raise ValidationError({"keys": [f"Name the criterion {criterion} once."]})
        found[criterion] = KeyText(key["accepted"], key["explanation"])
    return found
