"""The overview while annotators work: the part that refreshes, the forecast, criteria, systems, pay
and agreement."""

import random
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from judging.models import (
    AnalysedAgreement,
    Assignment,
    Campaign,
    Judgment,
    Membership,
    QualificationTry,
    Round,
    User,
)
from judging.views import live
from tests import factories
from tests.annotation.studies import opened
from tests.judging.views.campaign_pages import address
from tests.judging.workers import work

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def half_done(lasting) -> Campaign:
    campaign = opened(sources=12)
    for label in ("A01", "A02"):
        work(
            factories.enrollment(campaign, label=label),
            tasks=6,
            choose=lambda own, asked: 1 + own.task.number % 3,
        )
    return campaign


@pytest.fixture
def running(half_done) -> Campaign:
    return Campaign.objects.get(pk=half_done.pk)


@pytest.fixture
def owner(running) -> User:
    return running.created_by


def test_part_that_refreshes_is_on_the_overview_and_by_itself(page, running):
    html = page.get(address("campaign", running)).text
    assert f'hx-get="/campaigns/{running.uuid}/now/"' in html
    part = page.get(address("now", running)).text
    assert "<html" not in part
    assert "12 / 36" in part
    work(factories.enrollment(running, label="A03"), tasks=1, choose=2)
    assert "13 / 36" in page.get(address("now", running)).text


def test_forecast_says_when_the_last_place_is_filled_with_its_interval(page, running):
    now = timezone.now()
    Round.objects.filter(campaign=running, kind="main").update(
        opened_at=now - timedelta(hours=4, minutes=1)
    )
    for place, each in enumerate(Assignment.objects.submitted().order_by("pk")):
        ago = timedelta(hours=place % 4, minutes=30)
        Assignment.objects.filter(pk=each.pk).update(submitted_at=now - ago)
    # 12 of 36 in four hours of 3 each: 24 left are 8 hours
    assert "8 hours (8 to 8)" in page.get(address("now", running)).text


def test_criteria_show_values_given_and_agreement_of_the_latest_analysis_with_its_age(
    page, running
):
    assert page.get(address("now", running)).status_code == 200
    AnalysedAgreement.objects.create(
        campaign=running,
        run=3,
        found_at=timezone.now() - timedelta(hours=2),
        criteria={
            "correctness": {"value": 0.608, "low": 0.496, "high": 0.7, "n": 12, "reason": ""}
        },
    )
    answer = page.get(address("now", running))
    assert "0.61 (0.50 to 0.70)" in answer.text
    assert answer.context["agreement"].run == 3
    said = Judgment.objects.filter(criterion__key="correctness")
    [correctness] = [each for each in answer.context["criteria"] if each.name == "Correctness"]
    assert [count for _label, count, _share in correctness.values] == [
        said.filter(value=value).count() for value in (1, 2, 3)
    ]
    for label, _count, share in correctness.values:
        assert f"{label}: {share}" in answer.text


def test_systems_are_shown_with_their_counts_but_not_to_who_judges_too(page, owner, running):
    html = page.get(address("now", running)).text
    assert 'id="systems"' in html
    Membership.objects.create(user=owner, campaign=running, role="annotator")
    blind = page.get(address("now", running)).text
    assert 'id="systems"' not in blind
    assert "Alba" not in blind


def test_pay_so_far_and_who_is_below_the_floor(page, running):
    rate = {"amount": "0.10", "currency": "EUR", "minutes": "1", "floor": "9.00"}
    Campaign.objects.filter(pk=running.pk).update(rate=rate)
    html = page.get(address("now", running)).text
    assert "1.20 EUR" in html
    assert "A01 and A02 were paid less per hour than your floor" in html


def test_who_failed_the_qualification_for_good_is_screened_out(page, running):
    failed = factories.enrollment(running, label="A08")
    for number in range(1, running.tries + 1):
        assert "screened out" not in page.get(address("now", running)).text
        QualificationTry.objects.create(enrollment=failed, number=number, made_at=timezone.now())
    assert page.get(address("now", running)).text.count("screened out") == 1
    failed.qualified_at = timezone.now()  # as after a key that was corrected
    failed.save(update_fields=["qualified_at"])
    assert "screened out" not in page.get(address("now", running)).text


def test_systems_and_the_largest_gap_are_those_of_every_annotator_with_every_system(draft):
    """By the words of the page: who judged none of a system has 0 there; who is hidden counts not."""
    systems = list(draft.collection.systems.order_by("name"))
    rng = random.Random(7)
    for _ in range(200):
        people, seen = range(rng.randint(0, 4)), range(5)
        counts = {
            each.pk: {who: rng.randint(1, 4) for who in seen if rng.random() < 0.7}
            for each in systems
            if rng.random() < 0.9
        }
        standing = {who: SimpleNamespace(work=SimpleNamespace(label=f"A{who}")) for who in people}
        counted = SimpleNamespace(systems=counts, annotators=standing)
        by = {each: [counts.get(each.pk, {}).get(who, 0) for who in people] for each in systems}
        told = [(each.name, sum(own), min(own), max(own)) for each, own in by.items() if own]
        shown = live._systems(draft, counted)
        assert [(each.name, each.judged, each.fewest, each.most) for each in shown] == told
        gaps = [
            (max(own) - min(own), f"A{who}")
            for who in people
            if (own := [each.get(who, 0) for each in counts.values()]) and len(counts) > 1
        ]
        gap, label = max(gaps, default=(0, ""))
        assert live._largest_gap(counted) == ((label, gap) if gap else None)
