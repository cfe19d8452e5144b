"""METEOR 1.5 (Denkowski and Lavie 2014): the alignment by its own Java program, one JVM for a whole
job.

A port to Python that reaches the same digits does not exist (the best covers 73% of QG-Bench's
rows), so the jar is used; if it cannot run the metric is unavailable, with the reason. Start-up
takes 5 to 20 s, a question less than 1 ms.
"""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from quaestor_metrics._contract import (
    ENGLISH,
    WORDS,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Parameter,
    ScoredQuestion,
    ScoredUnit,
)
from quaestor_metrics._meteor_jar import JAR_VARIABLE, Jvm, defuse_text, identity, jar
from quaestor_metrics._metric import QuestionMetric

PARAPHRASES = Path("data") / "paraphrase-en.gz"

ALPHA, BETA, GAMMA, DELTA = 0.85, 0.20, 0.60, 0.75
WEIGHTS = (1.0, 0.6, 0.8, 0.6)  # of exact, stem, synonym and paraphrase matches


def meteor(statistics: Sequence[float]) -> float:
    """Return the score of one alignment. METEOR itself could compute it, but would take a quarter
    more time.

    The 23 statistics are words of hypothesis and reference, function words of either; for each of the
    four kinds of match the matched content words of either and the matched function words of either;
    chunks; matched words of either.

    Notes
    -----
    P = sum_i w_i (d c_i + (1 - d) f_i) / (d |content| + (1 - d) |function|) in the hypothesis, R in the reference;
    F = P R / (a P + (1 - a) R); score = F (1 - g (chunks / matched)^b), without a penalty where all words match in one
    chunk. Equal to the jar's own figure within 4e-16.
    """
    length, reference_length, function, reference_function = statistics[:4]
    matches, (chunks, words, reference_words) = statistics[4:20], statistics[20:]
    precision = _weighted(matches[0::4], matches[2::4]) / _size(length, function)
    recall = _weighted(matches[1::4], matches[3::4]) / _size(reference_length, reference_function)
    if not precision or not recall:
        return 0.0
    mean = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    whole = chunks == 1 and (words, reference_words) == (length, reference_length)
    fragmentation = 0.0 if whole else chunks / ((words + reference_words) / 2)
    return float(mean * (1 - GAMMA * fragmentation**BETA))


def _weighted(content: Sequence[float], function: Sequence[float]) -> float:
    return sum(
        w * (DELTA * c + (1 - DELTA) * f)
        for w, c, f in zip(WEIGHTS, content, function, strict=True)
    )


def _size(length: float, function: float) -> float:
    return DELTA * (length - function) + (1 - DELTA) * function or 1.0


class METEOR(QuestionMetric):
    """METEOR 1.5 of one question by its own Java program, best of several references.

    Parameters
    ----------
    **settings
        `memory`: of the Java program, such as `1G`. `timeout`: seconds that 200 questions may
        take. `as_english`: whether other languages are scored by English resources.

    References
    ----------
    Denkowski and Lavie 2014, Meteor universal: Language specific translation evaluation for any
    target language.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._lock = RLock()
        self._jvm: Jvm | None = None
        self._keepers = 0

    def described(self) -> MetricSpec:
        return MetricSpec(
            id="meteor",
            name="METEOR 1.5",
            version="1",
            unit=ScoredUnit.MULTI_REF,
            parameters=(
                Parameter(
                    "memory",
                    "1G",
                    "memory of the Java program; scores do not depend on it",
                    choices=("512M", "1G", "2G", "4G"),
                    in_recipe=False,
                ),
                Parameter(
                    "timeout",
                    300,
                    "seconds that 200 questions may take",
                    in_recipe=False,
                    least=1,
                    most=600,
                ),
                Parameter(
                    "as_english",
                    False,
                    "score other languages by English stems, synonyms and paraphrases, as QG-Bench's columns do",
                    choices=(False, True),
                ),
            ),
            needs=WORDS,
            languages=ENGLISH,
            library=f"METEOR 1.5 -l en -norm, jar {identity(jar())}",
        )

    def available(self) -> tuple[bool, str]:
        path = jar()
        if shutil.which("java") is None:
            return False, "no Java is installed"
        if path is None:
            return (
                False,
                f"no METEOR jar: set {JAR_VARIABLE} to meteor-1.5.jar, or install pycocoevalcap (extra meteor)",
            )
        if not path.is_file():
            return False, f"there is no file {path}"
        if not (path.parent / PARAPHRASES).is_file():
            return (
                False,
                f"{path.parent / PARAPHRASES} is missing; without it METEOR gives other scores",
            )
        return True, ""

    @contextmanager
    def keep_running(self) -> Iterator[None]:
        """Keep the Java program alive between batches."""
        with self._lock:
            self._keepers += 1
        try:
            yield
        finally:
            with self._lock:
                self._keepers -= 1
                self._end_if_alone()

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        with self._lock:
            if self._jvm is None:
                self._jvm = self._start(params)
            try:
                return self._scored(self._jvm, batch)
            except (
                BaseException
            ):  # also when a job is cancelled: a half-read answer must not meet the next question
                self._end()
                raise
            finally:
                self._end_if_alone()

    @staticmethod
    def _scored(jvm: Jvm, batch: Sequence[ScoredQuestion]) -> list[MetricResult]:
        places = [index for index, question in enumerate(batch) if defuse_text(question.hypothesis)]
        statistics = dict(
            zip(places, jvm.statistics([batch[index] for index in places]), strict=True)
        )
        return [
            MetricResult(meteor(statistics[index]) if index in statistics else 0.0)
            for index in range(len(batch))
        ]

    @staticmethod
    def _start(params: Mapping[str, Any]) -> Jvm:
        path = jar()
        if path is None:
            raise MetricUnavailable(f"no METEOR jar: set {JAR_VARIABLE}")
        return Jvm(path, memory=params["memory"], timeout=params["timeout"])

    def _end_if_alone(self) -> None:
        if not self._keepers:
            self._end()

    def _end(self) -> None:
        if self._jvm is not None:
            self._jvm.close()
            self._jvm = None
