"""Questions after the last task, in a browser: a manager writes them, an annotator answers, and axe
finds nothing."""

from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.enrolments.models.exit_form import ExitAnswer
from judging.quality.actions import checks
from judging.work.actions import judgments, sheets
from judging.work.actions.drafts import SentPage
from tests import factories
from tests.annotation import studies
from tests.flows.sessions import enter
from tests.flows.test_accessibility import problems

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_form_is_written_answered_and_read(new_page: Any) -> None:
    campaign = factories.campaign(dataset=factories.dataset(sources=1), annotators_per_task=2)
    manager = new_page(reduced_motion="reduce")
    enter(manager, campaign.created_by)
    manager.goto(reverse("judging:exit_form", args=[campaign.uuid]))
    found = problems(manager)
    manager.locator("[name=text]").fill("Was anything unclear?")
    manager.locator("[name=reason]").fill("To mend the guideline.")
    manager.locator("form:has([name=reason]) button:not([name])").last.click()
    manager.get_by_text("Was anything unclear?").first.wait_for()
    found += problems(manager)

    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    campaigns.open_campaign(campaign=campaign, now=timezone.now())
    own = factories.enrollment(campaign)
    held = studies.held(own)
    sheet = sheets.sheet_of_assignment(held)
    answers = SentPage([(each, 3) for each in sheet.asked()], 1, None)
    judgments.submit_and_claim_next(
        claim_next=checks.claim_next_with_checks,
        assignment=held,
        page=answers,
        token=held.submit_token,
        sheet=sheet,
    )
    annotator = new_page(width=360, height=740, reduced_motion="reduce")
    enter(annotator, own.user)
    annotator.goto(reverse("annotation:work", args=[campaign.uuid]))
    annotator.locator(
        f"a[href*='{reverse('annotation:exit_form', args=[campaign.uuid])}']"
    ).first.click()
    found += problems(annotator)
    annotator.set_viewport_size({"width": 360, "height": 740})
    annotator.get_by_label("Was anything unclear?").fill("The scale.")
    annotator.keyboard.press("Tab")
    annotator.keyboard.press("Enter")
    annotator.wait_for_url(lambda url: not url.endswith("/questions/"))
    assert ExitAnswer.objects.get().text == "The scale."

    manager.goto(reverse("judging:exit_form", args=[campaign.uuid]))
    manager.get_by_text("The scale.").first.wait_for()
    found += problems(manager)
    assert found == []
