"""Every metric against every column of human ratings at three levels, with interval and test.

within_source   across the systems on one source, the mean over the sources where it exists
pooled          over all questions of all systems
systems         over the means of the systems

What is random is declared once (`quaestor_stats._design`), and all intervals and tests follow from
it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike

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
from quaestor_stats._inputs import constant
from quaestor_stats._result import Result
from quaestor_stats._shared_questions import Items, SharedQuestions, Study, shared_questions
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

    Notes
    -----
    Pooled and within source, intervals and p come from leaving out one unit of each random facet
    (`infer_coefficients`). Over systems p counts orders of the systems; an interval, Fisher's, is given only
    where systems are random.
    """
    study = Study.of(humans, metrics, facets, ratings)
    rows: dict[tuple[int, int, int, int], Association] = {}
    for shared in shared_questions(study, items=items):
        group = ColumnGroup(shared, measures, rng)
        for level_place, level in enumerate(levels):
            for measure, answer in _AT[level](group):
                measure_place = measures.index(measure)
                for k, m in np.ndindex(group.shape):
                    human, metric = shared.humans[k], shared.metrics[m]
                    result = answer.result((k, m), dropped=shared.dropped)
                    if not result.defined and not result.reason:
                        result = replace(result, reason=_why_undefined(shared, (k, m), level))
                    rows[human, metric, level_place, measure_place] = Association(
                        human=study.humans.names[human],
                        metric=study.metrics.names[metric],
                        level=level,
                        measure=measure,
                        found=result,
                        questions=len(shared.human),
                        sources=shared.facets.n_sources,
                        systems=shared.facets.n_systems,
                        **answer.further_fields((k, m)),
                    )
    return [rows[place] for place in sorted(rows)]


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
