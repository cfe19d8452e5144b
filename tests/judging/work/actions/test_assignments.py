"""Claiming, keeping and giving back places; with real threads where people meet at one moment."""

import threading
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection, connections, transaction
from django.db.models import F
from django.utils import timezone

from judging import tasks
from judging.campaigns.actions import campaigns
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Round, Task
from judging.campaigns.models.members import Enrollment, Exclusion
from judging.quality.actions import exclusions
from judging.work.actions import assignments, drafts, sheets
from judging.work.actions.assignments import Finished, Here, NoneNow, RoundClosed
from judging.work.models.assignment import Draft
from tests import factories
from tests.annotation.studies import main_round

pytestmark = pytest.mark.django_db


def opened(*, sources: int = 3, annotators: int = 1, **fields) -> Round:
    material = factories.dataset(sources=sources)
    return main_round(factories.opened(dataset=material, annotators_per_task=annotators, **fields))


def hand_in(assignment: Assignment) -> None:
    """Make a row submitted; what a submission stores is the judgments' own test."""
    Assignment.objects.filter(pk=assignment.pk).update(
        state="submitted", submitted_at=timezone.now(), lease_expires_at=None
    )


def run_out(assignment: Assignment) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(
        lease_expires_at=timezone.now() - timedelta(minutes=1)
    )


def claimed(enrollment: Enrollment, round: Round) -> Assignment:
    outcome = assignments.claim_assignment(enrollment=enrollment, round=round)
    assert isinstance(outcome, Here)
    return outcome.assignment


def states(round: Round) -> Counter:
    return Counter(round.assignments.values_list("state", flat=True))


def test_claim_gives_the_first_place_with_a_lease_by_the_databases_clock() -> None:
    round = opened(lease_minutes=10)
    annotator = factories.enrollment(round.campaign)
    held = claimed(annotator, round)
    assert (held.state, held.enrollment, held.position) == ("held", annotator, 1)
    assert held.lease_expires_at - held.held_at == timedelta(minutes=10)
    annotator.refresh_from_db()
    assert annotator.cursor == 1


def test_claim_returns_the_held_one_and_renews_it() -> None:
    round = opened()
    annotator = factories.enrollment(round.campaign)
    held = claimed(annotator, round)
    run_out(held)
    again = claimed(annotator, round)
    assert again.pk == held.pk
    assert again.lease_expires_at > timezone.now() + timedelta(minutes=10)


def test_claim_goes_on_from_the_cursor_and_never_gives_a_task_twice() -> None:
    round = opened(sources=3, annotators=2)
    annotator = factories.enrollment(round.campaign)
    tasks = []
    for _ in range(3):
        held = claimed(annotator, round)
        tasks.append(held.task_id)
        hand_in(held)
    assert len(set(tasks)) == 3
    assert assignments.claim_assignment(enrollment=annotator, round=round) == Finished()


def test_claim_takes_a_place_behind_the_cursor_when_none_is_before_it() -> None:
    round = opened(sources=2)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    left = claimed(first, round)
    hand_in(claimed(second, round))
    assignments.give_back(assignment=left)
    assert claimed(second, round).task_id == left.task_id


def test_claim_says_how_many_tasks_others_hold_and_finished_only_when_none_can_come_back() -> None:
    round = opened(sources=2)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    held = claimed(first, round)
    hand_in(claimed(second, round))
    assert assignments.claim_assignment(enrollment=second, round=round) == NoneNow(held_by_others=1)
    hand_in(held)
    assert assignments.claim_assignment(enrollment=second, round=round) == Finished()


def test_claim_by_whom_has_done_everything_passes_the_open_places_once() -> None:
    round = opened(sources=2, annotators=3, order="breadth")
    annotator = factories.enrollment(round.campaign)
    for _ in range(2):
        hand_in(claimed(annotator, round))
    annotator.refresh_from_db()
    assert annotator.cursor == 2
    assert assignments.claim_assignment(enrollment=annotator, round=round) == Finished()
    annotator.refresh_from_db()
    assert annotator.cursor == 7


