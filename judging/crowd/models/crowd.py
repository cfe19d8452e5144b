"""Participants whom a crowd platform sends: the platform's settings, who came, and how it ended."""

import secrets

from django.db import models
from django.db.models import Q


def new_key() -> str:
    """Return a random end for the study's address to which a platform sends participants."""
    return secrets.token_hex(12)


class CrowdPlatform(models.Model):
    """The crowd platform of a campaign. Its secrets are encrypted, and never shown again."""

    class Kind(models.TextChoices):
        PROLIFIC = "prolific", "Prolific"
        CONNECT = "connect", "Connect"
        SONA = "sona", "SONA"
        GENERIC = "generic", "another platform"

    campaign = models.OneToOneField(
        "judging.Campaign", on_delete=models.CASCADE, related_name="platform"
    )
    key = models.CharField(max_length=32, unique=True, default=new_key, editable=False)
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PROLIFIC)
    person_param = models.CharField(max_length=40)
    study_param = models.CharField(max_length=40, blank=True)
    session_param = models.CharField(max_length=40, blank=True)
    return_template = models.CharField(max_length=300, blank=True, help_text="With {code} in it.")
    codes = models.JSONField(default=dict, help_text="The completion code of each end.")
    minutes = models.PositiveIntegerField(
        default=90, help_text="How long a share of the work is kept for whoever came."
    )
    signed = models.BooleanField(
        default=False, help_text="Only links that the platform signed count."
    )
    studies = models.JSONField(
        default=list,
        blank=True,
        help_text="The platform's ids of the studies that lead here; the first signed link fills it.",
    )
    keys_url = models.CharField(max_length=300, blank=True)
    audience = models.CharField(max_length=200, blank=True)
    keys = models.JSONField(
        null=True, blank=True, editable=False, help_text="The public keys last read."
    )
    keys_at = models.DateTimeField(null=True, blank=True, editable=False)
    webhook_secret = models.TextField(blank=True, editable=False, help_text="Encrypted.")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["prolific", "connect", "sona", "generic"]),
                name="crowd_platform_kind",
            ),
            models.CheckConstraint(
                condition=~Q(person_param=""), name="crowd_platform_names_person"
            ),
            models.CheckConstraint(condition=Q(minutes__gte=5), name="crowd_platform_minutes"),
            models.CheckConstraint(
                condition=Q(signed=False) | (~Q(keys_url="") & ~Q(audience="")),
                name="crowd_platform_signed_has_keys",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} for {self.campaign_id}"


TURNED_AWAY = Q(end="quota_full", enrollment__isnull=True)


class ParticipationQuerySet(models.QuerySet["Participation"]):
    def under_way(self) -> "ParticipationQuerySet":
        """Participations with a reserved share of the work."""
        return self.filter(reserved_until__isnull=False)

    def turned_away(self) -> "ParticipationQuerySet":
        """Submissions that found everything taken: the participant may come with another one."""
        return self.filter(TURNED_AWAY)

    def of_people(self) -> "ParticipationQuerySet":
        """All other participations, of which each participant has at most one."""
        return self.exclude(TURNED_AWAY)


class Participation(models.Model):
    """A participant whom a crowd platform sent: once in a campaign, whatever they open and how often.
    Submissions of theirs that found everything taken have further rows, as their code may be claimed.

    The participant's id is a keyed hash. Participants who declined, and submissions that found
    everything taken, have no enrollment.
    """

    class End(models.TextChoices):
        COMPLETED = "completed", "completed"
        NO_CONSENT = "no_consent", "no consent"
        SCREENED_OUT = "screened_out", "screened out"
        FAILED_CHECKS = "failed_checks", "failed checks"
        QUOTA_FULL = "quota_full", "quota full"
        TIMED_OUT = "timed_out", "timed out"

    class Left(models.TextChoices):
        RETURNED = "returned", "returned on the platform"
        TIMED_OUT = "timed_out", "timed out on the platform"
        REJECTED = "rejected", "rejected on the platform"
        EXPIRED = "expired", "too long without an end"

    platform = models.ForeignKey(
        CrowdPlatform, on_delete=models.CASCADE, related_name="participations"
    )
    enrollment = models.OneToOneField(
        "judging.Enrollment",
        on_delete=models.CASCADE,
        related_name="participation",
        null=True,
        blank=True,
    )
    round = models.ForeignKey(
        "judging.Round",
        on_delete=models.CASCADE,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    person = models.CharField(max_length=64, editable=False)
    session = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="The platform's submission they are at, hashed.",
    )
    share = models.PositiveIntegerField(default=0, help_text="How many tasks are theirs in all.")
    came_at = models.DateTimeField()
    reserved_until = models.DateTimeField(null=True, blank=True)
    left = models.CharField(max_length=9, choices=Left.choices, blank=True)
    left_at = models.DateTimeField(null=True, blank=True)
    end = models.CharField(max_length=13, choices=End.choices, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = ParticipationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["platform", "person"], condition=~TURNED_AWAY, name="participation_once"
            ),
            models.UniqueConstraint(
                fields=["platform", "person", "session"],
                condition=TURNED_AWAY,
                name="participation_turned_away_once",
            ),
            models.CheckConstraint(
                condition=Q(end="", ended_at__isnull=True)
                | (
                    Q(
                        end__in=[
                            "completed",
                            "no_consent",
                            "screened_out",
                            "failed_checks",
                            "quota_full",
                            "timed_out",
                        ],
                        ended_at__isnull=False,
                    )
                ),
                name="participation_end",
            ),
            models.CheckConstraint(
                condition=Q(left="", left_at__isnull=True)
                | Q(
                    left__in=["returned", "timed_out", "rejected", "expired"], left_at__isnull=False
                ),
                name="participation_left",
            ),
            models.CheckConstraint(
                condition=Q(reserved_until__isnull=True)
                | Q(enrollment__isnull=False, round__isnull=False, end="", left=""),
                name="participation_reserves_for_somebody",
            ),
        ]
        indexes = [
            models.Index(
                fields=["reserved_until"],
                condition=Q(reserved_until__isnull=False),
                name="participation_reserved",
            ),
            models.Index(fields=["platform", "session"], name="participation_session"),
        ]

    def __str__(self) -> str:
        return self.end or self.left or "under way"


class CrowdEvent(models.Model):
    """An event that a platform reported by a signed request, stored once; its ids are hashed."""

    platform = models.ForeignKey(CrowdPlatform, on_delete=models.CASCADE, related_name="events")
    participation = models.ForeignKey(
        Participation, on_delete=models.CASCADE, related_name="events", null=True, blank=True
    )
    event = models.CharField(max_length=64, editable=False, help_text="Hash of the event's id.")
    signature = models.CharField(max_length=64, editable=False, help_text="Hash of its signature.")
    session = models.CharField(max_length=64, blank=True, editable=False)
    kind = models.CharField(max_length=60)
    status = models.CharField(max_length=30, blank=True)
    freed = models.BooleanField(default=False, help_text="Whether it freed what was reserved.")
    sent_at = models.DateTimeField()
    received_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["platform", "event"], name="crowd_event_once"),
            models.UniqueConstraint(fields=["platform", "signature"], name="crowd_event_sent_once"),
        ]
        indexes = [models.Index(fields=["platform", "session"], name="crowd_event_session")]

    def __str__(self) -> str:
        return f"{self.kind} {self.status}".strip()
