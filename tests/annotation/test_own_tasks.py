"""An annotator's own tasks by state on the pages beside judging."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import F
from django.urls import reverse

from judging.campaigns.models.assignment import Assignment
from judging.work.actions import assignments
from tests.annotation import studies
from tests.flows.axe import violations
from tests.flows.sessions import enter, press_keys

pytestmark = [pytest.mark.long, pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def counts(page: Any) -> dict[str, str]:
    return {
        row.locator("dt").inner_text(): row.locator("dd").inner_text().split()[0]
        for row in page.locator("[aria-labelledby=own-tasks] dl > div").all()
    }


def test_own_tasks_are_counted_by_state_on_pause_and_done(page: Any) -> None:
    campaign = studies.opened("qgbench", sources=4)
    enrollment = studies.annotator(campaign)[1]
    enter(page, enrollment.user)
    page.goto(f"/work/{campaign.uuid}/?begin")
    page.wait_for_selector("#judging.scripted")
    pause = reverse("annotation:pause", args=[campaign.uuid])
    first = page.url
    press_keys(page, "333333")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != first)
    page.goto(pause)
    assert counts(page) == {"To do": "3", "Draft": "0", "Submitted": "1", "Returned": "0"}
    page.get_by_role("link", name="Go on").click()
    page.wait_for_selector("#judging.scripted")
    page.keyboard.press("3")
    page.wait_for_selector("#saved[data-state=saved]")
    page.goto(pause)
    assert counts(page) == {"To do": "2", "Draft": "1", "Submitted": "1", "Returned": "0"}
    assert violations(page) == []
    hour = timedelta(hours=1)
    Assignment.objects.held().update(
        held_at=F("held_at") - 9 * hour,
        last_seen_at=F("last_seen_at") - 9 * hour,
        lease_expires_at=F("lease_expires_at") - 9 * hour,
    )
    assignments.release_expired()
    page.goto(reverse("annotation:done", args=[campaign.uuid]))
    assert counts(page)["Draft"] == "0"
    assert counts(page)["Returned"] == "1"
    assert violations(page) == []
