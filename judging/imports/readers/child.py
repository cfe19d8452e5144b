"""The process that reads one file under limits (see `limited`): the request and the file arrive on
its standard input, lines leave on its standard output. It has no database, no settings and no
secrets except the key it is given.
"""

import contextlib
import gc
import json
import resource
import signal
import sys
from collections.abc import Iterator
from typing import Any, NoReturn

from judging.imports.readers.columns import BadColumns, columns_from
from judging.imports.readers.outline import heading, outline
from judging.imports.readers.packing import pack, pack_table
from judging.imports.readers.pseudonyms import Pseudonyms
from judging.imports.readers.records import StudyRecords, unreadable
from judging.imports.readers.registry import FORMAT, sniff
from judging.imports.readers.screening import screen_from
from judging.imports.readers.tables import OpenTable, shorten
from judging.imports.readers.text import Unreadable
from judging.imports.readers.unpacking import unpack_file

GRACE = 5  # seconds of processor time between the request to stop and the kill
_EVERY = 5_000  # rows between two reports of progress
_BALLAST = 2_000_000  # bytes reserved, and freed when memory runs out


class _OutOfTime(BaseException):
    """The processor time is used up."""


def main() -> None:
    """Read the request and the file, and write the contents, or why the file cannot be read."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    _limit(memory=request["memory"], seconds=request["seconds"])
    gc.disable()  # records have no cycles, and scanning a million of them costs a sixth of the time
    ballast = bytearray(_BALLAST)
    answer: dict[str, Any] = {}
    try:
        for line in _read(request, sys.stdin.buffer.read()):
            _write(line)
    except Unreadable as refusal:
        answer = {"refused": refusal.reason, "row": refusal.row}
    except MemoryError:
        answer = {"limit": "memory"}
    except _OutOfTime:
        answer = {"limit": "time"}
    except RecursionError:
        answer = {"refused": "The data in the file are nested too deeply.", "row": 0}
    except BrokenPipeError:
        return
    del ballast
    _write(json.dumps(answer or {"end": True}))
    sys.stdout.flush()


def _limit(*, memory: int, seconds: int) -> None:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end when the process that asked has ended
    signal.signal(signal.SIGXCPU, _stop)
    with contextlib.suppress(ValueError, OSError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + GRACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise _OutOfTime


def _read(request: dict[str, Any], data: bytes) -> Iterator[str]:
    name, data = unpack_file(request["name"], data)
    known = FORMAT.get(request["format"]) or sniff(name, data)
    key = Pseudonyms(bytes.fromhex(request["key"])) if request["key"] else None
    options = {name: value for name, value in request["options"].items() if name in known.options}
    if request["wanted"] == "outline":
        found = outline(
            data=data,
            known=known,
            name=name,
            options=options,
            pseudonyms=key,
            progress=_progress,
        )
        yield json.dumps({"outline": found.as_json()})
    elif request["wanted"] == "heading":
        found = heading(data=data, known=known, options=options)
        yield json.dumps({"outline": found.as_json()})
    elif request["wanted"] == "rows":
        rows = known.opened(data, options)
        del data
        if isinstance(rows, StudyRecords):
            raise Unreadable(f"{known.title} is no table.")
        if isinstance(rows, OpenTable):
            rows.tell(_progress, every=_EVERY)
        yield from pack_table(rows)
    else:
        columns = columns_from(request["columns"]) if request["columns"] else None
        taken = known.take(data, options, key)
        del data  # as large as everything that was read from it
        if isinstance(taken, OpenTable):
            taken.tell(_progress, every=_EVERY)
        try:
            screen = screen_from(request["screen"]) if request["screen"] else None
            study = known.study_of(
                taken, name=name, columns=columns, screen=screen, left_out=_left_out
            )
        except BadColumns as error:
            study = unreadable(str(error))
        yield from pack(study)
    yield json.dumps({"keys": dict(key.table) if key else {}})


def _progress(rows: int) -> None:
    _write(json.dumps({"progress": rows}))
    sys.stdout.flush()


def _left_out(row: int, what: str) -> None:
    _write(json.dumps({"left_out": [row, shorten(what)]}))


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    main()