def test_claim_in_another_round_begins_at_its_start() -> None:
    round = opened(sources=2)
    annotator = factories.enrollment(round.campaign)
    hand_in(claimed(annotator, round))
    pilot = Round.objects.create(campaign=round.campaign, kind="pilot", opened_at=timezone.now())
    task = Task.objects.create(round=pilot, number=1)
    Assignment.objects.create(round=pilot, task=task, place=1, position=1)
    annotator.refresh_from_db()
    assert annotator.cursor == 1
    Enrollment.objects.filter(pk=annotator.pk).update(cursor=100)
    assert claimed(annotator, pilot).position == 1


def test_claim_of_whom_a_seat_was_taken_from_begins_at_the_start_again() -> None:
    round = opened(sources=2)
    annotator = factories.enrollment(round.campaign)
    claimed(annotator, round)
    exclusions.free_seat(enrollment=annotator)
    annotator.refresh_from_db()
    assert annotator.cursor_round is None


def test_claim_takes_over_a_place_whose_lease_ran_out() -> None:
    round = opened(sources=1)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    left = claimed(first, round)
    run_out(left)
    taken = claimed(second, round)
    left.refresh_from_db()
    assert (left.state, left.enrollment) == ("released", first)
    assert (taken.place, taken.enrollment) == (left.place, second)
    assert assignments.claim_assignment(enrollment=first, round=round) == NoneNow(held_by_others=1)


def test_claim_revives_an_own_released_place_with_its_drafts() -> None:
    round = opened(sources=2)
    annotator = factories.enrollment(round.campaign)
    left = claimed(annotator, round)
    drafts.save_draft(
        assignment=left,
        page=drafts.SentPage([(next(sheets.sheet_of_assignment(left).asked()), 2)], 1),
    )
    assignments.give_back(assignment=left)
    again = claimed(annotator, round)
    assert (again.pk, again.state, again.released_at) == (left.pk, "held", None)
    assert Draft.objects.get(assignment=again).value == 2
    assert states(round) == {"held": 1, "open": 1}


def test_claim_revives_at_another_place_of_the_task_when_its_own_is_taken() -> None:
    round = opened(sources=1, annotators=2)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    left = claimed(first, round)
    run_out(left)
    Assignment.objects.filter(task=left.task, place=2).update(position=99)
    assignments.release_expired()
    taken = claimed(second, round)
    assert taken.place == left.place
    again = claimed(first, round)
    assert (again.pk, again.place, again.position) == (left.pk, 2, 99)
    assert states(round) == {"held": 2}


def test_claim_keeps_seats() -> None:
    round = opened(sources=2)
    Assignment.objects.filter(position=1).update(seat=1)
    annotator = factories.enrollment(round.campaign)
    assert claimed(annotator, round).position == 2
    seated = factories.enrollment(round.campaign)
    Enrollment.objects.filter(pk=seated.pk).update(seat=1)
    assert claimed(seated, round).position == 1


def test_claim_gives_an_excluded_annotator_nothing() -> None:
    round = opened()
    annotator = factories.enrollment(round.campaign)
    Exclusion.objects.create(
        enrollment=annotator,
        reason="speed",
        excluded_by=factories.user(),
        excluded_at=timezone.now(),
    )
    assert assignments.claim_assignment(enrollment=annotator, round=round) == Finished()


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_claim_is_refused_unless_the_campaign_is_open(state: str) -> None:
    round = opened()
    annotator = factories.enrollment(round.campaign)
    campaigns.move_campaign(campaign=round.campaign, to=state, now=timezone.now())
    with pytest.raises(RoundClosed):
        assignments.claim_assignment(enrollment=annotator, round=main_round(round.campaign))


def test_accepts_a_pilot_round_of_a_draft_but_not_its_main_round() -> None:
    campaign = factories.campaign()
    pilot = Round(campaign=campaign, kind="pilot", opened_at=timezone.now())
    assert assignments.assigns_tasks(pilot)
    assert not assignments.assigns_tasks(
        Round(campaign=campaign, kind="main", opened_at=timezone.now())
    )
    pilot.closed_at = timezone.now()
    assert not assignments.assigns_tasks(pilot)


def test_release_due_leaves_running_leases_alone() -> None:
    round = opened(sources=2)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    run_out(claimed(first, round))
    claimed(second, round)
    assert assignments.release_expired() == 1
    assert assignments.release_expired() == 0
    assert states(round) == {"released": 1, "held": 1, "open": 1}


