"""Annotators who judged a study although they could have known its systems, or have read others'
judgments.

Pages name no system to a user who judges the dataset, and do not let that user adjudicate
(`judging.campaigns.guards.judges_now`). So a right granted by another user shows an annotator something only
if it existed before the annotator began, or while the study was closed in between. Without this
limit any user who has the file could incriminate an honest annotator, by granting a right on a
dataset of their own. An annotator's own acts count up to the last judgment: exports stay open to
staff who judge. If the time of a right or an act is not known, it counts.
"""

from collections.abc import Collection as Group
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Max, Min, Q

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion, Membership
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset, DatasetShare
from judging.datasets.models.same_content import shared_content_since
from judging.jobs.models.job import Job
from judging.people.models.event import Event
from judging.quality.models.adjudication import SettledValue
from judging.work.models.judgment import Judgment

STAFF = (Membership.Role.MANAGER, Membership.Role.ANALYST)
# exports that do not show which system wrote a question
PLAIN = Q(about__in=["history.csv", "top-ups.csv"]) | Q(about__startswith="preregistration.")


@dataclass(frozen=True, slots=True)
class Sight:
    """A right or act that let an account see systems: since when (None if unknown), in which
    dataset, and whether by the account's own act."""

    who: int | None
    where: int
    at: datetime | None
    own: bool = False


@dataclass(frozen=True, slots=True)
class MainAnnotator:
    """An annotator of the main round: the time of the last judgment, and the start of the unbroken
    period up to it in which pages were closed to them: those of the study's dataset, and others."""

    label: str
    user: int
    last: datetime
    closed_here: datetime
    closed_elsewhere: datetime


class SharedMaterial:
    """The datasets with a study's material, and all studies of them, including deleted studies."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self.since = shared_content_since(campaign.dataset_id)
        self.names = {f"dataset {pk}": pk for pk in self.since}
        made = Event.objects.filter(act=Event.Act.CAMPAIGN_MADE, about__in=self.names)
        self.studies: dict[UUID | None, int] = {
            uuid: self.names[about] for uuid, about in made.values_list("campaign", "about")
        }
        standing = Campaign.objects.filter(dataset__in=self.since)
        self.studies |= dict(standing.values_list("uuid", "dataset"))
        self.standing: dict[UUID | None, int] = dict(standing.values_list("uuid", "pk"))

    def shown(self, sight: Sight, annotator: MainAnnotator) -> bool:
        """Return whether this let an annotator see systems before the last judgment."""
        came, both = self.since[sight.where]
        at = sight.at
        if at is None:
            return True
        if sight.own and (came is None or came <= at):
            return at <= annotator.last
        if both and both > annotator.last:
            return False  # the judged material was not in the dataset yet
        at = max(at, came) if came else at  # the file was added later, by any account
        here = sight.where == self.campaign.dataset_id
        closed = annotator.closed_here if here else annotator.closed_elsewhere
        return at < (max(closed, both) if both else closed)


def unblinded(campaign: Campaign) -> list[str]:
    """Return the annotators of the main round who could see questions with their systems: managers
    and analysts of any study of the material, and owners and users of any dataset that holds it.

    Ended roles and deleted studies or datasets leave no row, but the history names their holders.
    Before the history began, a holder is known as the creator or from a deviation or exclusion.
    """
    material = SharedMaterial(campaign)
    return _labels(material, [*_rights(material), *_deeds(material), *_undated(campaign)])


def read_others(campaign: Campaign) -> list[str]:
    """Return the annotators of the main round who had already seen others' judgments, as
    adjudicators of a closed study of the dataset."""
    material = SharedMaterial(campaign)
    told = Event.objects.filter(campaign__in=material.studies)
    closed = told.filter(act=Event.Act.CAMPAIGN_CLOSED).values_list("campaign").annotate(Min("at"))
    first_closed = dict(closed.order_by())
    named = told.filter(act=Event.Act.ADJUDICATOR_NAMED, campaign__in=first_closed)
    shown: dict[UUID | None, list[Sight]] = {}
    for study, about, at in named.values_list("campaign", "about", "at"):
        sight = Sight(_number(about), material.studies[study], max(at, first_closed[study]))
        shown.setdefault(study, []).append(sight)
    settled = SettledValue.objects.filter(campaign__dataset__in=material.since)
    for study, who, at in settled.values_list("campaign__uuid", "settled_by", "settled_at"):
        shown.setdefault(study, []).append(Sight(who, material.studies[study], at, own=True))
    annotators = _annotators(campaign, {each.who for sights in shown.values() for each in sights})
    return sorted(
        annotator.label
        for annotator in annotators
        if any(
            any(each.who == annotator.user and material.shown(each, annotator) for each in sights)
            and _was_judged(material, study, annotator)
            for study, sights in shown.items()
        )
    )


def _was_judged(material: SharedMaterial, study: UUID | None, annotator: MainAnnotator) -> bool:
    """Return whether a study had judgments of others before the annotator's last judgment here;
    also true if judgments of that study may have been deleted."""
    acts = [Event.Act.ERASED, Event.Act.FILE_TAKEN_BACK]
    removed = Event.objects.filter(campaign=study, act__in=acts).exclude(before="0 judgments")
    if study not in material.standing or removed.exists():
        return True
    others = Q(assignment__enrollment__user=None) | ~Q(assignment__enrollment__user=annotator.user)
    said = Judgment.objects.filter(assignment__round__campaign=material.standing[study])
    return said.filter(others, created_at__lt=annotator.last).exists()


def _labels(material: SharedMaterial, sights: Group[Sight]) -> list[str]:
    annotators = _annotators(material.campaign, {each.who for each in sights})
    return sorted(
        annotator.label
        for annotator in annotators
        if any(each.who == annotator.user and material.shown(each, annotator) for each in sights)
    )


def _number(name: str) -> int:
    """Return the account that an event names."""
    return int(name.removeprefix("account "))


def _rights(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the rights that accounts were granted: roles in studies and use of datasets, including
    ended ones."""
    roles = Membership.objects.filter(campaign__dataset__in=material.since, role__in=STAFF)
    for who, where, at in roles.values_list("user", "campaign__dataset", "created_at"):
        yield Sight(who, where, at)
    shares = DatasetShare.objects.filter(dataset__in=material.since)
    for who, where, at in shares.values_list("user", "dataset", "created_at"):
        yield Sight(who, where, at)
    given = Event.objects.filter(
        act=Event.Act.ROLE_GIVEN, campaign__in=material.studies, after__in=STAFF
    )
    for study, about, by, at in given.values_list("campaign", "about", "who", "at"):
        yield Sight(_number(about), material.studies[study], at, own=by == _number(about))
    lent = Event.objects.filter(
        act__in=[Event.Act.DATASET_SHARED, Event.Act.DATASET_HANDED_OVER],
        about__in=material.names,
    )
    for about, after, by, at in lent.values_list("about", "after", "who", "at"):
        yield Sight(_number(after), material.names[about], at, own=by == _number(after))


