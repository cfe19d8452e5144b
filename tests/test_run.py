"""The door on a fresh machine; that it really sets one up is tried in a fresh clone, not here."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import run

ROOT = Path(run.__file__).parent


def test_run_without_words_prints_help():
    done = subprocess.run([sys.executable, "run.py"], cwd=ROOT, capture_output=True, text=True, check=True)

    assert done.stdout.startswith("Quaestor: human evaluation")


def test_run_with_an_unknown_word_prints_help_and_fails():
    done = subprocess.run([sys.executable, "run.py", "sing"], cwd=ROOT, capture_output=True, text=True)

    assert (done.returncode, done.stdout.startswith("Quaestor")) == (2, True)


def test_run_imports_only_the_standard_library():
    code = "import sys; sys.path.insert(0, '.'); import run"

    subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=ROOT, check=True)


@pytest.mark.parametrize("words", [["--home", "x", "--exit"], ["--exit", "--home=x"]])
def test_home_is_taken_from_the_words(words, monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", "before")

    assert run.take_home(words) == ["--exit"]
    assert os.environ["QUAESTOR_HOME"] == str(Path("x").absolute())


def test_words_without_home_leave_the_data_folder(monkeypatch):
    monkeypatch.setenv("QUAESTOR_HOME", "before")

    assert run.take_home(["--port", "8001"]) == ["--port", "8001"]
    assert os.environ["QUAESTOR_HOME"] == "before"


def test_pip_settings_reach_uv_under_its_own_names(monkeypatch):
    monkeypatch.delenv("UV_INDEX", raising=False)

    environment = run.uv_environment(
        {"index-url": "https://one/simple", "extra-index-url": "\nfile:///two\nfile:///three", "find-links": "/a /b"}
    )

    assert environment["UV_DEFAULT_INDEX"] == "https://one/simple"
    assert environment["UV_INDEX"] == "file:///two file:///three"
    assert environment["UV_FIND_LINKS"] == "/a,/b"


def test_what_is_set_for_uv_wins_over_pip_settings(monkeypatch):
    monkeypatch.setenv("UV_DEFAULT_INDEX", "https://mine/simple")

    assert run.uv_environment({"index-url": "https://pip/simple"})["UV_DEFAULT_INDEX"] == "https://mine/simple"


@pytest.mark.parametrize("home", [None, "", "/nonexistent"])
def test_cache_is_kept_in_the_project_where_there_is_no_home(home, monkeypatch):
    monkeypatch.delenv("UV_CACHE_DIR", raising=False)
    monkeypatch.delenv("HOME") if home is None else monkeypatch.setenv("HOME", home)

    assert run.uv_environment({})["UV_CACHE_DIR"] == str(run.TOOLS / "cache")


def test_environment_wins_over_the_section_and_the_section_over_global():
    lines = [":env:.index-url='e'", "global.index-url='g'", "install.index-url='i'"]

    assert sorted(lines, key=run.strength) == [lines[1], lines[2], lines[0]]


def test_environment_made_from_another_lock_is_not_taken_for_this_one(tmp_path, monkeypatch):
    for name in ("PYTHON", "STAMP", "LOCK"):
        monkeypatch.setattr(run, name, tmp_path / name)
        (tmp_path / name).touch()
    assert not run.is_set_up()

    run.STAMP.write_text(run.fingerprint())
    assert run.is_set_up()

    run.LOCK.write_text("another lock")
    assert not run.is_set_up()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({}, {}),
        ({"PYTHONDONTWRITEBYTECODE": "1"}, {"PYTHONPYCACHEPREFIX": str(run.VENV / "bytecode")}),
        ({"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": "/x"}, {"PYTHONPYCACHEPREFIX": "/x"}),
    ],
)
def test_compiled_code_is_kept_in_the_environment_where_none_may_lie_beside_the_sources(before, after, monkeypatch):
    environment = dict(before)
    monkeypatch.setattr(run.os, "environ", environment)
    run.keep_bytecode()
    assert environment == after


def test_extras_without_names_lists_them_with_size_and_licence(capsys):
    assert run.main(["extras"]) == 0

    told = capsys.readouterr().out
    assert all(name in told for name in run.EXTRAS)
    assert "104 MB" in told and "Apache 2.0" in told


def test_an_unknown_extra_is_refused_before_anything_is_installed(capsys):
    assert run.main(["extras", "meteor", "moon"]) == 2

    assert capsys.readouterr().out.startswith("No extra is called moon.")


def test_extras_are_those_of_the_project_file():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]

    assert {name: list(extra.packages) for name, extra in run.EXTRAS.items()} == project


def test_packages_of_extras_must_fit_the_lock():
    lines = run.locked_versions().splitlines()

    assert any(line.startswith("numpy==") for line in lines)
    assert not [line for line in lines if "--hash" in line or line.startswith("#") or line.endswith("\\")]
