"""Assignments: claiming the next one, keeping it, and releasing it when its annotator no longer
works on it."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from django.db import transaction
from django.utils.translation import gettext as _

from judging.models import Assignment, Campaign, Enrollment, Round
from judging.models.statements import rows, run
from judging.refusals import Refused

WORKING_GAP_SECONDS = 120  # seconds between two signs of life that still count as work
LOOKED_AT = (
    3_000  # open places that are counted for the number of tasks left; None if it is reached
)


class NotAdmitted(Refused):
    """The annotator must complete the training or the qualification first."""

    code = "training_first"
    sentence = "Complete the training or the qualification first."


class RoundClosed(Refused):
    """The round neither assigns nor accepts tasks now."""

    code = "round_closed"


@dataclass(frozen=True, slots=True)
class Here:
    """A task to work on."""

    assignment: Assignment


@dataclass(frozen=True, slots=True)
class NoneNow:
    """No task is free, but tasks that other annotators hold may become free."""

    held_by_others: int


@dataclass(frozen=True, slots=True)
class Finished:
    """No task is left, and none can become free: the only outcome that completes an annotator's
    work."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How many tasks an annotator has done, and how many remain; None if these are too many to
    count."""

    done: int
    remaining: int | None

    @property
    def total(self) -> int | None:
        return None if self.remaining is None else self.done + self.remaining


# A place is free for an annotator who has no row for its task yet, who made no system that the task
# shows, and who has the place's seat, if it has one. The subqueries are scalar ones so that the
# planner looks up each place's row by its unique key, and never joins all of them.
BARRED = """(SELECT barred.id FROM judging_barredtask barred
         WHERE barred.enrollment_id = {who} AND barred.task_id = {task}) IS NOT NULL"""
FREE = f"""
    place.round_id = %(round)s AND (place.seat IS NULL OR place.seat = %(seat)s)
    AND (SELECT own.state FROM judging_assignment own
         WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id {{own}}) IS NULL
    AND NOT {BARRED.format(who="%(enrollment)s", task="place.task_id")}
