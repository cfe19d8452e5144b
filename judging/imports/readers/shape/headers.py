"""The three header rows of Qualtrics: names, texts, and ids of the import. Names such as `Q3_1` are
not informative, so a column is named by its text if that is.

Names such as `Q3_1` say nothing, so a column is named by its text where that says more.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from judging.imports.readers.shape.tables import USUAL_SHARE, Propose, remark, replaced
from judging.imports.readers.tables import AnyTable, Row

_IMPORT_ID = '{"ImportId"'


def without_survey_rows(table: AnyTable, _propose: Propose) -> AnyTable:
    """Return the table of a Qualtrics export under one row of names."""
    first = table.sample()[:2]
    if len(first) < 2:
        return table
    texts, ids = (row.cells for row in first)
    marked = sum(cell.strip().startswith(_IMPORT_ID) for cell in ids)
    if not marked or marked < USUAL_SHARE * len(ids):
        return table
    counts = Counter(_plain(text) for text in texts)
    header = [
        name if counts[_plain(text)] > 1 or _plain(text) in ("", _plain(name)) else text.strip()
        for name, text in zip(table.header, texts, strict=True)
    ]
    if len(set(header)) < len(header):
        header = list(table.header)

    def rows() -> Iterator[Row]:
        yield from islice(table.rows, 2, None)

    reason = (
        "The file has the three header rows of Qualtrics. Columns are named by the texts of the "
        "questions, and the row of import ids is excluded."
    )
    return replaced(table, rows(), header=header, remarks=[remark(reason)])


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
