"""Roles in campaigns, invitations, and annotators' enrollments."""

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils.crypto import salted_hmac

from judging.people.models.user import new_nonce, token_digest


class MembershipQuerySet(models.QuerySet["Membership"]):
    def staff(self) -> "MembershipQuerySet":
        """Managers' and analysts' roles; in the copy of a dry run only those that are given in its
        draft too."""
        in_draft = Membership.objects.filter(
            campaign=OuterRef("campaign__dry_run__draft"),
            user=OuterRef("user"),
            role=OuterRef("role"),
        )
        return self.filter(
            Q(campaign__dry_run__draft__isnull=True) | Exists(in_draft),
            role__in=[Membership.Role.MANAGER, Membership.Role.ANALYST],
        )

    def not_begun(self) -> "MembershipQuerySet":
        """Annotators' roles that a manager gave, while the annotator has done nothing there."""
        begun = Enrollment.objects.begun().filter(
            campaign=OuterRef("campaign"), user=OuterRef("user")
        )
        return self.filter(~Exists(begun), role=Membership.Role.ANNOTATOR)


class Membership(models.Model):
    """A user's role in a campaign."""

    class Role(models.TextChoices):
        MANAGER = "manager", "manager"
        ANALYST = "analyst", "analyst"
        ANNOTATOR = "annotator", "annotator"

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = MembershipQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "campaign", "role"], name="membership_once"),
            models.CheckConstraint(
                condition=Q(role__in=["manager", "analyst", "annotator"]), name="membership_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} as {self.role}"


class Invitation(models.Model):
    """A link by which annotators join a campaign. Roles that see judgments are given to named
    accounts only.

    The database stores a hash of the link's end. Managers can be shown the link again, because it is
    derived from a random number and the server's secret key; the database alone is not enough to
    derive it.
    """

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.CASCADE, related_name="invitations"
    )
    number = models.CharField(max_length=32, default=new_nonce, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    role = models.CharField(
        max_length=10, choices=Membership.Role.choices, default=Membership.Role.ANNOTATOR
    )
    label = models.CharField(max_length=100, blank=True)
    places = models.PositiveIntegerField(
        null=True,
        blank=True,
        default=1,
        help_text="How many may join; empty, in older links: no limit.",
    )
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(role="annotator") | Q(revoked_at__isnull=False),
                name="invitation_for_annotators",
            )
        ]

    def __str__(self) -> str:
        return self.label or f"link for {self.role}s"

    @property
    def token(self) -> str:
        """Return the end of the link; "" for an older link, or one made under a secret key that the
        site no longer has."""
        made = (
            self.end_of_link(key) for key in [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        )
        return next((each for each in made if token_digest(each) == self.digest), "")

    def end_of_link(self, key: str | None = None) -> str:
        return salted_hmac(
            "judging.invitation", self.number, secret=key, algorithm="sha256"
        ).hexdigest()[:43]


class EnrollmentQuerySet(models.QuerySet["Enrollment"]):
    def begun(self) -> "EnrollmentQuerySet":
        """Annotators who came by a link or from a platform, agreed to take part, or were given
        something to judge."""
        has_begun = Q(invitation__isnull=False) | Q(consented_at__isnull=False)
        for relation in ("assignments", "participation", "trained", "tries"):
            model: Any = self.model._meta.get_field(relation).related_model
            has_begun |= Q(Exists(model._base_manager.filter(enrollment=OuterRef("pk"))))
        return self.filter(has_begun)

    def may_judge(self) -> "EnrollmentQuerySet":
        """Annotators who have begun, and those who still may: those whose role was taken before
        they began never will."""
        role = Membership.objects.filter(
            campaign=OuterRef("campaign"), user=OuterRef("user"), role=Membership.Role.ANNOTATOR
        )
        return self.filter(Exists(role)) | self.begun()


class Enrollment(models.Model):
    """A person, or an imported rater without account, who judges in a campaign."""

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.PROTECT, related_name="enrollments"
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="enrollments",
        null=True,
        blank=True,
    )
    invitation = models.ForeignKey(
        Invitation, on_delete=models.SET_NULL, related_name="enrollments", null=True, blank=True
    )
    label = models.CharField(
        max_length=100,
        help_text="What exports and reports call this annotator: A01, or the rater's name in an imported file.",
    )
    pseudonym = models.CharField(
        max_length=64, blank=True, help_text="Keyed hash of an outside person's identity."
    )
    visitor = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="A keyed hash of where they joined from, for one day.",
    )
    twin_of = models.ForeignKey(
        "self",
        on_delete=models.SET_NULL,
        related_name="twins",
        null=True,
        blank=True,
        editable=False,
        help_text="Who joined before from the same place on the same day.",
    )
    draw_id = models.UUIDField(
        default=uuid.uuid4,
        unique=True,
        editable=False,
        help_text="What this annotator's orders are drawn for.",
    )
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    cursor = models.PositiveIntegerField(
        default=0,
        help_text="No open place before this position is for this annotator, unless it was opened again.",
    )
    cursor_round = models.ForeignKey(
        "judging.Round",
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        editable=False,
        db_index=False,
        help_text="The round the cursor is about; in any other a search begins at the start.",
    )
    consented_at = models.DateTimeField(null=True, blank=True)
    consent_digest = models.CharField(max_length=64, blank=True)
    trained_at = models.DateTimeField(null=True, blank=True)
    qualified_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="From then on they get no more tasks; what they did counts.",
    )
    at_work_until = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="Up to when their time at work was counted, for whichever task.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    objects = EnrollmentQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="enrollment_once_per_user"),
            models.UniqueConstraint(fields=["campaign", "label"], name="enrollment_label"),
            models.UniqueConstraint(
                fields=["campaign", "pseudonym"],
                condition=~Q(pseudonym=""),
                name="enrollment_pseudonym",
            ),
            models.UniqueConstraint(fields=["campaign", "seat"], name="enrollment_seat"),
            models.CheckConstraint(
                condition=Q(consented_at__isnull=True) | ~Q(consent_digest=""),
                name="enrollment_consent_names_text",
            ),
        ]

    def __str__(self) -> str:
        return self.label


