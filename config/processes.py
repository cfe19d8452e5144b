"""Child processes that run together: one that dies is restarted, and all stop together."""

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentTypeError
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LOOK_EVERY = 0.2  # seconds
WATCH_EVERY = 0.5
PAUSE_SECONDS = 30.0
STEADY = 5.0  # seconds after which a death no longer counts as a failed start
GRACE = 20.0
DIE_WITH_PARENT = 1  # Linux: prctl's PR_SET_PDEATHSIG

HIGHEST_PORT = 65535
PORTS_TRIED = 50
LOG_BYTES = 10 * 1024 * 1024

Say = Callable[[str], None]


class NoPort(Exception):
    """The web server has no port to listen on; the message says what to do."""


@dataclass(frozen=True)
class Program:
    """A command to run, its name in messages, and its log file."""

    name: str
    command: Sequence[str]
    log: Path
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)


class Child:
    """A program that is kept running. After more than two deaths soon after the start, the pause
    before each restart grows."""

    def __init__(self, program: Program, say: Say) -> None:
        self.program, self.say = program, say
        self.deaths, self.started, self.start_at = 0, 0.0, 0.0
        self.process: subprocess.Popen[bytes] | None = None

    def look(self, now: float) -> None:
        """Start the program if it does not run and its pause is over; report if it has died."""
        if self.process is not None and self.process.poll() is not None:
            _kill_group(self.process.pid)  # a killed parent leaves its own children running
            self._has_died(self.process.returncode, now)
        _keep_small(self.program.log)
        if self.process is None and now >= self.start_at:
            self.process, self.started = self._start(), now

    def ask_to_stop(self) -> None:
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.terminate()

    def make_stop(self, deadline: float) -> None:
        """Wait until the program has ended, and kill its whole group if that takes too long."""
        if self.process is None:
            return
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(max(0.0, deadline - time.monotonic()))
        _kill_group(self.process.pid)
        self.process.wait()

    def _has_died(self, code: int, now: float) -> None:
        self.deaths = self.deaths + 1 if now - self.started < STEADY else 1
        self.start_at = now + (
            min(2.0 ** (self.deaths - 3), PAUSE_SECONDS) if self.deaths > 2 else 0.0
        )
        self.process = None
        self.say(
            f"The {self.program.name} ended ({_reason(code)}); starting it again. Its log: {self.program.log}"
        )

    def _start(self) -> subprocess.Popen[bytes]:
        with _log_for_the_owner(self.program.log) as log:
            return subprocess.Popen(
                self.program.command,
                cwd=self.program.folder,
                env={**os.environ, **self.program.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches us alone, and we stop the children in order
                preexec_fn=_die_with_parent if sys.platform == "linux" else None,  # noqa: PLW1509  (one thread)
            )


def run_together(
    programs: Sequence[Program], *, watch: Callable[[], bool], ready: Callable[[], None], say: Say
) -> None:
    """Keep the programs running until Ctrl-C or a stop signal, or until `watch` returns True.

    `watch` is called twice a second, `ready` once, after the first start.
    """
    stopped = StopSignal()
    children = [Child(program, say) for program in programs]
    watch_at = time.monotonic() + WATCH_EVERY
    try:
        for child in children:
            child.look(time.monotonic())
        ready()
        while not stopped:
            time.sleep(LOOK_EVERY)
            if time.monotonic() >= watch_at:
                if watch():
                    break
                watch_at = time.monotonic() + WATCH_EVERY
            for child in children:
                child.look(time.monotonic())
    finally:
        say("Stopping ...")
        _stop(children)
        stopped.restore()


class StopSignal:
    """Becomes true at Ctrl-C or a stop signal; a second Ctrl-C does not interrupt the stopping."""

    def __init__(self) -> None:
        self.came = False
        self.before = {number: signal.signal(number, self._note) for number in STOPPING}

    def _note(self, number: int, frame: FrameType | None) -> None:
        self.came = True

    def __bool__(self) -> bool:
        return self.came

    def restore(self) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


def port_number(text: str) -> int:
    """Read a port from the command line; argparse shows the sentence."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= HIGHEST_PORT:
        raise ArgumentTypeError(
            f"{text} is not a port: a number from 1 to {HIGHEST_PORT} is needed"
        )
    return int(text)


def free_port(wanted: int) -> int:
    """Return the first free port from `wanted` on."""
    last = min(wanted + PORTS_TRIED - 1, HIGHEST_PORT)
    for port in range(wanted, last + 1):
        with closing(socket.socket()) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except PermissionError as refused:
                raise NoPort(
                    f"This account may not listen on port {port}: choose one above 1023."
                ) from refused
            except OSError:
                continue
            return port
    raise NoPort(f"All ports from {wanted} to {last} are taken: choose another.")


def wait_for_port(port: int, *, seconds: float) -> bool:
    """Wait until a server answers on the port; return whether it did in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", port), 1)):
            return True
        time.sleep(0.05)
    return False


def _stop(children: Sequence[Child]) -> None:
    deadline = time.monotonic() + GRACE
    for child in children:
        child.ask_to_stop()
    for child in children:
        child.make_stop(deadline)


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _keep_small(log: Path) -> None:
    """Move a large log's contents into a file beside it, replacing that file; the program goes on
    writing at the beginning of the log, because the log is open for appending."""
    with suppress(OSError):
        if log.stat().st_size > LOG_BYTES:
            with log.open("rb") as said, _log_for_the_owner(log.with_name(f"{log.name}.1")) as kept:
                kept.truncate(0)
                shutil.copyfileobj(said, kept)
            os.truncate(log, 0)


def _log_for_the_owner(path: Path) -> IO[bytes]:
    """Open a log that only its owner may read, also if it exists already."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.fchmod(file, 0o600)
    return os.fdopen(file, "ab")


def _reason(code: int) -> str:
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def _die_with_parent() -> None:
    """Have the kernel stop the child if we are killed, so that no process is left behind."""
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGTERM)
