"""The kinds of faults that tests must notice are still kinds of this code, and the quickest of them
are noticed."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bench.named_faults import NAMED, Named

ROOT = Path(__file__).parents[3]


def test_named_faults_are_eighteen_different_kinds() -> None:
    assert len({each.kind for each in NAMED}) == len(NAMED) == 18


@pytest.mark.parametrize("fault", NAMED, ids=lambda fault: fault.kind)
def test_a_named_fault_can_be_made_and_has_a_test(fault: Named) -> None:
    assert (ROOT / fault.path).read_text().count(fault.before) == 1
    path, _, name = fault.test.partition("::")
    assert re.search(rf"^def {name.partition('[')[0]}\(", (ROOT / path).read_text(), re.MULTILINE)


@pytest.mark.long
def test_faults_in_statistics_are_noticed() -> None:
    """All of them take `bench/mutants.py --named` minutes; these need no database."""
    command = [sys.executable, "bench/mutants.py", "--named", "--without-database"]
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("DJANGO_", "QUAESTOR_", "PYTEST_"))
    }
    done = subprocess.run(
        command, cwd=ROOT, env=own, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "2 of 2 faults noticed" in done.stdout
