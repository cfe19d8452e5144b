"""Measure how much faster two worker processes compute a metric than one.

    .venv/bin/python bench/scoring.py [--questions 100_000] [--metric multi_q_bleu_1]

The database makes a dataset of its own (see bench/envelope.py). A real Celery worker computes the
metric with one process, then with two; the ratio of the times is printed. The goal is 1.5 on two
idle cores.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402

GOAL = 1.5
WAIT_SECONDS = 3_600


@contextmanager
def worker(processes: int) -> Iterator[None]:
    """Run a worker while the block runs."""
    from judging.jobs.actions import jobs
    from judging.jobs.models.job import WorkerPresence

    command = ["celery", "-A", "config", "worker", "-c", str(processes), "-l", "WARNING"]
    running = subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT)
    try:
        while not jobs.worker_lives():
            time.sleep(0.2)
        yield
    finally:
        running.terminate()
        running.wait(timeout=60)
        WorkerPresence.objects.all().delete()


def seconds_with(processes: int, *, metric: str) -> float:
    """Return the seconds that a worker with a number of processes takes to compute a metric."""
    from analysis.scoring.actions import scoring_jobs
    from judging.datasets.models.dataset import Dataset
    from judging.datasets.models.score import Metric
    from judging.jobs import tasks
    from judging.jobs.models.job import Job

    dataset = Dataset.objects.get()
    Metric.objects.all().delete()
    with worker(processes):
        begun = time.perf_counter()
        job = tasks.start_job(
            scoring_jobs.start_scoring,
            dataset=dataset,
            by=dataset.owner,
            parameters={
                "metrics": [{"id": metric, "params": {}}],
                "prepare_hypothesis": "raw",
                "prepare_reference": "raw",
            },
        )
        while job.state in (Job.State.QUEUED, Job.State.RUNNING):
            time.sleep(0.05)
            job.refresh_from_db()
            if time.perf_counter() - begun > WAIT_SECONDS:
                raise SystemExit(f"The job did not end within {WAIT_SECONDS} seconds.")
        if job.state != Job.State.DONE:
            raise SystemExit(f"The job {job.state}: {job.error}")
        return time.perf_counter() - begun


def main() -> int:
    parser = argparse.ArgumentParser(description="Scoring with one and two worker processes.")
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--metric", default="multi_q_bleu_1")
    asked = parser.parse_args()
    with own_database():
        import django

        django.setup()
        from bench.envelope import make_dataset

        make_dataset(questions=asked.questions, metrics=0)
        one = seconds_with(1, metric=asked.metric)
        two = seconds_with(2, metric=asked.metric)
    print(f"{asked.questions:,} questions, {asked.metric}")
    print(f"one process {one:.1f} s, two {two:.1f} s: {one / two:.2f} times as fast (goal {GOAL})")
    return int(one / two < GOAL)


if __name__ == "__main__":
    sys.exit(main())
