-- The statements of jobs.py.

-- name: result_fields
-- Lists and objects of the result are only named.
SELECT COALESCE(jsonb_object_agg(
    key, CASE WHEN jsonb_typeof(value) IN ('object', 'array') THEN 'true' ELSE value END), '{}')::text
FROM judging_job CROSS JOIN jsonb_each(result) WHERE id = %(job)s::uuid AND key = ANY(%(names)s::text[])

-- name: reserve_next
-- First come the jobs of the user who was served longest ago. Jobs that ask another server may take
-- days, so at most as many of them run as there are workers.
WITH clock AS (
    SELECT statement_timestamp() AS now,
        statement_timestamp() - make_interval(secs => %(lease)s) AS leased_since
), served AS (
    SELECT created_by_id AS person, max(started_at) AS at FROM judging_job
    WHERE created_by_id IN (SELECT created_by_id FROM judging_job WHERE state = 'queued')
    GROUP BY 1
), waiting_for_others AS (
    SELECT count(*) AS jobs FROM judging_job, clock WHERE kind = %(waits)s AND (state = 'running'
        OR (state = 'queued' AND rung_at BETWEEN leased_since AND now))
), workers AS (
    SELECT GREATEST(1, count(*)) AS present FROM judging_workerpresence, clock
    WHERE seen_at BETWEEN now - make_interval(secs => %(present)s) AND now AND name <> %(sweep)s
)
UPDATE judging_job SET rung_at = statement_timestamp() WHERE id = (
    SELECT job.id FROM judging_job job
    CROSS JOIN clock CROSS JOIN waiting_for_others CROSS JOIN workers
    LEFT JOIN served ON served.person = job.created_by_id
    WHERE job.state = 'queued' AND job.queue = %(queue)s
    AND (job.not_before IS NULL OR job.not_before <= now)
    AND (job.rung_at IS NULL OR job.rung_at NOT BETWEEN leased_since AND now)
    AND (job.kind <> %(waits)s OR waiting_for_others.jobs < workers.present)
    AND NOT EXISTS (SELECT FROM judging_job part
        WHERE part.parent_id = job.id AND part.state IN ('queued', 'running'))
    ORDER BY served.at NULLS FIRST, job.created_at LIMIT 1 FOR UPDATE OF job SKIP LOCKED
) RETURNING kind, id::text
