"""From a number of the report to its questions, to a kept example, and into LaTeX, in a real
browser."""

import io
import re
import zipfile
from typing import Any

import pytest
from django.urls import reverse

from tests.analysis import studies
from tests.flows.sessions import enter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
SHORT = 2830  # pixels


def test_report_from_a_first_look_to_a_kept_example_in_latex(new_page: Any) -> None:
    campaign = studies.analysed(studies.imported(sources=8)).campaign
    address = reverse("analysis:report", args=[campaign.uuid])
    steps = (
        stays_short_until_something_is_opened,
        opens_a_section_behind_more,
        shows_every_caveat_without_a_click,
        copies_a_table,
        leads_to_a_kept_example,
    )
    page = new_page()
    enter(page, campaign.created_by)
    for step in steps:
        page.goto(address)
        step(page)
    page = new_page(java_script_enabled=False)
    enter(page, campaign.created_by)
    page.goto(address)
    shows_another_table_without_scripts(page)


def stays_short_until_something_is_opened(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollHeight") < SHORT
    levels = page.get_by_role("region", name="Correlation with human ratings")
    assert levels.locator("table").count() == 1
    assert levels.locator("option").count() > 6
    levels.get_by_label("Show", exact=True).select_option(label="Pearson's r, system level")
    levels.get_by_role("heading", name="Pearson's r, system level").wait_for()
    assert levels.locator("table").count() == 1
    assert "over systems" in levels.locator(".switched").inner_text()
    page.get_by_text("How to read this").first.click()
    page.get_by_role("link", name="All about these numbers").first.click()
    page.get_by_role("region", name="Agreement", exact=True).get_by_text("Which α.").wait_for()
    page.locator(".contents").get_by_role("link", name="System comparisons").click()
    page.locator("details[open]:has(#system_comparisons)").wait_for()


def opens_a_section_behind_more(page: Any) -> None:
    """Follow a link of the contents into a section that two closed folds hide, and print it."""
    ranks = page.locator("details.card:has(> summary > #ranks)")
    assert not ranks.is_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert ranks.locator("table").first.is_visible()
    assert page.locator(".report details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.emulate_media(media="screen")
    assert not ranks.is_visible()
    page.locator(".contents").get_by_role("link", name="Ranks of systems").click()
    ranks.locator("table").first.wait_for()


def shows_every_caveat_without_a_click(page: Any) -> None:
    chapters = page.locator(".chapter > .caveats")
    assert chapters.count()
    assert all(chapter.is_visible() for chapter in chapters.all())


def copies_a_table(page: Any) -> None:
    """Copy one and, where there is no clipboard, get it as a file."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    levels = page.get_by_role("region", name="Correlation with human ratings")
    levels.get_by_label("Show", exact=True).select_option(label="Pearson's r, system level")
    levels.get_by_role("heading", name="Pearson's r, system level").wait_for()
    levels.get_by_role("link", name="Markdown", exact=True).click()
    levels.get_by_text("Markdown: Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**Pearson's r, system level**")
    assert "| Criterion |" in copied
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    with page.expect_download() as waiting:
        levels.get_by_role("link", name="TSV", exact=True).click()
    assert waiting.value.suggested_filename == "correlations.tsv"


def leads_to_a_kept_example(page: Any) -> None:
    """Go from a number to its questions, keep one as an example, and find it in LaTeX."""
    page.locator("table.heat td a").filter(has_text=re.compile(r"^\.92$")).first.click()
    page.get_by_text("24 questions in this order: Correctness").wait_for()
    first = page.locator("table.items a.q").first.inner_text()
    page.locator("table.items a.q").first.click()
    page.get_by_text("1 of 24").wait_for()
    assert first in page.locator("tr.now").inner_text()
    page.get_by_role("link", name="Next").click()
    page.get_by_text("2 of 24").wait_for()
    page.get_by_role("link", name="Previous").click()
    page.get_by_text("1 of 24").wait_for()
    page.get_by_label("Examples of the question").fill("people & metric disagree")
    page.get_by_role("button", name="Keep as example").click()
    page.get_by_role("button", name="Keep no longer").wait_for()
    page.get_by_role("link", name="Report", exact=True).click()
    page.get_by_text("people & metric disagree").wait_for()
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download all").click()
    assert waiting.value.suggested_filename == "locks-released-ratings-report-1.zip"
    archive = zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes()))
    text = archive.read("latex/examples.tex").decode()
    assert r"people \& metric disagree" in text
    assert first in text
    assert r"\input{examples}" in archive.read("latex/report.tex").decode()


def shows_another_table_without_scripts(page: Any) -> None:
    levels = page.get_by_role("region", name="Correlation with human ratings")
    levels.get_by_label("Show", exact=True).select_option(label="Pearson's r, system level")
    levels.get_by_role("button", name="Show").click()
    page.get_by_role("heading", name="Pearson's r, system level").wait_for()
    assert page.locator("table").count() == 1
    page.get_by_role("link", name="Report of run 1").click()
    page.get_by_role("heading", name="In short").wait_for()


@pytest.mark.long
def test_form_of_the_metrics_page_stands_on_a_phone(new_page: Any) -> None:
    campaign = studies.imported()
    page = new_page(width=360)
    enter(page, campaign.created_by)
    page.goto(reverse("analysis:metrics", args=[campaign.dataset_id]))
    assert page.get_by_role("button", name="Compute").is_visible()


@pytest.mark.long
def test_a_long_name_leaves_room_for_the_numbers_beside_it(new_page: Any) -> None:
    """The first column stays while the others scroll, so it may never fill the frame."""
    campaign = studies.imported()
    campaign.dataset.systems.filter(name="Alba").update(name="N" * 200)
    studies.analysed(campaign)
    page = new_page(width=360)
    enter(page, campaign.created_by)
    page.goto(reverse("analysis:report", args=[campaign.uuid]))
    systems = page.get_by_role("region", name="Systems", exact=True)
    first = systems.locator("tbody th").first.bounding_box()
    frame = systems.locator(".table-scroll").first.bounding_box()
    assert first["width"] < 0.6 * frame["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
