"""Submitting: all or nothing, once, with what rules force, late or again."""

import uuid
from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign
from judging.quality.actions import checks
from judging.work.actions import assignments, drafts, judgments, sheets
from judging.work.actions.drafts import MissingAnswers, TaskClosed
from judging.work.actions.judgments import StaleToken, Submitted, SubmittedPage
from judging.work.models.judgment import Judgment
from tests import factories
from tests.annotation.studies import main_round
from tests.judging.work.actions.test_assignments import all_at_once

pytestmark = pytest.mark.django_db


def held(campaign: Campaign) -> Assignment:
    outcome = assignments.claim_assignment(
        enrollment=factories.enrollment(campaign), round=main_round(campaign)
    )
    return outcome.assignment


def fresh(assignment: Assignment) -> Assignment:
    return Assignment.objects.select_related("round__campaign").get(pk=assignment.pk)


def answer(assignment: Assignment, *, sequence: int = 1, **values: int) -> None:
    """Answer every control with 3, or with what is given for its criterion."""
    given = [
        (asked, values.get(asked.criterion.key, 3))
        for asked in sheets.sheet_of_assignment(assignment).asked()
    ]
    drafts.save_draft(assignment=assignment, page=drafts.SentPage(given, sequence))


@pytest.fixture
def small() -> Assignment:
    return held(factories.opened(annotators_per_task=1))


@pytest.fixture
def bench() -> Assignment:
    return held(factories.opened(protocol=factories.protocol("qgbench"), annotators_per_task=1))


def test_submit_turns_drafts_into_judgments(small: Assignment) -> None:
    answer(small, correctness=2)
    assert judgments.submit_task(assignment=small, token=small.submit_token) == Submitted(
        "submitted", 4
    )
    assert Counter(
        Judgment.objects.values_list("criterion__key", "value", "origin", "revision")
    ) == {
        ("grammaticality", 3, "judged", 1): 2,
        ("correctness", 2, "judged", 1): 2,
    }
    done = fresh(small)
    assert (done.state, done.lease_expires_at) == ("submitted", None)
    assert done.submitted_at is not None


def test_submit_names_what_is_missing_and_stores_nothing(small: Assignment) -> None:
    first, *rest = sheets.sheet_of_assignment(small).asked()
    drafts.save_draft(assignment=small, page=drafts.SentPage([(first, 3)], 1))
    with pytest.raises(MissingAnswers) as refused:
        judgments.submit_task(assignment=small, token=small.submit_token)
    assert refused.value.asked == tuple(rest)
    assert not Judgment.objects.exists()
    assert fresh(small).state == "held"


def test_submit_leaves_out_what_is_optional_and_unanswered() -> None:
    from dataclasses import replace

    from judging.protocols import documents

    plain = documents.parse(factories.SMALL, "small.yaml")
    criteria = (plain.criteria[0], replace(plain.criteria[1], optional=True))
    task = held(
        factories.opened(protocol=factories.protocol(criteria=criteria), annotators_per_task=1)
    )
    required = [
        (asked, 1)
        for asked in sheets.sheet_of_assignment(task).asked()
        if not asked.criterion.optional
    ]
    drafts.save_draft(assignment=task, page=drafts.SentPage(required, 1))
    assert judgments.submit_task(assignment=task, token=task.submit_token).stored == 2


def test_submit_stores_what_a_rule_forces_with_its_cause(bench: Assignment) -> None:
    answer(bench, understandability=1, correctness=3)
    judgments.submit_task(assignment=bench, token=bench.submit_token)
    forced = Judgment.objects.filter(criterion__key="correctness")
    assert set(forced.values_list("value", "origin", "cause")) == {(1, "rule", "understandability")}
    assert (
        not Judgment.objects.exclude(criterion__key="correctness").exclude(origin="judged").exists()
    )


def test_submit_stores_what_is_asked_once_on_each_member() -> None:
    material = factories.dataset(sources=1, systems=["Alba"], expected=2)
    pair = held(factories.opened(dataset=material, protocol=factories.protocol("qgstec2010-b")))
    answer(pair, variety=2, relevance=1, questionType=1, correctness=1, ambiguity=1)
    judgments.submit_task(assignment=pair, token=pair.submit_token)
    variety = Judgment.objects.filter(criterion__key="variety")
    assert sorted(variety.values_list("unit__position", "value")) == [(1, 2), (2, 2)]
    assert Judgment.objects.count() == 10


def test_submit_again_by_the_same_token_stores_once(small: Assignment) -> None:
    answer(small)
    judgments.submit_task(assignment=small, token=small.submit_token)
    assert judgments.submit_task(assignment=small, token=small.submit_token) == Submitted(
        "submitted", 0
    )
    assert Judgment.objects.count() == 4


def test_submit_refuses_a_foreign_token(small: Assignment) -> None:
    answer(small)
    with pytest.raises(StaleToken):
        judgments.submit_task(assignment=small, token=uuid.uuid4())
    assert fresh(small).state == "held"


