"""Campaigns: a dataset judged under a protocol and a design, through its states."""

import uuid
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Count, Exists, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce, Left

from judging.base.models.conditions import PageView

if TYPE_CHECKING:
    from judging.people.models.user import User


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: "User") -> "CampaignQuerySet":
        """Campaigns in which the user has a manager's or an analyst's role, and that are rightful
        for the user."""
        roles = user.memberships.staff()
        return self.rightful(user).filter(pk__in=roles.values("campaign"))

    def rightful(self, user: "User") -> "CampaignQuerySet":
        """Campaigns whose creator still has a right to the dataset, and all those about a dataset
        that the user owns."""
        return self.filter(_in_use() | Q(dataset__owner=user))

    def in_use(self) -> "CampaignQuerySet":
        """Campaigns whose creator still has a right to the dataset."""
        return self.filter(_in_use())

    def listed(self) -> "CampaignQuerySet":
        """Campaigns without their long texts, for lists: hundreds with them would fill the memory
        of a process."""
        return self.defer(*self.model.UNLISTED)

    def with_places(self) -> "CampaignQuerySet":
        """Campaigns with how many places their main round has, and how many are filled or held."""
        return self.annotate(
            places=_places(), filled=_places(state="submitted"), held=_places(state="held")
        )


def _in_use() -> Q:
    from judging.datasets.models.dataset import DatasetShare

    shared = DatasetShare.objects.filter(dataset=OuterRef("dataset"), user=OuterRef("created_by"))
    return Q(dataset__owner=models.F("created_by")) | Q(Exists(shared))


def _places(**only: str) -> Coalesce:
    """Count a campaign's places in a subquery, so that joins do not multiply the counts."""
    from judging.campaigns.models.assignment import Assignment

    wanted = {
        "round__campaign": OuterRef("pk"),
        "round__kind": "main",
        "state__in": ["open", "held", "submitted"],
    } | only
    counted = (
        Assignment.objects.filter(**wanted)
        .order_by()
        .values("round__campaign")
        .annotate(n=Count("pk"))
    )
    return Coalesce(Subquery(counted.values("n")), 0)


RETENTION_DAYS_UP_TO = 3_650  # days: ten years
SHOWN_OF_CHANGE = 500  # characters of a text before and after a change; downloads contain all
LEASE_MINUTES_UP_TO = 7 * 24 * 60  # minutes: a week
HEX_OF_256_BITS = "^[0-9a-f]{64}$"


