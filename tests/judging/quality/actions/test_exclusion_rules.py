"""Rules fixed beforehand propose; a manager applies them; places are given out again, once."""

from collections.abc import Callable

import pytest

from judging.campaigns import quality_plan
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.campaigns.quality_plan import QualityPlan
from judging.people.models.event import Event
from judging.quality.actions import exclusion_rules, exclusions
from tests import factories
from tests.annotation.studies import opened
from tests.judging.quality.actions.test_checks import checked, evade, gold, person, walk
from tests.judging.workers import varied, work

pytestmark = pytest.mark.django_db
NOW = factories.timezone.now()


@pytest.fixture(scope="module")
def worked(lasting: None) -> Enrollment:
    """Return A03, who is too fast, of a campaign of three."""
    campaign = opened(sources=5)
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=5, choose=varied, seconds=12.4)
    hasty = factories.enrollment(campaign, label="A03")
    work(hasty, tasks=5, choose=varied, seconds=0.8)
    return hasty


@pytest.fixture
def judged(worked: Enrollment) -> Callable[..., tuple[Campaign, Enrollment]]:
    """Return how to get the campaign under rules, and A03."""

    def under(**rules: object) -> tuple[Campaign, Enrollment]:
        hasty = Enrollment.objects.get(pk=worked.pk)
        Campaign.objects.filter(pk=hasty.campaign_id).update(
            quality=quality_plan.quality_plan_to_document(QualityPlan(**rules))
        )
        return hasty.campaign, hasty

    return under


def test_rules_propose_those_who_break_them_and_say_by_how_much(judged):
    campaign, hasty = judged(exclude_speed=True)
    [proposal] = exclusion_rules.proposals(campaign, now=NOW)
    assert proposal.enrollment == hasty
    assert proposal.reason == "By rules fixed beforehand: flagged as too fast: 0.2 s a value."


def test_flag_without_a_rule_proposes_nobody(judged):
    campaign, _hasty = judged()
    assert exclusion_rules.proposals(campaign, now=NOW) == []
    assert exclusion_rules.standing_rules(campaign) == []


def test_applying_leaves_out_only_those_chosen_and_proposed_logged_and_reversible(judged):
    campaign, hasty = judged(exclude_speed=True)
    other = campaign.enrollments.get(label="A01")
    by = campaign.created_by

    assert (
        exclusion_rules.exclude_proposed(campaign=campaign, chosen={other.pk}, by=by, now=NOW) == []
    )
    assert not Exclusion.objects.exists()
    [done] = exclusion_rules.exclude_proposed(
        campaign=campaign, chosen={other.pk, hasty.pk}, by=by, now=NOW
    )

    exclusion = Exclusion.objects.get()
    assert (exclusion.enrollment, exclusion.reason, exclusion.excluded_by) == (
        hasty,
        done.reason,
        by,
    )
    assert Event.objects.filter(act="annotator.excluded", about="A03", who=by.pk).count() == 1
    assert (
        exclusion_rules.exclude_proposed(campaign=campaign, chosen={hasty.pk}, by=by, now=NOW) == []
    )
    exclusions.readmit(enrollment=hasty, by=by, now=NOW)
    assert not Exclusion.objects.standing().exists()


def test_gold_rule_counts_failures_once_enough_were_met():
    def prepare(made):
        for _ in range(4):
            gold(made)

    campaign = checked(sources=20, gold=60, exclude_gold=1, exclude_gold_of=3, prepare=prepare)
    walk(person(campaign, "A01"), lambda own, asked: 3)
    walk(person(campaign, "A02"), lambda own, asked: 1)
    [proposal] = exclusion_rules.proposals(campaign, now=NOW)
    assert proposal.enrollment.label == "A02"
    assert "failed more than 1 of at least 3 gold questions: 4 of 4" in proposal.reason


def test_rules_propose_who_reports_checks_in_place_of_answering_and_say_so():
    def prepare(made):
        for _ in range(4):
            gold(made)

    shares = {"gold": 40, "repeats": 40, "exclude_gold": 1, "exclude_repeats": 0.5}
    campaign = checked(sources=30, prepare=prepare, **shares)
    evade(person(campaign, "A01"))
    [proposal] = exclusion_rules.proposals(campaign, now=NOW)
    assert "4 of 4, 4 of them reported as broken and not answered" in proposal.reason
    assert "values of questions reported as broken when they were repeated" in proposal.reason


def test_rules_are_a_part_of_the_locked_protocol():
    campaign = checked(sources=2, exclude_repeats=0.5)
    assert campaign.locked_plan["quality"]["exclude_repeats"] == 0.5
    assert exclusion_rules.standing_rules(campaign) == [
        "agrees with themselves in less than 0.5 of hidden repeats"
    ]


def test_places_of_the_excluded_open_once_and_what_they_said_stays(judged):
    campaign, hasty = judged(exclude_speed=True)
    by = campaign.created_by
    before = Assignment.objects.filter(enrollment=hasty, state="submitted").count()
    assert exclusion_rules.reopen_assignments(campaign=campaign, by=by) == 0
    exclusion_rules.exclude_proposed(campaign=campaign, chosen={hasty.pk}, by=by, now=NOW)

    assert exclusion_rules.count_lacking_assignments(campaign) == 5
    assert exclusion_rules.reopen_assignments(campaign=campaign, by=by) == 5
    assert exclusion_rules.reopen_assignments(campaign=campaign, by=by) == 0
    assert Assignment.objects.filter(enrollment=hasty, state="submitted").count() == before
    assert Event.objects.filter(act="places.reopened", after="5 assignments").count() == 1
    fresh = factories.enrollment(campaign, label="A04")
    assert len(work(fresh, tasks=9, choose=2)) == 5
    assert work(hasty, tasks=1, choose=2) == []


def test_pages_preview_apply_and_reopen(client, judged):
    campaign, hasty = judged(exclude_speed=True)
    client.force_login(campaign.created_by)
    rules = f"/campaigns/{campaign.uuid}/annotators/rules/"
    assert "flagged as too fast: 0.2 s a value" in client.get(rules).text
    assert not Exclusion.objects.exists()
    client.post(rules, {"annotator": [hasty.pk]})
    assert Exclusion.objects.get().enrollment == hasty
    html = client.get(f"/campaigns/{campaign.uuid}/annotators/").text
    assert "5 assignments were submitted by annotators who are excluded" in html
    client.post(f"/campaigns/{campaign.uuid}/annotators/reopen/")
    assert campaign.rounds.get().assignments.filter(reopened=True).count() == 5
