"""The door on a fresh machine; that it really sets one up is tried in a fresh clone, not here."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import run
from config import data_folder, running_site

ROOT = Path(run.__file__).parent
LOCALES = ("django/conf/locale", "django/conf/locale/de")


def test_run_imports_only_the_standard_library():
    code = "import sys; sys.path.insert(0, '.'); import run"

    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("words", [["--home", "x", "--exit"], ["--exit", "--home=x"]])
def test_home_is_taken_from_the_words(words, monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", "before")

    monkeypatch.delenv("DATABASE_URL")
    assert data_folder.take_home(words) == ["--exit"]
    assert os.environ["QUAESTOR_HOME"] == str(Path("x").absolute())


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Have run.py set up a folder of the test's own, from locks without packages."""
    for name, path in (
        ("ROOT", ""),
        ("ENVIRONMENTS", ".environments"),
        ("VENV", ".venv"),
        ("LOCK", "lock"),
        ("TESTS_LOCK", "tests"),
        ("KEPT_EXTRAS", "extras"),
    ):
        monkeypatch.setattr(run, name, tmp_path / path)
    monkeypatch.setattr(run, "LIBRARIES", ())  # no lock of these tests has what builds them
    run.LOCK.touch()
    run.TESTS_LOCK.write_text("# what tests it")
    return tmp_path


def made_by_hand(environment, version="3.12"):
    python = environment / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!/bin/sh\necho '{version}'\n")
    python.chmod(0o755)


def locked(path: Path) -> dict[str, str]:
    """Return the versions that a lock names, by package and by where it is for."""
    lines = (
        line
        for line in path.read_text().splitlines()
        if "==" in line and not line.startswith((" ", "#"))
    )
    return dict(line.rstrip(" \\").split("==", 1) for line in lines)


def test_lock_of_the_site_holds_no_test_tool_and_that_of_the_tests_the_same_versions():
    site, tests = locked(run.LOCK), locked(run.TESTS_LOCK)
    assert {"pytest", "playwright", "hypothesis", "ruff", "mypy", "pip-audit"}.isdisjoint(site)
    assert {"django", "gunicorn", "scipy", "pyotp"} <= site.keys()
    assert {"pytest", "playwright", "pip-audit"} <= tests.keys()

    def version(text: str) -> str:
        return text.partition(" ")[0]

    assert {name: version(said) for name, said in site.items()} == {
        name: version(said) for name, said in tests.items() if name in site
    }


