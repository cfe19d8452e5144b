"""A whole run on a large study: seconds of each part, beside the time it takes to read the judgments at all.

    OMP_NUM_THREADS=1 .venv/bin/python bench/runs.py [--sources 500] [--systems 6] [--metrics 10]

A PostgreSQL of its own is made in a temporary folder and removed again. Ratings and scores are drawn at random.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402

CRITERIA = ("grammaticality", "understandability", "correctness")
ANNOTATORS = 5


def csv_of(*, sources: int, systems: int, metrics: int) -> bytes:
    """Return a study as a file: every question with five ratings on three criteria and its metric columns."""
    draw = np.random.default_rng(0)
    ratings = [f"{criterion}@A{person}" for criterion in CRITERIA for person in range(1, ANNOTATORS + 1)]
    head = ["source_id", "passage", "answer", "system", "question", *ratings, *(f"bleu_m{i}" for i in range(metrics))]
    rows = [",".join(head)]
    for source in range(sources):
        for system in range(systems):
            quality = system / systems + draw.normal() / 2
            given = np.clip(np.rint(2 + quality + draw.normal(size=len(ratings)) * 0.7), 1, 3).astype(int)
            scores = np.round(quality + draw.normal(size=metrics), 4)
            text = [
                str(source),
                f"Passage {source} about a lock.",
                "lock",
                f"S{system}",
                f"What is {source} to {system}?",
            ]
            rows.append(",".join([*text, *map(str, given), *map(str, scores)]))
    return "\n".join(rows).encode()


def imported(content: bytes) -> Any:
    from django.utils import timezone

    from judging.actions import imports, rubrics
    from judging.formats import rubric as documents
    from judging.formats.guessing import guess
    from judging.formats.mapping import to_study
    from judging.formats.tables import read_delimited
    from judging.models import User

    table = read_delimited(content)
    columns = guess(table.header, [row.cells for row in table.rows[:200]])
    return imports.import_study(
        study=to_study(table, columns), name="Bench", by=User.objects.create(username="bench"), now=timezone.now(),
        rubric=rubrics.install(document=documents.shipped("qgbench")),
    ).campaign  # fmt: skip


class Timed:
    """A run's work that prints how long each step took."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self.last, self.since = "", time.perf_counter()

    def progress(self, done: int, total: int, message: str = "") -> None:
        now = time.perf_counter()
        if self.last:
            self.steps[self.last] = self.steps.get(self.last, 0) + now - self.since
        self.last, self.since = message.rpartition(" on ")[0] or message, now


def run(arguments: argparse.Namespace) -> None:
    import django

    django.setup()
    from analysis import frames
    from analysis.actions import agreement, runs

    start = time.perf_counter()
    campaign = imported(csv_of(sources=arguments.sources, systems=arguments.systems, metrics=arguments.metrics))
    print(f"imported in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    read = frames.material(campaign)
    reading = time.perf_counter() - start
    start = time.perf_counter()
    agreement.records(read)
    print(f"{len(read.judgments):,} judgments of {len(read.questions):,} questions, {len(read.metrics)} metrics")
    print(
        f"all agreement with intervals and checks: {time.perf_counter() - start:.2f} s, after {reading:.2f} s reading"
    )
    work, parameters = Timed(), {"metrics": [], "slices": ["day"]}
    start = time.perf_counter()
    runs.execute(run=runs.start(campaign=campaign, by=campaign.created_by, seed=1, parameters=parameters), work=work)
    whole = time.perf_counter() - start
    work.progress(0, 0)
    for step, seconds in sorted(work.steps.items(), key=lambda pair: -pair[1])[:12]:
        print(f"  {seconds:6.2f} s  {step}")
    print(f"the whole run: {whole:.1f} s, {whole / reading:.0f} x reading; goal 60 s")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sources", type=int, default=500)
    parser.add_argument("--systems", type=int, default=6)
    parser.add_argument("--metrics", type=int, default=10)
    arguments = parser.parse_args()
    with own_database():
        run(arguments)


if __name__ == "__main__":
    main()
