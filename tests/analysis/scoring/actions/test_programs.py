"""METEOR's Java, both models and the core metrics in one job of a real worker, and a report that
uses their scores."""

import csv
import io
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import toy_reader
from django.urls import reverse

from analysis.runs.actions import runs
from analysis.scoring.actions import scores, scoring_jobs
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.score import Score
from judging.jobs import tasks
from judging.jobs.models.job import Job
from tests.analysis.studies import campaign_of
from tests.judging.imports.watching import wait_for

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.jobs]
SOURCES = 1100  # of two systems: three chunks of a thousand questions
QUESTIONS = 2 * SOURCES
METRICS = [
    *scores.CORE,
    "meteor",
    "bertscore",
    "moverscore",
    "answer_consistency_f1",
    "answer_consistency_em",
]
HEADER = [
    "source_id",
    "passage",
    "answer",
    "system",
    "question",
    "reference",
    "Bleu_4",
    "grammaticality@A1",
    "correctness@A1",
]


def study() -> Campaign:
    """Return a judged campaign of one system that asks for the answer, and one that asks for
    another."""
    rng, buffer = random.Random(1), io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(HEADER)
    for number in range(SOURCES):
        facts, (right, wrong) = toy_reader.facts(rng), rng.sample(list(toy_reader.ASKS), 2)
        text = f"{toy_reader.passage(rng, list(facts.values()), fillers=12)} {number}"
        reference = f"{toy_reader.ASKS[right]} ({number})"
        for system, asked, good in (("Alba", right, 3), ("Brisa", wrong, 1)):
            row = [
                number,
                text,
                facts[right],
                system,
                toy_reader.ASKS[asked],
                reference,
                good / 4,
                3,
                good,
            ]
            writer.writerow(row)
    return campaign_of(buffer.getvalue().encode())


def rung(job: Job) -> Job:
    tasks.announce_job(job.pk)
    return job


def ended(job: Job, seconds: float = 300) -> Job:
    return wait_for(job, lambda job: job.state not in ("queued", "running"), seconds)


def scoring(campaign: Campaign) -> Job:
    sides = {"prepare_hypothesis": "raw", "prepare_reference": "raw"}
    asked = {"metrics": [{"id": id, "params": {}} for id in METRICS], **sides}
    return rung(
        scoring_jobs.start_scoring(
            dataset=campaign.dataset, by=campaign.created_by, parameters=asked
        )
    )


def descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            yield child
            yield from descendants(child)


def java_of(worker) -> int:
    (found,) = [
        pid
        for pid in descendants(worker.pid)
        if b"meteor" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]
    return found


def values(campaign: Campaign, id: str) -> dict[int, float]:
    rows = Score.objects.filter(metric__dataset=campaign.dataset, metric__made__id=id)
    return dict(rows.values_list("pk", "value"))


def mean(campaign: Campaign, id: str, system: str) -> float:
    rows = Score.objects.filter(metric__made__id=id, unit__question_set__system__name=system)
    found = list(rows.values_list("value", flat=True))
    assert len(found) == SOURCES
    return sum(found) / len(found)


def test_a_killed_jvm_stops_meteor_alone_and_the_next_job_goes_on_from_there(
    every_program, worker, client
):
    campaign = study()
    client.force_login(campaign.created_by)
    page = reverse("analysis:metrics", args=[campaign.dataset_id])
    for each in METRICS:
        assert f'value="{each}"' in client.get(page).content.decode()

    job = scoring(campaign)
    wait_for(job, lambda job: job.state != "queued" and len(values(campaign, "meteor")) > 0, 120)
    os.kill(java_of(worker), signal.SIGKILL)
    ended(job)

    assert (job.state, job.error) == ("done", "")
    assert job.result["failures"] == {"meteor": "METEOR's Java ended with status -9"}
    before = values(campaign, "meteor")
    assert 0 < len(before) < QUESTIONS
    assert {len(values(campaign, each)) for each in METRICS if each != "meteor"} == {QUESTIONS}
    assert (
        "<code>meteor</code>: METEOR&#x27;s Java ended with status -9"
        in client.get(page).content.decode()
    )

    job = ended(scoring(campaign))
    assert (job.state, job.result["failures"]) == ("done", {})
    assert job.result["values"] == QUESTIONS - len(before)
    after = values(campaign, "meteor")
    assert len(after) == QUESTIONS
    assert before.items() <= after.items()
    shown = client.get(page).content.decode()
    assert "Not computed the last time" not in shown
    # the imported column beside them
    assert shown.count(f'<td class="n">{QUESTIONS:,}</td>') == len(METRICS) + 1

    for each in METRICS:
        assert mean(campaign, each, "Alba") > mean(campaign, each, "Brisa")
    assert mean(campaign, "answer_consistency_em", "Alba") > 0.95
    assert mean(campaign, "answer_consistency_em", "Brisa") < 0.05

    asked = {
        "metrics": METRICS,
        "prepare_hypothesis": "raw",
        "prepare_reference": "raw",
        "resamples": 100,
    }
    run = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters=asked)
    ended(rung(run.job))
    assert (run.job.state, run.job.error) == ("done", "")
    followed = {row["metric"] for row in dict(runs.StoredTables(run))["correlations"]}
    assert {"Bleu_4", "METEOR 1.5", "BERTScore", "Answer consistency (exact match)"} <= followed
    assert Score.objects.filter(metric__made__id="meteor").count() == QUESTIONS
