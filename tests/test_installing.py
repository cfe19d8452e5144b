"""What a stranger installs: a fresh clone, and wheels in empty environments."""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import run
from config.processes import free_port
from tests.config.test_report import rows

pytestmark = pytest.mark.long
ROOT = Path(run.__file__).parent
MEBIBYTE = 2**20
LIBRARIES = ("quaestor-client", "quaestor-stats", "quaestor-metrics")
OF_THIS_SITE = ("DATABASE_URL", "QUAESTOR_HOME", "DJANGO_SETTINGS_MODULE", "PYTHONPATH")
READS_HELP = (
    "import django; django.setup(); from analysis.reports.help import PIECES, piece; "
    "assert all(piece(key) for key in PIECES)"
)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Return a folder that the account of a root's database may pass."""
    with tempfile.TemporaryDirectory(prefix="quaestor-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture(scope="module")
def uv() -> list[str]:
    own = run.TOOLS / "bin" / "uv"
    found = str(own) if own.exists() else shutil.which("uv")
    if found is None:
        pytest.skip("uv, which builds and installs wheels, is not there")
    return [found, "--quiet"]


def call(*words: str | Path, folder: Path, **variables: str) -> str:
    """Run a command that knows nothing of these tests' site, and return its output."""
    ours = run.uv_environment(run.pip_settings())
    kept = {name: value for name, value in ours.items() if name not in OF_THIS_SITE}
    done = subprocess.run(
        words,
        cwd=folder,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def installed(uv: list[str], folder: Path, package: Path, *options: str | Path) -> Path:
    """Build a wheel, install it in an empty environment, and return the programs of that."""
    environment = folder / f"{package.name}-environment"
    call(*uv, "build", "--wheel", "--out-dir", folder / package.name, package, folder=folder)
    [wheel] = (folder / package.name).glob("*.whl")
    call(*uv, "venv", "--python", sys.executable, environment, folder=folder)
    python = environment / "bin" / "python"
    call(*uv, "pip", "install", "--python", python, *options, wheel, folder=folder)
    return environment / "bin"


def disk_space(folder: Path) -> int:
    """Return the bytes that a folder takes, as `du` counts them."""
    return sum(path.lstat().st_blocks * 512 for path in [folder, *folder.rglob("*")])


def test_fresh_clone_gets_an_environment_below_500_mb_and_nothing_else(folder: Path) -> None:
    clone = folder / "clone"
    call("git", "clone", "--quiet", ROOT, clone, folder=folder)
    printed = call(sys.executable, "run.py", "manage", "help", folder=clone)
    assert "create_token" in printed
    status = call("git", "status", "--ignored", "--short", folder=clone)
    assert status.split() == ["!!", ".environments/", "!!", ".venv"]
    assert disk_space((clone / ".venv").resolve()) < 500 * MEBIBYTE


@pytest.mark.parametrize("name", LIBRARIES)
def test_library_installs_in_an_empty_environment(uv: list[str], folder: Path, name: str) -> None:
    programs = installed(uv, folder, ROOT / "packages" / name)
    module = name.replace("-", "_")
    printed = call(
        programs / "python", "-I", "-c", f"import {module}; print({module}.__file__)", folder=folder
    )
    assert "site-packages" in printed


def test_application_installs_from_its_wheel_alone(uv: list[str], folder: Path) -> None:
    constraints = folder / "locked.txt"
    constraints.write_text(run.locked_versions())
    programs = installed(uv, folder, ROOT, "--constraint", constraints)
    [wheel] = (folder / ROOT.name).glob("*.whl")
    parts = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {part for part in parts if not part.endswith(".dist-info")} == {
        *("config", "judging", "annotation", "analysis"),
        *("quaestor_stats", "quaestor_metrics"),
    }
    settings = {"DJANGO_SETTINGS_MODULE": "config.settings", "QUAESTOR_HOME": str(folder / "home")}
    call(programs / "python", "-I", "-c", READS_HELP, folder=folder, **settings)
    (folder / "ratings.csv").write_text(rows())
    report = [programs / "quaestor", "report", "ratings.csv", "--metric", "overlap=higher"]
    report.append("--accept-surprises")  # the highest rating is best
    assert "report.html" in call(*report, folder=folder)
    assert (folder / "report" / "report.pdf").exists()
    demo = [programs / "quaestor", "demo", "--exit", "--port", str(free_port(18400))]
    assert "Quaestor's demo is at" in call(*demo, folder=folder, XDG_DATA_HOME=str(folder))
    assert (folder / "quaestor" / "demo-report" / "report.pdf").exists()
