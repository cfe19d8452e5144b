"""The exit form: optional questions to annotators after their last task, and their answers, which are
separate from judgments."""

from django.db import models
from django.db.models import Q


class ExitQuestion(models.Model):
    """A question of a campaign's exit form, with the reason for it, which annotators read."""

    class Kind(models.TextChoices):
        TEXT = "text", "free text"
        CHOICE = "choice", "one of several"

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="exit_questions", db_index=False
    )
    number = models.PositiveSmallIntegerField()
    text = models.CharField(max_length=300)
    kind = models.CharField(max_length=6, choices=Kind.choices, default=Kind.TEXT)
    options = models.JSONField(default=list, blank=True)
    reason = models.CharField(max_length=300, help_text="Why it is asked.")
    personal = models.BooleanField(
        default=False,
        help_text="Whether it is about the person: then answers are never shown beside a label.",
    )

    class Meta:
        ordering = ["campaign", "number"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "number"], name="exit_question_number"),
            models.CheckConstraint(
                condition=~Q(text="") & ~Q(reason=""), name="exit_question_has_reason"
            ),
            models.CheckConstraint(
                condition=Q(kind="text") | Q(kind="choice"), name="exit_question_kind"
            ),
        ]

    def __str__(self) -> str:
        return self.text


class ExitAnswer(models.Model):
    """An annotator's answer to a question; it is deleted with the annotator."""

    question = models.ForeignKey(ExitQuestion, on_delete=models.CASCADE, related_name="answers")
    enrollment = models.ForeignKey(
        "judging.Enrollment", on_delete=models.CASCADE, related_name="exit_answers", db_index=False
    )
    text = models.TextField()
    answered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["enrollment", "question"], name="exit_answer_once"),
            models.CheckConstraint(condition=~Q(text=""), name="exit_answer_not_empty"),
        ]

    def __str__(self) -> str:
        return self.text[:60]
