"""Training, qualification and exit form over the REST API of annotators."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.controls import ControlSerializer
from annotation.views.exercises import AnsweredItem, criteria_in_language, needs_consent
from judging.base.api.problems import Conflict
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import exit_forms
from judging.enrolments.models.exit_form import ExitQuestion
from judging.quality.actions import qualifications
from judging.quality.models.exercise import Exercise


class ItemToTrySerializer(serializers.Serializer):
    """An item of the training or the qualification, with what is asked about it."""

    number = serializers.IntegerField(source="exercise.number")
    passage = serializers.CharField(source="exercise.passage")
    answer = serializers.CharField(source="exercise.answer")
    question = serializers.CharField(source="exercise.question")
    controls = serializers.SerializerMethodField()

    @extend_schema_field(ControlSerializer(many=True))
    def get_controls(self, item: AnsweredItem) -> Any:
        return ControlSerializer(item.criteria(is_sent=False), many=True).data


class TriedSerializer(serializers.Serializer):
    """Answers by the names of their controls."""

    number = serializers.IntegerField()
    answers = serializers.DictField(child=serializers.IntegerField())


class FeedbackSerializer(serializers.Serializer):
    """Whether an answer was right, which values are right, and why."""

    criterion = serializers.CharField(source="key")
    is_right = serializers.BooleanField()
    right = serializers.SerializerMethodField(help_text="The accepted values.")
    why = serializers.CharField()

    def get_right(self, feedback: Any) -> list[int]:
        return [point.value for point in feedback.right]


class QualificationSerializer(serializers.Serializer):
    """An annotator's progress in the qualification, and its items while an attempt is left."""

    outcome = serializers.ChoiceField(["none", "open", "passed", "failed"])
    next = serializers.IntegerField(help_text="The number of the next attempt.")
    left = serializers.IntegerField(help_text="The number of attempts that are left.")
    pass_mark = serializers.IntegerField(allow_null=True)
    items = ItemToTrySerializer(many=True)


class ExitQuestionToAnswerSerializer(serializers.ModelSerializer):
    """A question of the exit form with your answer, which may be blank."""

    answer = serializers.CharField()

    class Meta:
        model = ExitQuestion
        fields = ("id", "text", "kind", "options", "reason", "personal", "answer")


class ExitAnswersToStoreSerializer(serializers.Serializer):
    """Answers by the ids of their questions; a blank text deletes an answer."""

    answers = serializers.DictField(child=serializers.CharField(allow_blank=True))


