"""The overview while annotators work: the part that refreshes, the forecast, criteria, systems, pay
and agreement."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from judging.campaigns.actions import live_agreements
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.campaigns.models.members import Membership
from judging.datasets.models.dataset import Unit
from judging.jobs.actions import jobs
from judging.overview.views import live
from judging.people.models.event import Event
from judging.people.models.user import User
from judging.quality.actions import snapshots
from judging.quality.models.exercise import QualificationTry
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation.studies import opened
from tests.judging.campaign_pages import address
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
    assert "12 of 36" in part
    work(factories.enrollment(running, label="A03"), tasks=1, choose=2)
    assert "13 of 36" in page.get(address("now", running)).text


def test_forecast_says_when_the_last_place_is_filled_with_its_interval(page, running):
    now = timezone.now()
    Round.objects.filter(campaign=running, kind="main").update(
        opened_at=now - timedelta(hours=4, minutes=1)
    )
    for place, each in enumerate(Assignment.objects.submitted().order_by("pk")):
        ago = timedelta(hours=place % 4, minutes=30)
        Assignment.objects.filter(pk=each.pk).update(submitted_at=now - ago)
    # 12 of 36 in four hours of 3 each: 24 left are 8 hours
    counted = snapshots.counted_for(running.created_by, running)
    end = counted.at + timedelta(hours=8)
    told = f"{end:%A}" if end.date() > counted.at.date() else f"today at {end:%H:%M}"
    assert f"At this pace {told}." in page.get(address("now", running)).text


def test_forecast_names_an_interval_or_its_lower_end(running):
    counted = snapshots.counted_for(running.created_by, running)
    at = datetime(2026, 11, 30, 12, tzinfo=UTC)  # a Monday
    spread = replace(counted, at=at, by_hour=[2, 3, 4, 2, 3, 4])
    assert (
        live._forecast(spread, UTC)
        == "At this pace today at 20:00 (95% interval: today at 18:27 to today at 22:30)."
    )
    rare = replace(counted, at=at, by_hour=[0, 0, 1, 0, 0, 0])
    assert (
        live._forecast(rare, UTC)
        == "At this pace Sunday or later, too irregular to say (Wednesday at the earliest)."
    )


def agreement_of(campaign: Campaign, *, minutes_ago: int, alpha: float, **more) -> LiveAgreement:
    return LiveAgreement.objects.create(
        campaign=campaign,
        computed_at=timezone.now() - timedelta(minutes=minutes_ago),
        criteria={
            "correctness": {"value": alpha, "low": 0.496, "high": 1.0, "n": 12, "reason": ""}
        },
        **more,
    )


def with_details(campaign: Campaign) -> LiveAgreement:
    """Store two moments of agreement; the newest with a pair and a disputed item."""
    first, second = campaign.enrollments.order_by("label")
    unit = Unit.objects.filter(judgments__isnull=False).order_by("pk").first()
    source = unit.question_set.source
    agreement_of(campaign, minutes_ago=120, alpha=0.4)
    return agreement_of(
        campaign,
        minutes_ago=60,
        alpha=0.608,
        pairs=[{"first": first.pk, "second": second.pk, "equal": 9, "n": 12}],
        items=[
            {"unit": unit.pk, "source": source.pk, "source_key": source.key, "disagreement": 0.5}
        ],
    )


def test_criteria_show_values_given_and_agreement_with_its_line_over_time(page, running):
    assert "α" not in page.get(address("now", running)).text.split("As a table")[0]
    with_details(running)
    answer = page.get(address("now", running))
    assert "α .61 [.50, 1.00]" in answer.text
    assert "Computed an hour ago" in answer.text
    said = Judgment.objects.filter(criterion__key="correctness")
    [correctness] = [each for each in answer.context["criteria"] if each.name == "Correctness"]
    assert [value.count for value in correctness.values] == [
        said.filter(value=value).count() for value in (1, 2, 3)
    ]
    for value in correctness.values:
        assert f"{value.label}: {value.share}" in answer.text
    assert correctness.line == "0.0,30.0 100.0,19.6"
    assert [alpha for _moment, alpha in correctness.over_time] == [".40", ".61"]


def test_matrix_and_strip_show_pairs_and_the_most_disputed_items(page, running):
    newest = with_details(running)
    answer = page.get(address("now", running))
    [first, second] = answer.context["matrix"]
    assert (first[0], first[1][0], first[1][1].percent) == ("A01", None, 75)
    assert second[1][0] == first[1][1]
    item = newest.items[0]
    link = f"/campaigns/{running.uuid}/items/{item['source']}/?sort=disagreement&amp;unit={item['unit']}"
    assert link in answer.text
    assert page.get(link.replace("&amp;", "&")).status_code == 200


def test_managers_who_judge_the_dataset_see_no_agreement_and_leave_no_note(page, owner, running):
    with_details(running)
    Membership.objects.create(user=owner, campaign=running, role="annotator")
    answer = page.get(address("campaign", running))
    assert (answer.context["agreement"], answer.context["matrix"]) == (None, [])
    assert "α .61" not in answer.text
    assert "unit=" not in answer.text
    assert "Agreement is hidden from you" in answer.text
    assert live_agreements.count_looks(running) == 0


def test_history_notes_once_a_day_who_looked_at_agreement_before_the_end(page, owner, running):
    page.get(address("campaign", running))
    assert live_agreements.count_looks(running) == 0  # nothing to look at
    with_details(running)
    for _ in range(2):
        page.get(address("campaign", running))
        page.get(address("now", running))
    looks = Event.objects.filter(act=Event.Act.AGREEMENT_SEEN, campaign=running.uuid)
    assert [look.who for look in looks] == [owner.pk]
    tomorrow = timezone.now() + timedelta(days=1)
    live_agreements.note_look(campaign=running, by=owner, now=tomorrow)
    live_agreements.note_look(campaign=running, by=factories.user(), now=tomorrow)
    assert (looks.all().count(), live_agreements.count_looks(running)) == (3, 2)


def test_list_of_disputed_items_is_a_look_at_agreement_too(page, running):
    with_details(running)
    page.get(f"/campaigns/{running.uuid}/items/?sort=file")
    assert live_agreements.count_looks(running) == 0
    page.get(f"/campaigns/{running.uuid}/items/")
    assert live_agreements.count_looks(running) == 1


def test_overview_without_any_alpha_is_no_look_and_says_why_once(page, running):
    newest = with_details(running)
    newest.criteria = {
        key: {"n": 0, "reason": "no unit has two ratings"} for key in newest.criteria
    }
    newest.save()
    text = page.get(address("campaign", running)).text
    assert text.count("no unit has two ratings") == 1
    assert live_agreements.count_looks(running) == 0


def test_jobs_for_the_overview_are_not_shown_as_jobs(page, owner, running):
    jobs.enqueue(kind=jobs.LIVE_AGREEMENT, parameters={}, by=owner, campaign=running)
    answer = page.get(address("campaign", running))
    assert answer.context["job"] is None
    assert "Computing agreement" not in answer.text


def test_history_notes_nobody_who_looks_after_the_end(page, running):
    with_details(running)
    Campaign.objects.filter(pk=running.pk).update(state=Campaign.State.CLOSED)
    assert "α .61" in page.get(address("campaign", running)).text
    assert live_agreements.count_looks(running) == 0


@pytest.mark.parametrize(
    ("quick", "dots"), [(0, ""), (1, "●"), (5, "●"), (6, "●●"), (50, "●" * 10)]
)
def test_each_started_tenth_of_quick_answers_is_a_dot(quick, dots):
    standing = SimpleNamespace(quick=quick, work=SimpleNamespace(values=50))
    assert live._dots(standing) == dots


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
    assert "A01 and A02 earned less per hour than your floor" in html


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
    systems = list(draft.dataset.systems.order_by("name"))
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
        shown = snapshots.systems_so_far(draft, counted)
        assert [(each.name, each.judged, each.fewest, each.most) for each in shown] == told
        gaps = [
            (max(own) - min(own), f"A{who}")
            for who in people
            if (own := [each.get(who, 0) for each in counts.values()]) and len(counts) > 1
        ]
        gap, label = max(gaps, default=(0, ""))
        assert live._largest_gap(counted) == ((label, gap) if gap else None)
