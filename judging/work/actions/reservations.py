"""Reservations of a share of the work: places with an annotator's seat, which no other annotator can
claim.

A panel has seats of its own; in other campaigns a seat is lent for a share, and the places carry
its number until the share is done or given back.
"""

from itertools import count
from pathlib import Path

from judging.base.models.statements import named_statements, run_statement
from judging.campaigns.actions import panels
from judging.campaigns.models.assignment import Assignment
from judging.campaigns.models.campaign import Campaign, Round
from judging.campaigns.models.members import Enrollment
from judging.work.actions import assignments

SQL = named_statements(Path(__file__).with_suffix(".sql"))


def reserve_tasks(*, enrollment: Enrollment, round: Round) -> int:
    """Reserve what is left of an annotator's share in a round; return how many tasks those are.

    The caller has locked the campaign's row, so seats and shares are assigned one after the other.
    """
    campaign = round.campaign
    if campaign.order == Campaign.Order.PANEL:
        return _left_in_seat(enrollment, round)
    share = annotator_share(round) - count_submitted(enrollment, round)
    seat = enrollment.seat or _free_seat(campaign)
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=seat, cursor_round=None)
    enrollment.seat, enrollment.cursor_round_id = seat, None
    reserved, window = 0, max(share, 1) * campaign.annotators_per_task
    while reserved < share:
        arguments = {
            "seat": seat,
            "round": round.pk,
            "enrollment": enrollment.pk,
            "window": window,
            "tasks": share - reserved,
        }
        if places := run_statement(SQL["reserve_places"], arguments):
            reserved += places
        elif window >= Assignment.objects.open().filter(round=round).count():
            break
        window *= 8
    if not reserved:
        Enrollment.objects.filter(pk=enrollment.pk).update(seat=None)
        enrollment.seat = None
    return reserved


def annotator_share(round: Round) -> int:
    """Return how many tasks each annotator gets: the plan's number, or all tasks of the round."""
    tasks = round.tasks.count()
    most = round.campaign.tasks_per_annotator
    return tasks if most is None else min(most, tasks)


def count_submitted(enrollment: Enrollment, round: Round) -> int:
    """Return how many tasks of a round an annotator has submitted, extras included."""
    return Assignment.objects.done_by(enrollment).filter(round=round).count()


def is_waiting(enrollment: Enrollment, round: Round) -> bool:
    """Return whether a task is still reserved for an annotator, or held by them."""
    if Assignment.objects.held_by(enrollment).filter(round=round).exists():
        return True
    seat = enrollment.seat
    return seat is not None and Assignment.objects.open().filter(round=round, seat=seat).exists()


def any_free(round: Round) -> bool:
    """Return whether an open place is not reserved; without a lock, so it may be taken at once."""
    return Assignment.objects.open().filter(round=round, seat=None).exists()


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
    reserved = Assignment.objects.open().filter(round__campaign=campaign, seat=seat)
    reserved.update(seat=None, reopened=True)
    Assignment.objects.filter(enrollment=enrollment, seat=seat).update(seat=None)
    Enrollment.objects.filter(pk=enrollment.pk).update(seat=None)
    enrollment.seat = None


def _free_seat(campaign: Campaign) -> int:
    """Return the lowest seat number that is not lent to an annotator."""
    taken = set(campaign.enrollments.filter(seat__isnull=False).values_list("seat", flat=True))
    return next(seat for seat in count(1) if seat not in taken)


def _left_in_seat(enrollment: Enrollment, round: Round) -> int:
    """Count what a panel's seat has still to judge; an annotator who returns gets their seat again,
    or a free one."""
    if enrollment.seat is None:
        enrollment.seat = panels.own_seat(enrollment) or panels.next_seat(enrollment.campaign)
        Enrollment.objects.filter(pk=enrollment.pk).update(seat=enrollment.seat, cursor_round=None)
    if enrollment.seat is None:
        return 0
    return Assignment.objects.open().filter(round=round, seat=enrollment.seat).count()
