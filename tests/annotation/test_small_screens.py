"""The judging page on 320 pixels, at 200 %, without motion and in the colours of high contrast."""

import pytest

from judging.work.actions import drafts
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
IN_VIEW = """() => {
  const box = document.querySelector("fieldset.now .scale").getBoundingClientRect();
  const at = document.elementFromPoint(box.left + box.width / 2, box.top + 8);
  return Boolean(at?.closest("fieldset.now"));
}"""


def at_work(page, key: str):
    campaign = studies.opened(key, sources=1, expected=2)
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    return studies.held(enrollment)


@pytest.mark.parametrize(
    ("width", "height"),
    [
        (320, 640),  # the narrowest
        (640, 360),  # 200 % of 1280 x 720
    ],
)
def test_rating_on_a_small_or_enlarged_screen(new_page, width, height) -> None:
    page = new_page(width=width, height=height)
    task = at_work(page, "qgbench")
    assert page.evaluate(OVER) <= 0
    # before it the passage is read, which stands above the questions on the lowest screens
    press_keys(page, "3")
    for _number in range(5):
        assert page.evaluate(OVER) <= 0
        assert page.evaluate(IN_VIEW), page.locator("fieldset.now").get_attribute("id")
        press_keys(page, "3")
    page.wait_for_selector("#saved[data-state=saved]")
    assert page.locator(".dock [data-needs-all]").is_visible()
    assert page.evaluate(OVER) <= 0
    assert violations(page) == []
    assert len(drafts.draft_answers(task)) == 6


def test_nothing_moves_where_motion_is_not_wanted(new_page) -> None:
    page = new_page(reduced_motion="reduce")
    at_work(page, "qgstec2010-b")
    moving = """() => [...document.querySelectorAll("*")].map((each) => getComputedStyle(each)).filter((style) =>
      style.scrollBehavior === "smooth" || style.animationName !== "none"
      || style.transitionDuration.split(", ").some((time) => parseFloat(time) > 0)).length"""
    assert page.evaluate(moving) == 0


def test_high_contrast_shows_what_is_chosen_and_where_one_is(new_page) -> None:
    page = new_page(forced_colors="active")
    at_work(page, "qgbench")
    style = "each => [getComputedStyle(each).outlineStyle, parseFloat(getComputedStyle(each).outlineWidth)]"
    page.keyboard.press("3")
    chosen = page.locator('[id="q1.grammaticality"] label:has(:checked)')
    assert chosen.evaluate(style) == ["solid", 3]
    assert page.locator(".question.now").evaluate(style) == ["solid", 2]
    page.keyboard.press("k")
    assert chosen.evaluate(style) == ["dashed", 3]
