"""Collections of the same material: degraded copies of one another, and those of one file.

They hold the same texts under the same systems, so whoever reads one knows what another hides. Two
collections that have nothing in common stay two, also beside a third that holds a file of each: else
anybody could make one of them by pooling their files.
"""

from judging.models.statements import rows

# A way from one collection to another leads over one file at most, and over any number of copies.
# Pairs of names that stand for the same material, those of the history included: a copy keeps its
# origin when what lies between is deleted, and adding a file to a copy overwrites its mapping.
SAME = """
WITH RECURSIVE bond (one, other) AS MATERIALIZED (
    SELECT 'collection ' || id, 'file ' || file_sha256 FROM judging_collection WHERE file_sha256 <> ''
    UNION SELECT 'collection ' || added.collection_id, 'file ' || file.sha256
    FROM judging_addedfile added JOIN judging_storedfile file ON file.id = added.file_id
    WHERE added.state <> 'waiting'
    UNION SELECT 'collection ' || id, 'collection ' || (mapping #>> '{degraded,of,collection}')
    FROM judging_collection WHERE mapping ? 'degraded'
    UNION SELECT about, after FROM judging_event WHERE act = 'collection.degraded'
    UNION SELECT about, before FROM judging_event WHERE act = 'collection.deleted' AND before <> ''),
step (one, other) AS MATERIALIZED (SELECT one, other FROM bond UNION SELECT other, one FROM bond),
same (name, is_by_file) AS (
    SELECT 'collection ' || %(collection)s::bigint, false
    UNION SELECT step.other, same.is_by_file OR starts_with(step.other, 'file ')
    FROM same JOIN step ON step.one = same.name
    WHERE NOT (same.is_by_file AND starts_with(step.other, 'file ')))
SELECT DISTINCT substr(name, 12)::bigint FROM same WHERE starts_with(name, 'collection ')
"""


def same_material(collection: int) -> set[int]:
    """Return the ids of all collections of a collection's material, its own and those of deleted
    ones included."""
    return {pk for (pk,) in rows(SAME, {"collection": collection})}
