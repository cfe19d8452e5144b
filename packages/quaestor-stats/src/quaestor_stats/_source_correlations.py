"""Correlation of a metric with human ratings across systems, on each source: does it rank the
systems there as annotators do?"""

from numpy.typing import ArrayLike

from quaestor_stats._correlation import METHODS, Method
from quaestor_stats._inputs import FloatArray, numeric, same_length
from quaestor_stats._within_source import on_sources


def source_correlations(
    human: ArrayLike, metric: ArrayLike, *, method: Method = "spearman"
) -> FloatArray:
    """Return for every source the correlation across systems (n_sources,), nan where undefined, all
    at once."""
    if method not in METHODS:
        raise ValueError(f"method: {method!r} is none of {', '.join(METHODS)}")
    h, m = numeric(human, name="human", ndim=2), numeric(metric, name="metric", ndim=2)
    same_length(human=h, metric=m)
    same_length(human_sources=h.T, metric_sources=m.T)
    return on_sources(h.T[:, :, None], m.T[:, :, None], coefficient=method)[:, 0, 0]
