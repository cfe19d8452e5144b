"""Answers on their way: which one wins, what is refused, and when a stage is final."""

import pytest
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.work.actions import assignments, drafts, sheets
from judging.work.actions.drafts import (
    MissingAnswers,
    OffScale,
    SentPage,
    StageNotReached,
    TaskClosed,
)
from judging.work.actions.sheets import AskedReport
from judging.work.models.assignment import Draft, Note
from tests import factories
from tests.refusing import refused

pytestmark = pytest.mark.django_db


def held(campaign: Campaign) -> Assignment:
    round = campaign.rounds.select_related("campaign").get()
    return assignments.claim_assignment(
        enrollment=factories.enrollment(campaign), round=round
    ).assignment


@pytest.fixture
def small() -> Assignment:
    return held(factories.opened())


@pytest.fixture
def staged() -> Assignment:
    return held(factories.opened(protocol=factories.protocol("qgbench-staged")))


def answer_stage(assignment: Assignment, stage: int, value: int = 3) -> None:
    given = [
        (asked, value)
        for asked in sheets.sheet_of_assignment(assignment).asked()
        if asked.stage == stage
    ]
    drafts.save_draft(assignment=assignment, page=SentPage(given, 1))


def say(assignment: Assignment, key: str, value: int | None, sequence: int = 1) -> bool:
    """Save an answer; return whether it was stored."""
    asked = sheets.sheet_of_assignment(assignment).find(f"q1.{key}")
    return not drafts.save_draft(assignment=assignment, page=SentPage([(asked, value)], sequence))


def test_save_keeps_one_row_with_the_latest_answer(small: Assignment) -> None:
    assert say(small, "correctness", 1, 1)
    assert say(small, "correctness", 3, 2)
    assert Draft.objects.get().value == 3


@pytest.mark.parametrize("sequence", [4, 5])
def test_save_ignores_a_number_that_is_not_higher(small: Assignment, sequence: int) -> None:
    say(small, "correctness", 1, 5)
    assert not say(small, "correctness", 3, sequence)
    assert (Draft.objects.get().value, Draft.objects.get().sequence) == (1, 5)


def test_save_takes_an_answer_back(small: Assignment) -> None:
    say(small, "correctness", 1, 1)
    say(small, "correctness", None, 2)
    assert drafts.draft_answers(small) == {}


@pytest.mark.parametrize("value", [0, 4, 31, -1, 10**6])
def test_save_refuses_what_is_not_on_the_scale(small: Assignment, value: int) -> None:
    with refused("not_on_scale"):
        say(small, "correctness", value)
    assert not Draft.objects.exists()


def test_save_renews_the_lease(small: Assignment) -> None:
    Assignment.objects.filter(pk=small.pk).update(lease_expires_at=timezone.now())
    say(small, "correctness", 1)
    small.refresh_from_db()
    assert small.lease_expires_at > timezone.now()


def test_save_keeps_the_answers_of_a_place_that_was_released(small: Assignment) -> None:
    assignments.give_back(assignment=small)
    assert say(small, "correctness", 1)
    small.refresh_from_db()
    assert small.state == "released"


def test_save_refuses_a_submitted_task_once_its_campaign_is_closed(small: Assignment) -> None:
    campaign = small.round.campaign
    Assignment.objects.filter(pk=small.pk).update(
        state="submitted", submitted_at=timezone.now(), lease_expires_at=None
    )
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    late = Assignment.objects.select_related("round__campaign").get(pk=small.pk)
    with pytest.raises(TaskClosed):
        say(late, "correctness", 1)


def test_save_is_all_or_none(small: Assignment) -> None:
    first, second, *_ = sheets.sheet_of_assignment(small).asked()
    with pytest.raises(OffScale):
        drafts.save_draft(assignment=small, page=SentPage([(first, 1), (second, 31)], 1))
    assert drafts.draft_answers(small) == {}


def test_save_names_what_lost_against_a_later_different_answer(small: Assignment) -> None:
    first, second, third, *_ = sheets.sheet_of_assignment(small).asked()
    drafts.save_draft(assignment=small, page=SentPage([(first, 1), (second, 2)], 9))
    lost = drafts.save_draft(
        assignment=small, page=SentPage([(first, 1), (second, 3), (third, 3)], 4)
    )
    assert lost == (second,)
    assert drafts.draft_answers(small) == {first.place: 1, second.place: 2, third.place: 3}


def test_freeze_stage_names_each_missing_answer(staged: Assignment) -> None:
    with pytest.raises(MissingAnswers) as missing:
        drafts.freeze_stage(assignment=staged, stage=0)
    assert [asked.criterion.key for asked in missing.value.asked] == ["grammaticality"] * 2
    staged.refresh_from_db()
    assert staged.stage == 0


def test_freeze_stage_makes_its_answers_final_and_opens_the_next(staged: Assignment) -> None:
    answer_stage(staged, 0)
    drafts.freeze_stage(assignment=staged, stage=0)
    with refused("stage_closed"):
        say(staged, "grammaticality", 1, 9)
    answer_stage(staged, 1)
    assert set(drafts.draft_answers(staged).values()) == {3}


def test_freeze_stage_twice_freezes_one(staged: Assignment) -> None:
    answer_stage(staged, 0)
    drafts.freeze_stage(assignment=staged, stage=0)
    drafts.freeze_stage(assignment=staged, stage=0)
    staged.refresh_from_db()
    assert staged.stage == 1


def test_freeze_stage_refuses_the_last_one(staged: Assignment) -> None:
    answer_stage(staged, 0)
    drafts.freeze_stage(assignment=staged, stage=0)
    answer_stage(staged, 1)
    with pytest.raises(StageNotReached):
        drafts.freeze_stage(assignment=staged, stage=1)


def test_save_refuses_a_stage_that_was_not_shown_yet(staged: Assignment) -> None:
    with refused("stage_not_open"):
        say(staged, "correctness", 1, 1)


def test_save_keeps_the_latest_comment_on_a_task_and_on_a_unit(small: Assignment) -> None:
    report = AskedReport(
        "report", "question 1", next(sheets.sheet_of_assignment(small).asked()).unit
    )
    drafts.save_draft(
        assignment=small, page=SentPage([], 1, note="first", reports={report: "of one"})
    )
    drafts.save_draft(assignment=small, page=SentPage([], 3, note="second"))
    lost = drafts.save_draft(assignment=small, page=SentPage([], 2, note="late"))
    assert lost == ("late",)
    assert drafts.task_comment(small) == "second"
    assert Note.objects.get(unit=report.unit).text == "of one"
