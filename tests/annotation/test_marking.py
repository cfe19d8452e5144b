"""Marking answers in the passage in a real browser: by keyboard, mouse and touch, and without
scripts."""

import pytest
from playwright.sync_api import expect

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage
from judging.work.models.assignment import SpanMark
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys, wait_until_pressable

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TEXT = "👩‍🚀 The lock\r\nwas 𝒜nna's; the e\u0301cole stood by the lock."


@pytest.fixture
def campaign() -> Campaign:
    made = studies.opened(
        "qgstec2010-a", sources=1, systems=["Alba"], expected=2, annotators_per_task=1
    )
    Passage.objects.update(text=TEXT)
    return made


def at_work(page, campaign: Campaign) -> None:
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")


def wait_saved(page) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def marked() -> list[str]:
    return [TEXT[mark.start : mark.end] for mark in SpanMark.objects.order_by("unit", "start")]


def painted(page) -> list[str]:
    return page.evaluate("[...(CSS.highlights.get('kept') ?? [])].map(String)")


def box_of(page, word: str) -> dict:
    """Return where a word of the passage stands on the screen."""
    return page.evaluate(
        """word => {
            const walker = document.createTreeWalker(document.querySelector('.passage'), NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf(word);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(node, at);
                range.setEnd(node, at + word.length);
                const { left, right, top, bottom } = range.getBoundingClientRect();
                return { left, right, x: (left + right) / 2, y: (top + bottom) / 2 };
            }
        }""",
        word,
    )


def test_marking_by_keyboard_alone(page, campaign: Campaign) -> None:
    at_work(page, campaign)
    press_keys(page, "311013")
    page.keyboard.press("Enter")  # "Mark in the passage" of the first question has the focus
    assert page.evaluate("document.activeElement.className") == "passage"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.name") == "q2.specificity"  # the focus goes on
    page.locator("#m1 [data-begin]").press("Enter")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    wait_saved(page)
    assert marked() == ["lock\r\nwas 𝒜nna's", "lock"]
    assert page.locator("#m1 q").all_inner_texts() == ["lock was 𝒜nna's", "lock"]
    assert painted(page) == ["lock\nwas 𝒜nna's", "lock"]
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.name") == "q2.specificity"
    assert painted(page) == []
    assert violations(page) == []


def test_marks_by_mouse_are_removed_and_snap_to_words_unless_exact_ones_are_asked_for(
    page, campaign: Campaign
) -> None:
    at_work(page, campaign)
    page.locator("#q2 .letter").click()
    word = box_of(page, "e\u0301cole")
    page.mouse.move(word["left"] + 1, word["y"])
    page.mouse.down()
    page.mouse.move(word["right"] - 1, word["y"])
    page.mouse.up()
    page.get_by_role("button", name="Keep as answer to B").click()
    wait_saved(page)
    assert marked() == ["e\u0301cole"]
    page.locator("#q2 .letter").click()  # the focus went on to what is missing
    assert painted(page) == ["e\u0301cole"]
    page.get_by_role("button", name="Remove this mark: e\u0301cole").click()
    expect(page.locator("#m2 input").first).to_have_value("")
    wait_saved(page)
    assert marked() == []

    page.locator("#q2 .letter").click()
    drag(page, box_of(page, "stood"), box_of(page, "the lock."))
    page.get_by_role("button", name="Keep as answer to B").click()
    wait_saved(page)
    assert marked() == ["stood by the lock"]
    assert (
        page.locator("[data-question]").inner_text() == page.locator("#q1-text [dir]").inner_text()
    )
    page.locator("#q2 .letter").click()
    page.get_by_label("Exact characters").check()
    drag(page, box_of(page, "e\u0301cole"), box_of(page, "e\u0301cole"))
    page.get_by_role("button", name="Keep as answer to B").click()
    page.locator("#m2 q").nth(1).wait_for()
    wait_saved(page)
    assert marked()[1] == "stood by the lock"
    assert marked()[0] in "e\u0301cole"
    assert marked()[0] != "e\u0301cole"


