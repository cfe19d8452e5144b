"""A process that wants more than its part of the memory is refused it, and the others go on."""

import subprocess
import sys

import pytest

from config.data_folder import ROOT
from tests.config.test_settings import BARE

WANTS_MORE = """
try:
    bytearray(400 * 1024 * 1024)
except MemoryError:
    print("refused")
else:
    print("given")
"""
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


@pytest.mark.parametrize(("megabytes", "answer"), [("300", "refused"), ("800", "given")])
def test_job_is_given_so_much_memory(megabytes: str, answer: str) -> None:
    assert said(JOBS + WANTS_MORE, QUAESTOR_PROCESS_MEMORY=megabytes) == answer