def test_sweep_frees_places_whose_lease_ran_out() -> None:
    round = opened(sources=1)
    run_out(claimed(factories.enrollment(round.campaign), round))
    tasks.sweep()
    assert states(round) == {"released": 1, "open": 1}


def be_older(held: Assignment, by: timedelta) -> None:
    """Do to a lease what it does when the database's clock is set forward."""
    Assignment.objects.filter(pk=held.pk).update(
        lease_expires_at=F("lease_expires_at") - by, last_seen_at=F("last_seen_at") - by
    )


def test_sweep_lets_a_lease_begin_anew_when_the_clock_is_set_forward() -> None:
    round, hour = opened(sources=1, lease_minutes=10), timedelta(hours=1)
    held = claimed(factories.enrollment(round.campaign), round)
    clock = assignments.DatabaseClock()
    tasks.sweep_once(now=5000.0, clock=clock)
    be_older(held, by=hour)
    tasks.sweep_once(
        now=5000.0 - hour.total_seconds(), clock=clock
    )  # beside which the clock is an hour ahead
    assert states(round) == {"held": 1}
    be_older(held, by=hour)
    tasks.sweep_once(now=5005.0 - hour.total_seconds(), clock=clock)
    assert states(round) == {"released": 1, "open": 1}


def test_sweep_lets_no_lease_hang_when_the_clock_is_set_back() -> None:
    round, hour = opened(sources=1, lease_minutes=10), timedelta(hours=1)
    held = claimed(factories.enrollment(round.campaign), round)
    be_older(held, by=-hour)
    tasks.sweep_once(now=0.0, clock=assignments.DatabaseClock())  # also by a worker begun after it
    held.refresh_from_db()
    assert held.lease_expires_at - held.last_seen_at == timedelta(minutes=10)
    assert held.lease_expires_at < timezone.now() + hour


BUSY = 25  # seconds that a busy machine may take meanwhile


def be_seen(held: Assignment, ago: timedelta) -> None:
    """Let the last sign of life lie so far back; the annotator's others no later."""
    Assignment.objects.filter(pk=held.pk).update(last_seen_at=timezone.now() - ago)
    Enrollment.objects.filter(pk=held.enrollment_id).update(at_work_until=timezone.now() - ago)


def seconds_of(annotator: Enrollment) -> float:
    return sum(annotator.assignments.values_list("active_seconds", flat=True))


def test_renew_counts_time_at_work_and_caps_long_gaps() -> None:
    round = opened()
    held = claimed(factories.enrollment(round.campaign), round)
    be_seen(held, ago=timedelta(seconds=30))
    assignments.renew(assignment=held)
    be_seen(held, ago=timedelta(hours=3))
    assignments.renew(assignment=held)
    be_seen(held, ago=-timedelta(hours=1))  # the clock was set back
    assignments.renew(assignment=held)
    assert 30 + 120 <= seconds_of(held.enrollment) < 30 + 120 + BUSY
    Assignment.objects.update(last_seen_at=timezone.now() - timedelta(seconds=40))
    Enrollment.objects.update(at_work_until=None)
    assignments.renew(assignment=held)  # and goes on from there
    assert 30 + 120 + 40 <= seconds_of(held.enrollment) < 30 + 120 + 40 + BUSY


def two_held() -> list[Assignment]:
    """Return what one annotator holds in two rounds."""
    round = opened(sources=1)
    annotator = factories.enrollment(round.campaign)
    other = Round.objects.create(
        campaign=round.campaign, kind="calibration", opened_at=timezone.now()
    )
    task = Task.objects.create(round=other, number=1)
    Assignment.objects.create(round=other, task=task, place=1, position=1)
    return [claimed(annotator, round), claimed(annotator, other)]


def test_renew_counts_no_moment_twice_for_two_tasks_of_one_annotator() -> None:
    both = two_held()
    annotator = both[0].enrollment
    for _ in range(3):
        annotator.assignments.update(last_seen_at=F("last_seen_at") - timedelta(seconds=60))
        Enrollment.objects.update(at_work_until=F("at_work_until") - timedelta(seconds=60))
        for held in both:
            assignments.renew(assignment=held)
    assert 180 <= seconds_of(annotator) < 180 + BUSY


