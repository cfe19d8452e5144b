"""Judging under load, in one run on one machine: submissions beside a view that does nothing, and
the cost of a claim.

    python bench/judging.py [--seconds 6] [--clients 50] [--tasks 1000 100000]

It starts a PostgreSQL of its own, with the disk's safety on, and the web server as it is deployed
(gunicorn, 2 processes of 2 threads), on the loopback only; it stops both and leaves nothing behind.
A submission is one request that stores three answers, makes judgments of them and claims the next
task. Ratios are more informative than times: the machine and its other load affect both parts.
"""

import argparse
import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
HOME = Path(tempfile.mkdtemp(prefix="quaestor-bench-"))
REPEATS = 5
CLAIMS = 200
FEW = 5  # tasks left, which others filled
TICKS = os.sysconf("SC_CLK_TCK")


def prepare() -> object:
    """Return the database's cluster, and have Django read settings that point to it."""
    from config.postgres import Cluster

    HOME.chmod(0o755)  # root hands the server to an account that must pass
    cluster = Cluster(HOME)
    os.environ |= {
        "DATABASE_URL": cluster.url(),
        "DJANGO_SETTINGS_MODULE": "bench.judging_settings",
        "QUAESTOR_HOME": str(HOME),
        "QUAESTOR_LOG_LEVEL": "ERROR",
        "PYTHONPATH": str(ROOT),
    }
    return cluster


def migrate() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)


# ---- the web server


@contextmanager
def web_server() -> Iterator[tuple[int, int]]:
    """Run the web server; yield its process and port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "-c", str(ROOT / "deploy" / "gunicorn.conf.py")]
    environment = os.environ | {"QUAESTOR_BIND": f"127.0.0.1:{port}"}
    with (HOME / "web.log").open("w") as log:
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _wait_for(port)
            yield server.pid, port
        finally:
            server.terminate()
            server.wait(timeout=30)


def _wait_for(port: int, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"the web server did not start:\n{(HOME / 'web.log').read_text()[-2000:]}")


def cpu_seconds(roots: list[int]) -> float:
    """Return the processor time of processes and all their children, the dead ones too."""
    stats = {int(path.parent.name): path for path in Path("/proc").glob("[0-9]*/stat")}
    rows = {}
    for pid, path in stats.items():
        try:
            rows[pid] = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
    family = set(roots)
    while grown := {pid for pid, row in rows.items() if int(row[1]) in family} - family:
        family |= grown
    return sum(sum(map(int, rows[pid][11:15])) for pid in family if pid in rows) / TICKS


def submissions(cluster: object, *, clients: int, seconds: float) -> None:
    from django.db import connection

    from bench import judging_clients as load
    from bench import judging_material as material
    from judging.work.actions import assignments
    from judging.work.models.judgment import Judgment

    round = material.open_campaign(tasks=40_000)
    people = [material.annotator(round) for _ in range(clients)]
    with web_server() as (server, port):
        start = {}
        for person in people:
            here = assignments.claim_assignment(enrollment=person, round=round)
            start[load.Client(port, material.session(person.user))] = (
                f"/tasks/{here.assignment.pk}/"
            )
        browsers, token = list(start), material.TOKEN
        kinds = {
            "hello": load.hello,
            "page": load.opening(start),
            "draft": load.saving(start),
            "submit": load.submitting(token, start, look=False),
            "cycle": load.submitting(token, start, look=True),
            "loop": load.looping(token, start, batched=False),
            "batched": load.looping(token, start, batched=True),
        }
        roots = [server, int((cluster.data / "postmaster.pid").read_text().split()[0])]
        measured: dict[str, list[tuple[load.Seen, float]]] = {kind: [] for kind in kinds}
        for number in range(REPEATS + 1):
            for kind, turn in kinds.items():
                before = cpu_seconds(roots)
                seen = asyncio.run(_drive(load, browsers, turn, seconds))
                used = (cpu_seconds(roots) - before) / len(seen.seconds)
                if number:  # the first goes to warming up
                    measured[kind].append((seen, used))
    _tell_submissions(measured, clients)
    done = sum(
        len(seen.seconds)
        for kind in ("submit", "cycle", "loop", "batched")
        for seen, _ in measured[kind]
    )
    print(
        f"  judgments stored: {Judgment.objects.count():,}, of which measured {3 * done:,}; twice by one person: "
        f"{_doubles(connection)}"
    )


async def _drive(load, browsers, turn, seconds):  # type: ignore[no-untyped-def]
    for browser in browsers:
        browser.writer = None
    return await load.drive(browsers, turn, seconds=seconds)


def _doubles(connection) -> int:  # type: ignore[no-untyped-def]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM (SELECT task_id FROM judging_assignment WHERE enrollment_id IS NOT NULL "
            "GROUP BY task_id, enrollment_id HAVING count(*) > 1) doubled"
        )
        return int(cursor.fetchone()[0])


def _tell_submissions(measured: dict, clients: int) -> None:
    from bench import judging_clients as load

    rate = {kind: median(seen.rate for seen, _ in runs) for kind, runs in measured.items()}
    cpu = {kind: median(used for _, used in runs) for kind, runs in measured.items()}
    print(
        f"{clients} clients without think time, one question x 3 criteria, medians of {REPEATS} runs"
    )
    print(
        f"  {'':34}{'a second':>10}{'p50 ms':>9}{'p95 ms':>9}{'CPU ms':>9}{'rate/hello':>12}{'CPU hello/it':>14}"
    )
    names = {
        "hello": "hello (same middleware)",
        "page": "page",
        "draft": "draft",
        "submit": "submission",
        "cycle": "submission and the next page",
        "loop": "page, draft a click, submission",
        "batched": "page, one draft, submission",
    }
    for kind, name in names.items():
        p50, p95 = (
            1000 * median(load.quantile(seen.seconds, share) for seen, _ in measured[kind])
            for share in (0.5, 0.95)
        )
        ratios = median(
            s.rate / h.rate
            for (s, _), (h, _) in zip(measured[kind], measured["hello"], strict=True)
        )
        print(
            f"  {name:34}{rate[kind]:10.0f}{p50:9.1f}{p95:9.1f}{1000 * cpu[kind]:9.2f}{ratios:12.3f}"
            f"{cpu['hello'] / cpu[kind]:14.3f}"
        )
    for kind in ("loop", "batched"):
        page, onward = (
            1000 * median(load.quantile(each(seen), 0.95) for seen, _ in measured[kind])
            for each in (attrgetter("pages"), attrgetter("onward"))
        )
        print(
            f"  p95 within “{names[kind]}”: its page {page:.0f} ms, from submitting to the next page {onward:.0f} ms"
        )
    print(
        f"  answers that were wrong: {sum(seen.wrong for runs in measured.values() for seen, _ in runs)}"
    )


# ---- what a claim costs


def claims(sizes: list[int]) -> None:
    from bench import judging_material as material

    rounds = [material.open_campaign(tasks=size) for size in sizes]
    print(
        f"milliseconds a claim, median of {CLAIMS}; the campaigns take turns, so that both have the same machine"
    )
    print(
        "  "
        + "".join(f"{text:>24}" for text in ("", *(f"{size:,} tasks" for size in sizes), "ratio"))
    )
    for share in (0.0, 0.01, 0.2):
        people = [
            _annotator(round, int(share * size)) for round, size in zip(rounds, sizes, strict=True)
        ]
        _tell(f"done {share:.0%}" if share else "done none", _costs(rounds, people, hand_in=True))
    people = [_annotator(round, size) for round, size in zip(rounds, sizes, strict=True)]
    _tell("all done, others open", _costs(rounds, people, hand_in=False, times=20))
    people = [_annotator(round, size - FEW) for round, size in zip(rounds, sizes, strict=True)]
    for round, size in zip(rounds, sizes, strict=True):
        for _ in range(material.PLACES):
            _do(round, material.annotator(round), size, since=size - FEW)
    _tell(f"all but {FEW} done, those filled", _costs(rounds, people, hand_in=False))
    for round, size in zip(rounds, sizes, strict=True):
        for _ in range(material.PLACES):
            _annotator(round, size)
    people = [_annotator(round, 0) for round in rounds]
    _tell("dry", _costs(rounds, people, hand_in=False))


def _tell(case: str, costs: list[float]) -> None:
    cells = [f"{1000 * cost:.2f}" for cost in costs]
    print("  " + "".join(f"{text:>24}" for text in (case, *cells, f"{costs[-1] / costs[0]:.2f}")))


def _annotator(round, done: int):  # type: ignore[no-untyped-def]
    """Return an annotator who has done so many tasks."""
    from bench import judging_material as material

    person = material.annotator(round)
    if done:
        _do(round, person, done)
    material.tidy()
    return person


def _do(round, person, tasks: int, since: int = 0) -> None:  # type: ignore[no-untyped-def]
    """Mark the tasks after number `since` up to number `tasks` as done by an annotator, if they
    have an open assignment."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE judging_assignment SET state = 'submitted', enrollment_id = %(person)s, submitted_at = now() "
            "WHERE id IN (SELECT DISTINCT ON (task_id) id FROM judging_assignment "
            "WHERE round_id = %(round)s AND state = 'open' AND position > %(first)s AND position <= %(last)s "
            "ORDER BY task_id, place)",
            {"person": person.pk, "round": round.pk, "first": 3 * since, "last": 3 * tasks},
        )
        cursor.execute(
            "UPDATE judging_enrollment SET cursor = %(last)s, cursor_round_id = %(round)s WHERE id = %(person)s",
            {"person": person.pk, "round": round.pk, "last": 3 * tasks},
        )
    person.refresh_from_db()


