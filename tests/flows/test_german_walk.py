"""A German annotator's way from the invitation to the end: nothing is in English but what the
campaign wrote in English alone, and that says so."""

import re
from typing import Any

import pytest
from django.urls import reverse

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from tests import factories
from tests.flows import test_accessibility as looks
from tests.flows.sessions import press_keys
from tests.flows.test_qualification import press
from tests.judging.quality.actions.test_qualifications import item
from tests.judging.trials import NOW

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
GERMAN = {"de": {"introduction": "Bitte bewerten Sie Fragen.", "consent": "Ich nehme teil."}}


def study() -> Campaign:
    campaign = factories.campaign(
        protocol=factories.protocol("qgbench"),
        annotators_per_task=1,
        introduction="Please judge questions.",
        consent="I take part.",
        pay="9 euros an hour",
        translated_texts=GERMAN,
        review_before_submit=True,
    )
    item(campaign, "training")
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    return campaign


@pytest.fixture
def german(new_page: Any) -> Any:
    return new_page(locale="de-DE", timezone_id="Asia/Tokyo", reduced_motion="reduce")


def test_german_annotator_from_join_to_end_reads_german(german: Any) -> None:
    campaign = study()
    token = campaigns.create_invitation(campaign=campaign, by=campaign.created_by).token
    german.goto(reverse("annotation:join", args=[token]))
    assert german.locator("html").get_attribute("lang") == "de"
    assert german.get_by_text("Bitte bewerten Sie Fragen.").is_visible()
    assert german.get_by_text("Ich nehme teil.").is_visible()
    assert german.get_by_text("I take part.").count() == 0
    assert german.locator("dd[lang=en]").inner_text() == "9 euros an hour"
    assert looks.problems(german) == []
    german.locator("[name=agree]").check()
    german.get_by_role("button", name="Zustimmen und anfangen").click()
    german.get_by_role("link", name="Übung beginnen (1 Beispiel)").click()
    press(german, "3", "3", "Enter")
    german.get_by_role("button", name="Weiter").click()
    german.wait_for_url(re.compile("/tasks/"))
    held = Assignment.objects.get(state="held")
    german.goto(reverse("annotation:pause", args=[campaign.uuid]))
    time = german.locator("time")
    assert "bleibt noch" in german.inner_text("main")
    assert "UTC" not in time.inner_text()
    assert time.get_attribute("datetime") == held.lease_expires_at.isoformat()
    german.get_by_role("link", name="Weiter", exact=True).click()
    german.wait_for_url(re.compile("/tasks/"))
    while "/tasks/" in german.url:
        here = german.url
        press_keys(german, "3" * german.locator("fieldset.criterion").count())
        german.keyboard.press("Enter")
        german.get_by_role("heading", name="Ihre Antworten im Überblick").wait_for()
        german.keyboard.press("Enter")
        german.wait_for_url(lambda url, before=here: url != before)
    assert german.locator("html").get_attribute("lang") == "de"
    assert "Vielen Dank" in german.inner_text("main")


@pytest.mark.long
def test_english_annotator_reads_the_texts_as_they_were_written(page: Any) -> None:
    campaign = study()
    token = campaigns.create_invitation(campaign=campaign, by=campaign.created_by).token
    page.goto(reverse("annotation:join", args=[token]))
    assert page.get_by_text("I take part.").is_visible()
    assert page.get_by_text("Ich nehme teil.").count() == 0
