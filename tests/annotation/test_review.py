"""A rated question's summary behind its letter, and the review of all answers before Submit: by
keyboard, and by touch on a phone with pauses of 60 to 300 ms."""

from typing import Any

import pytest
from playwright.sync_api import expect

from judging.campaigns.models.assignment import Assignment
from judging.work.actions import drafts
from tests.annotation import phones, studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

REVIEW = "#review"


def at_work(page: Any, key: str = "qgbench", *, reviews: bool = True, **material: Any) -> Any:
    campaign = phones.opened(key, review_before_submit=reviews, **material)
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    return studies.held(enrollment)


def press(page: Any, *keys: str, pause: int = 60) -> None:
    for key in keys:
        page.wait_for_timeout(pause)
        press_keys(page, [key])


def saved(page: Any) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def is_submitted(task: Any) -> bool:
    return Assignment.objects.get(pk=task.pk).submitted_at is not None


def rows(page: Any) -> list[str]:
    listed = page.locator(f"{REVIEW} > ul > li")
    return listed.evaluate_all("all => all.map((each) => each.dataset.of)")


@pytest.mark.parametrize("pause", [60])
def test_letter_of_a_rated_question_opens_its_summary_with_change_on_a_phone(
    new_page: Any, pause: int
) -> None:
    page = new_page(width=360, height=640, has_touch=True)
    task = at_work(page)
    press(page, *"321", "3", pause=pause)
    letter = page.locator("#strip a").first
    letter.tap()
    summary = page.locator("#q1")
    expect(summary).to_be_visible()
    assert page.locator("fieldset.now").count() == 0
    for words in ("3 ", "2 Takes effort", "1 Asks for something else"):
        expect(summary.locator(".line").filter(has_text=words)).to_be_visible()
    change = summary.get_by_role("button", name="change: Understandability")
    assert change.bounding_box()["height"] >= 44
    assert violations(page) == []
    wait_until_pressable(page)
    change.tap()
    assert page.locator("fieldset.now").get_attribute("id") == "q1.understandability"
    wait_until_pressable(page)
    page.locator("fieldset.now .scale label").nth(2).tap()
    page.wait_for_timeout(pause)
    saved(page)
    assert list(drafts.draft_answers(task).values()).count(3) == 3


def test_letter_of_a_rated_question_opens_its_summary_by_keyboard(page: Any) -> None:
    at_work(page)
    press(page, *"3213", "a")
    assert page.locator("#q1.shown").count() == 1
    assert page.locator("fieldset.now").count() == 0
    assert page.evaluate("document.activeElement.ariaLabel") == "change: Grammaticality"
    press(page, "2")  # no criterion is open: a digit overwrites nothing
    assert page.locator('[name="q1.grammaticality"]:checked').get_attribute("value") == "3"
    press(page, "j")
    assert page.locator("fieldset.now").get_attribute("id") == "q1.grammaticality"
    press(page, "1")
    assert page.locator('[name="q1.grammaticality"]:checked').get_attribute("value") == "1"


@pytest.mark.parametrize("view", ["focus", "list"])
def test_review_shows_every_answer_before_submit_by_keyboard(page: Any, view: str) -> None:
    task = at_work(page)
    if view == "list":
        page.get_by_role("button", name="Show all").click()
    press(page, *"332332", "Enter", pause=100)
    review = page.locator(REVIEW)
    expect(review).to_be_visible()
    assert page.locator(".judging").is_hidden()
    assert not is_submitted(task)
    assert rows(page) == ["A", "B"]
    expect(review).to_contain_text("Grammaticality: 3 Correct")
    assert page.evaluate("document.activeElement.textContent") == "Review your answers"
    assert violations(page) == []
    press(page, "Escape")
    expect(review).to_be_hidden()
    press(page, "Enter", "1")
    expect(review).to_be_visible()
    press(page, "b")
    expect(review).to_be_hidden()
    expect(page.locator("#q2")).to_be_visible()
    if view == "focus":
        press(page, "j")  # from the summary to its first criterion
    press(page, "1", "Enter", pause=100)
    expect(review).to_contain_text("Grammaticality: 1")
    press(page, "Enter")
    page.wait_for_url(lambda url: str(task.pk) not in url)
    assert is_submitted(task)


