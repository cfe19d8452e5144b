"""Every coefficient of agreement that a scale and a design permit, as a report lists them."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from quaestor_stats._alpha import Level, krippendorff_alpha
from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import FORMS, Form, intraclass
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Interval, Jackknife
from quaestor_stats._result import Result, undefined_result

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
DIFFERENT_ANNOTATORS = "annotators and their number differ from question to question"
Compute: TypeAlias = Callable[[FloatArray, Interval, Labels | None], Result]


class Coefficient(NamedTuple):
    """A coefficient with the level of measurement at which it takes the ratings."""

    name: str
    level: str
    estimate: Result


class _Plan(NamedTuple):
    name: str
    level: str
    compute: Compute


def coefficients_of_ratings(
    ratings: FloatArray,
    *,
    scale: Sequence[float],
    level: Level,
    clusters: Labels | None = None,
    unit: ClusterUnit = SOURCE,
    by_annotator: bool = True,
) -> Iterator[Coefficient]:
    """Yield the coefficients of a table of ratings.

    Parameters
    ----------
    ratings : (n_units, n_annotators), nan where an annotator did not rate a unit
    scale : every point of the scale
    level : level of measurement of the scale
    clusters : (n_units,) labels that intervals leave out together; by default the units
    unit : name of the clusters, and how many an interval needs
    by_annotator : whether to include the coefficients that know who gave which value, whose memory
        grows with units, annotators and points
    """
    plans = [*_plans(scale, level), *(_plans_by_annotator(scale, level) if by_annotator else ())]
    for plan in plans:
        estimate = plan.compute(ratings, Jackknife(unit=unit), clusters)
        yield Coefficient(plan.name, plan.level, estimate)
    if level != "nominal":
        yield from _intraclass(ratings, clusters, unit)


def _plans(scale: Sequence[float], level: Level) -> Iterator[_Plan]:
    yield _Plan("percent_agreement", "nominal", _of(percent_agreement, scale=scale))
    for each in LEVELS:
        yield _Plan("krippendorff_alpha", each, _of(krippendorff_alpha, scale=scale, level=each))
    yield _Plan("fleiss_kappa", "nominal", _of(fleiss_kappa, scale=scale))
    if len(scale) > 1:
        yield _Plan("randolph_kappa", "nominal", _of(randolph_kappa, scale=scale))
        yield _Plan("gwet_ac1", "nominal", _of(gwet_ac, scale=scale))
    if level != "nominal" and len(scale) > 2:  # a miss by one point counts less than a miss by two
        yield _Plan("gwet_ac2_linear", level, _of(gwet_ac, scale=scale, weights="linear"))
        yield _Plan("gwet_ac2_quadratic", level, _of(gwet_ac, scale=scale, weights="quadratic"))
        weighted = _of(randolph_kappa, scale=scale, weights="quadratic")
        yield _Plan("brennan_prediger_quadratic", level, weighted)


def _plans_by_annotator(scale: Sequence[float], level: Level) -> Iterator[_Plan]:
    """Yield the coefficients that need to know who gave which value."""
    yield _Plan("conger_kappa", "nominal", _of(conger_kappa, scale=scale))
    if level != "nominal" and len(scale) > 2:
        weighted = _of(conger_kappa, scale=scale, weights="quadratic")
        yield _Plan("conger_kappa_quadratic", level, weighted)


def _of(coefficient: Callable[..., Result], **options: object) -> Compute:
    """Return how to compute a coefficient."""
    return lambda ratings, interval, clusters: coefficient(
        ratings, interval=interval, clusters=clusters, **options
    )


def _intraclass(
    table: FloatArray, clusters: Labels | None, unit: ClusterUnit
) -> Iterator[Coefficient]:
    """Yield the intraclass correlations that the design permits, the scale's steps taken as equal.

    If every unit was judged by the same number of annotators, but not by the same ones, only the
    one-way forms are defined.
    """
    sizes = (~np.isnan(table)).sum(axis=1)
    most, judged = int(sizes.max(initial=0)), sizes > 0
    forms: tuple[Form, ...] = FORMS
    if table.shape[1] >= 2 and (sizes == table.shape[1]).sum() < 2:
        if most < 2 or (sizes[judged] != most).any():
            undefined = undefined_result("ICC", DIFFERENT_ANNOTATORS, dropped=len(table))
            yield Coefficient("icc", "interval", undefined)
            return
        table, forms = np.sort(table[judged], axis=1)[:, :most], ("1,1", "1,k")  # nan is last
        clusters = None if clusters is None else np.asarray(clusters, dtype=object)[judged]
    for form, estimate in intraclass(table, forms=forms, clusters=clusters, unit=unit).items():
        yield Coefficient(f"icc_{form}", "interval", estimate)
