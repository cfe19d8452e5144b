"""On every phone a question, its prompt and all options are in view together, beside the part of
the passage that holds the answer."""

from typing import Any

import pytest

from judging.protocols import documents
from judging.protocols.actions import protocols
from tests import factories
from tests.annotation import phones, studies
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PORTRAIT = [(360, 600), (390, 664), (412, 732)]
LANDSCAPE = [(640, 360)]
MATERIAL: dict[str, dict[str, Any]] = {
    "qgbench": {},
    "qgstec2010-a": {"systems": ["Alba"], "expected": 2},
    "schlichtkrull-cheng": {"expected": 3},
}
SEVEN_POINTS = """
  - {key: naturalness, name: Naturalness, prompt: "Would a person ask it like this?", definition: x,
     level: ordinal, best: highest, stage: all,
     points: [{value: 1, label: Strongly disagree}, {value: 2, label: Disagree},
       {value: 3, label: Somewhat disagree}, {value: 4, label: Neither agree nor disagree},
       {value: 5, label: Somewhat agree}, {value: 6, label: Agree}, {value: 7, label: Strongly agree}]}
aggregate:"""


def at_work(page: Any, campaign: Any) -> None:
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")


def problems(page: Any, sizes: list[tuple[int, int]]) -> list[str]:
    """Return what is out of view of the marked criterion, at each size."""
    found = []
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(60)
        at = f"{width}x{height}"
        found += [f"{at} {part}" for part in page.evaluate(phones.HIDDEN_PARTS)]
        if page.locator("#source .passage").count():
            seen = page.evaluate(phones.LINES_IN_VIEW)
            wanted = min(3 if width > height else 5, seen["all"])
            if seen["lines"] < wanted or not seen["answer"]:
                found.append(f"{at} {page.locator('fieldset.now').get_attribute('id')}: {seen}")
    return found


def answer(page: Any) -> bool:
    """Answer the marked criterion with its first option and return whether another is marked."""
    if page.locator("fieldset.now").count() == 0:
        return False
    now = page.locator("fieldset.now")
    key = now.locator("label[data-key]").first.get_attribute("data-key")
    press_keys(page, [key or "1"])
    return page.locator("fieldset.now").count() > 0


@pytest.mark.parametrize("key", MATERIAL)
def test_options_of_shipped_protocol_are_in_view_together_on_phones(
    new_page: Any, key: str
) -> None:
    page = new_page(width=360, height=600)
    at_work(page, phones.opened(key, **MATERIAL[key]))
    found = problems(page, PORTRAIT + LANDSCAPE)
    for _criterion in range(40):
        page.set_viewport_size({"width": 360, "height": 600})
        if not answer(page):
            break
        found += problems(page, PORTRAIT + LANDSCAPE)
    assert "\n".join(found) == ""


def test_seven_options_are_in_view_together_in_portrait(new_page: Any) -> None:
    document = documents.parse(factories.SMALL.replace("\naggregate:", SEVEN_POINTS), "seven.yaml")
    page = new_page(width=360, height=600)
    at_work(page, phones.opened(None, protocol=protocols.install(document=document)))
    answer(page)
    answer(page)
    assert page.locator("fieldset.now label").count() == 7
    assert problems(page, PORTRAIT) == []


def test_passage_on_phone_expands_and_gives_way_to_the_next_answer(new_page: Any) -> None:
    page = new_page(width=360, height=600)
    at_work(page, phones.opened("qgbench"))
    before = page.evaluate(phones.LINES_IN_VIEW)["lines"]
    page.get_by_role("button", name="Show more").click()
    assert page.evaluate(phones.LINES_IN_VIEW)["lines"] > before + 4
    page.wait_for_timeout(100)
    page.keyboard.press("3")
    page.locator('[id="q1.understandability"].now').wait_for()
    assert page.evaluate(phones.HIDDEN_PARTS) == []
    assert page.evaluate(phones.LINES_IN_VIEW)["answer"]