@pytest.mark.parametrize("pause", [60])
def test_review_changes_an_answer_and_submits_on_a_phone(new_page: Any, pause: int) -> None:
    page = new_page(width=360, height=640, has_touch=True)
    task = at_work(page)
    press(page, *"332332", pause=pause)
    page.get_by_role("button", name="Review").tap()
    review = page.locator(REVIEW)
    expect(review).to_be_visible()
    assert page.locator(".judging").is_hidden()
    small = "all => all.filter((each) => each.getBoundingClientRect().height < 44).length"
    assert review.locator("button").evaluate_all(small) == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.wait_for_timeout(pause)
    review.get_by_role("button", name="Change: B").tap()
    expect(page.locator("#q2")).to_be_visible()
    wait_until_pressable(page)
    page.get_by_role("button", name="change: Correctness").tap()
    wait_until_pressable(page)
    page.locator("fieldset.now .scale label").nth(0).tap()
    page.get_by_role("button", name="Review").tap()
    expect(review).to_contain_text("Correctness: 1")
    page.wait_for_timeout(pause)
    page.get_by_role("button", name="Submit").tap()
    page.wait_for_url(lambda url: str(task.pk) not in url)
    assert is_submitted(task)


def test_review_lists_what_lacks_an_answer_first(page: Any) -> None:
    task = at_work(page)
    press(page, *"333")
    page.locator("#q2 .report summary").click()
    page.locator("#q2 [data-report]").fill("It is cut off.")
    saved(page)
    page.get_by_role("button", name="Review").click()
    assert rows(page) == ["B", "A"]
    expect(page.locator(f"{REVIEW} li").first).to_contain_text("Grammaticality: not answered yet")
    press(page, "Enter")
    page.wait_for_url(lambda url: str(task.pk) not in url)


def test_campaign_without_review_submits_at_once(page: Any) -> None:
    task = at_work(page, reviews=False)
    press(page, *"333333")
    assert page.get_by_role("button", name="Review").count() == 0
    press(page, "Enter")
    page.wait_for_url(lambda url: str(task.pk) not in url)
    assert is_submitted(task)


def test_submission_that_waited_offline_is_carried_out_without_another_review(page: Any) -> None:
    task = at_work(page)
    press(page, *"333333", "Enter")
    saved(page)
    page.context.set_offline(True)
    press(page, "Enter")
    page.get_by_text("Will be submitted when you are back online").first.wait_for()
    page.context.set_offline(False)
    page.reload()
    page.wait_for_url(lambda url: str(task.pk) not in url)
    assert is_submitted(task)


CHOICE = "Review my answers before I submit a task"


def rate(page: Any) -> None:
    """Answer all of a task and press Enter once."""
    page.wait_for_selector("#judging.scripted")
    press(page, *"333333", "Enter", pause=100)


def submit_after_review(page: Any) -> None:
    rate(page)
    expect(page.locator(REVIEW)).to_be_visible()
    with page.expect_navigation():
        press(page, "Enter")


def test_annotator_switches_the_review_off_after_three_tasks_if_the_plan_allows_it(
    page: Any,
) -> None:
    at_work(page, sources=6, review_is_optional=True)
    for _task in range(3):
        assert page.get_by_label(CHOICE).count() == 0
        submit_after_review(page)
    rate(page)
    page.locator(REVIEW).get_by_label(CHOICE).uncheck()
    assert violations(page) == []
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    with page.expect_navigation():
        rate(page)  # without a review
    page.wait_for_selector("#judging.scripted")
    page.keyboard.press("?")
    page.locator("#help").get_by_label(CHOICE).check()
    page.keyboard.press("Escape")
    submit_after_review(page)
    submitted = Assignment.objects.filter(submitted_at__isnull=False).order_by("submitted_at")
    assert [task.review for task in submitted] == ["shown", "shown", "shown", "off", "off", "shown"]


def test_annotator_cannot_switch_the_review_off_unless_the_plan_allows_it(page: Any) -> None:
    task = at_work(page, sources=4)
    for _task in range(3):
        submit_after_review(page)
    page.wait_for_selector("#judging.scripted")
    assert page.get_by_label(CHOICE).count() == 0
    task.refresh_from_db()
    assert task.review == ""
