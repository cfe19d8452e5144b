"""Kill processes of a site under load at random, again and again: every acknowledged answer must be
stored exactly once.

    python3 run.py soak [--minutes 10] [--kills 500] [--annotators 8] [--click 0.3] [--seed 1]
                        [--disk 900] [--clock] [--network | --network redis | --network rabbitmq]
                        [--cable]

It serves a site of its own on the loopback, in a folder that it removes. Annotators judge without
pause and note what the server acknowledged; a researcher imports one file after the other. After
each kill the soak measures how long it takes until every annotator has been answered again, and
until the job at work has been taken over; at the end it compares all answers with the database. It
prints one table, and fails if an answer is lost or doubled, or a job does not end. With `--disk`
the data are on a disk of so many megabytes (which requires the right to mount), which now and then
is full for three seconds. With `--clock` the time of day of all processes of the site, including
the database, is set forward and back by an hour and by 26 (which requires a C compiler). With
`--network` the connection to the database, and to a broker, is cut for some seconds: connections
are refused, or no data pass any more. With `--cable` the database is reached by a cable between two
network namespaces (which requires Linux and root), which is pulled out for up to forty seconds.
"""

import argparse
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psycopg2

from bench.brokers import BROKERS
from bench.soak_network import Cable, Wire, in_a_namespace, network, wired
from bench.soak_people import PATIENCE, Annotator, Researcher, at_work
from bench.soak_site import (
    Clock,
    Site,
    age,
    descendants,
    fill_disk,
    kill,
    named,
    served,
    small_disk,
    until,
)
from config.postgres import Cluster

log = logging.getLogger(__name__)
ROWS = 6_000
FULL_FOR = 3.0  # seconds
FULL_DISK = "the disk is full, from when it has room again"
CLOCK = {
    "the clock, an hour forward": 3_900,
    "the clock, an hour back": -3_900,
    "the clock, 26 hours forward": 93_600,
    "the clock, 26 hours back": -93_600,
}
CUT_FOR = (3.0, 12.0)  # seconds, at least and at most
PULLED_FOR = (15.0, 40.0)
PULLED = "the cable to {} pulled out"
REFUSED, SILENT = "connections to {} refused", "nothing from {} comes through"
PAUSE = 2.0  # seconds between two kills, in which everything works
ENDED = ("done", "failed", "cancelled")
ONE_JOB = "SELECT id::text, state, attempts, started_at IS NULL FROM judging_job ORDER BY created_at DESC LIMIT 1"
JOBS = "SELECT state, attempts, error, count(*) FROM judging_job GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
JUDGED = """
SELECT said.assignment_id::text, criterion.key, array_agg(said.value)
FROM judging_judgment said JOIN judging_criterion criterion ON criterion.id = said.criterion_id GROUP BY 1, 2
"""
DRAFTED = """
SELECT draft.assignment_id::text, criterion.key, draft.value
FROM judging_draft draft JOIN judging_criterion criterion ON criterion.id = draft.criterion_id
"""
BACKENDS = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
# No annotator leaves a task here, and no lease is longer than half an hour.
LEASES = """
SELECT count(*) FROM judging_assignment WHERE state IN ('released', 'extra')
OR (state = 'held' AND (last_seen_at > now() + interval '1 minute' OR lease_expires_at < now()))
"""
TOO_MANY = """
SELECT count(*) FROM (SELECT task_id FROM judging_assignment WHERE state IN ('open', 'held', 'submitted')
GROUP BY task_id HAVING count(*) > 3) AS over
"""


