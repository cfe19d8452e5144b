"""Questions that were reported as broken, as managers see them: where and by whom."""

import re

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.quality.models.check import CheckItem
from tests import factories
from tests.annotation import studies
from tests.annotation.views.tasks import address
from tests.judging.quality.actions.test_checks import checked, evade, gold, person
from tests.judging.quality.views.test_pay import RATE

pytestmark = pytest.mark.django_db


class ManagerPages:
    """The pages of a campaign as its manager opens them."""

    def __init__(self, campaign: Campaign) -> None:
        self.client = factories.logged_in(campaign.created_by)
        self.base = f"/campaigns/{campaign.uuid}/"

    def text(self, what: str) -> str:
        return self.client.get(self.base + what).text

    def counts(self) -> tuple[int, int]:
        """Return what the overview counts: reports, and tasks without a value."""
        html = self.client.get(self.base).text
        reports = re.search(r"reported questions as broken: (\d+)", html)
        empty = re.search(r"submitted tasks without a value, .*: (\d+)", html)
        return tuple(int(found[1]) if found else 0 for found in (reports, empty))


@pytest.fixture
def emptied():
    """Return a campaign with a rate of pay in which A01 submitted one task with reports alone, with
    A01's client and the task."""
    campaign = studies.opened()
    Campaign.objects.filter(pk=campaign.pk).update(rate=RATE)
    client, enrollment = studies.annotator(campaign)
    task = studies.held(enrollment)
    form = {"token": task.submit_token, "sequence": 1, "action": "submit"}
    client.post(address(task, "submit/"), form | {"b1": "Broken", "b2": "Broken"})
    task.refresh_from_db()
    assert task.state == "submitted"
    return campaign, client, task


def test_tasks_without_a_value_are_counted_and_answered_ones_are_not(emptied) -> None:
    campaign, client, task = emptied
    pages = ManagerPages(campaign)
    assert pages.counts() == (2, 1)
    for what in ("annotators/", f"annotators/{task.enrollment_id}/", "plan/pay/"):
        assert "1 task without a value" in pages.text(what)
    answers = studies.filled(task, sequence=5) | {"b1": "", "b2": ""}
    client.post(address(task, "submit/"), answers)
    assert pages.counts() == (0, 0)


@pytest.mark.long
def test_reports_on_checks_are_read_by_managers_who_do_not_judge() -> None:
    campaign = checked(sources=12, gold=60, prepare=gold)
    evade(person(campaign, "A01"), "What is this?")
    pages, asked = ManagerPages(campaign), CheckItem.objects.get().unit.question.text
    assert asked in pages.text("tasks/")
    assert pages.counts()[0] == 2

    factories.enrollment(campaign, account=campaign.created_by, label="A02")
    assert asked not in pages.text("tasks/")
    assert pages.counts()[0] == 0