class BeforeAndAfterTasks:
    """The parts of a campaign that an annotator does before the first task and after the last."""

    @extend_schema(responses=ItemToTrySerializer(many=True))
    @action(detail=True, pagination_class=None)
    def training(self, request: Request, uuid: str) -> Response:
        """List the training items."""
        items = _items(self._agreed(), Exercise.Kind.TRAINING, {})
        return Response(ItemToTrySerializer(items, many=True).data)

    @extend_schema(request=TriedSerializer, responses=FeedbackSerializer(many=True))
    @training.mapping.post
    def try_training(self, request: Request, uuid: str) -> Response:
        """Answer a training item, and read what is right. The answers are not stored."""
        enrollment, tried = self._agreed(), self.content(TriedSerializer)
        items = _items(enrollment, Exercise.Kind.TRAINING, tried["answers"])
        for item in items:
            if item.exercise.number == tried["number"]:
                _check_answered([item], tried["answers"])
                qualifications.train(
                    enrollment=enrollment, exercise=item.exercise, now=timezone.now()
                )
                return Response(FeedbackSerializer(item.feedback(), many=True).data)
        raise ValidationError({"number": [f"There is no training item {tried['number']}."]})

    @extend_schema(responses=QualificationSerializer)
    @action(detail=True)
    def qualification(self, request: Request, uuid: str) -> Response:
        """Return the progress in the qualification, and its items."""
        return Response(_qualification(self._agreed()))

    @extend_schema(request=TriedSerializer, responses=QualificationSerializer)
    @qualification.mapping.post
    def try_qualification(self, request: Request, uuid: str) -> Response:
        """Attempt the qualification with the answers to all items; a number counts once."""
        enrollment, tried = self._agreed(), self.content(TriedSerializer)
        if qualifications.qualification_step(enrollment) == "training":
            raise Conflict("Training comes first.", "training_first")
        items = _items(enrollment, Exercise.Kind.QUALIFICATION, tried["answers"])
        _check_answered(items, tried["answers"])
        values = {
            (item.exercise.pk, criterion): value
            for item in items
            for criterion, value in item.given.items()
        }
        qualifications.attempt(
            enrollment=enrollment, number=tried["number"], given=values, now=timezone.now()
        )
        enrollment.refresh_from_db()
        return Response(_qualification(enrollment))

    @extend_schema(responses=ExitQuestionToAnswerSerializer(many=True))
    @action(detail=True, url_path="exit-form", pagination_class=None)
    def exit_form(self, request: Request, uuid: str) -> Response:
        """List the questions of the exit form with your answers."""
        return Response(_exit_questions(self._finished()))

    @extend_schema(
        request=ExitAnswersToStoreSerializer, responses=ExitQuestionToAnswerSerializer(many=True)
    )
    @exit_form.mapping.put
    def store_exit_form(self, request: Request, uuid: str) -> Response:
        """Store the answers to the exit form in place of earlier ones."""
        enrollment = self._finished()
        answers = self.content(ExitAnswersToStoreSerializer)["answers"]
        questions = {
            str(question.pk): question for question in exit_forms.asked_now(enrollment.campaign)
        }
        for key, text in answers.items():
            question = questions.get(key)
            if question is None:
                raise ValidationError({f"answers.{key}": ["The exit form has no such question."]})
            if text and question.options and text not in question.options:
                options = ", ".join(question.options)
                raise ValidationError({f"answers.{key}": [f"The options are: {options}."]})
        exit_forms.store_exit_answers(
            enrollment=enrollment,
            given={int(key): text for key, text in answers.items()},
            now=timezone.now(),
        )
        return Response(_exit_questions(enrollment))

    def _agreed(self) -> Enrollment:
        enrollment: Enrollment = self.enrollment()
        if needs_consent(enrollment):
            raise Conflict("Read the consent text of the campaign, and agree to it first.")
        return enrollment

    def _finished(self) -> Enrollment:
        enrollment = self._agreed()
        if not exit_forms.is_open(enrollment):
            raise Http404
        return enrollment


def _items(enrollment: Enrollment, kind: str, answers: Mapping[str, int]) -> list[AnsweredItem]:
    campaign: Campaign = enrollment.campaign
    words = criteria_in_language(campaign)
    return [
        AnsweredItem.of(exercise, keys, words, answers)
        for exercise, keys in qualifications.keys_of(campaign, kind)
    ]


def _check_answered(items: list[AnsweredItem], answers: Mapping[str, int]) -> None:
    """Raise ValidationError for controls without an answer on their scale, and for names that are
    no controls."""
    names = {control.name for item in items for control in item.criteria(is_sent=False)}
    problems = {
        f"answers.{name}": ["An answer on the scale is required."]
        for item in items
        for name in item.missing
    }
    problems |= {f"answers.{name}": ["There is no such control."] for name in set(answers) - names}
    if problems:
        raise ValidationError(problems)


def _qualification(enrollment: Enrollment) -> dict[str, Any]:
    standing = qualifications.qualification_standing(enrollment)
    is_open = standing.outcome == "open"
    shown = {
        "outcome": standing.outcome,
        "next": standing.next,
        "left": standing.left,
        "pass_mark": enrollment.campaign.pass_mark,
        "items": _items(enrollment, Exercise.Kind.QUALIFICATION, {}) if is_open else [],
    }
    return QualificationSerializer(shown).data


def _exit_questions(enrollment: Enrollment) -> Any:
    texts = dict(enrollment.exit_answers.values_list("question", "text"))
    questions = list(exit_forms.asked_now(enrollment.campaign))
    for question in questions:
        question.answer = texts.get(question.pk, "")
    return ExitQuestionToAnswerSerializer(questions, many=True).data
