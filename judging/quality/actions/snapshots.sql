-- The statements of snapshots.py, which count a campaign's main round and what is paid and idle in
-- all its rounds.

-- name: places
SELECT count(*), count(*) FILTER (WHERE state = 'submitted'), count(*) FILTER (WHERE state = 'held')
FROM judging_assignment
WHERE round_id = %(round)s AND state IN ('open', 'held', 'submitted')

-- name: submitted
SELECT enrollment_id, count(*) FILTER (WHERE state = 'submitted'),
    count(*) FILTER (WHERE state <> 'submitted'), coalesce(sum(active_seconds), 0),
    max(submitted_at)
FROM judging_assignment WHERE round_id = %(round)s AND submitted_at IS NOT NULL
GROUP BY enrollment_id ORDER BY enrollment_id

-- name: paid
-- Tasks of every round are paid, checks and extras too; in the main one at most the plan's number
-- for each annotator, because annotators who let tasks lapse may have more of them open.
SELECT enrollment_id, count(*), coalesce(sum(active_seconds), 0) FROM (
    SELECT own.enrollment_id, own.active_seconds, round.kind, row_number() OVER (
        PARTITION BY own.enrollment_id, round.kind ORDER BY own.submitted_at, own.id) AS place
    FROM judging_assignment own JOIN judging_round round ON round.id = own.round_id
    WHERE round.campaign_id = %(campaign)s AND own.submitted_at IS NOT NULL) done
WHERE kind <> 'main' OR %(most)s::int IS NULL OR place <= %(most)s GROUP BY 1

-- name: by_hour
SELECT floor(extract(epoch FROM %(now)s::timestamptz - submitted_at) / 3600)::int AS ago, count(*)
FROM judging_assignment
WHERE round_id = %(round)s AND state = 'submitted' AND submitted_at > %(since)s::timestamptz
GROUP BY 1

-- name: reported
-- Questions that were reported as broken in submitted tasks, checks included, and how many of these
-- tasks have no value. A report that was taken back leaves its row.
SELECT * FROM (
    SELECT own.enrollment_id, count(*) FILTER (WHERE note.text <> '') AS questions,
        count(DISTINCT own.id) FILTER (WHERE NOT EXISTS (
            SELECT FROM judging_judgment rating
            WHERE rating.assignment_id = own.id AND rating.superseded_at IS NULL)) AS empty
    FROM judging_note note
    JOIN judging_assignment own ON own.id = note.assignment_id AND own.submitted_at IS NOT NULL
    JOIN judging_round round ON round.id = own.round_id
    WHERE round.campaign_id = %(campaign)s AND note.unit_id IS NOT NULL GROUP BY 1) reported
WHERE questions > 0 OR empty > 0 ORDER BY enrollment_id

-- name: idle
-- Tasks of every round that are held without a save for a day: the day of the last one, and hours.
SELECT who, (last AT TIME ZONE %(zone)s::text)::date::text,
    (extract(epoch FROM %(now)s::timestamptz - last) / 3600)::float8
FROM (SELECT own.enrollment_id AS who, max(greatest(own.held_at, draft.saved_at)) AS last
    FROM judging_assignment own JOIN judging_round round ON round.id = own.round_id
    LEFT JOIN judging_draft draft ON draft.assignment_id = own.id
    WHERE round.campaign_id = %(campaign)s AND own.state = 'held' GROUP BY own.id) saved
WHERE last < %(now)s::timestamptz - interval '1 day'

-- name: answers
-- Values that annotators clicked, those given so soon after their criterion was first shown that it
-- was hardly read, and all whose times are known.
SELECT own.enrollment_id, count(*) FILTER (WHERE rating.origin = 'judged'),
    count(*) FILTER (WHERE rating.answered_at - rating.first_shown_at
        <= %(quick)s::int * interval '1 millisecond'),
    count(*) FILTER (WHERE rating.answered_at - rating.first_shown_at IS NOT NULL)
