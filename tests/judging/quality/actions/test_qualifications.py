"""Training and qualification: required before the main round, tries that count once, and keys that
are corrected."""

import threading

import pytest
from django.db import IntegrityError, connection, transaction

from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.campaigns.models.members import Enrollment
from judging.enrolments.actions import enrollments
from judging.overview.actions import erasures
from judging.people.models.event import Event
from judging.quality.actions import exercises, qualifications
from judging.quality.actions.exercises import CannotChangeExercises, KeyText
from judging.quality.actions.qualifications import NoTryLeft
from judging.quality.models.exercise import Exercise, QualificationTry, TryAnswer
from judging.work.actions import assignments
from judging.work.actions.assignments import Here, NotAdmitted
from tests import factories
from tests.judging.trials import NOW
from tests.refusing import refused

pytestmark = pytest.mark.django_db


def item(
    campaign: Campaign, kind: str = "qualification", *, accepted=(3,), again: Exercise | None = None
) -> Exercise:
    if again is not None:
        return exercises.repeat(exercise=again, by=campaign.created_by)
    exercise = exercises.NewExercise(
        kind=kind,
        question="Who built it?",
        passage="Ada built it.",
        answer="Ada",
        keys={
            "correctness": KeyText(accepted, "It asks for her."),
            "grammaticality": KeyText((2, 3)),
        },
    )
    return exercises.add_exercise(campaign=campaign, exercise=exercise, by=campaign.created_by)


def opened(*kinds: str, repeated: bool = False, **fields) -> tuple[Campaign, Enrollment]:
    campaign = factories.campaign(**fields)
    for kind in kinds:
        made = item(campaign, kind)
        if repeated:
            item(campaign, kind, again=made)
    campaigns.lock_plan(campaign=campaign, now=NOW)
    campaigns.open_campaign(campaign=campaign, now=NOW)
    return campaign, enrollments.enroll(campaign=campaign, user=factories.user())


def given(
    campaign: Campaign, correctness: int = 3, grammaticality: int = 3, *, last: int | None = None
) -> dict:
    """Return answers to all items; `last`: the correctness of the last item."""
    values = {"correctness": correctness, "grammaticality": grammaticality}
    found = {
        (each.pk, key.criterion_id): values[key.criterion.key]
        for each, keys in qualifications.keys_of(campaign, "qualification")
        for key in keys
    }
    if last is not None:
        correct = max(
            place
            for place in found
            if place[1] == campaign.protocol.criteria.get(key="correctness").pk
        )
        found[correct] = last
    return found


def tried(who: Enrollment, number: int, *values: int, **more) -> QualificationTry:
    return qualifications.attempt(
        enrollment=who, number=number, given=given(who.campaign, *values, **more), now=NOW
    )


def claimed(who: Enrollment) -> object:
    own = Enrollment.objects.select_related("campaign").get(pk=who.pk)
    round = own.campaign.rounds.select_related("campaign__protocol").get(kind="main")
    return assignments.claim_assignment(enrollment=own, round=round)


def test_gate_opens_with_the_pass_mark_and_not_before() -> None:
    _campaign, who = opened("qualification")
    assert qualifications.qualification_standing(who).outcome == "open"
    with pytest.raises(NotAdmitted):
        claimed(who)
    assert not tried(who, 1, 1).passed  # one of two right is 50 %
    with pytest.raises(NotAdmitted):
        claimed(who)
    assert tried(who, 2, 3, 2).passed  # two values are accepted
    who.refresh_from_db()
    assert (qualifications.qualification_standing(who).outcome, who.qualified_at) == ("passed", NOW)
    assert isinstance(claimed(who), Here)


def test_tries_are_limited_and_the_last_is_for_good() -> None:
    _campaign, who = opened("qualification", tries=1)
    tried(who, 1, 1)
    assert qualifications.qualification_standing(who).outcome == "failed"
    for number in (0, 2, 3):
        with pytest.raises(NoTryLeft):
            tried(who, number, 3)
    assert who.tries.count() == 1


def test_the_same_try_again_counts_once_and_changes_nothing() -> None:
    _campaign, who = opened("qualification")
    first, again = tried(who, 1, 1), tried(who, 1, 3)
    assert first == again
    assert (who.tries.count(), again.passed) == (1, False)


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_simultaneous_tries_count_as_one() -> None:
    campaign, who = opened("qualification")
    answers, failed = given(campaign, 1), []
    start = threading.Barrier(8)

    def send() -> None:
        start.wait()
        try:
            qualifications.attempt(enrollment=who, number=1, given=answers, now=NOW)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=send) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(timeout=60)
    assert failed == []
    assert who.tries.count() == 1
    assert TryAnswer.objects.filter(attempt__enrollment=who).count() == 2