def _deeds(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the acts of accounts that show the systems or require knowledge of the file."""
    yield from _brought(material)
    # the copy of a dry run belongs to its draft's creator, whichever account started the dry run
    made = Campaign.objects.filter(dataset__in=material.since, dry_run__isnull=True)
    for who, where, at in made.values_list("created_by", "dataset", "created_at"):
        yield Sight(who, where, at, own=True)
    acts = [Event.Act.CAMPAIGN_MADE, Event.Act.DATASET_DEGRADED]
    acted = Event.objects.filter(act__in=acts, about__in=material.names)
    for by, about, at in acted.values_list("who", "about", "at"):
        yield Sight(by, material.names[about], at, own=True)
    taken = Event.objects.filter(act=Event.Act.EXPORTED, campaign__in=material.studies)
    for by, study, at in taken.exclude(PLAIN).values_list("who", "campaign", "at"):
        yield Sight(by, material.studies[study], at, own=True)
    runs = Job.objects.filter(kind="analysis.run", campaign__dataset__in=material.since)
    for who, where, at in runs.values_list("created_by", "campaign__dataset", "created_at"):
        yield Sight(who, where, at, own=True)


def _brought(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the accounts that created a dataset or added files to it. An account that owns, hands
    over or deletes a dataset has created it, unless it was handed over to that account."""
    added = AddedFile.objects.filter(dataset__in=material.since, added_at__isnull=False)
    for who, where, at in added.values_list("added_by", "dataset", "uploaded_at"):
        yield Sight(who, where, at, own=True)
    standing = Dataset.objects.filter(pk__in=material.since)
    made_at = {}
    owners: list[tuple[int, int]] = []  # in the order of time
    for where, who, at in standing.values_list("pk", "owner", "created_at"):
        made_at[where] = at
        owners.append((where, who))
    told = Event.objects.filter(
        act__in=[Event.Act.DATASET_HANDED_OVER, Event.Act.DATASET_DELETED],
        about__in=material.names,
    )
    received: set[tuple[int, int | None]] = set()
    for act, about, before, after, by in told.order_by("pk").values_list(
        "act", "about", "before", "after", "who"
    ):
        where = material.names[about]
        is_deleted = act == Event.Act.DATASET_DELETED
        maker = by if is_deleted else _number(before)
        if (where, maker) not in received:
            yield Sight(maker, where, made_at.get(where), own=True)
        if not is_deleted:
            received.add((where, _number(after)))
    for where, who in owners:
        if (where, who) not in received:
            yield Sight(who, where, made_at[where], own=True)


def _undated(campaign: Campaign) -> Iterator[Sight]:
    """Yield the managers of the study that are known only by their acts in it, without a date."""
    managed = {*campaign.deviations.values_list("made_by", flat=True)}
    excluding = Exclusion.objects.filter(enrollment__campaign=campaign)
    for pair in excluding.values_list("excluded_by", "lifted_by"):
        managed |= {who for who in pair if who}
    staff = campaign.memberships.filter(role__in=STAFF)
    given = Event.objects.filter(
        act=Event.Act.ROLE_GIVEN, campaign=campaign.uuid, after__in=STAFF
    ).values_list("about", flat=True)
    dated = {*staff.values_list("user", flat=True), *map(_number, given), campaign.created_by_id}
    for who in managed - dated:
        yield Sight(who, campaign.dataset_id, None, own=True)


def _annotators(campaign: Campaign, users: Group[int | None]) -> Iterator[MainAnnotator]:
    """Yield those of the accounts that submitted an assignment of the main round."""
    submitted = Assignment.objects.filter(
        round__campaign=campaign,
        round__kind="main",
        state__in=["submitted", "extra"],
        enrollment__user__in=users,
    )
    last = {
        pk: max(each for each in times if each)
        for pk, *times in submitted.values_list("enrollment").annotate(
            Max("submitted_at"), Max("judgments__created_at")
        )
    }
    named = campaign.memberships.filter(role=Membership.Role.ANNOTATOR)
    roles = dict(named.values_list("user", "created_at"))
    handed_over = Event.objects.filter(
        act=Event.Act.DATASET_HANDED_OVER, about=f"dataset {campaign.dataset_id}"
    ).values_list("after", flat=True)
    owners = {campaign.dataset.owner_id, *map(_number, handed_over)}
    own = Enrollment.objects.filter(pk__in=last).annotate(held=Min("assignments__held_at"))
    held = dict(own.values_list("pk", "held"))
    for each in own:
        joined, role = each.created_at, roles.get(each.user_id or 0)
        begun = [each.consented_at, held[each.pk], joined if each.invitation_id else None]
        signs = [max(at, joined) for at in begun if at]
        elsewhere = [*signs, max(role, joined)] if role else signs
        # a role granted by others does not close a dataset to its owner
        here = [*signs, role] if role and each.user_id not in owners else elsewhere
        until = last[each.pk]
        again = _closed_again(campaign, until)
        yield MainAnnotator(
            label=each.label,
            user=each.user_id or 0,
            last=until,
            closed_here=max(filter(None, [min(here, default=until), again])),
            closed_elsewhere=max(filter(None, [min(elsewhere, default=until), again])),
        )


def _closed_again(campaign: Campaign, until: datetime) -> datetime | None:
    """Return since when, without a gap until ``until``, pages were closed again to annotators after
    the study's end had opened them; None if it had not ended before ``until``.

    A study ends when it is closed, or when its creator's use of the dataset ends. Judgments
    submitted after that were made with open pages.
    """
    own = Event.objects.filter(campaign=campaign.uuid)
    ended = Event.objects.filter(
        act=Event.Act.DATASET_ENDED,
        about=f"dataset {campaign.dataset_id}",
        before=f"account {campaign.created_by_id}",
    )
    ends = (own.filter(act=Event.Act.CAMPAIGN_CLOSED) | ended).filter(at__lt=until)
    times = [*ends.values_list("at", flat=True)]
    if campaign.closed_at and campaign.closed_at < until:
        times.append(campaign.closed_at)
    if times:
        opened = own.filter(act=Event.Act.CAMPAIGN_OPENED, at__gt=max(times), at__lt=until)
        return opened.aggregate(first=Min("at"))["first"] or until
    if campaign.locked_at and not own.filter(act=Event.Act.CAMPAIGN_LOCKED).exists():
        # the study is older than the history, which may lack an earlier end
        first = Event.objects.order_by("pk").values_list("at", flat=True).first()
        return min(first, until) if first else until
    return None
