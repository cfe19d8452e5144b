"""Two rounds of calibration in the browser: judged, discussed, decided, and judged again under the
new guideline."""

from typing import Any

import pytest
from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.enrolments.actions import enrollments
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import enter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def judge(page: Any, campaign: Campaign, value: int) -> None:
    """Judge one task without JavaScript: the same value everywhere."""
    page.goto(reverse("annotation:work", args=[campaign.uuid]) + "?begin")
    for name in sorted(
        {each.get_attribute("name") for each in page.locator("input[type=radio]").all()}
    ):
        page.locator(f"input[name='{name}'][value='{value}']").check(force=True)
    page.get_by_role("button", name="Submit").first.click()


def open_round(page: Any, campaign: Campaign) -> None:
    page.goto(reverse("judging:rounds", args=[campaign.uuid]))
    page.get_by_role("spinbutton", name="Sources").fill("1")
    page.get_by_role("button", name="Open the round").click()
    page.get_by_text("is open: annotators find it").wait_for()


def test_two_rounds_of_calibration(still: Any, new_page: Any) -> None:
    campaign = factories.campaign(dataset=factories.dataset(sources=6), annotators_per_task=2)
    people = [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]
    browsers = [new_page(java_script_enabled=False) for _ in people]
    for browser, person in zip(browsers, people, strict=True):
        enter(browser, person.user)
    enter(still, campaign.created_by)

    open_round(still, campaign)
    first = campaign.rounds.trials().get()
    judge(browsers[0], campaign, 3)
    still.get_by_role("link", name="Calibration 1").click()
    assert "A02 submitted 0 of 1 task" in still.inner_text("body")
    found = looks.problems(still)
    judge(browsers[1], campaign, 1)
    assert Assignment.objects.filter(round=first, state="submitted").count() == 2
    still.get_by_role("link", name="All rounds").click()
    found += looks.problems(still)
    still.get_by_role("button", name="Close calibration 1").click()
    still.get_by_role("link", name="Calibration 1").click()
    body = still.inner_text("body")
    assert "round by round: 4" in body
    assert "open another round" in body
    still.locator("#difference-1 textarea").fill("A builder's name is enough.")
    still.get_by_role("button", name="Save the notes").click()
    still.get_by_role("button", name="Make it the guideline").click()
    still.get_by_text("Version 1 is in effect").wait_for()
    found += looks.problems(still)

    open_round(still, campaign)
    guideline = reverse("annotation:guideline", args=[campaign.uuid])
    browsers[0].goto(guideline)
    assert "A builder's name is enough." in browsers[0].inner_text("main")
    for browser in browsers:
        judge(browser, campaign, 2)
    still.goto(reverse("judging:rounds", args=[campaign.uuid]))
    still.get_by_role("button", name="Close calibration 2").click()
    still.get_by_role("link", name="Calibration 2").click()
    body = still.inner_text("body")
    assert "4 → 0" in body
    assert "lock the plan" in body
    found += looks.problems(still)
    assert found == []
