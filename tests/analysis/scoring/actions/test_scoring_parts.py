"""A large scoring job is divided into parts that all workers share."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial

import pytest
from django.db import connection

from analysis.scoring.actions import scoring_jobs, scoring_parts
from analysis.scoring.actions.scores import ChosenMetric
from bench.brokers import BROKERS
from config.data_folder import ROOT
from config.processes import free_port
from judging.datasets.models.dataset import Reference
from judging.datasets.models.score import Metric, Score
from judging.jobs import tasks
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import MetricFailed, MetricResult, MetricSpec, Parameter, ScoredUnit
from tests import factories
from tests.analysis.scoring.actions import test_scores
from tests.analysis.scoring.actions.test_scores import carried_out, computed, values
from tests.judging.imports.watching import asked as asked_of_database
from tests.judging.imports.watching import children, imports_held, over, wait_for

pytestmark = pytest.mark.django_db(transaction=True)
dataset, counting = test_scores.dataset, test_scores.counting


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(scoring_parts, "PART_TARGETS", 6)


def asked(dataset, *metrics: str) -> Job:
    return scoring_jobs.start_scoring(
        dataset=dataset,
        by=dataset.owner,
        parameters={
            "metrics": [{"id": metric, "params": {}} for metric in metrics],
            "prepare_hypothesis": "raw",
            "prepare_reference": "raw",
        },
    )


def carry_out_parts(job: Job) -> None:
    for part in job.parts.filter(state="queued").order_by("created_at"):
        carried_out(part)


def test_parts_give_the_values_that_one_job_gives(dataset):
    chosen = ("bleu_1", "rouge_l", "self_bleu_2", "corpus_bleu_4")
    computed(dataset, [ChosenMetric(metric) for metric in chosen])
    whole = values()
    Metric.objects.all().delete()

    job = carried_out(asked(dataset, *chosen))
    assert job.state == "queued"
    assert (job.done, job.total) == (0, len(whole))
    assert job.parts.count() == 3 + 3 + 2 + 1
    assert carried_out(job).state == "queued", "it waits for its parts"
    carry_out_parts(job)
    job.refresh_from_db()
    assert job.done == job.total
    job = carried_out(job)

    assert (job.state, job.attempts) == ("done", 1)
    assert job.result["values"] == len(whole)
    assert job.result["failures"] == {}
    assert values() == whole
    assert not Job.objects.filter(parent=job).exists()


def test_metric_that_fails_in_one_part_is_named_and_not_tried_in_the_others(dataset, counting):
    def fail(batch, params):
        raise MetricFailed("the model is broken")

    counting.score = fail
    job = carried_out(asked(dataset, "counting", "bleu_1"))
    carry_out_parts(job)
    job = carried_out(job)

    assert job.state == "done"
    assert job.result["failures"] == {"counting": "the model is broken"}
    assert Score.objects.count() == 16


def test_metric_that_fails_with_one_setting_is_computed_with_another(dataset, counting):
    def fail_if_asked(batch, params):
        if params["broken"]:
            raise MetricFailed("the model is broken")
        return [MetricResult(1.0) for _ in batch]

    counting.spec = replace(
        counting.spec, parameters=(Parameter("broken", False, "whether it fails"),)
    )
    counting.score = fail_if_asked
    job = scoring_jobs.start_scoring(
        dataset=dataset,
        by=dataset.owner,
        parameters={
            "metrics": [{"id": "counting", "params": {"broken": it}} for it in (True, False)],
            "prepare_hypothesis": "raw",
            "prepare_reference": "raw",
        },
    )
    carry_out_parts(carried_out(job))

    assert carried_out(job).state == "done"
    assert Score.objects.filter(metric__made__params__broken=False, value=1.0).count() == 16


def test_part_whose_worker_died_three_times_fails_its_metric_only(dataset):
    job = carried_out(asked(dataset, "bleu_1", "rouge_l"))
    lost = job.parts.filter(parameters__metric="rouge_l").first()
    Job.objects.filter(pk=lost.pk).update(attempts=jobs.ATTEMPTS - 1)
    jobs.put_back(job_id=jobs.claim_job(job_id=lost.pk).pk)
    carry_out_parts(job)
    job = carried_out(job)

    assert job.state == "done"
    assert list(job.result["failures"]) == ["rouge_l"]
    assert "worker died 3 times" in job.result["failures"]["rouge_l"]
    assert Score.objects.filter(metric__made__id="bleu_1").count() == 16


def test_part_that_is_started_again_stores_nothing_twice(dataset, counting):
    job = carried_out(asked(dataset, "counting"))
    first, *_ = job.parts.order_by("created_at")
    carried_out(first)
    Job.objects.filter(pk=first.pk).update(state="queued", finished_at=None)
    carry_out_parts(job)
    assert carried_out(job).state == "done"
    assert Score.objects.count() == 16
    assert len(counting.asked) == 16


def test_cancelled_job_takes_its_parts_along(dataset):
    job = carried_out(asked(dataset, "bleu_1"))
    at_work = jobs.claim_job(job_id=job.parts.first().pk)
    jobs.cancel_job(job=job)

    job.refresh_from_db()
    assert job.state == "cancelled"
    assert not Job.objects.filter(parent=job).exists()
    with pytest.raises(jobs.JobLost):
        jobs.finish_job(job=at_work, result={})


def test_parts_end_when_the_user_loses_the_right(dataset):
    job = carried_out(asked(dataset, "bleu_1"))
    dataset.owner.is_active = False
    dataset.owner.save()
    carry_out_parts(job)
    job = carried_out(job)
    assert (job.state, job.error) == ("failed", tasks.NO_MORE)
    assert Score.objects.count() == 0


def test_parts_of_neural_metrics_wait_in_the_queue_of_the_gpu(dataset, counting):
    counting.spec = MetricSpec(
        id="counting",
        name="Counting",
        version="1",
        unit=ScoredUnit.MULTI_REF,
        needs=frozenset(),
        range=(0, 99),
        neural=True,
    )
    job = carried_out(asked(dataset, "counting", "bleu_1"))
    by_metric = set(job.parts.values_list("parameters__metric", "queue"))
    assert by_metric == {("counting", "gpu"), ("bleu_1", "celery")}
    kind, part = jobs.reserve(queue="gpu")
    assert kind == scoring_parts.KIND
    assert Job.objects.get(pk=part).parameters["metric"] == "counting"


WRITES_SCORES = """
SELECT 1 FROM pg_stat_activity
WHERE wait_event_type = 'Lock' AND query ILIKE 'INSERT INTO%%judging_score%%'
"""


RING = """
import sys, django
django.setup()
from judging.jobs.tasks import announce_job
announce_job(sys.argv[1])
"""


@pytest.mark.jobs
@pytest.mark.skipif(not BROKERS["redis"].is_installed, reason="needs a Redis server")
def test_redis_starts_a_job_again_when_its_parts_have_ended(cluster, tmp_path):
    """No sweep runs that would do it."""
    port = free_port(18900)
    large = factories.dataset(sources=1_500, expected=2)
    Reference.objects.bulk_create(
        Reference(source=source, position=1, text="Who built the lock?")
        for source in large.sources.all()
    )
    job = asked(large, "bleu_1", "rouge_l")
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": cluster.url(str(connection.settings_dict["NAME"])),
        "CELERY_BROKER_URL": BROKERS["redis"].address.format(port=port),
    }
    worker = ["celery", "-A", "config", "worker", "-Q", "celery,gpu", "-c", "2", "-l", "INFO"]
    with BROKERS["redis"].run(tmp_path, port), (tmp_path / "worker.txt").open("w") as log:
        start = partial(subprocess.Popen, cwd=ROOT, env=environment, stdout=log, stderr=log)
        process = start([sys.executable, "-m", *worker])
        try:
            assert start([sys.executable, "-c", RING, str(job.pk)]).wait(timeout=60) == 0
            wait_for(job, over)
        finally:
            process.terminate()
            process.wait(timeout=60)
    assert (job.state, job.error) == ("done", ""), (tmp_path / "worker.txt").read_text()
    assert job.result == {"scored": large.pk, "values": 12_000, "failures": {}}


@pytest.mark.jobs
def test_killed_process_costs_no_score_and_doubles_none(worker, monkeypatch):
    monkeypatch.undo()  # the worker divides by the real size
    large = factories.dataset(sources=650, expected=2)
    Reference.objects.bulk_create(
        Reference(source=source, position=1, text="Who built the lock?")
        for source in large.sources.all()
    )
    with imports_held():  # no process can store scores
        job = asked(large, "bleu_1", "rouge_l")
        tasks.announce_job(job.pk)
        wait_for(job, lambda job: bool(asked_of_database(WRITES_SCORES)))
        assert job.parts.count() == 2
        for pid in children(worker.pid):
            os.kill(pid, signal.SIGKILL)
        wait_for(job, lambda job: job.parts.filter(attempts=2).exists())
    wait_for(job, over)

    assert (job.state, job.error) == ("done", "")
    assert job.result == {"scored": large.pk, "values": 5_200, "failures": {}}
    assert Score.objects.count() == 5_200
