"""Tables of results: for reading, for pandas, for LaTeX and for programs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from quaestor_stats._result import decimal, p_with_relation, with_zero

P_COLUMNS = ("p", "p_holm", "p_adjusted")
LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%_#${}"}
    | {"\\": r"\textbackslash{}", "−": "$-$", "–": "--", "<": "$<$", "~": r"\textasciitilde{}"}
    | {"^": r"\textasciicircum{}"}
)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Results as rows of named values.

    Attributes
    ----------
    columns : tuple of str
        Names of the columns, in order.
    rows : tuple of dict
        One dict a row; nan if a number is undefined.
    notes : tuple of str
        Sentences to read with the table.
    signature : str
        Every choice that the numbers depend on, in one line.
    keeps_zero : bool
        Whether numbers are on the scale of the ratings, so that text keeps the 0 in 0.21.

    Examples
    --------
    >>> table = ResultTable(("metric", "value"), ({"metric": "bleu", "value": 0.345},))
    >>> print(table)
    metric  value
    bleu    .34
    >>> [row["value"] for row in table]
    [0.345]
    """

    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    signature: str = ""
    keeps_zero: bool = False

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __str__(self) -> str:
        lines = [
            [*self.columns],
            *([self._text(row, name) for name in self.columns] for row in self),
        ]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)
        return "\n".join([*padded, *self.notes])

    def to_frame(self) -> Any:
        """Return a pandas data frame; needs pandas."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), columns=list(self.columns))

    def to_json(self) -> str:
        """Return a JSON document with the rows at full precision, null where undefined."""
        rows = [{name: _plain(row[name]) for name in self.columns} for row in self]
        document = {"rows": rows, "notes": list(self.notes), "signature": self.signature}
        return json.dumps(document, ensure_ascii=False, indent=2)

    def to_latex(self) -> str:
        """Return a LaTeX tabular with booktabs rules."""
        kinds = "".join("r" if self._is_number(name) else "l" for name in self.columns)
        head = " & ".join(map(_latex, self.columns))
        body = [
            " & ".join(_latex(self._text(row, name)) for name in self.columns) + r" \\"
            for row in self
        ]
        lines = [rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", head + r" \\", r"\midrule"]
        return "\n".join([*lines, *body, r"\bottomrule", r"\end{tabular}"])

    def _text(self, row: dict[str, Any], name: str) -> str:
        """Return a value as text: two decimals, a p three."""
        value = row[name]
        if not isinstance(value, float):
            return str(value)
        if isnan(value):
            return "–"
        if name in P_COLUMNS:
            return p_with_relation(value).removeprefix("= ")
        return with_zero(value) if self.keeps_zero else decimal(value)

    def _is_number(self, name: str) -> bool:
        return any(isinstance(row[name], int | float) for row in self)


def table_from_rows(
    rows: Sequence[dict[str, Any]],
    *,
    notes: Sequence[str] = (),
    signature: str = "",
    keeps_zero: bool = False,
) -> ResultTable:
    """Return a table with the columns of its rows."""
    columns = tuple(rows[0]) if rows else ()
    return ResultTable(columns, tuple(rows), tuple(notes), signature, keeps_zero)


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and isnan(value) else value


def _latex(text: str) -> str:
    return text.translate(LATEX)
