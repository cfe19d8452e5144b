"""Annotators who judged a study although they could have known its systems, or have read others'
judgments.

Pages name no system to a user who judges the dataset, and do not let that user adjudicate
(`judging.campaigns.guards.judges_now`). So a right granted by another user shows an annotator something only
if it existed before the annotator began, or while the study was closed in between. Without this
limit any user who has the file could incriminate an honest annotator, by granting a right on a
dataset of their own. An annotator's own acts count up to the last judgment: exports stay open to
staff who judge. If the time of a right or an act is not known, it counts.
"""

from collections import defaultdict
from collections.abc import Collection as Group
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Max, Min, Q
from django.db.models.functions import Greatest

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
    sights = _adjudications(material)
    users = {sight.who for by_study in sights.values() for sight in by_study}
    return sorted(
        annotator.label
        for annotator in _annotators(campaign, users)
        if any(
            _saw(material, sights[study], annotator) and _was_judged(material, study, annotator)
            for study in sights
        )
    )


def _adjudications(material: SharedMaterial) -> dict[UUID | None, list[Sight]]:
    """Return the adjudicators of each closed study, from when they could read its judgments."""
    events = Event.objects.filter(campaign__in=material.studies)
    closed = events.filter(act=Event.Act.CAMPAIGN_CLOSED).values_list("campaign")
    first_closed = dict(closed.annotate(Min("at")).order_by())
    sights: defaultdict[UUID | None, list[Sight]] = defaultdict(list)
    named = events.filter(act=Event.Act.ADJUDICATOR_NAMED, campaign__in=first_closed)
    for study, about, at in named.values_list("campaign", "about", "at"):
        since = max(at, first_closed[study])
        sights[study].append(Sight(_number(about), material.studies[study], since))
    ratings = SettledValue.objects.filter(campaign__dataset__in=material.since)
    for study, who, at in ratings.values_list("campaign__uuid", "settled_by", "settled_at"):
        sights[study].append(Sight(who, material.studies[study], at, own=True))
    return sights


def _saw(material: SharedMaterial, sights: Group[Sight], annotator: MainAnnotator) -> bool:
    """Return whether one of these let an annotator see systems before the last judgment."""
    return any(sight.who == annotator.user and material.shown(sight, annotator) for sight in sights)


def _was_judged(material: SharedMaterial, study: UUID | None, annotator: MainAnnotator) -> bool:
    """Return whether a study had judgments of others before the annotator's last judgment here;
    also true if judgments of that study may have been deleted."""
    acts = [Event.Act.ERASED, Event.Act.FILE_TAKEN_BACK]
    removed = Event.objects.filter(campaign=study, act__in=acts).exclude(before="0 judgments")
    if study not in material.standing or removed.exists():
        return True
    others = Q(assignment__enrollment__user=None) | ~Q(assignment__enrollment__user=annotator.user)
    judgments = Judgment.objects.filter(assignment__round__campaign=material.standing[study])
    return judgments.filter(others, created_at__lt=annotator.last).exists()


def _labels(material: SharedMaterial, sights: Group[Sight]) -> list[str]:
    annotators = _annotators(material.campaign, {sight.who for sight in sights})
    return sorted(annotator.label for annotator in annotators if _saw(material, sights, annotator))


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
    granted = Event.objects.filter(
        act=Event.Act.ROLE_GIVEN, campaign__in=material.studies, after__in=STAFF
    )
    for study, about, by, at in granted.values_list("campaign", "about", "who", "at"):
        yield Sight(_number(about), material.studies[study], at, own=by == _number(about))
    shared = Event.objects.filter(
        act__in=[Event.Act.DATASET_SHARED, Event.Act.DATASET_HANDED_OVER],
        about__in=material.names,
    )
    for about, after, by, at in shared.values_list("about", "after", "who", "at"):
        yield Sight(_number(after), material.names[about], at, own=by == _number(after))


