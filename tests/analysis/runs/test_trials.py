"""What is judged in pilots and calibrations changes nothing of the main round: no export, no count,
no report."""

from itertools import cycle

import pytest
from django.urls import reverse

from analysis import frames
from analysis.runs.actions import runs
from judging.campaigns.actions import campaigns, rounds
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.quality.actions import snapshots
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis.studies import analysed
from tests.judging.trials import NOW, begun, judged

pytestmark = pytest.mark.django_db
EXPORTS = ("csv", "csv-raw", "jsonl", "label-studio")


@pytest.fixture
def study() -> tuple[Campaign, Round, list[Enrollment]]:
    """Return a campaign whose main round is judged, a pilot on the same sources that nobody did
    yet, and who judges."""
    campaign = factories.campaign(dataset=factories.dataset(sources=4), annotators_per_task=2)
    people = [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]
    pilot = begun(campaign, kind="pilot", size=3, apart=False)
    rounds.end_round(round=pilot, by=campaign.created_by, now=NOW)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    values = cycle([3, 2, 3, 1, 2])
    for each in people:
        judged(each, campaign.rounds.get(kind="main"), lambda text, key: next(values))
    return campaign, pilot, people


def seen(campaign: Campaign) -> dict[str, object]:
    """Return all that leaves a campaign or stands on its pages."""
    client = factories.logged_in(campaign.created_by)
    run = analysed(campaign, metrics=[])
    there = {
        key: client.get(reverse("judging:export", args=[campaign.uuid, key])).getvalue()
        for key in EXPORTS
    }
    there["people"] = {
        who: (each.work, each.last_at)
        for who, each in snapshots.campaign_counts(campaign).annotators.items()
    }
    there["places"] = Campaign.objects.with_places().values("places", "filled").get(pk=campaign.pk)
    return there | {
        "digest": run.input_sha256,
        "tables": dict(runs.StoredTables(run)),
        "state": runs.analysis_state(campaign),
    }


def test_judgments_of_a_pilot_leave_exports_counts_and_report_as_they_were(study) -> None:
    campaign, pilot, people = study
    before, count = seen(campaign), Judgment.objects.count()
    rounds.reopen(round=pilot)
    pilot.refresh_from_db()
    for each in people:
        judged(each, pilot, lambda text, key: 1)
    assert Judgment.objects.count() > count
    assert seen(campaign) == before


def test_who_asks_gets_them_marked_by_their_round(study) -> None:
    campaign, pilot, people = study
    rounds.reopen(round=pilot)
    pilot.refresh_from_db()
    judged(people[0], pilot)
    client = factories.logged_in(campaign.created_by)
    address = reverse("judging:export", args=[campaign.uuid, "csv"])
    asked = client.get(f"{address}?trials").getvalue().decode()
    alone = client.get(address).getvalue().decode()
    assert asked.count("pilot 1") == 3 * 2 * 2
    assert "pilot" not in alone


def test_pilot_kept_apart_can_still_be_analysed_after_the_lock() -> None:
    campaign = factories.campaign(dataset=factories.dataset(sources=4))
    people = [enrollments.enroll(campaign=campaign, user=factories.user()) for _ in range(2)]
    pilot = begun(campaign, kind="pilot", size=2)
    for each in people:
        judged(each, pilot)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    read = frames.read_campaign(campaign, round="pilot")
    assert len(read.judgments.merge(read.slots, on="unit")) == len(read.judgments) == 16
    main = frames.read_campaign(campaign)
    assert not main.slots["unit"].isin(read.judgments["unit"]).any()
