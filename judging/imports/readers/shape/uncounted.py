"""Rows of our own API's export of judgments that no report counts."""

from collections.abc import Iterator

from judging.imports.readers.api_judgments import API_COLUMNS, is_api_export, uncounted
from judging.imports.readers.records import Problem
from judging.imports.readers.shape.tables import replaced
from judging.imports.readers.tables import AnyTable, Row


def without_uncounted(table: AnyTable) -> AnyTable:
    """Return the table of an export with a problem in place of each row that no report counts;
    return any other table unchanged."""
    if not is_api_export(table.header):
        return table
    place = {name: table.header.index(name) for name in API_COLUMNS}

    def rows() -> Iterator[Row | Problem]:
        for row in table.rows:
            cells = {name: row.cells[number].strip() for name, number in place.items()}
            column, reason = uncounted(cells)
            if reason:
                yield Problem(row=row.number, column=column, value=cells[column], reason=reason)
            else:
                yield row

    return replaced(table, rows())
