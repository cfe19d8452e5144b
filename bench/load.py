"""Measure how long annotators who think between requests wait, alone and beside other work.

    python -m bench.load [--annotators 10 50] [--click 2] [--seconds 60]
        [--beside nothing imports report everything]

It serves a site of its own on the loopback, as `manage.py up` does, in a folder that it removes.
Each annotator thinks before each request, for the seconds of `--click` on average and evenly between
a half and one and a half of them. Beside them, one after the other: `nothing`, `imports` of 6,000
rows one after the other, a `report` of 63,000 ratings computed again and again (`bench/runs.py`),
or `everything`: such a report, a transaction that was left open before any annotator came, and, in
the middle, a hundred people who join at one moment by four links of two studies (no more than
thirty may join by one link in a minute). Clients are threads of this process on the same machine,
so the times include their own work; their processor time is printed beside the site's. `load` is
that of the machine.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import psycopg2

from bench.runs import SHAPES, csv_of, imported
from bench.soak import ENDED, Importer
from bench.soak_people import Annotator, judging
from bench.soak_site import Site, descendants, served
from config.postgres import Cluster

BESIDE = ("nothing", "imports", "report", "everything")
REQUESTS = 6  # that a task takes at least: its page, drafts and its submission
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Thinker(Annotator):
    """An annotator who thinks now shorter, now longer; `pace` is the mean in seconds."""

    pace: float = 2.0
    ended: list[float] = field(default_factory=list)  # when each request was answered

    def ask(self, address: str, form: dict[str, Any] | None = None) -> tuple[int, str, str]:
        self.click = self.pace * (0.5 + self.rng.random())
        answer = super().ask(address, form)
        self.ended.append(time.monotonic())
        return answer

    def within(self, began: float, over: float) -> list[tuple[str, float]]:
        """Return the requests that waited for an answer at some moment between two."""
        pairs = zip(self.took, self.ended, strict=False)
        return [took for took, ended in pairs if ended > began and ended - took[1] < over]


@dataclass
class Newcomer(Annotator):
    """Joins by a link that many use, and notes how long each page took."""

    def join(self, together: threading.Barrier) -> None:
        together.wait()
        self.ask(f"/join/{self.link}/")
        status, into, said = self.ask(f"/join/{self.link}/", {"join": "on"})
        if status != 302:
            self.problems.append(f"join: {status} {said[:200]}")
            return
        _status, task, _said = self.ask(f"{into}?begin")
        self.ask(task)


@dataclass
class Reporter:
    """Asks for one report after the other, as long as the block lasts."""

    campaign: Any
    stop: threading.Event = field(default_factory=threading.Event)
    took: list[float] = field(default_factory=list)  # seconds of a report, the worker's

    def work(self) -> None:
        from django.db import connection

        from analysis.runs.actions import runs
        from judging.jobs.models.job import Job
        from judging.jobs.tasks import announce_job

        seed = 0
        while not self.stop.is_set():
            seed += 1
            asked = runs.start_run(
                campaign=self.campaign,
                by=self.campaign.created_by,
                seed=seed,
                parameters={"metrics": [], "slices": ["day"]},
            )
            announce_job(asked.job_id)
            while not self.stop.wait(0.5):
                job = Job.objects.get(pk=asked.job_id)
                if job.state in ENDED:
                    assert job.state == Job.State.DONE, job.error
                    self.took.append((job.finished_at - job.started_at).total_seconds())
                    break
        connection.close()

    @contextmanager
    def at_work(self) -> Iterator["Reporter"]:
        thread = threading.Thread(target=self.work, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.stop.set()
            thread.join()


@dataclass
class Bench:
    """A site, and what is needed beside annotators."""

    site: Site
    up: int
    rated: Any = None  # the campaign of 63,000 ratings
    links: list[str] = field(default_factory=list)  # by which many may join

    def processor(self) -> float:
        """Return the processor time of the site: web, worker and database, also what has ended."""
        server = int((Cluster(self.site.home).data / "postmaster.pid").read_text().split()[0])
        seconds = 0
        for pid in {*descendants(self.up), *descendants(server)}:
            try:
                row = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            seconds += sum(map(int, row[11:15]))
        return seconds / TICKS

    @contextmanager
    def old_transaction(self) -> Iterator[None]:
        """Keep a transaction open that has read something, so that no row it might read is
        cleared away."""
        with closing(psycopg2.connect(Cluster(self.site.home).url())) as connection:
            connection.set_session(isolation_level="REPEATABLE READ")
            with connection.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM judging_assignment")
                yield

    def rush(self) -> list[Newcomer]:
        """Let a hundred people join at one moment; return them with their waiting times."""
        together = threading.Barrier(100)
        links = itertools.islice(itertools.cycle(self.links), 100)
        people = [
            Newcomer(self.site.address, link, Random(number), click=0.0)
            for number, link in enumerate(links)
        ]
        threads = [threading.Thread(target=one.join, args=(together,)) for one in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return people

    def measured(self, people: list[Thinker], *, seconds: float, beside: str) -> list[str]:
        """Have annotators work for a while; return the table's rows. The first tenth of the time is
        theirs to arrive."""
        label = f"{len(people)}, {people[0].pace:g} s" + (
            f", {beside} beside" if beside != "nothing" else ""
        )
        with ExitStack() as around:
            if beside == "everything":
                around.enter_context(self.old_transaction())
            if beside == "imports":
                around.enter_context(Importer(self.site))
            reporter = None
            if beside in ("report", "everything"):
                reporter = around.enter_context(Reporter(self.rated).at_work())
            around.enter_context(judging(people))
            time.sleep(seconds / 10)
            for one in people:
                one.took, one.ended = [], []
            began, own, theirs = time.monotonic(), time.process_time(), self.processor()
            newcomers: list[Newcomer] = []
            rush = (0.0, 0.0)
            if beside == "everything":
                time.sleep(seconds * 0.45)
                rushed = time.monotonic()
                newcomers = self.rush()
                rush = (rushed, time.monotonic())
            time.sleep(max(0.0, began + seconds * 0.9 - time.monotonic()))
            passed = time.monotonic() - began
            told = (
                f"{label}: {self.processor() - theirs:.0f} s of processor time of the site and "
                f"{time.process_time() - own:.0f} s of the clients in {passed:.0f} s, "
                f"load {os.getloadavg()[1]:.1f} over five minutes"
            )
            if reporter:
                told += f"; reports took {', '.join(f'{each:.0f}' for each in reporter.took)} s"
            print(told, flush=True)
        problems = [problem for one in (*people, *newcomers) for problem in one.problems]
        print(*problems[:5], sep="\n", end="")
        rows = lines(people, label)
        if newcomers:
            print(f"the hundred were in after {rush[1] - rush[0]:.1f} s", flush=True)
            everything = [took for one in people for took in one.took]
            meanwhile = [took for one in people for took in one.within(*rush)]
            for took in meanwhile:
                everything.remove(took)
            rows += table_rows(meanwhile, f"{label}; while a hundred join")
            rows += table_rows(everything, f"{label}; before and after that")
            rows += lines(newcomers, f"{label}; the hundred")
        return rows


def quantile(seconds: list[float], share: float) -> float:
    """Return the value that this share of requests does not exceed."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def lines(people: list[Any], label: str) -> list[str]:
    """Return the table's rows of waiting times."""
    return table_rows([took for one in people for took in one.took], label)


