"""A tab whose task was submitted in another tab, or on another device, says so."""

from collections.abc import Callable

import pytest
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from judging.campaigns.models.assignment import Assignment
from judging.work.actions import drafts
from judging.work.models.judgment import Judgment
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
EVERYTHING = "333333"  # two questions of three criteria


@pytest.fixture
def at_work(page: Page) -> tuple[Page, Client, Assignment]:
    """Return a page with the first of two tasks, the annotator's client and the task."""
    campaign = studies.opened("qgbench", sources=2)
    client, enrollment = studies.annotator(campaign)
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    return page, client, studies.held(enrollment)


def notice(page: Page) -> Locator:
    return page.locator("#elsewhere")


def submit_beside(page: Page) -> Page:
    """Open the page's task in another tab, and submit it there."""
    beside = page.context.new_page()
    beside.goto(page.url)
    beside.wait_for_selector("#judging.scripted")
    press_keys(beside, EVERYTHING)
    beside.wait_for_selector("#saved[data-state=saved]")
    beside.keyboard.press("Enter")
    beside.wait_for_url(lambda url: url != page.url)
    return beside


def judged(task: Assignment) -> list[int]:
    rows = Judgment.objects.filter(assignment=task, superseded_at=None)
    return sorted(rows.values_list("value", flat=True))


@pytest.mark.parametrize("size", [(1440, 900), (640, 360)])
def test_tab_whose_task_was_submitted_in_another_tab_says_so_and_leads_on(
    at_work: tuple[Page, Client, Assignment], size: tuple[int, int]
) -> None:
    page, _client, task = at_work
    page.set_viewport_size({"width": size[0], "height": size[1]})
    expect(notice(page)).to_be_hidden()
    submit_beside(page)
    expect(notice(page)).to_be_visible()
    assert "submitted in another tab" in page.locator("#announcer").inner_text()
    assert violations(page) == []
    press_keys(page, "1")
    assert page.locator("[type=radio]:checked:not([value='3'])").count() == 0
    assert page.locator("fieldset.criterion :enabled").count() == 0
    page.wait_for_timeout(1_500)  # longer than answers wait for each other
    assert set(drafts.draft_answers(task).values()) == {3}
    here = page.url
    notice(page).get_by_role("link", name="Next task").click()
    page.wait_for_url(lambda url: url != here and "/tasks/" in url)
    expect(notice(page)).to_be_hidden()
    assert judged(task) == [3] * 6


def test_tab_whose_task_was_submitted_on_another_device_says_so_at_its_next_save(
    at_work: tuple[Page, Client, Assignment],
) -> None:
    page, client, task = at_work
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task, sequence=1))
    expect(notice(page)).to_be_hidden()
    press_keys(page, "1")
    expect(notice(page)).to_be_visible()
    assert judged(task) == [3] * 6
    notice(page).get_by_role("link", name="Open this task").click()
    page.wait_for_selector("#judging.scripted")
    expect(notice(page)).to_be_hidden()
    assert page.locator("fieldset.criterion :enabled").count()


@pytest.mark.long
def test_tab_of_a_submitted_task_says_so_when_another_tab_resubmits_it(
    at_work: tuple[Page, Client, Assignment],
) -> None:
    page, client, task = at_work
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task, sequence=1))
    page.reload()
    page.wait_for_selector("#judging.scripted")
    expect(notice(page)).to_be_hidden()
    beside = page.context.new_page()
    beside.goto(page.url)
    beside.wait_for_selector("#judging.scripted")
    press_keys(beside, "2")
    beside.wait_for_selector("#saved[data-state=saved]")
    beside.locator(".dock [data-needs-all]").click()
    expect(notice(page)).to_be_visible()


@pytest.mark.long
def test_tab_that_submits_its_own_task_says_nothing(
    at_work: tuple[Page, Client, Assignment], new_page: Callable[..., Page]
) -> None:
    page, _client, _task = at_work
    here = page.url
    press_keys(page, EVERYTHING)
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here and "/tasks/" in url)
    page.wait_for_selector("#judging.scripted")
    press_keys(page, "3")
    page.wait_for_selector("#saved[data-state=saved]")
    expect(notice(page)).to_be_hidden()


@pytest.mark.long
def test_tab_of_another_task_says_nothing(
    at_work: tuple[Page, Client, Assignment],
) -> None:
    page, _client, _task = at_work
    beside = submit_beside(page)
    beside.wait_for_selector("#judging.scripted")
    expect(notice(page)).to_be_visible()
    expect(notice(beside)).to_be_hidden()
