"""The demo's report in a warm worker, beside the same report by an earlier commit.

    OMP_NUM_THREADS=1 .venv/bin/python bench/report_run.py --before COMMIT [--python-before PATH]

The earlier commit is checked out into a temporary folder. Earlier and present code run by turns, in
pairs, each time in a new process with a PostgreSQL of its own. The process computes the demo's
report once to become warm, and then three times. Measured are the most memory that it held for the
first report, and the median of the others' processor time, with that of child processes, and of the
part of it that the section of correlations takes. Another process makes the demo's study. If the
earlier commit needs other libraries, give the Python that has them. An installation has no pyarrow,
with which pandas takes 50 MB more: measure without it.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("packages/quaestor-stats/src", "packages/quaestor-metrics/src")
CORRELATIONS = "Correlation with human ratings"
UNITS = {"processor time": "s", "correlations": "s", "peak memory": "MB"}
REPORTS = 3


class UnwatchedWork:
    """A run's work that nobody cancels or watches."""

    def again(self) -> None:
        """Do nothing: nobody cancels."""

    def progress(self, done: int, total: int, message: str = "") -> None:
        """Do nothing: nobody watches."""


def processor_time() -> float:
    """Return the processor time of this process and its finished children in seconds."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def make_demo() -> None:
    """Create the demo's study."""
    import django

    django.setup()
    from django.utils import timezone

    from config.demo import logins, study
    from judging.protocols.actions import protocols

    protocols.install_shipped()
    researcher, annotator = logins.ensure_logins()
    study.ensure_demo_study(
        researcher=researcher.user, annotator=annotator.user, now=timezone.now()
    )


def time_sections() -> dict[str, float]:
    """Make every section note its processor time; return the dictionary of these by title."""
    from analysis.sections.section import Section

    times: dict[str, float] = {}
    compute_records = Section.records

    def timed(section: Section[Any], *arguments: Any) -> list[Any]:
        start = processor_time()
        records = compute_records(section, *arguments)
        times[section.title] = processor_time() - start
        return records

    Section.records = timed  # type: ignore[method-assign]
    return times


def compute_report() -> None:
    """Compute the demo's report as a worker does, with the parts of its page."""
    from django.db import transaction

    from analysis.models import Run
    from analysis.runs.actions import report_pages, runs
    from judging.jobs.actions import jobs

    first = Run.objects.earliest("number")
    run = runs.start_run(
        campaign=first.campaign, by=first.campaign.created_by, seed=1, parameters={}
    )
    job = jobs.claim_job(job_id=run.job_id)
    with transaction.atomic():
        result = runs.execute_run(run=run, work=UnwatchedWork())
        report_pages.render_parts(run)
    jobs.finish_job(job=job, result=result)


def measure() -> None:
    """Compute the report in a process like a worker's, and print the figures as JSON."""
    from bench.own_database import own_database

    with own_database():
        subprocess.run([sys.executable, "-P", __file__, "--only", "make_demo"], check=True)
        import django

        django.setup()
        from config import celery

        celery.load_tasks()
        celery.share_memory()
        times = time_sections()
        compute_report()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        spent, correlations = [], []
        for _ in range(REPORTS):
            start = processor_time()
            compute_report()
            spent.append(processor_time() - start)
            correlations.append(times[CORRELATIONS])
        print(
            json.dumps(dict(zip(UNITS, (median(spent), median(correlations), peak), strict=True)))
        )


def figures_of(checkout: Path, python: str) -> dict[str, float]:
    """Return the figures of the code in a folder, measured in a new process."""
    path = os.pathsep.join(str(checkout / part) for part in (".", *PACKAGES))
    measured = subprocess.run(
        [python, "-P", __file__, "--only", "measure"],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    return dict(json.loads(measured.stdout.splitlines()[-1]))


def compare(arguments: argparse.Namespace) -> None:
    """Measure both sides in pairs and print the medians, and the median of the pairs' ratios."""
    with tempfile.TemporaryDirectory(prefix="quaestor-before-") as folder:
        before = Path(folder) / "checkout"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(before), arguments.before], check=True)
        try:
            pairs = [
                (figures_of(before, arguments.python_before), figures_of(ROOT, sys.executable))
                for _ in range(arguments.pairs)
            ]
        finally:
            subprocess.run([*git, "remove", "--force", str(before)], check=True)
    for name, unit in UNITS.items():
        then, now = (median(pair[side][name] for pair in pairs) for side in (0, 1))
        ratio = median(pair[1][name] / pair[0][name] for pair in pairs)
        print(f"{name}: {then:.3g} {unit} before, {now:.3g} {unit} now, ratio {ratio:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", default="b15f3ccf", help="the earlier commit")
    parser.add_argument("--python-before", default=sys.executable, help="Python of that commit")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--only", choices=["make_demo", "measure"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    steps = {"make_demo": make_demo, "measure": measure}
    steps[arguments.only]() if arguments.only else compare(arguments)


if __name__ == "__main__":
    main()
