-- The statements of adjudications.py.

-- name: differences
-- A criterion that is asked once per set gives one row per set, with the set's first unit.
WITH points AS (
    SELECT point.criterion_id, point.value,
        row_number() OVER (PARTITION BY point.criterion_id ORDER BY point.value) AS rank
    FROM judging_scalepoint point JOIN judging_criterion own ON own.id = point.criterion_id
    WHERE own.protocol_id = %(protocol)s AND NOT point.missing),
rating AS (
    SELECT j.unit_id, j.criterion_id, points.rank, unit.question_set_id
    FROM judging_judgment j
    JOIN judging_assignment own ON own.id = j.assignment_id AND own.state = 'submitted'
    JOIN judging_round round ON round.id = own.round_id AND round.kind = 'main'
    JOIN points ON points.criterion_id = j.criterion_id AND points.value = j.value
    JOIN judging_unit unit ON unit.id = j.unit_id
    WHERE round.campaign_id = %(campaign)s AND j.superseded_at IS NULL
        AND NOT EXISTS (SELECT FROM judging_exclusion x
                        WHERE x.enrollment_id = own.enrollment_id AND x.lifted_at IS NULL)),
difference AS (
    SELECT rating.unit_id, rating.criterion_id, rating.question_set_id, max(rank) - min(rank) AS ranks
    FROM rating JOIN judging_criterion criterion ON criterion.id = rating.criterion_id
    GROUP BY rating.unit_id, rating.criterion_id, rating.question_set_id, criterion.level
    HAVING CASE criterion.level WHEN 'nominal' THEN count(DISTINCT rank) > 1
           ELSE max(rank) - min(rank) > %(threshold)s::int END)
SELECT min(difference.unit_id), difference.criterion_id, max(difference.ranks)
FROM difference JOIN judging_criterion criterion ON criterion.id = difference.criterion_id
GROUP BY difference.criterion_id, criterion.position, difference.question_set_id,
    CASE criterion.asked WHEN 'once_per_set' THEN 0 ELSE difference.unit_id END
ORDER BY criterion.position
