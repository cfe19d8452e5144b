"""The rehearsal of a whole site: install as the operators' guide says, judge, analyse, back up, serve
every kind of page, and restore, on PostgreSQL 15 and on the embedded one; and upgrade the site of an
earlier commit.

The earlier commit is the one that QUAESTOR_UPGRADE_FROM names, else the first with the present tables
and the packages of the present lock.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urldefrag, urljoin, urlsplit

import psycopg2
import pytest
import requests
from django.urls import Resolver404, resolve

from config.data_folder import ROOT
from config.postgres import Cluster
from config.processes import free_port

pytestmark = [pytest.mark.long, pytest.mark.jobs]

DATABASE, OWNER, SERVER_ROLE = "rehearsed", "rehearsed_owner", "rehearsed_server"
PATIENCE_SECONDS = 300
LOCK = "requirements.txt"
FIRST_TABLES = "judging/migrations/functions_and_triggers.sql"  # added with the first tables
LINK = re.compile(r'(?:href|src|hx-get)="([^"]+)"')
SCRIPT_OR_STYLE = (".js", ".css")
HASH_IN_NAME = re.compile(r"\.([0-9a-f]{12})\.\w+$")
MUST_BE_SEEN = {
    "administrator": {"judging:accounts", "judging:account", "judging:site_history"},
    "researcher": {
        "judging:datasets",
        "judging:dataset",
        "judging:campaigns",
        "judging:campaign",
        "judging:plan",
        "judging:preregistration",
        "judging:annotators",
        "judging:protocols",
        "judging:protocol",
        "judging:export",
        "analysis:report",
        "analysis:table",
        "analysis:pdf",
        "analysis:bundle",
        "analysis:items",
        "analysis:item",
        "analysis:metrics",
        "analysis:planning",
        "analysis:heds",
    },
    "annotator": {"annotation:home", "annotation:work", "annotation:task"},
}
API = ("me/", "datasets/", "protocols/", "campaigns/", "jobs/", "schema/", "docs/")
ROWS = """
SELECT (SELECT count(*) FROM judging_judgment), (SELECT count(*) FROM judging_user),
    (SELECT count(*) FROM judging_apitoken), (SELECT count(*) FROM analysis_run),
    (SELECT array_agg(state ORDER BY id) FROM judging_campaign)
"""


@dataclass
class Site:
    """A site whose database is on one server, installed by hand."""

    cluster: Cluster
    home: Path
    program: Path = ROOT

    def variables(self, role: str) -> dict[str, str]:
        return {
            **os.environ,
            # the libraries of this program, not those that the environment was made with
            "PYTHONPATH": os.pathsep.join(map(str, self.program.glob("packages/*/src"))),
            "DATABASE_URL": self.cluster.url(DATABASE, role=role),
            "QUAESTOR_HOME": str(self.home),
            "QUAESTOR_SERVER_ROLE": SERVER_ROLE,
        }

    def run(self, *words: str, role: str = OWNER) -> str:
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.program,
            env=self.variables(role),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def ask(self, statement: str) -> list[tuple]:
        address = self.cluster.url(DATABASE)
        with closing(psycopg2.connect(address)) as server, server, server.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def running(self, *words: str, **more: str) -> Iterator[Path]:
        """Run one of the site's services meanwhile; yield its log."""
        log = self.home / f"{words[1]}.log"
        variables = {**self.variables(SERVER_ROLE), **more}
        with log.open("wb") as output:
            service = subprocess.Popen(
                [sys.executable, *words],
                cwd=self.program,
                env=variables,
                stdout=output,
                stderr=output,
            )
        try:
            yield log
        finally:
            service.terminate()
            service.wait(timeout=PATIENCE_SECONDS)

    @contextmanager
    def serving(self) -> Iterator[str]:
        """Serve the site by gunicorn meanwhile; yield its address."""
        port = free_port(8300)
        address = f"http://127.0.0.1:{port}"
        with self.running(
            "-m", "gunicorn", "-c", "deploy/gunicorn.conf.py", QUAESTOR_BIND=f"127.0.0.1:{port}"
        ) as log:
            wait_until(lambda: answers(f"{address}/health/ready/"), log)
            yield address


@dataclass
class Visitor:
    """A user who follows links, to one page of every kind."""

    site: str
    session: requests.Session = field(default_factory=requests.Session)
    kinds: dict[str, str] = field(default_factory=dict)  # name of the address, first address
    files: set[str] = field(default_factory=set)

    def log_in(self, name: str, password: str) -> None:
        """Log in by the page."""
        page = self.session.get(f"{self.site}/login/")
        [token] = set(re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text))
        form = {"username": name, "password": password, "csrfmiddlewaretoken": token}
        done = self.session.post(
            page.url, data=form, headers={"Referer": page.url}, allow_redirects=False
        )
        assert done.status_code == 302, done.text

    def look_around(self, starts: list[str]) -> None:
        """Open some addresses, then one page of every kind that links lead to, and every script and
        style on them."""
        ahead: list[str] = []
        for path in starts:
            ahead += self.open(self.site + path)
        while ahead:
            address = ahead.pop(0)
            if self.kind_of(address) not in self.kinds:
                ahead += self.open(address)
        for address in self.files:
            assert_name_fits_content(self.session.get(address))

    def open(self, address: str) -> list[str]:
        """Open one address and return the pages that it links to."""
        kind = self.kind_of(address)
        self.kinds.setdefault(kind, address)
        page = self.session.get(address)
        assert page.status_code == 200, f"{kind} {address}: {page.status_code}"
        return self.links_of(page) if page.headers["Content-Type"].startswith("text/html") else []

    def kind_of(self, address: str) -> str:
        """Return the name of an address's kind, such as `judging:campaign`."""
        return resolve(urlsplit(address).path).view_name

    def links_of(self, page: requests.Response) -> list[str]:
        """Return the pages that a page links to; note its scripts and styles."""
        found = []
        for link in LINK.findall(page.text):
            address = urldefrag(urljoin(page.url, link.replace("&amp;", "&"))).url
            if not address.startswith(f"{self.site}/"):
                continue
            if address.endswith(SCRIPT_OR_STYLE):
                self.files.add(address)
            else:
                try:
                    self.kind_of(address)
                except Resolver404:  # a picture or a font
                    continue
                found.append(address)
        return found


