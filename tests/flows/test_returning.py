"""How annotators without an account come back: by their browser's cookie, by their personal link,
and not by the invitation."""

import re
from typing import Any

import pytest
from django.urls import reverse

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from tests.annotation import studies
from tests.flows import test_accessibility as looks
from tests.flows.sessions import press_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
still = looks.still


def invited(campaign: Campaign) -> str:
    token = campaigns.create_invitation(campaign=campaign, by=campaign.created_by, places=5).token
    return reverse("annotation:join", args=[token])


def join(page: Any, campaign: Campaign) -> str:
    """Join by an invitation, go to the first task, and return the invitation's address."""
    invitation = invited(campaign)
    page.goto(invitation)
    page.get_by_role("button", name="Agree and begin").click()
    page.get_by_role("link", name="To the first task").click()
    page.wait_for_url(re.compile("/tasks/"))
    return invitation


def test_first_task_shows_the_personal_link_and_the_next_does_not(page: Any) -> None:
    campaign = studies.opened("qgbench", sources=2)
    page.goto(invited(campaign))
    page.get_by_role("button", name="Agree and begin").click()
    assert "/go/" in page.locator("#personal-link").inner_text()
    page.get_by_role("link", name="To the first task").click()
    page.wait_for_url(re.compile("/tasks/"))
    here = page.url
    link = page.locator("#own-link").inner_text()
    assert page.locator(".own-link").get_by_role("button", name="Copy").is_visible()
    press_keys(page, "3" * page.locator("fieldset.criterion").count())
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here)
    assert page.locator("#own-link").count() == 0
    page.context.clear_cookies()
    page.goto(link)
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(re.compile("/tasks/"))
    assert Enrollment.objects.count() == 1


def test_session_that_is_gone_is_recovered_by_the_cookie(page: Any) -> None:
    join(page, studies.opened("qgbench", sources=2))
    here = page.url
    page.context.clear_cookies(name="sessionid")
    page.goto(here)
    assert page.url == here
    assert page.locator("fieldset.criterion").count()


@pytest.mark.long
def test_without_cookies_the_page_offers_the_way_back_and_no_password_form(still: Any) -> None:
    invitation = join(still, studies.opened("qgbench", sources=2))
    here = still.url
    still.context.clear_cookies()
    still.goto(here)
    said = still.inner_text("main")
    assert "Open your personal link" in said
    assert still.locator("input[type=password]").count() == 0
    assert looks.problems(still) == []
    still.get_by_role("link", name="Log in with a name and password").click()
    assert still.locator("input[type=password]").count() == 1
    still.goto(invitation)
    assert "Joining here again would start as a new person." in still.inner_text("main")


@pytest.mark.long
def test_invitation_offers_the_way_back_to_a_browser_with_its_cookie(page: Any) -> None:
    invitation = join(page, studies.opened("qgbench", sources=2))
    label = Enrollment.objects.get().label
    page.context.clear_cookies(name="sessionid")
    page.goto(invitation)
    page.get_by_role("link", name=f"Go on as {label}").click()
    page.wait_for_url(re.compile("/tasks/"))
    assert Enrollment.objects.count() == 1


@pytest.mark.long
def test_logging_out_forgets_the_way_back(page: Any) -> None:
    join(page, studies.opened("qgbench", sources=2))
    here = page.url
    page.goto(reverse("annotation:account"))
    page.get_by_role("button", name="log out").click()
    page.goto(here)
    assert "Open your personal link" in page.inner_text("main")
