"""From a file of questions to a report in a real browser: import, campaign, three annotators,
worker, bundle."""

import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.protocols.actions import protocols
from judging.work.models.judgment import Judgment
from tests import factories
from tests.flows.axe import violations
from tests.flows.sessions import press_keys

pytestmark = [pytest.mark.browser, pytest.mark.jobs, pytest.mark.django_db(transaction=True)]

CSV = b"""\
passage,answer,system,question,reference,METEOR
"The lock was built by Agnes in 1814.",Agnes,Alba,Who built the lock?,Who built the lock?,0.98
"The lock was built by Agnes in 1814.",Agnes,Brisa,What was it?,Who built the lock?,0.12
"The weir of Orn holds back the mill pond.",the mill pond,Alba,What does the weir hold back?,What is held back?,0.61
"The weir of Orn holds back the mill pond.",the mill pond,Brisa,Where Orn?,What is held back?,0.08
"""
KEYS = {
    "first": ("333232", "232323"),
    "second": ("332232", "223323"),
    "third": ("323232", "332222"),
}
DATASET = re.compile(r"/datasets/\d+/$")
PATIENCE = 300_000  # ms for a worker on a busy machine


def log_in(page: Any) -> None:
    page.goto("/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(factories.PASSWORD)
    page.get_by_role("button", name="Log in").click()


def import_questions(page: Any) -> None:
    """Send the file, look at what it would add under the proposed mapping, add it."""
    page.get_by_role("link", name="Datasets").click()
    page.get_by_role("link", name="Import files").click()
    page.locator("summary", has_text="Name, licence and language").click()
    page.get_by_label("Name of the dataset").fill("Canals")
    page.set_input_files(
        "[name=files]", {"name": "canals.csv", "mimeType": "text/csv", "buffer": CSV}
    )
    page.get_by_role("button", name="Upload").click()
    add = page.get_by_role("button", name="Add", exact=True)
    add.wait_for(timeout=PATIENCE)
    assert "Who built the lock?" in page.inner_text("main")
    add.click()
    page.wait_for_url(DATASET, timeout=PATIENCE)
    assert page.locator("h1").inner_text() == "Canals"


def plan_campaign(page: Any) -> None:
    """Plan it, look at it as an annotator, lock it and open it."""
    page.get_by_role("link", name="Campaigns").first.click()
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Title", exact=True).fill("Canal towns")
    page.get_by_role("radio", name=re.compile(r"^QG-Bench manual evaluation (?!, in two)")).check()
    page.get_by_label("Annotators for each task").fill("3")
    page.get_by_role("button", name="Create").click()
    campaign = page.url
    page.locator("#line-consent summary").click()
    page.locator("[name=consent]").fill("I take part of my own will.")
    page.locator("#line-consent").get_by_role("button", name="Save").click()
    page.locator("summary", has_text="More").click()
    page.get_by_role("link", name="Preview as annotator").click()
    page.locator("fieldset.criterion").nth(5).wait_for(state="attached")
    assert page.locator("fieldset.criterion").count() == 6
    page.goto(campaign)
    page.get_by_role("link", name="Lock and open").click()
    page.get_by_role("button", name="Open anyway").click()
    assert "Annotators can begin." in page.inner_text("main")


def invitation(page: Any) -> str:
    """Make a link and return it as it stands to be copied."""
    page.get_by_role("link", name="Invite annotators").click()
    page.get_by_label("Name of the link").fill("Spring course")
    page.get_by_label("Annotators who may join").fill("3")
    page.get_by_role("button", name="Make the link").click()
    return str(page.locator(".copy code").inner_text())


def rate_everything(page: Any, link: str, keys: tuple[str, ...]) -> None:
    """Join by the link and rate both tasks by keyboard."""
    page.goto(link)
    page.get_by_role("checkbox").check()
    page.get_by_role("button", name="Agree and begin").click()
    page.get_by_role("link", name="To the first task").click()
    page.wait_for_url(re.compile("/tasks/"))
    for task in keys:
        here = page.url
        press_keys(page, task)
        page.keyboard.press("Enter")
        page.get_by_role("heading", name="Review your answers").wait_for()
        page.keyboard.press("Enter")
        page.wait_for_url(lambda url, here=here: url != here)
    page.get_by_text("Thank you, that was the last one").wait_for()


def close(page: Any) -> None:
    page.get_by_role("link", name="Overview", exact=True).click()
    assert "6 of 6" in page.inner_text("main")
    page.get_by_role("button", name="Close the campaign").click()


def analyse(page: Any) -> None:
    """Ask for the analysis and watch the worker until the first report shows itself."""
    page.get_by_role("link", name="Run the analysis", exact=True).click()
    page.get_by_role("button", name="Run the analysis").click()
    page.get_by_role("heading", name="In short").wait_for(timeout=PATIENCE)


def bundle(page: Any) -> zipfile.ZipFile:
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download all").click()
    return zipfile.ZipFile(io.BytesIO(waiting.value.path().read_bytes()))


def test_from_a_file_of_questions_to_a_report(new_page: Callable[..., Any], worker: object) -> None:
    factories.researcher("ada")
    protocols.install_shipped()
    page = new_page()
    log_in(page)
    import_questions(page)
    plan_campaign(page)
    link = invitation(page)
    for keys in KEYS.values():
        rate_everything(new_page(), link, keys)
    assert Judgment.objects.filter(assignment__round__campaign=Campaign.objects.get()).count() == 36
    close(page)
    analyse(page)
    text = page.inner_text("main")
    assert "Krippendorff's" in text
    assert "METEOR" in text
    assert page.locator("section:has(#correlations) table.heat").first.locator("td.n").count() == 18
    assert violations(page) == []
    names = set(bundle(page).namelist())
    assert {
        "report.json",
        "report.txt",
        "data/judgments.csv",
        "codebook.csv",
        "tables/correlations.csv",
    } <= names