def drag(page, start: dict, end: dict) -> None:
    page.mouse.move(start["left"] + 8, start["y"])
    page.mouse.down()
    page.mouse.move(end["right"] - 8, end["y"])
    page.mouse.up()


def test_marking_by_sentence_with_the_keyboard(page, campaign: Campaign) -> None:
    Passage.objects.update(text="The lock was old. It had iron gates. Nobody liked them.")
    at_work(page, campaign)
    page.locator("#m1 [data-begin]").press("Enter")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Enter")
    wait_saved(page)
    assert [(mark.start, mark.end) for mark in SpanMark.objects.all()] == [(18, 54)]


def test_marking_by_touch_on_a_small_screen(new_page, campaign: Campaign) -> None:
    page = new_page(width=360, height=740, has_touch=True, is_mobile=True)
    at_work(page, campaign)
    wait_until_pressable(page)
    page.locator("#m1 [data-begin]").tap()
    page.get_by_role("button", name="Cancel").tap()
    for word in ("stood", "lock."):
        place = box_of(page, word)
        page.touchscreen.tap(place["x"], place["y"])
    page.get_by_role("button", name="Keep as answer to A").tap()
    wait_saved(page)
    assert marked() == ["stood by the lock"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    wait_until_pressable(page)
    page.locator("#m2 [data-nothing]").check()
    wait_saved(page)
    assert violations(page) == []


def test_marks_come_back_and_a_piece_can_be_pasted(page, campaign: Campaign) -> None:
    at_work(page, campaign)
    wait_until_pressable(page)
    page.locator("#m1 summary").click()
    page.locator("#m1-text").fill("𝒜nna's")
    page.locator("#m1-text").press("Enter")
    page.wait_for_selector("#m1 q")
    assert page.locator("#m1 q").all_inner_texts() == ["𝒜nna's"]
    wait_until_pressable(page)
    page.locator("#m1 summary").click()
    page.locator("#m1-text").fill("lock")
    page.locator("#m1-text").press("Enter")
    page.locator("#m1 .choices button").last.wait_for()
    wait_until_pressable(page)
    page.locator("#m1 .choices button").last.click()
    expect(page.locator("#m1 q")).to_have_count(2)
    assert marked() == ["𝒜nna's", "lock"]


@pytest.mark.parametrize("scripts", [True])
def test_of_a_long_mark_the_page_shows_where_it_begins_and_ends(
    new_page, campaign: Campaign, scripts: bool
) -> None:
    begins, ends = "𝒜" + "b" * 119, "y" * 119 + "z"
    Passage.objects.update(text=begins + ends)
    page = new_page(java_script_enabled=scripts)
    at_work(page, campaign)
    wait_until_pressable(page)
    page.locator("#m1 summary").click()
    page.locator("#m1-text").fill(begins + ends)
    page.locator("#m1-text").press("Enter")
    expect(page.locator("#m1 q")).to_have_text(begins + ends)
    Passage.objects.update(text=f"{begins}{'🦉' * 40}{ends}")
    SpanMark.objects.update(end=280)
    page.reload()
    expect(page.locator("#m1 q")).to_have_text(f"{begins} … {ends}")
    remove = page.locator("#m1 .kept button")
    expect(remove).to_have_attribute("aria-label", f"Remove this mark: {begins} … {ends}")


def test_marking_without_scripts(new_page, campaign: Campaign) -> None:
    page = new_page(width=360, height=740, java_script_enabled=False)
    at_work(page, campaign)
    page.locator("#m2 summary").click()
    page.locator("#m2-text").fill("the lock")
    page.locator("#m2").get_by_role("button", name="Keep").click()
    page.locator("#m2 summary").click()
    page.locator("#m2-text").fill("e\u0301cole")
    page.locator("#m2").get_by_role("button", name="Keep").click()
    assert marked() == ["e\u0301cole", "the lock"]
    page.get_by_role("button", name="Remove this mark: the lock").click()
    assert marked() == ["e\u0301cole"]
