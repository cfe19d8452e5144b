"""What is judged stays as it is where a browser translates pages: no passage, answer, question or
option can be translated, on each page that shows them."""

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Question
from judging.protocols import documents
from judging.protocols.protocol_schema import ProtocolDocument
from judging.quality.actions import adjudications
from tests import factories
from tests.annotation import studies
from tests.flows.sessions import enter, press_keys
from tests.judging.quality.actions.test_qualifications import opened as with_exercises
from tests.judging.workers import work

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

STAGES, MARKING = "qgbench-staged", "qgstec2010-a"
# The given texts that stand in a page, and what of them a browser may translate: texts that are all an
# element or a line of it says. Half a sentence of the passage counts as well.
SEEN = """([texts, passage]) => {
    const [found, translatable] = [new Set(), new Set()];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const text = node.data.trim().replace(/\\s+/g, " ");
        if (!texts.includes(text) && !(text.length > 8 && passage.includes(text))) continue;
        found.add(text);
        if (node.parentElement.translate) translatable.add(`${text} in ${node.parentElement.outerHTML}`);
    }
    return [[...found], [...translatable]];
}"""


def options(protocol: ProtocolDocument, stage: str = "") -> set[str]:
    """Return the words of a protocol's options, of one stage or of all."""
    return {
        point.label
        for criterion in protocol.criteria
        if stage in ("", criterion.stage)
        for point in criterion.points
        if point.label and not point.label.isdigit()
    }


def questions() -> set[str]:
    return set(Question.objects.values_list("text", flat=True))


def check(page: Page, wanted: set[str], *, also: set[str] = frozenset(), passage: str = "") -> None:
    """Check that all that is wanted is there, and that none of it, nor of the passage, can be
    translated."""
    found, translatable = page.evaluate(SEEN, [[*wanted, *also], passage])
    assert translatable == []
    assert wanted <= set(found)
    assert not passage or any(text in passage for text in found)


@pytest.mark.parametrize("key", [STAGES, MARKING])
def test_judging_page_lets_no_browser_translate_what_is_judged(page: Page, key: str) -> None:
    protocol = documents.shipped(key)
    campaign = studies.opened(key, sources=1, systems=["Alba"], expected=2)
    Question.objects.update(submitted_answer="Agnes T.", question_type="which one")
    source = campaign.dataset.sources.get()
    campaign.dataset.sources.update(target_type="who is it")
    given = {"Agnes Tolliver", "Agnes T.", "which one", "who is it", *options(protocol)}
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    for stage in protocol.stages:
        wanted = questions() | options(protocol, stage.key)
        shows_passage = {"passage", "sentence"} & set(stage.shows)
        check(page, wanted, also=given, passage=source.passage.text if shows_passage else "")
        press_keys(page, "2")  # what was chosen is said where the criterion is closed
        check(page, wanted, also=given)
        if stage is not protocol.stages[-1]:
            page.keyboard.press("2")
            page.keyboard.press("Enter")
            page.get_by_text("Step 2 of 2").wait_for()
            page.wait_for_selector("#judging.scripted")


def test_marked_pieces_are_not_translated(page: Page) -> None:
    campaign = studies.opened("qgstec2010-a", sources=1, systems=["Alba"], expected=1)
    passage = campaign.dataset.sources.get().passage.text
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.locator("#m1 [data-begin]").press("Enter")
    for _word in range(3):
        page.keyboard.press("Shift+ArrowRight")
    check(page, questions())  # whose answer is selected stands beside the passage
    page.keyboard.press("Enter")
    piece = page.locator("#m1 .kept q").inner_text()
    check(page, {piece}, passage=passage)
    assert page.evaluate("document.getElementById('announcer').translate") is False
    page.wait_for_selector("#saved[data-state=saved]")
    page.reload()
    page.locator("#m1 .kept q").wait_for()
    check(page, {piece}, passage=passage)


def test_training_and_qualification_do_not_translate_what_is_judged(page: Page) -> None:
    campaign, enrollment = with_exercises("training", "qualification")
    labels = {"no", "nearly", "maybe", "yes"}
    texts = {"Who built it?", "Ada built it.", "Ada"}
    enter(page, enrollment.user)
    page.goto(reverse("annotation:training", args=[campaign.uuid]))
    check(page, texts | labels)
    page.wait_for_selector("#judging.scripted")
    press_keys(page, ("1", "1", "Enter"))
    page.get_by_text("What is right, and why").wait_for()
    assert page.get_by_text("not quite").count() == 2
    assert (
        page.locator(".feedback [translate=no] b", has_text="3").first.evaluate(
            "value => value.translate"
        )
        is False
    )
    check(page, texts | {"nearly", "yes"})
    page.goto(reverse("annotation:qualification", args=[campaign.uuid]) + "?item=1")
    check(page, texts | labels)


def test_start_and_guideline_do_not_translate_options_and_the_worked_item(page: Page) -> None:
    protocol = documents.shipped("qgbench")
    item = protocol.worked_item
    assert item
    campaign = studies.opened("qgbench", sources=1)
    enter(page, studies.annotator(campaign)[1].user)
    page.goto(f"/work/{campaign.uuid}/start/")
    check(
        page,
        {item.question, item.shows["answer"], *options(protocol)},
        also=set(item.shows.values()),
    )
    page.goto(f"/work/{campaign.uuid}/guideline/")
    check(page, options(protocol))


def test_adjudication_does_not_translate_what_is_judged(page: Page) -> None:
    campaign = studies.opened(sources=1, annotators_per_task=2)
    passage = campaign.dataset.sources.get().passage.text
    for label, value in (("A01", 1), ("A02", 3)):
        work(factories.enrollment(campaign, label=label), tasks=1, choose=value)
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    manager = campaign.created_by
    adjudications.name_adjudicator(
        campaign=campaign, adjudicator=manager, threshold=1, by=manager, now=timezone.now()
    )
    enter(page, manager)
    page.goto(reverse("judging:settle", args=[campaign.uuid]))
    wanted = {*questions(), "Agnes Tolliver", "no", "yes", "1 no", "2 nearly", "2 maybe", "3 yes"}
    check(page, wanted, passage=passage)
