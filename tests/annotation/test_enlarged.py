"""The judging page enlarged to 200%: a screen of 1280 x 720 zoomed, and a phone of 360 x 640 with
its text twice as large, which a browser lays out like half as many pixels."""

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


@pytest.mark.parametrize("size", [(640, 360), (180, 320)])
@pytest.mark.parametrize("key", ["qgbench"])
def test_question_and_scale_stay_in_view_together_at_200_percent(
    new_page: Any, key: str, size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1], device_scale_factor=2)
    campaign = phones.opened(key, review_before_submit=True)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    found = []
    while page.locator("fieldset.now").count():
        assert page.evaluate(OVER) <= 0
        if page.locator(".change:visible, [type=radio]:checked").count():  # the passage was read
            found += page.evaluate(QUESTION_AND_SCALE)
        if page.locator("fieldset.now").get_attribute("id") == "q1.understandability":
            assert violations(page) == []
        press_keys(page, "3")
    assert "\n".join(found) == ""
    page.keyboard.press("Enter")
    page.locator("#review").wait_for()
    assert page.evaluate(OVER) <= 0
    assert violations(page) == []
