"""Campaigns that use a dataset: ending a use, handing a dataset over, deleting it."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q

from judging.base.actions.bulk import check_at_once
from judging.base.progress import TellProgress, ignore_progress
from judging.base.refusals import Refused
from judging.campaigns.actions import campaigns, rounds
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Membership
from judging.datasets.actions.datasets import contents, dataset_name
from judging.datasets.models.dataset import Dataset, DatasetShare
from judging.jobs import storage
from judging.jobs.models.file import StoredFile
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

DELETE = "judging.delete_dataset"  # the kind of job


class InUse(Refused):
    """Campaigns are about the dataset; `campaigns` lists them."""

    code = "in_use"

    def __init__(self, campaigns: tuple[Campaign, ...]) -> None:
        super().__init__("Campaigns are about this dataset.")
        self.campaigns = campaigns


def end_use(*, dataset: Dataset, user: User, now: datetime, by: User | None = None) -> int:
    """Take back a user's right to a dataset: their campaigns about it stop, pilots and calibrations
    too, and only the dataset's owner sees them.

    Judgments are kept. Return how many campaigns were stopped.
    """
    with transaction.atomic():
        DatasetShare.objects.filter(dataset=dataset, user=user).delete()
        theirs = dataset.campaigns.filter(created_by=user)
        # no annotator can join a simulated copy, and a job may be filling it
        running = list(
            theirs.filter(state=Campaign.State.OPEN).exclude(origin=Campaign.Origin.SIMULATED)
        )
        for each in running:
            campaigns.move_campaign(campaign=each, to=Campaign.State.PAUSED, now=now, by=by)
        trials = Round.objects.trials().running().filter(campaign__in=theirs)
        ended = list(trials.select_related("campaign"))
        for trial in ended:
            rounds.end_round(round=trial, by=by, now=now)
        history.record_event(
            Event.Act.DATASET_ENDED,
            by=by,
            about=dataset_name(dataset),
            before=history.account_name(user),
        )
    return len({each.pk for each in running} | {each.campaign_id for each in ended})


class CannotHandOver(Refused):
    """The account cannot own a dataset; the message says why."""

    code = "cannot_hand_over"


def transfer_dataset(*, dataset: Dataset, to: User, by: User | None = None) -> None:
    """Make another user the owner; the old owner may use the dataset until the new one ends that
    right."""
    with transaction.atomic():
        held = (
            Dataset.objects.select_for_update(no_key=True)
            .select_related("owner")
            .get(pk=dataset.pk)
        )
        if held.owner_id != dataset.owner_id:  # it was handed over a moment before
            raise CannotHandOver(f"{held.owner.get_username()} owns it by now.")
        if held.owner_id == to.pk:
            raise CannotHandOver(f"{to.get_username()} owns it already.")
        if not (to.is_active and to.can_create_campaigns and to.has_usable_password()):
            raise CannotHandOver(f"{to.get_username()} may not create datasets, so cannot own one.")
        DatasetShare.objects.get_or_create(dataset=held, user=held.owner)
        DatasetShare.objects.filter(dataset=held, user=to).delete()
        Dataset.objects.filter(pk=held.pk).update(owner=to)
        history.record_event(
            Event.Act.DATASET_HANDED_OVER,
            by=by,
            about=dataset_name(held),
            before=history.account_name(held.owner),
            after=history.account_name(to),
        )


def hand_over_all(*, owner: User, to: User, by: User) -> tuple[int, int]:
    """Hand over a user's datasets, and the campaigns that no other active user manages.

    Return how many of each.
    """
    with transaction.atomic():
        owned = list(owner.datasets.order_by("pk"))
        for each in owned:
            transfer_dataset(dataset=each, to=to, by=by)
        managed = Campaign.objects.filter(
            dry_run__draft__isnull=True,  # roles in dry runs follow those in their drafts
            memberships__user=owner,
            memberships__role=Membership.Role.MANAGER,
        )
        others = Membership.objects.filter(
            role=Membership.Role.MANAGER, user__is_active=True
        ).exclude(user=owner)
        left = list(managed.exclude(pk__in=others.values("campaign")).order_by("pk"))
        for campaign in left:
            campaigns.add_member(campaign=campaign, user=to, role=Membership.Role.MANAGER, by=by)
    return len(owned), len(left)


def delete_dataset(
    *, dataset: Dataset, by: User | None = None, progress: TellProgress = ignore_progress
) -> None:
    """Delete a dataset with all its rows, and its file if no other dataset uses it.

    Raises
    ------
    InUse
        If a campaign is about it.
    """
    with transaction.atomic():
        held = Dataset.objects.select_for_update().get(pk=dataset.pk)
        if about := tuple(held.campaigns.order_by("title")):
            raise InUse(about)
        check_at_once()
        for done, rows in enumerate(parts := contents(held)):
            progress(done, len(parts), f"Removing {rows.model._meta.verbose_name_plural}")
            # only rows that are deleted here refer to them; the database checks it
            rows._raw_delete(rows.db)
        files = _files_about(held)
        held.jobs.filter(finished_at__isnull=False).delete()  # their results contain its texts
        held.delete()
        for file in files:
            if not file.datasets.exists() and not file.added_files.exists():
                storage.release_file(file)
        # the file's hash identifies the dataset if another user imported the same file
        known_by = f"file {held.file_sha256}" if held.file_sha256 else ""
        history.record_event(
            Event.Act.DATASET_DELETED, by=by, about=dataset_name(dataset), before=known_by
        )


def _files_about(dataset: Dataset) -> list[StoredFile]:
    """Return the files that a dataset was imported from, and those that jobs made from it."""
    drawn = dataset.jobs.exclude(result__figures=None).values_list("result__figures", flat=True)
    made = {sha256 for figures in drawn for sha256 in figures.values()}
    theirs = Q(datasets=dataset) | Q(added_files__dataset=dataset) | Q(sha256__in=made)
    return list(StoredFile.objects.defer("content").filter(theirs).distinct())


def uses(dataset: Dataset) -> list[tuple[User, bool, list[Campaign]]]:
    """Return the users besides the owner who may use a dataset or have a campaign about it: each
    with whether they may use it, and their campaigns."""
    about = (
        dataset.campaigns.exclude(created_by=dataset.owner_id)
        .select_related("created_by")
        .listed()
        .order_by("pk")
    )
    found: dict[User, list[Campaign]] = {
        share.user: [] for share in dataset.shares.select_related("user")
    }
    allowed = set(found)
    for each in about:
        found.setdefault(each.created_by, []).append(each)
    return [(user, user in allowed, theirs) for user, theirs in found.items()]
