"""How what people wait for grows with a study: from its import to the export of its judgments, at
several sizes.

    .venv/bin/python bench/growth.py [--questions 10_000 100_000 1_000_000] [--steps import launch ...]
        [--home FOLDER] [--most 900]

A study of N questions has N / 6 sources and six systems; five of fifty annotators judge each
question on two criteria, so it has 10 N judgments. Its material is imported from a file, its places
are laid out by opening it, and tasks are handed in through pages; most of its judgments are made by
the database itself. Each size has a PostgreSQL of its own, durable as in production, in a folder
that is removed again, unless `--home` names one: then it is kept, and single steps can be measured
again. Each step runs in a process of its own, so that its peak memory is its own, and is given up
after `--most` seconds. What is printed for each size is the clock and the processor time, the database's
too, of pages the best of some loads, with the ratio to the first size; the load of the machine is
in the clock, less in processor time.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.imports import cpu_seconds, write_file  # noqa: E402

PEOPLE, PLACES, SYSTEMS = 50, 5, 6
MEMORY = 5_000_000_000  # bytes that a step may hold
LAST = 10  # tasks that are left open when nearly everything is done
A_FILE = 252_000  # rows of one file; a million take more memory than reading one may
WORDS = """array_to_string(ARRAY(
    SELECT substr(md5({of} || '/' || n), 1, 3 + n %% 7) FROM generate_series(1, {n}) n), ' ')"""
MATERIAL = f"""
INSERT INTO judging_passage (collection_id, digest, text)
SELECT %(collection)s, lpad(n::text, 64, '0'), {WORDS.format(of="n", n=20)}
FROM generate_series(1, %(sources)s) n;
INSERT INTO judging_source (collection_id, passage_id, key, position, answer, answer_start, sentence,
                            sentence_start, target_type, modality)
SELECT collection_id, id, digest::bigint, digest::bigint, 'lock', NULL, '', NULL, '', ''
FROM judging_passage;
INSERT INTO judging_reference (source_id, position, text)
SELECT id, 1, {WORDS.format(of="id", n=9)} FROM judging_source;
INSERT INTO judging_system (collection_id, name, kind)
SELECT %(collection)s, 'System ' || n, 'model' FROM generate_series(1, %(systems)s) n;
INSERT INTO judging_questionset (source_id, system_id, expected)
SELECT source.id, system.id, 1 FROM judging_source source, judging_system system
ORDER BY source.position, system.id;
INSERT INTO judging_unit (question_set_id, position) SELECT id, 1 FROM judging_questionset;
INSERT INTO judging_question (unit_id, text, key, question_type, submitted_answer)
SELECT id, {WORDS.format(of="id", n=10)} || '?', '', '', '' FROM judging_unit;
INSERT INTO judging_attribute (unit_id, name, value) SELECT id, 'topic', 't' || id %% 9 FROM judging_unit;
INSERT INTO judging_score (metric_id, unit_id, value, text, reason)
SELECT metric, unit.id, random(), '', ''
FROM judging_unit unit, unnest(ARRAY[%(metric1)s, %(metric2)s]) metric;
"""
FILL = """
WITH filled AS (
    UPDATE judging_assignment own
    SET state = 'submitted', active_seconds = 40, enrollment_id = people.id, held_at = now(),
        submitted_at = now() - interval '20 days' + make_interval(secs => own.position)
    FROM judging_task task, unnest(%(people)s::bigint[]) WITH ORDINALITY AS people(id, number)
    WHERE task.id = own.task_id AND own.round_id = %(round)s AND own.state = 'open'
        AND own.position <= %(last)s
        AND people.number = 1 + (own.place - 1) * %(share)s + task.number %% %(share)s
        AND NOT EXISTS (SELECT FROM judging_assignment other
            WHERE other.task_id = own.task_id AND other.enrollment_id = people.id)
    RETURNING own.id, own.task_id)
INSERT INTO judging_judgment
    (assignment_id, unit_id, criterion_id, value, origin, cause, revision, created_at)
SELECT filled.id, shown.unit_id, criterion.id,
    1 + least(2, floor(2.6 * random() + 0.4 * (shown.unit_id %% 3)))::int, 'judged', '', 1, now()