def test_submit_after_going_back_supersedes_only_what_changed(small: Assignment) -> None:
    answer(small)
    judgments.submit_task(assignment=small, token=small.submit_token)
    first_time = fresh(small).submitted_at
    answer(small, correctness=1, sequence=2)
    again = fresh(small)
    assert judgments.submit_task(assignment=again, token=again.submit_token) == Submitted(
        "submitted", 2
    )
    rows = Judgment.objects.values_list("criterion__key", "value", "revision", "superseded_at")
    assert Counter((key, value, revision, gone is None) for key, value, revision, gone in rows) == {
        ("grammaticality", 3, 1, True): 2,
        ("correctness", 3, 1, False): 2,
        ("correctness", 1, 2, True): 2,
    }
    assert fresh(small).submitted_at == first_time


def test_submit_replayed_while_changes_are_under_way_stores_none_of_them(small: Assignment) -> None:
    answer(small)
    judgments.submit_task(assignment=small, token=small.submit_token)
    answer(small, correctness=1, sequence=2)
    with pytest.raises(StaleToken):
        judgments.submit_task(assignment=small, token=small.submit_token)
    assert Judgment.objects.count() == 4


def test_revision_that_a_rule_no_longer_forces_gets_the_annotators_own_value(
    bench: Assignment,
) -> None:
    answer(bench, understandability=1)
    judgments.submit_task(assignment=bench, token=bench.submit_token)
    answer(bench, understandability=2, sequence=2)
    again = fresh(bench)
    judgments.submit_task(assignment=again, token=again.submit_token)
    standing = Judgment.objects.standing().filter(criterion__key="correctness")
    assert set(standing.values_list("value", "origin", "cause", "revision")) == {
        (3, "judged", "", 2)
    }


def test_late_submit_takes_its_place_if_nobody_else_has(small: Assignment) -> None:
    answer(small)
    assignments.give_back(assignment=small)
    assert judgments.submit_task(assignment=small, token=small.submit_token).state == "submitted"
    assert Assignment.objects.filter(task=small.task).count() == 1


def test_late_submit_is_an_extra_if_another_has_the_place(small: Assignment) -> None:
    answer(small)
    assignments.give_back(assignment=small)
    other = factories.enrollment(small.round.campaign)
    assert (
        assignments.claim_assignment(
            enrollment=other, round=main_round(small.round.campaign)
        ).assignment.task
        == small.task
    )
    assert judgments.submit_task(assignment=small, token=small.submit_token) == Submitted(
        "extra", 4
    )
    assert Assignment.objects.filter(task=small.task).count() == 2


def test_late_submit_of_who_has_their_share_is_an_extra_and_leaves_its_place(small) -> None:
    answer(small)
    assignments.give_back(assignment=small)
    campaign, annotator = small.round.campaign, small.enrollment
    Campaign.objects.filter(pk=campaign.pk).update(tasks_per_annotator=1)
    campaign.tasks_per_annotator = 1
    other = Assignment.objects.open().filter(round=small.round).exclude(task=small.task).first()
    Assignment.objects.filter(pk=other.pk).update(
        state="submitted", enrollment=annotator, submitted_at=timezone.now()
    )
    assert judgments.submit_task(assignment=small, token=small.submit_token).state == "extra"
    assert Assignment.objects.open().filter(task=small.task).count() == 1


def test_submit_waits_while_the_campaign_is_paused(small: Assignment) -> None:
    answer(small)
    campaigns.move_campaign(campaign=small.round.campaign, to="paused", now=timezone.now())
    with pytest.raises(TaskClosed):
        judgments.submit_task(assignment=small, token=small.submit_token)
    campaigns.open_campaign(campaign=small.round.campaign, now=timezone.now())
    assert judgments.submit_task(assignment=small, token=small.submit_token).state == "submitted"


def test_submit_after_closing_is_an_extra_and_its_place_is_open(small: Assignment) -> None:
    answer(small)
    campaigns.close_campaign(campaign=small.round.campaign, now=timezone.now())
    assert judgments.submit_task(assignment=small, token=small.submit_token).state == "extra"
    assert Assignment.objects.open().filter(task=small.task).count() == 1


def test_revision_after_closing_is_refused(small: Assignment) -> None:
    answer(small)
    judgments.submit_task(assignment=small, token=small.submit_token)
    done = fresh(small)
    campaigns.close_campaign(campaign=small.round.campaign, now=timezone.now())
    with pytest.raises(TaskClosed):
        judgments.submit_task(assignment=done, token=done.submit_token)


def test_submit_is_all_or_nothing(small: Assignment) -> None:
    """Whatever fails at the last step takes back all before it."""
    answer(small)
    asked = sheets.sheet_of_assignment(small).find("q1.correctness")
    Judgment.objects.create(  # in the way of one of the four
        assignment=small,
        unit_id=asked.unit,
        criterion_id=asked.criterion_id,
        value=1,
        superseded_at=timezone.now(),
    )
    with pytest.raises(IntegrityError), transaction.atomic():
        judgments.submit_task(assignment=small, token=small.submit_token)
    assert Judgment.objects.count() == 1
    assert fresh(small).state == "held"


