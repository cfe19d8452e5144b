"""A process that wants more than its part of the memory is refused it, and the others go on."""

import subprocess
import sys
from pathlib import Path

import pytest

from config import memory
from config.postgres import ROOT
from tests.config.test_settings import BARE

WANTS_MORE = """
try:
    bytearray(400 * 1024 * 1024)
except MemoryError:
    print("refused")
else:
    print("given")
"""
WEB = "import runpy; runpy.run_path('deploy/gunicorn.conf.py')['post_fork'](None, None)"
JOBS = "from config.celery import step_back; step_back()"


def said(code: str, **environ: str) -> str:
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**BARE, **environ},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return ended.stdout.strip()


@pytest.mark.parametrize(
    ("megabytes", "answer"), [("300", "refused"), ("800", "given"), ("0", "given")]
)
def test_job_is_given_so_much_memory(megabytes: str, answer: str) -> None:
    assert said(JOBS + WANTS_MORE, QUAESTOR_PROCESS_MEMORY=megabytes) == answer


def test_process_of_a_worker_has_a_third_of_the_machine_and_a_web_process_a_gigabyte() -> None:
    show = "; import resource; print(resource.getrlimit(resource.RLIMIT_DATA)[0])"
    assert said(JOBS + show) == str(max(2 * 1024**3, memory.of_the_machine() // 3))
    assert said(WEB + show) == str(1024**3 + 3 * 4 * 1024 * 1024)
    assert said(WEB + show, QUAESTOR_PROCESS_MEMORY="0") == "-1"


def test_threads_of_a_web_process_hold_the_calls_that_python_nests() -> None:
    """A sort in a sort takes the most of a stack; with half of it the process died."""
    nest = """
import threading
def nested(_=None):
    sorted([1], key=nested)
def run():
    try:
        nested()
    except RecursionError:
        print("refused")
thread = threading.Thread(target=run)
thread.start()
thread.join()
"""
    assert said(WEB + nest) == "refused"


@pytest.mark.parametrize(("told", "most"), [("1048576\n", 1_048_576), ("max\n", None)])
def test_container_with_less_memory_than_its_machine_counts(
    told: str, most: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = memory.of_the_machine()
    (tmp_path / "memory.max").write_text(told)
    monkeypatch.setattr(memory, "CONTAINER", tmp_path / "memory.max")
    assert memory.of_the_machine() == (most or machine)
