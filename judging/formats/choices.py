"""A researcher's decisions about how a file is matched with its dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

By = Literal["auto", "ids", "texts"]
Unmatched = Literal["", "add", "leave"]
Conflicts = Literal["leave", "refuse"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JoiningChoices:
    """Decisions about matching, and about rows that match nothing or contradict the dataset.

    With `by` "auto" ids are used unless most of them disagree with the texts. `unmatched` blank:
    rows without a match are added if no row of the file matches, else skipped. `similar`: rows are
    also matched by similar texts, except for the questions that are `declined`, as pages show them.
    `systems` maps names of systems in this file, such as letters, to their names in the dataset;
    votes decide about the file's other names that the dataset does not have.
    """

    by: By = "auto"
    similar: bool = True
    declined: Sequence[str] = ()
    unmatched: Unmatched = ""
    conflicts: Conflicts = "leave"
    systems: Mapping[str, str] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain data that JSON can hold."""
        return asdict(self)

    def for_another_file(self) -> "JoiningChoices":
        """Return the same choices for another file, whose rows without a match are its own."""
        return replace(self, unmatched="")


def choices_from(data: Mapping[str, Any]) -> JoiningChoices:
    """Return the choices stored as plain data."""
    return JoiningChoices(**data)