def assert_name_fits_content(answer: requests.Response) -> None:
    """Assert that a script or style is served, and is the one that the hash in its name means."""
    assert answer.status_code == 200, answer.url
    named = HASH_IN_NAME.search(urlsplit(answer.url).path)
    assert named, f"{answer.url} has no hash in its name"
    digest = hashlib.md5(answer.content, usedforsecurity=False).hexdigest()
    assert digest.startswith(named[1]), answer.url


def wait_until(condition: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def answers(address: str) -> bool:
    try:
        return requests.get(address, timeout=10).status_code == 200
    except requests.ConnectionError:
        return False


@contextmanager
def installed(site: Site) -> Iterator[Site]:
    """Install a site as the operators' guide says, and remove its database and roles afterwards."""
    with ExitStack() as last:
        server = last.enter_context(closing(psycopg2.connect(site.cluster.url("postgres"))))
        server.autocommit = True
        execute = server.cursor().execute
        execute(f"CREATE ROLE {OWNER} LOGIN CREATEROLE")
        last.callback(execute, f"DROP ROLE {OWNER}")
        execute(f"CREATE DATABASE {DATABASE} OWNER {OWNER}")
        last.callback(execute, f"DROP ROLE {SERVER_ROLE}")
        last.callback(execute, f"DROP DATABASE {DATABASE} WITH (FORCE)")
        for command in ("migrate", "install_protocols", "grant_server"):
            site.run("manage.py", command)
        site.run("manage.py", "collectstatic", "--noinput")
        yield site


def fill(site: Site) -> dict:
    """Store content, and have a worker finish the analysis; return logins, token and campaigns."""
    content = json.loads(site.run("-m", "tests.config.rehearsed_site"))
    with site.running("-m", "celery", "-A", "config", "worker", "-c", "1") as log:
        state = f"SELECT state FROM judging_job WHERE id = '{content['job']}'"
        wait_until(lambda: site.ask(state) == [("done",)], log)
    return content


@pytest.mark.parametrize("server", ["older_cluster", "cluster"])
def test_site_backed_up_and_restored_serves_every_kind_of_page(
    server: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    with installed(Site(request.getfixturevalue(server), tmp_path)) as site:
        content = fill(site)
        rows, backup = site.ask(ROWS), site.home / "site.dump"
        site.run("manage.py", "backup", str(backup))

        before = pages_of(site, content)
        site.ask("UPDATE judging_user SET is_active = false; DELETE FROM judging_apitoken")
        site.run("manage.py", "restore", str(backup), "--replace")
        after = pages_of(site, content)

        assert site.ask(ROWS) == rows
        assert after == before


@pytest.fixture
def earlier_program(tmp_path: Path) -> Path:
    """Return a folder with the program of an earlier commit."""
    commit = os.environ.get("QUAESTOR_UPGRADE_FROM") or git(
        "log", "--first-parent", "-1", "--format=%H", "--", LOCK, FIRST_TABLES
    )
    if not commit:
        pytest.skip("the history of the project is not here")
    folder, archive = tmp_path / "earlier", tmp_path / "earlier.tar"
    git("archive", f"--output={archive}", commit)
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.4
        packed.extractall(folder)
    return folder


def git(*words: str) -> str:
    """Return what git says; empty if it fails, as where the history is missing."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def test_site_of_an_earlier_commit_upgraded_serves_every_kind_of_page(
    earlier_program: Path, older_cluster: Cluster, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with installed(Site(older_cluster, home, earlier_program)) as site:
        content = fill(site)
        rows = site.ask(ROWS)

        site.program = ROOT
        site.run("manage.py", "upgrade")

        assert site.ask(ROWS) == rows
        fresh = Site(older_cluster, tmp_path / "fresh")
        fresh.run("manage.py", "collectstatic", "--noinput")
        assert addresses_of_static_files(site) == addresses_of_static_files(fresh)
        pages_of(site, content)


def addresses_of_static_files(site: Site) -> dict[str, str]:
    return json.loads((site.home / "static" / "staticfiles.json").read_text())["paths"]


def pages_of(site: Site, content: dict) -> dict[str, list[str]]:
    """Look at the served site as each user and by the API; return the kinds of pages."""
    campaigns = [
        f"/campaigns/{campaign}/{page}"
        for campaign in content["campaigns"]
        for page in ("", "preregistration.md")
    ]
    with site.serving() as address:
        for path in API:
            answer = requests.get(
                f"{address}/api/v1/{path}", headers={"Authorization": f"Token {content['token']}"}
            )
            assert answer.status_code == 200, f"{path}: {answer.text}"
        kinds = {}
        for name, password in content["passwords"].items():
            visitor = Visitor(address)
            visitor.log_in(name, password)
            visitor.look_around(["/", *(campaigns if name == "researcher" else [])])
            assert not MUST_BE_SEEN[name] - visitor.kinds.keys()
            kinds[name] = sorted(visitor.kinds)
        return kinds
