"""A site under load whose processes are killed at random, again and again: what is acknowledged
must be there, once.

    python3 run.py soak [--minutes 10] [--kills 500] [--annotators 8] [--click 0.3] [--seed 1] [--disk 900]

It serves a site of its own on the loopback, in a folder that it removes. Annotators judge without
pause and note what the server acknowledged; somebody imports one file after the other. After each
kill it measures how long it takes until every annotator has been answered again, and until the job
at work has been taken over; then it looks everything up in the database. It prints one table, and
fails if an answer is lost or doubled, or a job does not end. With `--disk` the data lie on a disk
of so many megabytes (which takes the right to mount), and now and then it has no room for three
seconds.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import psycopg2

from bench.soak_people import Annotator, at_work
from bench.soak_site import (
    Site,
    descendants,
    fill_disk,
    kill,
    named,
    served,
    small_disk,
    until,
)
from config.postgres import Cluster

ROWS = 6_000
FULL_FOR = 3.0  # seconds
FULL_DISK = "the disk is full, from when it has room again"
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
    answered: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    taken_over: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    lost: int = 0
    doubled: int = 0

    def victims(self) -> dict[str, Callable[[], list[int]]]:
        """Return how to find the processes of each kind that can die."""
        return {
            "a web process": lambda: self._one(self._children("gunicorn")),
            "the web server's master": lambda: self._masters("gunicorn"),
            "a process of the worker": lambda: self._one(self._children("celery")),
            "the worker": lambda: self._masters("celery"),
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

    def strike(self, name: str, people: list[Annotator]) -> None:
        """Kill, and measure until everybody is served again and the job that was at work has a
        worker again."""
        if name == FULL_DISK:
            fill_disk(self.site.home, FULL_FOR)
            self.measure(name, people)
            self.check(people)
            return
        find = self.victims()[name]
        works = "worker" in name
        if works:
            until(lambda: self.ask(ONE_JOB)[0][1] == "running", "no job was at work", 0.02)
        [(job, _state, attempts, _new)] = self.ask(ONE_JOB)
        until(lambda: bool(find()), f"no {name}")
        pids = find()
        kill(pids)
        began = self.measure(name, people)
        if works and self._was_at_work(job, attempts):
            self.taken_over[name].append(time.monotonic() - began)
        self.check(people)

    def measure(self, name: str, people: list[Annotator]) -> float:
        """Wait until everybody has been answered again; return when that began."""
        began = time.monotonic()
        until(
            lambda: all(one.answered[0] >= began for one in people),
            f"after {name}: somebody is not answered",
            0.01,
        )
        self.answered[name].append(max(one.answered[1] for one in people) - began)
        return began

    def _was_at_work(self, job: str, attempts: int) -> bool:
        """Wait until a job goes on or is over; say whether another attempt was needed."""
        one = f"SELECT state, attempts FROM judging_job WHERE id = '{job}'"
        until(
            lambda: (now := self.ask(one)[0])[0] in ENDED or now[1] > attempts,
            f"{job} is left alone",
            0.02,
        )
        return bool(self.ask(one)[0][1] > attempts)

    def check(self, people: list[Annotator]) -> None:
        """Compare every task that was acknowledged as handed in with the database."""
        done = [(one, set(one.submitted)) for one in people]
        judged = {(task, key): values for task, key, values in self.ask(JUDGED)}
        for one, tasks in done:
            for (task, name), value in list(one.values.items()):
                if task in tasks:
                    held = judged.get((task, name.partition(".")[2]), [])
                    self.lost += value not in held
                    self.doubled += len(held) > 1
        self.doubled += self.ask(TOO_MANY)[0][0]

    def check_drafts(self, people: list[Annotator]) -> None:
        """Compare every answer that was acknowledged, once nobody is at work any more."""
        drafts = {(task, key): value for task, key, value in self.ask(DRAFTED)}
        for one in people:
            for (task, name), value in one.values.items():
                self.lost += drafts.get((task, name.partition(".")[2])) != value


class Importer:
    """Asks for one import after the other, as long as the soak lasts."""

    def __init__(self, site: Site) -> None:
        self.site, self.stop, self.began, self.asked = site, threading.Event(), list[float](), 0
        self.thread = threading.Thread(target=self.work, daemon=True)

    def __enter__(self) -> "Importer":
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop.set()
        self.thread.join()

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

        from judging import storage, tasks
        from judging.actions import jobs
        from judging.imports.actions import uploads
        from judging.imports.actions.reading_plans import Plan
        from judging.imports.actions.uploads import WantedImport
        from judging.models import Job, User
        from tests.flows.outside import large

        self.asked += 1
        owner = User.objects.filter(may_create_campaigns=True, is_superuser=False).first()
        with transaction.atomic():
            upload = uploads.keep(
                owner=owner, name="large.csv", file=storage.keep(large(ROWS, self.asked))
            )
            wanted = WantedImport(upload=upload, plan=Plan(), name=f"Large {self.asked}")
            job = jobs.enqueue(kind="judging.import_study", parameters=wanted.for_job(), by=owner)
        tasks.ring(job.pk)
        while not self.stop.is_set():
            job = Job.objects.get(pk=job.pk)
            if job.state in ENDED:
                if job.attempts == 1 and job.started_at:
                    self.began.append((job.started_at - job.created_at).total_seconds())
                return
            time.sleep(0.05)


def table(soak: Soak) -> list[str]:
    """Return the rows of the table, one for each kind of victim."""
    said = [
        "| killed | times | everybody answered again after: median, most | job taken over after: median, most |",
        "|---|---|---|---|",
    ]
    for name, seconds in soak.answered.items():
        over = soak.taken_over.get(name, [])
        again = f"{median(over):.1f} s, {max(over):.1f} s ({len(over)})" if over else "-"
        said.append(
            f"| {name} | {len(seconds)} | {median(seconds):.1f} s, {max(seconds):.1f} s | {again} |"
        )
    return said


def run(
    soak: Soak, made: dict[str, Any], *, kills: int, minutes: float, click: float, fills: bool
) -> int:
    """Kill until enough is killed, check everything, print the table; return what the shell is
    told."""
    until_ = time.monotonic() + minutes * 60
    with (
        Importer(soak.site) as importer,
        at_work(soak.site.address, made["links"], click) as people,
    ):
        for number in range(kills):
            if time.monotonic() > until_:
                break
            names = [*soak.victims(), *([FULL_DISK] if fills else [])]
            soak.strike(
                names[number % len(names)] if number < len(names) else soak.rng.choice(names),
                people,
            )
            time.sleep(PAUSE * soak.rng.random())
        soak.check(people)
    soak.check_drafts(people)
    unfinished = "SELECT count(*) FROM judging_job WHERE state IN ('queued', 'running')"
    until(lambda: soak.ask(unfinished) == [(0,)], "jobs are left open", 0.2)
    problems = [problem for one in people for problem in one.problems]
    print("\n".join(table(soak)))
    kept, done = (
        sum(map(len, each))
        for each in zip(*((one.values, one.submitted) for one in people), strict=True)
    )
    print(
        f"\n{sum(map(len, soak.answered.values()))} kills, {done} tasks handed in, {kept} answers acknowledged:",
        end="",
    )
    print(f" {soak.lost} lost, {soak.doubled} doubled, {len(problems)} refused.")
    if importer.began:
        print(
            f"Jobs began after {median(importer.began):.2f} s (median) and {max(importer.began):.2f} s (most)."
        )
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
    wanted = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-soak-") as folder,
        small_disk(Path(folder), wanted.disk) if wanted.disk else nullcontext(),
        served(Path(folder)) as (site, process),
    ):
        os.environ |= {
            "DATABASE_URL": Cluster(site.home).url(),
            "QUAESTOR_HOME": folder,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        import django

        django.setup()
        tasks = max(400, round(wanted.minutes * 60 * wanted.annotators / 3))
        made = study(tasks=tasks, annotators=wanted.annotators)
        soak = Soak(site, process.pid, random.Random(wanted.seed))
        return run(
            soak,
            made,
            kills=wanted.kills,
            minutes=wanted.minutes,
            click=wanted.click,
            fills=bool(wanted.disk),
        )


def study(*, tasks: int, annotators: int) -> dict[str, Any]:
    """Make the study in a process of its own, which leaves no connection behind."""
    code = f"""import json, django; django.setup(); from tests.flows import outside
print(json.dumps(outside.study(tasks={tasks}, annotators={annotators}, rows={ROWS})))"""
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(made.stdout))


if __name__ == "__main__":
    sys.exit(main())
