"""A study checked against the rules of its crowd platform: each rule met, broken, and met again."""

from dataclasses import replace
from decimal import Decimal

import pytest

from judging import crowd_kinds
from judging.crowd_policies import PlatformStudy, PolicyCheck, checks
from judging.pay import Rate
from judging.quality import QualityPlan

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


@pytest.mark.parametrize(
    ("changes", "rule", "state", "told"),
    [
        ({"rate": None}, "pay", "fails", "No rate of pay"),
        ({"rate": Rate(Decimal("0.19"), "GBP", Decimal(2))}, "pay", "fails", "pays 5.70 GBP"),
        ({"rate": Rate(Decimal("0.26"), "USD", Decimal(2))}, "pay", "fails", "pays 7.80 USD"),
        ({"rate": Rate(Decimal("0.30"), "EUR", Decimal(2))}, "pay", "look", "6.00 GBP or 8.00 USD"),
        ({"pilot_seconds": 200.0}, "pay", "fails", "pays 5.40 GBP by the pilot"),
        ({"pilot_seconds": 151.0}, "time", "fails", "took in the pilot 2.5"),
        ({"page_seconds": 151}, "time", "fails", "as the protocol estimates 2.5"),
        ({"pay": False}, "pay_told", "fails", "not described"),
        ({"qualifies": True, "tries": 2}, "pay_of_test", "look", "no minute of the qualification"),
        ({"tasks": None}, "share", "fails", "every annotator is given all"),
        ({"minutes": 39}, "share", "fails", "takes about 40 minutes, and is kept 39"),
        (
            {"texts": {"text about pay": "Failed checks are not paid."}},
            "threat",
            "look",
            "text about pay speaks of “not paid”",
        ),
        (
            {"plan": QualityPlan(gold=10, exclude_gold=1)},
            "form_of_checks",
            "look",
            "no attention checks",
        ),
        (
            {"plan": QualityPlan(gold=10, exclude_gold=0)},
            "number_of_checks",
            "fails",
            "after one failed gold question; in studies of 5 minutes or more at least 2",
        ),
        ({"qualifies": True}, "tries", "fails", "tried 1 time"),
        ({"consent": False}, "consent", "fails", "annotators cannot decline"),
        ({"contact": False}, "contact", "fails", "No contact"),
        ({"asked": ["Your Prolific ID?"]}, "identity", "fails", "“Your Prolific ID?”"),
        ({"asked": ["Ihre E-Mail?"]}, "identity", "fails", "“Ihre E-Mail?”"),
        ({"codes": {"completed": "AAAA"}}, "codes", "fails", "no code for: no consent"),
        ({"return_template": "https://a.example/{code}"}, "way_back", "look", "not the platform's"),
        (
            {"kind": "sona", "return_template": crowd_kinds.SONA.return_template},
            "way_back",
            "fails",
            "is still the example",
        ),
        ({"kind": "sona"}, "pay", "look", "credits"),
        (
            {"kind": "connect", "rate": Rate(Decimal("0.24"), "USD", Decimal(2))},
            "pay",
            "fails",
            "platform's 7.50",
        ),
        ({"signed": False}, "signed", "look", "not signed"),
        ({"hears": False}, "messages", "look", "No secret"),
    ],
)
def test_a_rule_that_is_not_met_says_what_and_how_to_mend_it(changes, rule, state, told):
    found = held(**changes)
    assert found[rule].state == state
    assert told in found[rule].told
    assert found[rule].mend or (rule, state) == ("pay", "look")


def test_what_a_task_must_pay_is_named_and_then_meets_the_rule():
    poor = held(rate=Rate(Decimal("0.19"), "GBP", Decimal(2)), pilot_seconds=130.0)["pay"]
    assert poor.mend == "Plan: Rate of pay, at least 0.22 GBP a task."
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
