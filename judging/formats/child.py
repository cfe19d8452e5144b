"""Reading a file in a process of its own, under limits of memory and time.

The process contains whatever a file does to its reader; the caller receives plain data or a
sentence. It is killed when the call ends in any way; if the caller itself was killed, it ends at the
first line that it cannot write. It has no database, no settings, and no secret but the key of
pseudonyms. POSIX only: the limits are those of `setrlimit`.

The request is a line of JSON followed by the bytes of the file; the answer is lines of JSON. Only
the process itself imports pandas.
"""

import gc
import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

from judging.formats.frames import Problem, Study, Unreadable
from judging.formats.mapping import Mapping

FRAMES = ("sources", "questions", "ratings", "scores", "notes")
MAX_LINE_VALUES = 50_000  # of a column, or cells of a table, in one line
GRACE_SECONDS = 5  # of processor time between the request to stop and the kill
BALLAST_BYTES = 2_000_000  # reserved, and freed when memory runs out
MAX_TEXT_GROWTH = 8  # of the answer over the bytes of the file; CSV takes about three times
_SENTENCES = {
    "memory": "Reading the file takes more than {memory:,} MB of memory; split it.",
    "time": "Reading the file takes more than {seconds:,} seconds; split it.",
    "texts": "The texts in the file have more than {texts:,} million characters; split it.",
    "killed": "The process that read the file was killed, perhaps because the machine ran out of memory. Try again, or "
    "split it.",
}
_HOME = Path(__file__).resolve().parents[2]
_KEPT_ENVIRONMENT = (
    *("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT", "TMPDIR"),
    "PYTHONPYCACHEPREFIX",
)
# Threads of libraries reserve address space, which the limit counts
_FEW_THREADS = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of one reading: bytes of address space, of which the libraries take 300 MB; seconds
    of processor time; seconds by the clock; and characters of the answer, because a workbook of
    30 KB may hold gigabytes."""

    memory: int = 1_300_000_000
    texts: int = 400_000_000
    seconds: int = 120
    patience: int = 900


class ReaderFailed(RuntimeError):
    """The reading process ended without an answer, by a fault of ours, not of the file."""


class _OutOfTime(BaseException):
    """The processor time is used up."""


def preview_in_child(
    *,
    name: str,
    data: bytes,
    mapping: Mapping | None,
    key: bytes,
    known: dict[str, Any] | None = None,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return what the page of a file shows. `known` is what the dataset tells of a further file (see
    `propose.KnownDataset`).

    Raises
    ------
    Unreadable
        If the file cannot be read, or not within the limits.
    ReaderFailed
        If the process ended by itself.
    """
    shown: dict[str, Any] = {}
    request = {**_request("preview", name, mapping, key), "known": known}
    for line in _answers(request, data, limits, progress):
        shown |= line
    shown.pop("keys", None)
    return shown


def keys(*, name: str, data: bytes, mapping: Mapping, key: bytes) -> dict[str, str]:
    """Return the ids of external annotators in a file by their labels; errors as in `preview`."""
    found: dict[str, str] = {}
    for line in _answers(_request("preview", name, mapping, key), data):
        found |= line.get("keys", {})
    return found


