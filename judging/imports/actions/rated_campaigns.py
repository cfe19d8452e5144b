"""The closed campaign that holds a dataset's ratings under one protocol."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Count, Max

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign, Task
from judging.datasets.models.dataset import Dataset
from judging.people.models.user import User
from judging.protocols.models.protocol import Protocol


def find_rated_campaign(dataset: Dataset, protocol: Protocol) -> Campaign | None:
    """Return the campaign that holds the dataset's ratings under a protocol, the first if there
    are several."""
    known = dataset.campaigns.filter(protocol=protocol, origin=Campaign.Origin.IMPORTED)
    return known.order_by("pk").first()


def new_campaign(
    *, dataset: Dataset, protocol: Protocol, title: str, by: User, now: datetime
) -> Campaign:
    """Create the campaign that holds the dataset's ratings under a protocol."""
    plan = {"title": title or f"{dataset.name}: released ratings", "annotators_per_task": 1}
    return closed_campaign(dataset=dataset, protocol=protocol, plan=plan, by=by, now=now)


def closed_campaign(
    *, dataset: Dataset, protocol: Protocol, plan: Mapping[str, Any], by: User, now: datetime
) -> Campaign:
    """Create a closed campaign to hold ratings, opened and closed at the time of the import."""
    campaign = campaigns.create_campaign(
        by=by, dataset=dataset, protocol=protocol, plan=plan, origin=Campaign.Origin.IMPORTED
    )
    campaigns.lock_plan(campaign=campaign, now=now, by=by)
    for state in (Campaign.State.OPEN, Campaign.State.CLOSED):
        campaigns.move_campaign(campaign=campaign, to=state, now=now, by=by)
    campaign.rounds.update(opened_at=now, closed_at=now)
    return campaign


def count_annotators(campaign: Campaign) -> None:
    """Store in the campaign's plan the largest number of annotators of any of its tasks."""
    counted = Task.objects.filter(round__campaign=campaign).annotate(n=Count("assignments"))
    most = counted.aggregate(most=Max("n"))["most"] or 1
    Campaign.objects.filter(pk=campaign.pk).update(annotators_per_task=most)
    campaign.annotators_per_task = most


def campaign_of_means(
    *, dataset: Dataset, protocol: Protocol, title: str, by: User, now: datetime
) -> Campaign:
    """Return the closed campaign that represents a dataset's means of ratings that were not
    released, so that they can be analysed; create it if there is none. No annotator judges in it."""
    if known := find_rated_campaign(dataset, protocol):
        return known
    plan = {"title": title, "annotators_per_task": 1}
    return closed_campaign(dataset=dataset, protocol=protocol, plan=plan, by=by, now=now)
