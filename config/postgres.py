"""The embedded PostgreSQL: one data folder, one server, started by the first process that needs it.

Settings only ask for its address, which starts nothing. ``serving`` starts the server and counts
its users by a shared file lock, which the kernel releases when a process dies; the last user stops
the server. A server left behind by ``kill -9`` is found and used again.
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

from config.data_folder import data_folder
from config.postgres_programs import (
    ELSEWHERE,
    SHARED_ACCOUNT,
    PostgresProblem,
    account_for,
    may_enter,
    programs_for,
    short_hash,
)

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
    "random_page_cost": 1.1,  # data are in memory or on a disk without heads: an index costs little
    "client_connection_check_interval": 1000,  # ms: a killed worker's long statement must not block its successor
}
FORGETFUL = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
}


class OtherVersion(PostgresProblem):
    """The data were written by another major version of PostgreSQL."""


class NotOurFolder(PostgresProblem):
    """A folder that must be ours belongs to another user."""


class StartRefused(PostgresProblem):
    """The server did not start."""


def refusal(error: OSError) -> str:
    """Return the sentence for a data folder that cannot be used; empty if the error is about
    something else."""
    if error.errno not in REFUSALS or not isinstance(error.filename, str):
        return ""
    path, folder = Path(error.filename), data_folder()
    below = any(base in (path, *path.parents) for base in (folder, ELSEWHERE))
    if not below and path not in folder.parents:
        return ""
    return f"The data folder {folder} cannot be used: {path} {REFUSALS[error.errno]}; or {WAY_OUT}."


def url(folder: Path) -> str:
    """Return the address that the server of this data folder has, or will have."""
    return Cluster(folder).url()


def serving() -> AbstractContextManager[object]:
    """Keep the database available: the embedded one, unless ``DATABASE_URL`` names a real
    server."""
    return nullcontext() if os.environ.get("DATABASE_URL") else Cluster(data_folder()).serving()


def ensure_running() -> None:
    """Start the embedded server unless it runs, or unless ``DATABASE_URL`` names a real one."""
    if not os.environ.get("DATABASE_URL"):
        Cluster(data_folder()).ensure_running()


def is_shared() -> bool:
    """Return whether the embedded server runs under an account that other services share."""
    if os.environ.get("DATABASE_URL"):
        return False
    account = Cluster(data_folder()).account
    return account is not None and account.pw_name == SHARED_ACCOUNT


def listens() -> bool:
    """Return whether the embedded server accepts connections; cheap enough for twice a second."""
    return bool(os.environ.get("DATABASE_URL")) or Cluster(data_folder()).listens()


@dataclass(frozen=True)
class Cluster:
    """One PostgreSQL cluster in ``folder``; a cluster that is not durable is fast and only for
    tests."""

    folder: Path
    durable: bool = True

    def url(self, database: str = DATABASE, *, role: str = OWNER) -> str:
        """Return the address of a database in this cluster; nothing is started or written.

        The client disconnects unless the server's process belongs to the right account.
        """
        return f"postgresql://{role}@/{database}?{urlencode(self.reach, quote_via=quote, safe='')}"

    @property
    def reach(self) -> dict[str, object]:
        """Return where the server listens and which account must run it, in libpq's terms."""
        there: dict[str, object] = {"host": self.socket, "port": PORT}
        with suppress(KeyError):  # an account without a name, under which PostgreSQL does not start
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
            self._make_private(self.socket)  # first: in an open folder any user could answer
            if self._answers():
                return
            self._make_private(self.data.parent)
            if not self.data.exists():
                self._create()
            self._check_version()
            self._start()

    def listens(self) -> bool:
        """Return whether the server accepts connections; a killed one leaves its socket file.

        The answer is trusted only if the folder is closed to other users.
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
        """Return the ordinary account to which root hands the server; None if we are an ordinary
        account ourselves."""
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
        """Return the folder of the cluster: the data folder, or one outside a tree that the account
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
            # independent of the umask: the account must be able to pass, as url() assumes
            self.base.chmod(0o755)
        with (self.base / name).open("w") as file:
            fcntl.flock(file, kind)
            yield file

    def _leave(self, users: IO[str]) -> None:
        with self._lock("start.lock", fcntl.LOCK_EX), suppress(BlockingIOError):
            # own share first: two processes that leave at once must not wait for each other
            fcntl.flock(users, fcntl.LOCK_UN)
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._stop()

    def _make_private(self, path: Path) -> None:
        """Create a folder that only the server's account may enter, or close an existing one;
        refuse a link, and a folder of another user."""
        with suppress(FileExistsError):
            path.mkdir(mode=0o700)
        try:
            # the checked folder is the one changed: the path could name another one meanwhile
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
        """Create the cluster and its database under another name, so that an incomplete one is
        never taken for complete."""
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
        """Compare with ``PG_VERSION``, in which PostgreSQL itself stores the major version of the
        data."""
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
        """Remove the lock files of a killed server whose process is gone.

        PostgreSQL detects that by itself unless the number is that of a process: one that is dead
        but not yet collected, as in a container without init, or one of another user with the same
        number, as after a restart.
        """
        for mark in (self.data / "postmaster.pid", self.socket / f".s.PGSQL.{PORT}.lock"):
            with suppress(OSError, ValueError, IndexError):
                if not self._is_server(int(mark.read_text().split()[0])):
                    mark.unlink()

    def _is_server(self, pid: int) -> bool:
        """Return whether a process serves this cluster; if in doubt it does, and PostgreSQL itself
        decides."""
        process = Path(f"/proc/{pid}")
        name, _, state = (process / "stat").read_text().partition("(")[2].rpartition(")")
        if state.split()[0] == "Z" or name != "postgres":
            return False
        try:
            # a server's working directory is the folder of its data
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
    """Return initdb's options for Unicode that sorts the same on every machine; built in since
    version 17."""
    return (
        ("--locale-provider=builtin", "--locale=C.UTF-8")
        if int(major) >= 17
        else ("--locale=C.UTF-8",)
    )
