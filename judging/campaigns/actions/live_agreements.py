"""The agreement on a campaign's overview: asking a worker to compute it, and showing it.

Annotators' submissions ask for it. While a campaign runs, agreement may tempt its managers to stop
early, so the history notes who looked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max

from judging.campaigns.guards import judges_now
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.campaigns.models.members import Enrollment
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.people.actions import history
from judging.people.models.event import Event
from judging.people.models.user import User

PAUSE = timedelta(minutes=1)  # between the starts of two computations for a campaign
# Krippendorff's for tentative conclusions; protocols declare none of their own
THRESHOLD = 0.667
RUNNING = (Campaign.State.OPEN, Campaign.State.PAUSED)


def request_agreement(campaign: Campaign) -> None:
    """Have a worker compute agreement after this transaction. At most one job of a campaign waits;
    it starts a minute after the last one started."""
    transaction.on_commit(partial(_enqueue, campaign), robust=True)


def _enqueue(campaign: Campaign) -> None:
    own = campaign.jobs.filter(kind=jobs.LIVE_AGREEMENT)
    if own.filter(state=Job.State.QUEUED, attempts=0).exists():
        return
    last = own.aggregate(last=Max("started_at"))["last"]
    job = Job(
        kind=jobs.LIVE_AGREEMENT,
        created_by_id=campaign.created_by_id,
        campaign=campaign,
        not_before=last + PAUSE if last else None,
    )
    # another submission may queue its job at this moment: a constraint admits one
    Job.objects.bulk_create([job], ignore_conflicts=True)
    jobs.notify()


def forget_pairs(campaign: Campaign) -> None:
    """Delete the agreement of pairs of annotators, because one of them is erased; compute it
    again."""
    campaign.live_agreements.update(pairs=[])
    request_agreement(campaign)


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators, the share of equal ratings on the same items, and the number of these."""

    first: str
    second: str
    share: float
    n: int


@dataclass(frozen=True, slots=True)
class DisputedItem:
    """A unit with its source, and the mean squared distance of two annotators from 0 to 1."""

    unit: int
    source: int
    source_key: str
    disagreement: float


@dataclass(frozen=True, slots=True)
class ShownAgreement:
    """A campaign's agreement as its overview shows it. `criteria` by key: alpha, its interval, and
    why there is none; `over_time` by key: moments and alphas."""

    at: datetime
    criteria: Mapping[str, Mapping[str, Any]]
    over_time: Mapping[str, Sequence[tuple[datetime, float]]]
    pairs: Sequence[AnnotatorPair]
    items: Sequence[DisputedItem]


def look_at_agreement(*, campaign: Campaign, by: User, now: datetime) -> ShownAgreement | None:
    """Return the agreement computed last, and note that the user looked at it; None if there is
    none, or if the user judges the dataset."""
    computed = list(campaign.live_agreements.all())
    if not computed or judges_now(by, campaign.dataset):
        return None
    if any("value" in alpha for alpha in computed[-1].criteria.values()):
        note_look(campaign=campaign, by=by, now=now)
    return _shown(computed)


def has_disputes(campaign: Campaign) -> bool:
    """Return whether annotators were found to disagree on an item."""
    newest = campaign.live_agreements.last()
    return newest is not None and bool(newest.items)


def note_look(*, campaign: Campaign, by: User, now: datetime) -> None:
    """Note, once a day, that a user looked at agreement before the campaign was closed."""
    if campaign.state not in RUNNING or campaign.origin != Campaign.Origin.JUDGED:
        return
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    looks = Event.objects.of_campaign(campaign.uuid).filter(act=Event.Act.AGREEMENT_SEEN)
    if not looks.filter(who=by.pk, at__gte=midnight).exists():
        history.record_event(Event.Act.AGREEMENT_SEEN, by=by, campaign=campaign)


def count_looks(campaign: Campaign) -> int:
    """Return how many users looked at agreement before the campaign was closed."""
    looks = Event.objects.of_campaign(campaign.uuid).filter(act=Event.Act.AGREEMENT_SEEN)
    return looks.values("who").distinct().count()


def _shown(computed: Sequence[LiveAgreement]) -> ShownAgreement:
    newest = computed[-1]
    over_time: dict[str, list[tuple[datetime, float]]] = {}
    for row in computed:
        for key, alpha in row.criteria.items():
            if "value" in alpha:
                over_time.setdefault(key, []).append((row.computed_at, alpha["value"]))
    labels = dict(Enrollment.objects.filter(campaign=newest.campaign_id).values_list("pk", "label"))
    pairs = [
        AnnotatorPair(
            labels[pair["first"]], labels[pair["second"]], pair["equal"] / pair["n"], pair["n"]
        )
        for pair in newest.pairs
        if pair["first"] in labels and pair["second"] in labels
    ]
    return ShownAgreement(
        at=newest.computed_at,
        criteria=newest.criteria,
        over_time=over_time,
        pairs=pairs,
        items=[DisputedItem(**item) for item in newest.items],
    )
