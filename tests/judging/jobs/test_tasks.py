"""The tasks of the queue, run without a queue: a job that cannot be done says why."""

import threading
from time import monotonic, sleep

import pytest
from django.db import connection
from django.utils import timezone

from judging.base.refusals import Refused
from judging.campaigns import guards as campaign_guards
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.datasets import guards as dataset_guards
from judging.jobs import tasks as job_tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.overview import tasks as overview_tasks
from judging.people.models.user import User
from judging.quality.actions import snapshots
from judging.quality.models.snapshot import Snapshot
from tests import factories

pytestmark = pytest.mark.django_db


def until_stopped(work: jobs.Work) -> dict:
    """Compute until the job is stopped, ten seconds at most."""
    end = monotonic() + 10
    while monotonic() < end:
        sleep(0.01)
        work.again()
    return {}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("about", ["dataset", "campaign"])
def test_job_of_somebody_who_loses_the_right_stops_at_its_next_step(monkeypatch, about, whole):
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    campaign = factories.campaign()
    analyst = factories.user()
    role = factories.member(campaign, analyst, "analyst")
    right = {"dataset": dataset_guards.reads, "campaign": campaign_guards.reports}[about]
    where = {"dataset": campaign.dataset} if about == "dataset" else {"campaign": campaign}
    job = jobs.enqueue(kind="analysis.score", parameters={}, by=analyst, **where)

    def doing(work: jobs.Work) -> dict:
        threading.Thread(target=removed).start()
        return until_stopped(work)

    def removed() -> None:
        role.delete()
        connection.close()

    job_tasks._carry_out(jobs.claim_job(job_id=job.pk), doing, right=right, whole=whole, first=None)

    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", job_tasks.NO_MORE)


@pytest.mark.django_db(transaction=True)
def test_job_of_somebody_who_keeps_the_right_goes_on_and_of_a_closed_account_stops(monkeypatch):
    monkeypatch.setattr(jobs, "BEAT", 0.02)
    dataset = factories.dataset()
    looks = []

    def doing(work: jobs.Work) -> dict:
        while len(looks) < 3:
            sleep(0.01)
            work.again()
        User.objects.filter(pk=dataset.owner_id).update(is_active=False)
        return until_stopped(work)

    def right(user: User, job: Job) -> bool:
        looks.append(job.pk)
        return dataset_guards.reads(user, job)

    job = jobs.enqueue(kind="analysis.estimate", parameters={}, by=dataset.owner, dataset=dataset)
    job_tasks._carry_out(jobs.claim_job(job_id=job.pk), doing, right=right, whole=False, first=None)

    job.refresh_from_db()
    assert (job.state, job.error) == ("failed", job_tasks.NO_MORE)


def at_work(campaign: Campaign) -> jobs.Work:
    job = jobs.enqueue(
        kind="judging.launch", parameters={}, by=campaign.created_by, campaign=campaign
    )
    claimed = jobs.claim_job(job_id=job.pk)
    assert claimed is not None
    return jobs.Work(claimed, worker="test")


def test_launched_large_campaign_has_been_counted_before_anybody_looks(monkeypatch):
    monkeypatch.setattr(snapshots, "LARGE", -1)
    campaign = factories.campaign()
    campaigns.lock_plan(campaign=campaign, now=timezone.now())

    overview_tasks.run_launch_job(at_work(campaign))

    assert Snapshot.objects.get(campaign=campaign).document["places"]["total"] == 6


def test_launch_of_a_campaign_that_is_open_already_says_so():
    with pytest.raises(Refused) as refused:
        overview_tasks.run_launch_job(at_work(factories.opened()))

    assert refused.value.code == "campaign_state"


def test_launch_of_a_draft_says_what_it_is():
    with pytest.raises(Refused) as refused:
        overview_tasks.run_launch_job(at_work(factories.campaign()))

    assert refused.value.code == "campaign_state"
