-- The statements of judgments.py.

-- name: drafted_answers
SELECT assignment_id, unit_id, criterion_id, value FROM judging_draft
WHERE assignment_id = ANY(%(keys)s::text[]::uuid[]) AND value IS NOT NULL

-- name: store_submission
WITH stored AS (
INSERT INTO judging_judgment (assignment_id, unit_id, criterion_id, value, cause, revision, origin,
    first_shown_at, answered_at)
SELECT %(assignment)s::uuid, entry.unit, entry.criterion, entry.value, entry.cause, entry.revision,
    CASE entry.cause WHEN '' THEN 'judged' ELSE 'rule' END, draft.first_shown_at, draft.answered_at
FROM unnest(%(units)s::bigint[], %(criteria)s::bigint[], %(values)s::smallint[], %(causes)s::text[],
            %(revisions)s::smallint[], %(controls)s::bigint[])
    AS entry (unit, criterion, value, cause, revision, control)
LEFT JOIN judging_draft draft ON draft.assignment_id = %(assignment)s::uuid AND entry.cause = ''
    AND draft.unit_id = entry.control AND draft.criterion_id = entry.criterion)
UPDATE judging_assignment SET submit_token = gen_random_uuid(), state = %(state)s,
    submitted_at = coalesce(submitted_at, clock_timestamp()), lease_expires_at = NULL,
    language = coalesce(nullif(%(language)s, ''), language),
    view = coalesce(nullif(%(view)s, ''), view), device = coalesce(nullif(%(device)s, ''), device),
    keywords = coalesce(nullif(%(keywords)s, ''), keywords),
    review = coalesce(nullif(%(review)s, ''), review),
    input = coalesce((
        SELECT mode() WITHIN GROUP (ORDER BY draft.input) FROM judging_draft draft
        WHERE draft.assignment_id = %(assignment)s::uuid AND draft.value IS NOT NULL
            AND draft.input <> ''), input)
WHERE id = %(assignment)s
