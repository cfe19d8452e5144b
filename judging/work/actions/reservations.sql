-- The statements of reservations.py.

-- name: reserve_places
-- Reserve one open place of each task that the annotator has not done, the first in the queue. If
-- another annotator claims such a place now, the update waits for that claim and skips the place.
UPDATE judging_assignment reserved SET seat = %(seat)s
WHERE reserved.state = 'open' AND reserved.seat IS NULL AND reserved.id IN (
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
