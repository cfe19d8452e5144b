"""Two machines, each with a web server and a worker, on one database: annotators are answered now by
one and now by the other, and either may die with all it runs.

The machines share nothing but the database: each has a data folder of its own. Workers hear of jobs
through a Redis that the test starts where QUAESTOR_TEST_REDIS=1 says that there is one, else from the
database; `run.py test --long` tries both, and a RabbitMQ where QUAESTOR_TEST_RABBITMQ=1 says so.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psycopg2
import pytest
from django.conf import settings

from bench.brokers import BROKERS, Broker
from bench.soak_people import PATIENCE, Annotator, judging
from bench.soak_site import descendants, kill, until
from config.data_folder import ROOT
from config.postgres import DATABASE, Cluster
from config.processes import free_port
from tests.flows.ledger import (
    HELD,
    assert_acknowledged_is_there,
    assert_import_is_whole,
    assert_places_are_right,
    assert_submitted_once,
    goes_on,
)

pytestmark = [pytest.mark.long, pytest.mark.jobs]
HAS = {
    name: os.environ.get(f"QUAESTOR_TEST_{name.upper()}") == "1" and broker.is_installed
    for name, broker in BROKERS.items()
}
LONG = "QUAESTOR_LONG" in os.environ or HAS["rabbitmq"]
BELLS = ["the database", *BROKERS] if LONG else ["redis" if HAS["redis"] else "the database"]
KEYS = {
    "QUAESTOR_SECRET_KEY": "the same on both machines, as on any number of them",
    "QUAESTOR_PSEUDONYM_KEY": "this too is the same on both of the machines",
}


@dataclass
class Database:
    """The one thing the machines share."""

    cluster: Cluster

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with (
            closing(psycopg2.connect(self.cluster.url())) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
            return cursor.fetchall()


@dataclass
class Machine:
    """A data folder, a web server, a worker, and a beat that waits for its turn."""

    home: Path
    log: Path
    environment: dict[str, str]
    port: int
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def run(self, *words: str) -> str:
        """Run a program to its end and return what it said."""
        done = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        web = ["gunicorn", "-c", str(ROOT / "deploy" / "gunicorn.conf.py")]
        worker = ["celery", "-A", "config", "worker", "-c", "2", "-l", "WARNING"]
        beat = f"while ! {sys.executable} -m celery -A config beat -l WARNING; do sleep 1; done"
        with self.log.open("ab") as log:
            self.running = [
                subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=log, stderr=log)
                for command in (
                    [sys.executable, "-m", *web],
                    [sys.executable, "-m", *worker],
                    ["sh", "-c", beat],
                )
            ]

    def die(self) -> None:
        """Kill every process at once, as when the power fails."""
        kill([pid for process in self.running for pid in descendants(process.pid)])
        for process in self.running:
            process.wait()


class Wanderer(Annotator):
    """An annotator whose every request may reach another machine, as behind a proxy."""

    def once(self, address: str, form: dict[str, Any] | None) -> tuple[int, str, str]:
        self.site = self.rng.choice(self.sites)
        return super().once(address, form)

    def __init__(self, sites: list[str], link: str, rng: random.Random) -> None:
        self.sites = sites
        super().__init__(sites[0], link, rng)


MAKE = """
import os, django
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("install_protocols")
call_command("grant_server")
call_command("collectstatic", interactive=False, verbosity=0)
"""


@contextmanager
def two_machines(folder: Path, broker: str) -> Iterator[tuple[Database, Machine, Machine]]:
    """Make a database and its serving role, and two machines that do not run yet."""
    folder.chmod(0o755)  # root hands the database to an account that must pass
    names = ("PATH", "HOME", "LANG", "PYTHONPYCACHEPREFIX", "QUAESTOR_PG_BIN")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    with Cluster(folder, durable=False).serving() as cluster:
        machines = []
        for name in ("one", "two"):
            home = folder / name
            home.mkdir()
            port = free_port(18600 + 50 * len(machines))  # each tries fifty
            environment = {
                **kept,
                **KEYS,
                "DATABASE_URL": cluster.url(DATABASE, role=settings.SERVER_ROLE),
                "QUAESTOR_HOME": str(home),
                "QUAESTOR_BIND": f"127.0.0.1:{port}",
            }
            if broker:
                environment["CELERY_BROKER_URL"] = broker
            machines.append(Machine(home, folder / f"{name}.txt", environment, port))
        owns = {**machines[0].environment, "DATABASE_URL": cluster.url()}
        Machine(folder, folder / "owner.txt", owns, 0).run("-c", MAKE)
        shutil.copytree(machines[0].home / "static", machines[1].home / "static")
        try:
            yield Database(cluster), *machines
        finally:
            for process in (each for machine in machines for each in machine.running):
                kill(descendants(process.pid)) if process.poll() is None else None
                process.wait()


@contextmanager
def import_held(database: Database) -> Iterator[None]:
    """Hold every import before its last table while the block runs."""
    with (
        closing(psycopg2.connect(database.cluster.url())) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("LOCK TABLE judging_score IN SHARE MODE")
        yield


def skip_without(name: str) -> Broker:
    if not HAS[name]:
        pytest.skip(f"set QUAESTOR_TEST_{name.upper()}=1 where {name} is installed")
    return BROKERS[name]


@pytest.fixture(params=BELLS)
def broker(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the address of what tells workers of jobs; none where the database does."""
    if request.param == "the database":
        yield ""
        return
    port, found = free_port(18800), skip_without(request.param)
    with found.run(tmp_path, port):
        yield found.address.format(port=port)


