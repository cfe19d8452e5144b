"""What is said in checks changes nothing of a report but what it says of annotators and
themselves."""

import pytest

from analysis import frames
from analysis.runs.actions import live_agreements, runs
from analysis.scoring.actions import check_copies
from judging.campaigns import quality_plan
from judging.campaigns.actions import campaigns
from judging.campaigns.quality_plan import QualityPlan
from judging.quality.models.check import CheckItem
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis.studies import analysed
from tests.judging.quality.actions.test_checks import checked, degrade, gold, person, walk
from tests.refusing import refused

pytestmark = pytest.mark.django_db
OF_CHECKS = ("intra_annotator_agreement", "hidden_repeats")


def two(own, asked):
    return 2


def prepare(campaign) -> None:
    gold(campaign)
    degrade(campaign)


def test_report_with_and_without_what_was_said_in_checks_is_the_same():
    campaign = checked(sources=12, gold=20, repeats=30, degraded=30, prepare=prepare)
    for _ in range(2):
        walk(person(campaign), lambda own, asked: 1 + (own.task.number * asked.unit) % 3)
    said = Judgment.objects.filter(assignment__round__kind="checks")
    assert {row.kind for row in campaign.enrollments.first().check_tasks.all()} >= {
        "repeat",
        "degraded",
    }
    assert said.count() > 20
    with_checks = analysed(campaign, metrics=[])
    state = runs.analysis_state(campaign)

    type(campaign).objects.filter(pk=campaign.pk).update(checked=False)
    # as if nobody had been asked anything in them
    campaign.rounds.filter(kind="checks").update(kind="training")
    campaign.enrollments.first().check_tasks.model.objects.all().delete()
    without = analysed(campaign, metrics=[])

    assert with_checks.input_sha256 == without.input_sha256
    assert state == runs.analysis_state(campaign)
    before, after = dict(runs.StoredTables(with_checks)), dict(runs.StoredTables(without))
    differing = {key for key in before if before[key] != after[key]}
    assert differing <= {*OF_CHECKS, "sections", "study", "about"} - {"study", "about"}


@pytest.mark.long
def test_agreement_with_oneself_is_of_the_repeats_and_the_overview_is_told_that_of_the_main_round():
    campaign = checked(sources=16, repeats=60)
    walk(person(campaign, label="A01"), lambda own, asked: 1 + asked.unit % 3)
    walk(
        person(campaign, label="A02"),
        lambda own, asked: 3 if own.round.kind == "checks" else 1 + asked.unit % 3,
    )
    run = analysed(campaign, metrics=[])
    tables = dict(runs.StoredTables(run))

    given = frames.hidden_repeats(frames.read_campaign(campaign))
    of_one = given[given["criterion"] == "correctness"]
    shares = {
        row["annotator"]: row["value"]
        for row in tables["hidden_repeats"]
        if row["criterion"] == "correctness"
    }
    assert shares["A01"] == 1
    expected = (of_one["first"] == of_one["again"]).mean()
    assert shares[""] == pytest.approx(expected)
    source_of = frames.read_campaign(campaign).slots.set_index("unit")["source"]
    [together] = [
        row
        for row in tables["hidden_repeats"]
        if (row["annotator"], row["criterion"]) == ("", "correctness")
    ]
    assert (together["n"], together["clusters"]) == (
        len(of_one),
        source_of[of_one["unit"]].nunique(),
    )
    [alpha] = [
        row for row in tables["intra_annotator_agreement"] if row["criterion"] == "correctness"
    ]
    assert alpha["n"] == len(of_one)
    assert alpha["value"] < 1
    assert live_agreements.alphas(campaign)["correctness"]["value"] == 1


def test_copies_are_made_of_the_campaigns_questions_in_different_ways_and_differ_from_them():
    campaign = factories.campaign(dataset=factories.dataset(sources=8))
    assert check_copies.make_degraded_copies(campaign=campaign) == 8
    items = CheckItem.objects.select_related("unit__question", "original__question")
    assert len({item.method for item in items}) > 1
    assert all(item.unit.question.text != item.original.question.text for item in items)
    assert len({item.original.question_set.source_id for item in items}) == 8
    with pytest.raises(check_copies.NoCopies):
        check_copies.make_degraded_copies(campaign=campaign)


def test_copies_of_another_language_or_a_locked_campaign_are_refused():
    german = factories.campaign(dataset=factories.dataset(language="de"))
    with refused("cannot_degrade"):
        check_copies.make_degraded_copies(campaign=german)
    locked = factories.opened()
    with refused("plan_locked"):
        check_copies.make_degraded_copies(campaign=locked)


def test_lock_fixes_how_many_checks_there_are_and_their_hash():
    campaign = factories.campaign(dataset=factories.dataset(sources=3))
    plan = quality_plan.quality_plan_to_document(QualityPlan(degraded=10))
    campaigns.change_plan(campaign=campaign, plan={"quality": plan})
    check_copies.make_degraded_copies(campaign=campaign)
    campaign.refresh_from_db()
    campaigns.lock_plan(campaign=campaign, now=factories.timezone.now())
    assert campaign.locked_plan["checks"]["degraded"] == 3
    assert len(campaign.locked_plan["checks"]["sha256"]) == 64
