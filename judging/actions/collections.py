"""Datasets (collections): sharing them, handing them over, quarantining rows, and deleting."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from judging import storage
from judging.actions import campaigns, history, rounds
from judging.actions.bulk import check_at_once
from judging.actions.rounds import TellProgress, silent
from judging.imports.frames import Problem
from judging.limits import MAX_NAME_CHARACTERS
from judging.models import (
    AddedFile,
    Attribute,
    Campaign,
    Collection,
    CollectionShare,
    Event,
    FilledBlank,
    Membership,
    Metric,
    Quarantine,
    Question,
    QuestionSet,
    Reference,
    Round,
    Score,
    StoredFile,
    Unit,
    User,
)
from judging.refusals import InvalidInput, Refused

DELETE = "judging.delete_collection"  # the kind of job
LARGE = 20_000  # slots and sets; above that, removing them is a job with progress
SetPair = tuple[str, str]
Put = Callable[[type[Model], tuple[str, ...], Iterable[tuple[object, ...]]], None]


class InUse(Refused):
    """Campaigns are about the dataset; `campaigns` lists them."""

    code = "in_use"

    def __init__(self, campaigns: tuple[Campaign, ...]) -> None:
        super().__init__("Campaigns are about this dataset.")
        self.campaigns = campaigns


def share(*, collection: Collection, user: User, by: User | None = None) -> CollectionShare:
    """Give a user the right to read a dataset and to plan campaigns about it."""
    if user.pk == collection.owner_id:
        raise InvalidInput("This user owns the dataset.", field="username")
    with transaction.atomic():
        right, new = CollectionShare.objects.get_or_create(collection=collection, user=user)
        if new:
            history.note(
                Event.Act.COLLECTION_SHARED,
                by=by,
                about=name_of(collection),
                after=history.account(user),
            )
    return right


def name_of(collection: Collection) -> str:
    """Return the name of a collection for events."""
    return f"collection {collection.pk}"


def end_use(*, collection: Collection, user: User, now: datetime, by: User | None = None) -> int:
    """Take back a user's right to a dataset: their campaigns about it stop, pilots and calibrations
    too, and only the dataset's owner sees them.

    Judgments are kept. Return how many campaigns were stopped.
    """
    with transaction.atomic():
        CollectionShare.objects.filter(collection=collection, user=user).delete()
        theirs = collection.campaigns.filter(created_by=user)
        # no annotator can join a simulated copy, and a job may be filling it
        running = list(
            theirs.filter(state=Campaign.State.OPEN).exclude(origin=Campaign.Origin.SIMULATED)
        )
        for each in running:
            campaigns.move(campaign=each, to=Campaign.State.PAUSED, now=now, by=by)
        trials = Round.objects.trials().running().filter(campaign__in=theirs)
        ended = list(trials.select_related("campaign"))
        for trial in ended:
            rounds.end(round=trial, by=by, now=now)
        history.note(
            Event.Act.COLLECTION_ENDED,
            by=by,
            about=name_of(collection),
            before=history.account(user),
        )
    return len({each.pk for each in running} | {each.campaign_id for each in ended})


def quarantine(
    *, collection: Collection, problems: Iterable[Problem], added_file: AddedFile | None = None
) -> int:
    """Store what could not be imported: row, column, value and reason of each; return how many."""
    rows = [
        Quarantine(
            collection=collection,
            row=problem.row,
            column=problem.column[:MAX_NAME_CHARACTERS],
            value=problem.value,
            reason=problem.reason,
            added_file=added_file,
        )
        for problem in problems
    ]
    return len(Quarantine.objects.bulk_create(rows, batch_size=1_000))


class CannotHandOver(Refused):
    """The account cannot own a collection; the message says why."""

    code = "cannot_hand_over"


def hand_over(*, collection: Collection, to: User, by: User | None = None) -> None:
    """Make another user the owner; the old owner may use the dataset until the new one ends that
    right."""
    with transaction.atomic():
        held = (
            Collection.objects.select_for_update(no_key=True)
            .select_related("owner")
            .get(pk=collection.pk)
        )
        if held.owner_id != collection.owner_id:  # it was handed over a moment before
            raise CannotHandOver(f"{held.owner.get_username()} owns it by now.")
        if held.owner_id == to.pk:
            raise CannotHandOver(f"{to.get_username()} owns it already.")
        if not (to.is_active and to.can_create_campaigns and to.has_usable_password()):
            raise CannotHandOver(f"{to.get_username()} may not create datasets, so cannot own one.")
        CollectionShare.objects.get_or_create(collection=held, user=held.owner)
        CollectionShare.objects.filter(collection=held, user=to).delete()
        Collection.objects.filter(pk=held.pk).update(owner=to)
        history.note(
            Event.Act.COLLECTION_HANDED_OVER,
            by=by,
            about=name_of(held),
            before=history.account(held.owner),
            after=history.account(to),
        )


def hand_over_all(*, owner: User, to: User, by: User) -> tuple[int, int]:
    """Hand over a user's datasets, and the campaigns that no other active user manages.

    Return how many of each.
    """
    with transaction.atomic():
        owned = list(owner.collections.order_by("pk"))
        for each in owned:
            hand_over(collection=each, to=to, by=by)
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


def delete(
    *, collection: Collection, by: User | None = None, progress: TellProgress = silent
) -> None:
    """Delete a dataset with all its rows, and its file if no other dataset uses it.

    Raises
    ------
    InUse
        If a campaign is about it.
    """
    with transaction.atomic():
        held = Collection.objects.select_for_update().get(pk=collection.pk)
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
            if not file.collections.exists() and not file.added_files.exists():
                storage.let_go(file)
        # the file's hash identifies the dataset if another user imported the same file
        known_by = f"file {held.file_sha256}" if held.file_sha256 else ""
        history.note(
            Event.Act.COLLECTION_DELETED, by=by, about=name_of(collection), before=known_by
        )


def _files_about(collection: Collection) -> list[StoredFile]:
    """Return the files that a dataset was imported from, and those that jobs made from it."""
    drawn = collection.jobs.exclude(result__figures=None).values_list("result__figures", flat=True)
    made = {sha256 for figures in drawn for sha256 in figures.values()}
    theirs = Q(collections=collection) | Q(added_files__collection=collection) | Q(sha256__in=made)
    return list(StoredFile.objects.defer("content").filter(theirs).distinct())


def is_slow_to_delete(collection: Collection) -> bool:
    """Return whether deleting a dataset takes so long that a job does it."""
    units = Unit.objects.filter(question_set__source__collection=collection)
    return not collection.campaigns.exists() and units.count() > LARGE


def uses(collection: Collection) -> list[tuple[User, bool, list[Campaign]]]:
    """Return the users besides the owner who may use a dataset or have a campaign about it: each
    with whether they may use it, and their campaigns."""
    about = (
        collection.campaigns.exclude(created_by=collection.owner_id)
        .select_related("created_by")
        .listed()
        .order_by("pk")
    )
    found: dict[User, list[Campaign]] = {
        each.user: [] for each in collection.shares.select_related("user")
    }
    allowed = set(found)
    for each in about:
        found.setdefault(each.created_by, []).append(each)
    return [(user, user in allowed, theirs) for user, theirs in found.items()]


def remove_scores(*, metric: Metric, by: User) -> None:
    """Delete a metric with all its scores."""
    with transaction.atomic():
        scores = Score.objects.filter(metric=metric)
        scores._raw_delete(scores.db)
        about, name = name_of(metric.collection), metric.name
        history.note(Event.Act.SCORES_REMOVED, by=by, about=about, before=name)
        metric.delete()


def contents(collection: Collection) -> tuple[QuerySet[Any], ...]:
    """Return all rows of a dataset, in an order in which they can be deleted."""
    sets = {"question_set__source__collection": collection}
    units = {f"unit__{path}": value for path, value in sets.items()}
    return (
        Score.objects.filter(metric__collection=collection),
        Attribute.objects.filter(**units),
        Question.objects.filter(**units),
        Unit.objects.filter(**sets),
        QuestionSet.objects.filter(source__collection=collection),
        Reference.objects.filter(source__collection=collection),
        FilledBlank.objects.filter(source__collection=collection),
        collection.sources.all(),
        collection.passages.all(),
        collection.systems.all(),
        collection.metrics.all(),
        collection.quarantine.all(),
    )
