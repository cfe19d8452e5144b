"""Pages about pay."""

import csv
import io

import pytest

from judging.campaigns.models.campaign import Campaign
from judging.people.models.user import User
from tests import factories
from tests.annotation.studies import opened
from tests.judging.campaign_pages import address
from tests.judging.workers import work

pytestmark = pytest.mark.django_db
RATE = {"amount": "0.45", "currency": "GBP", "minutes": "3", "floor": "9.00"}


@pytest.fixture(scope="module")
def judged(lasting) -> Campaign:
    campaign = opened(sources=4)
    Campaign.objects.filter(pk=campaign.pk).update(rate=RATE)
    work(factories.enrollment(campaign, label="A01"), tasks=4, choose=2, seconds=180)
    work(factories.enrollment(campaign, label="=A02"), tasks=4, choose=2, seconds=240)
    return campaign


@pytest.fixture
def paid(judged) -> Campaign:
    return Campaign.objects.get(pk=judged.pk)


@pytest.fixture
def owner(paid) -> User:
    return paid.created_by


def test_rate_is_planned_shown_by_the_hour_and_locked(page, draft):
    assert page.post(address("pay", draft), RATE).status_code == 302
    assert "an hour pays 9.00 GBP" in page.get(address("pay", draft)).text
    page.post(address("lock", draft))
    draft.refresh_from_db()
    assert draft.locked_plan["rate"] == RATE
    page.post(address("pay", draft), RATE | {"amount": "0.01"})
    draft.refresh_from_db()
    assert draft.rate == RATE


def test_no_more_tasks_are_paid_than_the_plan_gives_each(page, paid):
    Campaign.objects.filter(pk=paid.pk).update(tasks_per_annotator=3)
    sent = page.get(f"/campaigns/{paid.uuid}/plan/pay/top-ups.csv").content.decode("utf-8-sig")
    # 3 of the 4 tasks, of 4 minutes: 1.35 of 1.80; of 3 minutes they are paid as they should be
    assert [
        (row["tasks"], row["earned"], row["top_up"]) for row in csv.DictReader(io.StringIO(sent))
    ] == [("3", "1.35", "0.45")]


def test_who_is_paid_too_little_for_the_hour_is_listed_with_what_is_owed(page, paid):
    # 4 tasks of 4 minutes: 1.80 for 16 minutes; 9.00 an hour are 2.40
    html = page.get(address("pay", paid)).text
    assert html.count("below the floor") == 1
    answer = page.get(f"/campaigns/{paid.uuid}/plan/pay/top-ups.csv")
    [row] = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert row == {
        "annotator": "'=A02",
        "tasks": "4",
        "minutes_at_work": "16.0",
        "earned": "1.80",
        "effective_hourly": "6.75",
        "floor": "9.00",
        "top_up": "0.60",
        "currency": "GBP",
    }
