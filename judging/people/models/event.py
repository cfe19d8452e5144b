"""The history: what users and commands did. Events are only added, each sealed with the hash of the
one before.

An event names people by the id of their account or by their label in a study, and never by what
`erase` removes, so a person can be erased while the chain holds.
"""

import uuid

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class EventQuerySet(models.QuerySet["Event"]):
    def of_campaign(self, campaign: uuid.UUID) -> "EventQuerySet":
        return self.filter(campaign=campaign)

    def sealed(self) -> "EventQuerySet":
        """Events in the order of their chain, with their seals."""
        return self.select_related("seal").order_by("seal__position")


class Event(models.Model):
    """One act, stored in the transaction of the act itself."""

    class Act(models.TextChoices):
        LOGGED_IN = "log_in", _("logged in")
        LOG_IN_FAILED = "log_in.failed", _("log-in failed")
        LOGGED_OUT = "log_out.everywhere", _("logged out everywhere")
        PASSWORD_LINK = "password.link", _("password link made")
        PASSWORD_CHANGED = "password.changed", _("password changed")
        SECOND_FACTOR_ON = "two_factor.on", _("second factor turned on")
        SECOND_FACTOR_OFF = "two_factor.off", _("second factor turned off")
        RECOVERY_CODE_USED = "two_factor.recovery", _("recovery code used")
        KEY_MADE = "key.made", _("API token created")
        KEY_REVOKED = "key.revoked", _("API token revoked")
        ACCOUNT_MADE = "account.made", _("account made")
        RIGHTS_CHANGED = "account.rights", _("rights of an account changed")
        CAMPAIGN_MADE = "campaign.made", _("campaign made")
        CAMPAIGN_COPIED = "campaign.copied", _("copy of a campaign planned")
        REPRODUCTION_MADE = "campaign.reproduction", _("reproduction of a study planned")
        CAMPAIGN_LOCKED = "campaign.locked", _("plan locked")
        CAMPAIGN_OPENED = "campaign.open", _("campaign opened")
        CAMPAIGN_PAUSED = "campaign.paused", _("campaign paused")
        CAMPAIGN_CLOSED = "campaign.closed", _("campaign closed")
        CAMPAIGN_ARCHIVED = "campaign.archived", _("campaign archived")
        CAMPAIGN_DISCARDED = "campaign.discarded", _("draft deleted")
        DEVIATED = "campaign.deviation", _("changed after the lock")
        EXIT_FORM_CHANGED = "exit_form.changed", _("exit form changed")
        DRY_RUN_MADE = "dry_run.made", _("tried with simulated annotators")
        DRY_RUN_REMOVED = "dry_run.removed", _("dry run deleted")
        AGREEMENT_SEEN = "campaign.agreement", _("agreement looked at before the end")
        DRAWS_REVEALED = "campaign.draws", _("secret of the draws revealed")
        ROUND_OPENED = "round.opened", _("round opened")
        ROUND_CLOSED = "round.closed", _("round closed")
        GUIDELINE_DECIDED = "guideline.decided", _("decisions of the guideline written")
        EXERCISE_ADDED = "exercise.added", _("training or qualification item added")
        EXERCISE_REMOVED = "exercise.removed", _("training or qualification item removed")
        KEY_MENDED = "exercise.key", _("key of a qualification item corrected")
        ROLE_GIVEN = "role.given", _("role given")
        ROLE_TAKEN = "role.taken", _("role taken away")
        LINK_MADE = "link.made", _("invitation link made")
        LINK_REVOKED = "link.revoked", _("invitation link revoked")
        LINK_UNDONE = "link.undone", _("what came by a link undone")
        DECLINED = "annotator.declined", _("annotator declined")
        EXCLUDED = "annotator.excluded", _("annotator left out")
        READMITTED = "annotator.readmitted", _("annotator taken back in")
        PLACES_REOPENED = "places.reopened", _("assignments of excluded annotators given out again")
        GOLD_CHANGED = "check.gold", _("accepted values of a gold question changed")
        CHECK_RETIRED = "check.retired", _("check taken out")
        AUTHOR_NOTED = "annotator.author", _("systems of an annotator's own noted")
        ADJUDICATOR_NAMED = "adjudication.named", _("named who settles values")
        VALUE_SETTLED = "adjudication.settled", _("value settled")
        SEAT_FREED = "annotator.seat", _("seat freed")
        CROWD_CHANGED = "crowd.changed", _("crowd platform changed")
        CROWD_LEFT = "crowd.left", _("left on the crowd platform")
        WEBHOOK_ADDED = "webhook.added", _("webhook added")
        WEBHOOK_CHANGED = "webhook.changed", _("webhook changed")
        WEBHOOK_DELETED = "webhook.deleted", _("webhook deleted")
        FORGOTTEN = "annotators.forgotten", _("annotators' accounts forgotten, as planned")
        ERASED = "annotator.erased", _("annotator erased")
        EXPORTED = "export", _("exported")
        KEY_ROTATED = "site.key", _("secret key of the site changed")
        BACKED_UP = "site.backup", _("site saved")
        RESTORED = "site.restored", _("site restored")
        DATASET_SHARED = "dataset.shared", _("use of a dataset allowed")
        DATASET_ENDED = "dataset.ended", _("use of a dataset ended")
        DATASET_HANDED_OVER = "dataset.handed_over", _("dataset handed over")
        DATASET_DEGRADED = "dataset.degraded", _("degraded copy of a dataset made")
        DATASET_DELETED = "dataset.deleted", _("dataset deleted")
        FILE_ADDED = "file.added", _("file added to a dataset")
        FILE_TAKEN_BACK = "file.taken_back", _("file taken back")
        FILE_IDS = "file.ids", _("ids behind a file's labels handed out")
        SYSTEMS_CHANGED = "dataset.systems", _("systems renamed or merged")
        SCORES_REMOVED = "dataset.scores", _("computed scores removed")
        MACHINE_JUDGE_ADDED = "llm_judge.added", _("LLM judge added")
        MACHINE_JUDGE_ASKED = "llm_judge.asked", _("LLM judge asked")
        MACHINE_JUDGE_REMOVED = "llm_judge.removed", _("LLM judge removed")

    at = models.DateTimeField(db_default=Now(), editable=False)
    who = models.BigIntegerField(
        null=True,
        editable=False,
        help_text="The id of the account that acted; none where nobody was logged in.",
    )
    act = models.CharField(max_length=40, editable=False)
    campaign = models.UUIDField(
        null=True, editable=False, help_text="The campaign's uuid, which outlasts a draft."
    )
    about = models.CharField(
        max_length=120, blank=True, editable=False, help_text="What was acted on: account 7, A03."
    )
    before = models.CharField(max_length=200, blank=True, editable=False)
    after = models.CharField(max_length=200, blank=True, editable=False)

    objects = EventQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["campaign", "id"],
                condition=Q(campaign__isnull=False),
                name="event_of_campaign",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.about}".strip()

    @property
    def name(self) -> str:
        """Return the act in words. An erasure without an acting account is the annotator's own."""
        if self.act == self.Act.ERASED and self.who is None:
            return str(_("annotator withdrew"))
        return str(self.Act(self.act).label) if self.act in self.Act.values else self.act


class EventSeal(models.Model):
    """An event's position in the chain. Only a trigger can write it, when the event's transaction
    commits."""

    event = models.OneToOneField(
        Event,
        on_delete=models.DO_NOTHING,
        primary_key=True,
        related_name="seal",
        db_constraint=False,
        editable=False,
    )
    position = models.BigIntegerField(unique=True, editable=False)
    previous = models.CharField(max_length=64, unique=True, editable=False)
    digest = models.CharField(max_length=64, unique=True, editable=False)

    def __str__(self) -> str:
        return f"{self.position}: {self.digest}"
