"""Pointer input that cannot be meant as an answer, in a real browser: the second click of a double
click, and a press on a criterion that has only just appeared.

The page's clock is stopped and goes on by what a test runs, so a busy machine changes no delay. Real
delays are used only where a longer one gives the same result.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Locator, Page

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.work.actions import drafts
from tests import factories
from tests.annotation import studies
from tests.flows.sessions import enter, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

DELAYS = (60, 300)  # milliseconds between the clicks of a double click
NO_LONGER_DOUBLE = 1_000  # milliseconds after which a browser counts clicks from one again
DEVICES = {
    "mouse": {},
    "phone": {"width": 390, "height": 664, "has_touch": True, "is_mobile": True},
}
CHECKED = "() => document.querySelectorAll('fieldset [type=radio]:checked').length"
FIFTEEN = ", ".join(f'{{value: {value}, label: "point {value}"}}' for value in range(1, 16))
SPARSE = ", ".join(f'{{value: {value}, label: "point {value}"}}' for value in range(1, 31, 2))
MAYBE = '[{value: 1, label: "no"}, {value: 2, label: maybe}, {value: 3, label: "yes"}]'


def questions(key: str = "qgbench") -> Campaign:
    """Return an open campaign whose tasks have two questions of three criteria."""
    return studies.opened(key, sources=2)


def at_work(page: Page, campaign: Campaign) -> Assignment:
    """Bring the page to a task, with its clock stopped; return its assignment."""
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.clock.install()
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    stop_clock(page)
    return studies.held(enrollment)


def stop_clock(page: Page) -> None:
    """Go on by an hour, and let time pass only by what is run."""
    page.clock.pause_at(timezone.now() + timedelta(hours=1))


def paint(page: Page) -> None:
    """Paint what has appeared: the stopped clock has 60 frames a second."""
    page.clock.run_for(18)


def place_of(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def press(page: Page, target: Locator, *, count: int = 1) -> None:
    """Press the middle of what is shown, by touch where the page has it; `count` as a browser
    counts the clicks of a mouse."""
    target.scroll_into_view_if_needed()
    x, y = place_of(target)
    if page.evaluate("navigator.maxTouchPoints"):
        page.touchscreen.tap(x, y)
        return
    page.mouse.move(x, y)
    page.mouse.down(click_count=count)
    page.mouse.up(click_count=count)


def points(page: Page) -> Locator:
    """Return the labels of the open criterion."""
    return page.locator("fieldset.now .scale label")


def open_criterion(page: Page) -> str | None:
    return page.locator("fieldset.now").get_attribute("id")


def saved_answers(page: Page, task: Assignment) -> dict[str, int]:
    """Return what the server holds once everything that was answered has been sent."""
    page.clock.run_for(2_000)
    page.wait_for_selector("#saved[data-state=saved]")
    return drafts.draft_answers(task)


@pytest.mark.parametrize("device", DEVICES)
def test_criterion_pressed_within_350_ms_of_its_appearance_keeps_no_answer(
    new_page: Callable[..., Page], device: str
) -> None:
    page = new_page(**DEVICES[device])
    task = at_work(page, questions())
    for number, delay in enumerate(DELAYS, start=1):
        press(page, points(page).nth(2))
        page.clock.run_for(1)
        opened = open_criterion(page)
        page.clock.run_for(delay - 1)
        press(page, points(page).nth(1))
        page.clock.run_for(1)
        assert (open_criterion(page), page.evaluate(CHECKED)) == (opened, number)
        page.clock.run_for(1_000)
    assert list(saved_answers(page, task).values()) == [3] * len(DELAYS)


@pytest.mark.parametrize("device", ["mouse"])
def test_criterion_pressed_after_350_ms_is_answered(
    new_page: Callable[..., Page], device: str
) -> None:
    page = new_page(**DEVICES[device])
    task = at_work(page, questions())
    for _question in range(4):
        press(page, points(page).nth(2))
        if device != "mouse":  # whose clicks are counted here
            page.wait_for_timeout(NO_LONGER_DOUBLE)
        page.clock.run_for(1)
        paint(page)
        page.clock.run_for(350)
    assert list(saved_answers(page, task).values()) == [3] * 4


def test_press_that_begins_too_early_and_ends_later_keeps_no_answer(page: Page) -> None:
    task = at_work(page, questions())
    press(page, points(page).nth(2))
    page.clock.run_for(300)
    page.mouse.move(*place_of(points(page).nth(1)))
    page.mouse.down()
    page.clock.run_for(100)
    page.mouse.up()
    assert list(saved_answers(page, task).values()) == [3]
    assert page.evaluate(CHECKED) == 1


@pytest.mark.parametrize("delay", DELAYS)
def test_second_click_of_a_real_double_click_answers_nothing(page: Page, delay: int) -> None:
    campaign = questions()
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    wait_until_pressable(page)
    target = points(page).nth(2)
    press(page, target)
    page.wait_for_timeout(delay)
    press(page, points(page).nth(2), count=2)
    wait_until_pressable(page)
    press(page, points(page).nth(1))
    page.wait_for_selector("#saved[data-state=saved]")
    assert page.evaluate(CHECKED) == 2
    assert sorted(drafts.draft_answers(studies.held(enrollment)).values()) == [2, 3]


def test_page_pressed_within_350_ms_of_opening_keeps_no_answer(page: Page) -> None:
    campaign = questions()
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.clock.install()
    stop_clock(page)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    paint(page)
    page.clock.run_for(300)
    press(page, points(page).nth(1))
    assert page.evaluate(CHECKED) == 0
    page.clock.run_for(50)
    press(page, points(page).nth(2))
    assert list(saved_answers(page, studies.held(enrollment)).values()) == [3]


def test_page_painted_late_and_pressed_at_once_keeps_no_answer(page: Page) -> None:
    campaign = questions()
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.clock.install()
    stop_clock(page)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    page.clock.fast_forward(10_000)  # to the first frame
    press(page, points(page).nth(1))
    assert page.evaluate(CHECKED) == 0
    page.clock.run_for(400)
    press(page, points(page).nth(2))
    assert list(saved_answers(page, studies.held(enrollment)).values()) == [3]


def test_keys_answer_criteria_that_have_just_appeared(page: Page) -> None:
    task = at_work(page, questions())
    for key in "323":
        page.keyboard.press(key)
    page.keyboard.press("Space")  # chooses the first point, which has the focus
    page.clock.run_for(1)
    assert page.evaluate("document.activeElement.value") == "1"
    assert list(saved_answers(page, task).values()) == [3, 2, 3, 1]


def test_list_of_all_takes_quick_answers_to_different_criteria(page: Page) -> None:
    task = at_work(page, questions())
    page.get_by_role("button", name="Show all").click()
    paint(page)
    page.clock.run_for(350)
    for name in ("q1.grammaticality", "q1.understandability", "q2.grammaticality"):
        press(page, page.locator(f'[id="{name}"] .scale label').nth(1))
        page.clock.run_for(100)
    assert list(saved_answers(page, task).values()) == [2, 2, 2]


def test_double_click_in_the_list_of_all_answers_one_criterion_once(page: Page) -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=2)
    at_work(page, campaign)
    nothing = page.locator("#m1 [data-nothing]")
    label = page.locator("#m1 .ways label span")
    press(page, label)
    press(page, label, count=2)
    assert nothing.is_checked()
    press(page, label)
    assert not nothing.is_checked()


@pytest.mark.parametrize(("scale", "control"), [(FIFTEEN, "input.number"), (SPARSE, "select")])
def test_number_and_list_pressed_within_350_ms_stay_closed(
    page: Page, scale: str, control: str
) -> None:
    text = factories.SMALL.replace(MAYBE, f"[{scale}]")
    protocol = protocols.install(document=documents.parse(text, "long.yaml"))
    material = factories.dataset(sources=1, systems=["Alba"])
    task = at_work(page, factories.opened(dataset=material, protocol=protocol))
    press(page, points(page).nth(2))
    page.clock.run_for(1)  # the next criterion opens
    paint(page)
    page.clock.run_for(300)
    page.evaluate(
        """() => addEventListener("mousedown", (event) => { window.prevented = event.defaultPrevented; })"""
    )
    target = page.locator(f"fieldset.now {control}")
    press(page, target)
    assert page.evaluate("prevented")  # a list would open, and a number's arrows would count
    page.clock.run_for(50)
    press(page, target)
    assert not page.evaluate("prevented")
    assert list(saved_answers(page, task).values()) == [3]
