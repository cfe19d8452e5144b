"""Run the Java program of METEOR 1.5: find it, send it texts, and report its failures."""

import hashlib
import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import IO, cast

from quaestor_metrics._contract import MetricFailed, ScoredQuestion
from quaestor_metrics._progress import interruptible

JAR_VARIABLE = "QUAESTOR_METEOR_JAR"
OPTIONS = ("-", "-", "-stdio", "-l", "en", "-norm")
AT_ONCE = 200  # questions that have a time together
AHEAD = 32_768  # bytes of questions that wait in the program's pipe, which holds 64 KiB
NUMBERS = 23
LAST_WORDS = 2  # seconds that a program which closed its pipe has to end

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]|\|{2,}")


class MeteorStopped(MetricFailed):
    """The Java program ended, was killed, took too long or answered what is no METEOR
    statistics."""


def jar() -> Path | None:
    """Return the jar the operator set, or the one inside an installed pycocoevalcap."""
    if named := os.environ.get(JAR_VARIABLE):
        return Path(named)
    package = find_spec("pycocoevalcap")
    places = package.submodule_search_locations if package else None
    return Path(places[0]) / "meteor" / "meteor-1.5.jar" if places else None


def identity(path: Path | None) -> str:
    """Name a jar by its content."""
    return (
        _digest(path, path.stat().st_mtime_ns) if path is not None and path.is_file() else "missing"
    )


@cache
def _digest(path: Path, changed: int) -> str:
    return f"sha256 {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def defuse_text(text: str) -> str:
    """Return a text that cannot be taken for a line end or a separator of METEOR's protocol."""
    return " ".join(_UNSAFE.sub(" ", text).split())


class Jvm:
    """A running METEOR: one line with the texts in, one line with the statistics of their alignment
    out."""

    def __init__(self, jar: Path, *, memory: str = "1G", timeout: float = 300) -> None:
        self._timeout = timeout
        self._late = False
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close())
        command = ["java", "-jar", f"-Xmx{memory}", "-Dfile.encoding=UTF-8", str(jar), *OPTIONS]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
        )
        self._stdin, self._stdout = (
            cast(IO[bytes], self._process.stdin),
            cast(IO[bytes], self._process.stdout),
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def statistics(self, questions: Sequence[ScoredQuestion]) -> list[list[float]]:
        """Return METEOR's numbers for each question, against the reference that it scores best
        with."""
        numbers: list[list[float]] = []
        for chunk in _chunks(questions):
            watchdog = Timer(self._timeout, self._give_up)
            watchdog.start()
            try:
                numbers.extend(self._ask(chunk))
            except (EOFError, OSError, ValueError) as error:
                raise self._stopped() from error
            finally:
                watchdog.cancel()
        return numbers

    def close(self) -> None:
        """End the Java program."""
        self._process.kill()
        self._process.communicate()
        self._complaints.close()

    def _ask(self, chunk: Sequence[ScoredQuestion]) -> list[list[float]]:
        """Send only as many requests ahead as the pipe holds: one answer may take minutes, and a
        write that blocks on a full pipe could not be cancelled between two answers."""
        requests = [_request(question).encode("utf-8", "replace") for question in chunk]
        numbers: list[list[float]] = []
        sent = ahead = 0
        for answered in interruptible(range(len(requests))):
            while sent < len(requests) and (
                sent == answered or ahead + len(requests[sent]) <= AHEAD
            ):
                self._stdin.write(requests[sent])
                ahead += len(requests[sent])
                sent += 1
            self._stdin.flush()
            numbers.append(_numbers(self._stdout.readline()))
            ahead -= len(requests[answered])
        return numbers

    def _give_up(self) -> None:
        self._late = True
        self._process.kill()

    def _stopped(self) -> MeteorStopped:
        if self._late:
            return MeteorStopped(f"METEOR gave no answer in {self._timeout:g} seconds")
        try:
            status = self._process.wait(timeout=LAST_WORDS)
        except subprocess.TimeoutExpired:
            return MeteorStopped("METEOR's Java answered what is no METEOR statistics")
        self._complaints.seek(0)
        complaints = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return MeteorStopped(
            f"METEOR's Java ended with status {status}{': ' + complaints[0] if complaints else ''}"
        )


def _request(question: ScoredQuestion) -> str:
    return (
        " ||| ".join(
            ["SCORE", *map(defuse_text, question.references), defuse_text(question.hypothesis)]
        )
        + "\n"
    )


def _numbers(answer: bytes) -> list[float]:
    if not answer:
        raise EOFError
    numbers = [float(number) for number in answer.split()]
    if len(numbers) != NUMBERS:
        raise ValueError(f"{len(numbers)} numbers")
    return numbers


def _chunks(questions: Sequence[ScoredQuestion]) -> Iterator[Sequence[ScoredQuestion]]:
    for start in range(0, len(questions), AT_ONCE):
        yield questions[start : start + AT_ONCE]
