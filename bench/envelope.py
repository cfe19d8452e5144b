"""Whether every page answers within a second at the size that the product promises.

    .venv/bin/python bench/envelope.py [--questions 100_000] [--metrics 60] [--no-report] [--json FILE]

The database makes a study at the edge of the envelope (docs/adr/0036-threat-model-and-envelope.md):
100,000 questions of 30 systems with the scores of 60 metrics, judged by five of fifty annotators on
two criteria, which is 1,000,000 judgments. Pages and API reads are then loaded through Django's test
client. The first load counts what a page keeps for later; the other figure is the median of the
three loads after it. The cluster is the bench's own, in a temporary folder, and does not wait for the
disk.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402

GOAL_SECONDS = 1.0
PEOPLE, ANNOTATORS_PER_QUESTION, SYSTEMS = 50, 5, 30
LOADS = 3
OPEN_TASKS = 10
WORDS = """array_to_string(ARRAY(
    SELECT substr(md5({of} || '/' || n), 1, 3 + n %% 7) FROM generate_series(1, {n}) n), ' ')"""
MATERIAL = f"""
INSERT INTO judging_passage (dataset_id, digest, text)
SELECT %(dataset)s, lpad(n::text, 64, '0'), {WORDS.format(of="n", n=60)}
FROM generate_series(1, %(sources)s) n;
INSERT INTO judging_source (dataset_id, passage_id, key, position, answer, answer_start, sentence,
                            sentence_start, target_type, modality, language)
SELECT dataset_id, id, digest::bigint, digest::bigint, 'lock', NULL, '', NULL, '', '', ''
FROM judging_passage;
INSERT INTO judging_reference (source_id, position, text)
SELECT id, 1, {WORDS.format(of="id", n=9)} FROM judging_source;
INSERT INTO judging_system (dataset_id, name, kind)
SELECT %(dataset)s, 'System ' || n, 'model' FROM generate_series(1, %(systems)s) n;
INSERT INTO judging_questionset (source_id, system_id, expected)
SELECT source.id, system.id, 1 FROM judging_source source, judging_system system
ORDER BY source.position, system.id;
INSERT INTO judging_unit (question_set_id, position) SELECT id, 1 FROM judging_questionset;
INSERT INTO judging_question (unit_id, text, key, question_type, submitted_answer)
SELECT id, {WORDS.format(of="id", n=10)} || '?', '', '', '' FROM judging_unit;
INSERT INTO judging_attribute (unit_id, name, value)
SELECT id, 'topic', 't' || id %% 9 FROM judging_unit;
INSERT INTO judging_score (metric_id, unit_id, value, text, reason)
SELECT metric.id, unit.id, random(), '', '' FROM judging_unit unit, judging_metric metric;
"""
JUDGMENTS = """
WITH filled AS (
    UPDATE judging_assignment own
    SET state = 'submitted', active_seconds = 40, enrollment_id = people.id, held_at = now(),
        submitted_at = now() - interval '20 days' + make_interval(secs => own.position)
    FROM judging_task task, unnest(%(people)s::bigint[]) WITH ORDINALITY AS people(id, number)
    WHERE task.id = own.task_id AND own.round_id = %(round)s AND own.state = 'open'
        AND own.position <= %(last)s
        AND people.number = 1 + (own.place - 1) * %(share)s + task.number %% %(share)s
    RETURNING own.id, own.task_id)
INSERT INTO judging_judgment
    (assignment_id, unit_id, criterion_id, value, origin, cause, revision, created_at)
SELECT filled.id, shown.unit_id, criterion.id,
    1 + least(2, floor(2.6 * random() + 0.4 * (shown.unit_id %% 3)))::int, 'judged', '', 1, now()
FROM filled JOIN judging_taskunit shown ON shown.task_id = filled.task_id, judging_criterion criterion
WHERE criterion.protocol_id = %(protocol)s
"""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Print how long a step took."""
    began = time.perf_counter()
    yield
    print(f"{what}: {time.perf_counter() - began:.0f} s", file=sys.stderr, flush=True)


