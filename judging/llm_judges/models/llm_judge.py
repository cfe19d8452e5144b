"""LLM judges and their judgments, which are stored separately from annotators' judgments; see ADR
22."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from judging.base.models.constraints import CompositeForeignKey

# Replaces a rationale or a raw answer that is stored with the first of the judgments of the same
# judge, unit and repeat: one row of a table may give fifty criteria a value for the same reason. No
# stored text equals it, because it is stripped from texts.
SAME_TEXT = "\x1f"


class LLMJudge(models.Model):
    """A model with its prompt: it has no account and no enrollment, and never counts among
    annotators."""

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="llm_judges"
    )
    name = models.CharField(max_length=100)
    model = models.CharField(max_length=200, help_text="The model's id as its maker writes it.")
    version = models.CharField(
        max_length=200, blank=True, help_text="Release, revision or date of the weights."
    )
    prompt = models.TextField(blank=True, help_text="The instruction, word for word.")
    prompt_sha256 = models.CharField(max_length=64, blank=True)
    temperature = models.FloatField(null=True, blank=True)
    judged_on = models.DateField(null=True, blank=True)
    cost = models.DecimalField(max_digits=20, decimal_places=10, null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    own_systems = models.JSONField(
        default=list, blank=True, help_text="Systems of the judge's own model family."
    )
    file = models.ForeignKey(
        "judging.StoredFile", on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    file_name = models.CharField(max_length=255, blank=True)
    problems = models.JSONField(
        default=list, blank=True, help_text="Rows and values that could not be taken, and why."
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["campaign", "id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="llm_judge_name"),
            models.CheckConstraint(condition=~Q(name="") & ~Q(model=""), name="llm_judge_has_name"),
            models.CheckConstraint(
                condition=Q(prompt="") ^ ~Q(prompt_sha256=""), name="llm_judge_prompt_hash"
            ),
            models.CheckConstraint(
                condition=Q(temperature__isnull=True) | Q(temperature__gte=0),
                name="llm_judge_temperature",
            ),
            models.CheckConstraint(
                condition=Q(cost__isnull=True) | Q(cost__gte=0), name="llm_judge_cost"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LLMJudgment(models.Model):
    """One value that an LLM judge gave a unit on a criterion; if it is asked again, the value has
    the next repeat."""

    judge = models.ForeignKey(
        LLMJudge, on_delete=models.CASCADE, related_name="judgments", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="llm_judgments")
    criterion = models.ForeignKey(
        "judging.Criterion", on_delete=models.PROTECT, related_name="+", db_index=False
    )
    value = models.SmallIntegerField()
    point = models.ForeignObject(
        "judging.ScalePoint",
        on_delete=models.PROTECT,
        from_fields=["criterion", "value"],
        to_fields=["criterion", "value"],
        related_name="+",
    )
    repeat = models.PositiveSmallIntegerField(default=1)
    place = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        help_text="Where the question stood among those that were shown together; none where alone.",
    )
    rationale = models.TextField(blank=True)
    raw = models.TextField(blank=True, help_text="The answer as it came.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "unit", "criterion", "repeat"], name="llm_judgment_once"
            ),
            models.CheckConstraint(condition=Q(repeat__gte=1), name="llm_judgment_repeat"),
            CompositeForeignKey(
                name="llm_judgment_value_on_scale",
                fields=("criterion", "value"),
                to="judging.ScalePoint",
                to_fields=("criterion", "value"),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion_id}: {self.value}"


class JudgeKey(models.Model):
    """The key of a judge's address while a job asks it, encrypted with the site's key.

    A trigger removes it when the job ends, however it ends (migration 0300).
    """

    job = models.OneToOneField(
        "judging.Job", on_delete=models.CASCADE, primary_key=True, related_name="judge_key"
    )
    sealed = models.TextField()

    def __str__(self) -> str:
        return f"key of job {self.job_id}"