FROM judging_judgment rating JOIN judging_assignment own ON own.id = rating.assignment_id
WHERE own.round_id = %(round)s AND rating.superseded_at IS NULL AND own.submitted_at IS NOT NULL
GROUP BY 1

-- name: with_ratings
-- Begins the statements below: the current judgments of submitted tasks, extras included.
WITH rating AS MATERIALIZED (
    SELECT own.enrollment_id AS who, j.criterion_id AS criterion, j.unit_id AS unit,
        j.value AS value, own.submitted_at AS at
    FROM judging_judgment j JOIN judging_assignment own ON own.id = j.assignment_id
    WHERE own.round_id = %(round)s AND j.superseded_at IS NULL AND own.submitted_at IS NOT NULL)

-- name: uses
SELECT who, criterion, value, count(*) FROM rating GROUP BY 1, 2, 3

-- name: runs
SELECT DISTINCT ON (who, criterion) who, criterion, value, length FROM (
    SELECT who, criterion, value, count(*) AS length FROM (
        SELECT who, criterion, value,
            row_number() OVER (PARTITION BY who, criterion ORDER BY at, unit)
            - row_number() OVER (PARTITION BY who, criterion, value ORDER BY at, unit) AS run
        FROM rating) numbered
    GROUP BY who, criterion, value, run) runs
ORDER BY who, criterion, length DESC, value

-- name: distances
-- How far each annotator's values are from the others' on the same units.
, measured AS (
    SELECT rating.* FROM rating JOIN judging_scalepoint point
        ON point.criterion_id = rating.criterion AND point.value = rating.value
            AND NOT point.missing)
, units AS (SELECT unit, criterion, sum(value) AS total, count(*) AS n FROM measured
    GROUP BY 1, 2 HAVING count(*) > 1)
SELECT who, criterion, avg(value - (total - value)::float8 / (n - 1)), count(*)
FROM measured JOIN units USING (unit, criterion) GROUP BY 1, 2

-- name: by_system
SELECT shown.system_id, who, count(DISTINCT unit)
FROM rating JOIN judging_unit ON judging_unit.id = rating.unit
JOIN judging_questionset shown ON shown.id = judging_unit.question_set_id
GROUP BY 1, 2

-- name: with_days
-- Follows with_ratings, and begins the statements below.
, measured AS (
    SELECT rating.*, shown.source_id AS source, (at AT TIME ZONE %(zone)s::text)::date AS day
    FROM rating JOIN judging_scalepoint point
        ON point.criterion_id = rating.criterion AND point.value = rating.value
            AND NOT point.missing
    JOIN judging_unit ON judging_unit.id = rating.unit
    JOIN judging_questionset shown ON shown.id = judging_unit.question_set_id)

-- name: by_day
-- Means of sources by day, and how far they are from the others' on the same units.
, units AS (SELECT unit, criterion, sum(value) AS total, count(*) AS n FROM measured
    GROUP BY 1, 2 HAVING count(*) > 1)
, of_source AS (
    SELECT who, criterion, day, source, count(*) AS n, avg(value)::float8 AS mean,
        avg(value - (total - value)::float8 / (units.n - 1)) AS distance
    FROM measured LEFT JOIN units USING (unit, criterion) GROUP BY 1, 2, 3, 4)
SELECT who, criterion, day::text, sum(n)::int, count(*), avg(mean), coalesce(stddev_samp(mean), 0),
    count(distance), coalesce(avg(distance), 0), coalesce(stddev_samp(distance), 0)
FROM of_source GROUP BY 1, 2, 3 ORDER BY 1, 2, 3

-- name: of_all_by_day
, of_source AS (
    SELECT criterion, day, source, count(*) AS n, avg(value)::float8 AS mean FROM measured
        GROUP BY 1, 2, 3)
SELECT NULL, criterion, day::text, sum(n)::int, count(*), avg(mean), coalesce(stddev_samp(mean), 0)
FROM of_source GROUP BY 2, 3 ORDER BY 2, 3
