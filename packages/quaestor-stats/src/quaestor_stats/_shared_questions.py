"""The questions of a comparison: those that its columns have, or those that all metrics have."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import Facets
from quaestor_stats._inputs import BoolArray, FloatArray, numeric, same_length

Items: TypeAlias = Literal["own", "common"]


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """Columns by name over the same questions, nan where a question has no score."""

    names: tuple[str, ...]
    table: FloatArray  # (n, columns)

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike]) -> "NamedColumns":
        """Return checked columns."""
        checked = {name: numeric(each, name=name, ndim=1) for name, each in columns.items()}
        if not checked:
            raise ValueError("no column is given")
        same_length(**checked)
        return cls(tuple(checked), np.column_stack(list(checked.values())))

    def alike(self) -> list[tuple[list[int], BoolArray]]:
        """Return groups of columns that have scores for the same questions, with those
        questions.
        """
        held = ~np.isnan(self.table)
        groups: dict[bytes, list[int]] = {}
        for place, column in enumerate(held.T):
            groups.setdefault(column.tobytes(), []).append(place)
        return [(places, held[:, places[0]]) for places in groups.values()]


@dataclass(frozen=True, slots=True)
class SharedQuestions:
    """Human columns and metrics that are compared over the same questions."""

    humans: list[int]  # places of the columns
    metrics: list[int]
    kept: BoolArray
    human: FloatArray  # (n, K)
    metric: FloatArray  # (n, M)
    facets: Facets
    dropped: int  # questions with a human score that lack one of the metrics


def shared_questions(
    humans: NamedColumns, metrics: NamedColumns, facets: Facets, *, items: Items
) -> Iterator[SharedQuestions]:
    """Yield every human column with every metric once, those together that rest on the same
    questions.

    Parameters
    ----------
    items : "own": a pair of columns rests on the questions that both have; "common": on those that
        have all metrics, so that one metric of a part of the questions shrinks all rows
    """
    for people, spoken in humans.alike():
        for own, scored in _metric_groups(metrics, items):
            yield _shared(humans, metrics, facets, (people, own), spoken & scored, spoken)


def shared_by_pairs(
    humans: NamedColumns, metrics: NamedColumns, facets: Facets, *, items: Items
) -> Iterator[tuple[SharedQuestions, list[tuple[int, int]]]]:
    """Yield every human column with every pair of metrics once, as `shared_questions`; pairs are
    places in ``metric``.
    """
    for people, spoken in humans.alike():
        groups = _metric_groups(metrics, items)
        for (own, scored), (others, also) in combinations_with_replacement(groups, 2):
            if own is others:
                columns, pairs = own, [(i, j) for j in range(len(own)) for i in range(j)]
            else:
                columns = own + others
                pairs = [(i, len(own) + j) for i in range(len(own)) for j in range(len(others))]
            if pairs:
                kept = spoken & scored & also
                yield _shared(humans, metrics, facets, (people, columns), kept, spoken), pairs


def _metric_groups(metrics: NamedColumns, items: Items) -> list[tuple[list[int], BoolArray]]:
    if items == "own":
        return metrics.alike()
    if items != "common":
        raise ValueError(f"items: {items!r} is neither own nor common")
    return [(list(range(len(metrics.names))), np.asarray(~np.isnan(metrics.table).any(axis=1)))]


def _shared(
    humans: NamedColumns,
    metrics: NamedColumns,
    facets: Facets,
    places: tuple[Sequence[int], Sequence[int]],
    kept: BoolArray,
    spoken: BoolArray,
) -> SharedQuestions:
    people, own = list(places[0]), list(places[1])
    human, metric = humans.table[kept][:, people], metrics.table[kept][:, own]
    dropped = int(spoken.sum() - kept.sum())
    return SharedQuestions(people, own, kept, human, metric, facets.select(kept), dropped)
