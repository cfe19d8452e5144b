"""The judging page in a real browser: by keyboard alone, and on a small screen without
JavaScript."""

import re
from collections import Counter

import pytest
from django.test import Client

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.people.models.user import User
from judging.work.actions import drafts
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation import studies
from tests.flows.axe import violations

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def enter(page, client: Client) -> None:
    """Give the browser the client's session."""
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([cookie | {"domain": "localhost", "path": "/"}])


def submitted(campaign: Campaign) -> Counter:
    rows = Judgment.objects.filter(assignment__round__campaign=campaign)
    return Counter(rows.values_list("criterion__key", "value", "origin"))


@pytest.mark.long
def test_page_that_stays_open_says_so_though_nothing_is_entered(page) -> None:
    campaign = studies.opened("qgbench", sources=1)
    user = factories.enrollment(campaign).user
    User.objects.filter(pk=user.pk).update(password="!")  # as of whoever came by a link
    enter(page, factories.logged_in(User.objects.get(pk=user.pk)))
    page.clock.install()
    for address in ("?begin", "guideline/"):
        page.goto(f"/work/{campaign.uuid}/{address}")
        with page.expect_response(lambda each: each.url.endswith("/work/here/")) as heard:
            page.clock.run_for(5 * 60_000)
        assert heard.value.status == 204


def test_rating_a_task_by_keyboard_alone(page) -> None:
    campaign = studies.opened("qgbench", sources=2)
    client, enrollment = studies.annotator(campaign)
    enter(page, client)
    page.goto(f"/work/{campaign.uuid}/?begin")
    first = page.url
    assert violations(page) == []
    page.keyboard.press("Enter")
    assert page.url == first
    for key in "32131":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "/tasks/" in url and url != first)
    assert submitted(campaign) == {
        ("grammaticality", 3, "judged"): 2,
        ("understandability", 2, "judged"): 1,
        ("understandability", 1, "judged"): 1,
        ("correctness", 1, "judged"): 1,
        ("correctness", 1, "rule"): 1,
    }
    assert Assignment.objects.filter(enrollment=enrollment, state="submitted").count() == 1


def test_answers_are_kept_as_they_are_given_and_come_back_on_another_device(page, new_page) -> None:
    campaign = studies.opened("qgbench-staged", sources=1)
    client, enrollment = studies.annotator(campaign)
    enter(page, client)
    page.goto(f"/work/{campaign.uuid}/?begin")
    assert "Agnes" not in page.content()
    with page.expect_response(re.compile("/draft/")):
        page.keyboard.press("2")
    assert list(drafts.draft_answers(studies.held(enrollment)).values()) == [2]
    other = new_page(width=360, height=740)
    enter(other, client)
    other.goto(f"/work/{campaign.uuid}/?begin")
    assert other.locator("[type=radio]:checked").count() == 1
    other.keyboard.press("3")
    other.keyboard.press("Enter")
    other.wait_for_selector("mark")
    assert "Agnes Tolliver" in other.content()
    assert violations(other) == []


def test_rating_a_task_on_a_small_screen_without_javascript(new_page) -> None:
    campaign = studies.opened("qgbench", sources=2, consent="I agree to be counted.")
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    page = new_page(width=360, height=740, java_script_enabled=False)
    page.goto(f"/join/{link.token}/")
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Agree and begin").click()
    page.get_by_role("link", name="To the first task").click()
    first = page.url
    for name in (
        "q1.grammaticality",
        "q1.understandability",
        "q1.correctness",
        "q2.grammaticality",
    ):
        page.locator(f'input[name="{name}"][value="3"]').check()
    page.get_by_role("button", name="Submit").last.click()
    assert page.get_by_role("alert").get_by_role("link").all_inner_texts() == [
        "B Understandability",
        "B Correctness",
    ]
    for name in ("q2.understandability", "q2.correctness"):
        page.locator(f'input[name="{name}"][value="2"]').check()
    page.get_by_role("button", name="Submit").last.click()
    assert "/tasks/" in page.url
    assert page.url.partition("?")[0] != first
    assert submitted(campaign) == {
        ("grammaticality", 3, "judged"): 2,
        ("understandability", 3, "judged"): 1,
        ("correctness", 3, "judged"): 1,
        ("understandability", 2, "judged"): 1,
        ("correctness", 2, "judged"): 1,
    }
