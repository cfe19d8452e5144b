"""Every coefficient of agreement that a criterion's scale and design permit, with interval, word and check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from analysis.actions.resampling import Resampling
from analysis.reports.records import Record, number, of_check, of_estimate
from analysis.stats.alpha import FEW, Level, krippendorff_alpha
from analysis.stats.arrays import FloatArray
from analysis.stats.bands import band
from analysis.stats.crosscheck import check_alpha, check_fleiss
from analysis.stats.estimate import Estimate, undefined
from analysis.stats.fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from analysis.stats.gwet import gwet_ac
from analysis.stats.icc import FORMS, Form, intraclass
from analysis.stats.percent import percent_agreement
from analysis.stats.ratings import Patterns, patterns
from analysis.stats.resampling import Bootstrap, Interval, Jackknife
from judging.formats.rubric_schema import Criterion

LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
MOST_CELLS = 20_000_000  # units x annotators x values: 160 MB in Conger's kappa
MOST_REDRAWN = 20_000  # units up to which a coefficient that cannot group equal units is redrawn
Compute: TypeAlias = Callable[[FloatArray | Patterns, Interval], Estimate]


@dataclass(frozen=True)
class Plan:
    """A coefficient to compute: its name and level, and how."""

    key: str
    level: str
    compute: Compute
    grouped: bool = True  # depends only on how often each value was given to a unit


def of_table(table: FloatArray, criterion: Criterion, *, by: Resampling | None = None) -> Iterator[Record]:
    """Yield a record for each coefficient of (n_units, n_annotators); with `by`, a bootstrap interval beside."""
    counted = patterns(table, scale=criterion.values())
    for plan in (*_plans(criterion), *_by_annotator(table, criterion)):
        found = plan.compute(table, Jackknife())
        row = of_estimate(found, coefficient=plan.key, level=plan.level)
        row |= _redrawn(plan, counted if _few(criterion) and plan.grouped else table, found, by) if by else {}
        yield row | _worded(plan, found) | _checked(plan, table, criterion, found)
    if criterion.level != "nominal":
        yield from _intraclass(table)


def of_counts(counted: Patterns, criterion: Criterion, *, by: Resampling | None = None) -> Iterator[Record]:
    """Yield a record for each coefficient that needs no more than how often units got each value."""
    for plan in _plans(criterion):
        found = plan.compute(counted, Jackknife())
        row = of_estimate(found, coefficient=plan.key, level=plan.level)
        yield row | (_redrawn(plan, counted, found, by) if by else {}) | _worded(plan, found)


def _few(criterion: Criterion) -> bool:
    return len(criterion.values()) <= FEW


def _plans(criterion: Criterion) -> Iterator[Plan]:
    scale, level = criterion.values(), criterion.level
    yield Plan("percent_agreement", "nominal", _of(percent_agreement, scale=scale))
    for each in LEVELS:
        yield Plan("krippendorff_alpha", each, _of(krippendorff_alpha, scale=scale, level=each))
    yield Plan("fleiss_kappa", "nominal", _of(fleiss_kappa, scale=scale))
    if len(scale) > 1:
        yield Plan("randolph_kappa", "nominal", _of(randolph_kappa, scale=scale))
        yield Plan("gwet_ac1", "nominal", _of(gwet_ac, scale=scale))
    if level != "nominal" and len(scale) > 2:  # a miss by one point counts less than a miss by two
        yield Plan("gwet_ac2_linear", level, _of(gwet_ac, scale=scale, weights="linear"))
        yield Plan("gwet_ac2_quadratic", level, _of(gwet_ac, scale=scale, weights="quadratic"))
        yield Plan("brennan_prediger_quadratic", level, _of(randolph_kappa, scale=scale, weights="quadratic"))


def _by_annotator(table: FloatArray, criterion: Criterion) -> Iterator[Plan]:
    """Yield the coefficients that need to know who gave which value, where the table can be borne."""
    scale, level = criterion.values(), criterion.level
    if table.size * len(scale) > MOST_CELLS:
        return
    yield Plan("conger_kappa", "nominal", _of(conger_kappa, scale=scale), grouped=False)
    if level != "nominal" and len(scale) > 2:
        weighted = _of(conger_kappa, scale=scale, weights="quadratic")
        yield Plan("conger_kappa_quadratic", level, weighted, grouped=False)


def _of(coefficient: Callable[..., Estimate], **options: object) -> Compute:
    return lambda ratings, interval: coefficient(ratings, interval=interval, **options)


def _checked(plan: Plan, table: FloatArray, criterion: Criterion, found: Estimate) -> Record:
    """Return what another library says of the same coefficient, where one has it."""
    scale = criterion.values()
    if plan.key == "krippendorff_alpha":
        level = next(each for each in LEVELS if each == plan.level)
        return of_check(check_alpha(table, level=level, ours=found.value))
    if plan.key in ("fleiss_kappa", "randolph_kappa"):
        randolph = plan.key == "randolph_kappa"
        return of_check(check_fleiss(table, scale=scale, ours=found.value, randolph=randolph))
    return {}


def _redrawn(plan: Plan, ratings: FloatArray | Patterns, found: Estimate, by: Resampling) -> Record:
    """Return the unit bootstrap's interval, or why it was left out."""
    if not found.defined:
        return {"bootstrap_low": None, "bootstrap_high": None}
    if not isinstance(ratings, Patterns) and len(ratings) > MOST_REDRAWN:
        return {"bootstrap_low": None, "bootstrap_high": None, "bootstrap": f"left out above {MOST_REDRAWN:,} units"}
    drawn = plan.compute(ratings, Bootstrap(by.rng, by.resamples))
    words = drawn.reason or f"unit bootstrap of {by.resamples}, percentiles"
    return {"bootstrap_low": number(drawn.low), "bootstrap_high": number(drawn.high), "bootstrap": words}


def _worded(plan: Plan, found: Estimate) -> Record:
    """Return the band of Landis and Koch that is reached with 95 % probability; none where there is no interval."""
    if plan.key == "percent_agreement":
        return {}
    reached = band(found)
    return {"band": reached.word, "band_probability": number(reached.probability)}


def _intraclass(table: FloatArray) -> Iterator[Record]:
    """Yield the intraclass correlations that the design permits, the scale's steps taken as equal.

    Where every unit was judged by as many annotators, but not by the same ones, only the one-way forms mean anything.
    """
    ratings, forms = _arranged(table)
    if ratings is None:
        reason = "annotators and their number differ from question to question"
        yield of_estimate(undefined("ICC", reason, dropped=len(table)), coefficient="icc", level="interval")
        return
    for form, found in intraclass(ratings, forms=forms).items():
        yield of_estimate(found, coefficient=f"icc_{form}", level="interval")


def _arranged(table: FloatArray) -> tuple[FloatArray | None, tuple[Form, ...]]:
    sizes = (~np.isnan(table)).sum(axis=1)
    if table.shape[1] < 2 or (sizes == table.shape[1]).sum() >= 2:
        return table, FORMS
    most = int(sizes.max(initial=0))
    if most < 2 or (sizes[sizes > 0] != most).any():
        return None, ()
    return np.sort(table[sizes > 0], axis=1)[:, :most], ("1,1", "1,k")  # nan is last
