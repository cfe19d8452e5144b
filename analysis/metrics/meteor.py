"""METEOR 1.5 (Denkowski and Lavie 2014), run in its own Java program: one JVM for a whole job.

A port to Python that reaches the same digits does not exist (the best covers 73 % of QG-Bench's rows), so the jar is
used, and where it cannot run the metric says why. Start-up costs 5 to 20 s, a pair about 1 ms.
"""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock, Timer
from typing import IO, Any, cast

from analysis.metrics.contract import (
    MetricFailed,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Parameter,
    Question,
    Unit,
)

JAR_VARIABLE = "QUAESTOR_METEOR_JAR"
PARAPHRASES = Path("data") / "paraphrase-en.gz"
OPTIONS = ("-", "-", "-stdio", "-l", "en", "-norm")
LAST_WORDS = 2  # seconds that a program which closed its pipe has to end
AT_ONCE = 200  # pairs; their answers fit in a pipe, so writing all before reading any cannot block

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]|\|{2,}")


class MeteorStopped(MetricFailed):
    """The Java program ended, was killed, took too long or answered what is not a score."""


def jar() -> Path | None:
    """Return the jar the operator set, or the one inside an installed pycocoevalcap."""
    if named := os.environ.get(JAR_VARIABLE):
        return Path(named)
    package = find_spec("pycocoevalcap")
    places = package.submodule_search_locations if package else None
    return Path(places[0]) / "meteor" / "meteor-1.5.jar" if places else None


def defused(text: str) -> str:
    """Return a text that cannot be taken for a line end or a separator of METEOR's protocol."""
    return " ".join(_UNSAFE.sub(" ", text).split())


class Jvm:
    """A running METEOR: asked for the statistics of pairs, then for the scores of these statistics."""

    def __init__(self, jar: Path, *, memory: str = "1G", timeout: float = 300) -> None:
        self._timeout = timeout
        self._late = False
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close())
        command = ["java", "-jar", f"-Xmx{memory}", "-Dfile.encoding=UTF-8", str(jar), *OPTIONS]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._complaints
        )
        self._stdin, self._stdout = cast(IO[bytes], self._process.stdin), cast(IO[bytes], self._process.stdout)

    @property
    def pid(self) -> int:
        return self._process.pid

    def scores(self, questions: Sequence[Question]) -> list[float]:
        """Return the segment score of each question, the best over its references."""
        found: list[float] = []
        for chunk in _chunks(questions):
            watchdog = Timer(self._timeout, self._give_up)
            watchdog.start()
            try:
                found.extend(self._chunk(chunk))
            except (EOFError, OSError, ValueError) as error:
                raise self._stopped() from error
            finally:
                watchdog.cancel()
        return found

    def close(self) -> None:
        """End the Java program."""
        self._process.kill()
        self._process.communicate()
        self._complaints.close()

    def _chunk(self, chunk: Sequence[Question]) -> list[float]:
        statistics = self._ask([_request(question) for question in chunk], answers=len(chunk))
        return [float(line) for line in self._ask([" ||| ".join(["EVAL", *statistics])], answers=len(chunk) + 1)[:-1]]

    def _ask(self, lines: Sequence[str], *, answers: int) -> list[str]:
        self._stdin.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
        self._stdin.flush()
        got = [self._stdout.readline().decode("utf-8").strip() for _ in range(answers)]
        if not all(got):
            raise EOFError
        return got

    def _give_up(self) -> None:
        self._late = True
        self._process.kill()

    def _stopped(self) -> MeteorStopped:
        if self._late:
            return MeteorStopped(f"METEOR gave no answer in {self._timeout:g} seconds")
        try:
            status = self._process.wait(timeout=LAST_WORDS)
        except subprocess.TimeoutExpired:
            return MeteorStopped("METEOR's Java answered what is not a score")
        self._complaints.seek(0)
        said = self._complaints.read().decode("utf-8", "replace").strip().splitlines()
        return MeteorStopped(f"METEOR's Java ended with status {status}{': ' + said[0] if said else ''}")


def _request(question: Question) -> str:
    return " ||| ".join(["SCORE", *map(defused, question.references), defused(question.hypothesis)])


def _chunks(questions: Sequence[Question]) -> Iterator[Sequence[Question]]:
    for start in range(0, len(questions), AT_ONCE):
        yield questions[start : start + AT_ONCE]


class Meteor:
    """METEOR 1.5 of one question, English, normalised text, best of several references."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._jvm: Jvm | None = None
        self._keepers = 0

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            id="meteor",
            name="METEOR 1.5",
            version="1",
            unit=Unit.MULTI_REF,
            parameters=(
                Parameter("memory", "1G", "memory of the Java program; scores do not depend on it"),
                Parameter("timeout", 300, "seconds that 200 questions may take"),
            ),
            library=f"METEOR 1.5 -l en -norm, jar {_identity(jar())}",
        )

    def available(self) -> tuple[bool, str]:
        found = jar()
        if shutil.which("java") is None:
            return False, "no Java is installed"
        if found is None:
            return False, f"no METEOR jar: set {JAR_VARIABLE} to meteor-1.5.jar, or install pycocoevalcap"
        if not found.is_file():
            return False, f"there is no file {found}"
        if not (found.parent / PARAPHRASES).is_file():
            return False, f"{found.parent / PARAPHRASES} is missing; without it METEOR gives other scores"
        return True, ""

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keep the Java program alive between batches."""
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                self._end_if_alone()

    def score(self, batch: Sequence[Question], params: Mapping[str, Any]) -> list[MetricResult]:
        with self._lock:
            if self._jvm is None:
                self._jvm = self._start(params)
            try:
                return self._scored(self._jvm, batch)
            except BaseException:  # also when a job is cancelled: a half-read answer must not meet the next question
                self._end()
                raise
            finally:
                self._end_if_alone()

    @staticmethod
    def _scored(jvm: Jvm, batch: Sequence[Question]) -> list[MetricResult]:
        asked = [index for index, question in enumerate(batch) if defused(question.hypothesis)]
        values = dict(zip(asked, jvm.scores([batch[index] for index in asked]), strict=True))
        return [MetricResult(values.get(index, 0.0)) for index in range(len(batch))]

    @staticmethod
    def _start(params: Mapping[str, Any]) -> Jvm:
        found = jar()
        if found is None:
            raise MetricUnavailable(f"no METEOR jar: set {JAR_VARIABLE}")
        return Jvm(found, memory=params["memory"], timeout=params["timeout"])

    def _end_if_alone(self) -> None:
        if not self._keepers:
            self._end()

    def _end(self) -> None:
        if self._jvm is not None:
            self._jvm.close()
            self._jvm = None


def _identity(found: Path | None) -> str:
    return _digest(found, found.stat().st_mtime_ns) if found is not None and found.is_file() else "missing"


@cache
def _digest(found: Path, changed: int) -> str:
    return f"sha256 {hashlib.sha256(found.read_bytes()).hexdigest()[:16]}"
