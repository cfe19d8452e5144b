"""The whole site as `manage.py up` starts it: its own database, web server and worker. For kills
see test_faults."""

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from http.client import HTTPException
from pathlib import Path

import httpx
import psycopg2
import pytest
from django.conf import settings

from config.data_folder import ROOT
from config.postgres import Cluster
from config.processes import free_port
from config.serving import WEB, WORKER
from quaestor_client import Quaestor

pytestmark = pytest.mark.jobs
GUIDE = ROOT / "docs" / "guide" / "api.md"


class Site:
    """A running `up` and what it printed."""

    def __init__(self, home: Path, *words: str) -> None:
        kept = {
            name: value
            for name, value in os.environ.items()
            if name not in ("DATABASE_URL", "QUAESTOR_HOME")
        }
        self.cluster, self.log = Cluster(home), home / "said.txt"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", *words],
                cwd=ROOT,
                env={**kept, "QUAESTOR_HOME": str(home), "QUAESTOR_WEB_PROCESSES": "1"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def said(self) -> str:
        return self.log.read_text()

    @property
    def web_log(self) -> str:
        return (self.log.parent / "logs" / "web.log").read_text()

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(timeout=120)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="quaestor-") as path:
        Path(path).chmod(0o755)
        yield Path(path)


@pytest.fixture(scope="module")
def site(home: Path) -> Iterator[tuple[Site, str]]:
    running = Site(home, "--port", str(free_port(18200)))
    try:
        until(
            lambda: "Ctrl-C stops everything" in running.said or running.process.poll() is not None
        )
        assert running.process.poll() is None, running.said
        yield running, re.findall(r"Quaestor is at (\S+)", running.said)[0]
    finally:
        running.stop()
        Cluster(home).stop()


def until(condition: Callable[[], object], seconds: float = 300) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def get(address: str) -> str:
    """Return a page as a browser without a session gets it, which keeps cookies over redirects."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(address, timeout=60) as response:
        return response.read().decode()


def answers(address: str) -> bool:
    try:
        return "csrfmiddlewaretoken" in get(address)
    except (OSError, HTTPException):  # refused, or cut off in the middle
        return False


def pids_of(home: Path, word: str) -> list[int]:
    """Return the processes of this site that have the word in their command, the oldest first."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes().decode()
            mine = f"QUAESTOR_HOME={home}\0".encode() in (path / "environ").read_bytes()
        except OSError:
            continue
        if mine and word in command:
            found.append(int(path.name))
    return sorted(found)


def test_up_serves_pages_and_styles_and_lets_the_first_administrator_choose_a_password(site):
    running, address = site

    assert answers(address + "/login/"), running.web_log
    page = get(address + "/login/")
    styles = re.findall(r'href="(/static/[^"]+\.css)"', page)
    link = re.findall(r"Choose the password here: (\S+)", running.said)[0]

    assert styles and all(get(address + path) for path in styles)
    assert 'name="new_password1"' in get(link)


def token_of_first_administrator(running: Site, address: str) -> str:
    """Choose a password, and create an API token, as on the pages."""
    password = "a long word of 5 locks"
    with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as browser:

        def send(path: str, **fields: str) -> str:
            form = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.get(path).text)
            fields["csrfmiddlewaretoken"] = form[0]
            answer = browser.post(path, data=fields, headers={"Referer": address})
            assert answer.status_code == 200, answer.text
            return answer.text

        [link] = re.findall(r"Choose the password here: (\S+)", running.said)
        chosen = str(browser.get(link).url)
        send(chosen, new_password1=password, new_password2=password)
        [name] = re.findall(r"The administrator is (\w+)", running.said)
        send("/login/", username=name, password=password)
        page = send("/tokens/", name="tutorial", scope="manage", days="1")
    [token] = re.findall(r'<code id="api-token"[^>]*>(\S+)</code>', page)
    return token


def test_tutorial_of_the_api_goes_from_a_dataframe_to_a_report(site, tmp_path):
    running, address = site
    token = token_of_first_administrator(running, address)
    [code] = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.S)
    assert len(code.splitlines()) <= 30
    found = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={
            **os.environ,
            "QUAESTOR_URL": address,
            "QUAESTOR_TOKEN": token,
            "PYTHONPATH": str(ROOT / "packages" / "quaestor-client" / "src"),
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    [campaign] = Quaestor(address, token).campaigns.list()
    assert campaign.refresh().data["state"] == "closed"
    assert len(campaign.judgments().to_pandas()) == 12 * 7 * 3  # questions, criteria, annotators
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        assert {"report.json", "data/judgments.csv"} <= set(archive.namelist())
        assert archive.testzip() is None


def connected(cluster: Cluster) -> dict[str, set[str]]:
    """Return as which roles each program is connected to the site's database; both keep connections
    when idle."""
    found: dict[str, set[str]] = {}
    with closing(psycopg2.connect(cluster.url())) as owner, owner.cursor() as cursor:
        cursor.execute(
            "SELECT application_name, usename FROM pg_stat_activity WHERE datname = 'quaestor'"
        )
        for program, role in cursor.fetchall():
            found.setdefault(program, set()).add(role)
    return found


def test_web_server_and_worker_serve_as_the_restricted_role(site):
    running, address = site
    with suppress(urllib.error.HTTPError):  # nobody has this link; it is looked up in the database
        get(address + "/join/nobody/")
    found: dict[str, set[str]] = {}
    until(lambda: found.update(connected(running.cluster)) or found.keys() >= {WEB, WORKER})

    assert (found[WEB], found[WORKER]) == ({settings.SERVER_ROLE}, {settings.SERVER_ROLE})


def test_up_takes_the_next_port_and_refuses_to_serve_the_same_data_twice(site, home):
    _, address = site
    port = address.rpartition(":")[2]
    second = Site(home, "--port", port)

    assert second.process.wait(timeout=120) == 1
    assert f"These data are served already: {address}" in second.said


def test_up_stops_everything_when_asked(
    site, home
):  # the last, as nothing is left to test after it
    running, address = site
    assert pids_of(home, "gunicorn") and pids_of(home, "celery")

    assert running.stop() == 0

    assert pids_of(home, "gunicorn") + pids_of(home, "celery") == []
    assert not (running.cluster.data / "postmaster.pid").exists()
    assert not answers(address + "/login/")
