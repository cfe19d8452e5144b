#!/usr/bin/env python3
"""The door on a fresh machine: it makes the environment once, then runs what is asked for. Standard library only."""

from __future__ import annotations

import argparse
import ast
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
TOOLS = ROOT / ".tools"
LOCK = ROOT / "requirements.txt"
STAMP = VENV / "made-from"
PYTHON = VENV / "bin" / "python"
HELP = """Quaestor: human evaluation of automatically generated questions.

  python3 run.py demo [--exit] [--port N] [--home DIR]   a demo study, ready to rate and already analysed
  python3 run.py up [--port N] [--home DIR]              the same without demo data, for studies of your own
  python3 run.py test [pytest arguments]                 every check and test; with arguments, those tests only
  python3 run.py soak [--minutes N] [--kills N]          kill every process of a busy site, again and again, and count
  python3 run.py manage COMMAND ...                      one management command; "manage help" lists them

The first call installs the packages of requirements.txt into .venv; later calls start at once, whichever Python
they are made with: .venv keeps the one that made it. To change it, remove .venv.
Data are kept in ./var, or in --home, or in $QUAESTOR_HOME."""
NOT_INSTALLED = """The packages could not be installed. The first start needs a package index, once: check the network,
or point pip at a mirror (pip config set global.index-url ADDRESS), and start again."""
READ_ONLY = """{root} cannot be written to, and the packages must be installed there once, into .venv.
Copy or clone the project to a folder of yours; or have its owner call run.py once."""
NO_PIP = "pip is missing, and the packages cannot be installed without it (Debian: apt-get install python3-pip)."
NO_CHROMIUM = (
    "Browser tests are left out: no Chromium found. Install one (Debian: apt-get install chromium), start again."
)
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHECKS: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("lint-imports", "--no-cache"),
    ("mypy",),
)
PYTEST = [str(PYTHON), "-m", "pytest"]
LANES = (  # for two cores: of about the same length, the second with the checks before it
    "not browser and (not jobs or threads)",
    "browser or (jobs and not threads)",
)
UV_NAMES = {  # what pip has configured, under the names uv reads
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "no-index": "UV_NO_INDEX",
    "trusted-host": "UV_INSECURE_HOST",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}


def main(arguments: list[str]) -> int:
    """Do what the first word says."""
    if sys.version_info < (3, 11):  # noqa: UP036  (to say so is the point)
        sys.exit(f"Quaestor needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    word, rest = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if word not in ("demo", "up", "test", "soak", "manage"):
        print(HELP)
        return 0 if word in ("help", "-h", "--help") else 2
    set_up()
    keep_bytecode()
    if word == "soak":
        os.chdir(ROOT)
        os.execv(PYTHON, [str(PYTHON), "-m", "bench.soak", *rest])
    if word != "test":
        manage(rest if word == "manage" else [word, *take_home(rest)])
    return test(rest)


def manage(words: list[str]) -> NoReturn:
    """Become Django's management command."""
    os.execv(PYTHON, [str(PYTHON), str(ROOT / "manage.py"), *words])


def take_home(words: list[str]) -> list[str]:
    """Set the data folder from ``--home``, which must be known before Django is, and return the other words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--home", type=Path)
    known, others = parser.parse_known_args(words)
    if known.home:
        os.environ["QUAESTOR_HOME"] = str(known.home.absolute())
    return others


def set_up() -> None:
    """Make ``.venv`` from the lock, unless it was made from this very lock; leave nothing when that is cut short."""
    if is_set_up():
        return
    if not os.access(ROOT, os.W_OK):
        sys.exit(READ_ONLY.format(root=ROOT))
    print("Setting up, once: installing the packages of requirements.txt into .venv ...", flush=True)
    STAMP.unlink(missing_ok=True)
    try:
        if not (install_with_uv() or install_with_pip()):
            sys.exit(NOT_INSTALLED)
        STAMP.write_text(fingerprint())
    except BaseException:
        shutil.rmtree(VENV, ignore_errors=True)
        raise


def keep_bytecode() -> None:
    """Keep compiled code in ``.venv`` where Python is told to leave none beside the sources.

    A site is several processes and a test run dozens; each would compile the same two thousand files again.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))


def is_set_up() -> bool:
    """Say whether ``.venv`` was made, and to the end, from the lock as it is now."""
    return PYTHON.exists() and STAMP.exists() and STAMP.read_text() == fingerprint()


