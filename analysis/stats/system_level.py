"""Intervals of correlations across systems: sources are drawn anew, the systems stay.

What is uncertain is each system's mean, for want of sources. That other systems would give another correlation is not
in these intervals, and with few systems it is the greater uncertainty.
"""

import numpy as np
from numpy.typing import ArrayLike

from analysis.stats.arrays import FloatArray, Labels, grouped, numeric
from analysis.stats.columns import complete
from analysis.stats.correlation import METHODS, NAMES, Method
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.levels import source_correlations
from analysis.stats.resampling import percentiles, with_spread

FEWEST = 3


def system_intervals(
    human: ArrayLike,
    metrics: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    rng: np.random.Generator,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> dict[Method, list[Estimate]]:
    """Correlate the systems' means, with percentile intervals from drawing sources with replacement.

    Parameters
    ----------
    human : (n_questions,), oriented, NaN where missing
    metrics : (n_questions, k), oriented; only questions complete in all columns are used
    systems, sources : (n_questions,) labels
    rng : the same state gives the same intervals

    Returns
    -------
    dict
        By method an Estimate for each metric; ``n`` counts systems. Undefined with fewer than three systems or sources.
    """
    table = numeric(metrics, name="metrics", ndim=2)
    items = complete([human, *table.T])
    names, system = grouped(np.asarray(systems)[items.kept], name="systems")
    places, source = grouped(np.asarray(sources)[items.kept], name="sources")
    n = len(names)
    if min(n, len(places)) < FEWEST:
        reason = f"{n} systems and {len(places)} sources: three of each are needed"
        return {each: [undefined(NAMES[each], reason, n=n, dropped=items.dropped) for _ in table.T] for each in METHODS}
    cells = source * n + system
    columns = np.column_stack([np.ones(items.n), items.columns])
    sums = np.stack([np.bincount(cells, column, len(places) * n) for column in columns.T], axis=-1)
    per_source = sums.reshape(len(places), -1)
    draws = rng.multinomial(len(places), np.full(len(places), 1 / len(places)), size=resamples).astype(np.float64)
    given, drawn = (_means(weights @ per_source, n) for weights in (np.ones((1, len(places))), draws))
    words = f"bootstrap of {resamples} over {len(places)} sources"
    return {each: _estimates(given, drawn, each, words, n, items.dropped, confidence) for each in METHODS}


def _means(sums: FloatArray, systems: int) -> FloatArray:
    """Return (1 + k, n_systems, n_draws) of means from sums (n_draws, n_systems x (2 + k)), count first."""
    cube = sums.reshape(len(sums), systems, -1)
    count = cube[..., :1]
    return np.asarray((cube[..., 1:] / np.where(count > 0, count, np.nan)).transpose(2, 1, 0))


def _estimates(
    given: FloatArray, drawn: FloatArray, method: Method, words: str, n: int, dropped: int, confidence: float
) -> list[Estimate]:
    found = []
    for own, draws in zip(given[1:], drawn[1:], strict=True):
        value = float(source_correlations(given[0], own, method=method)[0])
        if value != value:
            found.append(undefined(NAMES[method], "the systems' means do not vary", n=n, dropped=dropped))
            continue
        spread = percentiles(source_correlations(drawn[0], draws, method=method), words, confidence)
        found.append(with_spread(value, spread, n=n, dropped=dropped, method=f"{NAMES[method]}; over systems"))
    return found