FROM filled JOIN judging_taskunit shown ON shown.task_id = filled.task_id, judging_criterion criterion
WHERE criterion.rubric_id = %(rubric)s
"""
# addresses of pages about a campaign or a collection, and lists of them; files are other steps
PAGES = re.compile(r"(api/)?(campaigns|collections)/(<uuid:uuid>/|<int:pk>/)?[a-z/]*$")
ORDERS = {
    "the file's order": "",
    "disagreement": "sort=disagreement&criterion={criterion}",
    "gap of a metric and people": "sort=gap&criterion={criterion}&metric={metric}",
    "words that few questions have, in the file's order": "text={word}",
}
AGREEMENT_RESAMPLES = 200


# ---- what each step does, in a process of its own


def campaign() -> Any:
    from judging.models import Campaign

    return Campaign.objects.select_related("rubric", "collection").order_by("pk").first()


def manager() -> Any:
    from django.test import Client

    client = Client(raise_request_exception=False)
    client.force_login(campaign().created_by)
    return client


def imported(questions: int, tell: Callable[..., None]) -> None:
    """Import a file with a passage of 20 words for each six questions; what is more than one file
    may hold is added in further files."""
    from django.utils import timezone

    from judging import storage
    from judging.imports.actions import adding, new_collections, reading_plans
    from judging.imports.actions.joining import JoiningChoices
    from judging.imports.actions.reading_plans import Plan
    from judging.models import Collection, User

    path = Path(os.environ["QUAESTOR_HOME"]) / "questions.csv"
    by = User.objects.create(username="bench", may_create_campaigns=True)
    began = time.perf_counter()
    for start in range(0, questions, A_FILE):
        write_file(path, questions=min(A_FILE, questions - start), words=20, first=start)
        if not start:
            with measured(tell, "import of the first file"):
                study = reading_plans.read_study(
                    name=path.name, data=path.read_bytes(), plan=Plan()
                )
                now = timezone.now()
                made = new_collections.import_study(study=study, name="Bench", by=by, now=now)
            assert made.quarantined == 0
            continue
        kept = storage.keep(path.read_bytes())
        with measured(tell, "import: a further file is looked at"):
            added = adding.upload(
                collection=Collection.objects.get(), name=path.name, file=kept, by=by
            )
            adding.decide(added=added, plan=Plan(), choices=JoiningChoices(unmatched="add"))
            adding.examine(added=added)
        with measured(tell, "import: it is added"):
            adding.add(added=added, by=by, now=timezone.now(), confirmed=True)
    tell("import of all", seconds=time.perf_counter() - began)
    path.unlink()


def made(questions: int, tell: Callable[..., None]) -> None:
    """Have the database make the material, where the point is not the import."""
    from django.db import connection, transaction

    from judging.models import Collection, Metric, User

    by = User.objects.create(username="bench", may_create_campaigns=True)
    collection = Collection.objects.create(name="Bench", owner=by)
    names = {"collection": collection.pk, "sources": questions // SYSTEMS, "systems": SYSTEMS}
    for number in (1, 2):
        metric = Metric.objects.create(
            collection=collection, name=f"Metric {number}", kind="imported", fingerprint=str(number)
        )
        names[f"metric{number}"] = metric.pk
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        with measured(tell, "material made by the database"):
            cursor.execute(MATERIAL, names)
    tidy()


def launch(_questions: int, tell: Callable[..., None]) -> None:
    """Lock a campaign and open it, which draws and stores its tasks and places."""
    from django.utils import timezone

    from judging.actions import campaigns, enrollments, rubrics, snapshots
    from judging.models import Collection, User
    from judging.protocols import documents
    from judging.protocols.rubric_schema import without_criteria

    whole = replace(documents.shipped("qgbench"), translations={}, worked_item=None)
    document = without_criteria(whole, ["correctness"])
    made = campaigns.create(
        by=User.objects.get(username="bench"),
        collection=Collection.objects.get(),
        rubric=rubrics.install(document=document),
        plan={"title": "Bench", "annotators_per_task": PLACES},
    )
    campaigns.lock(campaign=made, now=timezone.now())
    with measured(tell, "launch"):
        campaigns.open_(campaign=made, now=timezone.now())
        snapshots.take(campaign=made, now=timezone.now())
    for number in range(PEOPLE):
        user = User.objects.create_user(f"annotator-{number}")
        enrollments.enroll(campaign=made, user=user)


def first(_questions: int, tell: Callable[..., None]) -> None:
    tidy()
    people = enrolled()
    hand_in(people[:4], tell, "a task handed in and the next one shown, nobody has begun")


def opened_pages(_questions: int, tell: Callable[..., None]) -> None:
    pages(tell, "just opened: ")


def half(_questions: int, tell: Callable[..., None]) -> None:
    filled(0.5)
    people = enrolled()
    hand_in(people[:4], tell, "the same, half is done")


def few(_questions: int, tell: Callable[..., None]) -> None:
    """Leave some tasks open, and have people take what is left until nothing is."""
    filled(1.0, LAST * PLACES)
    people = enrolled()
    hand_in(people[:4], tell, "the same, few are left", turns=LAST - 3)
    nothing_left(people[:40], tell)
    filled(1.0)


def enrolled() -> list[Any]:
    return list(campaign().enrollments.select_related("user").order_by("pk"))


def tidy() -> None:
    """Do at once what PostgreSQL does by itself in the minutes after many changes."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def filled(share: float, left: int = 0) -> None:
    """Hand in everything up to a share of the queue, but for the last places."""
    from django.db import connection, transaction
    from django.db.models import Max

    from judging.models import Assignment, Enrollment

    study = campaign()
    round = study.rounds.get()
    held = Assignment.objects.filter(round=round, state="held")
    held.update(state="open", enrollment=None, held_at=None, lease_expires_at=None)
    last = Assignment.objects.filter(round=round).aggregate(last=Max("position"))["last"]
    people = list(study.enrollments.order_by("pk").values_list("pk", flat=True))
    given = {"people": people, "round": round.pk, "rubric": study.rubric_id}
    given |= {"share": PEOPLE // PLACES, "last": int(last * share) - left}
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(FILL, given)
    Enrollment.objects.filter(campaign=study).update(cursor=given["last"], cursor_round=round)
    tidy()


def hand_in(people: list[Any], tell: Callable[..., None], what: str, turns: int = 10) -> None:
    """Have annotators hand in one task after the other through the pages of the site."""
    from django.test import Client
    from django.urls import reverse

    took, used = list[float](), 0.0
    for person in people:
        client = Client()
        client.force_login(person.user)
        address = client.get(reverse("annotation:work", args=[campaign().uuid]) + "?begin").url
        page, before = client.get(address).content.decode(), cpu_seconds()
        for _turn in range(turns):
            answers = dict.fromkeys(re.findall(r'name="(q\d+\.\w+)"', page), 2)
            (token,) = set(re.findall(r'name="token" value="([^"]+)"', page))
            form = {"token": token, "sequence": 1, "action": "submit", **answers}
            began = time.perf_counter()
            answer = client.post(f"{address.partition('?')[0]}submit/?step=0", form)
            assert answer.status_code == 302, answer.content[:500]
            address = answer.url
            page = client.get(address).content.decode()
            took.append(time.perf_counter() - began)
        used += cpu_seconds() - before
    tell(what, seconds=median(took), own=used / len(took))


def nothing_left(people: list[Any], tell: Callable[..., None]) -> None:
    """Take what is left until nothing is; the last claims find that out."""
    from django.db import transaction

    from judging.actions import assignments
    from judging.actions.assignments import Here
    from judging.models import Assignment

    round = campaign().rounds.select_related("campaign").get()
    Assignment.objects.filter(round=round, state="held").update(
        state="submitted", submitted_at="2026-01-01T00:00Z", lease_expires_at=None
    )
    taken, none = list[float](), list[float]()
    for person in people:
        for _turn in range(3):
            with transaction.atomic():
                began = time.perf_counter()
                found = assignments.claim(enrollment=person, round=round)
                (taken if isinstance(found, Here) else none).append(time.perf_counter() - began)
                transaction.set_rollback(True)
    if taken:
        tell("a claim, few are left", seconds=median(taken))
    Assignment.objects.filter(round=round, state="open").update(reopened=True)
    everybody = [one for one in people if one.assignments.filter(task__assignments__state="open")]
    for person in everybody[:4]:
        began = time.perf_counter()
        assignments.claim(enrollment=person, round=round)
        none.append(time.perf_counter() - began)
    if none:
        tell("a claim, nothing is left for this annotator", seconds=median(none))


def overview(_questions: int, tell: Callable[..., None]) -> None:
    from django.utils import timezone

    from judging.actions import snapshots

    with measured(tell, "overview: its counts, in the background"):
        snapshots.take(campaign=campaign(), now=timezone.now())
    page(tell, manager(), "overview", f"/campaigns/{campaign().uuid}/")


def items(_questions: int, tell: Callable[..., None]) -> None:
    """Look at lists of questions, whose orders are worked out when they are first asked for."""
    from django.db import transaction
    from django.urls import reverse
    from django.utils import timezone

    from analysis.actions import question_orders
    from judging.actions import jobs
    from judging.models import Job, Metric, Question, Source

    study, client = campaign(), manager()
    address = reverse("analysis:items", args=[study.uuid])
    names = {
        "criterion": study.rubric.criteria.order_by("position").first().key,
        "metric": Metric.objects.filter(collection=study.collection).first().name,
        "word": Question.objects.order_by("-pk").first().text.split()[0],
    }
    listed = reverse("judging:tasks", args=[study.uuid])
    page(tell, client, "list of tasks", listed)
    page(tell, client, "list of tasks, its last page", f"{listed}?page=last")
    for name, query in ORDERS.items():
        asked = f"{address}?{query.format(**names)}"
        client.get(asked)
        for job in Job.objects.filter(state=Job.State.QUEUED, kind=question_orders.KIND):
            with measured(tell, f"list by {name}: worked out once"), transaction.atomic():
                claimed = jobs.claim(job_id=job.pk)
                assert claimed is not None
                done = question_orders.execute(
                    jobs.Work(claimed, worker="bench"), now=timezone.now()
                )
                jobs.finish(job=claimed, result=done)
        answer = page(tell, client, f"list by {name}", asked)
        behind = re.findall(rb"unit=(\d+)", answer.content)[-1].decode()
        page(tell, client, f"list by {name}, the next page", f"{asked}&after={behind}")
    last = Source.objects.order_by("-position").first()
    unit = last.question_sets.first().units.first().pk
    page(tell, client, "list by the file's order, its last page", f"{address}?before={unit}")
    item = reverse("analysis:item", args=[study.uuid, last.pk])
    page(tell, client, "one source", item)
    query = ORDERS["gap of a metric and people"].format(**names)
    page(tell, client, "one source, with its place by the gap", f"{item}?{query}&unit={unit}")


def all_pages(_questions: int, tell: Callable[..., None]) -> None:
    pages(tell, "")


def pages(tell: Callable[..., None], when: str) -> None:
    """Look at every page of a campaign and its collection that a manager may see."""
    from django.urls import URLResolver, get_resolver

    study, client = campaign(), manager()
    parts = {"uuid": str(study.uuid), "pk": str(study.collection_id)}
    for space in get_resolver().url_patterns:
        if not isinstance(space, URLResolver) or space.namespace not in ("judging", "analysis"):
            continue
        for each in space.url_patterns:
            if not PAGES.match(str(each.pattern)):
                continue
            address = "/" + re.sub(r"<\w+:(\w+)>", lambda part: parts[part[1]], str(each.pattern))
            answer = client.get(address)
            if answer.status_code == 200 and not answer.streaming:
                page(tell, client, f"{when}{each.pattern}", address)


def agreement(_questions: int, tell: Callable[..., None]) -> None:
    """Work out all agreement as `manage.py campaign_agreement` does, by counts of the database."""
    from analysis import frames
    from analysis.sections.agreement import of_counts

    study = campaign()
    with measured(tell, "agreement from counts, over sources"):
        counted = frames.counted(study, by_source=True)
        for criterion in frames.rubric_of(study).criteria:
            of_counts(counted[criterion.key], criterion)


def run(_questions: int, tell: Callable[..., None]) -> None:
    """Do a whole run, with one of the file's two metrics left out."""
    from analysis.actions import runs
    from judging.actions import jobs
    from judging.models import Metric

    study = campaign()
    metrics = list(Metric.objects.filter(collection=study.collection).order_by("pk"))
    parameters = {
        "metrics": [], "resamples": AGREEMENT_RESAMPLES, "mixed_model": "never",
        "without_metrics": [metrics[-1].fingerprint],
    }  # fmt: skip
    asked = runs.start(campaign=study, by=study.created_by, seed=1, parameters=parameters)
    job = jobs.claim(job_id=asked.job_id)
    assert job is not None
    steps = Steps()
    with measured(tell, "a run"):
        jobs.finish(job=job, result=runs.execute(run=asked, work=steps))  # type: ignore[arg-type]
    page(tell, manager(), "its report", f"/campaigns/{study.uuid}/runs/{asked.number}/")


class Steps:
    """A run's work that says on stderr how long each step took and what was held until then."""

    def __init__(self) -> None:
        self.last, self.since = "", time.perf_counter()

    def progress(self, done: int, total: int, message: str = "") -> None:
        now = time.perf_counter()
        if self.last and now - self.since > 2:
            print(f"  {now - self.since:7.1f} s  {peak():6.0f} MB  {self.last}", file=sys.stderr)
        self.last, self.since = message, now


def export(_questions: int, tell: Callable[..., None]) -> None:
    """Export judgments as CSV piece by piece, as a web server would send them."""
    from django.urls import reverse

    client, size, began = manager(), 0, time.perf_counter()
    with measured(tell, "export as CSV"):
        for piece in client.get(reverse("judging:export", args=[campaign().uuid, "csv"])):
            if not size:
                tell("export: its first piece", seconds=time.perf_counter() - began)
            size += len(piece)
            if size % 50_000_000 < len(piece):
                print(
                    f"  {size / 1e6:.0f} MB, {time.perf_counter() - began:.0f} s", file=sys.stderr
                )
    print(f"  {size / 1e6:.0f} MB in all", file=sys.stderr)


STEPS: dict[str, Callable[[int, Callable[..., None]], None]] = {
    "import": imported,
    "made": made,
    "launch": launch,
    "first": first,
    "opened": opened_pages,
    "half": half,
    "few": few,
    "overview": overview,
    "items": items,
    "pages": all_pages,
    "agreement": agreement,
    "run": run,
    "export": export,
}


# ---- measuring


def peak() -> float:
    """Return the most memory this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def server_peak() -> float:
    """Return the most memory, in MB, that the server process of this connection held, with the
    share of the server's common memory that it touched."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        lines = Path(f"/proc/{cursor.fetchone()[0]}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


@contextmanager
def measured(tell: Callable[..., None], what: str) -> Iterator[None]:
    """Tell how long the block took, and its processor time here and in the database."""
    began, before = time.perf_counter(), cpu_seconds()
    yield
    tell(what, seconds=time.perf_counter() - began, own=cpu_seconds() - before)


def page(tell: Callable[..., None], client: Any, what: str, address: str) -> Any:
    """Tell how long a page took, the best of some loads: fewer of one that takes long."""
    best, own, answer = float("inf"), float("inf"), None
    for turn in range(4):
        if turn > 1 and best > 5:
            break
        began, before = time.perf_counter(), cpu_seconds()
        answer = client.get(address)
        best = min(best, time.perf_counter() - began)
        own = min(own, cpu_seconds() - before)
        assert answer.status_code == 200, (address, answer.status_code)
    tell(what, seconds=best, own=own)
    return answer


def one_step(name: str, questions: int) -> None:
    """Do one step in this process, and write what it took as lines of JSON."""
    import django

    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))

    django.setup()
    from django.test import override_settings

    def tell(what: str, **found: float) -> None:
        print(json.dumps({"what": what, **found}), flush=True)

    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    with override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False, STORAGES=plain):
        STEPS[name](questions, tell)
    tell(f"memory of “{name}”", here=peak(), server=server_peak())


