"""The supervisor, with real processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from config import processes

ROOT = Path(processes.__file__).parent.parent
KEEPER = """
import sys
from pathlib import Path
from config import processes
from config.processes import Program, run_together
processes.WATCH_EVERY = 0.2
folder = Path(sys.argv[1])
programs = [
    Program(name, [sys.executable, "-c", code], folder / f"{name}.log", folder)
    for name, code in zip(sys.argv[2::2], sys.argv[3::2])
]
def watch():
    (folder / "watched").touch()
    return (folder / "enough").exists()
ready = lambda: (folder / "ready").touch()
run_together(programs, watch=watch, ready=ready, say=lambda text: print(text, flush=True))
"""
SLEEPER = "import os, time; open('pid', 'a').write(f'{os.getpid()}\\n'); time.sleep(600)"
STUBBORN = "import os, signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + SLEEPER


def keep(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", KEEPER, str(folder), *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def pids(folder: Path) -> list[int]:
    path = folder / "pid"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stop_signal_stops_all_programs(tmp_path, number):
    keeper = keep(tmp_path, "one", SLEEPER, "two", SLEEPER)
    until(lambda: len(pids(tmp_path)) == 2)

    keeper.send_signal(number)

    assert keeper.wait(timeout=60) == 0
    assert [lives(pid) for pid in pids(tmp_path)] == [False, False]


def test_killed_program_is_started_again_and_said(tmp_path):
    keeper = keep(tmp_path, "worker", SLEEPER)
    until(lambda: len(pids(tmp_path)) == 1)

    os.kill(pids(tmp_path)[0], signal.SIGKILL)
    until(lambda: len(pids(tmp_path)) == 2)

    keeper.terminate()
    assert (
        "The worker ended (killed by SIGKILL); starting it again."
        in keeper.communicate(timeout=60)[0]
    )


def test_programs_end_when_their_keeper_is_killed(tmp_path):
    keeper = keep(tmp_path, "one", SLEEPER)
    until(lambda: len(pids(tmp_path)) == 1)

    keeper.kill()
    keeper.wait()

    until(lambda: not lives(pids(tmp_path)[0]))


def test_program_that_does_not_listen_is_ended_by_force(tmp_path, monkeypatch):
    program = processes.Program(
        "stubborn", [sys.executable, "-c", STUBBORN], tmp_path / "log", tmp_path
    )
    child = processes.Child(program, say=print)
    child.look(time.monotonic())
    until(lambda: len(pids(tmp_path)) == 1)

    child.ask_to_stop()
    child.make_stop(time.monotonic() + 0.3)

    assert not lives(pids(tmp_path)[0])
