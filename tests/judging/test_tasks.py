"""What the queue may ask of the ground, without a queue: what cannot be done says why."""

import pytest
from django.utils import timezone

from judging import tasks
from judging.actions import campaigns, jobs, snapshots
from judging.models import Campaign, Snapshot
from tests import factories

pytestmark = pytest.mark.django_db


def at_work(campaign: Campaign) -> jobs.Work:
    job = jobs.enqueue(
        kind="judging.launch", parameters={}, by=campaign.created_by, campaign=campaign
    )
    claimed = jobs.claim(job_id=job.pk)
    assert claimed is not None
    return jobs.Work(claimed, worker="test")


def test_launched_large_campaign_has_been_counted_before_anybody_looks(monkeypatch):
    monkeypatch.setattr(snapshots, "LARGE", -1)
    campaign = factories.campaign()
    campaigns.lock(campaign=campaign, now=timezone.now())

    tasks.launch(at_work(campaign))

    assert Snapshot.objects.get(campaign=campaign).document["places"] == {"open": 6}


def test_launch_of_a_campaign_that_is_open_already_says_so():
    with pytest.raises(jobs.CannotDo, match="A campaign that is open cannot become open"):
        tasks.launch(at_work(factories.opened()))


def test_launch_of_a_draft_says_what_it_is():
    with pytest.raises(jobs.CannotDo, match="A campaign that is draft cannot become open"):
        tasks.launch(at_work(factories.campaign()))
