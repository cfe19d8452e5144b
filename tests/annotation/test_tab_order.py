"""The judging page by Tab and Enter in a real browser: the focus is never lost, focusing opens
nothing, and every radio group is reached."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from judging.protocols import documents
from tests.annotation import studies
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MATERIAL: dict[str, dict[str, Any]] = {
    "qgbench-staged": {},
    "qgstec2010-a": {"systems": ["Alba"], "expected": 2},
}
STAGES, MARKING = "qgbench-staged", "qgstec2010-a"
MOST_KEYS = 600  # far more than any walk takes
LEADING = ".change, #strip a, #missing a, summary, [data-begin], [data-cancel], [data-back]"
# What has the focus once the page has been painted: until then, an element that has vanished keeps it.
# `leads`: Enter on it stays on the page, may move the focus, and has not been pressed before.
FOCUSED = """async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const active = document.activeElement;
    const leads = active.matches("#judging :is(LEADING)");
    const isNew = leads && !(window.entered ??= new WeakSet()).has(active);
    if (isNew) window.entered.add(active);
    return {
        what: active.outerHTML.split("\\n")[0].slice(0, 100),
        isBody: active === document.body,
        isLast: active.matches(".dock .buttons > :last-child"),
        group: active.matches("[type=radio]") ? active.name : "",
        leads: isNew,
        isLine: active.matches(".change"),
    };
}""".replace("LEADING", LEADING)
OPEN = "() => document.querySelector('fieldset.now')?.id ?? ''"
GROUPS = "() => [...new Set([...document.querySelectorAll('#judging [type=radio]:enabled')].map(o => o.name))]"
UNANSWERED = "() => document.getElementById('missing').textContent !== 'Everything is answered'"


def at_work(page: Page, key: str) -> None:
    campaign = studies.opened(key, sources=1, **MATERIAL.get(key, {}))
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")


def choose_view(page: Page, view: str) -> None:
    page.evaluate("() => { window.entered = new WeakSet(); }")
    if page.evaluate("document.documentElement.dataset.view") != view:
        page.locator("#view-toggle").press("Enter")


def walk(page: Page) -> set[str]:
    """Go through the page by Tab, with Enter once on each control that leads somewhere on it, until
    a whole round brings nothing new; return the radio groups that had the focus."""
    reached, trail, is_new, is_last = set(), list[str](), True, False
    for _key in range(MOST_KEYS):
        opened = page.evaluate(OPEN)
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        trail.append(focused["what"])
        if is_last:  # behind the last control is the browser's own
            if not is_new:
                return reached
            is_new, is_last = False, False
            continue
        assert not focused["isBody"], "\n".join(trail)
        if focused["isLine"]:
            assert page.evaluate(OPEN) == opened, "\n".join(trail)
        reached.add(focused["group"])
        if focused["leads"]:
            is_new = True
            page.keyboard.press("Enter")
            focused = page.evaluate(FOCUSED)
            trail.append(f"Enter: {focused['what']}")
            assert not focused["isBody"], "\n".join(trail)
            reached.add(focused["group"])
        is_last = focused["isLast"]
    raise AssertionError("\n".join(trail))


@pytest.mark.parametrize(
    "key",
    [key if key == STAGES else pytest.param(key, marks=pytest.mark.long) for key in MATERIAL],
)
def test_walk_by_tab_and_enter_keeps_the_focus_and_reaches_every_group(
    page: Page, key: str
) -> None:
    at_work(page, key)
    for _stage in documents.shipped(key).stages:
        for view in ("list", "focus"):
            choose_view(page, view)
            assert set(page.evaluate(GROUPS)) <= walk(page)
        open_next_stage(page)


def open_next_stage(page: Page) -> None:
    """Answer all by digits and go on, if this stage is not the last."""
    if not page.locator("[data-needs-all][value=continue]").count():
        return
    page.locator("#strip a").first.press("Enter")
    while page.evaluate(UNANSWERED):
        press_keys(page, "3")
    page.keyboard.press("Enter")
    page.get_by_text("Step 2 of 2").wait_for()
    page.wait_for_selector("#judging.scripted")


def test_answers_by_space_and_enter_keep_the_focus_and_reach_every_group(
    new_page: Callable[..., Page],
) -> None:
    """On low screens a criterion is shown once the one before it is answered."""
    page = new_page(width=390, height=664)
    at_work(page, MARKING)
    page.locator("fieldset.now input:visible").first.focus()
    reached = set[str]()
    while page.evaluate(UNANSWERED):
        focused = page.evaluate(FOCUSED)
        assert not focused["isBody"]
        if focused["leads"]:  # to mark a piece of the passage: behind it is "nothing"
            page.keyboard.press("Tab")
        else:
            assert focused["group"] not in reached
            reached.add(focused["group"])
        page.keyboard.press("Space")
        if page.evaluate(UNANSWERED):
            page.keyboard.press("Enter")
    assert set(page.evaluate(GROUPS)) <= reached | walk(page)  # a rule may have answered others


def test_closed_criterion_opened_by_click_enter_or_space_moves_the_focus_to_its_answer(
    page: Page,
) -> None:
    at_work(page, "qgbench")
    page.keyboard.press("3")
    page.keyboard.press("2")
    focused = "() => [document.activeElement.name, document.activeElement.value]"
    line = page.locator('[id="q1.grammaticality"] .change')
    line.press("Enter")
    assert page.evaluate(focused) == ["q1.grammaticality", "3"]
    page.locator('[id="q1.correctness"] .change').press("Space")
    assert page.evaluate(focused) == ["q1.correctness", "1"]
    wait_until_pressable(page)
    line.click()
    assert page.evaluate(focused) == ["q1.grammaticality", "3"]
