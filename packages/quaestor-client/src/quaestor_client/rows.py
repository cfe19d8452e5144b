"""Tables and lists: as rows, as HTML in a notebook, as DataFrames and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

if TYPE_CHECKING:
    import datasets
    import pandas as pd

Row = TypeVar("Row", covariant=True)
MAX_SHOWN_ROWS = 20
MAX_SHOWN_CHARACTERS = 100  # of a cell


class Table(Generic[Row]):
    """Rows that become a DataFrame or a file."""

    def __iter__(self) -> Iterator[Row]:
        raise NotImplementedError

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame. This needs pandas."""
        import pandas

        return pandas.DataFrame([data_of(row) for row in self])

    def to_csv(self, path: str | Path) -> Path:
        """Write the rows to a CSV file and return its path. This needs pandas."""
        self.to_pandas().to_csv(path, index=False)
        return Path(path)

    def to_parquet(self, path: str | Path) -> Path:
        """Write the rows to a Parquet file and return its path. This needs the extra `parquet`."""
        self.to_pandas().to_parquet(path, index=False)
        return Path(path)

    def to_datasets(self) -> datasets.Dataset:
        """Return the rows as a dataset of Hugging Face. This needs the extra `datasets`."""
        import datasets

        return datasets.Dataset.from_pandas(self.to_pandas(), preserve_index=False)

    def _repr_html_(self) -> str:
        shown = list(islice(self, MAX_SHOWN_ROWS + 1))
        more = "<p>…</p>" if len(shown) > MAX_SHOWN_ROWS else ""
        return html_table([data_of(row) for row in shown[:MAX_SHOWN_ROWS]]) + more


class Rows(Table[Row], Sequence[Row]):
    """A list whose pages are read as they are needed; `len` reads all of them."""

    def __init__(self, rows: Iterable[Row]):
        self._loaded: list[Row] = []
        self._coming = iter(rows)

    def _load(self, count: int | None = None) -> list[Row]:
        """Return the rows read so far, which are at least `count` if there are as many; all rows by
        default."""
        missing = None if count is None else max(0, count - len(self._loaded))
        self._loaded += islice(self._coming, missing)
        return self._loaded

    def __iter__(self) -> Iterator[Row]:
        place = 0
        while place < len(self._load(place + 1)):
            yield self._loaded[place]
            place += 1

    def __len__(self) -> int:
        return len(self._load())

    def __bool__(self) -> bool:
        return bool(self._load(1))

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        is_near_start = isinstance(place, int) and place >= 0
        return self._load(place + 1 if is_near_start else None)[place]  # type: ignore[operator]

    def __repr__(self) -> str:
        shown = self._load(MAX_SHOWN_ROWS + 1)
        rows = [repr(row) for row in shown[:MAX_SHOWN_ROWS]]
        return f"[{', '.join([*rows, '...'] if len(shown) > len(rows) else rows)}]"


def data_of(row: Any) -> Mapping[str, Any]:
    """Return the fields of a row, which may be an object of this package."""
    fields: Mapping[str, Any] = getattr(row, "data", row)
    return fields


def html_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as a table in HTML, with a column for each field of any row."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(str(name))}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(row.get(name))}</td>' for name in names)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    text = "" if value is None else str(value)
    is_long = len(text) > MAX_SHOWN_CHARACTERS
    return escape(f"{text[: MAX_SHOWN_CHARACTERS - 1]}…" if is_long else text)
