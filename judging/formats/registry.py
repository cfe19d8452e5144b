"""The formats that can be read: by which signs one is known, how it is opened, what its columns are."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from judging.formats import doccano, label_studio, mturk, pearmut, potato, squad
from judging.formats.columns import Columns
from judging.formats.guessing import guess
from judging.formats.long import long_columns
from judging.formats.mapping import to_study
from judging.formats.qgstec_xml import read_qgstec
from judging.formats.records import Study, unreadable
from judging.formats.tables import Table, read_delimited, read_jsonl
from judging.formats.text import Unreadable
from judging.formats.workbook import read_workbook

HEAD = 65_536
_SAMPLE = 50
_MODALITIES = {"squad": "document", "wikimovies": "knowledge base", "vqa": "image"}
_LONG = re.compile(rb"source_id,(?:.*,)?system,position,(?:.*,)?question,.*\brater,criterion,value\b")
_HIGHLIGHTED = ("paragraph_question", "paragraph_answer", "paragraph_sentence", "sentence_answer")


class UnknownOption(ValueError):
    """An option that the format does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format. A table has columns, which the researcher may map otherwise than proposed; the others are read whole.

    `is_like` is asked about a file's first bytes, without mark and blanks. `options` name what may be declared about
    how it is opened.
    """

    key: str
    title: str
    endings: tuple[str, ...]
    is_like: Callable[[bytes], bool]
    table: Callable[..., Table] | None = None
    propose: Callable[[Table, str], Columns] | None = None
    study: Callable[..., Study] | None = None
    options: tuple[str, ...] = ()

    def open(self, data: bytes, options: Mapping[str, Any] | None = None) -> Table:
        """Return the file's rows.

        Raises
        ------
        Unreadable
            Where there are none.
        """
        if self.table is None:
            raise Unreadable(f"{self.title} is no table.")
        return self.table(data, **self._checked(options))

    def columns(self, table: Table, name: str = "") -> Columns:
        """Return the proposed columns; the file's name may tell what the file does not."""
        if self.propose is None:
            raise Unreadable(f"{self.title} is no table.")
        return self.propose(table, PurePath(name).stem)

    def read(
        self, data: bytes, *, name: str = "", columns: Columns | None = None, options: Mapping[str, Any] | None = None
    ) -> Study:
        """Return what the file says; a file that cannot be read is a study with the reason and nothing else.

        Raises
        ------
        BadColumns, UnknownOption
            Where what the caller declares does not fit.
        """
        return self.study_of(self.take(data, options), name=name, columns=columns)

    def take(self, data: bytes, options: Mapping[str, Any] | None = None) -> Table | Study:
        """Return the file's rows, or its study where it is no table or cannot be read."""
        try:
            return self.open(data, options) if self.study is None else self.study(data, **self._checked(options))
        except Unreadable as refusal:
            return unreadable(refusal.reason, row=refusal.row)

    def study_of(self, taken: Table | Study, *, name: str = "", columns: Columns | None = None) -> Study:
        """Return what was taken as a study."""
        if isinstance(taken, Study):
            return taken
        return to_study(taken, columns or self.columns(taken, name))

    def _checked(self, options: Mapping[str, Any] | None) -> Mapping[str, Any]:
        for option in options or {}:
            if option not in self.options:
                raise UnknownOption(f"{self.title} has no option “{option}”.")
        return options or {}