def run_sql(statement: str, values: dict[str, Any]) -> None:
    """Run statements without triggers and checks of foreign keys, then do what PostgreSQL's
    autovacuum does in the minutes after many changes."""
    from django.db import connection, transaction

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement, values)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def make_dataset(*, questions: int, metrics: int) -> Any:
    """Have the database make sources, systems, questions, references and scores."""
    from judging.datasets.models.dataset import Dataset
    from judging.datasets.models.score import Metric
    from judging.people.models.user import User

    owner = User.objects.create_superuser("bench", may_create_campaigns=True)
    dataset = Dataset.objects.create(name="Envelope", owner=owner)
    for number in range(1, metrics + 1):
        Metric.objects.create(
            dataset=dataset, name=f"Metric {number}", kind="imported", fingerprint=str(number)
        )
    sizes = {"dataset": dataset.pk, "sources": questions // SYSTEMS, "systems": SYSTEMS}
    with told("dataset"):
        run_sql(MATERIAL, sizes)
    return dataset


def make_campaign(dataset: Any) -> Any:
    """Open a campaign with two criteria, which lays out its tasks and assignments."""
    from django.utils import timezone

    from judging.campaigns.actions import campaigns
    from judging.enrolments.actions import enrollments
    from judging.people.models.user import User
    from judging.protocols import documents
    from judging.protocols.actions import protocols
    from judging.protocols.protocol_schema import without_criteria
    from judging.quality.actions import snapshots

    whole = replace(documents.shipped("qgbench"), translations={}, worked_item=None)
    campaign = campaigns.create_campaign(
        by=dataset.owner,
        dataset=dataset,
        protocol=protocols.install(document=without_criteria(whole, ["correctness"])),
        plan={"title": "Envelope", "annotators_per_task": ANNOTATORS_PER_QUESTION},
    )
    campaigns.lock_plan(campaign=campaign, now=timezone.now())
    with told("tasks and assignments"):
        campaigns.open_campaign(campaign=campaign, now=timezone.now())
        snapshots.take_snapshot(campaign=campaign, now=timezone.now())
    for number in range(PEOPLE):
        enrollments.enroll(campaign=campaign, user=User.objects.create_user(f"annotator-{number}"))
    return campaign


def make_judgments(campaign: Any) -> int:
    """Submit all assignments but those of the last tasks; return the number of judgments."""
    from django.db.models import Max
    from django.utils import timezone

    from judging.campaigns.models.assignment import Assignment
    from judging.campaigns.models.members import Enrollment
    from judging.quality.actions import snapshots
    from judging.work.models.judgment import Judgment

    round_ = campaign.rounds.get()
    last = Assignment.objects.filter(round=round_).aggregate(last=Max("position"))["last"]
    last -= OPEN_TASKS * ANNOTATORS_PER_QUESTION
    values = {
        "people": list(campaign.enrollments.order_by("pk").values_list("pk", flat=True)),
        "round": round_.pk,
        "protocol": campaign.protocol_id,
        "share": PEOPLE // ANNOTATORS_PER_QUESTION,
        "last": last,
    }
    with told("judgments"):
        run_sql(JUDGMENTS, values)
    Enrollment.objects.filter(campaign=campaign).update(cursor=last, cursor_round=round_)
    with told("counts of the overview"):
        snapshots.take_snapshot(campaign=campaign, now=timezone.now())
    return Judgment.objects.count()


def make_report(campaign: Any) -> Any:
    """Compute a report as a worker does."""
    from analysis.runs.actions import runs
    from judging.jobs.actions import jobs

    parameters = {"metrics": [], "resamples": 200, "mixed_model": "never"}
    run = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters=parameters)
    job = jobs.claim_job(job_id=run.job_id)
    assert job is not None
    with told("report"):
        jobs.finish_job(
            job=job, result=runs.execute_run(run=run, work=jobs.Work(job, worker="bench"))
        )
    return run


