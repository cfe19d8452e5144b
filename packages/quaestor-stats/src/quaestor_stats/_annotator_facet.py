"""Annotators as a random facet: what coefficients are if one of them had not judged."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from quaestor_stats._arrays import BoolArray, FloatArray
from quaestor_stats._facets import Facets
from quaestor_stats._pooled import PooledCoefficient


@dataclass(frozen=True, slots=True)
class WithoutAnnotators:
    """A coefficient of every human column (K) with every metric (M) without each annotator."""

    values: FloatArray  # (R, K, M), nan past a column's own annotators
    fragile: BoolArray  # (K, M): undefined without one of them


def without_annotators(
    ratings: Sequence[FloatArray],
    metric: FloatArray,
    facets: Facets,
    values: Callable[[FloatArray, FloatArray, Facets], dict[PooledCoefficient, FloatArray]],
    coefficients: Sequence[PooledCoefficient],
) -> dict[PooledCoefficient, WithoutAnnotators]:
    """Return every coefficient without each annotator who judged any of these questions.

    Parameters
    ----------
    ratings : for every human column (n, R), nan where an annotator did not judge; the column is the
        mean over R
    values : coefficients of a human column (n, 1) with every metric (n, M), each (1, M)

    Notes
    -----
    A question that only the left-out annotator judged is left out too. An annotator who judged none
    of the questions is not a unit: leaving one out changes nothing, but would add a degree of
    freedom.
    """
    most = max(table.shape[1] for table in ratings)
    shape = len(ratings), metric.shape[1]
    found = {
        name: WithoutAnnotators(np.full((most, *shape), np.nan), np.zeros(shape, dtype=bool))
        for name in coefficients
    }
    for place, table in enumerate(ratings):
        judged = table[:, ~np.isnan(table).all(axis=0)]
        for annotator in range(judged.shape[1]):
            others = np.delete(judged, annotator, axis=1)
            held = np.asarray(~np.isnan(others).all(axis=1))
            if held.any():
                mean = np.nanmean(others[held], axis=1)[:, None]
                for name, value in values(mean, metric[held], facets.kept(held)).items():
                    found[name].values[annotator, place] = value[0]
            for each in found.values():
                each.fragile[place] |= np.isnan(each.values[annotator, place])
    return found
