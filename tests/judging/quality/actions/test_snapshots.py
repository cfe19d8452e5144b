"""A campaign's counts: what they hold, when they are kept, and when they are counted again."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import Question
from judging.quality.actions import exclusions, snapshots
from judging.quality.counts import counts_from_json, counts_to_json
from judging.quality.models.snapshot import Snapshot
from tests import factories
from tests.annotation.studies import opened
from tests.judging.workers import varied, work

pytestmark = pytest.mark.django_db
LATER = timedelta(hours=2)


def test_annotator_of_eighteen_values_in_four_seconds_is_flagged_beside_the_others():
    campaign = opened(sources=5)
    others = [factories.enrollment(campaign, label=label) for label in ("A01", "A02")]
    for each in others:
        work(each, tasks=5, choose=varied, seconds=12.4)
    hasty = factories.enrollment(campaign, label="A03")
    work(hasty, tasks=5, choose=varied, seconds=0.8)

    counted = snapshots.campaign_counts(campaign)

    [standing] = counted.flagged
    [flag] = standing.flags
    assert (standing.work.label, flag.reason, flag.n) == ("A03", "speed", 20)
    assert flag.own == pytest.approx(0.2)
    assert flag.others == pytest.approx(3.1)


def test_straight_liner_is_flagged_on_each_criterion():
    campaign = opened(sources=8)
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=8, choose=varied)
    work(factories.enrollment(campaign, label="A03"), tasks=8, choose=3)

    [standing] = snapshots.campaign_counts(campaign).flagged

    assert [(flag.reason, flag.criterion, flag.own, flag.value) for flag in standing.flags] == [
        ("same", "grammaticality", 1.0, 3),
        ("same", "correctness", 1.0, 3),
    ]
    assert standing.work.uses["correctness"].run == 16


def test_severity_is_the_mean_distance_from_the_others_as_a_share_of_the_scale():
    campaign = opened(sources=3)
    harsh, kind = (
        factories.enrollment(campaign, label="A01"),
        factories.enrollment(campaign, label="A02"),
    )
    work(harsh, tasks=3, choose=1)
    work(kind, tasks=3, choose=2)

    counted = snapshots.campaign_counts(campaign)

    assert {each.work.label: each.severity for each in counted.annotators.values()} == {
        "A01": -0.5,
        "A02": 0.5,
    }
    assert {each.signed_severity for each in counted.annotators.values()} == {"−0.50", "+0.50"}
    manager = factories.logged_in(campaign.created_by)
    assert (
        '<td class="n">−0.50</td>'
        in manager.get(reverse("judging:annotators", args=[campaign.uuid])).text
    )


def test_counts_of_places_annotators_and_systems_are_those_of_the_database():
    campaign = opened(sources=3)
    first = factories.enrollment(campaign, label="A01")
    work(first, tasks=2, choose=2)

    counted = snapshots.campaign_counts(campaign)

    assert (counted.places, counted.filled, counted.held) == (9, 2, 0)
    assert counted.questions == Question.objects.count() == 6
    assert counted.annotators[first.pk].work.tasks == 2
    assert counted.annotators[first.pk].work.values == 8
    assert {tuple(own.values()) for own in counted.systems.values()} == {(2,)}
    assert counted.criteria == {"grammaticality": {2: 4}, "correctness": {2: 4}}


def test_count_of_a_small_campaign_is_not_kept_and_of_a_large_one_is(monkeypatch):
    campaign = opened(sources=1)
    snapshots.campaign_counts(campaign)
    assert not Snapshot.objects.exists()

    monkeypatch.setattr(snapshots, "LARGE", -1)
    snapshots.campaign_counts(campaign)
    assert Snapshot.objects.filter(campaign=campaign).count() == 1


def test_kept_count_is_shown_as_it_is_and_counted_again_when_it_has_rested(monkeypatch):
    monkeypatch.setattr(snapshots, "LARGE", -1)
    campaign = opened(sources=2)
    snapshots.campaign_counts(campaign)
    work(factories.enrollment(campaign), tasks=1, choose=2)

    assert snapshots.campaign_counts(campaign).filled == 0
    assert not snapshots.refresh_one(now=timezone.now())
    assert snapshots.refresh_one(now=timezone.now() + LATER)
    assert snapshots.campaign_counts(campaign).filled == 1
    assert snapshots.refresh_one(now=timezone.now() - LATER)  # the clock was set back


def test_kept_count_of_an_ended_campaign_is_counted_again_after_an_act(monkeypatch):
    monkeypatch.setattr(snapshots, "LARGE", -1)
    campaign = opened(sources=1)
    who = factories.enrollment(campaign)
    work(who, tasks=1, choose=2)
    type(campaign).objects.filter(pk=campaign.pk).update(state="closed")
    soon = timezone.now() + timedelta(minutes=5)
    snapshots.take_snapshot(campaign=campaign, now=soon)
    assert not snapshots.refresh_one(now=soon + timedelta(minutes=30))

    exclusions.exclude_annotator(enrollment=who, reason="slept", by=campaign.created_by, now=soon)
    Snapshot.objects.update(taken_at=timezone.now() - timedelta(minutes=30))
    assert snapshots.refresh_one(now=timezone.now())


def test_days_are_means_of_sources_in_the_campaigns_zone_and_a_harsh_day_is_flagged():
    campaign = opened(sources=12)
    Campaign.objects.filter(pk=campaign.pk).update(time_zone="Asia/Tokyo")
    campaign.refresh_from_db()
    steady, turning = (factories.enrollment(campaign, label=label) for label in ("A01", "A02"))
    late = datetime(2026, 3, 1, 16, tzinfo=UTC)  # 01:00 on 2 March in Tokyo
    for who, values in ((steady, (2, 2)), (turning, (2, 1))):
        for number, (value, at) in enumerate(zip(values, (late - LATER, late), strict=True)):
            for each in work(who, tasks=6, choose=value):
                Assignment.objects.filter(pk=each.pk).update(
                    submitted_at=at + timedelta(minutes=number)
                )

    counts = snapshots.count_campaign(campaign, timezone.now())
    assert counts_from_json(counts_to_json(counts)) == counts
    counted = snapshots.read_counts(campaign, counts)

    by_label = {each.work.label: each for each in counted.annotators.values()}
    first, second = by_label["A02"].work.days["grammaticality"]
    assert (first.day, second.day) == ("2026-03-01", "2026-03-02")
    assert (first.spread.n, first.spread.mean, second.spread.mean) == (6, 2, 1)
    assert (first.distances.mean, second.distances.mean) == (0, -1)
    [flag] = [flag for flag in by_label["A02"].flags if flag.criterion == "grammaticality"]
    assert (flag.reason, flag.day, flag.own, flag.others) == ("drift", "2026-03-02", -1, 0)
    everybody = counted.days["grammaticality"]
    assert [(each.spread.n, each.spread.mean, each.values) for each in everybody] == [
        (6, 2, 24),
        (6, 1.5, 24),
    ]
    manager = factories.logged_in(campaign.created_by)
    page = manager.get(reverse("judging:annotator", args=[campaign.uuid, turning.pk])).text
    assert '<td class="n">−1.00 (−1.00 to −1.00)</td>' in page
    listed = manager.get(reverse("judging:annotators", args=[campaign.uuid])).text
    assert '<td class="n">1.50 (1.50 to 1.50)</td>' in listed
