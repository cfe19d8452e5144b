"""By keyboard and with a screen reader: arrows choose, J and K move, the last answer can be undone,
what a rule sets is said, and the next task is announced by its heading."""

from typing import Any

import pytest
from playwright.sync_api import expect

from judging.work.actions import drafts
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def at_work(page: Any, sources: int = 2) -> Any:
    campaign = studies.opened("qgbench", sources=sources)
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    return studies.held(enrollment)


def press(page: Any, *keys: str) -> None:
    page.wait_for_timeout(100)
    press_keys(page, keys)


def now(page: Any) -> str:
    return page.locator("fieldset.now").get_attribute("id")


def checked(page: Any) -> list[str]:
    return page.locator("[type=radio]:checked").evaluate_all(
        "all => all.map((each) => `${each.name}=${each.value}`)"
    )


def saved(page: Any, task: Any) -> dict[Any, int]:
    page.wait_for_selector("#saved[data-state=saved]")
    return drafts.draft_answers(task)


def test_arrows_choose_options_and_stay_in_their_group(page: Any) -> None:
    task = at_work(page)
    press(page, "ArrowDown")  # to the options
    assert checked(page) == []
    press(page, "ArrowDown")
    assert (now(page), checked(page)) == ("q1.grammaticality", ["q1.grammaticality=2"])
    press(page, "ArrowDown", "ArrowDown", "ArrowUp")
    assert (now(page), checked(page)) == ("q1.grammaticality", ["q1.grammaticality=3"])
    assert list(saved(page, task).values()) == [3]


def test_j_k_and_page_keys_move_between_criteria(page: Any) -> None:
    at_work(page)
    press(page, "j")
    assert now(page) == "q1.understandability"
    press(page, "PageDown")
    assert now(page) == "q1.correctness"
    press(page, "k", "PageUp")
    assert now(page) == "q1.grammaticality"
    assert checked(page) == []


@pytest.mark.parametrize("way", ["Control+z", "button"])
def test_undo_takes_the_last_answer_back_and_returns_to_it(page: Any, way: str) -> None:
    task = at_work(page)
    press(page, "3", "2")
    if way == "button":
        wait_until_pressable(page)
        page.locator(".dock").get_by_role("button", name="Undo").click()
    else:
        press(page, way)
    assert (now(page), checked(page)) == ("q1.understandability", ["q1.grammaticality=3"])
    assert "Undone: A, Understandability" in page.locator("#announcer").inner_text()
    page.wait_for_timeout(600)
    assert list(saved(page, task).values()) == [3]


def test_value_set_by_a_rule_is_said_with_undo_after_the_page_moved_on(page: Any) -> None:
    task = at_work(page)
    press(page, "3", "1")
    assert now(page) == "q2.grammaticality"
    notice = page.locator("#notice")
    expect(notice).to_contain_text("A, Correctness: Set to 1 by the protocol")
    page.wait_for_timeout(300)
    said = page.locator("#announcer > p").all_inner_texts()
    assert said[-2].startswith("Set to 1 by the protocol")
    assert said[-1].startswith("B: ")
    page.wait_for_timeout(300)
    press(page, "a")
    assert [line[:2] for line in page.locator("#announcer > p").all_inner_texts()] == ["A:"]
    press(page, "b")
    assert violations(page) == []
    notice.get_by_role("button", name="Undo").click()
    assert now(page) == "q1.understandability"
    expect(notice).to_be_hidden()
    assert page.locator('[id="q1.correctness"] [data-because]').is_hidden()
    page.wait_for_timeout(600)
    assert list(saved(page, task).values()) == [3]


def test_next_task_has_its_number_in_the_title_and_the_focus_on_its_heading(page: Any) -> None:
    at_work(page)
    assert page.title().startswith("Task 1 of 2 · ")
    address = page.url
    press(page, *"333333", "Enter")
    page.wait_for_url(lambda url: url != address)
    page.wait_for_selector("#judging.scripted")
    assert page.title().startswith("Task 2 of 2 · ")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.evaluate("document.activeElement.textContent").startswith("Task 2 of 2")
    assert page.locator("#announcer > p").count() == 0


@pytest.mark.parametrize("key", ["qgstec2010-a"])
def test_every_option_has_its_key_printed(page: Any, key: str) -> None:
    campaign = studies.opened(key, sources=1)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    without = """() => [...document.querySelectorAll("label[data-key]")].filter(
      (each) => (each.querySelector(".v, kbd")?.textContent ?? "") !== each.dataset.key
    ).map((each) => each.textContent)"""
    assert page.locator("label[data-key]").count()
    assert page.evaluate(without) == []