def whole(assignment: Assignment, sequence: int = 1, value: int = 3) -> drafts.SentPage:
    """Return a page on which everything is answered."""
    return drafts.SentPage(
        [(asked, value) for asked in sheets.sheet_of_assignment(assignment).asked()],
        sequence,
        note="",
    )


def hand_in(
    assignment: Assignment, page: drafts.SentPage, token: uuid.UUID | None = None
) -> SubmittedPage:
    token, sheet = token or assignment.submit_token, sheets.sheet_of_assignment(assignment)
    return judgments.submit_and_claim_next(
        claim_next=checks.claim_next_with_checks,
        assignment=assignment,
        page=page,
        token=token,
        sheet=sheet,
    )


def test_hand_in_stores_and_claims_the_next_task(small: Assignment) -> None:
    done = hand_in(small, whole(small))
    assert (done.lost, done.following.state, Judgment.objects.count()) == ((), "held", 4)
    assert done.following.task_id != small.task_id
    assert hand_in(done.following, whole(done.following)) == SubmittedPage((), None)


def test_hand_in_keeps_what_was_entered_where_answers_are_missing(small: Assignment) -> None:
    page = whole(small)
    with pytest.raises(MissingAnswers):
        hand_in(small, drafts.SentPage(page.given[:2], 1, note="half"))
    assert (len(drafts.draft_answers(fresh(small))), drafts.task_comment(small)) == (2, "half")
    assert not Judgment.objects.exists()


def test_hand_in_keeps_what_was_entered_on_a_page_that_is_too_old(small: Assignment) -> None:
    hand_in(small, whole(small))
    with pytest.raises(StaleToken):
        hand_in(fresh(small), whole(small, sequence=2, value=1), token=uuid.uuid4())
    assert set(drafts.draft_answers(small).values()) == {1}
    assert set(Judgment.objects.values_list("value", flat=True)) == {3}


def test_hand_in_stores_nothing_where_a_later_answer_is_in_the_way(small: Assignment) -> None:
    page = whole(small)
    drafts.save_draft(assignment=small, page=drafts.SentPage([(page.given[1][0], 2)], 9))
    assert hand_in(small, page) == SubmittedPage((page.given[1][0],), None)
    assert not Judgment.objects.exists()


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_hand_in_and_claims_of_one_person_at_one_moment_end_at_one_task() -> None:
    """Both lock the person's row first; the other way round PostgreSQL would break a deadlock."""
    campaign = factories.opened(dataset=factories.dataset(sources=20), annotators_per_task=1)
    task = held(campaign)
    page, token, sheet = whole(task), task.submit_token, sheets.sheet_of_assignment(task)

    def window(number: int) -> uuid.UUID:
        own = fresh(task)
        if number % 2:
            return assignments.claim_assignment(
                enrollment=own.enrollment, round=own.round
            ).assignment.pk
        return judgments.submit_and_claim_next(
            claim_next=checks.claim_next_with_checks,
            assignment=own,
            page=page,
            token=token,
            sheet=sheet,
        ).following.pk

    ends = all_at_once(window, list(range(10)))
    assert {end for end in ends if end != task.pk} == {Assignment.objects.held().get().pk}
    assert Judgment.objects.count() == 4


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_double_click_and_replays_store_once() -> None:
    task = held(factories.opened(annotators_per_task=1))
    answer(task)
    outcomes = all_at_once(
        lambda _: judgments.submit_task(assignment=task, token=task.submit_token), list(range(8))
    )
    assert Counter(outcome.stored for outcome in outcomes) == {4: 1, 0: 7}
    assert {outcome.state for outcome in outcomes} == {"submitted"}
    assert Judgment.objects.count() == 4


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_tabs_with_crossing_sequences_keep_the_highest() -> None:
    task = held(factories.opened(annotators_per_task=1))
    asked = sheets.sheet_of_assignment(task).find("q1.correctness")

    def tab(parity: int) -> None:
        for sequence in range(40 + parity, 0, -2):
            own = fresh(task)
            drafts.save_draft(
                assignment=own, page=drafts.SentPage([(asked, 1 + sequence % 3)], sequence)
            )

    all_at_once(tab, [0, 1])
    assert drafts.draft_answers(task) == {asked.place: 1 + 41 % 3}


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_late_submit_and_a_claim_at_one_moment_fill_the_place_once() -> None:
    campaign = factories.opened(dataset=factories.dataset(sources=6), annotators_per_task=1)
    late = [held(campaign) for _ in range(6)]
    for task in late:
        answer(task)
        assignments.give_back(assignment=task)
    others = [factories.enrollment(campaign) for _ in range(6)]

    def work(either: object) -> object:
        if isinstance(either, Assignment):
            return judgments.submit_task(assignment=either, token=either.submit_token)
        return assignments.claim_assignment(enrollment=either, round=main_round(campaign))

    all_at_once(work, [*late, *others])
    taken = Assignment.objects.filter(state__in=["open", "held", "submitted"])
    assert Counter(taken.values_list("task", flat=True)) == dict.fromkeys(
        {task.task_id for task in late}, 1
    )
    assert Judgment.objects.count() == 24
