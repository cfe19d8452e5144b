"""The question's own words, highlighted in the passage where the campaign wants it."""

from typing import Any

import pytest

from tests.annotation import phones, studies
from tests.flows.axe import violations
from tests.flows.sessions import enter

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HIGHLIGHTED = """() => [...(CSS.highlights.get("keywords") ?? [])]
  .map((range) => range.toString().toLowerCase()).sort()"""


def at_work(page: Any, **fields: Any) -> None:
    campaign = phones.opened("qgbench", **fields)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")


@pytest.mark.parametrize("size", [(360, 640)])
def test_keywords_of_the_question_in_view_are_highlighted_where_the_campaign_wants_it(
    new_page: Any, size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1])
    at_work(page, highlight_keywords=True)
    found = {}
    for letter in "ab":
        page.keyboard.press(letter)
        page.wait_for_timeout(60)
        found[page.locator(".shown h2.text [dir]").inner_text()] = page.evaluate(HIGHLIGHTED)
    assert found[phones.QUESTIONS[1]] == ["bridges", "built", "river"]
    assert {"engineer", "timber", "harrow", "winter"} <= set(found[phones.QUESTIONS[0]])
    assert {"the", "which", "after"}.isdisjoint(found[phones.QUESTIONS[0]])
    assert violations(page) == []


def test_no_keywords_are_highlighted_by_default(page: Any) -> None:
    at_work(page)
    page.keyboard.press("b")
    assert page.evaluate(HIGHLIGHTED) == []
