"""Nema & Khapra's tab-separated files: a question, its modified version, and several annotators'
ratings of how answerable that is."""

from dataclasses import replace

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.contract import Format, first_line, proposed
from judging.imports.readers.tables import AnyTable, OpenTable, open_delimited

_MODALITIES = {"squad": "document", "wikimovies": "knowledge base", "vqa": "image"}
_BEFORE = {b"gold question", b"original question", b"gold", b"original"}
_AFTER = {b"modified question", b"noised question", b"noisy question", b"noised", b"noisy"}


def open_nema(data: bytes) -> OpenTable:
    """Return the rows; quotation marks are ordinary characters."""
    return open_delimited(data, delimiter="\t", quoted=False, header=True)


def nema_columns(table: AnyTable, name: str) -> ColumnRoles:
    """Return the columns. The file's name contains the dataset's, which decides the modality that
    annotators are shown."""
    modality = next((told for word, told in _MODALITIES.items() if word in name.casefold()), "")
    return replace(proposed(table, name), default_modality=modality)


def _is_like(head: bytes) -> bool:
    """Return whether the header has tabs, a question and its modified version, whatever the other
    columns are called."""
    names = {name.strip(b'" \r').lower() for name in first_line(head).split(b"\t")}
    return bool(names & _BEFORE) and bool(names & _AFTER)


READS = (
    Format(
        key="nema",
        title="Nema & Khapra TSV",
        endings=(".tsv",),
        is_like=_is_like,
        rank=120,
        table=open_nema,
        propose=nema_columns,
        carries=("questions", "references", "ratings", "scores", "metadata"),
        page="nema-khapra",
    ),
)
