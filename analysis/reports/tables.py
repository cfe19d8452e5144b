"""Tables as files: CSV for spreadsheets and R, JSON for programs; the same text for the same numbers."""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.reports.records import Record

TITLES = {
    "agreement": "Agreement of annotators, criterion by criterion",
    "pairs": "Cohen's kappa of every pair of annotators",
    "annotators": "Each annotator's judgments, mean, severity and straight-lining",
    "use_of_scale": "How each annotator uses the scale",
    "left_out": "Agreement without each annotator in turn",
    "repeats": "Agreement of annotators with themselves",
    "systems": "Means of the systems with intervals over sources",
    "distributions": "How each system's ratings spread over the scale",
    "returned": "Questions expected and returned",
    "aggregates": "The protocol's aggregate in every reading of its rules",
    "aggregations": "Systems under other ways of averaging",
    "exclusions": "What leaving annotators out changes",
    "comparisons": "Every pair of systems, with tests and corrections",
    "groups": "Letters joining systems that are not told apart",
    "mixed_models": "Differences of systems by a mixed model",
    "correlations": "Correlation of every metric with every human column",
    "levels": "Metrics against people over questions, sets, sources and systems",
    "system_scores": "Every system by every metric: means of questions and sets, and scores as a whole",
    "differences": "Differences between metrics",
    "slices": "Agreement, means and correlations by the values of an attribute",
    "set_facts": "Question types, diversity, cardinality and duplicates of each system",
    "set_rules": "Facts that the protocol computes, beside its ratings",
    "sets": "Every question set with its types and computed facts",
    "metrics": "Metrics and how they were made",
    "spans": "How far marked answers agree: between annotators, with the submitted answer, within a set",
    "span_marks": "Every marked answer, in code points of its passage",
    "violations": "Ratings that contradict the protocol's rules",
    "criteria": "Criteria and scales",
}

FIRST = (
    "data", "reading", "fact", "source", "fatal_applied", "fatal_others", "attribute", "label", "slices", "measure",
    "criterion", "basis", "level", "coefficient", "weights", "test", "effect", "aggregation", "system", "annotator",
    "without", "first", "second", "metric", "better", "other", "name", "kind", "annotators", "items", "power", "value",
    "difference", "low", "high", "n",
)  # fmt: skip
LAST = ("method", "reason")


def to_csv(rows: Sequence[Record]) -> str:
    """Return records as CSV, empty where undefined; what a row is of stands first, how it was made last."""
    columns = sorted({key for row in rows for key in row}, key=_place)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(column)) for column in columns] for row in rows)
    return buffer.getvalue()


def _place(column: str) -> tuple[int, str]:
    """Return where a column stands; the database does not keep the order of a record's keys."""
    if column in FIRST:
        return FIRST.index(column), ""
    return len(FIRST) + (column in LAST), column


def to_json(document: Mapping[str, Any]) -> str:
    """Return a document as JSON with its keys in order, so that equal results are equal files."""
    return json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, dict | list) else value