def named_pages(campaign: Any, run: Any) -> dict[str, str]:
    """Return the addresses that are timed, for the manager of the campaign."""
    from django.urls import reverse

    from judging.campaigns.actions import campaigns
    from judging.datasets.models.dataset import Question, Source
    from judging.datasets.models.score import Metric

    dataset = campaign.dataset
    source = Source.objects.order_by("-position").first()
    criterion = campaign.protocol.criteria.order_by("position").first().key
    first, second = Metric.objects.filter(dataset=dataset).order_by("pk")[:2]
    draft = campaigns.create_campaign(
        by=dataset.owner,
        dataset=dataset,
        protocol=campaign.protocol,
        plan={"title": "Draft", "annotators_per_task": ANNOTATORS_PER_QUESTION},
    )
    compare = reverse("analysis:metrics_compare", args=[dataset.pk])
    word = Question.objects.order_by("-pk").first().text.split()[0]
    items = reverse("analysis:items", args=[campaign.uuid])
    tasks = reverse("judging:tasks", args=[campaign.uuid])
    annotator = campaign.enrollments.order_by("pk").first().pk

    def about(name: str, *more: Any) -> str:
        return reverse(name, args=[campaign.uuid, *more])

    pages = {
        "home": reverse("judging:campaigns"),
        "datasets": reverse("judging:datasets"),
        "dataset": reverse("judging:dataset", args=[dataset.pk]),
        "dataset: files": reverse("judging:files", args=[dataset.pk]),
        "dataset: questions": reverse("analysis:dataset_items", args=[dataset.pk]),
        "dataset: metrics": reverse("analysis:metrics", args=[dataset.pk]),
        "dataset: two metrics compared": f"{compare}?first={first.pk}&second={second.pk}",
        "campaign": about("judging:campaign"),
        "campaign: plan": about("judging:plan"),
        "campaign: LLM judges": about("judging:llm_judges"),
        "campaign: tasks": tasks,
        "campaign: tasks, last page": f"{tasks}?page=last",
        "campaign: annotators": about("judging:annotators"),
        "campaign: one annotator": about("judging:annotator", annotator),
        "campaign: adjudication": about("judging:adjudication"),
        "campaign: history": about("judging:history"),
        "campaign: rounds": about("judging:rounds"),
        "draft: plan": reverse("judging:plan", args=[draft.uuid]),
        "draft: choice of questions": reverse("judging:selection", args=[draft.uuid]),
        "draft: power analysis": reverse("analysis:planning", args=[draft.uuid]),
        "items": items,
        "items by disagreement": f"{items}?sort=disagreement&criterion={criterion}",
        "items by gap of metric and ratings": f"{items}?sort=gap&criterion={criterion}&metric={first.name}",
        "items with a rare word": f"{items}?text={word}",
        "one source": about("analysis:item", source.pk),
        "report: start": about("analysis:report"),
        "API: datasets": reverse("api:dataset-list"),
        "API: items": reverse("api:item-list", args=[campaign.dataset_id]),
        "API: campaigns": reverse("api:campaign-list"),
        "API: campaign": about("api:campaign-detail"),
        "API: annotators": about("api:enrolment-list"),
    }
    if run is not None:
        pages["report"] = about("analysis:run", run.number)
    return pages


def seconds_of(client: Any, address: str) -> float:
    """Return how long a page takes."""
    began = time.perf_counter()
    answer = client.get(address)
    if answer.streaming:
        for _piece in answer:
            pass
    taken = time.perf_counter() - began
    assert answer.status_code == 200, (address, answer.status_code)
    return taken


def timed(client: Any, address: str) -> tuple[float, float]:
    """Return the seconds of the first load and the median of those after it."""
    first = seconds_of(client, address)
    return first, median(seconds_of(client, address) for _load in range(LOADS))


def annotator_pages(campaign: Any) -> tuple[Any, dict[str, str]]:
    """Return a client logged in as an annotator, and the pages of one."""
    from django.test import Client
    from django.urls import reverse

    client = Client(raise_request_exception=False)
    client.force_login(campaign.enrollments.order_by("pk").first().user)
    work = reverse("annotation:work", args=[campaign.uuid])
    address = client.get(f"{work}?begin").url
    assert re.search(r"/tasks/", address), address
    return client, {"annotator: home": reverse("annotation:home"), "annotator: task": address}


def measure(*, questions: int, metrics: int, with_report: bool) -> dict[str, tuple[float, float]]:
    import django

    django.setup()
    from django.test import Client, override_settings

    began = time.perf_counter()
    dataset = make_dataset(questions=questions, metrics=metrics)
    campaign = make_campaign(dataset)
    judgments = make_judgments(campaign)
    print(f"{questions:,} questions, {metrics} metrics, {judgments:,} judgments")
    print(f"made in {time.perf_counter() - began:.0f} s", flush=True)
    run = make_report(campaign) if with_report else None
    manager = Client(raise_request_exception=False)
    manager.force_login(campaign.created_by)
    plain = {"staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
    found = {}
    with override_settings(ALLOWED_HOSTS=["*"], SECURE_SSL_REDIRECT=False, STORAGES=plain):
        annotator, own = annotator_pages(campaign)
        every = [(manager, name, at) for name, at in named_pages(campaign, run).items()]
        every += [(annotator, name, at) for name, at in own.items()]
        for client, name, address in every:
            found[name] = timed(client, address)
            first, later = found[name]
            missed = " MISSED" if later > GOAL_SECONDS else ""
            print(f"{name:40} {1000 * first:8.0f} ms {1000 * later:8.0f} ms{missed}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--metrics", type=int, default=60)
    parser.add_argument("--no-report", action="store_true", help="exclude the report")
    parser.add_argument("--json", type=Path, help="a file for the figures")
    asked = parser.parse_args()
    with own_database():
        found = measure(
            questions=asked.questions, metrics=asked.metrics, with_report=not asked.no_report
        )
    if asked.json:
        asked.json.write_text(json.dumps(found, indent=1))
    missed = [name for name, (_first, later) in found.items() if later > GOAL_SECONDS]
    print(f"{len(found) - len(missed)} of {len(found)} within {GOAL_SECONDS:.0f} s")


if __name__ == "__main__":
    main()
