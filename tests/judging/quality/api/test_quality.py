"""The quality plan of a campaign, and its exclusion rules, for programs."""

import pytest

from judging.campaigns import quality_plan
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Exclusion
from judging.campaigns.quality_plan import QualityPlan
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, fields_of, program
from tests.judging.workers import varied, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    return factories.campaign()


def address(campaign, part="quality"):
    return f"{API}/campaigns/{campaign.uuid}/{part}/"


def hasty_annotator(campaign):
    """Return an annotator who works faster than two others, under a rule against it."""
    plan = quality_plan.quality_plan_to_document(QualityPlan(exclude_speed=True))
    Campaign.objects.filter(pk=campaign.pk).update(quality=plan)
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=5, choose=varied, seconds=12.4)
    hasty = factories.enrollment(campaign, label="A03")
    work(hasty, tasks=5, choose=varied, seconds=0.8)
    return hasty


def test_quality_plan_is_read_and_replaced(draft):
    api = program(draft.created_by)
    assert api.get(address(draft)).json() == quality_plan.quality_plan_to_document(QualityPlan())
    sent = api.put(address(draft), {"repeats": 10, "exclude_gold": 2})
    assert sent.status_code == 200, sent.content
    draft.refresh_from_db()
    assert draft.quality == quality_plan.quality_plan_to_document(
        QualityPlan(repeats=10, exclude_gold=2)
    )
    assert draft.checked
    assert api.put(address(draft), {}).json() == quality_plan.quality_plan_to_document(
        QualityPlan()
    )


def test_quality_plan_with_another_tag_is_not_replaced(draft):
    api = program(draft.created_by)
    tag = api.get(address(draft)).headers["ETag"]
    first = api.put(address(draft), {"repeats": 10}, headers={"If-Match": tag})
    second = api.put(address(draft), {"repeats": 20}, headers={"If-Match": tag})
    assert (first.status_code, second.status_code) == (200, 412)
    draft.refresh_from_db()
    assert draft.quality["repeats"] == 10


@pytest.mark.parametrize(
    ("body", "field"),
    [({"repeats": 51}, "repeats"), ({"fastest": "slow"}, "fastest"), ({"gap": None}, "gap")],
)
def test_quality_plan_wrong_value_names_the_field(draft, body, field):
    assert fields_of(program(draft.created_by).put(address(draft), body)) == {field}


def test_exclusion_rules_propose_and_exclude_whom_the_program_names():
    campaign = studies.opened(sources=5)
    hasty = hasty_annotator(campaign)
    api = program(campaign.created_by)
    rules = api.get(address(campaign, "exclusion-rules")).json()
    assert rules["rules"] == ["flagged as too fast"]
    [proposal] = rules["proposals"]
    assert (proposal["enrolment"], proposal["label"]) == (hasty.pk, "A03")
    assert proposal["reason"].startswith("By rules fixed beforehand: flagged as too fast: ")

    apply = address(campaign, "exclusion-rules/apply")
    other = campaign.enrollments.get(label="A01").pk
    assert api.post(apply, {"enrolments": [other]}).json() == {"excluded": []}
    assert api.post(apply, {"enrolments": [other, hasty.pk]}).json() == {"excluded": [hasty.pk]}
    assert Exclusion.objects.standing().get().enrollment == hasty
    assert api.get(address(campaign, "exclusion-rules")).json()["proposals"] == []

    reopen = address(campaign, "exclusion-rules/reopen-assignments")
    assert api.post(reopen).json() == {"reopened": 5}
    assert api.post(reopen).json() == {"reopened": 0}
    assert fields_of(api.post(apply, {})) == {"enrolments"}


def test_manager_who_judges_is_told_and_excludes_nothing_about_themselves():
    campaign = studies.opened(sources=5)
    hasty = hasty_annotator(campaign)
    campaigns.add_member(campaign=campaign, user=hasty.user, role="manager", by=campaign.created_by)
    api = program(hasty.user)
    assert api.get(address(campaign, "exclusion-rules")).json()["proposals"] == []
    applied = api.post(address(campaign, "exclusion-rules/apply"), {"enrolments": [hasty.pk]})
    assert applied.json() == {"excluded": []}
