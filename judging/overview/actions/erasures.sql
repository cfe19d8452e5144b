-- The statements of erasures.py.

-- name: free_places
-- Delete an annotator's assignments. The database makes the new places itself, so that none of a
-- million rows is loaded.
WITH gone AS (
    DELETE FROM judging_assignment WHERE enrollment_id = %(enrollment)s
    RETURNING round_id, task_id, place, "position", seat, state
), opened AS (
    INSERT INTO judging_assignment (id, round_id, task_id, place, "position", seat, state, reopened,
        stage, submit_token, active_seconds)
    SELECT gen_random_uuid(), round_id, task_id, place, "position", seat, 'open', true,
        0, gen_random_uuid(), 0
    FROM gone WHERE state IN ('held', 'submitted')
)
SELECT count(*) FROM gone
