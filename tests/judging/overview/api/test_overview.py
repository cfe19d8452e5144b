"""The overview of a campaign for programs."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.campaigns.actions import live_agreements
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.live_agreement import LiveAgreement
from judging.campaigns.models.members import Membership
from judging.datasets.models.dataset import Unit
from tests import factories
from tests.annotation.studies import opened
from tests.judging.programs import API, program
from tests.judging.workers import varied, work

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = opened(sources=4)
    for label in ("A01", "A02"):
        work(factories.enrollment(campaign, label=label), tasks=2, choose=varied)
    return campaign


def address(campaign: Campaign) -> str:
    return f"{API}/campaigns/{campaign.uuid}/overview/"


def test_overview_counts_what_was_submitted(campaign):
    found = program(campaign.created_by).get(address(campaign)).json()
    assert (found["submitted"], found["assignments"], found["held"]) == (4, 12, 0)
    assert [each["label"] for each in found["annotators"]] == ["A01", "A02"]
    assert [each["tasks"] for each in found["annotators"]] == [2, 2]
    assert {each["system"]: each["judged"] for each in found["systems"]} == {"Alba": 4, "Brisa": 4}
    assert all(sum(each["values"].values()) == 8 for each in found["criteria"])
    assert all(each["alpha"] is None for each in found["criteria"])
    assert (found["agreement_computed_at"], found["pairs"], found["forecast"]) == (None, None, None)
    assert live_agreements.count_looks(campaign) == 0


def test_overview_has_the_forecast(campaign):
    opened_at = timezone.now() - timedelta(hours=4, minutes=1)
    Round.objects.filter(campaign=campaign, kind="main").update(opened_at=opened_at)
    forecast = program(campaign.created_by).get(address(campaign)).json()["forecast"]
    assert forecast["earliest"] < forecast["expected_at"]
    assert forecast["latest"] is None


def test_overview_has_agreement_pairs_and_disputed_items_and_notes_the_look(campaign):
    one, other = campaign.enrollments.order_by("label")
    unit = Unit.objects.filter(judgments__isnull=False).first()
    source = unit.question_set.source
    LiveAgreement.objects.create(
        campaign=campaign,
        computed_at=timezone.now(),
        criteria={"correctness": {"value": 0.5, "n": 4, "reason": "few sources: no interval"}},
        pairs=[{"first": one.pk, "second": other.pk, "equal": 3, "n": 4}],
        items=[{"unit": unit.pk, "source": source.pk, "source_key": "s1", "disagreement": 0.5}],
    )
    found = program(campaign.created_by).get(address(campaign)).json()
    alphas = {each["criterion"]: each["alpha"] for each in found["criteria"]}
    assert alphas["correctness"] == {
        "value": 0.5,
        "low": None,
        "high": None,
        "n": 4,
        "reason": "few sources: no interval",
    }
    assert found["pairs"] == [{"first": "A01", "second": "A02", "percent_agreement": 0.75, "n": 4}]
    assert found["disputed_items"] == [{"item": unit.pk, "source_id": "s1", "disagreement": 0.5}]
    assert live_agreements.count_looks(campaign) == 1


def test_overview_hides_agreement_and_systems_from_managers_who_judge(campaign):
    owner = campaign.created_by
    LiveAgreement.objects.create(
        campaign=campaign,
        computed_at=timezone.now(),
        criteria={"correctness": {"value": 0.5, "n": 4, "reason": ""}},
    )
    Membership.objects.create(user=owner, campaign=campaign, role="annotator")
    found = program(owner).get(address(campaign)).json()
    hidden = ("agreement_computed_at", "pairs", "disputed_items", "systems")
    assert [found[name] for name in hidden] == [None] * 4
    assert all(each["alpha"] is None for each in found["criteria"])
    assert live_agreements.count_looks(campaign) == 0