class ExclusionQuerySet(models.QuerySet["Exclusion"]):
    def standing(self) -> "ExclusionQuerySet":
        """Exclusions that have not been lifted."""
        return self.filter(lifted_at__isnull=True)


class Exclusion(models.Model):
    """An annotator excluded from the analysis, with the reason; lifting it keeps the row."""

    enrollment = models.ForeignKey(Enrollment, on_delete=models.PROTECT, related_name="exclusions")
    reason = models.TextField()
    excluded_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    excluded_at = models.DateTimeField()
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", null=True, blank=True
    )
    lifted_at = models.DateTimeField(null=True, blank=True)

    objects = ExclusionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["enrollment"],
                condition=Q(lifted_at__isnull=True),
                name="exclusion_one_standing",
            ),
            models.CheckConstraint(condition=~Q(reason=""), name="exclusion_has_reason"),
            models.CheckConstraint(
                condition=Q(lifted_at__isnull=True, lifted_by__isnull=True)
                | Q(lifted_at__isnull=False, lifted_by__isnull=False),
                name="exclusion_lifted_by_someone",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.enrollment}: {self.reason}"


class Erasure(models.Model):
    """An erasure on a person's demand: counts of what was erased, but no data of the person."""

    campaign = models.ForeignKey(
        "judging.Campaign", on_delete=models.PROTECT, related_name="erasures"
    )
    label = models.CharField(max_length=100)
    counts = models.JSONField(default=dict)
    erased_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        related_name="+",
        null=True,
        blank=True,
        help_text="Nobody where the annotator withdrew.",
    )
    erased_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.label} erased"
