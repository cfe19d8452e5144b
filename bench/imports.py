"""Import 100,000 questions from CSV: seconds and peak memory, beside two baselines of the same run.

    OMP_NUM_THREADS=1 .venv/bin/python bench/imports.py [--questions N] [--words N]

A PostgreSQL of its own, durable as in production, is made in a temporary folder and removed again.
Each variant runs in a process of its own, so that its peak memory is its own:

- `copy_table`: PostgreSQL's own CSV reader copies the file into one table of text columns, nothing else. The floor.
- `import`: a new dataset of one file: read it twice, as a page and a job do, find sources and slots, store all of it,
  one transaction.
- `join`: a table of as many rows with one more metric, found by ids, is looked at and added to what `import` stored.
- `bulk_create`: the same as `import`, with Django's bulk_create in batches of 1,000 in place of COPY.

Then a workbook of 20,000 rows is opened as the page of its columns does, in the limited process, beside python-calamine
alone in a process of its own.
"""

import argparse
import csv
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

SYSTEMS = ("T5 Large", "T5 Small", "BART Large", "LSTM", "Rules", "Human")
COLUMNS = "source_id,passage,answer,system,question,reference,Bleu_4,ROUGE_L,topic"
VARIANTS = ("copy_table", "import", "join", "bulk_create")


def write_file(path: Path, *, questions: int, words: int, first: int = 0) -> None:
    """Write a file like those of users: every passage is repeated with each question about it.

    `first`: the number of its first question, if it continues another file.
    """
    rng = random.Random(1 + first)
    vocabulary = [
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 10)))
        for _ in range(5_000)
    ]
    with path.open("w") as file:
        file.write(COLUMNS + "\n")
        for row in range(first, first + questions):
            if row % len(SYSTEMS) == 0:
                passage, answer = " ".join(rng.choices(vocabulary, k=words)), f"Answer{row}"
                reference = " ".join(rng.choices(vocabulary, k=9))
            question = " ".join(rng.choices(vocabulary, k=10))
            system, scores = SYSTEMS[row % len(SYSTEMS)], f"{rng.random()},{rng.random()}"
            text = f'"{passage} {answer}.",{answer},{system},"{question}?","{reference}?"'
            file.write(f"{row // 6},{text},{scores},t{row % 9}\n")


def peak() -> float:
    """Return the most memory this process ever held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu_seconds() -> float:
    """Return the processor time of this process and of the server process that works for it."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return time.process_time() + (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def run_variant(variant: str, path: Path) -> dict[str, float]:
    """Do one variant in this process."""
    import django

    django.setup()
    before, busy = peak(), cpu_seconds()
    seconds = {
        "copy_table": copy_table,
        "import": import_file,
        "join": join,
        "bulk_create": bulk_create,
    }[variant](path)
    return {"seconds": seconds, "cpu": cpu_seconds() - busy, "peak_mb": peak(), "before_mb": before}


def copy_table(path: Path) -> float:
    from django.db import connection, transaction

    with connection.cursor() as cursor:
        cursor.execute(
            f"CREATE TABLE floor ({', '.join(f'{name} text' for name in COLUMNS.split(','))})"
        )
        start = time.perf_counter()
        with transaction.atomic(), path.open() as file:
            cursor.copy_expert("COPY floor FROM STDIN (FORMAT csv, HEADER)", file)
        return time.perf_counter() - start


def import_file(path: Path) -> float:
    from django.utils import timezone

    from judging.formats.mapping import Mapping
    from judging.imports.actions import adding
    from judging.jobs import storage
    from judging.protocols.models.protocol import Protocol

    start = time.perf_counter()
    adding.study_in(name=path.name, data=path.read_bytes(), mapping=Mapping())
    print(f"  reading once takes {time.perf_counter() - start:.2f} s", file=sys.stderr)
    start = time.perf_counter()
    made = adding.import_file(
        file=storage.store_bytes(path.read_bytes()),
        file_name=path.name,
        name="Bench",
        by=owner(),
        now=timezone.now(),
        mapping=Mapping(),
        protocols=Protocol.objects.none(),
        again=True,
        accept_surprises=True,
    )
    assert made.quarantined == 0
    return time.perf_counter() - start


def join(path: Path) -> float:
    from django.utils import timezone

    from judging.datasets.models.dataset import Dataset
    from judging.datasets.models.score import Score
    from judging.formats.mapping import Column, Mapping
    from judging.imports.actions import adding, files
    from judging.jobs import storage
    from judging.protocols.models.protocol import Protocol

    with path.open() as file:
        lines = csv.DictReader(file)
        rows = [
            f"{line['source_id']},{line['system']},{number / 1e6:.6f}"
            for number, line in enumerate(lines)
        ]
    kept = storage.store_bytes("\n".join(["source_id,system,METEOR", *rows]).encode())
    columns = {
        "source_id": Column(role="source_id"),
        "system": Column(role="system"),
        "METEOR": Column(role="metric", name="METEOR", direction="higher", scale="fraction"),
    }
    protocols = Protocol.objects.none()
    start = time.perf_counter()
    added = files.upload_file(
        dataset=Dataset.objects.get(name="Bench"), name="meteor.csv", file=kept, by=owner()
    )
    files.read_file(
        added=added, mapping=Mapping(recipe="table", columns=columns), protocols=protocols
    )
    adding.examine_waiting_file(added=added, protocols=protocols)
    print(f"  of which looking {time.perf_counter() - start:.2f} s", file=sys.stderr)
    adding.add_file(added=added, by=owner(), now=timezone.now(), accept_surprises=True)
    seconds = time.perf_counter() - start
    assert Score.objects.filter(metric__name="METEOR").count() == len(rows)
    return seconds


