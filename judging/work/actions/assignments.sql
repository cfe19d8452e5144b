-- The statements of assignments.py. Each begins with its name and is prepared once per connection.
--
-- A place is free for an annotator who has no row for its task yet, who made no system that the
-- task shows, and who has the place's seat, if it has one. The subqueries of that rule are scalar
-- ones, so that the planner looks up each place's row by its unique key and never joins all rows.

-- name: alone
SELECT cursor, cursor_round_id, seat, trained_at, qualified_at,
    stopped_at IS NOT NULL OR EXISTS (SELECT FROM judging_exclusion
        WHERE enrollment_id = %(enrollment)s AND lifted_at IS NULL)
FROM judging_enrollment WHERE id = %(enrollment)s FOR NO KEY UPDATE

-- name: unfinished
-- The held assignment comes first.
SELECT id, state FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'held'
UNION ALL
SELECT id, state FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'released'

-- name: take
-- Take the first free place from the cursor on. Whether the annotator is excluded is checked again:
-- a claim that waited while the exclusion was stored has read the state before it.
--
-- The cursor moves to the first place that may be free: one that another claim has locked becomes
-- free if that claim fails. So every open place behind the cursor either belongs to a task that its
-- annotator has a row for, or was opened again later, and those are marked. If no place is free, the
-- cursor moves behind the last one: the next search need not pass the same places again.
WITH taken AS (
    UPDATE judging_assignment SET state = 'held', enrollment_id = %(enrollment)s,
        held_at = now(), last_seen_at = now(),
        lease_expires_at = now() + make_interval(mins => CASE
            WHEN EXISTS (SELECT FROM judging_assignment done
                WHERE done.enrollment_id = %(enrollment)s AND done.submitted_at IS NOT NULL)
            THEN %(minutes)s::int ELSE least(%(minutes)s::int, %(newcomer_minutes)s::int) END)
    WHERE state = 'open'
        AND NOT EXISTS (SELECT FROM judging_exclusion
            WHERE enrollment_id = %(enrollment)s AND lifted_at IS NULL)
        AND (%(even_if_unfinished)s::boolean OR NOT EXISTS (
            SELECT FROM judging_assignment WHERE enrollment_id = %(enrollment)s
                AND round_id = %(round)s AND state = 'held'
            UNION ALL
            SELECT FROM judging_assignment WHERE enrollment_id = %(enrollment)s
                AND round_id = %(round)s AND state = 'released'))
        AND id = (
            SELECT place.id FROM judging_assignment place
            WHERE place.round_id = %(round)s AND place.state = 'open'
                AND place.position >= %(first)s
                AND (place.seat IS NULL OR place.seat = %(seat)s)
                AND (SELECT own.state FROM judging_assignment own
                     WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id) IS NULL
                AND (SELECT barred.id FROM judging_barredtask barred
                     WHERE barred.enrollment_id = %(enrollment)s
                         AND barred.task_id = place.task_id) IS NULL
            ORDER BY place.position LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *),
moved AS (
    UPDATE judging_enrollment SET cursor_round_id = %(round)s, cursor = coalesce(
        (SELECT place.position FROM judging_assignment place
         WHERE place.round_id = %(round)s AND place.state = 'open'
             AND place.position >= %(first)s
             AND (place.seat IS NULL OR place.seat = %(seat)s)
             AND (SELECT own.state FROM judging_assignment own
                  WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id) IS NULL
             AND (SELECT barred.id FROM judging_barredtask barred
                  WHERE barred.enrollment_id = %(enrollment)s
                      AND barred.task_id = place.task_id) IS NULL
         ORDER BY place.position LIMIT 1),
        (SELECT position + 1 FROM judging_assignment
         WHERE round_id = %(round)s AND state = 'open' ORDER BY position DESC LIMIT 1),
        %(first)s)
    WHERE id = %(enrollment)s)
SELECT * FROM taken

-- name: take_behind
-- Take a place behind the cursor that was opened again.
UPDATE judging_assignment SET state = 'held', enrollment_id = %(enrollment)s,
    held_at = now(), last_seen_at = now(),
    lease_expires_at = now() + make_interval(mins => CASE
        WHEN EXISTS (SELECT FROM judging_assignment done
            WHERE done.enrollment_id = %(enrollment)s AND done.submitted_at IS NOT NULL)
        THEN %(minutes)s::int ELSE least(%(minutes)s::int, %(newcomer_minutes)s::int) END)
WHERE state = 'open'
    AND NOT EXISTS (SELECT FROM judging_exclusion
        WHERE enrollment_id = %(enrollment)s AND lifted_at IS NULL)
    AND id = (
        SELECT place.id FROM judging_assignment place
        WHERE place.round_id = %(round)s AND place.state = 'open'
            AND place.reopened AND place.position < %(first)s
            AND (place.seat IS NULL OR place.seat = %(seat)s)
            AND (SELECT own.state FROM judging_assignment own
                 WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id) IS NULL
            AND (SELECT barred.id FROM judging_barredtask barred
                 WHERE barred.enrollment_id = %(enrollment)s
                     AND barred.task_id = place.task_id) IS NULL
        ORDER BY place.position LIMIT 1 FOR UPDATE SKIP LOCKED)
RETURNING *

-- name: free_again
-- A place is free again whose task the annotator has a released row for: the open row is deleted and
-- the released row takes its place. Not for excluded annotators: another annotator must fill the
-- place.
SELECT place.id FROM judging_assignment own
JOIN judging_assignment place ON place.task_id = own.task_id AND place.state = 'open'
WHERE own.id = %(own)s AND own.state = 'released' AND (place.seat IS NULL OR place.seat = %(seat)s)
    AND NOT EXISTS (SELECT FROM judging_exclusion
        WHERE enrollment_id = own.enrollment_id AND lifted_at IS NULL)
    AND NOT EXISTS (SELECT FROM judging_barredtask barred
        WHERE barred.enrollment_id = own.enrollment_id AND barred.task_id = own.task_id)
ORDER BY place.place <> own.place, place.place LIMIT 1 FOR UPDATE SKIP LOCKED

-- name: move_into
WITH place AS (DELETE FROM judging_assignment WHERE id = %(place)s RETURNING place, position, seat)
UPDATE judging_assignment own
SET (place, position, seat) = (SELECT place, position, seat FROM place)
WHERE own.id = %(own)s

-- name: release
-- The held rows are locked by the caller. Each becomes a released row, and its place an open one.
WITH released AS (
    UPDATE judging_assignment SET state = 'released', released_at = now(), lease_expires_at = NULL
    WHERE id = ANY(%(ids)s::uuid[]) AND state = 'held'
    RETURNING round_id, task_id, place, position, seat)
INSERT INTO judging_assignment
    (id, round_id, task_id, place, position, seat, state, reopened, stage, submit_token,
        active_seconds)
SELECT gen_random_uuid(), round_id, task_id, place, position, seat, 'open', true, 0,
    gen_random_uuid(), 0 FROM released

-- name: share
SELECT count(*) FILTER (WHERE submitted_at IS NOT NULL), count(*) FILTER (WHERE state = 'held')
FROM judging_assignment WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s

-- name: left
-- Run when no place could be taken: count the tasks that other annotators hold, and those that other
-- claims had locked at that moment.
SELECT count(DISTINCT place.task_id) FROM (
    SELECT task_id, seat FROM judging_assignment WHERE round_id = %(round)s AND state = 'held'
    UNION ALL
    SELECT task_id, seat FROM judging_assignment
        WHERE round_id = %(round)s AND state = 'open' AND reopened
    UNION ALL
    SELECT task_id, seat FROM judging_assignment
        WHERE round_id = %(round)s AND state = 'open'
        AND position >= (SELECT cursor FROM judging_enrollment WHERE id = %(enrollment)s)) place
WHERE (place.seat IS NULL OR place.seat = %(seat)s)
    AND (SELECT own.state FROM judging_assignment own
         WHERE own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id
             AND own.state IN ('submitted', 'extra')) IS NULL
    AND (SELECT barred.id FROM judging_barredtask barred
         WHERE barred.enrollment_id = %(enrollment)s AND barred.task_id = place.task_id) IS NULL

-- name: progress
-- Of the open places on both sides of the cursor, up to a limit, count the annotator's tasks; and
-- count the places that were looked at, what the annotator has submitted, and what they hold.
SELECT count(DISTINCT place.task_id) FILTER (WHERE own.id IS NULL
        AND (place.seat IS NULL OR place.seat = %(seat)s)
        AND (SELECT barred.id FROM judging_barredtask barred
             WHERE barred.enrollment_id = %(enrollment)s
                 AND barred.task_id = place.task_id) IS NULL),
    count(*),
    (SELECT count(*) FROM judging_assignment
     WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND submitted_at IS NOT NULL),
    (SELECT count(*) FROM judging_assignment
     WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND state = 'held')
FROM (
    (SELECT task_id, seat FROM judging_assignment
     WHERE round_id = %(round)s AND state = 'open' AND position >= %(first)s
     ORDER BY position LIMIT %(most)s)
    UNION ALL
    (SELECT task_id, seat FROM judging_assignment
     WHERE round_id = %(round)s AND state = 'open' AND position < %(first)s
     ORDER BY position LIMIT %(most)s)
    LIMIT %(most)s) place
LEFT JOIN judging_assignment own
    ON own.enrollment_id = %(enrollment)s AND own.task_id = place.task_id
        AND own.state <> 'released'

-- name: before
SELECT id FROM judging_assignment
WHERE enrollment_id = %(enrollment)s AND round_id = %(round)s AND submitted_at IS NOT NULL
    AND submitted_at < coalesce(%(than)s::timestamptz, 'infinity')
ORDER BY submitted_at DESC LIMIT 1

-- name: renew
-- A sign of life adds time at work, as long as the gap since the last one still counts as work: up
-- to 120 seconds. Time counts until the task is first submitted: annotators are not paid for viewing
-- it again, and corrections do not make them slower. A task under way when a round closes is paid for
-- one more lease. The enrollment's row stores up to when time was counted, for any task, so that no
-- moment counts twice. If the clock was set back, that time or the last sign lies in the future.
WITH counted AS (
    UPDATE judging_enrollment SET at_work_until = clock_timestamp()
    FROM (SELECT enrolled.id, enrolled.at_work_until
        FROM judging_assignment own
        JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id
        JOIN judging_round round ON round.id = own.round_id
        JOIN judging_campaign campaign ON campaign.id = round.campaign_id
        WHERE own.id = %(assignment)s AND own.submitted_at IS NULL AND (round.closed_at IS NULL
            OR clock_timestamp() < round.closed_at + make_interval(mins => campaign.lease_minutes))
        FOR NO KEY UPDATE OF enrolled) before
    WHERE judging_enrollment.id = before.id
    RETURNING before.at_work_until AS until, judging_enrollment.at_work_until AS seen)
UPDATE judging_assignment SET last_seen_at = clock_timestamp(), active_seconds = active_seconds
    + CASE WHEN submitted_at IS NULL AND counted.seen > greatest(last_seen_at, counted.until)
        THEN least(extract(epoch FROM counted.seen - greatest(last_seen_at, counted.until)), 120)
        ELSE 0 END,
    lease_expires_at = CASE WHEN state = 'held' THEN now() + make_interval(mins => CASE
        WHEN EXISTS (SELECT FROM judging_assignment done
            WHERE done.enrollment_id = judging_assignment.enrollment_id
                AND done.submitted_at IS NOT NULL)
        THEN %(minutes)s::int ELSE least(%(minutes)s::int, %(newcomer_minutes)s::int) END) END
FROM (SELECT) one LEFT JOIN counted ON true
WHERE judging_assignment.id = %(assignment)s
RETURNING state, stage

-- name: clock
SELECT extract(epoch FROM clock_timestamp())

-- name: begin_anew
-- Each lease lasts from now as long as it lasted from its holder's last sign of life.
UPDATE judging_assignment
SET lease_expires_at = now() + (lease_expires_at - last_seen_at), last_seen_at = now()
WHERE id IN (SELECT id FROM judging_assignment WHERE state = 'held' AND last_seen_at IS NOT NULL
    AND (%(all)s OR last_seen_at > now() + interval '1 minute') FOR UPDATE SKIP LOCKED)

-- name: lock
SELECT own.state, own.stage, own.submit_token, round.closed_at, campaign.state,
    campaign.secret_revealed_at,
    EXISTS (SELECT FROM judging_note WHERE assignment_id = own.id)
FROM judging_assignment own
JOIN judging_round round ON round.id = own.round_id
JOIN judging_campaign campaign ON campaign.id = round.campaign_id
WHERE own.id = %(id)s FOR UPDATE OF own
