"""Annotators' pages without JavaScript on a phone: none is wider than its screen."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Passage, Question, Source
from judging.enrolments.actions import enrollments
from judging.people.models.user import User
from tests import factories
from tests.annotation import phones, studies
from tests.annotation.test_small_screens import OVER
from tests.flows.sessions import enter
from tests.judging.quality.actions.test_qualifications import opened as with_exercises

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ADDRESS = "https://example.org/" + "a-path-without-a-place-to-break-it/" * 3
WORD = "Rindfleischetikettierungsueberwachungsaufgabenuebertragungsgesetz"


@pytest.fixture
def phone(new_page: Callable[..., Page]) -> Page:
    return new_page(width=360, height=640, java_script_enabled=False)


def too_wide(page: Page, addresses: list[str]) -> list[str]:
    """Return the pages that scroll sideways, and by how much."""
    found = []
    for address in addresses:
        page.goto(address)
        if (over := page.evaluate(OVER)) > 0:
            found.append(f"{page.url} by {over} px")
    return found


def by_link(campaign: Campaign) -> Any:
    """Return an enrollment of a person without a password, whose pages show a personal link."""
    enrollment = factories.enrollment(campaign)
    User.objects.filter(pk=enrollment.user_id).update(password="!")
    enrollment.user.refresh_from_db()
    return enrollment


def of(campaign: Campaign, *names: str) -> list[str]:
    return [reverse(f"annotation:{name}", args=[campaign.uuid]) for name in names]


def test_pages_around_a_task_without_scripts_fit_360_pixels(phone: Page) -> None:
    campaign = studies.opened(
        "qgbench", sources=2, consent=f"I agree. {ADDRESS}", withdrawal=True, contact=ADDRESS[:90]
    )
    Campaign.objects.filter(pk=campaign.pk).update(title=f"A study of the {WORD}")
    link = campaigns.create_invitation(campaign=campaign, by=campaign.created_by)
    found = too_wide(phone, [reverse("annotation:join", args=[link.token])])
    enrollment = by_link(campaign)
    enter(phone, enrollment.user)
    found += too_wide(phone, of(campaign, "consent"))
    enrollments.store_consent(enrollment=enrollment, now=timezone.now())
    pages = ["start", "guideline", "work", "pause", "withdraw", "done", "decline"]
    found += too_wide(
        phone, [*of(campaign, *pages), reverse("annotation:home"), reverse("annotation:account")]
    )
    assert found == []


@pytest.mark.parametrize("key", ["qgbench-staged", "qgstec2010-a"])
def test_first_task_without_scripts_fits_360_pixels(phone: Page, key: str) -> None:
    campaign = phones.opened(key)
    enter(phone, by_link(campaign).user)
    found = too_wide(phone, [reverse("annotation:work", args=[campaign.uuid]) + "?begin"])
    phone.locator(".dock [data-needs-all]").click()
    found += [phone.url] * (phone.evaluate(OVER) > 0)
    assert found == []


def test_task_with_words_longer_than_a_line_without_scripts_fits_360_pixels(phone: Page) -> None:
    campaign = phones.opened("qgbench")
    text = f"{ADDRESS} {phones.PASSAGE}"
    Passage.objects.update(text=text)
    Source.objects.update(answer=ADDRESS, answer_start=0, target_type=WORD, modality=WORD)
    Question.objects.update(text=f"What is the {WORD} of {ADDRESS}?")
    enter(phone, by_link(campaign).user)
    assert too_wide(phone, [reverse("annotation:work", args=[campaign.uuid]) + "?begin"]) == []


def test_exercises_without_scripts_fit_360_pixels(phone: Page) -> None:
    campaign, enrollment = with_exercises("training", "qualification")
    enter(phone, enrollment.user)
    found = too_wide(phone, of(campaign, "work", "training"))
    for radio in phone.locator("[type=radio][value='1']").all():
        radio.check(force=True)
    phone.get_by_role("button", name="See what is right").click()
    assert phone.locator(".feedback").count()
    assert found + [phone.url] * (phone.evaluate(OVER) > 0) == []


def test_ways_in_without_scripts_fit_360_pixels(phone: Page) -> None:
    enrollment = by_link(studies.opened("qgbench", sources=1))
    gone = campaigns.create_invitation(
        campaign=enrollment.campaign, by=enrollment.campaign.created_by
    )
    campaigns.revoke_invitation(invitation=gone, now=timezone.now())
    ways = [reverse("login"), reverse("annotation:join", args=[gone.token])]
    ways += [
        reverse("annotation:go", args=[enrollments.personal_link(enrollment.user)]),
        *of(enrollment.campaign, "work"),
    ]
    assert too_wide(phone, ways) == []


def test_ends_without_scripts_fit_360_pixels(phone: Page) -> None:
    campaign = studies.opened(sources=1)
    enrollment = by_link(campaign)
    enter(phone, enrollment.user)
    held = studies.held(enrollment)
    Assignment.objects.filter(round=held.round).exclude(pk=held.pk).update(state="open")
    found = too_wide(phone, ["/offline/", "/nowhere/"])
    campaigns.move_campaign(campaign=campaign, to="paused", now=timezone.now())
    found += too_wide(phone, of(campaign, "work"))
    campaigns.close_campaign(campaign=campaign, now=timezone.now() + timedelta(seconds=1))
    found += too_wide(phone, of(campaign, "work", "done", "exit_form"))
    assert found == []
