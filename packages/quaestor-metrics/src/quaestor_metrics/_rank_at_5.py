"""Rank@5 (Ray Chowdhury et al. 2022, section 5): a set's five questions that its passage most
probably answers, scored by a set metric."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from quaestor_metrics._consistency import read, reader_available
from quaestor_metrics._contract import (
    ENGLISH,
    MetricResult,
    MetricSpec,
    Need,
    Parameter,
    Preparation,
    ScoredSet,
    Scorer,
    undefined,
)
from quaestor_metrics._local_model import folder_of, identity
from quaestor_metrics._preparation import step
from quaestor_metrics._reader import QA_VARIABLE
from quaestor_metrics._scoring import kept, score

LARGEST = 5  # questions that are kept of a set
LEAST_PROBABILITY = 0.5


def most_answerable(hypotheses: Sequence[str], probabilities: Sequence[float]) -> tuple[str, ...]:
    """Return the five questions with the highest probability of an answer, the highest first.

    Parameters
    ----------
    hypotheses : sequence of str
        The questions of a set.
    probabilities : sequence of float
        For each question, the probability that its passage answers it.

    Returns
    -------
    tuple of str
        At most five; none with a probability below .5. Equal ones keep their order.

    Examples
    --------
    >>> most_answerable(["Who?", "Why?", "When?"], [0.6, 0.4, 0.9])
    ('When?', 'Who?')
    """
    ranked = sorted(
        zip(hypotheses, probabilities, strict=True), key=lambda pair: pair[1], reverse=True
    )
    answerable = [question for question, probability in ranked if probability >= LEAST_PROBABILITY]
    return tuple(answerable[:LARGEST])


@dataclass(frozen=True)
class RankAt5:
    """A set metric of the five most answerable questions of a set. The model reads the raw texts,
    the set metric the prepared ones."""

    base: Scorer

    @property
    def spec(self) -> MetricSpec:
        inner = self.base.spec
        prepare = Parameter(
            "prepare", "ptb", "preparation of both sides for the set metric", check=step
        )
        return replace(
            inner,
            id=f"rank5_{inner.id}",
            name=f"Rank@5 {inner.name}",
            needs=inner.needs | {Need.CONTEXT, Need.CASED},
            parameters=(prepare, *inner.parameters),
            languages=ENGLISH,
            library=" / ".join(filter(None, [inner.library, identity(folder_of(QA_VARIABLE))])),
            neural=True,
        )

    def available(self) -> tuple[bool, str]:
        usable, reason = self.base.available()
        return reader_available() if usable else (usable, reason)

    @contextmanager
    def kept(self) -> Iterator[None]:
        with kept([self.base]):
            yield

    def score(self, batch: Sequence[ScoredSet], params: Mapping[str, Any]) -> list[MetricResult]:
        found = read([(asked, one.context) for one in batch for asked in one.hypotheses])
        selected = [
            replace(
                one,
                hypotheses=most_answerable(
                    one.hypotheses,
                    [found[asked, one.context].probability for asked in one.hypotheses],
                ),
            )
            for one in batch
        ]
        inner = {name: value for name, value in params.items() if name != "prepare"}
        preparation = Preparation(params["prepare"], params["prepare"])
        results = score(self.base, selected, params=inner, preparation=preparation)
        return [
            result if one.context.strip() else undefined("the source has no passage")
            for one, result in zip(batch, results, strict=True)
        ]
