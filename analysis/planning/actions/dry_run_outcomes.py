"""The results of a dry run, read only as far as a page or file shows them.

A hundred systems on fifty criteria are half a million pairs, each with two names: the database
splits them in less memory than a web process needs to read them.
"""

import json
from collections.abc import Iterator
from typing import Any

from analysis.reports.rows import Record
from analysis.reports.tables import to_csv
from judging.base.limits import MAX_PAGE_CELLS, MAX_PAGE_ROWS
from judging.base.models.statements import query_rows
from judging.campaigns.models.dry_run import DryRun
from quaestor_stats._system_differences import PERMUTATION

DATA = {"criteria": "without excluded annotators", "with_all": "with all annotators"}
COLUMNS = (
    "data", "criterion", "test", "repeats", "better", "worse", "difference", "value", "low", "high"
)  # fmt: skip

OUTLINE = """
SELECT (outcome - 'criteria' - 'with_all')::text, COALESCE(jsonb_array_length(outcome -> 'criteria'), 0)
FROM judging_dryrun WHERE campaign_id = %(copy)s::bigint
"""
CRITERIA = """
SELECT told.data, (criterion - 'pairs')::text, jsonb_array_length(criterion -> 'pairs'),
    jsonb_path_query_array(criterion -> 'pairs', %(first)s::text::jsonpath)::text
FROM judging_dryrun CROSS JOIN (VALUES ('criteria'), ('with_all')) AS told (data)
CROSS JOIN jsonb_array_elements(outcome -> told.data) WITH ORDINALITY AS each (criterion, place)
WHERE campaign_id = %(copy)s::bigint ORDER BY told.data, place
"""
PAIRS = """
SELECT pair::text FROM judging_dryrun
CROSS JOIN jsonb_array_elements(outcome #> %(where)s::text[]) WITH ORDINALITY AS each (pair, place)
WHERE campaign_id = %(copy)s::bigint ORDER BY place
"""


def shown_outcome(run: DryRun) -> dict[str, Any]:
    """Return a dry run's outcome with the first pairs of each criterion, and how many there are as
    `all_pairs`."""
    [[told, count]] = query_rows(OUTLINE, {"copy": run.pk})
    most = max(1, min(MAX_PAGE_ROWS, MAX_PAGE_CELLS // (len(COLUMNS) * max(1, count))))
    found: dict[str, Any] = {**json.loads(told), "criteria": [], "with_all": []}
    first = f"$[0 to {most - 1}]"
    for data, criterion, pairs, kept in query_rows(CRITERIA, {"copy": run.pk, "first": first}):
        found[data].append({**json.loads(criterion), "pairs": json.loads(kept), "all_pairs": pairs})
    return found


def pairs_csv(run: DryRun) -> Iterator[str]:
    """Yield every pair of systems of a dry run as CSV, a criterion at a time: in which share of
    repeats it differs significantly as planted."""
    yield to_csv([], COLUMNS)
    outline = shown_outcome(run)
    for key, data in DATA.items():
        for place, criterion in enumerate(outline[key]):
            where = [key, str(place), "pairs"]
            about: Record = {
                "data": data,
                "criterion": criterion["criterion"],
                "test": criterion.get("test", PERMUTATION),  # the only one before others were known
                "repeats": criterion["repeats"],
            }
            pairs = [
                about | json.loads(pair)
                for [pair] in query_rows(PAIRS, {"copy": run.pk, "where": where})
            ]
            yield to_csv(pairs, COLUMNS).partition("\n")[2]
