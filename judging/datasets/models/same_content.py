"""Datasets with the same content: degraded copies of one another, and those that share a file.

They contain the same texts under the same systems, so a reader of one knows what another hides. Two
datasets that have nothing in common stay separate, even beside a third that contains a file of
each: otherwise any user could join them by pooling their files.
"""

from datetime import datetime

from judging.base.models.statements import query_rows

# A path from one dataset to another passes one file at most, and any number of copies. `bond`
# pairs names with the same content, including those in the history: a copy keeps its origin when
# datasets between them are deleted, and adding a file to a copy overwrites its mapping.
SAME = """
WITH RECURSIVE bond (one, other, came, since) AS MATERIALIZED (
    SELECT 'dataset ' || whole.id, 'file ' || whole.file_sha256,
        coalesce(added.uploaded_at, whole.created_at), coalesce(added.added_at, whole.created_at)
    FROM judging_dataset whole
    LEFT JOIN (judging_addedfile added JOIN judging_storedfile file ON file.id = added.file_id)
        ON added.dataset_id = whole.id AND file.sha256 = whole.file_sha256 AND added.state <> 'waiting'
    WHERE whole.file_sha256 <> ''
    UNION SELECT 'dataset ' || added.dataset_id, 'file ' || file.sha256, added.uploaded_at, added.added_at
    FROM judging_addedfile added JOIN judging_storedfile file ON file.id = added.file_id
    WHERE added.state <> 'waiting'
    UNION SELECT 'dataset ' || id, 'dataset ' || (mapping #>> '{degraded,of,dataset}'),
        '-infinity', '-infinity'
    FROM judging_dataset WHERE mapping ? 'degraded'
    UNION SELECT about, after, '-infinity', '-infinity' FROM judging_event WHERE act = 'dataset.degraded'
    UNION SELECT about, before, '-infinity', '-infinity' FROM judging_event
    WHERE act = 'dataset.deleted' AND before <> ''),
step (one, other, came, since) AS MATERIALIZED (
    SELECT one, other, came, since FROM bond UNION SELECT other, one, came, since FROM bond),
same (name, is_by_file, here, came, there) AS (
    SELECT 'dataset ' || %(dataset)s::bigint, false,
        '-infinity'::timestamptz, '-infinity'::timestamptz, '-infinity'::timestamptz
    UNION SELECT step.other, same.is_by_file OR starts_with(step.other, 'file '),
        CASE WHEN starts_with(step.other, 'file ') THEN step.since ELSE same.here END,
        CASE WHEN starts_with(step.one, 'file ') THEN step.came ELSE same.came END,
        CASE WHEN starts_with(step.one, 'file ') THEN step.since ELSE same.there END
    FROM same JOIN step ON step.one = same.name
    WHERE NOT (same.is_by_file AND starts_with(step.other, 'file ')))
SELECT substr(name, 9)::bigint, nullif(min(came), '-infinity'), nullif(min(greatest(here, there)), '-infinity')
FROM same WHERE starts_with(name, 'dataset ') GROUP BY name
"""


def datasets_with_same_content(dataset: int) -> set[int]:
    """Return the ids of all datasets with the same content, including this one and deleted
    ones."""
    return set(shared_content_since(dataset))


def shared_content_since(dataset: int) -> dict[int, tuple[datetime | None, datetime | None]]:
    """Return, for each dataset with the same content, when the shared file was uploaded to it, even if
    it was added later, and since when both contain it; None if it always did, or if the time is not
    known."""
    found = query_rows(SAME, {"dataset": dataset})
    return {pk: (came, both) for pk, came, both in found}
