"""Collections of the same dataset: degraded copies of one another, and those of one file.

They hold the same texts under the same systems, so whoever reads one knows what another hides. Two
collections that have nothing in common stay two, also beside a third that holds a file of each: else
anybody could make one of them by pooling their files.
"""

from datetime import datetime

from judging.models.statements import rows

# A way from one collection to another leads over one file at most, and over any number of copies.
# Pairs of names that stand for the same dataset, those of the history included: a copy keeps its
# origin when what lies between is deleted, and adding a file to a copy overwrites its mapping.
SAME = """
WITH RECURSIVE bond (one, other, came, since) AS MATERIALIZED (
    SELECT 'collection ' || whole.id, 'file ' || whole.file_sha256,
        coalesce(added.uploaded_at, whole.created_at), coalesce(added.added_at, whole.created_at)
    FROM judging_collection whole
    LEFT JOIN (judging_addedfile added JOIN judging_storedfile file ON file.id = added.file_id)
        ON added.collection_id = whole.id AND file.sha256 = whole.file_sha256 AND added.state <> 'waiting'
    WHERE whole.file_sha256 <> ''
    UNION SELECT 'collection ' || added.collection_id, 'file ' || file.sha256, added.uploaded_at, added.added_at
    FROM judging_addedfile added JOIN judging_storedfile file ON file.id = added.file_id
    WHERE added.state <> 'waiting'
    UNION SELECT 'collection ' || id, 'collection ' || (mapping #>> '{degraded,of,collection}'),
        '-infinity', '-infinity'
    FROM judging_collection WHERE mapping ? 'degraded'
    UNION SELECT about, after, '-infinity', '-infinity' FROM judging_event WHERE act = 'collection.degraded'
    UNION SELECT about, before, '-infinity', '-infinity' FROM judging_event
    WHERE act = 'collection.deleted' AND before <> ''),
step (one, other, came, since) AS MATERIALIZED (
    SELECT one, other, came, since FROM bond UNION SELECT other, one, came, since FROM bond),
same (name, is_by_file, here, came, there) AS (
    SELECT 'collection ' || %(collection)s::bigint, false,
        '-infinity'::timestamptz, '-infinity'::timestamptz, '-infinity'::timestamptz
    UNION SELECT step.other, same.is_by_file OR starts_with(step.other, 'file '),
        CASE WHEN starts_with(step.other, 'file ') THEN step.since ELSE same.here END,
        CASE WHEN starts_with(step.one, 'file ') THEN step.came ELSE same.came END,
        CASE WHEN starts_with(step.one, 'file ') THEN step.since ELSE same.there END
    FROM same JOIN step ON step.one = same.name
    WHERE NOT (same.is_by_file AND starts_with(step.other, 'file ')))
SELECT substr(name, 12)::bigint, nullif(min(came), '-infinity'), nullif(min(greatest(here, there)), '-infinity')
FROM same WHERE starts_with(name, 'collection ') GROUP BY name
"""


def same_material(collection: int) -> set[int]:
    """Return the ids of all collections of a collection's material, its own and those of deleted
    ones included."""
    return set(since_same(collection))


def since_same(collection: int) -> dict[int, tuple[datetime | None, datetime | None]]:
    """Return of each collection of the dataset when the file came to it that makes it so, if only to
    be added later, and since when both hold it; None where it was never without, and where that is
    not known."""
    found = rows(SAME, {"collection": collection})
    return {pk: (came, both) for pk, came, both in found}
