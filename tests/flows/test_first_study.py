"""The first study of the README, step by step, in a real browser: every proposal is accepted."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judging.protocols.actions import protocols
from tests import factories
from tests.flows.sessions import press_keys
from tests.flows.test_main_road import DATASET, PATIENCE, log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
OWN = """\
passage,answer,system,question,METEOR,gpt2_ppl,our_metric
The lock was built by Agnes in 1814.,Agnes,Alba,Who built the lock?,0.98,31.2,0.7
The lock was built by Agnes in 1814.,Agnes,Brisa,What was it?,0.12,78.0,0.2
The weir of Orn holds back the mill pond.,the mill pond,Alba,What does it hold back?,0.61,25.5,0.9
The weir of Orn holds back the mill pond.,the mill pond,Brisa,Where Orn?,0.08,99.1,0.1
"""


def import_questions(page: Any, name: str, content: bytes) -> None:
    """*Datasets → Import files*, with every proposal as it is."""
    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="Import files").click()
    page.set_input_files("[name=files]", {"name": name, "mimeType": "text/csv", "buffer": content})
    add = page.get_by_role("button", name="Add", exact=True)
    add.wait_for(timeout=PATIENCE)
    assert page.locator("[role=alert]").count() == 0
    page.get_by_label("This is right").check()  # of the direction of a metric that no name shows
    add.click()
    page.wait_for_url(DATASET, timeout=PATIENCE)
    assert page.locator("h1").inner_text() == name.partition(".")[0]


def open_campaign(page: Any) -> None:
    """*Campaigns → New campaign*: the protocol, two annotators a task; preview; *Lock and open*."""
    page.get_by_role("link", name="Campaigns").first.click()
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Title", exact=True).fill("A first study")
    page.get_by_role("radio", name=re.compile(r"^QG-Bench manual evaluation (?!, in two)")).check()
    page.get_by_label("Annotators for each task").fill("2")
    page.get_by_role("button", name="Create").click()
    assert page.locator("[role=alert]").count() == 0
    campaign = page.url
    page.locator("summary", has_text="More").click()
    page.get_by_role("link", name="Preview as annotator").click()
    page.locator("fieldset.criterion").first.wait_for(state="attached")
    page.goto(campaign)
    page.get_by_role("link", name="Lock and open").click()
    page.get_by_role("button", name="Open anyway").click()
    assert "Annotators can begin." in page.inner_text("main")


def link_for_annotators(page: Any) -> str:
    """*Invite annotators → Make a link*, for two annotators."""
    page.get_by_role("link", name="Invite annotators").click()
    page.get_by_label("Annotators who may join").fill("2")
    page.get_by_role("button", name="Make the link").click()
    return str(page.locator(".copy code").inner_text())


def rate_a_task(page: Any, link: str) -> None:
    """Open the link in a private window and rate the first task by keyboard."""
    page.goto(link)
    page.get_by_role("button", name="Agree and begin").click()
    page.get_by_role("link", name="To the first task").click()
    page.wait_for_url(re.compile("/tasks/"))
    here = page.url
    press_keys(page, "3" * page.locator("fieldset.criterion").count())
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Review your answers").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here)


def report(page: Any) -> zipfile.ZipFile:
    """Close the campaign, *Run the analysis*, and download all of it."""
    page.locator("summary", has_text="More").click()
    page.locator("summary", has_text="Close").click()
    page.get_by_role("button", name="Close the campaign").click()
    page.get_by_role("link", name="Run the analysis", exact=True).click()
    page.get_by_role("button", name="Run the analysis").click()
    page.get_by_role("heading", name="In short").wait_for(timeout=PATIENCE)
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download all").press("Enter")
    return zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes()))


def study_up_to_two_ratings(new_page: Callable[..., Any], name: str) -> Any:
    """Follow the README until two annotators have rated; return the researcher's page."""
    assert "config/demo/questions.csv" in README
    demo = (ROOT / "config" / "demo" / "questions.csv").read_bytes()
    factories.researcher("ada")
    protocols.install_shipped()
    page = new_page()
    log_in(page)

    import_questions(page, name, OWN.encode() if name == "own.csv" else demo)
    open_campaign(page)
    link = link_for_annotators(page)
    for _annotator in range(2):
        rate_a_task(new_page(), link)
    return page


@pytest.mark.long
@pytest.mark.jobs
def test_first_study_of_the_readme_proposals_accepted_leads_to_ratings(
    new_page: Callable[..., Any], worker: object
) -> None:
    page = study_up_to_two_ratings(new_page, "questions.csv")

    page.get_by_role("link", name="Overview", exact=True).click()
    assert "2 of 44" in page.inner_text("main")


@pytest.mark.long
@pytest.mark.jobs
@pytest.mark.parametrize("name", ["questions.csv", "own.csv"])
def test_first_study_of_the_readme_proposals_accepted_leads_to_a_report(
    new_page: Callable[..., Any], worker: object, name: str
) -> None:
    page = study_up_to_two_ratings(new_page, name)

    assert {"report.json", "data/judgments.csv"} <= set(report(page).namelist())
