"""A criterion that an annotator is asked about, over the REST API."""

from rest_framework import serializers

from annotation.views.page import ShownCriterion


class PointSerializer(serializers.Serializer):
    """A point of a scale."""

    value = serializers.IntegerField()
    label = serializers.CharField()
    description = serializers.CharField()
    missing = serializers.BooleanField(help_text="Whether it is no value, such as “cannot say”.")


class ControlSerializer(serializers.Serializer):
    """A criterion that is asked about a question or a set of questions."""

    name = serializers.CharField(help_text="The key of the answer in a draft or a submission.")
    criterion = serializers.CharField(source="key")
    title = serializers.CharField(source="legend")
    prompt = serializers.CharField()
    definition = serializers.CharField()
    required = serializers.BooleanField()
    open = serializers.SerializerMethodField(help_text="Whether its stage is open.")
    value = serializers.IntegerField(allow_null=True)
    forced_because = serializers.CharField(source="forced")
    points = PointSerializer(many=True)

    def get_open(self, control: ShownCriterion) -> bool:
        return not any(point.disabled for point in control.points)
