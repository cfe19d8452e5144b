"""Reservations of a share of the work: places with an annotator's seat, which no other annotator can
claim.

A panel has seats of its own; in other campaigns a seat is lent for a share, and the places carry
its number until the share is done or given back.
"""

from itertools import count

from judging.base.models.statements import query_rows, run_statement
from judging.campaigns.actions import panels
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.work.actions import assignments

# Reserves one open place of each task that the annotator has not done, the first in the queue. If
# another annotator claims such a place now, the update waits for that claim and skips the place.
KEEP = """
UPDATE judging_assignment kept SET seat = %(seat)s
WHERE kept.state = 'open' AND kept.seat IS NULL AND kept.id IN (
    SELECT id FROM (
        SELECT DISTINCT ON (task_id) id, position FROM (
            SELECT place.id, place.task_id, place.position FROM judging_assignment place
            WHERE place.round_id = %(round)s AND place.state = 'open' AND place.seat IS NULL
                AND NOT EXISTS (SELECT FROM judging_assignment own
                    WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id
                        AND own.state <> 'released')
                AND NOT EXISTS (SELECT FROM judging_barredtask barred
                    WHERE barred.enrollment_id = %(enrollment)s AND barred.task_id = place.task_id)
                AND NOT EXISTS (SELECT FROM judging_assignment mine
                    WHERE mine.round_id = %(round)s AND mine.state = 'open' AND mine.seat = %(seat)s
                        AND mine.task_id = place.task_id)
            ORDER BY place.position LIMIT %(window)s) free
        ORDER BY task_id, position) one
    ORDER BY position LIMIT %(tasks)s)
"""
LET_GO = """
UPDATE judging_assignment SET seat = NULL, reopened = true
WHERE round_id = ANY(%(rounds)s) AND state = 'open' AND seat = %(seat)s
"""
OWN = """
UPDATE judging_assignment SET seat = NULL WHERE enrollment_id = %(enrollment)s AND seat = %(seat)s
"""
DONE = """
SELECT count(*) FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND submitted_at IS NOT NULL
"""
WAITING = """
SELECT EXISTS (SELECT FROM judging_assignment
    WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'held')
    OR EXISTS (SELECT FROM judging_assignment
    WHERE round_id = %(round)s AND state = 'open' AND seat = %(seat)s)
"""
ANY_FREE = """
SELECT EXISTS (SELECT FROM judging_assignment WHERE round_id = %(round)s AND state = 'open' AND seat IS NULL)
"""


def reserve_tasks(*, enrollment: Enrollment, round: Round) -> int:
    """Reserve what is left of an annotator's share in a round; return how many tasks those are.

    The caller has locked the campaign's row, so seats and shares are assigned one after the other.
    """
    campaign = round.campaign
    if campaign.order == Campaign.Order.PANEL:
        return _left_in_seat(enrollment, round)
    left = annotator_share(round) - count_submitted(enrollment, round)
    seat = enrollment.seat or _free_seat(campaign)
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat, cursor_round=None)
    enrollment.seat, enrollment.cursor_round_id = seat, None
    kept, window = 0, max(left, 1) * campaign.annotators_per_task
    while kept < left:
        names = {
            "seat": seat,
            "round": round.pk,
            "enrollment": enrollment.pk,
            "window": window,
            "tasks": left - kept,
        }
        if got := run_statement(KEEP, names):
            kept += got
        elif window >= Assignment.objects.open().filter(round=round).count():
            break
        window *= 8
    if not kept:
        Enrollment.objects.filter(pk=enrollment.pk).update(seat=None)
        enrollment.seat = None
    return kept


def annotator_share(round: Round) -> int:
    """Return how many tasks each annotator gets: the plan's number, or all tasks of the round."""
    tasks = round.tasks.count()
    most = round.campaign.tasks_per_annotator
    return tasks if most is None else min(most, tasks)


def count_submitted(enrollment: Enrollment, round: Round) -> int:
    """Return how many tasks of a round an annotator has submitted, extras included."""
    return int(query_rows(DONE, {"enrollment": enrollment.pk, "round": round.pk})[0][0])


def is_waiting(enrollment: Enrollment, round: Round) -> bool:
    """Return whether a task is still reserved for an annotator, or held by them."""
    names = {"enrollment": enrollment.pk, "round": round.pk, "seat": enrollment.seat}
    return bool(query_rows(WAITING, names)[0][0])


def any_free(round: Round) -> bool:
    """Return whether an open place is not reserved; without a lock, so it may be taken at once."""
    return bool(query_rows(ANY_FREE, {"round": round.pk})[0][0])


def release_tasks(*, enrollment: Enrollment) -> None:
    """Release the tasks that an annotator holds or that are reserved for them; in a panel they keep
    the seat.

    The caller has locked the enrollment.
    """
    for assignment in Assignment.objects.held_by(enrollment):
        assignments.give_back(assignment=assignment)
    campaign, seat = enrollment.campaign, enrollment.seat
    if seat is None or campaign.order == Campaign.Order.PANEL:
        return
    rounds = list(campaign.rounds.values_list("pk", flat=True))
    run_statement(LET_GO, {"rounds": rounds, "seat": seat})
    run_statement(OWN, {"enrollment": enrollment.pk, "seat": seat})
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=None)
    enrollment.seat = None


def _free_seat(campaign: Campaign) -> int:
    """Return the lowest seat number that is not lent to an annotator."""
    lent = set(campaign.enrollments.filter(seat__isnull=False).values_list("seat", flat=True))
    return next(seat for seat in count(1) if seat not in lent)


def _left_in_seat(enrollment: Enrollment, round: Round) -> int:
    """Count what a panel's seat has still to judge; an annotator who returns gets their seat again,
    or a free one."""
    if enrollment.seat is None:
        enrollment.seat = panels.own_seat(enrollment) or panels.next_seat(enrollment.campaign)
        Enrollment.objects.filter(pk=enrollment.pk).update(seat=enrollment.seat, cursor_round=None)
    if enrollment.seat is None:
        return 0
    return Assignment.objects.open().filter(round=round, seat=enrollment.seat).count()
