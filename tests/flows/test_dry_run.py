"""A draft is tried with simulated annotators in the browser: the report of the copy recovers what
was planted."""

from typing import Any

import pytest
from celery import current_app
from django.urls import reverse

import analysis.tasks  # noqa: F401  # registers the jobs
from judging.campaigns.models.campaign import Campaign
from judging.jobs.models.job import Job
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def test_one_click_tries_a_draft_and_the_report_of_the_copy_recovers_the_ranking(
    still: Any,
) -> None:
    made = factories.dataset(sources=8, systems=("Alba", "Brisa"))
    campaign = factories.campaign(dataset=made, annotators_per_task=3)
    page = still
    enter(page, campaign.created_by)
    page.goto(reverse("judging:campaign", args=[campaign.uuid]))
    page.locator("summary", has_text="More").click()
    page.get_by_role("button", name="Try it with simulated annotators").click()
    page.wait_for_load_state()
    job = Job.objects.get(kind="analysis.dry_run")
    current_app.tasks[job.kind](str(job.pk))  # as a worker does
    page.get_by_role("link", name="The dry run is done").click()
    page.get_by_text("recovers the planted ranking on every criterion").wait_for()
    body = page.inner_text("main")
    assert "24 of 24 assignments were submitted" in body
    assert "8 sources" in body
    found = looks.problems(page)

    page.get_by_role("link", name="Open the copy").click()
    assert "SIMULATED" in page.inner_text("h1")
    assert "no person judged here" in page.inner_text("main")
    found += looks.problems(page)
    copy = Campaign.objects.get(origin="simulated")
    page.goto(reverse("analysis:report", args=[copy.uuid]))
    assert "made by simulated annotators" in page.inner_text("main")
    page.get_by_role("link", name="Planted ranking").click()
    page.get_by_role("button", name="Delete dry run 1").click()
    page.get_by_text("all that was simulated in it are deleted").wait_for()
    assert not Campaign.objects.filter(origin="simulated").exists()
    assert found == []
