"""Settings: what they make of the environment, in processes of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.data_folder import ROOT

# What a process needs of ours: programs, and where compiled modules are kept.
BARE = {name: os.environ[name] for name in ("PATH", "PYTHONPYCACHEPREFIX") if name in os.environ}
KEYS = "from config import settings; print(settings.SECRET_KEY, settings.PSEUDONYM_KEY)"


def start(code: str, **environment: str) -> subprocess.Popen[str]:
    kept = {**BARE, **environment}
    return subprocess.Popen(
        [sys.executable, "-c", code], cwd=ROOT, env=kept, stdout=subprocess.PIPE, text=True
    )


def said(process: subprocess.Popen[str]) -> list[str]:
    return process.communicate(timeout=60)[0].split()


def test_keys_are_made_once_and_apart_however_many_processes_start(tmp_path: Path):
    seen = [
        said(process) for process in [start(KEYS, QUAESTOR_HOME=str(tmp_path)) for _ in range(6)]
    ]

    assert len({tuple(keys) for keys in seen}) == 1
    secret, pseudonym = seen[0]
    assert secret != pseudonym and min(len(secret), len(pseudonym)) >= 60
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "pseudonym_key.txt",
        "secret_key.txt",
    ]
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_keys_from_the_environment_leave_no_file(tmp_path: Path):
    keys = {"QUAESTOR_SECRET_KEY": "one" * 11, "QUAESTOR_PSEUDONYM_KEY": "two" * 11}

    assert said(start(KEYS, QUAESTOR_HOME=str(tmp_path / "none"), **keys)) == [
        "one" * 11,
        "two" * 11,
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("origins", "found"),
    [
        ("", ["False", "0", "None"]),
        ("https://judge.example.org", ["True", "31536000", "HTTP_X_FORWARDED_PROTO"]),
        ("http://judge.lan", ["False", "0", "None"]),
        ("https://judge.example.org http://judge.lan", ["False", "0", "None"]),
    ],
)
def test_cookies_are_secure_and_tls_is_asked_for_where_every_address_has_it(
    tmp_path: Path, origins, found
):
    code = (
        "from config.settings import *; print(SESSION_COOKIE_SECURE and CSRF_COOKIE_SECURE, SECURE_HSTS_SECONDS,"
        "SECURE_PROXY_SSL_HEADER and SECURE_PROXY_SSL_HEADER[0])"
    )
    assert said(start(code, QUAESTOR_HOME=str(tmp_path), QUAESTOR_ORIGINS=origins)) == found


def test_check_for_deployment_finds_nothing_behind_https(tmp_path: Path):
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"]
    environment = {
        **BARE,
        "QUAESTOR_HOME": str(tmp_path),
        "QUAESTOR_ORIGINS": "https://judge.example.org",
        "QUAESTOR_HOSTS": "judge.example.org",
    }
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert "no issues" in done.stdout
