"""The embedded PostgreSQL: one data folder, one server, started by whoever needs it first.

Settings only ask for its address, which starts nothing. ``serving`` starts the server and counts
who uses it by a shared file lock, which the kernel drops when a process dies; the last one to leave
stops the server. A server that was left behind by ``kill -9`` is simply found again.
"""

import errno
import fcntl
import os
import pwd
import shlex
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote, urlencode

from psycopg2.extensions import make_dsn

from config.postgres_programs import (
    ELSEWHERE,
    SHARED_ACCOUNT,
    PostgresProblem,
    account_for,
    may_enter,
    programs_for,
    short_hash,
)

ROOT = Path(__file__).resolve().parent.parent
OWNER = DATABASE = "quaestor"
PORT = 5432  # no TCP: only part of the socket's name
SOCKET_FOLDER_BYTES = 90  # a socket's path fits 107 bytes on Linux and 103 on macOS
PATIENCE = 60.0
DYING = ("already exists", "still in use")  # a killed server's last moments, worth waiting for
WAY_OUT = "set QUAESTOR_HOME to a folder of yours"
FOREIGN = "{path} belongs to another user, or is no folder; " + WAY_OUT + "."
OTHERS = 0o077  # what a folder's mode grants to group and world
REFUSALS = {
    errno.EACCES: "cannot be read or written by this account",
    errno.EPERM: "cannot be read or written by this account",
    errno.EROFS: "lies on a disk that can only be read",
    errno.ENOTDIR: "is not a folder",
    errno.EEXIST: "is not a folder",
    errno.ENOSPC: "lies on a disk that is full: free some space and start again",
    errno.EDQUOT: "has used up this account's share of the disk: free some space and start again",
}
ALWAYS = {
    "listen_addresses": "",
    "max_connections": 200,
    "log_timezone": "UTC",
    "timezone": "UTC",
    "random_page_cost": 1.1,  # what is read is in memory or on a disk without heads: an index costs little
    "client_connection_check_interval": 1000,  # ms: a killed worker's long statement must not hold up its successor
}
FORGETFUL = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}


class OtherVersion(PostgresProblem):
    """The data were written by another major version."""


class NotOurFolder(PostgresProblem):
    """A folder that must be ours belongs to somebody else."""


class StartRefused(PostgresProblem):
    """The server did not come up."""


def home() -> Path:
    """Return the data folder."""
    return Path(os.environ.get("QUAESTOR_HOME") or ROOT / "var").resolve()


def refusal(error: OSError) -> str:
    """Return the sentence for a data folder that cannot be used; empty where the error is about
    something else."""
    if error.errno not in REFUSALS or not isinstance(error.filename, str):
        return ""
    path, folder = Path(error.filename), home()
    below = any(base in (path, *path.parents) for base in (folder, ELSEWHERE))
    if not below and path not in folder.parents:
        return ""
    return f"The data folder {folder} cannot be used: {path} {REFUSALS[error.errno]}; or {WAY_OUT}."


def url(folder: Path) -> str:
    """Return the address that the server of this data folder has, or will have."""
    return Cluster(folder).url()


def serving() -> AbstractContextManager[object]:
    """Keep the database at hand: the embedded one, unless ``DATABASE_URL`` names a real server."""
    return nullcontext() if os.environ.get("DATABASE_URL") else Cluster(home()).serving()


def ensure_running() -> None:
    """Start the embedded server unless it runs, or unless ``DATABASE_URL`` names a real one."""
    if not os.environ.get("DATABASE_URL"):
        Cluster(home()).ensure_running()


def is_shared() -> bool:
    """Say whether the embedded server runs under an account that other services share."""
    if os.environ.get("DATABASE_URL"):
        return False
    account = Cluster(home()).account
    return account is not None and account.pw_name == SHARED_ACCOUNT


def listens() -> bool:
    """Say whether the embedded server takes connections: cheap enough to ask twice a second."""
    return bool(os.environ.get("DATABASE_URL")) or Cluster(home()).listens()


