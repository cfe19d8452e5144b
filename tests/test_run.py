"""The door on a fresh machine; that it really sets one up is tried in a fresh clone, not here."""

import os
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import run
from config import running_site

ROOT = Path(run.__file__).parent


def test_run_without_words_prints_help():
    done = subprocess.run(
        [sys.executable, "run.py"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert done.stdout.startswith("Quaestor: human evaluation")


def test_run_with_an_unknown_word_prints_help_and_fails():
    done = subprocess.run(
        [sys.executable, "run.py", "sing"], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.returncode, done.stdout.startswith("Quaestor")) == (2, True)


def test_run_imports_only_the_standard_library():
    code = "import sys; sys.path.insert(0, '.'); import run"

    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("words", [["--home", "x", "--exit"], ["--exit", "--home=x"]])
def test_home_is_taken_from_the_words(words, monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", "before")

    monkeypatch.delenv("DATABASE_URL")
    assert run.take_home(words) == ["--exit"]
    assert os.environ["QUAESTOR_HOME"] == str(Path("x").absolute())


def test_words_without_home_leave_the_data_folder(monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", "before")

    assert run.take_home(["--port", "8001"]) == ["--port", "8001"]
    assert os.environ["QUAESTOR_HOME"] == "before"


def test_pip_settings_reach_uv_under_its_own_names(monkeypatch):
    monkeypatch.delenv("UV_INDEX", raising=False)

    environment = run.uv_environment(
        {
            "index-url": "https://one/simple",
            "extra-index-url": "\nfile:///two\nfile:///three",
            "find-links": "/a /b",
        }
    )

    assert environment["UV_DEFAULT_INDEX"] == "https://one/simple"
    assert environment["UV_INDEX"] == "file:///two file:///three"
    assert environment["UV_FIND_LINKS"] == "/a,/b"


def test_what_is_set_for_uv_wins_over_pip_settings(monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mine/simple")

    assert (
        run.uv_environment({"index-url": "https://pip/simple"})["UV_DEFAULT_INDEX"]
        == "https://mine/simple"
    )


@pytest.mark.parametrize("home", [None, "", "/nonexistent"])
def test_cache_is_kept_in_the_project_where_there_is_no_home(home, monkeypatch):
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)

    assert run.uv_environment({})["UV_CACHE_DIR"] == str(run.TOOLS / "cache")


def test_modules_of_the_folder_that_it_is_called_in_are_not_run(tmp_path, monkeypatch):
    for name in ("pip", "ast"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w').close()")
    monkeypatch.chdir(tmp_path)

    run.pip_settings()
    monkeypatch.setattr(run, "ROOT", tmp_path)  # nor those of another folder
    run.pip_settings()

    assert not (tmp_path / "ran").exists()


def test_environment_wins_over_the_section_and_the_section_over_global():
    lines = [":env:.index-url='e'", "global.index-url='g'", "install.index-url='i'"]

    assert sorted(lines, key=run.strength) == [lines[1], lines[2], lines[0]]


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
    run.LOCK.touch()
    run.TESTS_LOCK.write_text("# what tests it")
    return tmp_path


def environment_saying(version):
    """Make an environment whose Python names this version."""
    made_by_hand(run.VENV, version)
    return run.VENV / run.STAMP


def made_by_hand(environment, version="3.12"):
    python = environment / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f"#!/bin/sh\necho '{version}'\n")
    python.chmod(0o755)


def test_environment_made_from_another_lock_is_not_taken_for_this_one(elsewhere):
    def is_set_up():
        return tuple(run.is_set_up(run.VENV, tests=tests) for tests in (False, True))

    stamp = environment_saying("3.12")
    assert is_set_up() == (False, False)

    stamp.write_text(run.fingerprint("3.12", tests=False))
    assert is_set_up() == (True, False)

    stamp.write_text(run.fingerprint("3.12", tests=True))
    assert is_set_up() == (True, True)

    run.LOCK.write_text("# another lock")
    assert is_set_up() == (False, False)


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


def test_audit_names_weak_packages_and_says_when_nobody_could_be_asked():
    sound = {"name": "django", "version": "5.2", "vulns": []}
    weak = {"name": "x", "version": "1.0", "vulns": [{"id": "CVE-1"}, {"id": "CVE-2"}]}
    unknown = {"name": "y", "skip_reason": "not found"}

    assert run.audited([sound, unknown]) == "1 of 2 locked packages looked up: no known weakness."
    assert (
        run.audited([sound, weak])
        == "KNOWN WEAKNESSES in locked packages:\n  x 1.0: CVE-1\n  x 1.0: CVE-2"
    )
    assert run.audited([unknown]) == run.NOT_AUDITED


def test_environment_serves_whichever_python_opens_the_door_until_its_own_changes(
    elsewhere, monkeypatch
):
    stamp = environment_saying("3.12")
    stamp.write_text(run.fingerprint("3.12", tests=False))

    monkeypatch.setattr(sys, "version", "3.13, which somebody opened the door with")
    assert run.is_set_up(run.VENV, tests=False)

    environment_saying("3.13, after an upgrade of the system")
    assert not run.is_set_up(run.VENV, tests=False)


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


def test_set_up_folder_or_foreign_link_in_its_place_gives_way(elsewhere):
    made_by_hand(run.VENV)
    another = elsewhere / "another"
    made_by_hand(another)

    run.set_up(tests=False)
    assert run.is_set_up(run.VENV, tests=False)
    run.VENV.unlink()
    run.VENV.symlink_to(another)
    run.set_up(tests=False)

    assert run.VENV.resolve().parent == run.ENVIRONMENTS
    assert (another / "bin" / "python").exists()


def test_half_an_installer_never_bears_its_name(elsewhere, monkeypatch):
    def ran(command, *words, **options):
        if "--target" in command:
            Path(command[command.index("--target") + 1], "uv").mkdir(parents=True)
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(run, "ran", ran)
    monkeypatch.setattr(run, "TOOLS", elsewhere / ".tools")
    with pytest.raises(KeyboardInterrupt):
        run.get_uv()

    assert not [path for path in elsewhere.iterdir() if path.name.startswith(".tools")]


def test_folder_that_cannot_be_written_is_said(elsewhere, monkeypatch):
    # root may write anywhere but to such a disk
    monkeypatch.setattr(run.os, "access", lambda path, mode: False)
    with pytest.raises(SystemExit, match="cannot be written to"):
        run.set_up(tests=False)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONPYCACHEPREFIX": str(run.VENV / "bytecode")}),
        (
            {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/x"},
            {"PYTHONPYCACHEPREFIX": "/x"},
        ),
    ],
)
def test_compiled_code_is_kept_in_the_environment_where_none_may_lie_beside_the_sources(
    before, after, monkeypatch
):
    environment = dict(before)
    monkeypatch.setattr(run.os, "environ", environment)
    run.keep_bytecode()
    assert environment == after


def node_saying(tmp_path: Path, version: str) -> Path:
    """Make a folder with a Node of a version and an npm that notes how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    programs = {"node": f"echo {version}", "npm": f'echo "$@" >> {tmp_path / "called"}'}
    for name, does in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Let run.py keep the packages of the scripts' checks elsewhere."""
    for name in ("NODE_STAMP", "NODE_LOCK"):
        monkeypatch.setattr(run, name, tmp_path / name)
    run.NODE_LOCK.write_text("a lock")
    return tmp_path


@pytest.mark.parametrize("version", ["v18.19.0", "", "unknown"])
def test_checks_of_scripts_are_left_out_in_one_line_where_node_is_too_old(
    version, scripts, monkeypatch, capfd
):
    monkeypatch.setenv("PATH", f"{node_saying(scripts, version)}:{os.environ['PATH']}")

    assert run.check_scripts() == []
    assert capfd.readouterr().out == f"{run.NO_NODE}\n"
    assert not (scripts / "called").exists()


def test_checks_of_scripts_are_left_out_in_one_line_where_there_is_no_node(
    scripts, monkeypatch, capfd
):
    monkeypatch.setenv("PATH", str(scripts))

    assert run.check_scripts() == []
    assert capfd.readouterr().out == f"{run.NO_NODE}\n"


def test_packages_of_the_scripts_checks_are_installed_once_for_each_lock(scripts, monkeypatch):
    monkeypatch.setenv("PATH", f"{node_saying(scripts, 'v20.1.0')}:{os.environ['PATH']}")
    called = scripts / "called"

    assert run.check_scripts() == run.check_scripts() == []
    lines = called.read_text().splitlines()
    assert [line.split()[0] for line in lines] == ["ci", "run", "run", "run", "run"]
    assert [line.split()[-1] for line in lines[1:3]] == ["lint", "test"]

    run.NODE_LOCK.write_text("another lock")
    run.check_scripts()
    assert called.read_text().splitlines()[5].split()[0] == "ci"


def test_a_check_of_scripts_that_fails_is_named(scripts, monkeypatch):
    folder = node_saying(scripts, "v22.0.0")
    (folder / "npm").write_text('#!/bin/sh\ntest "$1" = ci || exit 1\n')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    assert run.check_scripts() == list(run.SCRIPT_CHECKS)


def test_packages_that_cannot_be_installed_are_said_and_tried_again(scripts, monkeypatch, capfd):
    folder = node_saying(scripts, "v20.1.0")
    (folder / "npm").write_text("#!/bin/sh\nexit 1\n")
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")

    assert run.check_scripts() == []
    assert capfd.readouterr().out.endswith(f"{run.NO_NODE_PACKAGES}\n")
    assert not run.has_node_packages()


def test_lock_of_the_scripts_checks_names_no_registry():
    """Everybody has a registry of their own."""
    assert '"resolved"' not in (ROOT / "package-lock.json").read_text()


def test_extras_without_names_lists_them_with_size_and_licence(capsys):
    assert run.main(["extras"]) == 0

    told = capsys.readouterr().out
    assert all(name in told for name in run.EXTRAS)
    assert "104 MB" in told and "Apache 2.0" in told


def test_an_unknown_extra_is_refused_before_anything_is_installed(capsys):
    assert run.main(["extras", "meteor", "moon"]) == 2

    assert capsys.readouterr().out.startswith("No extra is called moon.")


def test_extras_are_those_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]

    assert {name: list(extra.packages) for name, extra in run.EXTRAS.items()} == project


def test_packages_of_extras_must_fit_the_lock():
    lines = run.locked_versions().splitlines()

    assert any(line.startswith("numpy==") for line in lines)
    assert not [
        line for line in lines if "--hash" in line or line.startswith("#") or line.endswith("\\")
    ]
