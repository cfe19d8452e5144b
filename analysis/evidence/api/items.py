"""The items of a campaign with their ratings, in the orders of the page, and kept examples."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.evidence import lines, listing
from analysis.evidence.actions import examples
from analysis.evidence.forms.items import SORTS, ItemsForm
from analysis.models import KeptExample
from judging.base.api.problems import check_form
from judging.base.texts import whole_number
from judging.campaigns.api.in_campaign import OfStaff
from judging.campaigns.guards import judges_now, with_how_to_decline
from judging.jobs.api.resources import Create, Destroy
from judging.protocols.models.protocol import Criterion

BLIND = (
    "You judge this dataset in a campaign that has not ended, so you see no item with its ratings."
)
FILTERS = [
    OpenApiParameter("sort", enum=list(SORTS), description="The order; by default as in the file."),
    OpenApiParameter("criterion", description="The key of the criterion to sort or filter by."),
    OpenApiParameter("metric", description="The name of the metric to sort by."),
    OpenApiParameter("system", description="The name of a system."),
    OpenApiParameter("against", description="The system that losses are counted against."),
    OpenApiParameter("value", int, description="A value that an annotator gave on the criterion."),
    OpenApiParameter("annotator", description="The label of an annotator."),
    OpenApiParameter("text", description="Words of the question or its source."),
    OpenApiParameter("attribute", description="A column of the file."),
    OpenApiParameter("attribute_value", description="The value of that column."),
    OpenApiParameter("after", int, description="The last item of the page before."),
]


class ItemRatingSerializer(serializers.Serializer):
    """One annotator's rating of an item."""

    annotator = serializers.CharField()
    criterion = serializers.CharField()
    value = serializers.IntegerField()
    is_excluded = serializers.BooleanField(help_text="Whether the annotator is excluded.")


class RatedItemSerializer(serializers.Serializer):
    """An item with its ratings, and what it is sorted by."""

    item = serializers.IntegerField(source="line.unit")
    source_id = serializers.CharField(source="line.source_key")
    system = serializers.CharField(source="line.system")
    position = serializers.IntegerField(source="line.position", allow_null=True)
    question = serializers.CharField(source="line.text")
    key = serializers.CharField(source="line.key")
    ratings = ItemRatingSerializer(many=True)


class RatedItemsSerializer(serializers.Serializer):
    """A page of items."""

    items = RatedItemSerializer(many=True)
    after = serializers.IntegerField(allow_null=True)


class BehindNumbers(OfStaff):
    """A part of a campaign that names systems beside ratings: not for users who judge its dataset."""

    def check_access(self) -> None:
        super().check_access()
        if self.action and judges_now(self.request.user, self.campaign.dataset):
            raise PermissionDenied(
                with_how_to_decline(BLIND, self.request.user, self.campaign.dataset)
            )


class RatedItems(BehindNumbers):
    """The items of a campaign with their ratings."""

    queryset = KeptExample.objects.all()
    serializer_class = RatedItemsSerializer

    @extend_schema(responses=RatedItemsSerializer, parameters=FILTERS)
    def retrieve(self, request: Request, campaign: UUID) -> Response:
        """List items with their ratings in one of the orders of the page of items."""
        form = ItemsForm(
            request.query_params, dataset=self.campaign.dataset, campaign=self.campaign
        )
        check_form(form)
        chosen, after = form.chosen(), request.query_params.get("after")
        page = listing.read_page(chosen, after=after and whole_number(after, least=1))
        kind = Criterion.Unit.SET if chosen.of_sets else Criterion.Unit.QUESTION
        criteria = [criterion for criterion in form.criteria if criterion.unit == kind]
        rows = [
            {"line": line, "ratings": _ratings(line, criteria)}
            for line in lines.question_lines(chosen, page, criteria)
        ]
        last = page.rows[-1].unit if page.rows and page.more_after else None
        return Response(RatedItemsSerializer({"items": rows, "after": last}).data)


def _ratings(line: lines.QuestionLine, criteria: list[Criterion]) -> list[dict[str, Any]]:
    return [
        {
            "annotator": rating.annotator,
            "criterion": criterion.key,
            "value": rating.value,
            "is_excluded": rating.is_excluded,
        }
        for criterion, ratings in zip(criteria, line.said, strict=True)
        for rating in ratings
    ]


class KeptExampleSerializer(serializers.ModelSerializer):
    """An item that is kept as an example for the paper."""

    item = serializers.IntegerField(source="unit_id")
    kept_by = serializers.CharField(source="kept_by.username", read_only=True)
    note = serializers.CharField(max_length=500, required=False, allow_blank=True, default="")

    class Meta:
        model = KeptExample
        fields = ("id", "item", "note", "kept_by", "kept_at")
        read_only_fields = ("kept_at",)


@extend_schema_view(list=extend_schema(summary="List the items that are kept as examples"))
class KeptExamples(Create, Destroy, mixins.ListModelMixin, BehindNumbers):
    """Items that are kept as examples for the paper; the report's files have them."""

    queryset = KeptExample.objects.all()
    input = serializer_class = output = KeptExampleSerializer
    filter_backends = ()
    lookup_value_converter = "int"

    def rows(self) -> QuerySet[KeptExample]:
        return examples.load_examples(self.campaign).select_related("kept_by")

    def add(self, content: dict[str, Any]) -> KeptExample:
        """Keep an item as an example; one that is kept already gets the new note."""
        try:
            return examples.keep_example(
                campaign=self.campaign,
                unit=content["unit_id"],
                note=content["note"].strip(),
                by=self.request.user,
                now=timezone.now(),
            )
        except examples.NotOfCampaign:
            raise ValidationError({"item": ["The dataset has no such item."]}) from None

    def remove(self, instance: KeptExample) -> None:
        """Keep an item no longer as an example."""
        examples.drop_example(campaign=self.campaign, unit=instance.unit_id)
