"""What a table is turned into before its columns get roles: the same steps for every format.

A step takes a table and returns one; it changes nothing where the file is not like that, and else
says what it did in a remark. A user may have each left out.
"""

from collections.abc import Callable, Collection, Mapping

from judging.imports.readers.shape.lists import open_cells
from judging.imports.readers.shape.tables import Propose
from judging.imports.readers.shape.totals import without_totals
from judging.imports.readers.tables import AnyTable
from judging.imports.readers.text import Unreadable

AS_IS = "as_is"  # the option that names the steps to leave out
STEPS: Mapping[str, Callable[[AnyTable, Propose], AnyTable]] = {
    "lists": open_cells,
    "totals": without_totals,
}


def shape(table: AnyTable, propose: Propose, as_is: str | Collection[str] = ()) -> AnyTable:
    """Return the table after every step but those left `as_is`.

    Raises
    ------
    Unreadable
        If `as_is` names no step.
    """
    left = as_is.split(",") if isinstance(as_is, str) else as_is
    if unknown := next((name for name in left if name and name not in STEPS), None):
        raise Unreadable(f"No step is called “{unknown}”; there are {', '.join(STEPS)}.")
    for name, step in STEPS.items():
        if name not in left:
            table = step(table, propose)
    return table
