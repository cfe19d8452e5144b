"""A session that ends, a study that closes, a lease that runs out while somebody is rating: in a
real browser."""

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.work.actions import assignments, drafts
from judging.work.models.judgment import Judgment
from tests.annotation import studies
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]
EVERYTHING = "333333"  # two questions of three criteria


@pytest.fixture
def at_work(page):
    """Return a page with a task of two questions, and the task."""
    campaign = studies.opened("qgbench", sources=1)
    _client, enrollment = studies.annotator(campaign)
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    return page, studies.held(enrollment)


def saved(page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def test_session_that_ends_loses_nothing_and_is_entered_again(at_work) -> None:
    page, task = at_work
    page.context.clear_cookies()
    page.keyboard.press("2")
    page.wait_for_selector("#saved[data-state=unsaved]")
    assert (
        "your session has ended. Nothing on this page is lost."
        in page.locator("#saved").inner_text()
    )
    assert page.get_by_role("link", name="Enter again (new tab)").is_visible()
    assert drafts.draft_answers(task) == {}
    enter(page, task.enrollment.user)
    other = page.context.new_page()
    other.goto("/work/")
    other.close()
    page.evaluate("dispatchEvent(new Event('focus'))")
    saved(page)
    assert list(drafts.draft_answers(task).values()) == [2]
    press_keys(page, EVERYTHING[1:])
    saved(page)
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("Enter")
    page.locator("#saved").get_by_text("your session has ended").wait_for()
    enter(page, task.enrollment.user)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Thank you").wait_for()
    assert Judgment.objects.filter(assignment=task).count() == 6


def test_study_that_closes_in_the_middle_takes_the_task_that_was_begun(at_work) -> None:
    page, task = at_work
    page.keyboard.press("3")
    saved(page)
    campaigns.close_campaign(campaign=task.round.campaign, now=timezone.now())
    press_keys(page, EVERYTHING[1:])
    saved(page)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="This study gives out no tasks now").wait_for()
    assert "The 1 task you judged is stored." in page.locator("main").inner_text()
    assert Judgment.objects.filter(assignment=task).count() == 6


def test_study_that_pauses_in_the_middle_keeps_what_was_entered_and_says_where(at_work) -> None:
    page, task = at_work
    campaigns.move_campaign(campaign=task.round.campaign, to="paused", now=timezone.now())
    press_keys(page, EVERYTHING)
    saved(page)
    page.keyboard.press("Enter")
    page.get_by_text("This study takes no answers now. What you entered is kept.").wait_for()
    page.goto(f"/work/{task.round.campaign.uuid}/")
    assert (
        "You have a task that is not submitted yet. What you entered in it is kept."
        in page.inner_text("main")
    )
    page.get_by_role("link", name="Open it").click()
    page.wait_for_selector("#judging.scripted")
    assert page.locator("[type=radio]:checked").count() == 6
    assert not Judgment.objects.exists()


def test_task_that_went_to_somebody_else_meanwhile_is_stored_beside_theirs(at_work) -> None:
    page, task = at_work
    assignments.give_back(assignment=task)
    taken = studies.held(studies.annotator(task.round.campaign)[1])
    press_keys(page, EVERYTHING)
    saved(page)
    before = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != before)
    own = Assignment.objects.get(pk=task.pk)
    assert own.state in (Assignment.State.EXTRA, Assignment.State.SUBMITTED)
    assert Judgment.objects.filter(assignment=own).count() == 6
    assert Assignment.objects.get(pk=taken.pk).state == Assignment.State.HELD
