"""A site as `manage.py up` serves it, in processes of its own, and what can be done to these."""

import json
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg2

from bench.soak_people import ADMIN, PASSWORD, PATIENCE
from config.data_folder import ROOT
from config.postgres import Cluster
from config.processes import free_port


@dataclass
class Site:
    """`manage.py up` on data of its own, and questions to its database."""

    home: Path
    port: int
    more: Mapping[str, str] = field(default_factory=dict)  # environment

    def start(self) -> subprocess.Popen[bytes]:
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("DATABASE_URL", "DJANGO_"))
        }
        self.environment = {
            **kept,
            **self.more,
            "QUAESTOR_HOME": str(self.home),
            "DJANGO_SUPERUSER_PASSWORD": PASSWORD,
            "DJANGO_SUPERUSER_USERNAME": ADMIN,
            "DJANGO_SUPERUSER_EMAIL": "",
        }
        with (self.home / "said.txt").open("w") as log:
            command = [sys.executable, "manage.py", "up", "--port", str(self.port)]
            return subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdout=log, stderr=subprocess.STDOUT
            )

    @property
    def said(self) -> str:
        return (self.home / "said.txt").read_text()

    @property
    def address(self) -> str:
        return re.findall(r"Quaestor is at (\S+)", self.said)[0]

    def make(self) -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.flows.outside"]
        made = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        address = Cluster(self.home).url()
        with (
            closing(psycopg2.connect(address)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


@dataclass
class Clock:
    """The time of day that processes see: the machine's plus an offset in seconds, which may change
    while they run. Their monotonic clock and the times that the kernel records are not changed."""

    folder: Path
    ahead: int = 0

    def environment(self) -> dict[str, str]:
        """Compile what changes the time, and return what loads it."""
        library, file = self.folder / "soak_clock.so", self.folder / "clock"
        source = ROOT / "bench" / "soak_clock.c"
        command = ["cc", "-O", "-shared", "-fPIC", "-o", str(library), str(source)]
        subprocess.run(command, check=True)
        self.set(0)
        for path in (library, file):
            path.chmod(0o755)  # the database's account reads them too
        return {"LD_PRELOAD": str(library), "SOAK_CLOCK": str(file)}

    def set(self, ahead: int) -> None:
        self.ahead = ahead
        with os.fdopen(os.open(self.folder / "clock", os.O_RDWR | os.O_CREAT), "wb") as file:
            file.write(struct.pack("l", ahead))  # in place: all processes map the file


def descendants(pid: int) -> list[int]:
    """Return the processes that a process of ours started, and those that they started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def age(pid: int) -> float:
    """Return for how many seconds a process has lived; 0 where it is gone."""
    try:
        ticks = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")


def has_ended(pid: int) -> bool:
    """Return whether a process has ended, whether or not its parent has waited for it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state in ("Z", "X")


def named(pid: int, word: str) -> bool:
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Iterator[None]:
    """Give a folder a disk of its own while the block runs, which needs the right to mount."""
    size = f"size={megabytes}m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def fill_disk(folder: Path, seconds: float) -> None:
    """Leave no room on the disk of a folder for some seconds."""
    ballast = folder / "ballast"
    piece = bytes(1_000_000)
    over = time.monotonic() + seconds
    with ballast.open("wb", buffering=0) as file:
        while time.monotonic() < over:
            try:
                file.write(piece)
            except OSError:  # full; what is freed meanwhile is filled again
                time.sleep(0.05)
    ballast.unlink()


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def until(condition: Callable[[], object], what: str = "", pause: float = 0.05) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(pause)


@contextmanager
def served(
    home: Path, more: Mapping[str, str] | None = None
) -> Iterator[tuple[Site, subprocess.Popen[bytes]]]:
    home.chmod(0o755)  # root hands the database to an account that must pass
    site = Site(home, free_port(18500), more or {})
    process = site.start()
    try:
        until(lambda: "Ctrl-C stops everything" in site.said or process.poll() is not None)
        assert process.poll() is None, site.said
        yield site, process
    finally:
        process.terminate()
        process.wait(PATIENCE)
        Cluster(home).stop()