def read_study_in_child(
    *,
    name: str,
    data: bytes,
    mapping: Mapping | None,
    key: bytes,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Return the study in a file as plain columns, for `study_from`; errors as in `preview`."""
    frames: dict[str, dict[str, list[Any]]] = {frame: {} for frame in FRAMES}
    plain: dict[str, Any] = {"frames": frames}
    pool: dict[str, str] = {}  # equal texts are kept once
    for line in _answers(_request("study", name, mapping, key), data, limits, progress):
        if "frame" not in line:
            plain |= line
            continue
        values = (pool.setdefault(v, v) if isinstance(v, str) else v for v in line["values"])
        frames[line["frame"]].setdefault(line["column"], []).extend(values)
    return plain


def study_from(plain: dict[str, Any]) -> Study:
    """Return the study in plain columns, as frames."""
    import pandas as pd

    parts: dict[str, Any]
    parts = {name: pd.DataFrame(plain["frames"].pop(name), dtype=object) for name in FRAMES}
    parts["problems"] = [
        Problem(**{**each, "choices": tuple(each["choices"])}) for each in plain["problems"]
    ]
    for name in ("expected", "lost"):
        parts[name] = {(one, other): count for one, other, count in plain[name]}
    return Study(**parts, rows_read=plain["rows_read"], rows_kept=plain["rows_kept"])


def read_table_in_child(
    *, name: str, data: bytes, mapping: Mapping | None, limits: Limits | None = None
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the header of a table, and its rows with their numbers as they arrive, every cell as
    written. Errors as in `preview` may be raised until the last row."""
    lines = _answers(_request("table", name, mapping, b""), data, limits)
    header: list[str] = next(lines)["header"]
    return header, ((number, cells) for line in lines for number, cells in line["rows"])


def _request(wanted: str, name: str, mapping: Mapping | None, key: bytes) -> dict[str, Any]:
    plain = mapping.as_data() if mapping else {}
    return {"wanted": wanted, "name": name, "mapping": plain, "key": key.hex()}


def _answers(
    request: dict[str, Any],
    data: bytes,
    limits: Limits | None = None,
    progress: Progress | None = None,
) -> Iterator[dict[str, Any]]:
    """Yield the lines of the answer; `progress` receives the number of rows, and may raise to stop
    the reading."""
    limits, begun = limits or Limits(), time.monotonic()
    with _reading(limits) as (process, too_long):
        assert process.stdin is not None  # noqa: S101  # it is a pipe
        with suppress(BrokenPipeError):  # it has ended already; its answer or status says why
            process.stdin.write(json.dumps(request | asdict(limits)).encode() + b"\n")
            process.stdin.write(data)
            process.stdin.close()
        for found in _lines_from(process, limits, max(limits.texts, MAX_TEXT_GROWTH * len(data))):
            if "end" in found:
                return
            if "progress" not in found:
                yield found
            elif progress:
                progress(found["progress"])
        code, spent = process.wait(), time.monotonic() - begun
        raise _unfinished(code, too_long.is_set(), spent, limits)


def _lines_from(
    process: "subprocess.Popen[bytes]", limits: Limits, most: int
) -> Iterator[dict[str, Any]]:
    """Yield the lines that the process writes, at most this long together, unless it refuses the
    file or hits a limit."""
    length = 0
    for line in process.stdout or ():
        length += len(line)
        if not line.endswith(b"\n"):
            return  # it was stopped while it wrote this line
        found = json.loads(line)
        if length > most:
            raise _limit_hit("texts", limits)
        if "limit" in found:
            raise _limit_hit(found["limit"], limits)
        if "refused" in found:
            raise Unreadable(found["refused"], row=found["row"])
        yield found


def _start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        # -P: a command runs in the folder of a user's file, which may also hold Python modules
        [sys.executable, "-P", "-m", "judging.formats.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=_environment(),
    )


@contextmanager
def _reading(limits: Limits) -> Iterator[tuple["subprocess.Popen[bytes]", threading.Event]]:
    """Start the process, and end it when the caller is done or the time limit is over."""
    process, too_long = _start(), threading.Event()

    def end() -> None:
        too_long.set()
        process.kill()

    timer = threading.Timer(limits.patience, end)
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


def _environment() -> dict[str, str]:
    """Return what the process needs to find our code and plug-ins, and none of our secrets."""
    kept = {name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ}
    path = os.pathsep.join([str(_HOME), *filter(None, sys.path)])
    return kept | _FEW_THREADS | {"PYTHONPATH": path, "PYTHONUTF8": "1"}


def _unfinished(code: int, too_long: bool, spent: float, limits: Limits) -> Exception:
    """Return the error for a missing answer: a signal for a limit, sent by the system or by us, or
    a fault.

    The system also kills a process that has used up its processor time; it cannot have done so
    before that many seconds have passed on the clock.
    """
    if too_long:
        return _limit_hit("time", limits, limits.patience)
    if code == -signal.SIGKILL and spent < limits.seconds:
        return _limit_hit("killed", limits)
    if code in (-signal.SIGKILL, -signal.SIGXCPU):
        return _limit_hit("time", limits)
    if code < 0:
        return _limit_hit("memory", limits)
    return ReaderFailed(f"The process that reads files ended with code {code} and no answer.")


def _limit_hit(which: str, limits: Limits, seconds: int = 0) -> Unreadable:
    return Unreadable(
        _SENTENCES[which].format(
            memory=limits.memory // 1_000_000,
            texts=limits.texts // 1_000_000,
            seconds=seconds or limits.seconds,
        )
    )


def main() -> None:
    """Read the request and the file, and write the contents, or why the file cannot be read."""
    request: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    import judging.formats.pipeline  # noqa: F401  # before the limits: its size is no fault of a file

    gc.disable()  # rows have no cycles, and scanning a million of them takes long
    ballast = bytearray(BALLAST_BYTES)
    _limit(request["memory"], request["seconds"])
    answer: dict[str, Any] = {"end": True}
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
    del ballast
    _write(answer)
    sys.stdout.flush()


def _limit(memory: int, seconds: int) -> None:
    def stop(_signal: int, _frame: object) -> NoReturn:
        raise _OutOfTime

    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # end when the process that asked has ended
    signal.signal(signal.SIGXCPU, stop)
    with suppress(ValueError, OSError):  # some systems have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + GRACE_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(request: dict[str, Any], data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the contents of the file as the lines of the answer."""
    from judging.formats import open as opening
    from judging.formats import pipeline, shape
    from judging.formats.propose import KnownDataset
    from judging.formats.pseudonyms import Pseudonyms

    opening.report = _progress
    name, mapping = request["name"], Mapping.model_validate(request["mapping"])
    key = Pseudonyms(bytes.fromhex(request["key"])) if request["key"] else None
    if request["wanted"] == "preview":
        known = KnownDataset(**request["known"]) if request.get("known") else None
        yield pipeline.preview_of(name, data, mapping, key, known)
    elif request["wanted"] == "study":
        yield from _lines_of(pipeline.read_study(name, data, mapping, key))
    else:
        yield from _rows_of(shape.tabulate(opening.open_file(name, data, mapping), mapping))
    if key:
        yield {"keys": dict(key.table)}


def _rows_of(frame: Any) -> Iterator[dict[str, Any]]:
    """Yield the header of a table, and its rows in pieces."""
    yield {"header": list(frame.columns)}
    rows = max(1, MAX_LINE_VALUES // len(frame.columns))
    for start in range(0, len(frame), rows):
        piece = frame.iloc[start : start + rows]
        yield {"rows": list(zip(piece.index.tolist(), piece.to_numpy().tolist(), strict=True))}


def _lines_of(found: Study) -> Iterator[dict[str, Any]]:
    """Yield a study column by column, in pieces."""
    for name in FRAMES:
        frame = getattr(found, name)
        for column in frame.columns:
            values = frame[column].tolist()
            for start in range(0, max(1, len(values)), MAX_LINE_VALUES):
                piece = values[start : start + MAX_LINE_VALUES]
                yield {"frame": name, "column": column, "values": piece}
    yield {
        "problems": list(map(asdict, found.problems)),
        "expected": [[*pair, count] for pair, count in found.expected.items()],
        "lost": [[*pair, count] for pair, count in found.lost.items()],
        "rows_read": found.rows_read,
        "rows_kept": found.rows_kept,
    }


def _progress(rows: int) -> None:
    _write({"progress": rows})
    sys.stdout.flush()


def _write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line, default=lambda value: value.item()) + "\n")


if __name__ == "__main__":
    main()
