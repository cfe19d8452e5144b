"""Where the passage opens: the answer is in view with as much of its sentence as fits. What scrolls
by itself there can be reached by keyboard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage, Question, Source
from tests.annotation import phones, studies
from tests.flows.axe import violations
from tests.flows.sessions import enter

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SIZES = [(360, 640), (640, 360)]
ANSWER = "Agnes Tolliver"
LATE = (
    "The iron gates that replaced the timber ones in a single summer, and that two people had to "
    "move for many years, were the work of the engineer Agnes Tolliver."
)
LONG = (
    "The engineer, who had built two bridges further up the river and who was known in the whole "
    "county for the patience with which she measured every stone of a wall before she let anybody "
    "move it, replaced the timber gates with iron ones in a single summer, helped by her sister, "
    "by two smiths from the next valley and by forty men whom the parish paid by the day, "
    "although it had not paid the carpenters who had made the gates that the winter floods of "
    "1799 had carried off, and was called Agnes Tolliver."
)
# Whether the first and the last word of a text are in view in the passage.
IN_VIEW = """text => {
  const passage = document.querySelector("#source .passage");
  const start = passage.textContent.indexOf(text);
  const isInView = (from, to) => {
    const walker = document.createTreeWalker(passage, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let before = 0;
    for (let node = walker.nextNode(); node; before += node.data.length, node = walker.nextNode()) {
      const end = before + node.data.length;
      if (from >= before && from < end) range.setStart(node, from - before);
      if (to > before && to <= end) range.setEnd(node, to - before);
    }
    const boxes = [...range.getClientRects()].filter((box) => box.width > 1);
    return boxes.every((box) => [box.top + 2, box.bottom - 2].every(
      (y) => document.elementFromPoint((box.left + box.right) / 2, y)?.closest(".passage")));
  };
  const words = text.split(" ");
  const end = start + text.length;
  return [isInView(start, start + words[0].length), isInView(end - words.at(-1).length, end)];
}"""


def opened(page: Page, sentence: str, *, is_given: bool, **source: str) -> None:
    """Open a task whose answer is in this sentence of its passage."""
    campaign = phones.opened("qgbench")
    text = phones.PASSAGE.replace(phones.SENTENCE, sentence)
    Passage.objects.update(text=text)
    Source.objects.update(
        answer_start=text.index(ANSWER),
        sentence=sentence if is_given else "",
        sentence_start=text.index(sentence) if is_given else None,
        **source,
    )
    work(page, campaign)


def work(page: Page, campaign: Campaign) -> None:
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("is_given", [True, False])
def test_passage_with_answer_late_in_its_sentence_opens_at_the_whole_sentence(
    new_page: Callable[..., Page], size: tuple[int, int], is_given: bool
) -> None:
    page = new_page(width=size[0], height=size[1])
    opened(page, LATE, is_given=is_given)
    assert page.evaluate(IN_VIEW, LATE) == [True, True]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("is_given", [True, False])
def test_passage_with_sentence_higher_than_its_frame_opens_at_the_answer(
    new_page: Callable[..., Page], size: tuple[int, int], is_given: bool
) -> None:
    page = new_page(width=size[0], height=size[1])
    opened(page, LONG, is_given=is_given)
    assert page.evaluate(IN_VIEW, ANSWER) == [True, True]


@pytest.mark.parametrize("size", SIZES)
def test_answer_higher_than_its_frame_is_reached_by_keyboard(
    new_page: Callable[..., Page], size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1])
    opened(page, phones.SENTENCE, is_given=True, answer=phones.SENTENCE)
    answer = page.locator(".asked dd").first
    assert violations(page) == []
    answer.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('.asked dd').scrollTop > 0")


def test_answer_within_its_frame_is_no_stop_for_tab(new_page: Callable[..., Page]) -> None:
    page = new_page(width=360, height=640)
    opened(page, phones.SENTENCE, is_given=True)
    page.set_viewport_size({"width": 390, "height": 664})
    assert page.locator(".asked dd[tabindex]").count() == 0


def test_question_higher_than_its_frame_is_reached_by_keyboard(
    new_page: Callable[..., Page],
) -> None:
    page = new_page(width=640, height=360)
    campaign = phones.opened("qgbench")
    Question.objects.update(text=phones.PASSAGE)
    work(page, campaign)
    assert violations(page) == []


FREE_HEIGHT = """() => {
  const scale = document.querySelector("fieldset.now .scale").getBoundingClientRect();
  return document.querySelector(".dock").getBoundingClientRect().top - scale.bottom;
}"""


@pytest.mark.parametrize("size", [(360, 640), (360, 600)])
def test_passage_takes_the_height_under_the_scale_on_phones(
    new_page: Callable[..., Page], size: tuple[int, int]
) -> None:
    page = new_page(width=size[0], height=size[1])
    enter(page, studies.annotator(phones.opened("qgbench"))[1].user)
    page.goto(f"/work/{Campaign.objects.get().uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    for key in "331":
        assert page.evaluate(FREE_HEIGHT) < 44
        page.keyboard.press(key)
        page.wait_for_timeout(100)
    comment = page.get_by_text("Add a comment on this task")
    report = page.locator(".shown .report summary")
    for part in (report, comment):
        part.scroll_into_view_if_needed()
        box = part.bounding_box()
        dock = page.locator(".dock").bounding_box()
        assert box and dock and box["y"] + box["height"] < dock["y"] + 1
    assert report.bounding_box()["y"] + 44 <= comment.bounding_box()["y"] + 1
    comment.click()
    page.locator("#note").fill("A remark")
    assert violations(page) == []
