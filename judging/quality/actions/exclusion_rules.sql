-- The statements of exclusion_rules.py.

-- name: lacking_places
-- Tasks with fewer places than planned, not counting those of excluded annotators; how many are
-- lacking, and the last place. Only tasks of excluded annotators can lack any.
WITH out AS (
    SELECT DISTINCT own.task_id FROM judging_exclusion x
    JOIN judging_assignment own ON own.enrollment_id = x.enrollment_id
    WHERE x.lifted_at IS NULL AND own.round_id = %(round)s),
counted AS (
    SELECT place.task_id, count(*) FILTER (WHERE place.enrollment_id IS NULL OR NOT EXISTS (
            SELECT FROM judging_exclusion x WHERE x.enrollment_id = place.enrollment_id AND x.lifted_at IS NULL)) AS n,
        max(place.place) AS last
    FROM judging_assignment place
    WHERE place.task_id IN (SELECT task_id FROM out) AND place.round_id = %(round)s
        AND place.state IN ('open', 'held', 'submitted') GROUP BY place.task_id)
SELECT task_id, %(wanted)s - n, last FROM counted WHERE n < %(wanted)s
