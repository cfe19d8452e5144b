"""Parquet and Arrow files (Feather 2, IPC), read by pyarrow, the extra `parquet`."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from judging.imports.readers.contract import ALL, Format, proposed
from judging.imports.readers.tables import OpenTable, Parsed, cell_text, shape_rows, shorten
from judging.imports.readers.text import Unreadable

if TYPE_CHECKING:
    import pyarrow

_PARQUET = b"PAR1\x15"
_ARROW_FILE = b"ARROW1\x00"
_ARROW_STREAM = b"\xff\xff\xff\xff"  # as the library `datasets` keeps its files
_NOT_INSTALLED = (
    "This is a Parquet or Arrow file. Install the extra `parquet` (python3 run.py extras parquet), or save the file "
    "as CSV."
)


def open_columnar(data: bytes) -> OpenTable:
    """Return the rows of a Parquet or Arrow file; lists and objects are JSON texts.

    Raises
    ------
    Unreadable
        If pyarrow is not installed, or the file is damaged.
    """
    try:
        import pyarrow
    except ImportError as error:
        raise Unreadable(_NOT_INSTALLED) from error
    pyarrow.set_memory_pool(pyarrow.system_memory_pool())  # other pools reserve too much
    with _damage_named():
        header, batches = _batches(data)
    return shape_rows(_rows(header, batches), header=True)


def _batches(data: bytes) -> tuple[list[str], Iterator["pyarrow.RecordBatch"]]:
    """Return the names of the columns and the pieces of the table."""
    from pyarrow import ipc, parquet

    if data.startswith(_PARQUET):
        file = parquet.ParquetFile(io.BytesIO(data), pre_buffer=False)
        return file.schema_arrow.names, file.iter_batches(use_threads=False)
    if data.startswith(_ARROW_STREAM):
        stream = ipc.open_stream(io.BytesIO(data))
        return stream.schema.names, iter(stream)
    if data.startswith(_ARROW_FILE):
        arrow = ipc.open_file(io.BytesIO(data))
        places = range(arrow.num_record_batches)
        return arrow.schema.names, map(arrow.get_batch, places)
    raise Unreadable("The file is not a Parquet or Arrow file.")


def _rows(header: list[str], batches: Iterator["pyarrow.RecordBatch"]) -> Iterator[Parsed]:
    """Yield the header as row 1, and each row under it."""
    yield 1, header
    number = 1
    with _damage_named():
        for batch in batches:
            columns = [column.to_pylist() for column in batch.columns]
            for values in zip(*columns, strict=True):
                number += 1
                yield number, [cell_text(value) for value in values]


@contextmanager
def _damage_named() -> Iterator[None]:
    """Return a sentence for an error of the reader."""
    from pyarrow import ArrowException

    try:
        yield
    except MemoryError:
        raise
    except (ArrowException, OSError, ValueError) as error:
        raise Unreadable(f"The file is damaged: {shorten(str(error))}. Save it again.") from error


READS = (
    Format(
        key="parquet",
        title="Parquet or Arrow",
        endings=(".parquet", ".arrow", ".feather"),
        is_like=lambda head: head.startswith((_PARQUET, _ARROW_FILE, _ARROW_STREAM)),
        rank=30,
        table=open_columnar,
        propose=proposed,
        is_text=False,
        carries=ALL,
        page="parquet",
    ),
)
