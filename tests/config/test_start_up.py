"""What cannot start says why, in a sentence."""

import os
import subprocess
import sys

import pytest

from config.data_folder import ROOT


def started(home: str) -> subprocess.CompletedProcess[str]:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DATABASE_URL", "DJANGO"))
    }
    return subprocess.run(
        [sys.executable, "manage.py", "install_protocols"],
        cwd=ROOT,
        env={**environment, "QUAESTOR_HOME": home},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("home", "why"),
    [
        ("file", "is not a folder"),
        ("file/below", "is not a folder"),
        ("/sys/quaestor", "cannot be read or written by this account"),
    ],
)
def test_data_folder_that_cannot_be_used_is_said(tmp_path, home, why):
    (tmp_path / "file").touch()

    done = started(str(tmp_path / home))

    assert done.returncode == 1
    assert why in done.stderr
    assert done.stderr.startswith(f"The data folder {tmp_path / home} cannot be used: ")
    assert done.stderr.count("\n") == 1