@contextmanager
def database(home: Path, *, kept: bool) -> Iterator[dict[str, str]]:
    """Keep a server on the data of a folder while the block runs; yield the environment."""
    from config.postgres import Cluster

    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o755)  # root hands the server to an account that must pass
    cluster = Cluster(home)
    environment = os.environ | {
        "DATABASE_URL": cluster.url(),
        "QUAESTOR_HOME": str(home),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "QUAESTOR_LOG_LEVEL": "CRITICAL",
    }
    with cluster.serving():
        yield environment
    if not kept:
        shutil.rmtree(cluster.base, ignore_errors=True)


def told(found: dict[str, float]) -> str:
    """Return a cell of the table."""
    if "here" in found:
        return f"{found['here']:,.0f} + {found['server']:,.0f} MB"
    if "given_up" in found:
        return f"given up after {found['given_up']:,.0f} s"
    both = (found["seconds"], found.get("own"))
    return ", ".join(
        f"{1000 * each:,.0f} ms" if each < 2 else f"{each:,.1f} s" for each in both if each
    )


def table(found: dict[str, dict[int, dict[str, float]]], sizes: list[int]) -> Iterator[str]:
    """Yield the rows of the table: a cell for each size, the clock and the processor time, with the
    ratio to the first size: of processor times where they are known."""
    yield "| | " + " | ".join(f"{size:,}" for size in sizes) + " |"
    yield "|---" * (len(sizes) + 1) + "|"
    for what, cells in found.items():
        row = []
        for size in sizes:
            cell, base = cells.get(size), cells.get(sizes[0])
            text = told(cell) if cell else ""
            if cell and base and size != sizes[0]:
                by = next((each for each in ("own", "seconds") if each in base), "")
                if by in cell and base.get(by):
                    text += f" ({cell[by] / base[by]:.1f} x)"
            row.append(text)
        yield f"| {what} | " + " | ".join(row) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--questions", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--steps", choices=list(STEPS), nargs="+", default=list(STEPS))
    parser.add_argument("--home", type=Path, help="a folder that is kept")
    parser.add_argument("--most", type=float, default=900, help="seconds that a step may take")
    parser.add_argument("--step", choices=list(STEPS), help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.step:
        one_step(wanted.step, wanted.questions[0])
        return
    folder = wanted.home or Path(tempfile.mkdtemp(prefix="quaestor-growth-"))
    found: dict[str, dict[int, dict[str, float]]] = defaultdict(dict)
    try:
        for size in wanted.questions:
            with database(folder / str(size), kept=bool(wanted.home)) as environment:
                migrate = [sys.executable, "manage.py", "migrate", "-v0"]
                subprocess.run(migrate, cwd=ROOT, env=environment, check=True)
                for step in wanted.steps:
                    lines = step_lines(step, size, environment, wanted.most)
                    with (folder / f"{size}.jsonl").open("a") as kept:
                        kept.write(lines)
            for one in map(json.loads, (folder / f"{size}.jsonl").read_text().splitlines()):
                found[one.pop("what")][size] = one
    finally:
        if not wanted.home:
            shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(table(found, wanted.questions)))


def step_lines(step: str, size: int, environment: dict[str, str], most: float) -> str:
    """Do a step in a process of its own; return what it measured as lines of JSON, or that it was
    given up."""
    command = [sys.executable, __file__, "--step", step, "--questions", str(size)]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=most,
            check=False,
        )
        lines, failed = done.stdout, bool(done.returncode)
    except subprocess.TimeoutExpired as late:
        lines, failed = (late.stdout or b"").decode(), True
    if failed:
        lines += json.dumps({"what": step, "given_up": time.monotonic() - began}) + "\n"
    load = os.getloadavg()[0]
    print(
        f"{size:,} {step}: {time.monotonic() - began:.0f} s, load {load:.1f}\n{lines}",
        file=sys.stderr,
        flush=True,
    )
    return lines


if __name__ == "__main__":
    main()