def bulk_create(path: Path) -> float:
    from judging.imports.actions import store, store_ratings

    def copy(
        model: Any,
        columns: tuple[str, ...],
        rows: Iterable[tuple[object, ...]],
        stored: Callable[[int], None] = lambda count: None,
    ) -> None:
        made = (model(**dict(zip(columns, row, strict=True))) for row in rows)
        stored(len(model.objects.bulk_create(made, batch_size=1_000)))

    store.copy_rows = store_ratings.copy_rows = copy
    return import_file(path)


def write_workbook(path: Path, *, rows: int) -> None:
    """Write a workbook with texts, a metric and the ratings of two annotators."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet()
    sheet.append(
        ["id", "passage", "system", "question", "reference", "bleu", "fluency_A", "fluency_B"]
    )
    for row in range(rows):
        source, system = divmod(row, len(SYSTEMS))
        passage = f"Ravens store food in autumn {source}. They find it again in winter."
        texts = [f"P{source}", passage, SYSTEMS[system], f"When is food stored {row}?", "When?"]
        sheet.append([*texts, 0.25 + row / 1e5, row % 3 + 1, row * 7 % 3 + 1])
    book.save(path)


CALAMINE = """
import sys
from python_calamine import CalamineWorkbook
CalamineWorkbook.from_path(sys.argv[1]).get_sheet_by_index(0).to_python()
"""


def open_workbook(path: Path, rows: int = 20_000) -> None:
    """Print the processor time of opening a workbook in the limited process, and of calamine."""
    from judging.formats import child

    write_workbook(path, rows=rows)
    data = path.read_bytes()
    opened = children_seconds(
        lambda: child.preview_in_child(name=path.name, data=data, mapping=None, key=bytes(16))
    )
    alone = children_seconds(
        lambda: subprocess.run([sys.executable, "-c", CALAMINE, str(path)], check=True)
    )
    print(
        f"workbook of {rows:,} rows: {opened:.2f} s of processor time, calamine alone {alone:.2f} s "
        f"({opened / alone:.1f} x; goal at most 5)"
    )


def children_seconds(work: Callable[[], object]) -> float:
    """Return the least processor time of child processes in three runs."""
    spent = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        work()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(spent)


def owner() -> Any:
    from judging.people.models.user import User

    return User.objects.get_or_create(username="bench")[0]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=60, help="in each passage")
    parser.add_argument("--variant", choices=VARIANTS)
    parser.add_argument("--file", type=Path)
    said = parser.parse_args()
    if said.variant:
        print(json.dumps(run_variant(said.variant, said.file)))
    else:
        compare(said.questions, said.words)


def compare(questions: int, words: int) -> None:
    from config.postgres import Cluster

    home = Path(tempfile.mkdtemp(prefix="quaestor-bench-"))
    home.chmod(0o755)
    cluster = Cluster(home)
    try:
        path = home / "questions.csv"
        write_file(path, questions=questions, words=words)
        print(
            f"{questions:,} questions, passages of {words} words, {path.stat().st_size / 1e6:.0f} MB"
        )
        with cluster.serving():
            environment = os.environ | {
                "DATABASE_URL": cluster.url(),
                "QUAESTOR_HOME": str(home),
                "DJANGO_SETTINGS_MODULE": "config.settings",
            }
            subprocess.run(
                [sys.executable, "manage.py", "migrate", "-v0"],
                cwd=ROOT,
                env=environment,
                check=True,
            )
            report(
                {variant: measured(variant, path, environment) for variant in VARIANTS}, questions
            )
        open_workbook(home / "ratings.xlsx")
    finally:
        shutil.rmtree(home, ignore_errors=True)
        shutil.rmtree(cluster.base, ignore_errors=True)


def measured(variant: str, path: Path, environment: dict[str, str]) -> dict[str, float]:
    command = [sys.executable, __file__, "--variant", variant, "--file", str(path)]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def report(results: dict[str, dict[str, float]], questions: int) -> None:
    floor = results["copy_table"]["cpu"]
    for variant, found in results.items():
        print(
            f"{variant:12} {found['seconds']:6.2f} s, {found['cpu']:5.2f} s of processor time "
            f"({found['cpu'] / floor:.1f} x copy_table), {questions / found['seconds']:,.0f} questions/s, "
            f"peak {found['peak_mb']:.0f} MB, of which {found['before_mb']:.0f} MB before it began"
        )


if __name__ == "__main__":
    main()
