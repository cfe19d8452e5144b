"""The judgments that our own API exports (`judging.actions.judgment_rows`), in any kind of table."""

from collections.abc import Mapping, Sequence

from judging.imports.readers.columns import ColumnRoles

# The columns by which the export is recognised; each has a role, or decides whether a row counts.
API_COLUMNS = {
    "source",
    "system",
    "position",
    "question",
    "annotator",
    "criterion",
    "value",
    "revision",
    "round",
    "state",
    "excluded",
}
_ABOUT_RATINGS = (
    "origin",
    "cause",
    "created_at",
    "first_shown_at",
    "answered_at",
    "language",
    "view",
    "device",
    "input",
    "keywords",
)


def is_api_export(header: Sequence[str]) -> bool:
    """Return whether these are the columns of an export of judgments."""
    return set(header) >= API_COLUMNS


def api_columns(header: Sequence[str]) -> ColumnRoles:
    """Return the columns of such an export. Its `id` is that of a judgment, and it names only the
    questions that were judged."""
    return ColumnRoles(
        source_id="source",
        system="system",
        position="position",
        question="question",
        rater="annotator",
        criterion="criterion",
        value="value",
        rating_metadata=tuple(name for name in _ABOUT_RATINGS if name in header),
        crossed=False,
    )


def uncounted(cells: Mapping[str, str]) -> tuple[str, str]:
    """Return the column by which no report counts a row, and the reason; two blanks if it counts."""
    if cells["round"] not in ("", "main"):
        return "round", "The judgment is of a pilot or calibration round."
    if cells["state"] not in ("", "submitted"):
        return "state", "The task was submitted after it had been given to another annotator."
    if cells["excluded"].casefold() == "true":
        return "excluded", "The annotator is excluded from the campaign."
    return "", ""
