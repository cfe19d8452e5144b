"""Every metric against every column of human ratings at three levels, with interval and test.

within_source   across the systems on one source, the mean over the sources where it exists
pooled          over all questions of all systems
systems         over the means of the systems

What is random is declared once (`quaestor_stats._design`), and all intervals and tests follow from
it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from quaestor_stats._association_measures import (
    MEASURES,
    ColumnGroup,
    GroupMeasure,
    Measure,
    on_each_source,
    over_questions,
    over_systems,
)
from quaestor_stats._design import Facets
from quaestor_stats._inputs import constant, numeric
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._shared_questions import Items, NamedColumns, SharedQuestions, shared_questions
from quaestor_stats._soft_accuracy import PERMUTATIONS
from quaestor_stats._system_level import REQUIRED_SYSTEMS

CorrelationLevel: TypeAlias = Literal["within_source", "pooled", "systems"]
LEVELS: tuple[CorrelationLevel, ...] = get_args(CorrelationLevel)
_AT: dict[CorrelationLevel, Callable[[ColumnGroup], Iterator[tuple[Measure, GroupMeasure]]]] = {
    "within_source": on_each_source,
    "pooled": over_questions,
    "systems": over_systems,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """Correlation of one metric with one human column, at one level by one measure."""

    human: str
    metric: str
    level: CorrelationLevel
    measure: Measure
    found: Result  # n: sources (within), questions (pooled) or systems; p: test of no association
    questions: int
    sources: int
    systems: int
    p_as_published: float = nan  # questions, or systems, taken as independent
    smallest_p: float = nan  # over systems: the smallest p of any order of these means
    epsilon: float = nan  # of pairwise accuracy: the largest difference of the metric that is a tie
    # Pairwise accuracy with this epsilon, chosen on the same pairs, as published
    in_sample: float = nan
    baseline: float = nan  # share of human ties: the accuracy of tying every pair


def against_people(
    humans: Mapping[str, ArrayLike],
    metrics: Mapping[str, ArrayLike],
    *,
    facets: Facets,
    rng: np.random.Generator,
    measures: Sequence[Measure] = MEASURES,
    levels: Sequence[CorrelationLevel] = LEVELS,
    items: Items = "own",
    ratings: Mapping[str, ArrayLike] | None = None,
    permutations: int = PERMUTATIONS,
    confidence: float = 0.95,
) -> list[Association]:
    """Return every metric's correlations with every human column, in the order of the columns,
    levels and measures.

    Parameters
    ----------
    humans, metrics : columns (n_questions,) by name, oriented so that higher is better, nan where
        missing
    facets : source and system of each question, and the declared design
    rng : for tests over systems; the other levels draw no random numbers
    items : "own" questions of each pair of columns, or the "common" ones of all metrics
    ratings : by human column (n_questions, n_annotators), oriented, where annotators are random
    permutations : for soft pairwise accuracy

    Notes
    -----
    Pooled and within source, intervals and p come from leaving out one unit of each random facet
    (`left_out`). Over systems p counts orders of the systems; an interval, Fisher's, is given only
    where systems are random.
    """
    people, own = NamedColumns.of(humans), NamedColumns.of(metrics)
    tables_ = {name: numeric(each, name=name, ndim=2) for name, each in (ratings or {}).items()}
    if facets.design.random_annotators and (missing := set(people.names) - set(tables_)):
        raise ValueError(f"ratings: annotators are random, but there are none of {sorted(missing)}")
    rows: dict[tuple[int, int, int, int], Association] = {}
    for shared in shared_questions(people, own, facets, items=items):
        chosen = shared.humans if facets.design.random_annotators else []
        by_annotator = [tables_[people.names[k]][shared.kept] for k in chosen]
        asked = ColumnGroup(shared, measures, by_annotator, rng, permutations, confidence)
        for at_level, level in enumerate(levels):
            for measure, answer in _AT[level](asked):
                of_measure = at_level, measures.index(measure)
                for k, m in np.ndindex(asked.shape):
                    human, metric = shared.humans[k], shared.metrics[m]
                    names = people.names[human], own.names[metric]
                    row = _association(answer, (k, m), names, level, measure, shared)
                    rows[human, metric, *of_measure] = row
    return [rows[place] for place in sorted(rows)]


def _association(
    answer: GroupMeasure,
    at: tuple[int, int],
    names: tuple[str, str],
    level: CorrelationLevel,
    measure: Measure,
    shared: SharedQuestions,
) -> Association:
    def here(values: "NDArray[np.generic] | float | int | str") -> float:
        return float(values[at]) if isinstance(values, np.ndarray) else float(values)

    value = here(answer.value)
    reason = str(answer.reason[at]) if isinstance(answer.reason, np.ndarray) else answer.reason
    if np.isnan(value) and not reason:
        reason = _why_undefined(shared, at, level)
    found = Result(
        value=value,
        ci=ConfidenceInterval(here(answer.low), here(answer.high)),
        pvalue=here(answer.p),
        df=here(answer.df),
        n=int(here(answer.n)),
        clusters=int(here(answer.clusters)),
        dropped=shared.dropped,
        method=answer.method,
        reason=reason,
    )
    of = shared.facets
    return Association(
        human=names[0],
        metric=names[1],
        level=level,
        measure=measure,
        found=found,
        questions=len(shared.human),
        sources=of.n_sources,
        systems=of.n_systems,
        **{name: here(values) for name, values in answer.more.items()},
    )


def _why_undefined(shared: SharedQuestions, at: tuple[int, int], level: CorrelationLevel) -> str:
    if len(shared.human) < REQUIRED_SYSTEMS:
        return f"{len(shared.human)} questions have both scores: too few"
    for name, column in (("human", shared.human[:, at[0]]), ("metric", shared.metric[:, at[1]])):
        if constant(column):
            return f"the {name} score is the same for every question"
    return {
        "pooled": "undefined",
        "within_source": "on no source does it exist",
        "systems": "the systems' means do not vary",
    }[level]
