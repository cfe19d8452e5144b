"""Agreement computed in the background for the overview: at most one job waits, and the numbers are
those of other software."""

from datetime import timedelta

import krippendorff
import numpy as np
import pytest
from celery import current_app
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis import frames
from analysis.runs.actions import live_agreements as computing
from analysis.sections.about import About
from analysis.sections.agreement.agreement import alpha_of
from analysis.sections.section import Found
from judging.campaigns.actions import live_agreements
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from judging.overview.actions import erasures
from judging.quality.actions import exclusions
from tests import factories
from tests.analysis.sections.computing import records
from tests.annotation.studies import opened
from tests.judging.workers import work

KIND = jobs.LIVE_AGREEMENT


def choose(own, asked) -> int:
    """Return values that differ between annotators on some tasks."""
    return 1 + (own.task.number + (own.enrollment.label == "A02" and own.task.number % 8 > 2)) % 3


@pytest.fixture
def campaign() -> Campaign:
    return opened(sources=16)


def work_of_two(campaign: Campaign) -> None:
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=16, choose=choose)


def carry_out(campaign: Campaign) -> LiveAgreement:
    current_app.tasks[KIND](str(campaign.jobs.get(kind=KIND, state="queued").pk))
    return campaign.live_agreements.last()


@pytest.mark.django_db(transaction=True)
def test_one_job_waits_and_starts_a_minute_after_the_last_one_started(campaign):
    work_of_two(campaign)
    [first] = campaign.jobs.filter(kind=KIND)
    assert first.not_before is None
    carry_out(campaign)
    first.refresh_from_db()
    work(factories.enrollment(campaign, label="A03"), tasks=2, choose=2)
    [second] = campaign.jobs.filter(kind=KIND, state="queued")
    assert second.not_before - first.started_at == timedelta(minutes=1)
    assert jobs.reserve(queue="celery") is None
    assert jobs.claim_job(job_id=second.pk) is None
    assert jobs.claim_messages() == []
    Job.objects.filter(pk=second.pk).update(not_before=timezone.now())
    assert jobs.reserve(queue="celery") == (KIND, str(second.pk))
    assert carry_out(campaign) != campaign.live_agreements.first()
    assert not Job.objects.filter(pk=first.pk).exists()


@pytest.mark.django_db(transaction=True)
def test_a_submission_while_the_job_runs_asks_for_another(campaign):
    work_of_two(campaign)
    jobs.claim_job(job_id=campaign.jobs.get(kind=KIND).pk)
    work(factories.enrollment(campaign, label="A03"), tasks=1, choose=2)
    assert [job.state for job in campaign.jobs.filter(kind=KIND)] == ["queued", "running"]


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_worker_died_is_queued_again_beside_one_that_waits(campaign):
    live_agreements.request_agreement(campaign)
    running = jobs.claim_job(job_id=campaign.jobs.get(kind=KIND).pk)
    live_agreements.request_agreement(campaign)
    jobs.put_back(job_id=running.pk)
    assert campaign.jobs.filter(kind=KIND, state="queued").count() == 2
    live_agreements._enqueue(campaign)
    assert campaign.jobs.filter(kind=KIND, state="queued").count() == 2


