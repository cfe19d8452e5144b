"""A whole run on a large study: seconds of each part, beside the time it takes to read the
judgments at all.

    OMP_NUM_THREADS=1 .venv/bin/python bench/runs.py [--shape qgeval|qgbench]

`qgeval` has 200 sources x 15 systems x 7 criteria x 3 annotators and 17 metrics (63,000 ratings),
`qgbench` has 500 x 6 x 3 x 5 and 10 metrics (45,000). A PostgreSQL of its own is made in a
temporary folder and removed again. Ratings are drawn with effects of sources, questions, systems
and annotators, and crowd at the upper end; metrics follow quality with noise.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.own_database import own_database  # noqa: E402


@dataclass(frozen=True)
class Shape:
    """The size of a study, and the protocol by which it is judged."""

    protocol: str
    criteria: tuple[str, ...]
    sources: int
    systems: int
    annotators: int
    metrics: int


SHAPES = {
    "qgeval": Shape(
        "qgeval",
        (
            "fluency",
            "clarity",
            "conciseness",
            "relevance",
            "consistency",
            "answerability",
            "answer_consistency",
        ),
        200,
        15,
        3,
        17,
    ),
    "qgbench": Shape(
        "qgbench", ("grammaticality", "understandability", "correctness"), 500, 6, 5, 10
    ),
    "wide": Shape(
        "qgbench", ("grammaticality", "understandability", "correctness"), 12, 100, 3, 60
    ),
}


def csv_of(shape: Shape) -> bytes:
    """Return a study as a file: every question with its ratings and its metric columns."""
    draw = np.random.default_rng(0)
    ratings = [
        f"{criterion}@A{person}"
        for criterion in shape.criteria
        for person in range(1, shape.annotators + 1)
    ]
    names = [f"bleu_m{i}" for i in range(shape.metrics)]
    rows = [",".join(["source_id", "passage", "answer", "system", "question", *ratings, *names])]
    severity = draw.normal(size=shape.annotators) * 0.3
    weight = draw.random(shape.metrics)
    for source in range(shape.sources):
        ease = draw.normal() * 0.3
        for system in range(shape.systems):
            quality = ease + system / shape.systems + draw.normal() * 0.5
            noise = draw.normal(size=(len(shape.criteria), shape.annotators)) * 0.4
            given = np.clip(np.rint(2.4 + quality + noise + severity), 1, 3).astype(int)
            scores = np.round(weight * quality + draw.normal(size=shape.metrics), 4)
            text = [
                str(source),
                f"Passage {source} about a lock.",
                "lock",
                f"S{system}",
                f"What is {source} to {system}?",
            ]
            rows.append(",".join([*text, *map(str, given.ravel()), *map(str, scores)]))
    return "\n".join(rows).encode()


def imported(content: bytes, protocol: str) -> Any:
    from django.utils import timezone

    from judging.formats.mapping import Column, Mapping
    from judging.imports.actions import adding
    from judging.jobs import storage
    from judging.people.models.user import User
    from judging.protocols import documents
    from judging.protocols.actions import protocols
    from judging.protocols.models.protocol import Protocol

    columns = {}
    for name in content.partition(b"\n")[0].decode().split(","):
        criterion, is_rated, rater = name.partition("@")
        if is_rated:
            columns[name] = Column(role="ratings", name=criterion, rater=rater)
        elif name.startswith("bleu"):
            columns[name] = Column(role="metric", name=name, direction="higher")
        else:
            columns[name] = Column(role=name)
    return adding.import_file(
        file=storage.store_bytes(content),
        file_name="bench.csv",
        name="Bench",
        by=User.objects.create(username="bench"),
        now=timezone.now(),
        mapping=Mapping(recipe="table", columns=columns),
        protocols=Protocol.objects.none(),
        protocol=protocols.install(document=documents.shipped(protocol)),
        accept_surprises=True,
    ).campaign


class Timed:
    """A run's work that prints how long each step took."""

    def __init__(self) -> None:
        self.steps: dict[str, float] = {}
        self.last, self.since = "", time.perf_counter()

    def again(self) -> None:
        """Do nothing: nobody cancels."""

    def progress(self, done: int, total: int, message: str = "") -> None:
        now = time.perf_counter()
        if self.last:
            self.steps[self.last] = self.steps.get(self.last, 0) + now - self.since
        self.last, self.since = message.rpartition(" on ")[0] or message, now


def run(arguments: argparse.Namespace) -> None:
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client
    from django.urls import reverse

    from analysis import frames
    from analysis.models import Run
    from analysis.runs.actions import papers, runs
    from judging.jobs.actions import jobs

    settings.STORAGES["staticfiles"]["BACKEND"] = (
        "django.contrib.staticfiles.storage.StaticFilesStorage"
    )
    settings.ALLOWED_HOSTS.append("testserver")
    shape = SHAPES[arguments.shape]
    start = time.perf_counter()
    campaign = imported(csv_of(shape), shape.protocol)
    print(f"imported in {time.perf_counter() - start:.1f} s")
    start = time.perf_counter()
    read = frames.read_campaign(campaign)
    reading = time.perf_counter() - start
    print(
        f"{len(read.judgments):,} judgments of {len(read.questions):,} questions, {len(read.metrics)} metrics"
    )
    work = Timed()
    parameters = {"metrics": [], "slices": ["day"]} | (
        {"resamples": 100} if arguments.quick else {}
    )
    asked = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters=parameters)
    job = jobs.claim_job(job_id=asked.job_id)
    start, processor = time.perf_counter(), time.process_time()
    jobs.finish_job(job=job, result=runs.execute_run(run=asked, work=work))
    whole, processor = time.perf_counter() - start, time.process_time() - processor
    work.progress(0, 0)
    for step, seconds in sorted(work.steps.items(), key=lambda pair: -pair[1])[:14]:
        print(f"  {seconds:6.2f} s  {step}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"the whole run: {whole:.1f} s, {processor:.1f} s of processor, {whole / reading:.0f} x reading, "
        f"peak {peak:.0f} MB; goal 60 s and 600 MB"
    )
    client, page = Client(), []
    client.force_login(campaign.created_by)
    for _ in range(5):
        start = time.process_time()
        answer = client.get(reverse("analysis:run", args=[campaign.uuid, Run.objects.get().number]))
        page.append(time.process_time() - start)
    assert answer.status_code == 200
    told = f"{sorted(page)[2] * 1000:.0f} ms of processor, {len(answer.content) / 1024:.0f} KB"
    print(f"its page: {told}, median of five; the first look {1000 * page[0]:.0f} ms; goal 500 ms")
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)
        (arguments.keep / "page.html").write_bytes(answer.content)
        (arguments.keep / "report.pdf").write_bytes(papers.kept_pdf(asked) or b"")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--shape", choices=list(SHAPES), default="qgeval")
    parser.add_argument(
        "--quick", action="store_true", help="100 resamples: for looking at the page"
    )
    parser.add_argument("--keep", type=Path, help="a folder for the page and the PDF")
    arguments = parser.parse_args()
    with own_database():
        run(arguments)


if __name__ == "__main__":
    main()
