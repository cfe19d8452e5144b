-- The statements of check_results.py: one row for each annotator with results.

-- name: gold
-- Gold questions met, those passed, and those evaded. An annotator who reports a gold question as
-- broken and leaves it unanswered has not passed it: reporting suspected checks must not exclude
-- them. A question that is really broken counts for no annotator once it is retired.
SELECT enrollment_id, count(*), count(*) FILTER (WHERE passed AND NOT evaded),
    count(*) FILTER (WHERE evaded)
FROM (
    SELECT met.enrollment_id, coalesce(bool_and(EXISTS (
        SELECT FROM judging_acceptedvalue ok
        WHERE ok.item_id = met.item_id AND ok.criterion_id = rating.criterion_id
            AND ok.value = rating.value)), false) AS passed,
        count(rating.id) = 0 OR coalesce(bool_or(note.text <> ''), false)
            AND count(DISTINCT rating.criterion_id) < (
                SELECT count(DISTINCT criterion_id) FROM judging_acceptedvalue
                WHERE item_id = met.item_id) AS evaded
    FROM judging_checktask met
    JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
        AND item.kind = 'gold'
    JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
    LEFT JOIN judging_judgment rating ON rating.assignment_id = own.id
        AND rating.unit_id = item.unit_id AND rating.superseded_at IS NULL
        AND rating.criterion_id IN (SELECT criterion_id FROM judging_acceptedvalue
            WHERE item_id = met.item_id)
    LEFT JOIN judging_note note ON note.assignment_id = own.id AND note.unit_id = item.unit_id
    WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
    GROUP BY met.enrollment_id, met.item_id
    HAVING count(rating.id) > 0 OR count(note.id) > 0) met
GROUP BY 1

-- name: repeats
-- Values given twice, and those that were equal.
SELECT met.enrollment_id, count(*), count(*) FILTER (WHERE first.value = again.value)
FROM judging_checktask met
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_judgment again ON again.assignment_id = own.id AND again.superseded_at IS NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = again.unit_id
    AND first.criterion_id = again.criterion_id AND first.superseded_at IS NULL
WHERE met.kind = 'repeat' AND own.round_id = %(round)s
GROUP BY 1

-- name: unrepeated
-- Values of questions that were rated first and reported as broken when they were repeated.
SELECT met.enrollment_id, count(*)
FROM judging_checktask met
JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
JOIN judging_note note ON note.assignment_id = own.id AND note.unit_id IS NOT NULL
JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
    AND earlier.enrollment_id = met.enrollment_id
JOIN judging_judgment first ON first.assignment_id = earlier.id AND first.unit_id = note.unit_id
    AND first.superseded_at IS NULL
WHERE met.kind = 'repeat' AND own.round_id = %(round)s AND NOT EXISTS (
    SELECT FROM judging_judgment again WHERE again.assignment_id = own.id
        AND again.unit_id = first.unit_id AND again.criterion_id = first.criterion_id
        AND again.superseded_at IS NULL)
    AND (note.text <> '' OR NOT EXISTS (
        SELECT FROM judging_judgment again WHERE again.assignment_id = own.id
            AND again.unit_id = first.unit_id AND again.superseded_at IS NULL))
GROUP BY 1

-- name: degraded
-- How much higher each degraded copy was scored than its question, summed over criteria.
SELECT enrollment_id, array_agg(difference ORDER BY item) FROM (
    SELECT met.enrollment_id, item.id AS item, sum((copy.value - first.value)
        * CASE criterion.best WHEN 'lowest' THEN -1 WHEN 'highest' THEN 1 ELSE 0 END) AS difference
    FROM judging_checktask met
    JOIN judging_checkitem item ON item.id = met.item_id AND item.retired_at IS NULL
        AND item.kind = 'degraded'
    JOIN judging_assignment own ON own.task_id = met.task_id AND own.submitted_at IS NOT NULL
    JOIN judging_judgment copy ON copy.assignment_id = own.id AND copy.unit_id = item.unit_id
        AND copy.superseded_at IS NULL
    JOIN judging_assignment earlier ON earlier.task_id = met.of_task_id
        AND earlier.enrollment_id = met.enrollment_id
    JOIN judging_judgment first ON first.assignment_id = earlier.id
        AND first.unit_id = item.original_id AND first.criterion_id = copy.criterion_id
        AND first.superseded_at IS NULL
    JOIN judging_criterion criterion ON criterion.id = copy.criterion_id
    WHERE item.campaign_id = %(campaign)s AND own.round_id = %(round)s
    GROUP BY met.enrollment_id, item.id) copies
GROUP BY 1