def table_rows(took: list[tuple[str, float]], label: str) -> list[str]:
    """Return the table's rows: one for each kind of request."""
    rows = []
    for kind in ("click", "page", "submit", "join"):
        times = [seconds for which, seconds in took if which == kind]
        if times:
            p50, p95, p99 = (f"{quantile(times, share) * 1000:.0f}" for share in (0.5, 0.95, 0.99))
            rows.append(f"| {label} | {kind} | {len(times)} | {p50} | {p95} | {p99} |")
    return rows


def study(*, tasks: int, annotators: int) -> list[str]:
    """Make the study in a process of its own, which leaves no open connection; return the links of
    its annotators. Their passwords are hashed weakly, because no attacker guesses them."""
    code = f"""import json, django; from django.conf import settings; django.setup()
settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
from tests.flows import outside
print(json.dumps(outside.study(tasks={tasks}, annotators={annotators}, rows=100)["links"]))"""
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return list(json.loads(made.stdout))


def links_to_join() -> list[str]:
    """Return four links for joining, two for each of two studies."""
    from judging.campaigns.actions import campaigns
    from judging.campaigns.models.campaign import Campaign
    from tests import factories

    first = Campaign.objects.order_by("pk").first()
    assert first is not None
    other = factories.opened(dataset=first.dataset, manager=first.created_by, annotators_per_task=3)
    made = [
        campaigns.create_invitation(campaign=each, by=first.created_by, places=100 + number)
        for each in (first, other)
        for number in range(2)  # two that are alike would be one link
    ]
    return [each.token for each in made]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--annotators", type=int, nargs="+", default=[10, 50])
    parser.add_argument("--seconds", type=float, default=60, help="of each measurement")
    parser.add_argument(
        "--click", type=float, nargs="+", default=[2.0], help="seconds of thought before a request"
    )
    parser.add_argument("--beside", choices=BESIDE, nargs="+", default=["nothing", "imports"])
    wanted = parser.parse_args()
    print(
        f"Load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.",
        flush=True,
    )
    with (
        tempfile.TemporaryDirectory(prefix="quaestor-load-") as folder,
        served(Path(folder)) as (site, process),
    ):
        os.environ |= {
            "DATABASE_URL": Cluster(site.home).url(),
            "QUAESTOR_HOME": folder,
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        import django

        django.setup()
        turns = list(itertools.product(wanted.annotators, wanted.click, wanted.beside))
        places = sum(
            number * (10 + wanted.seconds / click / REQUESTS * 1.5) for number, click, _ in turns
        )
        everybody = sum(number for number, _click, _beside in turns)
        tasks = max(200, round(places / 3 + everybody))  # more than they get through
        # each link comes once, to a task that is new
        links = iter(study(tasks=tasks, annotators=everybody))
        bench = Bench(site, process.pid)
        if {"report", "everything"} & set(wanted.beside):
            shape = SHAPES["qgeval"]
            bench.rated = imported(csv_of(shape), shape.protocol)
        if "everything" in wanted.beside:
            bench.links = links_to_join()
        table = [
            "| annotators, thought | waits for | requests | p50 ms | p95 ms | p99 ms |",
            "|---|---|---|---|---|---|",
        ]
        for number, click, beside in turns:
            people = [
                Thinker(site.address, link, Random(place), pace=click)
                for place, link in enumerate(itertools.islice(links, number))
            ]
            rows = bench.measured(people, seconds=wanted.seconds, beside=beside)
            table += rows
            print("\n".join(rows), flush=True)
        print("\n".join(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