@dataclass(frozen=True)
class Cluster:
    """One PostgreSQL cluster in ``folder``; a cluster that is not durable is fast and only for
    tests."""

    folder: Path
    durable: bool = True

    def url(self, database: str = DATABASE, *, role: str = OWNER) -> str:
        """Return the address of a database in this cluster; nothing is started or written.

        A client hangs up unless the server's process is of the account that must run it.
        """
        return f"postgresql://{role}@/{database}?{urlencode(self.reach, quote_via=quote, safe='')}"

    @property
    def reach(self) -> dict[str, object]:
        """Return where the server listens and whose process must answer there, as libpq names
        it."""
        there: dict[str, object] = {"host": self.socket, "port": PORT}
        with suppress(KeyError):  # an account without a name, as which PostgreSQL does not start
            there["requirepeer"] = pwd.getpwuid(self.owner).pw_name
        return there

    @contextmanager
    def serving(self) -> Iterator["Cluster"]:
        """Run the server while the block runs; the last of all such blocks on the machine stops
        it."""
        with self._lock("users.lock", fcntl.LOCK_SH) as users:
            self.ensure_running()
            try:
                yield self
            finally:
                self._leave(users)

    def ensure_running(self) -> None:
        """Start the server unless it runs; any number of processes may call this at once."""
        with self._lock("start.lock", fcntl.LOCK_EX):
            self._make_private(self.socket)  # first: in an open folder anybody may answer
            if self._answers():
                return
            self._make_private(self.data.parent)
            if not self.data.exists():
                self._create()
            self._check_version()
            self._start()

    def listens(self) -> bool:
        """Say whether the server takes connections; a killed one leaves its file, and nobody there.

        Only a folder that is closed to others can be believed.
        """
        with socket.socket(socket.AF_UNIX) as probe, suppress(OSError):
            found = self.socket.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != self.owner:
                return False
            if stat.S_IMODE(found.st_mode) & OTHERS:
                return False
            probe.settimeout(1)
            probe.connect(str(self.socket / f".s.PGSQL.{PORT}"))
            return True
        return False

    def stop(self) -> None:
        """Stop the server, if it runs."""
        if self.base.exists():
            with self._lock("start.lock", fcntl.LOCK_EX):
                self._stop()

    @cached_property
    def account(self) -> pwd.struct_passwd | None:
        """Return the ordinary account that root hands the server to; None where we are ordinary
        ourselves."""
        folder = self.folder.resolve()
        return account_for(
            *(base / "postgres" / "data" for base in (folder, ELSEWHERE / short_hash(folder)))
        )

    @property
    def owner(self) -> int:
        """Return the number of the account that runs the server."""
        return self.account.pw_uid if self.account else os.geteuid()

    @cached_property
    def base(self) -> Path:
        """Return where the cluster lies: in the data folder, or outside a tree that the account
        cannot enter."""
        folder = self.folder.resolve()
        if self.account is None or may_enter(self.account, folder):
            return folder
        return ELSEWHERE / short_hash(folder)

    @property
    def data(self) -> Path:
        """Return PostgreSQL's own folder."""
        return self.base / "postgres" / "data"

    @property
    def log(self) -> Path:
        """Return the server's log file."""
        return self.base / "postgres" / "log.txt"

    @cached_property
    def socket(self) -> Path:
        """Return the folder of the server's socket, whose path must be short."""
        near = self.base / "socket"
        if len(os.fsencode(near)) <= SOCKET_FOLDER_BYTES:
            return near
        return Path("/tmp") / f"quaestor-{short_hash(near)}"  # noqa: S108  (checked to be ours alone)

    @cached_property
    def programs(self) -> Path:
        """Return the folder of PostgreSQL's programs."""
        return programs_for(self.account)

    @contextmanager
    def _lock(self, name: str, kind: int) -> Iterator[IO[str]]:
        if not self.base.exists():
            self.base.mkdir(parents=True, exist_ok=True)
            # whatever the umask: the account must pass, and url() has promised that it can
            self.base.chmod(0o755)
        with (self.base / name).open("w") as file:
            fcntl.flock(file, kind)
            yield file

    def _leave(self, users: IO[str]) -> None:
        with self._lock("start.lock", fcntl.LOCK_EX), suppress(BlockingIOError):
            # own share first: two who leave at once must not wait for each other
            fcntl.flock(users, fcntl.LOCK_UN)
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._stop()

    def _make_private(self, path: Path) -> None:
        """Make a folder that only the server's account may enter, or close the one that is there;
        refuse a link, and what belongs to somebody else."""
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        try:
            # what is looked at is what is changed: the path could name another folder meanwhile
            folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as refused:
            if refused.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EACCES):
                raise
            raise NotOurFolder(FOREIGN.format(path=path)) from None
        try:
            if os.fstat(folder).st_uid not in {self.owner, os.geteuid()}:
                raise NotOurFolder(FOREIGN.format(path=path))
            if self.account:
                os.fchown(folder, self.account.pw_uid, self.account.pw_gid)
            os.fchmod(folder, 0o700)
        finally:
            os.close(folder)

    def _run(
        self, program: str, *arguments: str | Path, text: str = ""
    ) -> subprocess.CompletedProcess[str]:
        account = self.account
        who: dict[str, Any] = {}
        if account:
            who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
        ours = {
            name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))
        }
        return subprocess.run(
            [self.programs / program, *arguments],
            cwd="/",
            env={**ours, "LC_ALL": "C", "TZ": "UTC"},
            input=text,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
            **who,
        )

    def _must(self, program: str, *arguments: str | Path, text: str = "") -> str:
        done = self._run(program, *arguments, text=text)
        if done.returncode:
            raise StartRefused(f"{program} failed:\n{done.stdout[-1500:]}")
        return done.stdout

    def _answers(self) -> bool:
        return (
            self._run("pg_isready", "-q", "-d", make_dsn(**self.reach), "-t", "3").returncode == 0
        )

    def _create(self) -> None:
        """Make the cluster and its database under another name, so that a half-made one is never
        taken for whole."""
        new = self.data.with_name("new")
        shutil.rmtree(new, ignore_errors=True)
        who = ("-U", OWNER, "-A", "trust", "-E", "UTF8")
        self._must("initdb", "-D", new, *who, *_locale(self._major()), "--no-instructions")
        self._must(
            "postgres", "--single", "-D", new, "postgres", text=f"CREATE DATABASE {DATABASE};\n"
        )
        new.rename(self.data)

    def _major(self) -> str:
        said = self._must("postgres", "--version")
        return said.partition("PostgreSQL) ")[2].partition(".")[0]

    def _check_version(self) -> None:
        """Compare with ``PG_VERSION``, where PostgreSQL itself pins the major version that wrote
        the data."""
        written, have = (self.data / "PG_VERSION").read_text().strip(), self._major()
        if written != have:
            reach = f"-h {self.socket} -p {PORT} -U {OWNER}"
            raise OtherVersion(
                f"The data in {self.data} were written by PostgreSQL {written}, "
                f"but the programs in {self.programs} are version {have}.\n"
                f"Set QUAESTOR_PG_BIN to the programs of version {written} and go on working; or move to {have}:\n"
                f"  start once with those, and save everything:  pg_dump {reach} -Fc -f quaestor.dump {DATABASE}\n"
                f"  stop, move {self.data} aside, and start without QUAESTOR_PG_BIN\n"
                f"  load it again:  pg_restore {reach} --clean --if-exists -d {DATABASE} quaestor.dump"
            )

    def _start(self) -> None:
        options = ("-l", self.log, "-w", "-t", str(int(PATIENCE)), "-o", self._options())
        deadline = time.monotonic() + PATIENCE
        while True:
            before = self.log.stat().st_size if self.log.exists() else 0
            done = self._run("pg_ctl", "-D", self.data, *options, "start")
            if done.returncode == 0 or self._answers():
                return
            said = (
                self.log.read_text(errors="replace")[before:] if self.log.exists() else done.stdout
            )
            if time.monotonic() > deadline or not any(phrase in said for phrase in DYING):
                raise StartRefused(
                    f"PostgreSQL does not start; the end of {self.log}:\n{said[-1500:]}"
                )
            self._forget_the_dead()
            time.sleep(0.1)

    def _forget_the_dead(self) -> None:
        """Remove the marks of a killed server whose process is gone.

        PostgreSQL sees that by itself unless the number names a process: one that is dead but not
        yet collected, as in a container without init, or one of somebody else's that was given the
        same number, as after a restart.
        """
        for mark in (self.data / "postmaster.pid", self.socket / f".s.PGSQL.{PORT}.lock"):
            with suppress(OSError, ValueError, IndexError):
                if not self._is_server(int(mark.read_text().split()[0])):
                    mark.unlink()

    def _is_server(self, pid: int) -> bool:
        """Say whether a process serves this cluster; in doubt it does, and PostgreSQL itself
        decides."""
        process = Path(f"/proc/{pid}")
        name, _, state = (process / "stat").read_text().partition("(")[2].rpartition(")")
        if state.split()[0] == "Z" or name != "postgres":
            return False
        try:
            # a server stands in the folder of its data
            return (process / "cwd").samefile(self.data)
        except PermissionError:
            return True

    def _options(self) -> str:
        folder = str(self.socket).replace('"', '""')
        settings = {**ALWAYS, "port": PORT, "unix_socket_directories": f'"{folder}"'}
        settings |= {} if self.durable else FORGETFUL
        return shlex.join(
            word for name, value in settings.items() for word in ("-c", f"{name}={value}")
        )

    def _stop(self) -> None:
        if (self.data / "postmaster.pid").exists():
            self._run(
                "pg_ctl", "-D", self.data, "-m", "fast", "-w", "-t", str(int(PATIENCE)), "stop"
            )


def _locale(major: str) -> tuple[str, ...]:
    """Return initdb's options for Unicode that sorts the same everywhere; it is built in since
    version 17."""
    return (
        ("--locale-provider=builtin", "--locale=C.UTF-8")
        if int(major) >= 17
        else ("--locale=C.UTF-8",)
    )
