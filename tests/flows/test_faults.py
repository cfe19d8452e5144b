"""A site with annotators at work, of which everything is killed once: what it acknowledged, it has, and once."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, HTTPRedirectHandler, Request, build_opener

import psycopg2
import pytest

from config.postgres import ROOT, Cluster
from config.processes import free_port
from tests.flows.outside import ROWS

pytestmark = [pytest.mark.jobs, pytest.mark.threads]

PATIENCE = 120.0  # seconds, for a machine with much else to do
CLICK = 0.05  # what a person takes at least


# ---- annotators


class Stay(HTTPRedirectHandler):
    """Shows where a redirect leads instead of going there."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


@dataclass
class Annotator:
    """Judges until told to stop; sends a request again until it is answered, as the page does, and notes what was."""

    site: str
    link: str
    rng: random.Random
    values: dict[tuple[str, str], int] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    submitted: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    sequence: int = 0

    def __post_init__(self) -> None:
        self.cookies = HTTPCookieProcessor()
        self.browser = build_opener(self.cookies, Stay())

    def work(self, stop: threading.Event) -> None:
        self.ask(f"/go/{self.link}/")  # sets the cookie against forged requests
        address = self.ask(f"/go/{self.link}/", {"go": "on"})[1]
        while not stop.is_set() and address:
            status, location, page = self.ask(address)
            address = location if status == 302 else self.judge(address, page, stop)

    def judge(self, address: str, page: str, stop: threading.Event) -> str:
        """Answer everything twice with a comment, then submit; return where that leads."""
        task = address.strip("/").rpartition("/")[2]
        names = sorted(set(re.findall(r'name="(q\d+\.\w+)"', page)))
        token = re.findall(r'name="token" value="([^"]+)"', page)[0]
        for name in [*names, *names]:
            self.draft(task, name, self.rng.choice((1, 2, 3)))
        self.draft(task, "note", f"{task} {self.rng.random()}")
        if stop.is_set():
            return ""
        answers = {name: self.values[task, name] for name in names}
        form = {"token": token, "sequence": self.sequence, "action": "submit", "note": self.notes[task], **answers}
        status, location, page = self.ask(f"/tasks/{task}/submit/?step=0", form)
        if status != 302 or task in location:
            self.problems.append(f"submit: {status} {location}")
            return ""
        self.submitted.add(task)
        return location

    def draft(self, task: str, name: str, value: Any) -> None:
        self.sequence += 1
        status, _, said = self.ask(f"/tasks/{task}/draft/", {"name": name, "value": value, "sequence": self.sequence})
        if status != 204:
            self.problems.append(f"{name}: {status} {said[:200]}")
        elif name == "note":
            self.notes[task] = value
        else:
            self.values[task, name] = value

    def ask(self, address: str, form: dict[str, Any] | None = None) -> tuple[int, str, str]:
        """Send until there is an answer; 5xx is none."""
        time.sleep(CLICK)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                answer = self.once(address, form)
            except (OSError, HTTPException):
                answer = 599, "", ""
            if answer[0] < 500:
                return answer
            time.sleep(0.2)
        raise TimeoutError(address)

    def once(self, address: str, form: dict[str, Any] | None) -> tuple[int, str, str]:
        crumb = {cookie.name: cookie.value for cookie in self.cookies.cookiejar}.get("csrftoken", "")
        request = Request(
            self.site + address, urlencode(form).encode() if form else None, {"X-CSRFToken": crumb, "Origin": self.site}
        )
        try:
            with self.browser.open(request, timeout=20) as response:
                return response.status, "", response.read().decode()
        except HTTPError as refused:
            with refused:
                return refused.code, refused.headers.get("Location", ""), refused.read().decode()


# ---- the site