def fingerprint() -> str:
    """Return what changes when the packages do, or the Python that ``.venv`` was made with: an upgrade loses them."""
    asked = [str(PYTHON), "-I", "-S", "-c", "import sys; print(sys.version)"]
    version = subprocess.run(asked, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    return hashlib.sha256(LOCK.read_bytes() + version.strip()).hexdigest()


def install_with_uv() -> bool:
    """Install with uv, which needs neither venv nor a compiler and takes seconds; say whether it worked."""
    uv = [sys.executable, "-m", "uv", "--quiet"]
    environment = uv_environment(pip_settings())
    if not (TOOLS / "uv").exists() and not get_uv():
        return False
    made = ran([*uv, "venv", "--clear", "--python", sys.executable, str(VENV)], environment)
    return made and ran([*uv, "pip", "sync", "--require-hashes", "--python", str(PYTHON), str(LOCK)], environment)


def get_uv() -> bool:
    """Put uv into ``.tools``, out of the way of everything else; half an installation never bears that name."""
    if not ran([sys.executable, "-m", "pip", "--version"], quiet=True):
        sys.exit(NO_PIP)
    new = TOOLS.with_name(f".tools.{os.getpid()}")
    try:
        got = ran([sys.executable, "-m", "pip", "install", "-qq", "--target", str(new), "uv>=0.5"])
        if got:
            shutil.rmtree(TOOLS, ignore_errors=True)
            new.rename(TOOLS)
        return got
    finally:
        shutil.rmtree(new, ignore_errors=True)


def install_with_pip() -> bool:
    """Install the slow way, by the standard library's venv."""
    shutil.rmtree(VENV, ignore_errors=True)
    made = ran([sys.executable, "-m", "venv", str(VENV)], quiet=True)
    return made and ran([str(PYTHON), "-m", "pip", "install", "-qq", "--require-hashes", "-r", str(LOCK)])


def pip_settings() -> dict[str, str]:
    """Return pip's own settings; they may hold passwords, so they are passed on and never shown."""
    command = [sys.executable, "-m", "pip", "config", "list"]
    listed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
    settings = {}
    for line in sorted(listed.splitlines(), key=strength):
        key, _, value = line.partition("=")
        settings[key.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


def strength(line: str) -> int:
    """Order pip's settings as pip does: what the environment says wins over [install], and that over [global]."""
    return 2 if line.startswith(":env:") else 1 if line.startswith("install.") else 0


def uv_environment(settings: dict[str, str]) -> dict[str, str]:
    """Return the environment that makes uv look where pip would; what is set for uv already stays."""
    environment = {
        "PYTHONPATH": str(TOOLS),
        "UV_SYSTEM_CERTS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip does; the lock's hashes make it safe
    }
    for name, value in settings.items():
        if name in UV_NAMES:
            words = value.split()
            environment[UV_NAMES[name]] = ",".join(words) if name == "find-links" else " ".join(words)
    if not os.access(os.environ.get("HOME") or "/nonexistent", os.W_OK):
        environment["UV_CACHE_DIR"] = str(TOOLS / "cache")
    return {**environment, **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"}}


def ran(command: list[str], environment: dict[str, str] | None = None, quiet: bool = False) -> bool:
    """Run a command and say whether it went well."""
    silence = subprocess.DEVNULL if quiet else None
    return (
        subprocess.run(command, env=environment, stdout=silence, stderr=silence, cwd=ROOT, check=False).returncode == 0
    )


def test(words: list[str]) -> int:
    """Run the checks and all tests, or with arguments only what pytest makes of them."""
    began = time.monotonic()
    find_or_get_chromium()
    code, failed = these(words) if words else everything()
    for check in failed:
        print(f"FAILED: {' '.join(check)}")
    print(f"All together {time.monotonic() - began:.0f} s.")
    return code or (1 if failed else 0)


def these(words: list[str]) -> tuple[int, list[tuple[str, ...]]]:
    """Run what pytest makes of the words, and no checks."""
    return subprocess.run(PYTEST + words, cwd=ROOT, check=False).returncode, []


def everything() -> tuple[int, list[tuple[str, ...]]]:
    """Run one lane of tests beside the checks and the other lane; what the one beside said comes last."""
    with tempfile.TemporaryFile("w+") as said:
        beside = subprocess.Popen([*PYTEST, "-m", LANES[0]], cwd=ROOT, stdout=said, stderr=subprocess.STDOUT)
        failed = [check for check in CHECKS if not passes(check)]
        here = subprocess.run([*PYTEST, "-m", LANES[1]], cwd=ROOT, check=False).returncode
        code = beside.wait()
        said.seek(0)
        print(said.read(), flush=True)
    return here or code, failed


def passes(check: tuple[str, ...]) -> bool:
    """Run one check of the code and print how long it took."""
    began = time.monotonic()
    passed = ran([str(VENV / "bin" / check[0]), *check[1:]])
    print(f"{' '.join(check):22} {'passed' if passed else 'FAILED'} in {time.monotonic() - began:.1f} s", flush=True)
    return passed


def find_or_get_chromium() -> None:
    """Have a Chromium for the browser tests: root on Debian installs one, others are told."""
    if os.environ.get("QUAESTOR_CHROMIUM") or any(map(shutil.which, CHROMIUM_NAMES)):
        return
    apt = shutil.which("apt-get")
    if apt and os.geteuid() == 0:
        print("Installing Chromium for the browser tests ...", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = [apt, "-qq", "install", "--yes", "--no-install-recommends", "chromium", "fonts-dejavu-core"]
        if ran([apt, "-qq", "update"], environment, quiet=True) and ran(install, environment, quiet=True):
            return
    print(NO_CHROMIUM)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
