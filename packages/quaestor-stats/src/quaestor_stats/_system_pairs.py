"""All pairs of systems tested with the variances of ratings.

If annotators are fixed, a pair is tested by the model of all systems. If they are random, the test
depends on how annotators differ on the two systems, and that model estimates this from all systems
alike: for two systems in the middle of a scale among others near its end it is too small (10% false
alarms instead of 5%, with three, five or ten annotators). The model of the two systems alone uses
their own variances, but estimates them from few annotators (7 to 9%). A difference counts as found
only if both models find it: 2 to 5% (docs/statistics.md).
"""

from collections.abc import Hashable
from dataclasses import replace
from itertools import combinations
from math import nan

import numpy as np
from numpy.typing import ArrayLike

from quaestor_stats._inputs import Labels, numeric
from quaestor_stats._reml import Unfit
from quaestor_stats._result import ConfidenceInterval
from quaestor_stats._variance_components import Components, Contrast, variance_components

ALONE = "from these two systems alone it cannot be told how annotators differ on them"


def pairs_of_systems(
    model: Components,
    ratings: ArrayLike,
    *,
    systems: Labels,
    sources: Labels,
    annotators: Labels,
    questions: Labels,
    clusters: Labels | None = None,
) -> dict[tuple[Hashable, Hashable], Contrast]:
    """Return the test of every pair of the model's systems.

    Parameters
    ----------
    model : of these ratings, from `variance_components`
    ratings, systems, sources, annotators, questions, clusters : (n,) as `variance_components` got

    Returns
    -------
    dict
        By pair. If annotators are random, p is the larger of two tests, and the interval encloses
        those of both: by the variances of all systems, and by those of the two.
    """
    found = {pair: model.difference(*pair) for pair in combinations(model.systems, 2)}
    if not model.random or len(model.systems) == 2:
        return found
    values = numeric(ratings, name="ratings", ndim=1)
    given = {
        "systems": systems,
        "sources": sources,
        "annotators": annotators,
        "questions": questions,
    }
    given |= {} if clusters is None else {"clusters": clusters}
    labels = {name: np.asarray(each, dtype=object) for name, each in given.items()}
    for pair, contrast in found.items():
        if not contrast.defined:
            continue
        kept = (labels["systems"] == pair[0]) | (labels["systems"] == pair[1])
        own = {name: each[kept] for name, each in labels.items()}
        try:
            alone = variance_components(
                values[kept], **own, unit=model.unit, annotators_random=True
            ).difference(*pair)
        except Unfit as reason:
            alone = replace(contrast, value=nan, reason=str(reason))
        found[pair] = _both(contrast, alone)
    return found


def _both(among_all: Contrast, alone: Contrast) -> Contrast:
    """Return the weaker of two tests of a difference, with an interval that holds both."""
    method = f"{among_all.method} with the variances of all systems and of the two, the larger p"
    if not alone.defined:
        reason = f"{ALONE}: {alone.reason}"
        return replace(
            among_all,
            ci=ConfidenceInterval(nan, nan),
            pvalue=nan,
            df=nan,
            statistic=nan,
            method=method,
            reason=reason,
        )
    weaker = among_all if among_all.pvalue >= alone.pvalue else alone
    return replace(
        weaker,
        value=among_all.value,
        ci=ConfidenceInterval(
            min(among_all.ci.low, alone.ci.low), max(among_all.ci.high, alone.ci.high)
        ),
        n=among_all.n,
        clusters=among_all.clusters,
        method=method,
    )
