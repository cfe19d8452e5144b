"""A task that is submitted while no server can be reached is submitted once one can: in the same
page, after a reload, after the browser was started again, and never for another person."""

import re
from typing import Any

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.work.actions import assignments
from judging.work.models.judgment import Judgment
from tests.annotation import studies
from tests.annotation.test_saving import KEPT
from tests.conftest import CHROMIUM_FLAGS, _chromium
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PROMISE = "Will be submitted when you are back online"
COUNT_SUBMISSIONS = """() => new Promise((done) => {
  const asked = indexedDB.open("quaestor");
  asked.onsuccess = () => {
    const counting = asked.result.transaction("submissions").objectStore("submissions").count();
    counting.onsuccess = () => { asked.result.close(); done(counting.result); };
  };
})"""
CACHED = """async () => {
  const found = [];
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) found.push(new URL(request.url).pathname);
  return found;
}"""


def task_of(page: Any, campaign: Any) -> Assignment:
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    return studies.held(enrollment)


def answer_everything(page: Any) -> None:
    press_keys(page, "333333")
    page.locator("fieldset.now").wait_for(state="detached")


def submit_offline(page: Any) -> None:
    """Answer and submit a task without a connection, and wait beyond the patience of 5 s."""
    page.context.set_offline(True)
    answer_everything(page)
    page.wait_for_timeout(150)
    page.keyboard.press("Enter")
    page.locator("#saved").get_by_text(PROMISE).wait_for()
    page.wait_for_timeout(5500)
    assert PROMISE in page.locator("#saved").inner_text()
    page.evaluate(KEPT)


def close(page: Any) -> Any:
    """Close a page as if its browser had been killed; mend the line and return its context."""
    page.evaluate("() => { window.fetch = () => Promise.reject(new TypeError('closed')); }")
    context = page.context
    page.close(run_before_unload=False)
    context.set_offline(False)
    return context


def stored(task: Assignment) -> list[int]:
    return sorted(Judgment.objects.filter(assignment=task).values_list("value", flat=True))


def test_submit_offline_with_unsaved_answers_is_carried_out_when_online(page: Any) -> None:
    task = task_of(page, studies.opened("qgbench", sources=2))
    address = page.url
    submit_offline(page)
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url != address)
    assert stored(task) == [3] * 6
    assert page.evaluate(COUNT_SUBMISSIONS) == 0


@pytest.mark.parametrize("where", ["the next task"])
def test_submit_offline_is_carried_out_after_the_page_was_closed(page: Any, where: str) -> None:
    task = task_of(page, studies.opened("qgbench", sources=2))
    address = page.url
    submit_offline(page)
    again = close(page).new_page()
    if where == "the next task":
        assignments.give_back(assignment=task)
    again.goto(address if where == "the same task" else f"/work/{task.round.campaign.uuid}/?begin")
    again.wait_for_url(lambda url: url != address)
    again.wait_for_selector("#judging.scripted")
    while again.evaluate(COUNT_SUBMISSIONS):
        again.wait_for_timeout(60)
    assert stored(task) == [3] * 6


def test_submit_offline_is_never_sent_for_another_person(page: Any) -> None:
    task = task_of(page, studies.opened("qgbench", sources=2))
    address = page.url
    submit_offline(page)
    again = close(page).new_page()
    asked = []
    again.on("request", lambda request: asked.append(request.url))
    task_of(again, task.round.campaign)
    again.wait_for_timeout(300)
    assert [url for url in asked if str(task.pk) in url] == []
    assert stored(task) == []
    enter(again, task.enrollment.user)
    again.goto(address)
    again.wait_for_url(lambda url: url != address)
    assert stored(task) == [3] * 6


def test_submit_offline_after_the_place_went_to_somebody_else_is_stored_as_surplus(
    page: Any,
) -> None:
    task = task_of(page, studies.opened("qgbench", sources=1))
    address = page.url
    submit_offline(page)
    assignments.give_back(assignment=task)
    for _ in range(5):
        enrollment = studies.annotator(task.round.campaign)[1]
        assignments.claim_assignment(enrollment=enrollment, round=task.round)
    again = close(page).new_page()
    again.goto(address)
    again.wait_for_url(lambda url: url != address)
    task.refresh_from_db()
    assert task.state == Assignment.State.EXTRA
    assert stored(task) == [3] * 6


def test_submit_offline_survives_a_restart_of_the_browser(
    browser: Any, live_server: Any, tmp_path: Any
) -> None:
    campaign = studies.opened("qgbench", sources=2)
    enrollment = studies.annotator(campaign)[1]
    launch = browser.browser_type.launch_persistent_context
    options = {
        "executable_path": _chromium(),
        "args": list(CHROMIUM_FLAGS),
        "base_url": live_server.url,
    }
    first = launch(tmp_path, **options)
    page = first.pages[0]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    task, address = studies.held(enrollment), page.url
    submit_offline(page)
    first.close()
    second = launch(tmp_path, **options)
    page = second.pages[0]
    enter(page, enrollment.user)
    page.goto(address)
    page.wait_for_url(lambda url: url != address)
    assert stored(task) == [3] * 6
    second.close()


def test_submit_while_the_server_is_down_is_carried_out_when_it_is_back(page: Any) -> None:
    task = task_of(page, studies.opened("qgbench", sources=2))
    address, is_down = page.url, [True]
    page.route(
        re.compile("/(draft|submit)/"),
        lambda route: route.fulfill(status=503) if is_down else route.continue_(),
    )
    answer_everything(page)
    page.wait_for_timeout(100)
    page.keyboard.press("Enter")
    page.locator("#saved").get_by_text(PROMISE).wait_for()
    page.wait_for_timeout(5500)
    is_down.clear()
    page.wait_for_url(lambda url: url != address)
    assert stored(task) == [3] * 6


def test_submit_offline_of_a_paused_study_says_so_and_is_not_repeated(page: Any) -> None:
    task = task_of(page, studies.opened("qgbench", sources=2))
    address = page.url
    submit_offline(page)
    campaigns.move_campaign(campaign=task.round.campaign, to="paused", now=timezone.now())
    again = close(page).new_page()
    again.goto(address)
    again.get_by_text("This study takes no answers now. What you entered is kept.").wait_for()
    again.wait_for_selector("#judging.scripted")
    assert again.evaluate(COUNT_SUBMISSIONS) == 0


def test_reload_offline_shows_a_page_without_the_passage_and_comes_back(new_page: Any) -> None:
    page = new_page(service_workers="allow")
    task = task_of(page, studies.opened("qgbench", sources=2))
    page.evaluate("() => navigator.serviceWorker.ready")
    page.reload()
    page.wait_for_selector("#judging.scripted")
    page.wait_for_timeout(300)
    cached = page.evaluate(CACHED)
    assert cached
    assert [
        path for path in cached if not path.startswith("/static/") and path != "/offline/"
    ] == []
    address = page.url
    submit_offline(page)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    page.get_by_role("heading", name="You are offline").wait_for()
    assert "Agnes" not in page.content()
    page.context.set_offline(False)
    page.wait_for_url(lambda url: url != address)
    page.wait_for_selector("#judging.scripted")
    assert stored(task) == [3] * 6