@pytest.mark.parametrize(
    ("closed", "counted"), [(timedelta(minutes=9), 60), (timedelta(minutes=11), 0)]
)
def test_renew_counts_for_one_lease_after_the_round_was_closed(
    closed: timedelta, counted: int
) -> None:
    round = opened(lease_minutes=10)
    held = claimed(factories.enrollment(round.campaign), round)
    Round.objects.filter(pk=round.pk).update(closed_at=timezone.now() - closed)
    be_seen(held, ago=timedelta(seconds=60))
    assignments.renew(assignment=held)
    assert counted <= seconds_of(held.enrollment) < counted + BUSY


def test_renew_counts_no_time_after_a_task_was_handed_in() -> None:
    round = opened(sources=1)
    held = claimed(factories.enrollment(round.campaign), round)
    hand_in(held)
    be_seen(held, ago=timedelta(seconds=60))
    assignments.renew(assignment=held)
    held.refresh_from_db()
    assert held.active_seconds == 0
    assert held.last_seen_at > timezone.now() - timedelta(seconds=30)  # a change is found by it


def test_progress_counts_done_and_what_can_still_be_done() -> None:
    round = opened(sources=4, annotators=2)
    first, second = factories.enrollment(round.campaign), factories.enrollment(round.campaign)
    hand_in(claimed(first, round))
    claimed(first, round)
    before = assignments.round_progress(enrollment=first, round=round)
    assert (before.done, before.remaining, before.total) == (1, 3, 4)
    for place in Assignment.objects.open().filter(round=round):
        Assignment.objects.filter(pk=place.pk).delete()
    assert assignments.round_progress(enrollment=first, round=round).remaining == 1
    assert assignments.round_progress(enrollment=second, round=round).remaining == 0


# ---- people who meet at one moment


def all_at_once(work, people: list) -> list:
    """Run `work` for each in a thread and database connection of its own, all starting together."""
    results, start = [None] * len(people), threading.Barrier(len(people))

    def run(index: int) -> None:
        try:
            start.wait()
            results[index] = work(people[index])
        except BaseException as error:
            results[index] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=(index,)) for index in range(len(people))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [result for result in results if isinstance(result, BaseException)] == []
    return results


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_saves_at_one_moment_count_no_more_than_the_time_between() -> None:
    both = two_held()
    for held in both:
        be_seen(held, ago=timedelta(seconds=100))
    all_at_once(lambda held: assignments.renew(assignment=held), both * 4)
    assert 100 <= seconds_of(both[0].enrollment) < 100 + BUSY


def places_filled(round: Round) -> Counter:
    submitted = Assignment.objects.submitted().filter(round=round)
    return Counter(submitted.values_list("task", flat=True))


def pairs(round: Round) -> Counter:
    rows = Assignment.objects.filter(round=round, enrollment__isnull=False)
    return Counter(rows.values_list("task", "enrollment"))


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_thirty_annotators_opening_a_campaign_at_one_moment() -> None:
    round = opened(sources=30, annotators=3)
    people = [factories.enrollment(round.campaign) for _ in range(30)]
    outcomes = all_at_once(
        lambda person: assignments.claim_assignment(enrollment=person, round=round), people
    )
    assert [type(outcome) for outcome in outcomes] == [Here] * 30
    assert len({outcome.assignment.pk for outcome in outcomes}) == 30
    assert max(Counter(outcome.assignment.task_id for outcome in outcomes).values()) == 3
    assert states(round) == {"held": 30, "open": 60}


