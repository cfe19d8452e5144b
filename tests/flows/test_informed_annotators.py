"""What annotators are told, from the invitation to the last task: how much there is, how long it
takes, what comes first and what it pays."""

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
still = looks.still
RATE = {"amount": "1.55", "currency": "EUR", "minutes": "3"}


def paid_study() -> Campaign:
    """Return an open campaign of four tasks with training, a qualification and a planned rate."""
    campaign = factories.campaign(
        dataset=factories.dataset(sources=4, systems=("Alba", "Brisa")),
        annotators_per_task=1,
        rate=RATE,
        qualification_paid=True,
    )
    for kind in ("training", "qualification"):
        item(campaign, kind)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    return campaign


def problems(page: Any) -> list[str]:
    """Return what axe finds, and give the page its width back."""
    found = looks.problems(page)
    page.set_viewport_size({"width": 1440, "height": 900})
    return found


def rate_a_task(page: Any) -> None:
    here = page.url
    press_keys(page, "3" * page.locator("fieldset.criterion").count())
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here)


def test_annotator_from_join_to_end_is_told_how_much_is_left_and_earned(
    still: Any, new_page: Any
) -> None:
    campaign = paid_study()
    token = campaigns.create_invitation(campaign=campaign, by=campaign.created_by).token
    still.goto(reverse("annotation:join", args=[token]))
    told = still.inner_text("main")
    assert "up to 4" in told
    assert "up to about 12 minutes for all tasks" in told
    assert "1 item before the first task" in told
    assert "You have 2 tries; if you do not pass, the study ends for you." in told
    assert "This time is paid, even if you do not pass." in told
    assert problems(still) == []
    still.get_by_role("button", name="Agree and begin").click()
    still.get_by_role("link", name="Start training (1 item)").click()
    press(still, "3", "3", "Enter")  # training
    still.get_by_role("button", name="Go on").click()
    still.get_by_role("link", name="Start the qualification").click()
    press(still, "1", "3", "Enter")
    still.get_by_text("You have 1 try left").wait_for()
    assert "Your answers were off on this criterion: Grammaticality." in still.inner_text("main")
    assert problems(still) == []
    still.get_by_role("link", name="Start the qualification").click()
    press(still, "3", "3", "Enter")
    still.get_by_role("link", name="To the first task").click()
    still.wait_for_url(re.compile("/tasks/"))
    bar = still.locator("header.bar .done")
    assert "Task 1 of 4, about 12 min left, €0.00 so far" in bar.inner_text()
    rate_a_task(still)
    assert "Task 2 of 4, about 9 min left, €1.55 so far" in bar.inner_text()
    assert problems(still) == []
    Assignment.objects.filter(state="open").first().delete()  # as where somebody else has it
    still.set_viewport_size({"width": 360, "height": 640})
    still.keyboard.press("?")
    assert "about 9 min left, €1.55 so far" in still.locator("dialog#help").inner_text()
    still.keyboard.press("Escape")
    still.set_viewport_size({"width": 1440, "height": 900})
    rate_a_task(still)
    assert "Task 3 of 4, about 6 min left, €3.10 so far" in bar.inner_text()
    rate_a_task(still)
    assert "/tasks/" not in still.url
