"""The exit form of a campaign: its questions, and the answers of annotators."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import mixins, serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from judging.campaigns.api.in_campaign import InCampaign
from judging.enrolments.actions import exit_forms
from judging.enrolments.models.exit_form import ExitQuestion
from judging.jobs.api.resources import Create, Destroy


class ExitQuestionSerializer(serializers.ModelSerializer):
    """A question of the exit form. Annotators read its reason. A choice has two or more options."""

    options = serializers.ListField(child=serializers.CharField(), required=False)

    class Meta:
        model = ExitQuestion
        fields = ("id", "number", "text", "kind", "options", "reason", "personal")
        read_only_fields = ("number",)
        extra_kwargs = {
            "personal": {
                "help_text": "Whether it is about the person: then no answer is shown with a label."
            }
        }


class OptionCountSerializer(serializers.Serializer):
    """An option, and how many annotators chose it; null if a small group could be recognized."""

    option = serializers.CharField()
    answers = serializers.IntegerField(allow_null=True)


class ExitTextSerializer(serializers.Serializer):
    """An answer in the annotator's words; the label is blank for questions about the person."""

    annotator = serializers.CharField(allow_blank=True)
    text = serializers.CharField()


class ExitAnswersSerializer(serializers.Serializer):
    """The answers to one question."""

    question = serializers.IntegerField(source="question.pk")
    answered = serializers.IntegerField(help_text="The number of annotators who answered.")
    waits = serializers.BooleanField(
        help_text="Whether the answers are shown only once the campaign is closed."
    )
    options = OptionCountSerializer(many=True)
    texts = ExitTextSerializer(many=True)


@extend_schema_view(
    list=extend_schema(summary="List the questions of the exit form"),
    retrieve=extend_schema(summary="Return a question of the exit form"),
)
class ExitQuestions(Create, Destroy, mixins.ListModelMixin, mixins.RetrieveModelMixin, InCampaign):
    """The exit form of a campaign, for its managers."""

    queryset = ExitQuestion.objects.all()
    serializer_class = input = output = ExitQuestionSerializer
    filter_backends = ()
    lookup_value_converter = "int"
    hidden_from_analysts = ("list", "retrieve", "answers")

    def rows(self) -> QuerySet[ExitQuestion]:
        return self.campaign.exit_questions.all()

    def add(self, content: dict[str, Any]) -> ExitQuestion:
        """Add a question to the exit form of a draft."""
        question = exit_forms.NewExitQuestion(**content)
        return exit_forms.add_exit_question(
            campaign=self.campaign, question=question, by=self.request.user
        )

    def remove(self, instance: ExitQuestion) -> None:
        """Delete a question from the exit form of a draft."""
        exit_forms.remove_exit_question(question=instance, by=self.request.user)

    @extend_schema(responses=ExitAnswersSerializer(many=True))
    @action(detail=False, pagination_class=None)
    def answers(self, request: Request, campaign: UUID) -> Response:
        """List the answers to each question of the exit form.

        Answers to questions about the person are listed once the campaign is closed, and small
        groups are not counted separately.
        """
        found = [
            {
                "question": result.question,
                "answered": result.answered,
                "waits": result.waits,
                "options": [
                    {"option": option, "answers": count} for option, count in result.options
                ],
                "texts": [{"annotator": label, "text": text} for label, text in result.texts],
            }
            for result in exit_forms.exit_form_results(self.campaign)
        ]
        return Response(ExitAnswersSerializer(found, many=True).data)
