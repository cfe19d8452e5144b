"""Reading a file in a process of its own, under limits of memory and time.

The reading process contains whatever a file does to its reader; the caller receives its contents or
a sentence. The process never outlives its caller: it is killed when the call ends in any way or, if
the caller itself was killed, ends at the first line that it cannot write. The interface is that of
a plain function. POSIX only: the limits are those of `setrlimit`.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judging.imports.readers.columns import ColumnRoles
from judging.imports.readers.outline import Outline, TellRows, outline_from
from judging.imports.readers.packing import TextsTooLong, unpack, unpack_table
from judging.imports.readers.records import StudyRecords, unreadable
from judging.imports.readers.screening import Screen, TellLeftOut
from judging.imports.readers.tables import OpenTable
from judging.imports.readers.text import Unreadable

_SENTENCES = {
    "memory": "Reading the file takes more than {memory:,} MB of memory; split it.",
    "time": "Reading the file takes more than {seconds:,} seconds; split it.",
    "texts": "The texts in the file have more than {texts:,} million characters; split it.",
    "killed": "The process that read the file was killed, perhaps because the machine ran out of memory. Try again, or "
    "split it.",
}
_HOME = Path(__file__).resolve().parents[3]
_GROWTH = 8  # allowed growth of the texts over the file's bytes; CSV takes about three times
_KEPT_ENVIRONMENT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one reading: bytes of memory, seconds of processor time, seconds by the clock,
    and characters of the texts returned, because a workbook of 30 KB may hold gigabytes."""

    memory: int = 1_000_000_000
    texts: int = 400_000_000
    seconds: int = 120
    patience: int = 900


class ReaderFailed(RuntimeError):
    """The reading process ended without an answer, by a fault of ours, not of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A file and how it is to be read; blank settings are detected. `key` is the secret key of
    pseudonyms.

    Rows that the screen rejects are reported to `left_out` and are not in the study.
    """

    data: bytes = field(repr=False)
    name: str = ""
    format: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    columns: ColumnRoles | None = None
    key: bytes = field(default=b"", repr=False)
    screen: Screen | None = field(default=None, repr=False)
    left_out: TellLeftOut = lambda row, what: None


def outline_of(
    request: Request, *, limits: Limits | None = None, progress: TellRows = lambda rows: None
) -> tuple[Outline, Mapping[str, str]]:
    """Return what the file holds, and the ids that were replaced by labels.

    Raises
    ------
    Unreadable
        If the file cannot be read, or not within the limits.
    ReaderFailed
        If the process ended by itself.
    """
    keys: dict[str, str] = {}
    found = ""
    for line in _answers("outline", request, limits or Limits(), progress, keys):
        found = json.loads(line)["outline"]
    return outline_from(found), keys


def heading_of(request: Request) -> Outline:
    """Return the format, the header and the sheets of a file; Unreadable and ReaderFailed as in
    `outline_of`."""
    return outline_from(
        "".join(
            json.loads(line)["outline"]
            for line in _answers("heading", request, Limits(), lambda rows: None, {})
        )
    )


def study_of(
    request: Request, *, limits: Limits | None = None, progress: TellRows = lambda rows: None
) -> tuple[StudyRecords, Mapping[str, str]]:
    """Return the study in the file, and the ids that were replaced by labels; if the file cannot be
    read, or not within the limits, return a study with only the reason. ReaderFailed as in
    `outline_of`."""
    keys: dict[str, str] = {}
    limits = limits or Limits()
    try:
        try:
            answers = _answers("study", request, limits, progress, keys)
            # a normal file grows a little as it is read, and a large one may
            own = _GROWTH * len(request.data)
            return unpack(answers, most=max(limits.texts, own)), keys
        except TextsTooLong:
            raise _limit_hit("texts", limits.seconds, limits) from None
    except Unreadable as refusal:
        return unreadable(refusal.reason, row=refusal.row), {}


def table_of(
    request: Request, *, limits: Limits | None = None, progress: TellRows = lambda rows: None
) -> OpenTable:
    """Return the rows of a table lazily, every cell as written: for files that name no annotators.

    Unreadable and ReaderFailed, as in `outline_of`, may be raised until the last row.
    """
    return unpack_table(_answers("rows", request, limits or Limits(), progress, {}))