def until_nothing(round: Round, person: Enrollment) -> object:
    """Have an annotator submit tasks until `claim` returns none; return its outcome then."""
    while isinstance(outcome := assignments.claim_assignment(enrollment=person, round=round), Here):
        hand_in(outcome.assignment)
    return outcome


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_fifty_annotators_as_the_pool_runs_dry() -> None:
    round = opened(sources=30, annotators=3)
    people = [factories.enrollment(round.campaign) for _ in range(50)]

    outcomes = all_at_once(partial(until_nothing, round), people)
    assert places_filled(round) == dict.fromkeys(round.tasks.values_list("pk", flat=True), 3)
    assert set(pairs(round).values()) == {1}
    assert {type(outcome) for outcome in outcomes} <= {Finished, NoneNow}
    for person in people:
        assert assignments.claim_assignment(enrollment=person, round=round) == Finished()


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_leases_that_run_out_while_many_claim_fill_each_place_once() -> None:
    round = opened(sources=4, annotators=2)
    people = [factories.enrollment(round.campaign) for _ in range(12)]
    for person in people[:8]:
        run_out(claimed(person, round))

    all_at_once(partial(until_nothing, round), people[4:])
    assignments.release_expired()
    for person in people:
        until_nothing(round, person)
    assert places_filled(round) == dict.fromkeys(round.tasks.values_list("pk", flat=True), 2)
    assert set(pairs(round).values()) == {1}


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_two_tabs_of_one_annotator_claim_the_same_task() -> None:
    round = opened(sources=10)
    person = factories.enrollment(round.campaign)
    outcomes = all_at_once(
        lambda _: assignments.claim_assignment(enrollment=person, round=round), list(range(8))
    )
    assert len({outcome.assignment.pk for outcome in outcomes}) == 1


@pytest.mark.threads
@pytest.mark.django_db(transaction=True)
def test_claim_goes_back_to_a_place_that_another_claim_had_locked_and_did_not_take() -> None:
    round = opened(sources=3)
    person = factories.enrollment(round.campaign)
    with transaction.atomic():
        first = Assignment.objects.select_for_update().get(round=round, position=1)
        [outcome] = all_at_once(
            lambda each: assignments.claim_assignment(enrollment=each, round=round), [person]
        )
    assert outcome.assignment.position == 2
    hand_in(outcome.assignment)
    assert claimed(person, round).pk == first.pk


def test_claim_reads_a_fixed_number_of_rows_whatever_was_done() -> None:
    """The plan walks the index of open places from the cursor on; nothing of it grows with what was
    done."""
    round = opened(sources=5, annotators=3)
    annotator = factories.enrollment(round.campaign)
    names = assignments._names(annotator, round) | {"even_if_unfinished": False}
    with connection.cursor() as cursor:
        for other in (
            "seqscan",
            "bitmapscan",
            "sort",
        ):  # as with few rows they cost about as little
            cursor.execute(f"SET LOCAL enable_{other} = off")
        cursor.execute("EXPLAIN " + assignments.SQL["take"], names)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "assignment_open_places" in plan
    assert "assignment_once_per_enrollment" in plan


def test_claim_gives_each_annotator_a_share_of_their_own_under_a_limit() -> None:
    """Six tasks, two places each, breadth first, three to an annotator: the first two do all tasks
    between them."""
    round = opened(sources=6, annotators=2, order="breadth", tasks_per_annotator=3)
    shares = []
    for _ in range(4):
        annotator = factories.enrollment(round.campaign)
        shares.append([])
        for done in range(3):
            assert assignments.round_progress(
                enrollment=annotator, round=round
            ) == assignments.Progress(done, 3 - done)
            held = claimed(annotator, round)
            shares[-1].append(held.task_id)
            hand_in(held)
        assert assignments.claim_assignment(enrollment=annotator, round=round) == Finished()
    assert len({*shares[0], *shares[1]}) == 6
    assert all(len(set(share)) == 3 for share in shares)
    assert states(round) == {"submitted": 12}


def test_claim_returns_the_task_that_is_held_when_a_late_one_fills_the_share() -> None:
    round = opened(sources=3, tasks_per_annotator=2)
    annotator = factories.enrollment(round.campaign)
    hand_in(claimed(annotator, round))
    late = claimed(annotator, round)
    held = Assignment.objects.filter(round=round, state="open").first()
    Assignment.objects.filter(pk=late.pk).update(
        state="extra",
        submitted_at=timezone.now(),
        released_at=timezone.now(),
        lease_expires_at=None,
    )
    Assignment.objects.filter(pk=held.pk).update(
        state="held",
        enrollment=annotator,
        held_at=timezone.now(),
        last_seen_at=timezone.now(),
        lease_expires_at=timezone.now() + timedelta(hours=1),
    )
    assert claimed(annotator, round).pk == held.pk
    hand_in(held)
    assert assignments.claim_assignment(enrollment=annotator, round=round) == Finished()
