"""The definition of a recipe: one module of `judging.formats.recipes`, or of an installed plug-in,
with a tuple `RECIPES`.

A recipe recognises the export of a program and makes a frame of it, to which everything later
applies as to any table: the mapping can be changed, and the check asks what it asks of every file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from judging.formats.frames import Opened

if TYPE_CHECKING:
    import pandas as pd

Carried = Literal[
    "questions", "references", "answers", "ratings", "scores", "notes", "marks", "metadata"
]
ALL: tuple[Carried, ...] = get_args(Carried)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The export of one program.

    `recognises` is asked about every opened file, special recipes (a low `rank`) first. `frame`
    makes the table, or raises Unreadable. `propose` returns fields of the `Mapping` for that table,
    with the columns that the recipe knows; those it leaves open are proposed as in any other table.
    `carries` says what such a file can hold, `writes` that Quaestor writes it too, `page` is its
    page of docs/formats.
    """

    key: str
    title: str
    recognises: Callable[[Opened], bool]
    frame: Callable[[Opened], "pd.DataFrame"]
    propose: Callable[["pd.DataFrame"], dict[str, Any]] = lambda frame: {}
    rank: int = 0
    carries: tuple[Carried, ...] = ()
    writes: bool = False
    page: str = ""
