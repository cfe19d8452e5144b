"""The questions of a comparison: those that its columns have, or those that all metrics have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._design import Facets, WithoutAnnotators, without_annotators
from quaestor_stats._inputs import BoolArray, FloatArray, numeric, same_length
from quaestor_stats._jackknife import WithoutUnits
from quaestor_stats._pooled import PooledCoefficient

Items: TypeAlias = Literal["own", "common"]
CoefficientValues: TypeAlias = Callable[
    [FloatArray, FloatArray, Facets], dict[PooledCoefficient, FloatArray]
]


@dataclass(frozen=True, slots=True)
class NamedColumns:
    """Columns by name over the same questions, nan where a question has no score."""

    names: tuple[str, ...]
    table: FloatArray  # (n, columns)

    @classmethod
    def of(cls, columns: Mapping[str, ArrayLike]) -> "NamedColumns":
        """Return checked columns."""
        checked = {name: numeric(column, name=name, ndim=1) for name, column in columns.items()}
        if not checked:
            raise ValueError("no column is given")
        same_length(**checked)
        return cls(tuple(checked), np.column_stack(list(checked.values())))

    def alike(self) -> list[tuple[list[int], BoolArray]]:
        """Return groups of columns that have scores for the same questions, with those
        questions.
        """
        scored = ~np.isnan(self.table)
        groups: dict[bytes, list[int]] = {}
        for place, column in enumerate(scored.T):
            groups.setdefault(column.tobytes(), []).append(place)
        return [(places, scored[:, places[0]]) for places in groups.values()]


@dataclass(frozen=True, slots=True)
class Study:
    """The columns of a comparison over the same questions, their facets, and the ratings behind
    the human columns where annotators are random.
    """

    humans: NamedColumns
    metrics: NamedColumns
    facets: Facets
    ratings: list[FloatArray]  # of each human column (n, n_annotators); empty if they are fixed

    @classmethod
    def of(
        cls,
        humans: Mapping[str, ArrayLike],
        metrics: Mapping[str, ArrayLike],
        facets: Facets,
        ratings: Mapping[str, ArrayLike] | None,
    ) -> "Study":
        """Return the checked study."""
        tables = ratings or {}
        if not facets.design.random_annotators:
            tables = {}
        elif missing := set(humans) - set(tables):
            raise ValueError(
                f"ratings: annotators are random, but there are none of {sorted(missing)}"
            )
        return cls(
            NamedColumns.of(humans),
            NamedColumns.of(metrics),
            facets,
            [numeric(tables[name], name=name, ndim=2) for name in humans if name in tables],
        )


@dataclass(frozen=True, slots=True)
class SharedQuestions:
    """Human columns and metrics that are compared over the same questions."""

    humans: list[int]  # places of the columns
    metrics: list[int]
    human: FloatArray  # (n, K)
    metric: FloatArray  # (n, M)
    facets: Facets
    ratings: list[FloatArray]  # of each human column (n, n_annotators), where they are random
    dropped: int  # questions with a human score that lack one of the metrics

    @property
    def random_units(self) -> str:
        """The numbers and names of the units that are left out."""
        return self.facets.random + (" and annotators" if self.ratings else "")

    def without_annotators(
        self, values: CoefficientValues, coefficients: Sequence[PooledCoefficient]
    ) -> dict[PooledCoefficient, WithoutAnnotators]:
        """Return the coefficients that ``values`` computes without each annotator; none if
        annotators are fixed."""
        if not self.ratings:
            return {}
        return without_annotators(self.ratings, self.metric, self.facets, values, coefficients)

    def with_annotators(
        self, left: dict[PooledCoefficient, WithoutUnits], values: CoefficientValues
    ) -> dict[PooledCoefficient, WithoutUnits]:
        """Add to coefficients what they are without each annotator, where these are random."""
        without = self.without_annotators(values, list(left))
        return left | {
            name: left[name].with_annotators(annotators.values, annotators.fragile)
            for name, annotators in without.items()
        }


def shared_questions(study: Study, *, items: Items) -> Iterator[SharedQuestions]:
    """Yield every human column with every metric once, those together that rest on the same
    questions.

    Parameters
    ----------
    items : "own": a pair of columns rests on the questions that both have; "common": on those that
        have all metrics, so that one metric of a part of the questions shrinks all rows
    """
    for humans, rated in study.humans.alike():
        for metrics, scored in metric_groups(study.metrics, items):
            yield _shared(study, humans, metrics, rated, scored)


def shared_by_pairs(
    study: Study, *, items: Items
) -> Iterator[tuple[SharedQuestions, list[tuple[int, int]]]]:
    """Yield every human column with every pair of metrics once, as `shared_questions`; pairs are
    places in ``metric``.
    """
    for humans, rated in study.humans.alike():
        groups = metric_groups(study.metrics, items)
        for (first, scored), (second, also) in combinations_with_replacement(groups, 2):
            if first is second:
                metrics, pairs = first, [(i, j) for j in range(len(first)) for i in range(j)]
            else:
                metrics = first + second
                pairs = list(product(range(len(first)), range(len(first), len(metrics))))
            if pairs:
                yield _shared(study, humans, metrics, rated, scored & also), pairs


def metric_groups(metrics: NamedColumns, items: Items) -> list[tuple[list[int], BoolArray]]:
    """Return the places of metrics that rest on the same questions, with those questions."""
    if items == "own":
        return metrics.alike()
    if items != "common":
        raise ValueError(f"items: {items!r} is neither own nor common")
    return [(list(range(len(metrics.names))), np.asarray(~np.isnan(metrics.table).any(axis=1)))]


def _shared(
    study: Study, humans: list[int], metrics: list[int], rated: BoolArray, scored: BoolArray
) -> SharedQuestions:
    shared = rated & scored
    return SharedQuestions(
        humans=humans,
        metrics=metrics,
        human=study.humans.table[shared][:, humans],
        metric=study.metrics.table[shared][:, metrics],
        facets=study.facets.select(shared),
        ratings=[study.ratings[place][shared] for place in humans if study.ratings],
        dropped=int(rated.sum() - shared.sum()),
    )