@pytest.mark.django_db(transaction=True)
def test_alpha_is_that_of_krippendorff_and_pairs_and_items_are_counted_by_hand(campaign):
    work_of_two(campaign)
    found = carry_out(campaign)
    read = frames.read_campaign(campaign)
    equal = shared = 0
    for criterion in read.protocol.criteria:
        table = read.ratings(criterion.key).to_numpy()
        level = computing.level_of(criterion)
        expected = krippendorff.alpha(
            reliability_data=table.T, level_of_measurement=level, value_domain=criterion.values()
        )
        alpha = found.criteria[criterion.key]
        assert alpha["value"] == pytest.approx(expected, abs=1e-12)
        of_report = alpha_of(read, criterion)
        assert alpha["low"] == pytest.approx(of_report.ci.low)
        assert alpha["low"] < alpha["value"] < alpha["high"]
        both = table[~np.isnan(table).any(axis=1)]
        equal, shared = equal + int((both[:, 0] == both[:, 1]).sum()), shared + len(both)
    one, other = campaign.enrollments.order_by("label")
    assert found.pairs == [{"first": one.pk, "second": other.pk, "equal": equal, "n": shared}]
    assert 0 < len(found.items) < 32
    for item in found.items:
        distances = []
        for criterion in read.protocol.criteria:
            values = read.ratings(criterion.key).loc[item["unit"]].to_numpy()
            scale = criterion.values()
            width = 1 if criterion.level == "nominal" else max(scale) - min(scale)
            apart = float(values[0] != values[1]) if width == 1 else abs(values[0] - values[1])
            distances.append((apart / width) ** 2)
        assert item["disagreement"] == pytest.approx(np.mean(distances))
    keys = [item["disagreement"] for item in found.items]
    assert keys == sorted(keys, reverse=True)


@pytest.mark.django_db(transaction=True)
def test_excluded_and_erased_annotators_leave_the_agreement(campaign):
    work_of_two(campaign)
    carry_out(campaign)
    by, someone = campaign.created_by, campaign.enrollments.get(label="A02")
    exclusions.exclude_annotator(enrollment=someone, reason="too fast", by=by, now=timezone.now())
    campaign.jobs.filter(kind=KIND).update(not_before=None)
    without = carry_out(campaign)
    assert (without.pairs, without.items) == ([], [])
    assert all("value" not in alpha for alpha in without.criteria.values())
    exclusions.readmit(enrollment=someone, by=by, now=timezone.now())
    campaign.jobs.filter(kind=KIND).update(not_before=None)
    assert carry_out(campaign).pairs
    erasures.erase_annotator(enrollment=someone, by=by, now=timezone.now())
    assert not campaign.live_agreements.exclude(pairs=[]).exists()
    assert campaign.jobs.filter(kind=KIND, state="queued").exists()


@pytest.mark.django_db(transaction=True)
def test_details_of_earlier_moments_go_and_every_second_moment_of_many(campaign):
    work_of_two(campaign)
    now = timezone.now()
    for minutes in range(computing.MAX_MOMENTS, 0, -1):
        LiveAgreement.objects.create(
            campaign=campaign, computed_at=now - timedelta(minutes=minutes), pairs=[{}], items=[{}]
        )
    first = campaign.live_agreements.first()
    newest = carry_out(campaign)
    kept = list(campaign.live_agreements.all())
    assert (kept[0], kept[-1]) == (first, newest)
    assert len(kept) == computing.MAX_MOMENTS // 2 + 1
    assert [row.pairs for row in kept[:-1]] == [[]] * (len(kept) - 1)
    assert newest.pairs
    assert newest.items


def test_of_many_annotators_those_who_agree_least_are_in_the_matrix():
    many = range(1, computing.MAX_ANNOTATORS + 4)
    pairs = [
        {"first": first, "second": second, "equal": min(first, second), "n": 100}
        for first in many
        for second in many
        if first < second
    ]
    assert computing._who_agree_least(pairs) == list(many)[: computing.MAX_ANNOTATORS]


@pytest.mark.django_db
def test_report_says_how_many_looked_at_agreement_before_the_end(campaign):
    work_of_two(campaign)
    [facts] = records(About, campaign)
    assert facts["looked_at_agreement"] == 0
    live_agreements.note_look(campaign=campaign, by=campaign.created_by, now=timezone.now())
    [facts] = records(About, campaign)
    told = " ".join(About().caveats(Found({"about": [facts]})))
    assert "1 person looked at agreement before the campaign was closed." in told
    live_agreements.note_look(campaign=campaign, by=factories.user(), now=timezone.now())
    [facts] = records(About, campaign)
    assert facts["looked_at_agreement"] == 2