def test_set_up_new_lock_leaves_the_environment_of_running_servers(elsewhere):
    run.set_up(tests=False)
    before = run.VENV.resolve()
    (package,) = before.glob("lib/*/site-packages")
    (package / "imported_late.py").write_text("VALUE = 'from the environment it began with'")
    waits = "input(); import imported_late; print(imported_late.VALUE)"
    with subprocess.Popen(
        [run.python(), "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        run.LOCK.write_text("# a new version's")
        run.set_up(tests=False)
        printed, _ = server.communicate("\n")

    assert printed == "from the environment it began with\n"
    assert run.VENV.resolve() != before


@pytest.mark.long
def test_set_up_failed_build_leaves_the_environment_before_it(elsewhere):
    run.set_up(tests=False)
    before, old_lock = run.VENV.resolve(), run.LOCK.read_text()

    run.LOCK.write_text("this is no requirement")
    with pytest.raises(SystemExit, match="check that version out again to start it"):
        run.set_up(tests=False)

    assert run.VENV.resolve() == before
    run.LOCK.write_text(old_lock)
    assert run.is_set_up(run.VENV, tests=False)


def test_set_up_keeps_one_old_environment_and_goes_back_to_it(elsewhere):
    made = []
    for lock in ("# first", "# second", "# third", "# second"):
        run.LOCK.write_text(lock)
        run.set_up(tests=False)
        made.append(run.VENV.resolve())

    first, second, third, again = made
    assert again == second
    assert set(run.ENVIRONMENTS.iterdir()) == {second, third}
    assert not first.exists()


def test_set_up_removes_unused_parts_of_packages_and_keeps_tools_and_extras(elsewhere, monkeypatch):
    monkeypatch.setattr(run, "TOOLS", run.ENVIRONMENTS / "tools")
    monkeypatch.setattr(run, "KEPT_EXTRAS", run.ENVIRONMENTS / "extras")

    def install(environment, lock):
        made_by_hand(environment)
        packages = environment / "lib" / "python3.12" / "site-packages"
        for folder in (
            "scipy/stats/tests/data",
            "scipy/stats",
            "django/conf/locale/fr/LC_MESSAGES",
        ):
            (packages / folder).mkdir(parents=True, exist_ok=True)
        (packages / "django" / "conf" / "locale" / "de").mkdir()
        run.TOOLS.mkdir(exist_ok=True)
        return True

    monkeypatch.setattr(run, "install_with_uv", install)
    run.ENVIRONMENTS.mkdir()
    run.KEPT_EXTRAS.touch()
    run.set_up(tests=False)

    [packages] = run.VENV.glob("lib/*/site-packages")
    kept = {str(path.relative_to(packages)) for path in packages.rglob("*")}
    assert kept == {*("scipy", "scipy/stats", "django", "django/conf"), *LOCALES}
    assert run.TOOLS.exists()
    assert run.KEPT_EXTRAS.exists()


def test_help_stores_no_keys(tmp_path):
    environment = {**os.environ, "QUAESTOR_HOME": str(tmp_path / "home")}
    subprocess.run([sys.executable, "manage.py", "help"], cwd=ROOT, env=environment, check=True)
    assert not (tmp_path / "home").exists()


def test_data_folder_is_that_of_the_user_outside_a_checkout(tmp_path, monkeypatch):
    monkeypatch.delenv("QUAESTOR_HOME")
    assert data_folder.data_folder() == ROOT / "var"
    monkeypatch.setattr(data_folder, "IS_CHECKOUT", False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder.data_folder() == tmp_path / "quaestor"


def test_upgrade_stops_the_site_before_it_builds_an_environment(elsewhere, monkeypatch):
    home = elsewhere / "home"
    home.mkdir()
    running_site.lock_file(home).write_text("http://127.0.0.1:8000")
    serves = (
        "import fcntl, signal, sys; file = open(sys.argv[1]);"
        "fcntl.flock(file, fcntl.LOCK_EX); print('serving', flush=True); signal.pause()"
    )
    monkeypatch.setenv("QUAESTOR_HOME", "before")
    monkeypatch.delenv("DATABASE_URL")
    with subprocess.Popen(
        [sys.executable, "-c", serves, str(running_site.lock_file(home))], stdout=subprocess.PIPE
    ) as site:
        running_site.process_file(home).write_text(str(site.pid))
        assert site.stdout.readline() == b"serving\n"
        monkeypatch.setattr(run, "build", lambda environment, tests: sys.exit(str(site.wait())))
        with pytest.raises(SystemExit, match=str(-signal.SIGTERM)):
            run.main(["manage", "upgrade", "--home", str(home)])


@pytest.mark.parametrize("command", ["backup", "restore", "upgrade", "migrate"])
def test_home_beside_an_address_of_another_database_is_refused(command, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://elsewhere/quaestor")
    with pytest.raises(SystemExit, match="--home names the embedded database of that folder"):
        run.main(["manage", command, "x.dump", "--home", "here"])


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_interrupted_installation_leaves_nothing(elsewhere, monkeypatch, end):
    def cut_short(environment, lock):
        made_by_hand(environment)
        raise end

    monkeypatch.setattr(run, "install_with_uv", cut_short)
    with pytest.raises(end):
        run.set_up(tests=False)

    assert not run.VENV.exists()
    assert list(run.ENVIRONMENTS.iterdir()) == []


def test_extras_are_those_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]

    assert {name: list(extra.packages) for name, extra in run.EXTRAS.items()} == project
