"""A study checked against the rules of its crowd platform: each rule met, broken, and met again."""

from dataclasses import replace
from decimal import Decimal

import pytest

from judging.campaigns.quality_plan import QualityPlan
from judging.crowd import crowd_kinds
from judging.crowd.crowd_policies import PlatformStudy, PolicyCheck, checks
from judging.quality.pay import Rate

ENDS = {"completed": "completed", "no_consent": "no consent"}
GOOD = PlatformStudy(
    kind="prolific",
    rate=Rate(Decimal("0.30"), "GBP", Decimal(2)),
    page_seconds=110,
    pilot_seconds=None,
    tasks=20,
    minutes=60,
    texts={"introduction": "You rate questions.", "consent text": "I agree."},
    asked=["What was hard?"],
    consent=True,
    contact=True,
    pay=True,
    qualifies=False,
    tries=1,
    plan=QualityPlan(),
    codes={"completed": "AAAA", "no_consent": "BBBB"},
    needed=ENDS,
    return_template=crowd_kinds.PROLIFIC.return_template,
    signed=True,
    hears=True,
)


def held(**changes: object) -> dict[str, PolicyCheck]:
    """Return what is not met, by rule."""
    study = replace(GOOD, **changes)  # type: ignore[arg-type]
    return {each.rule: each for each in checks(study) if each.state != "met"}


def test_a_study_that_meets_every_rule_is_told_so_by_each():
    assert held() == {}
    assert {each.rule for each in checks(GOOD)} == {
        "pay", "share", "rejection", "consent", "identity", "codes",
    }  # fmt: skip


SONA_EXAMPLE = {"kind": "sona", "return_template": crowd_kinds.SONA.return_template}


@pytest.mark.parametrize(
    ("changes", "rule", "state"),
    [
        ({"rate": None}, "pay", "fails"),
        ({"kind": "sona"}, "pay", "look"),
        ({"pilot_seconds": 151.0}, "time", "fails"),
        ({"page_seconds": 151}, "time", "fails"),
        ({"pay": False}, "pay_told", "fails"),
        ({"qualifies": True, "tries": 2}, "pay_of_test", "look"),
        ({"tasks": None}, "share", "fails"),
        ({"minutes": 39}, "share", "fails"),
        ({"texts": {"text about pay": "Failed checks are not paid."}}, "threat", "look"),
        ({"plan": QualityPlan(gold=10, exclude_gold=1)}, "form_of_checks", "look"),
        ({"plan": QualityPlan(gold=10, exclude_gold=0)}, "number_of_checks", "fails"),
        ({"qualifies": True}, "tries", "fails"),
        ({"consent": False}, "consent", "fails"),
        ({"contact": False}, "contact", "fails"),
        ({"asked": ["Your Prolific ID?"]}, "identity", "fails"),
        ({"asked": ["Ihre E-Mail?"]}, "identity", "fails"),
        ({"codes": {"completed": "AAAA"}}, "codes", "fails"),
        ({"return_template": "https://a.example/{code}"}, "way_back", "look"),
        (SONA_EXAMPLE, "way_back", "fails"),
        ({"signed": False}, "signed", "look"),
        ({"hears": False}, "messages", "look"),
    ],
)
def test_rule_that_is_not_met_is_named_with_its_remedy(changes, rule, state):
    found = held(**changes)
    assert found[rule].state == state
    assert found[rule].remedy or (rule, state) == ("pay", "look")


@pytest.mark.parametrize(
    ("changes", "state", "pay"),
    [
        ({"rate": Rate(Decimal("0.19"), "GBP", Decimal(2))}, "fails", "5.70 GBP"),
        ({"rate": Rate(Decimal("0.26"), "USD", Decimal(2))}, "fails", "7.80 USD"),
        ({"rate": Rate(Decimal("0.30"), "EUR", Decimal(2))}, "look", "6.00 GBP or 8.00 USD"),
        ({"pilot_seconds": 200.0}, "fails", "5.40 GBP"),
        ({"kind": "connect", "rate": Rate(Decimal("0.24"), "USD", Decimal(2))}, "fails", "7.50"),
    ],
)
def test_pay_below_the_minimum_is_named_by_the_hour(changes, state, pay):
    found = held(**changes)["pay"]
    assert found.state == state
    assert pay in found.sentence


def test_what_a_task_must_pay_is_named_and_then_meets_the_rule():
    poor = held(rate=Rate(Decimal("0.19"), "GBP", Decimal(2)), pilot_seconds=130.0)["pay"]
    assert poor.remedy == "Plan: Rate of pay, at least 0.22 GBP a task."
    assert "pay" not in held(rate=Rate(Decimal("0.22"), "GBP", Decimal(2)), pilot_seconds=130.0)


def test_one_failed_check_may_leave_out_in_a_study_of_under_five_minutes():
    plan = QualityPlan(gold=10, exclude_gold=0)
    assert "number_of_checks" not in held(plan=plan, tasks=2)


def test_rules_that_are_broken_come_first():
    states = [each.state for each in checks(replace(GOOD, consent=False, signed=False))]
    assert states == sorted(states, key=("fails", "look", "met").index)
    assert states[0] == "fails"


def test_pay_that_is_not_told_is_said_also_where_no_rate_is_planned():
    found = {each.rule: each.state for each in checks(replace(GOOD, rate=None, pay=False))}

    assert found["pay"] == found["pay_told"] == "fails"
    assert "time" not in found
