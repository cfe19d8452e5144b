"""One question in view, in a real browser: what is shown, how one goes on, and what those hear who
do not see it."""

import re

import pytest
from playwright.sync_api import expect

from judging.datasets.models.dataset import Passage
from judging.work.actions import drafts
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def at_work(page, key: str = "qgbench", **material):
    """Bring the page to a task; return its assignment."""
    campaign = studies.opened(key, **({"sources": 2} | material))
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    return studies.held(enrollment)


def shown(page) -> list[str]:
    return page.locator("article.question:visible").evaluate_all(
        "all => all.map((each) => each.dataset.item)"
    )


def open_criterion(page) -> str:
    return page.locator("fieldset.now").get_attribute("id")


def saved(page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def test_digits_and_taps_go_on_alike_and_a_digit_too_many_overwrites_nothing(page) -> None:
    task = at_work(page)
    assert (shown(page), open_criterion(page)) == (["A"], "q1.grammaticality")
    page.keyboard.press("3")
    wait_until_pressable(page)
    page.locator("fieldset.now .scale label").nth(1).click()
    page.locator('[id="q1.correctness"].now').wait_for()
    assert (
        page.locator('[id="q1.understandability"] .line').inner_text().startswith("2 Takes effort")
    )
    press_keys(page, "3")
    assert (shown(page), open_criterion(page)) == (["B"], "q2.grammaticality")
    press_keys(page, "3331")
    saved(page)
    assert sorted(drafts.draft_answers(task).values()) == [2, 3, 3, 3, 3, 3]
    assert page.locator("fieldset.now").count() == 0
    assert violations(page) == []


def test_task_names_its_groups_remembers_a_list_and_says_what_is_entered_and_missing(page) -> None:
    at_work(page)
    tree = page.locator("#q1").aria_snapshot()
    assert 'radiogroup "A, Grammaticality"' in tree
    group = page.get_by_role("radiogroup", name="A, Grammaticality")
    assert group.get_attribute("aria-required") == "true"
    described = group.get_attribute("aria-describedby").split()[0]
    assert page.locator(f'[id="{described}"]').inner_text() == "Is the question grammatical?"

    page.get_by_role("button", name="Show all").click()
    assert shown(page) == ["A", "B"]
    page.reload()
    assert shown(page) == ["A", "B"]
    page.get_by_role("button", name="One by one").click()
    assert shown(page) == ["A"]

    page.keyboard.press("b")
    said = page.locator("#announcer > :last-child")
    assert re.match(r"B: What does the \dth question", said.inner_text())
    page.wait_for_timeout(600)
    page.keyboard.press("Enter")
    assert said.inner_text().startswith("6 to go: A, Grammaticality")
    assert open_criterion(page) == "q1.grammaticality"

    page.keyboard.press("b")
    assert shown(page) == ["B"]
    page.keyboard.press("1")
    letters = page.locator("#strip a")
    assert letters.evaluate_all("all => all.map((each) => each.ariaLabel)") == [
        "A, not answered yet",
        "B, partly answered",
    ]
    letters.first.click()
    assert shown(page) == ["A"]
    assert "5 to go" in page.locator("#strip small").inner_text()
    assert page.get_by_role("button", name="Next: B").count() == 1


def test_answered_criterion_can_be_changed(page) -> None:
    task = at_work(page)
    page.keyboard.press("3")
    wait_until_pressable(page)
    page.get_by_role("button", name="change: Grammaticality").click()
    assert open_criterion(page) == "q1.grammaticality"
    page.keyboard.press("1")
    saved(page)
    assert list(drafts.draft_answers(task).values()) == [1]


def test_list_is_offered_first_for_sets_whose_controls_are_counted(page) -> None:
    at_work(page, "schlichtkrull-cheng", sources=1, expected=3)
    assert page.evaluate("document.documentElement.dataset.view") == "list"
    assert page.locator("#missing").inner_text().startswith("6 to go")
    assert page.locator("#strip a").all_inner_texts() == ["A–C", "D–F"]


def test_arrows_are_the_browsers_own_where_single_keys_are_off(page) -> None:
    task = at_work(page)
    page.locator("[data-open=help]").click()
    page.get_by_label("Single keys answer").uncheck()
    page.keyboard.press("Escape")
    page.locator("fieldset.now input").first.focus()
    page.keyboard.press("ArrowDown")
    assert open_criterion(page) == "q1.grammaticality"
    page.keyboard.press("1")
    saved(page)
    assert list(drafts.draft_answers(task).values()) == [2]


def test_long_passage_opens_at_the_answer_and_can_be_searched(new_page) -> None:
    page = new_page(width=360, height=740)
    text = (
        "The river ran on. " * 800
        + "Lock 1 was built by Agnes Tolliver. "
        + "The heron stood. " * 800
    )
    campaign = studies.opened("qgbench", sources=1)
    Passage.objects.update(text=text)
    for source in campaign.dataset.sources.all():
        source.answer_start, source.sentence_start = text.index("Agnes"), text.index("Lock 1")
        source.save()
    enter(page, studies.annotator(campaign)[1].user)
    for width, height in ((360, 740), (1440, 900)):
        page.set_viewport_size({"width": width, "height": height})
        page.goto(f"/work/{campaign.uuid}/?begin")
        page.wait_for_selector("html[data-view=focus] .shown")
        expect(page.locator("#source mark")).to_be_in_viewport()
    page.set_viewport_size({"width": 768, "height": 1024})
    expect(page.locator("#source mark")).to_be_in_viewport()
    page.get_by_label("Find in the passage").fill("heron")
    page.get_by_label("Find in the passage").press("Enter")
    assert page.locator("[data-reading] output").inner_text() == "1 / 800"


def test_page_whose_scripts_do_not_load_is_the_one_without_scripts(page) -> None:
    page.context.route(re.compile(r"judging\.js"), lambda route: route.abort())
    at_work(page)
    page.wait_for_selector("html:not([data-view])")
    assert shown(page) == ["A", "B"]