def test_either_machine_answers_and_either_may_die(broker: str):
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-") as folder,
        two_machines(Path(folder), broker) as (database, one, two),
    ):
        made = json.loads(one.run("-m", "tests.flows.outside"))
        people = [
            Wanderer([one.address, two.address], link, random.Random(number))
            for number, link in enumerate(made["links"])
        ]
        with ExitStack() as hold:
            hold.enter_context(import_held(database))
            one.start()
            until(lambda: database.rows(HELD), "the import did not begin")
            two.start()
            with judging(people):
                goes_on(people)
                one.die()
                until(
                    lambda: (
                        database.rows(
                            "SELECT attempts FROM judging_job WHERE kind = 'judging.add_files'"
                        )
                        == [(2,)]
                    ),
                    "the other worker did not take the import over",
                )
                goes_on(people)
                hold.close()
                assert_import_is_whole(database, made["job"])
                one.start()
                until(lambda: answers(one), "the first machine did not come back")
                two.die()
                goes_on(people)

        assert [problem for person in people for problem in person.problems] == []
        assert_acknowledged_is_there(database, people)
        assert_submitted_once(database, people)
        assert_places_are_right(database)
        for machine in (one, two):  # so its file system may be read-only
            assert [path.name for path in machine.home.iterdir()] == ["static"]
            # RabbitMQ, of a queue of another
            assert "RESOURCE_LOCKED" not in machine.log.read_text()


RING = """
import sys, django
sys.stderr = sys.stdout  # where the log goes
django.setup()
from judging.jobs.tasks import announce_job
announce_job(sys.argv[1])
"""
ENDED = "SELECT state, attempts FROM judging_job WHERE state NOT IN ('queued', 'running')"


@pytest.mark.parametrize("name", [name for name in BROKERS if name == "redis" or LONG])
def test_a_broker_that_hangs_or_dies_holds_up_no_page_and_loses_no_job(name: str, tmp_path: Path):
    port, found = free_port(18800), skip_without(name)
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-") as folder,
        two_machines(Path(folder), found.address.format(port=port)) as (database, one, two),
    ):
        one.environment["DJANGO_SETTINGS_MODULE"] = "config.settings"
        with found.run(tmp_path, port) as server:
            one.start()
            two.start()
            until(lambda: answers(one) and answers(two), "the machines did not start")
            os.killpg(server.pid, signal.SIGSTOP)
            made = json.loads(one.run("-m", "tests.flows.outside"))
            said = one.run("-c", RING, made["job"])
        assert "The broker could not be reached" in said
        with found.run(tmp_path, port):
            until(lambda: database.rows(ENDED), "nobody was told of the job again")
            assert database.rows(ENDED) == [("done", 1)]


def answers(machine: Machine) -> bool:
    """Say whether the machine's web server serves pages."""
    try:
        with urlopen(f"{machine.address}/health/ready/", timeout=5) as response:
            return response.status == 200
    except OSError:
        return False
