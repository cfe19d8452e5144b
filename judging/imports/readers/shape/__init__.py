"""Changes made to a table before its columns get roles: the same steps for every format.

A step takes a table and returns one; if the table does not need it, it changes nothing, and
otherwise describes the change in a remark. A user may skip each step.
"""

from collections.abc import Callable, Collection, Mapping

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.shape.headers import without_survey_rows
from judging.imports.readers.shape.lists import open_cells
from judging.imports.readers.shape.melting import melt
from judging.imports.readers.shape.percent import without_percent_signs
from judging.imports.readers.shape.sets import open_sets
from judging.imports.readers.shape.sheets import name_sheets
from judging.imports.readers.shape.surveys import open_survey
from judging.imports.readers.shape.tables import Propose
from judging.imports.readers.shape.tokens import count_tokens, remove_tokens
from judging.imports.readers.shape.totals import without_totals
from judging.imports.readers.shape.uncounted import without_uncounted
from judging.imports.readers.tables import AnyTable
from judging.imports.readers.text import Unreadable

# Options of the user: the steps to skip, and whether special tokens are removed
SHAPE_OPTIONS = ("as_is", "special_tokens")
STEPS: Mapping[str, Callable[[AnyTable, Propose], AnyTable]] = {
    "header": without_survey_rows,
    "survey": open_survey,
    "sheets": name_sheets,
    "lists": open_cells,
    "totals": without_totals,
    "melt": melt,
    "percent": without_percent_signs,
    "sets": open_sets,
}


def shape(
    table: AnyTable,
    propose: Propose,
    *,
    as_is: str | Collection[str] = (),
    special_tokens: bool = False,
) -> AnyTable:
    """Return the table after every step but those left `as_is`, without special tokens if these are
    to be removed.

    Raises
    ------
    Unreadable
        If `as_is` names no step.
    """
    left = as_is.split(",") if isinstance(as_is, str) else as_is
    if unknown := next((name for name in left if name and name not in STEPS), None):
        raise Unreadable(f"No step is called “{unknown}”; there are {', '.join(STEPS)}.")
    propose = _once_a_table(propose)
    table = without_uncounted(table)
    for name, step in STEPS.items():
        if name not in left:
            table = step(table, propose)
    return remove_tokens(table, propose) if special_tokens else count_tokens(table, propose)


def _once_a_table(propose: Propose) -> Propose:
    """Return a function that proposes the roles of a table only once: that takes long for thousands
    of columns."""
    known: list[tuple[AnyTable, ColumnRoles]] = []

    def propose_once(table: AnyTable) -> ColumnRoles:
        if not known or known[-1][0] is not table:
            known.append((table, propose(table)))
        return known[-1][1]

    return propose_once
