"""The page that tunes a Q-metric: works, forbidden, unknown, malformed, wrong verb."""

import re
import uuid

import pytest
from django.urls import reverse

from analysis.scoring.actions import tuning
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from tests import factories
from tests.analysis.scoring.actions.test_tuning import ASKED, tunable

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return factories.campaign()


@pytest.fixture
def manager(client, campaign):
    client.force_login(campaign.created_by)
    return client


def address(name, campaign):
    return reverse(f"analysis:{name}", args=[campaign.uuid])


def test_start_enqueues_what_was_chosen(manager, campaign):
    assert manager.post(address("tuning_start", campaign), ASKED).status_code == 302
    job = Job.objects.get(kind=tuning.KIND)
    assert job.parameters == ASKED


def test_tuned_weights_are_shown_with_spread_and_held_out_correlation(client):
    campaign = tunable()
    client.force_login(campaign.created_by)
    job = jobs.claim_job(
        job_id=tuning.start_tuning(
            campaign=campaign, by=campaign.created_by, settings=tuning.TuningSettings(**ASKED)
        ).pk
    )
    jobs.finish_job(job=job, result=tuning.execute_tuning(jobs.Work(job, worker="test")))
    page = client.get(address("tuning", campaign)).content.decode()
    assert "over 20 bags of 40 of the 60 judged questions" in page
    told = client.get(reverse("judging:job", args=[job.pk])).content.decode()
    assert address("tuning", campaign) in told
    carried_to_the_metrics(
        client, campaign, page, tuning.tuned_settings(Job.objects.get(pk=job.pk))
    )


def carried_to_the_metrics(client, campaign, page, found):
    """Follow the button, and press the one on the page it leads to: the job has the tuned weights
    to the last digit."""
    (there,) = re.findall(r'href="([^"]+[?]tuning=[^"]+)"', page)
    metrics = client.get(there).content.decode()
    asked = dict(
        re.findall(r'<input type="(?:number|text)" name="([^"]+)" value="([^"]*)"', metrics)
    )
    asked |= dict(
        re.findall(
            r'<select name="([^"]+)"(?:(?!</select>).)*<option value="([^"]*)" selected',
            metrics,
            re.S,
        )
    )
    asked["metrics"] = re.findall(r'name="metrics"[^>]*value="([^"]+)" checked', metrics)
    asked["variants"] = re.findall(r'name="variants"[^>]*value="([^"]+)"[^>]* checked', metrics)
    assert (asked["metrics"], asked["variants"]) == (["bleu_1"], ["q"])
    assert (
        client.post(
            reverse("analysis:metrics_start", args=[campaign.dataset_id]), asked
        ).status_code
        == 302
    )
    (_, mixed) = Job.objects.get(kind="analysis.score").parameters["metrics"]
    wanted = found["answerability"] | found[""]
    assert {name: mixed["params"].get(name) for name in wanted} == wanted


def test_weights_of_elsewhere_are_not_carried(manager, campaign):
    metrics = reverse("analysis:metrics", args=[campaign.dataset_id])
    for asked in (
        "none",
        uuid.uuid4(),
        tuning.start_tuning(
            campaign=campaign, by=campaign.created_by, settings=tuning.TuningSettings(**ASKED)
        ).pk,
    ):
        assert manager.get(metrics, {"tuning": asked}).status_code == 404
