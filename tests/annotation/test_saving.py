"""What becomes of answers when the line is cut, the browser closed, or another device quicker: in a
real browser."""

import re

import pytest
from playwright.sync_api import BrowserContext

from judging.work.actions import drafts
from tests.annotation import studies
from tests.annotation.views.tasks import send
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
# Ends when the browser has stored all that was given to it before.
KEPT = """() => new Promise((done) => {
  const asked = indexedDB.open("quaestor");
  asked.onsuccess = () => {
    const reading = asked.result.transaction("waiting");
    reading.objectStore("waiting").count();
    reading.oncomplete = () => { asked.result.close(); done(); };
  };
})"""


@pytest.fixture
def at_work(page):
    """Return a page with a task of two questions, the annotator's client and the task."""
    campaign = studies.opened("qgbench", sources=2)
    client, enrollment = studies.annotator(campaign)
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    return page, client, studies.held(enrollment)


def saved(page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def close_offline(page) -> BrowserContext:
    """Close a page whose last answers could not be sent, and mend the line.

    A page that is closed tries once more, which might reach the server once the line is mended.
    This one does not, as if its browser had been killed.
    """
    page.wait_for_selector("#saved[data-state=unsaved]")
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('closed')); }")
    page.evaluate(KEPT)
    context = page.context
    page.close(run_before_unload=False)
    context.set_offline(False)
    return context


def test_answers_given_offline_are_sent_after_the_tab_was_closed(at_work) -> None:
    page, _client, task = at_work
    page.context.set_offline(True)
    page.keyboard.press("3")
    page.keyboard.press("2")
    page.wait_for_selector("#saved[data-state=unsaved]")
    assert "Kept in this browser" in page.locator("#saved").inner_text()
    assert drafts.draft_answers(task) == {}
    address, context = page.url, close_offline(page)
    again = context.new_page()
    again.goto(address)
    again.wait_for_selector("#saved[data-state=saved]")
    assert again.locator("[type=radio]:checked").count() == 2
    assert sorted(drafts.draft_answers(task).values()) == [2, 3]


def test_task_handed_in_while_no_server_answers_goes_once_one_does(at_work) -> None:
    page, _client, task = at_work
    away = [True]
    page.route(
        "**/submit/**",
        lambda route: route.abort("connectionrefused") if away else route.continue_(),
    )
    page.reload()  # a page that stands already may send what it sends at once past a new route
    press_keys(page, "333333")
    saved(page)
    before = page.url
    page.keyboard.press("Enter")
    page.locator("#saved").get_by_text("Will be submitted when you are back online").wait_for()
    page.context.set_offline(True)
    away.clear()
    page.keyboard.press("k")  # what is answered meanwhile is saved first
    page.keyboard.press("1")
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url != before and "/tasks/" in url)
    assert sorted(task.judgments.values_list("value", flat=True)) == [1, 3, 3, 3, 3, 3]


@pytest.mark.long
def test_answers_given_offline_to_one_task_are_sent_from_the_next(at_work) -> None:
    page, client, task = at_work
    page.context.set_offline(True)
    page.keyboard.press("1")
    context = close_offline(page)
    for number in range(6):
        send(
            client,
            task,
            f"q{number // 3 + 1}.{('grammaticality', 'understandability', 'correctness')[number % 3]}",
            3,
            1,
        )
    client.post(f"/tasks/{task.pk}/submit/?step=0", studies.filled(task, sequence=1))
    again = context.new_page()
    with again.expect_response(lambda answer: f"/tasks/{task.pk}/draft/" in answer.url) as sent:
        again.goto(f"/work/{task.round.campaign.uuid}/?begin")
    assert sent.value.status == 409  # the page that was submitted is later, and stands
    again.locator("#saved").get_by_text("another task came too late").wait_for()
    assert set(drafts.draft_answers(task).values()) == {3}


def test_nobody_sends_what_another_person_left_on_the_same_computer(at_work) -> None:
    page, _client, task = at_work
    page.context.set_offline(True)
    page.keyboard.press("1")
    address, context = page.url, close_offline(page)
    _other, enrollment = studies.annotator(task.round.campaign)
    again = context.new_page()
    enter(again, enrollment.user)
    asked = []
    again.on(
        "request", lambda request: asked.append(request.url) if "/draft/" in request.url else None
    )
    again.goto(f"/work/{task.round.campaign.uuid}/?begin")
    again.keyboard.press("2")
    saved(again)
    assert {address + "draft/" in url for url in asked} == {False}
    enter(again, task.enrollment.user)
    again.goto(address)
    saved(again)
    assert list(drafts.draft_answers(task).values()) == [1]


def test_what_is_answered_after_somebody_else_logged_in_is_kept_and_sent_for_who_gave_it(
    at_work,
) -> None:
    page, _client, task = at_work
    address, context = page.url, page.context
    _other, enrollment = studies.annotator(task.round.campaign)
    beside = context.new_page()
    enter(beside, enrollment.user)
    beside.goto(f"/work/{task.round.campaign.uuid}/?begin")

    page.keyboard.press("2")
    page.locator("#saved").get_by_text("Nothing on this page is lost").wait_for()

    assert drafts.draft_answers(task) == {}
    enter(beside, task.enrollment.user)
    beside.goto(address)
    saved(beside)
    assert list(drafts.draft_answers(task).values()) == [2]
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    saved(page)


def test_click_that_lost_to_another_device_names_the_question_and_both_values(at_work) -> None:
    page, client, task = at_work
    send(client, task, "q1.grammaticality", 3, 40)
    page.keyboard.press("2")
    note = page.locator('[id="q1.grammaticality"] [data-lost]')
    note.wait_for()
    assert "A, Grammaticality: here you chose 2 Small errors." in note.inner_text()
    assert "3 Correct was chosen later" in note.inner_text()
    assert page.locator('[name="q1.grammaticality"]:checked').get_attribute("value") == "3"
    wait_until_pressable(page)
    with page.expect_response(re.compile("/draft/")):
        note.get_by_role("button", name="Choose 2 Small errors instead").click()
    assert list(drafts.draft_answers(task).values()) == [2]


@pytest.mark.long
def test_quick_answers_go_together(at_work) -> None:
    page, _client, task = at_work
    asked = []
    page.on(
        "request",
        lambda request: asked.append(request.post_data) if "/draft/" in request.url else None,
    )
    page.evaluate(  # at one moment, however slow the machine is
        "keys => keys.forEach(key => document.activeElement.dispatchEvent("
        "new KeyboardEvent('keydown', { key, bubbles: true })))",
        ["3", "2", "3"],
    )
    saved(page)
    assert sorted(drafts.draft_answers(task).values()) == [2, 3, 3]
    assert len(asked) < 3