def test_a_repeated_question_must_get_the_same_answers() -> None:
    _campaign, who = opened("qualification", repeated=True, pass_mark=50)
    unsteady = tried(who, 1, last=1)
    assert (unsteady.right, unsteady.asked, unsteady.consistent, unsteady.passed) == (
        3,
        4,
        False,
        False,
    )
    assert tried(who, 2).passed


def test_training_comes_first_and_is_done_with_its_last_item() -> None:
    campaign, who = opened("training", "qualification", repeated=True)
    assert qualifications.qualification_step(who) == "training"
    first, last = campaign.exercises.filter(kind="training")
    for each in (first, first):
        qualifications.train(enrollment=who, exercise=each, now=NOW)
        who.refresh_from_db()
        assert who.trained_at is None
    qualifications.train(enrollment=who, exercise=last, now=NOW)
    who = Enrollment.objects.select_related("campaign").get(pk=who.pk)
    assert (who.trained_at, qualifications.qualification_step(who)) == (NOW, "qualification")


def test_wrong_key_is_mended_and_tries_are_marked_again() -> None:
    campaign, who = opened("qualification", tries=1)
    tried(who, 1, 1)
    other = enrollments.enroll(campaign=campaign, user=factories.user())
    tried(other, 1, 3)
    key = campaign.exercises.get().keys.get(criterion__key="correctness")
    found = exercises.correct_key(
        key=key,
        accepted=[1],
        explanation="It does not.",
        by=campaign.created_by,
        now=NOW,
        reason="A slip.",
    )
    assert found == (1, 1)
    for each in (
        who,
        other,
    ):  # one passes by the new key; the other passed before, and stays qualified
        each.refresh_from_db()
        assert qualifications.qualification_standing(each).outcome == "passed"
    assert [each.passed for each in QualificationTry.objects.order_by("pk")] == [True, False]
    event = Event.objects.of_campaign(campaign.uuid).get(act="exercise.key")
    assert (event.before, event.after) == ("[3], 1 passed", "[1], 1 passed")
    assert campaign.deviations.get().reason == "A slip."


def test_items_and_marks_are_locked_with_the_protocol() -> None:
    campaign, _who = opened("training", "qualification", pass_mark=70, tries=3)
    locked = campaign.locked_plan["qualification"]
    assert (locked["pass_mark"], locked["tries"]) == (70, 3)
    assert locked["items"][0]["keys"]["correctness"] == {
        "accepted": [3],
        "explanation": "It asks for her.",
    }
    assert len(campaign.locked_plan["training"]["items"]) == 1
    with pytest.raises(CannotChangeExercises):
        item(campaign)
    with pytest.raises(CannotChangeExercises):
        exercises.remove_exercise(exercise=campaign.exercises.first(), by=campaign.created_by)


def test_value_off_the_scale_is_refused_by_form_and_database() -> None:
    campaign = factories.campaign()
    with refused("not_on_scale"):
        item(campaign, accepted=(3, 9))
    assert not Exercise.objects.exists()
    made = item(campaign)
    who = enrollments.enroll(campaign=campaign, user=factories.user())
    attempt = QualificationTry.objects.create(enrollment=who, number=1, made_at=NOW)
    key = made.keys.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        TryAnswer.objects.create(attempt=attempt, exercise=made, criterion=key.criterion, value=31)
        connection.check_constraints()


def test_campaign_without_items_has_no_gate_and_a_copy_has_those_of_the_first() -> None:
    campaign, who = opened()
    assert qualifications.qualification_standing(who).outcome == "none"
    assert isinstance(claimed(who), Here)
    assert "qualification" not in campaign.locked_plan
    other, _who = opened("qualification", repeated=True)
    copied = campaigns.duplicate_campaign(campaign=other, by=other.created_by)
    copied.refresh_from_db()
    assert copied.qualifies
    assert [each.repeats and each.repeats.number for each in copied.exercises.all()] == [None, 1]


def test_erasing_a_person_erases_tries_and_training() -> None:
    campaign, who = opened("training", "qualification")
    qualifications.train(enrollment=who, exercise=campaign.exercises.get(kind="training"), now=NOW)
    tried(who, 1)
    erasures.erase_annotator(enrollment=who, by=campaign.created_by, now=NOW)
    assert not QualificationTry.objects.exists()
    assert not TryAnswer.objects.exists()
