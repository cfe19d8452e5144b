"""The overview of an open campaign refreshes by itself, unless somebody is in it; days and
adjudication without findings of axe."""

from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.urls import reverse
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from judging.campaigns.actions import campaigns, clones
from judging.campaigns.models.assignment import Assignment
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.quality.actions import adjudications
from tests import factories
from tests.annotation.studies import opened
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter
from tests.judging.workers import work

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def test_overview_shows_what_was_handed_in_without_being_loaded_again(page: Any) -> None:
    campaign = opened(sources=4, annotators_per_task=1)
    person = factories.enrollment(campaign, label="A01")
    enter(page, campaign.created_by)
    page.clock.install()
    page.clock.pause_at(timezone.now() + timedelta(hours=1))  # time goes on by what is run alone
    page.goto(reverse("judging:campaign", args=[campaign.uuid]))
    page.evaluate("window.loadedOnce = true")
    asked: list[str] = []
    page.on("request", lambda each: asked.append(each.url) if each.url.endswith("/now/") else None)
    assert "0 of 4" in page.locator("[data-refresh]").inner_text()

    work(person, tasks=1, choose=3)
    page.clock.run_for(21_000)
    page.locator("[data-refresh]", has_text="1 of 4").wait_for()
    assert page.evaluate("window.loadedOnce")

    work(person, tasks=1, choose=3)
    page.locator("[data-refresh] a").first.focus()
    page.clock.run_for(41_000)  # somebody is in it
    page.evaluate("document.activeElement.blur()")
    page.clock.run_for(21_000)
    page.locator("[data-refresh]", has_text="2 of 4").wait_for()
    assert len(asked) == 2


def test_header_follows_a_job_and_gives_notice_when_it_is_done(page: Any) -> None:
    owner = factories.researcher()
    job, now = jobs.enqueue(kind="analysis.run", parameters={}, by=owner), timezone.now()
    own = Job.objects.filter(pk=job.pk)
    own.update(state="running", started_at=now, heartbeat_at=now, done=1, total=4)
    enter(page, owner)
    page.clock.install()
    page.clock.pause_at(now + timedelta(hours=1))
    page.goto(reverse("judging:campaigns"))
    notices = page.locator("#job-notices[role=status]")
    assert "1 of 4" in page.locator(".jobs").inner_text()
    assert notices.inner_text() == ""

    own.update(done=3)
    page.clock.run_for(21_000)
    page.locator(".jobs", has_text="3 of 4").wait_for()

    own.update(state="done", finished_at=timezone.now())
    page.clock.run_for(21_000)
    page.locator("#job-notices", has_text="Analysing the judgments: done").wait_for()
    assert page.locator(".jobs").count() == 0
    assert notices.count() == 1


def test_overview_with_agreement_has_no_findings_and_fits_two_screens(still: Any) -> None:
    campaign = opened(sources=4, annotators_per_task=2)
    for label, value in (("A01", 1), ("A02", 3)):
        work(factories.enrollment(campaign, label=label), tasks=4, choose=value)
    current_app.tasks[jobs.LIVE_AGREEMENT](str(campaign.jobs.get().pk))
    enter(still, campaign.created_by)
    still.goto(reverse("judging:campaign", args=[campaign.uuid]))
    assert still.locator(".matrix td[data-level]").count() == 2
    assert still.evaluate("document.documentElement.scrollHeight") <= 1600
    assert looks.problems(still) == []
    still.locator(".strip a").first.click()
    assert "sort=disagreement" in still.url


@pytest.mark.long
def test_tabs_stand_as_high_on_every_page_and_show_the_open_one_on_a_phone(page: Any) -> None:
    campaign = opened(sources=4, annotators_per_task=1)
    enter(page, campaign.created_by)
    heights = set()
    for width, name in (
        (1440, "judging:campaign"),
        (1440, "judging:plan"),
        (1440, "analysis:planning"),
        (360, "analysis:report"),
    ):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(reverse(name, args=[campaign.uuid]))
        tab = page.locator(".tabs [aria-current]").bounding_box()
        assert 0 <= tab["x"] <= width - tab["width"], name
        heights.add((width, tab["y"]))
    assert len(heights) == 2


@pytest.mark.long
def test_days_adjudication_and_comparison_have_no_findings(still: Any) -> None:
    campaign = opened(sources=4, annotators_per_task=2)
    late = timezone.now() - timedelta(days=2)
    first, second = (factories.enrollment(campaign, label=label) for label in ("A01", "A02"))
    for who, value in ((first, 1), (second, 3)):
        for number, each in enumerate(work(who, tasks=4, choose=value)):
            if number % 2:
                Assignment.objects.filter(pk=each.pk).update(submitted_at=late)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    manager = campaign.created_by
    adjudications.name_adjudicator(
        campaign=campaign, adjudicator=manager, threshold=1, by=manager, now=timezone.now()
    )
    again = clones.clone_study(campaign=campaign, by=manager)
    enter(still, manager)
    pages = [
        reverse("judging:annotator", args=[campaign.uuid, first.pk]),
        reverse("judging:annotators", args=[campaign.uuid]),
        reverse("judging:adjudication", args=[campaign.uuid]),
        reverse("judging:settle", args=[campaign.uuid]),
        reverse("analysis:reproduction", args=[again.uuid]),
    ]
    assert looks.problems_of(still, pages) == []
