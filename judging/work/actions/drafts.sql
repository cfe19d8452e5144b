-- The statements of drafts.py.

-- name: save_answers
-- By the clock rather than the transaction's beginning, so that answers before and after submission
-- can be distinguished. Returns all drafts of the assignment: those written now, and those that are
-- older or have a later number. The form that submits a task repeats its answers without their
-- times: the times that were saved with the same value are kept.
WITH entered AS (
INSERT INTO judging_draft (assignment_id, unit_id, criterion_id, value, first_shown_at, answered_at,
    input, sequence, saved_at)
SELECT %(assignment)s::uuid, given.*, %(sequence)s, clock_timestamp()
FROM unnest(%(units)s::bigint[], %(criteria)s::bigint[], %(values)s::smallint[],
            %(shown)s::timestamptz[], %(answered)s::timestamptz[], %(inputs)s::text[]) AS given
ON CONFLICT (assignment_id, unit_id, criterion_id) DO UPDATE
SET value = excluded.value, sequence = excluded.sequence, saved_at = excluded.saved_at,
    first_shown_at = least(judging_draft.first_shown_at, excluded.first_shown_at),
    answered_at = coalesce(excluded.answered_at,
        CASE WHEN judging_draft.value = excluded.value THEN judging_draft.answered_at END),
    input = CASE WHEN excluded.input = '' AND judging_draft.value = excluded.value
        THEN judging_draft.input ELSE excluded.input END
WHERE judging_draft.sequence < excluded.sequence
RETURNING unit_id, criterion_id, value)
SELECT unit_id, criterion_id, value FROM entered
UNION ALL
SELECT unit_id, criterion_id, value FROM judging_draft before
WHERE assignment_id = %(assignment)s AND NOT EXISTS (
    SELECT FROM entered WHERE entered.unit_id = before.unit_id AND entered.criterion_id = before.criterion_id)

-- name: save_note
INSERT INTO judging_note (assignment_id, unit_id, text, sequence, saved_at)
SELECT %(assignment)s::uuid, %(unit)s, %(text)s, %(sequence)s, now()
WHERE %(text)s <> '' OR EXISTS (
    SELECT FROM judging_note WHERE assignment_id = %(assignment)s AND unit_id IS NOT DISTINCT FROM %(unit)s)
ON CONFLICT (assignment_id, unit_id) DO UPDATE
SET text = excluded.text, sequence = excluded.sequence, saved_at = excluded.saved_at
WHERE judging_note.sequence < excluded.sequence

-- name: answers
SELECT unit_id, criterion_id, value, sequence FROM judging_draft WHERE assignment_id = %(assignment)s

-- name: notes
SELECT unit_id, text, sequence FROM judging_note WHERE assignment_id = %(assignment)s

-- name: reset_sequences
WITH answers AS (UPDATE judging_draft SET sequence = 0 WHERE assignment_id = %(assignment)s),
    notes AS (UPDATE judging_note SET sequence = 0 WHERE assignment_id = %(assignment)s)
UPDATE judging_marking SET sequence = 0 WHERE assignment_id = %(assignment)s
