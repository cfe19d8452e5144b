"""What subjects register with those below them when the app is ready."""

import pytest

from judging.campaigns.actions import campaigns
from judging.campaigns.actions.plan_parts import PARTS
from judging.datasets.guards import datasets_of
from judging.jobs.actions import jobs
from judging.jobs.guards import jobs_of
from judging.protocols.guards import protocols_of
from tests import factories

pytestmark = pytest.mark.django_db


def test_analyst_without_other_rights_sees_objects_through_the_campaign() -> None:
    campaign = factories.opened()
    analyst = factories.researcher()
    campaigns.add_member(campaign=campaign, user=analyst, role="analyst")
    analyst.may_create_campaigns = False
    job = jobs.enqueue(
        kind="analysis.run", parameters={}, by=campaign.created_by, campaign=campaign
    )

    assert datasets_of(analyst).get() == campaign.dataset
    assert list(protocols_of(analyst).filter(owner=campaign.protocol.owner)) == [campaign.protocol]
    assert jobs_of(analyst).get() == job


def test_other_user_sees_none_of_them() -> None:
    campaign = factories.opened()
    other = factories.researcher()
    other.may_create_campaigns = False
    jobs.enqueue(kind="analysis.run", parameters={}, by=campaign.created_by, campaign=campaign)

    assert not datasets_of(other).exists()
    assert not protocols_of(other).exists()
    assert not jobs_of(other).exists()


def test_starter_of_a_job_about_a_dataset_that_is_no_longer_theirs_does_not_see_it() -> None:
    dataset = factories.dataset()
    starter = factories.researcher()
    jobs.enqueue(kind="analysis.degrade", parameters={}, by=starter, dataset=dataset)

    assert not jobs_of(starter).exists()
    assert jobs_of(dataset.owner).exists()


def test_every_part_of_a_plan_is_registered() -> None:
    assert set(PARTS) == {"checks", "exercises", "exit_form"}