@dataclass
class Site:
    """`manage.py up` on data of its own, and questions to its database."""

    home: Path
    port: int

    def start(self) -> subprocess.Popen[bytes]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("DATABASE_URL", "DJANGO_"))}
        self.environment = {**kept, "QUAESTOR_HOME": str(self.home), "DJANGO_SUPERUSER_PASSWORD": "not asked here",
                            "DJANGO_SUPERUSER_USERNAME": "admin", "DJANGO_SUPERUSER_EMAIL": ""}  # fmt: skip
        with (self.home / "said.txt").open("w") as log:
            command = [sys.executable, "manage.py", "up", "--port", str(self.port)]
            return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=subprocess.STDOUT)

    @property
    def said(self) -> str:
        return (self.home / "said.txt").read_text()

    @property
    def address(self) -> str:
        return re.findall(r"Quaestor is at (\S+)", self.said)[0]

    def make(self) -> dict[str, Any]:
        command = [sys.executable, "-m", "tests.flows.outside"]
        made = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert made.returncode == 0, made.stderr
        return json.loads(made.stdout)

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        address = Cluster(self.home).url()
        with closing(psycopg2.connect(address)) as connection, connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []


def descendants(pid: int) -> list[int]:
    """Return the processes that a process of ours started, and those that they started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def named(pid: int, word: str) -> bool:
    try:
        return word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def kill(pids: list[int]) -> None:
    assert pids
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue


def until(condition: Callable[[], object], what: str = "", pause: float = 0.05) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(pause)


@contextmanager
def served(home: Path) -> Iterator[tuple[Site, subprocess.Popen[bytes]]]:
    home.chmod(0o755)  # root hands the database to an account that must pass
    site = Site(home, free_port(18500))
    process = site.start()
    try:
        until(lambda: "Ctrl-C stops everything" in site.said or process.poll() is not None)
        assert process.poll() is None, site.said
        yield site, process
    finally:
        process.terminate()
        process.wait(PATIENCE)
        Cluster(home).stop()


@contextmanager
def at_work(site: Site, links: list[str]) -> Iterator[list[Annotator]]:
    """Have annotators judge while the block runs; all of them have come to an end after it."""
    people = [Annotator(site.address, link, random.Random(number)) for number, link in enumerate(links)]
    stop = threading.Event()
    threads = [threading.Thread(target=person.work, args=(stop,), daemon=True) for person in people]
    for thread in threads:
        thread.start()
    try:
        yield people
    finally:
        stop.set()
        for thread in threads:
            thread.join(PATIENCE)
    assert not any(thread.is_alive() for thread in threads)


def goes_on(people: list[Annotator]) -> None:
    """Wait until every annotator has handed in two more tasks."""
    before = [len(person.submitted) for person in people]
    until(
        lambda: all(len(person.submitted) > done + 1 for person, done in zip(people, before, strict=True)),
        f"{before} {[person.problems for person in people]}",
    )


# ---- what is killed


def kill_web(site: Site, up: int) -> None:
    kill([pid for pid in descendants(up) if named(pid, "gunicorn")])


@contextmanager
def import_held(site: Site) -> Iterator[None]:
    """Hold every import before its last table while the block runs, so that it cannot end before it is looked at.

    The import writes scores; annotators and the study made here do not, so nobody else waits for this lock.
    """
    with closing(psycopg2.connect(Cluster(site.home).url())) as connection, connection.cursor() as cursor:
        cursor.execute("LOCK TABLE judging_score IN SHARE MODE")
        yield


HELD = "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ILIKE 'COPY%judging_score%'"


def kill_worker_at_work(site: Site, up: int, job: str) -> None:
    """Kill the worker while its import is held."""
    until(lambda: site.rows(HELD), "the import did not begin")
    kill([pid for pid in descendants(up) if named(pid, "celery")])
    assert site.rows(f"SELECT state, attempts FROM judging_job WHERE id = '{job}'") == [("running", 1)]


def leave_behind(site: Site) -> None:
    """Wait until the database dropped the dead worker's transaction: nothing of it is left."""
    until(lambda: site.rows("SELECT attempts FROM judging_job WHERE kind = 'judging.import_study'") == [(2,)])
    assert site.rows("SELECT count(*) FROM judging_collection WHERE name = 'Large'") == [(0,)]