def sniff(name: str, data: bytes) -> Format:
    """Return the format that a file is most likely in, by its first bytes, else by its name; CSV if nothing tells."""
    head = data[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    ending = PurePath(name).suffix.lower()
    if found := next((each for each in FORMATS if each.is_like(head)), None):
        return found
    return next((each for each in reversed(FORMATS) if ending in each.endings), FORMAT["csv"])


def _guess(table: Table, _name: str) -> Columns:
    return guess(table.header, [row.cells for row in table.rows[:_SAMPLE]])


def _dataset(table: Table, name: str) -> Columns:
    """The questions of a dataset are human; its copies of the text with marks in them say nothing new."""
    columns = _guess(table, name)
    return replace(
        columns, default_system="human", metadata=tuple(each for each in columns.metadata if each not in _HIGHLIGHTED)
    )


def _nema(table: Table, name: str) -> Columns:
    """The files are named after the dataset; which modality that is, annotators are told."""
    modality = next((told for word, told in _MODALITIES.items() if word in name.casefold()), "")
    return replace(_guess(table, name), default_modality=modality)


def _unquoted(data: bytes) -> Table:
    return read_delimited(data, delimiter="\t", quoted=False)


def _first_line(head: bytes) -> bytes:
    return head.partition(b"\n")[0]


def _is_object(head: bytes, *words: bytes) -> bool:
    return head.startswith(b"{") and all(b'"' + word + b'"' in head for word in words)


def _is_dataset(head: bytes) -> bool:
    known = _is_object(_first_line(head), b"paragraph", b"sentence", b"answer", b"question")
    return known and b'"prediction"' not in head and b'"model"' not in head


def _is_doccano(head: bytes) -> bool:
    return _is_object(head, b"text") and any(b'"' + word + b'"' in head for word in (b"label", b"labels", b"cats"))


def _is_potato(head: bytes) -> bool:
    return b'"label_annotations"' in head or (b"displayed_text" in _first_line(head) and b":::" in _first_line(head))


# From the particular to the general: the first whose signs a file bears is taken, by name the last.
FORMATS = (
    Format(
        key="long_csv",
        title="Judgments in long form, as exported here",
        endings=(".csv",),
        is_like=lambda head: _LONG.match(_first_line(head)) is not None,
        table=read_delimited,
        propose=lambda table, _name: long_columns(table),
    ),
    Format(
        key="qgstec_xml",
        title="QG-STEC Task B XML",
        endings=(".xml",),
        is_like=lambda head: head.startswith(b"<"),
        study=read_qgstec,
        options=("expected",),
    ),
    Format(
        key="xlsx",
        title="Workbook (.xlsx)",
        endings=(".xlsx",),
        is_like=lambda head: head.startswith(b"PK\x03\x04"),
        table=read_workbook,
        propose=_guess,
        options=("sheet",),
    ),
    Format(
        key="squad",
        title="SQuAD JSON",
        endings=(".json",),
        is_like=lambda head: _is_object(head, b"data", b"paragraphs") or _is_object(head, b"data", b"qas"),
        table=squad.read_squad,
        propose=lambda _table, _name: squad.COLUMNS,
    ),
    Format(
        key="pearmut",
        title="Pearmut log",
        endings=(".jsonl",),
        is_like=lambda head: _is_object(head, b"annotation", b"actions") or _is_object(head, b"annotation", b"item"),
        table=pearmut.read_pearmut,
        propose=lambda table, _name: pearmut.pearmut_columns(table),
    ),
    Format(
        key="potato",
        title="Potato annotated instances",
        endings=(".jsonl",),
        is_like=_is_potato,
        table=potato.read_potato,
        propose=lambda table, name: potato.potato_columns(table, rater=name or "potato"),
    ),
    Format(
        key="qgbench_jsonl",
        title="QG-Bench JSON Lines",
        endings=(".jsonl",),
        is_like=_is_dataset,
        table=read_jsonl,
        propose=_dataset,
    ),
    Format(
        key="doccano",
        title="doccano JSON Lines",
        endings=(".jsonl",),
        is_like=_is_doccano,
        table=doccano.read_doccano,
        propose=lambda table, name: doccano.doccano_columns(table, rater=name or "doccano"),
    ),
    Format(
        key="label_studio",
        title="Label Studio JSON, or a JSON list of objects",
        endings=(".json",),
        is_like=lambda head: head.startswith(b"["),
        table=label_studio.read_label_studio,
        propose=lambda table, _name: label_studio.label_studio_columns(table),
    ),
    Format(
        key="jsonl",
        title="JSON Lines",
        endings=(".jsonl", ".ndjson", ".json"),
        is_like=lambda head: head.startswith(b"{"),
        table=read_jsonl,
        propose=_guess,
    ),
    Format(
        key="mturk",
        title="MTurk batch results",
        endings=(".csv",),
        is_like=lambda head: b"WorkerId" in _first_line(head) and b"Input." in _first_line(head),
        table=mturk.read_mturk,
        propose=lambda table, _name: mturk.mturk_columns(table),
        options=("slots_are",),
    ),
    Format(
        key="nema",
        title="Nema & Khapra TSV",
        endings=(".tsv",),
        is_like=lambda head: b"Gold Question\tModified Question" in _first_line(head),
        table=_unquoted,
        propose=_nema,
    ),
    Format(
        key="csv",
        title="CSV or TSV",
        endings=(".csv", ".tsv", ".txt"),
        is_like=lambda _head: False,
        table=read_delimited,
        propose=_guess,
        options=("delimiter", "quoted"),
    ),
)
FORMAT = {each.key: each for each in FORMATS}