class Campaign(models.Model):
    """A study. MOVES maps each state to the states that may follow it."""

    UNLISTED = (  # long columns that no list shows
        "translated_texts",
        "introduction",
        "consent",
        "analysis_plan",
        "sample_reason",
        "selection",
        "quality",
        "locked_plan",
        "protocol__document",
        "dataset__mapping",
    )

    class State(models.TextChoices):
        DRAFT = "draft", "draft"
        LOCKED = "locked", "locked"
        OPEN = "open", "open"
        PAUSED = "paused", "paused"
        CLOSED = "closed", "closed"
        ARCHIVED = "archived", "archived"

    MOVES = {
        State.DRAFT: {State.LOCKED},
        State.LOCKED: {State.OPEN, State.ARCHIVED},
        State.OPEN: {State.PAUSED, State.CLOSED},
        State.PAUSED: {State.OPEN, State.CLOSED},
        State.CLOSED: {State.OPEN, State.ARCHIVED},
        State.ARCHIVED: {State.CLOSED},
    }

    class Origin(models.TextChoices):
        JUDGED = "judged", "judged here"
        IMPORTED = "imported", "imported ratings"
        SIMULATED = "simulated", "simulated annotators"

    class Order(models.TextChoices):
        DEPTH = "depth", "depth first: finish tasks one after the other"
        BREADTH = "breadth", "breadth first: one annotator on everything, then the next"
        PANEL = (
            "panel",
            "rotated panel: each annotator meets each source once, with the systems in turn",
        )

    uuid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    title = models.CharField(max_length=200)
    dataset = models.ForeignKey(
        "judging.Dataset", on_delete=models.PROTECT, related_name="campaigns"
    )
    protocol = models.ForeignKey(
        "judging.Protocol", on_delete=models.PROTECT, related_name="campaigns"
    )
    state = models.CharField(max_length=8, choices=State.choices, default=State.DRAFT)
    origin = models.CharField(max_length=9, choices=Origin.choices, default=Origin.JUDGED)
    annotators_per_task = models.PositiveSmallIntegerField(
        default=3, validators=[MinValueValidator(1)]
    )
    tasks_per_annotator = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="At most; none where there is no limit.",
    )
    order = models.CharField(max_length=7, choices=Order.choices, default=Order.DEPTH)
    secret = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="256 bits from which every order is drawn, in hex.",
    )
    secret_revealed_at = models.DateTimeField(null=True, blank=True, editable=False)
    lease_minutes = models.PositiveIntegerField(
        default=120, validators=[MinValueValidator(1), MaxValueValidator(LEASE_MINUTES_UP_TO)]
    )
    selection = models.JSONField(
        default=dict,
        blank=True,
        help_text="Which part of the dataset is judged; empty for all of it.",
    )
    trains = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Whether there are training items.",
    )
    qualifies = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text="Whether there are qualification items.",
    )
    pass_mark = models.PositiveSmallIntegerField(
        default=80,
        db_default=80,
        validators=[MinValueValidator(1), MaxValueValidator(100)],
        help_text="Per cent of the qualification's answers that must be right.",
    )
    tries = models.PositiveSmallIntegerField(
        default=2,
        db_default=2,
        validators=[MinValueValidator(1), MaxValueValidator(10)],
        help_text="How often an annotator may try the qualification.",
    )
    qualification_paid = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the time of the qualification is paid, passed or not.",
    )
    guideline_version = models.PositiveSmallIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Which version of its own decisions; 0 where it has none.",
    )
    fixed_language = models.CharField(
        max_length=10,
        blank=True,
        default="",
        db_default="",
        help_text="The language of the annotators' pages; empty if annotators choose.",
    )
    fixed_view = models.CharField(
        max_length=5,
        choices=PageView.choices,
        blank=True,
        default="",
        db_default="",
        help_text="How tasks are laid out; empty if annotators choose.",
    )
    review_before_submit = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Whether annotators see all answers of a task before they submit it.",
    )
    review_is_optional = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether annotators may switch the review off after three tasks.",
    )
    highlight_keywords = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the words of a question are highlighted in its passage.",
    )
    time_zone = models.CharField(max_length=60, default="UTC")
    introduction = models.TextField(blank=True, help_text="What annotators read before they begin.")
    consent = models.TextField(
        blank=True, help_text="What annotators agree to; they tick it before the first task."
    )
    text_language = models.CharField(
        max_length=10,
        default="en",
        db_default="en",
        help_text="The language in which introduction, consent and pay were first written.",
    )
    translated_texts = models.JSONField(
        default=dict,
        blank=True,
        help_text="Introduction, consent and pay in other languages: judging.campaigns.campaign_texts.",
    )
    contact = models.CharField(max_length=200, blank=True)
    ethics = models.CharField(
        max_length=200,
        blank=True,
        help_text="Which body approved the study, with its number; or that none did.",
    )
    withdrawal = models.BooleanField(
        default=False,
        help_text="Annotators may erase what they did themselves, until the campaign is closed.",
    )
    analysis_plan = models.TextField(
        blank=True, help_text="What will be compared, written before the lock."
    )
    sample_reason = models.TextField(
        blank=True, help_text="Why so many questions and annotators, written before."
    )
    hypotheses = models.JSONField(
        default=dict,
        blank=True,
        help_text="The declarations of the plan: judging.campaigns.hypotheses.",
    )
    retention_days = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1), MaxValueValidator(RETENTION_DAYS_UP_TO)],
        help_text="So long after closing the accounts of annotators without a password are forgotten; empty: never.",
    )
    pay = models.CharField(max_length=300, blank=True, help_text="What annotators get, in words.")
    quality = models.JSONField(
        default=dict,
        blank=True,
        help_text="Checks, thresholds of flags and exclusion rules: judging.quality.quality.",
    )
    checked = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether its plan puts in tasks that check how annotators work.",
    )
    rate = models.JSONField(
        default=dict,
        blank=True,
        help_text="Planned pay: amount, currency, minutes a task, floor an hour.",
    )
    reproduces = models.ForeignKey(
        "self",
        on_delete=models.PROTECT,
        related_name="reproductions",
        null=True,
        blank=True,
        editable=False,
        help_text="The closed study that this one repeats with other annotators.",
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    locked_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    locked_plan = models.JSONField(
        null=True, blank=True, help_text="What was locked: protocol, design, texts, file hash."
    )
    locked_digest = models.CharField(max_length=64, blank=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "locked", "open", "paused", "closed", "archived"]),
                name="campaign_state",
            ),
            models.CheckConstraint(
                condition=Q(annotators_per_task__gte=1), name="campaign_annotators_per_task"
            ),
            models.CheckConstraint(
                condition=Q(tasks_per_annotator__isnull=True) | Q(tasks_per_annotator__gte=1),
                name="campaign_tasks_per_annotator",
            ),
            models.CheckConstraint(
                condition=Q(lease_minutes__gte=1, lease_minutes__lte=LEASE_MINUTES_UP_TO),
                name="campaign_lease",
            ),
            models.CheckConstraint(
                condition=Q(
                    state="draft",
                    locked_at__isnull=True,
                    locked_plan__isnull=True,
                    locked_digest="",
                )
                | (
                    ~Q(state="draft")
                    & Q(locked_at__isnull=False, locked_plan__isnull=False)
                    & ~Q(locked_digest="")
                ),
                name="campaign_locked_has_plan",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "closed", "archived"])
                | Q(secret__regex=HEX_OF_256_BITS),
                name="campaign_running_has_secret",
            ),
            models.CheckConstraint(
                condition=Q(secret_revealed_at__isnull=True) | Q(state__in=["closed", "archived"]),
                name="campaign_revealed_is_closed",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def step(self) -> int:
        """The step it has reached: 1 draft, 2 locked, 3 open or paused, 4 closed or archived."""
        return {"draft": 1, "locked": 2, "open": 3, "paused": 3}.get(self.state, 4)


class DeviationQuerySet(models.QuerySet["Deviation"]):
    def shortened(self) -> "DeviationQuerySet":
        """Deviations with the beginnings of their texts only, as pages and reports show them: each
        may contain a whole consent text before and after."""
        return self.defer("before", "after").annotate(
            before_begins=Left("before", SHOWN_OF_CHANGE + 1),
            after_begins=Left("after", SHOWN_OF_CHANGE + 1),
        )


class Deviation(models.Model):
    """A change after the plan was locked; the report lists them."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="deviations")
    what = models.CharField(max_length=100)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    made_at = models.DateTimeField()

    objects = DeviationQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "made_at", "id"]

    def __str__(self) -> str:
        return f"{self.what}: {self.before} to {self.after}"


class RoundQuerySet(models.QuerySet["Round"]):
    def trials(self) -> "RoundQuerySet":
        """Pilot and calibration rounds, which are judged before the main one and never count in
        it."""
        return self.exclude(kind__in=["main", "checks"])

    def running(self) -> "RoundQuerySet":
        """Rounds that were opened and not closed since."""
        return self.filter(opened_at__isnull=False, closed_at__isnull=True)


class Round(models.Model):
    """A part of a campaign, opened and closed by itself; its tasks and places are made when it
    opens."""

    class Kind(models.TextChoices):
        MAIN = "main", "main"
        PILOT = "pilot", "pilot"
        CALIBRATION = "calibration", "calibration"
        TRAINING = "training", "training"
        CHECKS = "checks", "checks"

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="rounds")
    kind = models.CharField(max_length=11, choices=Kind.choices, default=Kind.MAIN)
    number = models.PositiveSmallIntegerField(default=1)
    annotators_per_task = models.PositiveSmallIntegerField(
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Where it is not as the campaign plans.",
    )
    apart = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether the main round leaves out the sources judged here.",
    )
    opened_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)

    objects = RoundQuerySet.as_manager()

    class Meta:
        ordering = ["campaign", "id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "kind", "number"], name="round_once"),
            models.UniqueConstraint(
                fields=["campaign"], condition=Q(kind="main"), name="round_one_main"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(opened_at__isnull=False),
                name="round_closes_after_opening",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}"

    @property
    def per_task(self) -> int:
        """Return how many annotators judge each of its tasks."""
        return self.annotators_per_task or self.campaign.annotators_per_task


class TaskQuerySet(models.QuerySet["Task"]):
    def with_source(self) -> "TaskQuerySet":
        """Tasks with the first source that they are about, whose page has the texts."""
        units = TaskUnit.objects.filter(task=OuterRef("pk")).order_by("pk")
        return self.annotate(source=Subquery(units.values("unit__question_set__source")[:1]))


class Task(models.Model):
    """The units that one screen shows."""

    round = models.ForeignKey(Round, on_delete=models.PROTECT, related_name="tasks", db_index=False)
    number = models.PositiveIntegerField()

    objects = TaskQuerySet.as_manager()

    class Meta:
        ordering = ["round", "number"]
        constraints = [models.UniqueConstraint(fields=["round", "number"], name="task_number")]

    def __str__(self) -> str:
        return f"task {self.number}"


class TasksInOrder:
    """The tasks of some rounds as a sequence from which a page takes a few.

    A round's tasks are numbered from 1 without a gap, so a page asks for numbers: no task is counted
    or skipped in a query, however many there are.
    """

    def __init__(self, rounds: models.QuerySet[Round]) -> None:
        last = rounds.annotate(
            last=Subquery(
                Task.objects.filter(round=OuterRef("pk")).order_by("-number").values("number")[:1]
            )
        )
        self._rounds = [(each, each.last or 0) for each in last.order_by("pk")]

    def __len__(self) -> int:
        return sum(last for _round, last in self._rounds)

    def __getitem__(self, wanted: slice) -> list[Task]:
        first, end = wanted.start or 0, len(self) if wanted.stop is None else wanted.stop
        found: list[Task] = []
        for round, last in self._rounds:
            numbers = (max(first, 0) + 1, min(end, last))
            if numbers[0] <= numbers[1]:
                own = Task.objects.filter(round=round, number__range=numbers)
                found += own.with_source().select_related("round").order_by("number")
            first, end = first - last, end - last
        return _with_places(found)


def _with_places(tasks: list[Task]) -> list[Task]:
    """Add how many places each task has, and how many are filled or held. One statement counts all
    states, so that the database reads places by task, whichever state it expects to be rarest."""
    from judging.campaigns.models.assignment import Assignment

    places = Assignment.objects.filter(task__in=tasks, state__in=["open", "held", "submitted"])
    counts: dict[int, dict[str, int]] = {}
    for task, state, number in places.values_list("task", "state").annotate(n=Count("pk")):
        counts.setdefault(task, {})[state] = number
    for each in tasks:
        own = counts.get(each.pk, {})
        filled, held = own.get("submitted", 0), own.get("held", 0)
        vars(each).update(places=sum(own.values()), filled=filled, held=held)
    return tasks


class TaskUnit(models.Model):
    """A unit on a task's screen, with systems in a drawn order; each annotator sees an order of
    their own."""

    task = models.ForeignKey(
        Task, on_delete=models.PROTECT, related_name="task_units", db_index=False
    )
    unit = models.ForeignKey("judging.Unit", on_delete=models.PROTECT, related_name="task_units")
    position = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "unit"], name="task_unit_once"),
            models.UniqueConstraint(fields=["task", "position"], name="task_unit_position"),
        ]

    def __str__(self) -> str:
        return f"{self.task}: {self.unit}"
