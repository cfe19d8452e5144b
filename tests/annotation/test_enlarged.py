"""The judging page enlarged to 200%: a screen of 1280 x 720 zoomed, a phone of 360 x 640 zoomed, which
a browser lays out like half as many pixels, and screens whose text is twice as large."""

from typing import Any

import pytest

from tests.annotation import phones, studies
from tests.annotation.test_small_screens import OVER
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUESTION_AND_SCALE = phones.HIDDEN_PARTS.replace(
    '...now.querySelectorAll("legend b, .prompt"), ', ""
)


OPTIONS = phones.HIDDEN_PARTS.replace(
    '[...texts, ...now.querySelectorAll("legend b, .prompt"), ...controls]', "[...controls]"
)


def at_work(page: Any) -> None:
    campaign = phones.opened("qgbench", review_before_submit=True)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")


@pytest.mark.parametrize("size", [(640, 360), (180, 320)])
def test_question_and_scale_stay_in_view_together_at_200_percent(
    new_page: Any, size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1], device_scale_factor=2)
    at_work(page)
    assert_in_view(page, QUESTION_AND_SCALE)


@pytest.mark.parametrize("size", [(360, 640), (390, 844), (1440, 900)])
def test_options_stay_in_view_with_text_of_200_percent(
    new_page: Any, size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1])
    sizes = {"fontSizes": {"standard": 32}}
    page.context.new_cdp_session(page).send("Page.setFontSizes", sizes)
    at_work(page)
    assert page.evaluate("getComputedStyle(document.documentElement).fontSize") == "32px"
    assert_in_view(page, OPTIONS)


def assert_in_view(page: Any, hidden_parts: str) -> None:
    """Rate a task and check that each scale is in view once the passage was read."""
    found = []
    while page.locator("fieldset.now").count():
        assert page.evaluate(OVER) <= 0
        if page.locator(".change:visible, [type=radio]:checked").count():  # the passage was read
            found += page.evaluate(hidden_parts)
        if page.locator("fieldset.now").get_attribute("id") == "q1.understandability":
            assert violations(page) == []
        press_keys(page, "3")
    assert "\n".join(found) == ""
    page.keyboard.press("Enter")
    page.locator("#review").wait_for()
    assert page.evaluate(OVER) <= 0
    assert violations(page) == []