def kill_database(site: Site, up: int) -> None:
    postmaster = int((Cluster(site.home).data / "postmaster.pid").read_text().split()[0])
    kill(descendants(postmaster))


# ---- what must hold


DRAFTS = """
SELECT draft.assignment_id::text, criterion.key, draft.value
FROM judging_draft draft JOIN judging_criterion criterion ON criterion.id = draft.criterion_id
"""
JUDGMENTS = """
SELECT said.assignment_id::text, criterion.key, said.value
FROM judging_judgment said JOIN judging_criterion criterion ON criterion.id = said.criterion_id
"""
QUESTIONS = """
SELECT count(*), count(DISTINCT question.text) FROM judging_question question
JOIN judging_unit unit ON unit.id = question.unit_id
JOIN judging_questionset held ON held.id = unit.question_set_id
JOIN judging_system system ON system.id = held.system_id
JOIN judging_collection collection ON collection.id = system.collection_id
WHERE collection.name = 'Large'
"""


def assert_acknowledged_is_there(site: Site, people: list[Annotator]) -> None:
    values = {(task, name.partition(".")[2]): value for one in people for (task, name), value in one.values.items()}
    notes = {task: text for one in people for task, text in one.notes.items()}
    drafts = {(task, criterion): value for task, criterion, value in site.rows(DRAFTS)}
    assert drafts == values
    assert dict(site.rows("SELECT assignment_id::text, text FROM judging_note")) == notes


def assert_submitted_once(site: Site, people: list[Annotator]) -> None:
    done = {task for one in people for task in one.submitted}
    values = {(task, name.partition(".")[2]): value for one in people for (task, name), value in one.values.items()}
    judgments = site.rows(JUDGMENTS)
    assert len(judgments) == len(done) * 2
    assert {(task, criterion): value for task, criterion, value in judgments} == {
        place: value for place, value in values.items() if place[0] in done
    }
    assert {task for (task,) in site.rows("SELECT id::text FROM judging_assignment WHERE state = 'submitted'")} == done


def assert_places_are_right(site: Site) -> None:
    """Each task has its three places, whoever holds them, and nobody has two of them."""
    places = site.rows(
        "SELECT task_id, array_agg(place ORDER BY place) FROM judging_assignment "
        "WHERE state IN ('open', 'held', 'submitted') GROUP BY task_id"
    )
    assert {tuple(numbers) for _task, numbers in places} in ({(1, 2, 3)}, {(0, 1, 2)})
    assert site.rows("SELECT count(*) FROM judging_assignment WHERE state IN ('released', 'extra')") == [(0,)]


def assert_import_is_whole(site: Site, job: str) -> None:
    one = f"SELECT state, attempts, error FROM judging_job WHERE id = '{job}'"
    until(lambda: site.rows(one)[0][0] not in ("queued", "running"), "the import did not end", 0.2)
    assert site.rows(one) == [("done", 2, "")]
    assert site.rows("SELECT count(*) FROM judging_collection WHERE name = 'Large'") == [(1,)]
    assert site.rows(QUESTIONS) == [(ROWS, ROWS)]


def test_what_was_acknowledged_survives_the_death_of_everything():
    with tempfile.TemporaryDirectory(prefix="quaestor-") as folder, served(Path(folder)) as (site, process):
        with ExitStack() as hold:
            hold.enter_context(import_held(site))
            made = site.make()
            with at_work(site, made["links"]) as people:
                kill_worker_at_work(site, process.pid, made["job"])
                leave_behind(site)  # by itself, and while the second attempt is held as the first was
                hold.close()
                goes_on(people)
                kill_web(site, process.pid)
                goes_on(people)
                assert_import_is_whole(site, made["job"])
                kill_database(site, process.pid)
                goes_on(people)

        assert [problem for person in people for problem in person.problems] == []
        assert_acknowledged_is_there(site, people)
        assert_submitted_once(site, people)
        assert_places_are_right(site)
        for program in ("web server", "worker"):
            assert site.said.count(f"The {program} ended (killed by SIGKILL); starting it again.") == 1