def _answers(
    wanted: str, request: Request, limits: Limits, progress: TellRows, keys: dict[str, str]
) -> Iterator[str]:
    """Yield the lines of the answer; reports of progress go to `progress`, which may raise to stop
    the reading."""
    begun = time.monotonic()
    with _reading(limits) as (process, too_long):
        _send(process, wanted, request, limits)
        for line in _lines(process):
            said = {} if line.startswith("[") else json.loads(line)
            if not said or "outline" in said:
                yield line
            elif "progress" in said:
                progress(said["progress"])
            elif "left_out" in said:
                request.left_out(*said["left_out"])
            elif "keys" in said:
                keys.update(said["keys"])
            elif "end" in said:
                return
            else:
                raise _refusal(said, limits)
        code, spent = process.wait(), time.monotonic() - begun
        raise _unfinished(code, too_long.is_set(), spent, limits)


def _start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        # -P: a command runs in the folder of a user's file, which may also hold Python modules
        [sys.executable, "-P", "-m", "judging.imports.readers.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )


@contextmanager
def _reading(limits: Limits) -> Iterator[tuple["subprocess.Popen[bytes]", threading.Event]]:
    """Start the process, and end it when the caller is done or the time limit is over."""
    process = _start()
    too_long = threading.Event()
    timer = threading.Timer(limits.patience, _end, (process, too_long))
    timer.daemon = True
    timer.start()
    try:
        yield process, too_long
    finally:
        timer.cancel()
        process.kill()
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError, ValueError):
                if pipe:
                    pipe.close()
        process.wait()


def _lines(process: "subprocess.Popen[bytes]") -> Iterator[str]:
    for line in process.stdout or ():
        if not line.endswith(b"\n"):
            return  # it was stopped while it wrote this line; its exit status says why
        yield line.decode()


def _environment() -> dict[str, str]:
    """Return what the process needs to find our code and plug-ins, and none of our secrets."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    return kept | {
        "PYTHONPATH": os.pathsep.join([str(_HOME), *filter(None, sys.path)]),
        "PYTHONUTF8": "1",
    }


def _send(
    process: "subprocess.Popen[bytes]", wanted: str, request: Request, limits: Limits
) -> None:
    head = {
        "wanted": wanted,
        "name": request.name,
        "format": request.format,
        "options": dict(request.options),
        "columns": None if request.columns is None else request.columns.as_dict(),
        "key": request.key.hex(),
        "screen": request.screen.as_dict() if request.screen else None,
        "memory": limits.memory,
        "seconds": limits.seconds,
    }
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    with suppress(BrokenPipeError):  # it has ended already; its output or exit status says why
        process.stdin.write(json.dumps(head).encode() + b"\n")
        process.stdin.write(request.data)
        process.stdin.close()


def _end(process: "subprocess.Popen[bytes]", too_long: threading.Event) -> None:
    too_long.set()
    process.kill()


def _refusal(said: Mapping[str, Any], limits: Limits) -> Unreadable:
    if "limit" in said:
        return _limit_hit(said["limit"], limits.seconds, limits)
    return Unreadable(said["refused"], row=said["row"])


def _unfinished(code: int, too_long: bool, spent: float, limits: Limits) -> Exception:
    """Return the error for a missing answer: a signal for a limit, sent by the system or by us, or
    a fault.

    The system also kills a process that has used up its processor time; it cannot have done so
    before that many seconds have passed on the clock.
    """
    if too_long:
        return _limit_hit("time", limits.patience, limits)
    if code == -9 and spent < limits.seconds:
        return _limit_hit("killed", limits.seconds, limits)
    if code in (-9, -24):
        return _limit_hit("time", limits.seconds, limits)
    if code < 0:
        return _limit_hit("memory", limits.seconds, limits)
    return ReaderFailed(
        f"The process that reads files ended with code {code} and without an answer."
    )


def _limit_hit(which: str, seconds: int, limits: Limits) -> Unreadable:
    return Unreadable(
        _SENTENCES[which].format(
            memory=limits.memory // 1_000_000,
            texts=limits.texts // 1_000_000,
            seconds=seconds,
        )
    )
