"""The page that plans a study's size: works, forbidden, unknown, malformed, wrong verb."""

import uuid

import pytest
from django.urls import reverse

from analysis.planning.actions import planning
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Membership
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories

pytestmark = pytest.mark.django_db
FORM = {
    "variances": "qgeval/fluency",
    "difference": 0.2,
    "annotators": 3,
    "power": 0.8,
    "level": 0.05,
    "comparisons": 1,
}


@pytest.fixture(scope="module")
def unplanned(lasting):
    return factories.campaign()


@pytest.fixture
def campaign(unplanned, db):
    return Campaign.objects.get(pk=unplanned.pk)


@pytest.fixture
def manager(client, campaign):
    client.force_login(campaign.created_by)
    return client


@pytest.fixture(scope="module")
def found(lasting):
    """Return what the job of a plan finds, which is the same for every campaign."""
    elsewhere = factories.campaign()
    job = planning.start_planning(
        campaign=elsewhere, by=elsewhere.created_by, settings=planning.PowerSettings(**FORM)
    )
    result = planning.execute_planning(jobs.Work(jobs.claim_job(job_id=job.pk), worker="test"))
    Job.objects.filter(pk=job.pk).delete()
    return result


@pytest.fixture
def done(campaign, found):
    job = jobs.claim_job(
        job_id=planning.start_planning(
            campaign=campaign, by=campaign.created_by, settings=planning.PowerSettings(**FORM)
        ).pk
    )
    jobs.finish_job(job=job, result=found)
    return job


def address(name, campaign, *args):
    return reverse(f"analysis:{name}", args=[campaign.uuid, *args])


def test_start_enqueues_a_plan_with_what_was_chosen(manager, campaign):
    assert manager.post(address("planning_start", campaign), FORM).status_code == 302
    job = Job.objects.get(kind=planning.KIND)
    assert job.state == "queued"
    assert job.parameters == FORM


def test_a_finished_plan_is_shown_with_its_code_chart_and_table(manager, campaign, done):
    page = manager.get(address("planning", campaign)).content.decode()
    assert "To find a difference of 0.2" in page
    assert "found = items_needed(" in page
    chart = manager.get(address("planning_figure", campaign, done.pk, "dark"))
    assert chart["Content-Type"] == "image/svg+xml"
    assert b"<svg" in chart.content
    table = manager.get(address("planning_table", campaign, done.pk)).content.decode()
    assert table.startswith("\ufeffannotators,items,power,half_width\n")


def test_unknown_is_a_404(manager, campaign, done):
    elsewhere = factories.campaign(manager=campaign.created_by)
    for path in (
        address("planning_figure", campaign, done.pk, "pink"),
        address("planning_figure", campaign, uuid.uuid4(), "dark"),
        address("planning_table", campaign, uuid.uuid4()),
        address("planning_table", elsewhere, done.pk),
        reverse("analysis:planning", args=[uuid.uuid4()]),
    ):
        assert manager.get(path).status_code == 404


def test_strangers_and_annotators_find_nothing(client, campaign, done):
    annotator = factories.user()
    Membership.objects.create(user=annotator, campaign=campaign, role="annotator")
    for user in (factories.researcher(), annotator):
        client.force_login(user)
        for name, args in (
            ("planning", ()),
            ("planning_figure", (done.pk, "dark")),
            ("planning_table", (done.pk,)),
        ):
            assert client.get(address(name, campaign, *args)).status_code == 404
        assert client.post(address("planning_start", campaign), FORM).status_code == 404
    client.logout()
    assert client.get(address("planning", campaign)).status_code == 302