@dataclass
class Soak:
    """A site at work: whom it can kill, and what it saw."""

    site: Site
    up: int
    rng: random.Random
    clock: Clock | None = None
    cables: dict[str, Cable | Wire] = field(default_factory=dict)
    answered: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    taken_over: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    begun: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lost: int = 0
    doubled: int = 0

    def faults(self) -> list[str]:
        """Return the failures that the soak can cause."""
        if self.cables:
            return [
                said.format(what)
                for what, cable in self.cables.items()
                for said in ((PULLED,) if isinstance(cable, Wire) else (REFUSED, SILENT))
            ]
        with_clock = ("a process of the worker", "the worker", "the whole database")
        return [*CLOCK, *with_clock] if self.clock else list(self.victims())

    def victims(self) -> dict[str, Callable[[], list[int]]]:
        """Return how to find the processes of each kind that can die."""
        return {
            "a web process": lambda: self._one(self._children("gunicorn")),
            "the web server's master": lambda: self._masters("gunicorn"),
            "a process of the worker": lambda: self._one(self._children("celery")),
            "the worker": lambda: self._masters("celery"),
            "the worker of sweeps": lambda: self._named("sweeps@"),
            "beat": lambda: self._named("beat"),
            "a backend of the database": lambda: self._one(self._backends()),
            "the database's master": lambda: [self._postmaster()],
            "the whole database": lambda: descendants(self._postmaster()),
        }

    def _one(self, pids: list[int]) -> list[int]:
        return [self.rng.choice(pids)] if pids else []

    def _named(self, word: str) -> list[int]:
        return [pid for pid in descendants(self.up)[1:] if named(pid, word)]

    def _masters(self, word: str) -> list[int]:
        return [pid for pid in self._named(word) if len(descendants(pid)) > 1][:1]

    def _children(self, word: str) -> list[int]:
        return [pid for master in self._masters(word) for pid in descendants(master)[1:]]

    def _postmaster(self) -> int:
        return int((Cluster(self.site.home).data / "postmaster.pid").read_text().split()[0])

    def _backends(self) -> list[int]:
        found = self.ask(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return [pid for (pid,) in found]

    def ask(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the database, as often as it takes."""
        deadline = time.monotonic() + 120
        while True:
            try:
                return self.site.rows(statement)
            except psycopg2.OperationalError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.05)

    def strike(
        self, name: str, people: list[Annotator], importer: "Importer | None" = None
    ) -> None:
        """Cause one failure, and measure until all annotators are answered and jobs are done."""
        log.info("%s", name)
        if name == FULL_DISK:
            fill_disk(self.site.home, FULL_FOR)
            self.measure(name, people)
        elif name in self.victims():
            self.kill(name, people)
        else:
            [(job, state, attempts, _new)] = self.ask(ONE_JOB)
            self.set_clock(name) if name in CLOCK else self.cut(name)
            began = self.measure(name, people)
            if state == "running" and self._was_at_work(job, attempts):
                self.taken_over[name].append(time.monotonic() - began)
                log.info("%s: its job taken over after %.2f s", name, self.taken_over[name][-1])
            until(lambda: importer.asked_after(began), f"after {name}: no job begins", 0.02)
            self.begun[name].append(importer.asked_after(began)[0])
            log.info("%s: the next job began after %.2f s", name, self.begun[name][-1])
        self.check(people)

    def kill(self, name: str, people: list[Annotator]) -> None:
        find = self.victims()[name]
        works = "worker" in name
        if works:
            until(lambda: self.ask(ONE_JOB)[0][1] == "running", "no job was at work", 0.02)
        [(job, _state, attempts, _new)] = self.ask(ONE_JOB)
        until(lambda: bool(find()), f"no {name}")
        pids = find()
        log.info("%s: killed, which had lived %.1f s", name, age(pids[0]))
        kill(pids)
        began = self.measure(name, people)
        if works and self._was_at_work(job, attempts):
            self.taken_over[name].append(time.monotonic() - began)
            log.info("%s: its job taken over after %.2f s", name, self.taken_over[name][-1])

    def set_clock(self, name: str) -> None:
        assert self.clock is not None
        self.clock.set(self.clock.ahead + CLOCK[name])
        [(said,)] = self.ask("SELECT extract(epoch FROM clock_timestamp())")
        assert abs(float(said) - time.time() - self.clock.ahead) < PATIENCE

    def cut(self, name: str) -> None:
        """Cut a cable for some seconds."""
        [cable] = [each for what, each in self.cables.items() if what in name]
        if isinstance(cable, Wire):
            cable.pull()
        else:
            cable.refuse() if name.endswith("refused") else cable.be_silent()
        seconds = self.rng.uniform(*(PULLED_FOR if isinstance(cable, Wire) else CUT_FOR))
        log.info("%s for %.1f s", name, seconds)
        time.sleep(seconds)
        cable.mend()

    def measure(self, name: str, people: list[Annotator]) -> float:
        """Wait until every annotator has been answered again; return when the wait began."""
        began = time.monotonic()
        until(
            lambda: all(one.answered[0] >= began for one in people),
            f"after {name}: somebody is not answered",
            0.01,
        )
        self.answered[name].append(max(one.answered[1] for one in people) - began)
        log.info("%s: everybody answered after %.2f s", name, self.answered[name][-1])
        return began

    def _was_at_work(self, job: str, attempts: int) -> bool:
        """Wait until a job continues or has ended; return whether another attempt was needed."""
        one = f"SELECT state, attempts FROM judging_job WHERE id = '{job}'"
        until(
            lambda: (now := self.ask(one)[0])[0] in ENDED or now[1] > attempts,
            f"{job} is left alone",
            0.02,
        )
        return bool(self.ask(one)[0][1] > attempts)

    def check(self, people: list[Annotator]) -> None:
        """Compare every task that was acknowledged as submitted with the database."""
        done = [(one, set(one.submitted)) for one in people]
        judged = {(task, key): values for task, key, values in self.ask(JUDGED)}
        for one, tasks in done:
            for (task, name), value in list(one.values.items()):
                if task in tasks:
                    held = judged.get((task, name.partition(".")[2]), [])
                    self.lost += value not in held
                    self.doubled += len(held) > 1
        self.doubled += self.ask(TOO_MANY)[0][0]
        log.info("%d lost, %d doubled so far", self.lost, self.doubled)

    def check_drafts(self, people: list[Annotator]) -> None:
        """Compare every acknowledged answer with the database, once all annotators have stopped."""
        drafts = {(task, key): value for task, key, value in self.ask(DRAFTED)}
        for one in people:
            for (task, name), value in one.values.items():
                self.lost += drafts.get((task, name.partition(".")[2])) != value


class Importer:
    """Asks for one import after the other, as long as the soak lasts."""

    def __init__(self, site: Site) -> None:
        self.site, self.stop, self.asked = site, threading.Event(), 0
        self.began = list[tuple[float, float]]()  # when each job was asked, and began so much later
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self) -> "Importer":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        self.thread.join()

    def asked_after(self, moment: float) -> list[float]:
        """Return how long jobs took to begin that were asked after a moment."""
        return [seconds for asked, seconds in [*self.began] if asked >= moment]

    def work(self) -> None:
        from django.db import DatabaseError, InterfaceError, connection

        while not self.stop.is_set():
            try:
                self.one()
            except (DatabaseError, InterfaceError):
                connection.close()
                time.sleep(0.1)

    def one(self) -> None:
        """Ask for an import, and wait until it is over; note how long it took to begin."""
        from django.db import transaction

        from judging.jobs import tasks
        from judging.jobs.models.job import Job
        from judging.people.models.user import User
        from tests.flows.outside import large
        from tests.judging.imports.studies import adding_job

        self.asked += 1
        owner = User.objects.filter(may_create_campaigns=True, is_superuser=False).first()
        with transaction.atomic():
            job = adding_job(owner, large(ROWS, self.asked), name=f"Large {self.asked}")
        asked, begun = time.monotonic(), False
        tasks.announce_job(job.pk)
        while job.state not in ENDED and not self.stop.is_set():
            time.sleep(0.02)
            job = Job.objects.get(pk=job.pk)
            if not begun and job.attempts:
                begun = True
                self.began.append((asked, time.monotonic() - asked))


def table(soak: Soak) -> list[str]:
    """Return the rows of the table, one for each kind of fault."""
    columns = (soak.answered, soak.taken_over, soak.begun)
    said = [
        "| what | times | everybody answered again after: median, most | job taken over after | next job begun after |",
        "|---|---|---|---|---|",
    ]
    for name in soak.answered:
        cells = [
            f"{median(found):.1f} s, {max(found):.1f} s ({len(found)})" if found else "-"
            for found in (column.get(name, []) for column in columns)
        ]
        said.append(f"| {name} | {len(soak.answered[name])} | {' | '.join(cells)} |")
    return said


def run(
    soak: Soak, made: dict[str, Any], *, kills: int, minutes: float, click: float, fills: bool
) -> int:
    """Kill processes for the given number or time, check all answers, and print the table; return
    the exit status."""
    until_ = time.monotonic() + minutes * 60
    with (
        Importer(soak.site) as importer,
        at_work(soak.site.address, made["links"], click) as people,
    ):
        researcher = Researcher(soak.site.address, "", soak.rng)
        names = [*soak.faults(), *([FULL_DISK] if fills else [])]
        with suppress(KeyboardInterrupt):  # Ctrl-C is enough of it
            for number in range(kills):
                if time.monotonic() > until_:
                    break
                name = names[number] if number < len(names) else soak.rng.choice(names)
                soak.strike(name, people, importer)
                assert researcher.is_let_in(), f"after {name}: a researcher is kept out"
                log.info("a researcher has logged in %d times", researcher.log_ins)
                if soak.clock:
                    until(lambda: soak.ask(LEASES) == [(0,)], f"after {name}: leases", 0.2)
                time.sleep(PAUSE * soak.rng.random())
        soak.check(people)
    soak.check_drafts(people)
    unfinished = "SELECT count(*) FROM judging_job WHERE state IN ('queued', 'running')"
    until(lambda: soak.ask(unfinished) == [(0,)], "jobs are left open", 0.2)
    problems = [problem for one in people for problem in one.problems]
    errors = sum(one.errors for one in [*people, researcher])
    print("\n".join(table(soak)))
    kept, done = (
        sum(map(len, each))
        for each in zip(*((one.values, one.submitted) for one in people), strict=True)
    )
    print(
        f"\n{sum(map(len, soak.answered.values()))} kills, {done} tasks submitted, {kept} answers acknowledged:",
        end="",
    )
    print(f" {soak.lost} lost, {soak.doubled} doubled, {len(problems)} refused, {errors} x 500.")
    if begun := importer.asked_after(0.0):
        print(f"Jobs began after {median(begun):.2f} s (median) and {max(begun):.2f} s (most).")
    for state, attempts, error, count in soak.ask(JOBS):
        print(f"Jobs {state} at attempt {attempts}: {count}. {error}")
    print(*problems[:5], sep="\n")
    return 1 if soak.lost or soak.doubled or problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--annotators", type=int, default=8)
    parser.add_argument(
        "--click", type=float, default=0.3, help="seconds between two requests of an annotator"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--disk", type=int, help="megabytes of a disk for the data, to be filled")
    parser.add_argument("--clock", action="store_true", help="set the clock forward and back")
    parser.add_argument(
        "--network",
        nargs="?",
        const="",
        choices=["", *BROKERS],
        help="cut the way to the database, and to a broker",
    )
    parser.add_argument("--cable", action="store_true", help="pull the cable to the database")
    wanted = parser.parse_args()
    if wanted.cable:
        in_a_namespace()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-soak-") as folder,
        nullcontext(Clock(Path(folder)) if wanted.clock else None) as clock,
        small_disk(Path(folder), wanted.disk) if wanted.disk else nullcontext(),
        ways(Path(folder), wanted) as (cables, names),
        served(Path(folder), names | (clock.environment() if clock else {})) as (site, process),
    ):
        os.environ |= names | {
            "DATABASE_URL": Cluster(site.home).url(),
            "QUAESTOR_HOME": folder,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        import django

        django.setup()
        log.setLevel(logging.INFO)
        tasks = max(400, round(wanted.minutes * 60 * wanted.annotators / 3))
        made = study(tasks=tasks, annotators=wanted.annotators)
        soak = Soak(site, process.pid, random.Random(wanted.seed), clock, cables)
        return run(
            soak,
            made,
            kills=wanted.kills,
            minutes=wanted.minutes,
            click=wanted.click,
            fills=bool(wanted.disk),
        )


def ways(folder: Path, wanted: argparse.Namespace) -> AbstractContextManager[Any]:
    """Return the cables that can be cut, and the environment of a site that uses them."""
    if wanted.cable:
        return wired(folder)
    return nullcontext(({}, {})) if wanted.network is None else network(folder, wanted.network)


def study(*, tasks: int, annotators: int) -> dict[str, Any]:
    """Make the study in a process of its own, which leaves no connection behind."""
    code = f"""import json, django; django.setup(); from tests.flows import outside
print(json.dumps(outside.study(tasks={tasks}, annotators={annotators}, rows={ROWS})))"""
    made = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True
    )
    return dict(json.loads(made.stdout))


if __name__ == "__main__":
    sys.exit(main())