"""  # noqa: S608
# An annotator who has submitted nothing yet keeps a place for a quarter of an hour after each sign
# of life, however long leases are: people who join by the dozen and do nothing cannot block a study.
NEWCOMER_MINUTES = 15
LEASE = f"""interval '1 minute' * CASE WHEN EXISTS (SELECT FROM judging_assignment done
    WHERE done.enrollment_id = {{who}} AND done.submitted_at IS NOT NULL) THEN %(minutes)s
    ELSE least(%(minutes)s, {NEWCOMER_MINUTES}) END"""
COLUMNS = ", ".join(f"taken.{field.column}" for field in Assignment._meta.concrete_fields)
LEFT_OUT = """EXISTS (SELECT FROM judging_exclusion
    WHERE enrollment_id = %(enrollment)s AND lifted_at IS NULL)"""
ALONE = f"""
SELECT cursor, cursor_round_id, seat, trained_at, qualified_at, stopped_at IS NOT NULL OR {LEFT_OUT}
FROM judging_enrollment WHERE id = %(enrollment)s FOR NO KEY UPDATE
"""  # noqa: S608
UNFINISHED = """
SELECT id, state FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'held'
UNION ALL
SELECT id, state FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'released'
"""
# It checks again whether the annotator is excluded: a claim that waited while the exclusion was
# stored has read the state before it.
TAKING = f"""
WITH taken AS (
UPDATE judging_assignment SET state = 'held', enrollment_id = %(enrollment)s,
    held_at = now(), last_seen_at = now(),
    lease_expires_at = now() + {LEASE.format(who="%(enrollment)s")}
WHERE state = 'open' AND NOT {LEFT_OUT} {{where}} AND id = (
    SELECT place.id FROM judging_assignment place
    WHERE place.state = 'open' AND {{range}} AND {FREE.format(own="")}
    ORDER BY place.position LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING *){{then}}
SELECT {COLUMNS} FROM taken
"""  # noqa: S608
# The cursor moves to the first place that may be free: one that another claim has locked becomes
# free if that claim fails. So every open place behind the cursor either belongs to a task that its
# annotator has a row for, or was opened again later, and those are marked.
FIRST_FREE = f"""
SELECT place.position FROM judging_assignment place
WHERE place.state = 'open' AND place.position >= %(first)s AND {FREE.format(own="")}
ORDER BY place.position LIMIT 1
"""  # noqa: S608
AHEAD_OF = "place.position >= %(first)s"
AND_MOVE = f""", moved AS (
UPDATE judging_enrollment SET cursor = ({FIRST_FREE}), cursor_round_id = %(round)s
FROM taken WHERE judging_enrollment.id = %(enrollment)s)
"""  # noqa: S608
TAKE = TAKING.format(where="", range=AHEAD_OF, then=AND_MOVE)
TAKE_IF_ALL_IS_DONE = TAKING.format(
    where=f"AND NOT EXISTS ({UNFINISHED})", range=AHEAD_OF, then=AND_MOVE
)
TAKE_BEHIND = TAKING.format(
    where="", range="place.reopened AND place.position < %(first)s", then=""
)
# No place was free from the cursor on: the next search need not pass the same places again.
MOVE_ON = f"""
UPDATE judging_enrollment SET cursor_round_id = %(round)s, cursor = coalesce(({FIRST_FREE}),
    (SELECT position + 1 FROM judging_assignment
     WHERE round_id = %(round)s AND state = 'open' ORDER BY position DESC LIMIT 1), %(first)s)
WHERE id = %(enrollment)s
"""  # noqa: S608
# A place is free again whose task the annotator has a released row for: the open row is deleted and
# the released row takes its place. Not for excluded annotators: another annotator must fill the
# place.
FREE_AGAIN = f"""
SELECT place.id FROM judging_assignment own
JOIN judging_assignment place ON place.task_id = own.task_id AND place.state = 'open'
WHERE own.id = %(own)s AND own.state = 'released' AND (place.seat IS NULL OR place.seat = %(seat)s)
    AND NOT EXISTS (SELECT FROM judging_exclusion
        WHERE enrollment_id = own.enrollment_id AND lifted_at IS NULL)
    AND NOT {BARRED.format(who="own.enrollment_id", task="own.task_id")}
ORDER BY place.place <> own.place, place.place LIMIT 1 FOR UPDATE SKIP LOCKED
"""  # noqa: S608
MOVE_INTO = """
WITH place AS (DELETE FROM judging_assignment WHERE id = %(place)s RETURNING place, position, seat)
UPDATE judging_assignment own
SET (place, position, seat) = (SELECT place, position, seat FROM place)
WHERE own.id = %(own)s
"""
HOLD = f"""
UPDATE judging_assignment SET state = 'held', released_at = NULL, last_seen_at = now(),
    lease_expires_at = now() + {LEASE.format(who="judging_assignment.enrollment_id")}
WHERE id = %(own)s
"""  # noqa: S608
RELEASE = """
WITH gone AS (SELECT id FROM judging_assignment held WHERE held.state = 'held' AND {which}),
released AS (
    UPDATE judging_assignment left_behind SET state = 'released', released_at = now(),
        lease_expires_at = NULL
    FROM gone WHERE left_behind.id = gone.id
    RETURNING left_behind.round_id, left_behind.task_id, left_behind.place, left_behind.position,
        left_behind.seat)
INSERT INTO judging_assignment
    (id, round_id, task_id, place, position, seat, state, reopened, stage, submit_token,
        active_seconds)
SELECT gen_random_uuid(), round_id, task_id, place, position, seat, 'open', true, 0,
    gen_random_uuid(), 0 FROM released
"""
SHARE = """
SELECT count(*) FILTER (WHERE submitted_at IS NOT NULL), count(*) FILTER (WHERE state = 'held')
FROM judging_assignment WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s
"""
# Run when no place could be taken: counts the tasks that other annotators hold, and those that
# other claims had locked at that moment.
LEFT = f"""
SELECT count(DISTINCT place.task_id) FROM (
    SELECT task_id, round_id, seat FROM judging_assignment
        WHERE round_id = %(round)s AND state = 'held'
    UNION ALL
    SELECT task_id, round_id, seat FROM judging_assignment
        WHERE round_id = %(round)s AND state = 'open' AND reopened
    UNION ALL
    SELECT task_id, round_id, seat FROM judging_assignment
        WHERE round_id = %(round)s AND state = 'open'
        AND position >= (SELECT cursor FROM judging_enrollment WHERE id = %(enrollment)s)) place
WHERE {FREE.format(own="AND own.state IN ('submitted', 'extra')")}
"""  # noqa: S608
# Open places on one side of the cursor, up to a limit; AHEAD counts the annotator's tasks in them.
OPEN = """
SELECT round_id, task_id, seat FROM judging_assignment
WHERE round_id = %(round)s AND state = 'open' AND position {side} %(first)s
    ORDER BY position LIMIT {most}
"""
AHEAD = f"""
SELECT count(DISTINCT place.task_id) FILTER (WHERE own.id IS NULL
    AND (place.seat IS NULL OR place.seat = %(seat)s)
        AND NOT {BARRED.format(who="%(enrollment)s", task="place.task_id")}),
    count(*),
    (SELECT count(*) FROM judging_assignment
     WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND submitted_at IS NOT NULL),
    (SELECT count(*) FROM judging_assignment
     WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'held')
FROM (({OPEN.format(side=">=", most=LOOKED_AT)})
    UNION ALL ({OPEN.format(side="<", most=LOOKED_AT)}) LIMIT {LOOKED_AT})
    place
LEFT JOIN judging_assignment own
    ON own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id
        AND own.state <> 'released'
"""  # noqa: S608
BEFORE = """
SELECT id FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND submitted_at IS NOT NULL
    AND submitted_at < coalesce(%(than)s::timestamptz, 'infinity')
ORDER BY submitted_at DESC LIMIT 1
"""
# A sign of life adds time at work, as long as the gap since the last one still counts as work. Time
# counts until the task is first submitted: annotators are not paid for viewing it again, and
# corrections do not make them slower. A task under way when a round closes is paid for one more
# lease. The enrollment's row stores up to when time was counted, for any task, so that no moment
# counts twice. If the clock was set back, that time or the last sign lies in the future.
COUNTED = """counted AS (
UPDATE judging_enrollment SET at_work_until = clock_timestamp()
FROM (SELECT enrolled.id, enrolled.at_work_until
    FROM judging_assignment own JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id
    JOIN judging_round round ON round.id = own.round_id
    JOIN judging_campaign campaign ON campaign.id = round.campaign_id
    WHERE own.id = %(assignment)s AND own.submitted_at IS NULL AND (round.closed_at IS NULL
        OR clock_timestamp() < round.closed_at + make_interval(mins => campaign.lease_minutes))
    FOR NO KEY UPDATE OF enrolled) before
WHERE judging_enrollment.id = before.id
RETURNING before.at_work_until AS until, judging_enrollment.at_work_until AS seen)"""
SEEN = f"""last_seen_at = {{at}}, active_seconds = active_seconds
    + CASE WHEN submitted_at IS NULL AND counted.seen > greatest(last_seen_at, counted.until)
        THEN least(extract(epoch FROM counted.seen - greatest(last_seen_at, counted.until)),
            {WORKING_GAP_SECONDS}) ELSE 0 END"""
WHERE_COUNTED = """FROM (SELECT) one LEFT JOIN counted ON true
WHERE judging_assignment.id = %(assignment)s"""
RENEW = f"""
WITH {COUNTED}
UPDATE judging_assignment SET {SEEN.format(at="clock_timestamp()")},
    lease_expires_at = CASE WHEN state = 'held'
        THEN now() + {LEASE.format(who="judging_assignment.enrollment_id")} END
{WHERE_COUNTED} RETURNING state, stage
"""  # noqa: S608
CLOCK = "SELECT extract(epoch FROM clock_timestamp())"
# Each lease lasts from now as long as it lasted from its holder's last sign of life.
BEGIN_ANEW = """
UPDATE judging_assignment
SET lease_expires_at = now() + (lease_expires_at - last_seen_at), last_seen_at = now()
WHERE id IN (SELECT id FROM judging_assignment WHERE state = 'held' AND last_seen_at IS NOT NULL
    AND (%(all)s OR last_seen_at > now() + interval '1 minute') FOR UPDATE SKIP LOCKED)
"""
LOCK = """
SELECT own.state, own.stage, own.submit_token, round.closed_at, campaign.state,
    campaign.secret_revealed_at,
    EXISTS (SELECT FROM judging_note WHERE assignment_id = own.id)
FROM judging_assignment own
JOIN judging_round round ON round.id = own.round_id
JOIN judging_campaign campaign ON campaign.id = round.campaign_id
WHERE own.id = %(id)s FOR UPDATE OF own
"""
WITHDRAWN = "The annotator withdrew, or was erased, a moment ago."


def accepts(round: Round) -> bool:
    """Return whether a round assigns tasks now: the main one in an open campaign, others from the
    draft on."""
    states = {Campaign.State.OPEN}
    if round.kind != Round.Kind.MAIN:
        states |= {Campaign.State.DRAFT, Campaign.State.LOCKED}
    return (
        round.opened_at is not None and round.closed_at is None and round.campaign.state in states
    )


def over(round: Round) -> str:
    """Return why a closed round does not even accept extras: its annotators may have learnt what
    they were not to know. Return "" if it accepts them."""
    campaign = round.campaign
    if campaign.secret_revealed_at:
        return _("This study is over, and how its tasks were drawn is known. It takes no answers.")
    if campaign.state == Campaign.State.ARCHIVED:
        return _("This study is over. It takes no answers.")
    is_ended_trial = round.kind != Round.Kind.MAIN and round.closed_at is not None
    if (
        is_ended_trial
        and campaign.guideline_versions.filter(written_at__gte=round.closed_at).exists()
    ):
        return _("This round is over, and what it showed was decided on. It takes no answers.")
    return ""


def claim(*, enrollment: Enrollment, round: Round) -> Here | NoneNow | Finished:
    """Give an annotator the task they hold, or the next one; raise RoundClosed if the round assigns
    none, NotAdmitted if training or qualification comes first."""
    if not accepts(round):
        raise RoundClosed(_("This study gives out no tasks now."))
    with transaction.atomic():
        left_out = alone(enrollment=enrollment)
        if not admits(enrollment, round):
            raise NotAdmitted
        found = Finished() if left_out else following(enrollment=enrollment, round=round)
    if found is not None:
        return found
    left = rows(LEFT, _names(enrollment, round))[0][0]
    return NoneNow(left) if left else Finished()


def alone(*, enrollment: Enrollment) -> bool:
    """Lock the enrollment's row and refresh it; return whether the annotator gets no more tasks,
    because they are excluded from the analysis or were stopped.

    Only claims of the same annotator wait for each other. Code that also locks an assignment does
    so after this, so that two windows of one annotator cannot deadlock.
    """
    found = rows(ALONE, {"enrollment": enrollment.pk})
    if not found:
        raise Enrollment.DoesNotExist(WITHDRAWN)
    cursor, cursor_round, seat, trained, qualified, excluded = found[0]
    enrollment.cursor, enrollment.cursor_round_id, enrollment.seat = cursor, cursor_round, seat
    enrollment.trained_at, enrollment.qualified_at = trained, qualified
    return bool(excluded)


def admits(enrollment: Enrollment, round: Round) -> bool:
    """Return whether an annotator may have tasks of a round; it reads no further row.

    Training and qualification come before the main round.
    """
    campaign = round.campaign
    if round.kind != Round.Kind.MAIN:
        return True
    is_trained = not campaign.trains or enrollment.trained_at is not None
    return is_trained and (not campaign.qualifies or enrollment.qualified_at is not None)


def following(*, enrollment: Enrollment, round: Round) -> Here | Finished | None:
    """Claim a task in a transaction in which the annotator is locked by `alone`; return None if
    only a count tells whether a task may become free."""
    if _has_own_share(enrollment, round):
        return Finished()
    taken = _look(enrollment, round)
    if taken is None and release_due(round=round):  # places whose lease has run out
        taken = _look(enrollment, round)
    return Here(taken) if taken else None


def _most(round: Round) -> int | None:
    """Return how many tasks an annotator gets; None without a limit, as in a pilot or calibration,
    in which every annotator does all tasks."""
    return round.campaign.tasks_per_annotator if round.kind == Round.Kind.MAIN else None


def _has_own_share(annotator: Enrollment, round: Round) -> bool:
    """Return whether an annotator holds no task and has submitted as many as the plan gives each
    annotator."""
    most = _most(round)
    if most is None:
        return False
    [(done, held)] = rows(SHARE, _names(annotator, round))
    return bool(done >= most and not held)


def has_share(assignment: Assignment) -> bool:
    """Return whether an annotator has submitted as many tasks as the plan gives each; their lapsed
    tasks, which may still be open in a browser, then take no more places."""
    most = _most(assignment.round)
    if most is None:
        return False
    enrollment = cast(Enrollment, assignment.enrollment)
    [(done, _held)] = rows(SHARE, _names(enrollment, assignment.round))
    return bool(done >= most)


def _look(annotator: Enrollment, round: Round) -> Assignment | None:
    """Return an unfinished assignment, else the next place from the cursor on, else one behind it
    that was opened again.

    Most often nothing is unfinished; one statement checks that and takes the place.
    """
    if taken := _take(annotator, round, TAKE_IF_ALL_IS_DONE):
        return taken
    unfinished = rows(UNFINISHED, _names(annotator, round))
    if unfinished and (
        taken := _again(annotator, round, unfinished) or _take(annotator, round, TAKE)
    ):
        return taken
    run(MOVE_ON, _names(annotator, round))
    return _take(annotator, round, TAKE_BEHIND)


def _again(
    annotator: Enrollment, round: Round, unfinished: Iterable[tuple[uuid.UUID, str]]
) -> Assignment | None:
    """Return the held assignment with a fresh lease, or a released one whose task has a free place
    again."""
    for pk, state in unfinished:
        own = Assignment(pk=pk, state=state, enrollment=annotator, round=round)
        if state == Assignment.State.HELD and renew(assignment=own).state == Assignment.State.HELD:
            return Assignment.objects.get(pk=pk)
        if take_place_again(assignment=own):
            _hold(pk, round.campaign.lease_minutes)
            return Assignment.objects.get(pk=pk)
    return None


def _take(annotator: Enrollment, round: Round, statement: str) -> Assignment | None:
    taken = rows(statement, _names(annotator, round))
    names = [field.attname for field in Assignment._meta.concrete_fields]
    return Assignment.from_db("default", names, taken[0]) if taken else None


def _hold(own: uuid.UUID, minutes: int) -> None:
    run(HOLD, {"own": own, "minutes": minutes})


def hold_again(*, assignment: Assignment) -> None:
    """Give a released assignment that has a place back to its annotator, with a fresh lease."""
    _hold(assignment.pk, assignment.round.campaign.lease_minutes)


def take_place_again(*, assignment: Assignment) -> bool:
    """Move a released assignment into a free place of its task, and return whether there was one;
    the caller sets its state."""
    seat = assignment.enrollment.seat if assignment.enrollment else None
    found = rows(FREE_AGAIN, {"own": assignment.pk, "seat": seat})
    return bool(found and run(MOVE_INTO, {"own": assignment.pk, "place": found[0][0]}))


def release_due(*, round: Round | None = None) -> int:
    """Turn places whose lease has run out into released rows and open ones; return how many."""
    which = "held.lease_expires_at < now()" + (" AND held.round_id = %(round)s" if round else "")
    return run(
        RELEASE.format(which=f"{which} FOR UPDATE SKIP LOCKED"),
        {"round": round.pk if round else None},
    )


class DatabaseClock:
    """Detects that the database's clock was set, forward or back, by comparing a monotonic clock."""

    SET_BY = 60.0  # seconds

    def __init__(self) -> None:
        self._ahead: float | None = None

    def was_set(self, *, now: float) -> bool:
        """Return whether it was set since the last call; `now` is the monotonic time in seconds."""
        before, self._ahead = self._ahead, float(rows(CLOCK, {})[0][0]) - now
        return before is not None and abs(self._ahead - before) > self.SET_BY


def begin_leases_anew(*, clock_was_set: bool) -> int:
    """Restart leases that a change of the clock would shorten or lengthen: all if it was set, else
    those whose last sign of life lies in the future; return how many."""
    return run(BEGIN_ANEW, {"all": clock_was_set})


def give_back(*, assignment: Assignment) -> None:
    """Release a held assignment once no request works on it, and open its place to other
    annotators; what was entered stays with the released row."""
    run(RELEASE.format(which="held.id = %(id)s FOR UPDATE"), {"id": assignment.pk})


def renew(*, assignment: Assignment) -> Assignment:
    """Note a sign of life: time at work, and a fresh lease if the place is held. Lock the row, after
    the enrollment's if time counts, and refresh it."""
    minutes = assignment.round.campaign.lease_minutes
    found = rows(RENEW, {"assignment": assignment.pk, "minutes": minutes})
    if not found:
        raise Assignment.DoesNotExist(WITHDRAWN)
    assignment.state, assignment.stage = found[0]
    return assignment


def lock(*, assignment: Assignment) -> bool:
    """Lock the row, and refresh the fields that decide whether it may be submitted; return whether
    it has a comment."""
    round = assignment.round
    found = rows(LOCK, {"id": assignment.pk})
    if not found:
        raise Assignment.DoesNotExist(WITHDRAWN)
    assignment.state, assignment.stage, token, round.closed_at, state, revealed, noted = found[0]
    assignment.submit_token = uuid.UUID(str(token))
    round.campaign.state, round.campaign.secret_revealed_at = state, revealed
    return bool(noted)


def progress(*, enrollment: Enrollment, round: Round) -> Progress:
    """Return how far an annotator is in a round."""
    names = _names(enrollment, round)
    [(tasks, places, done, held)] = rows(AHEAD, names)
    remaining = None if places == LOOKED_AT else tasks + held
    if (most := _most(round)) is not None:
        share = max(most - done, 0)
        remaining = share if remaining is None else min(share, remaining)
    return Progress(done, remaining)


def before(*, assignment: Assignment) -> uuid.UUID | None:
    """Return the id of the assignment that its annotator submitted before this one, if any."""
    names = {
        "enrollment": assignment.enrollment_id,
        "round": assignment.round_id,
        "than": assignment.submitted_at,
    }
    found = rows(BEFORE, names)
    return found[0][0] if found else None


def _names(enrollment: Enrollment, round: Round) -> dict[str, Any]:
    return {
        "round": round.pk,
        "enrollment": enrollment.pk,
        "seat": enrollment.seat,
        "minutes": round.campaign.lease_minutes,
        "first": enrollment.cursor if enrollment.cursor_round_id == round.pk else 0,
    }
