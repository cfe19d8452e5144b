-- The statements of participations.py.

-- name: due
SELECT own.id FROM judging_participation own
JOIN judging_crowdplatform platform ON platform.id = own.platform_id
JOIN judging_enrollment enrolled ON enrolled.id = own.enrollment_id
WHERE own.reserved_until IS NOT NULL
    AND (%(platform)s::bigint IS NULL OR platform.id = %(platform)s)
    AND (%(own)s::bigint IS NULL OR own.id = %(own)s)
    AND (own.reserved_until < %(now)s
        OR own.reserved_until - platform.minutes * interval '1 minute' < %(silent)s
        AND NOT EXISTS (SELECT FROM judging_assignment done WHERE done.enrollment_id = enrolled.id
            AND (done.submitted_at IS NOT NULL OR done.last_seen_at >= %(silent)s))
        AND NOT EXISTS (SELECT FROM judging_visit visit WHERE visit.user_id = enrolled.user_id
            AND visit.seen_at >= %(silent)s))
ORDER BY own.id