def _costs(rounds: list, people: list, *, hand_in: bool, times: int = CLAIMS) -> list[float]:
    """Return the median time of a claim in each of the rounds, measured alternately."""
    seconds: list[list[float]] = [[] for _ in rounds]
    for _ in range(times + 10):
        for place, (round, person) in enumerate(zip(rounds, people, strict=True)):
            seconds[place].append(_timed(round, person, hand_in))
    return [median(each[10:]) for each in seconds]


def _timed(round, person, hand_in: bool) -> float:  # type: ignore[no-untyped-def]
    from django.utils import timezone

    from judging.campaigns.models.assignment import Assignment
    from judging.work.actions import assignments
    from judging.work.actions.assignments import Here

    began = time.perf_counter()
    outcome = assignments.claim_assignment(enrollment=person, round=round)
    took = time.perf_counter() - began
    assert isinstance(outcome, Here) is hand_in
    if hand_in:
        Assignment.objects.filter(pk=outcome.assignment.pk).update(
            state="submitted", submitted_at=timezone.now(), lease_expires_at=None
        )
    return took


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6, help="of each measurement")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 100_000])
    parser.add_argument("--only", choices=["claims", "load"])
    options = parser.parse_args()
    cluster = prepare()
    try:
        with cluster.serving():  # type: ignore[attr-defined]
            migrate()
            if options.only != "load":
                claims(options.tasks)
            sys.stdout.flush()
            if options.only != "claims":
                submissions(cluster, clients=options.clients, seconds=options.seconds)
    finally:
        shutil.rmtree(HOME, ignore_errors=True)
        if cluster.base != HOME:  # type: ignore[attr-defined]
            shutil.rmtree(cluster.base, ignore_errors=True)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
