"""What a finger presses on the judging page is 44 px, what is read there at least 14 px, and the
states of the letters differ in more than colour."""

from typing import Any

import pytest

from tests.annotation import phones, studies
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = """() => [...document.querySelectorAll(
    "#strip a, #strip button, fieldset.now .more > summary, .expand, .dock .button, fieldset.now .scale label"
  )].filter((each) => each.checkVisibility()).map((each) => {
    const box = each.getBoundingClientRect();
    return [each.textContent.trim(), Math.round(box.width), Math.round(box.height), Math.round(box.right)];
  })"""


@pytest.mark.parametrize(("width", "height"), [(360, 600), (640, 360)])
def test_touch_targets_are_44_px_and_none_is_cut_off_with_six_letters(
    new_page: Any, width: int, height: int
) -> None:
    page = new_page(width=width, height=height)
    systems = ["Alba", "Brisa", "Cierzo", "Dorsal", "Ebro", "Foehn"]
    campaign = phones.opened("qgbench", systems=systems)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    page.wait_for_timeout(100)
    page.keyboard.press("3")
    page.wait_for_selector("#saved[data-state=saved]")
    found = page.evaluate(SIZES)
    assert len([name for name, *_ in found if name.startswith(tuple("ABCDEF"))]) >= 6
    assert [each for each in found if min(each[1], each[2]) < 44 or each[3] > width] == []
    size = page.locator("#saved").evaluate("each => parseFloat(getComputedStyle(each).fontSize)")
    assert size >= 14


def test_letters_differ_in_more_than_colour_in_forced_colours(new_page: Any) -> None:
    page = new_page(width=390, height=664, forced_colors="active")
    campaign = phones.opened("qgbench")
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    marks = "all => all.map((each) => getComputedStyle(each, '::after').content.split(' ')[0])"
    assert page.locator("#strip a").evaluate_all(marks) == ["none", "none"]
    press_keys(page, "3333")
    assert page.locator("#strip a").evaluate_all(marks) == ['"✓"', '"…"']