def _deeds(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the acts of accounts that show the systems or require knowledge of the file."""
    yield from _added_files(material)
    yield from _created_datasets(material)
    # the copy of a dry run belongs to its draft's creator, whichever account started the dry run
    made = Campaign.objects.filter(dataset__in=material.since, dry_run__isnull=True)
    for who, where, at in made.values_list("created_by", "dataset", "created_at"):
        yield Sight(who, where, at, own=True)
    acts = [Event.Act.CAMPAIGN_MADE, Event.Act.DATASET_DEGRADED]
    made_or_degraded = Event.objects.filter(act__in=acts, about__in=material.names)
    for by, about, at in made_or_degraded.values_list("who", "about", "at"):
        yield Sight(by, material.names[about], at, own=True)
    exports = Event.objects.filter(act=Event.Act.EXPORTED, campaign__in=material.studies)
    for by, study, at in exports.exclude(PLAIN).values_list("who", "campaign", "at"):
        yield Sight(by, material.studies[study], at, own=True)
    runs = Job.objects.filter(kind="analysis.run", campaign__dataset__in=material.since)
    for who, where, at in runs.values_list("created_by", "campaign__dataset", "created_at"):
        yield Sight(who, where, at, own=True)


def _added_files(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the accounts that added files to a dataset."""
    added = AddedFile.objects.filter(dataset__in=material.since, added_at__isnull=False)
    for who, where, at in added.values_list("added_by", "dataset", "uploaded_at"):
        yield Sight(who, where, at, own=True)


def _created_datasets(material: SharedMaterial) -> Iterator[Sight]:
    """Yield the accounts that created a dataset: those that own, hand over or delete one, unless it
    was handed over to them."""
    standing = Dataset.objects.filter(pk__in=material.since)
    owners = list(standing.values_list("pk", "owner", "created_at"))
    created_at = {where: at for where, _owner, at in owners}
    events = Event.objects.filter(
        act__in=[Event.Act.DATASET_HANDED_OVER, Event.Act.DATASET_DELETED],
        about__in=material.names,
    ).order_by("pk")
    received: set[tuple[int, int | None]] = set()
    for event in events:
        where = material.names[event.about]
        is_deleted = event.act == Event.Act.DATASET_DELETED
        holder = event.who if is_deleted else _number(event.before)
        if (where, holder) not in received:
            yield Sight(holder, where, created_at.get(where), own=True)
        if not is_deleted:
            received.add((where, _number(event.after)))
    for where, owner, at in owners:
        if (where, owner) not in received:
            yield Sight(owner, where, at, own=True)


def _undated(campaign: Campaign) -> Iterator[Sight]:
    """Yield the managers of the study that are known only by their acts in it, without a date."""
    managed = {*campaign.deviations.values_list("made_by", flat=True)}
    excluding = Exclusion.objects.filter(enrollment__campaign=campaign)
    for pair in excluding.values_list("excluded_by", "lifted_by"):
        managed |= {who for who in pair if who}
    staff = campaign.memberships.filter(role__in=STAFF)
    granted = Event.objects.filter(
        act=Event.Act.ROLE_GIVEN, campaign=campaign.uuid, after__in=STAFF
    ).values_list("about", flat=True)
    dated = {*staff.values_list("user", flat=True), *map(_number, granted), campaign.created_by_id}
    for who in managed - dated:
        yield Sight(who, campaign.dataset_id, None, own=True)


def _annotators(campaign: Campaign, users: Group[int | None]) -> Iterator[MainAnnotator]:
    """Yield those of the accounts that submitted an assignment of the main round."""
    last = _last_judgments(campaign, users)
    members = campaign.memberships.filter(role=Membership.Role.ANNOTATOR)
    roles = dict(members.values_list("user", "created_at"))
    owners = _owners(campaign)
    enrollments = Enrollment.objects.filter(pk__in=last)
    began = enrollments.annotate(at=Min("assignments__held_at"))
    first_held = dict(began.values_list("pk", "at"))
    for enrollment in enrollments:
        joined, user = enrollment.created_at, enrollment.user_id or 0
        acts = [
            enrollment.consented_at,
            first_held[enrollment.pk],
            joined if enrollment.invitation_id else None,
        ]
        begun = [max(at, joined) for at in acts if at]
        role = roles.get(user)
        elsewhere = [*begun, max(role, joined)] if role else begun
        # a role granted by others does not close a dataset to its owner
        here = [*begun, role] if role and user not in owners else elsewhere
        until = last[enrollment.pk]
        closed_again = _closed_again(campaign, until) or datetime.min.replace(tzinfo=UTC)
        yield MainAnnotator(
            label=enrollment.label,
            user=user,
            last=until,
            closed_here=max(min(here, default=until), closed_again),
            closed_elsewhere=max(min(elsewhere, default=until), closed_again),
        )


def _last_judgments(campaign: Campaign, users: Group[int | None]) -> dict[int, datetime]:
    """Return when each of the accounts judged last in the main round, by the enrollment's key."""
    submitted = Assignment.objects.filter(
        round__campaign=campaign,
        round__kind="main",
        state__in=["submitted", "extra"],
        enrollment__user__in=users,
    )
    times = submitted.values_list("enrollment").annotate(
        last=Greatest(Max("submitted_at"), Max("judgments__created_at"))
    )
    return dict(times)


def _owners(campaign: Campaign) -> set[int]:
    """Return the accounts that own, or have owned, the study's dataset."""
    handed_over = Event.objects.filter(
        act=Event.Act.DATASET_HANDED_OVER, about=f"dataset {campaign.dataset_id}"
    )
    received = map(_number, handed_over.values_list("after", flat=True))
    return {campaign.dataset.owner_id, *received}


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
