"""Every coefficient of agreement that a criterion's scale and design permit, with interval, word and check."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from analysis.actions.resampling import Resampling
from analysis.reports.records import Record, number, of_check, of_estimate
from analysis.stats.alpha import FEW, Level, krippendorff_alpha
from analysis.stats.arrays import FloatArray
from analysis.stats.bands import band
from analysis.stats.crosscheck import Check, check_alpha, check_fleiss
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
    """A coefficient to compute: its name and level, how, how it is checked, and whether words are used for it."""

    key: str
    level: str
    compute: Compute
    check: Callable[[float], Check] | None = None
    grouped: bool = True  # depends only on how often each value was given to a unit
    worded: bool = True


def of_table(table: FloatArray, criterion: Criterion, *, by: Resampling | None = None) -> Iterator[Record]:
    """Yield a record for each coefficient of (n_units, n_annotators); with `by`, a bootstrap interval beside."""
    counted = patterns(table, scale=criterion.values())
    for plan in _plans(table, criterion):
        found = plan.compute(table, Jackknife())
        row = of_estimate(found, coefficient=plan.key, level=plan.level)
        row |= _redrawn(plan, counted if _few(criterion) and plan.grouped else table, found, by) if by else {}
        row |= _worded(found) if plan.worded else {}
        yield row | (of_check(plan.check(found.value)) if plan.check else {})
    if criterion.level != "nominal":
        yield from _intraclass(table)


def _few(criterion: Criterion) -> bool:
    return len(criterion.values()) <= FEW


def _plans(table: FloatArray, criterion: Criterion) -> Iterator[Plan]:
    scale = criterion.values()
    yield Plan("percent_agreement", "nominal", _of(percent_agreement, scale=scale), worded=False)
    for level in LEVELS:
        check = partial(_checked_alpha, table, level)
        yield Plan("krippendorff_alpha", level, _of(krippendorff_alpha, scale=scale, level=level), check)
    fleiss = partial(_checked_fleiss, table, scale, False)
    yield Plan("fleiss_kappa", "nominal", _of(fleiss_kappa, scale=scale), fleiss)
    if len(scale) > 1:
        randolph = partial(_checked_fleiss, table, scale, True)
        yield Plan("randolph_kappa", "nominal", _of(randolph_kappa, scale=scale), randolph)
        yield Plan("gwet_ac1", "nominal", _of(gwet_ac, scale=scale))
    if table.size * len(scale) <= MOST_CELLS:
        yield Plan("conger_kappa", "nominal", _of(conger_kappa, scale=scale), grouped=False)
    if criterion.level != "nominal" and len(scale) > 2:
        yield from _weighted(table, criterion)


def _weighted(table: FloatArray, criterion: Criterion) -> Iterator[Plan]:
    """Yield the coefficients that count a miss by one point less than a miss by two."""
    scale, level = criterion.values(), criterion.level
    yield Plan("gwet_ac2_linear", level, _of(gwet_ac, scale=scale, weights="linear"))
    yield Plan("gwet_ac2_quadratic", level, _of(gwet_ac, scale=scale, weights="quadratic"))
    yield Plan("brennan_prediger_quadratic", level, _of(randolph_kappa, scale=scale, weights="quadratic"))
    if table.size * len(scale) <= MOST_CELLS:
        quadratic = _of(conger_kappa, scale=scale, weights="quadratic")
        yield Plan("conger_kappa_quadratic", level, quadratic, grouped=False)


def _of(coefficient: Callable[..., Estimate], **options: object) -> Compute:
    return lambda ratings, interval: coefficient(ratings, interval=interval, **options)


def _checked_alpha(table: FloatArray, level: Level, ours: float) -> Check:
    return check_alpha(table, level=level, ours=ours)


def _checked_fleiss(table: FloatArray, scale: tuple[int, ...], randolph: bool, ours: float) -> Check:
    return check_fleiss(table, scale=scale, ours=ours, randolph=randolph)


def _redrawn(plan: Plan, ratings: FloatArray | Patterns, found: Estimate, by: Resampling) -> Record:
    """Return the unit bootstrap's interval, or why it was left out."""
    if not found.defined:
        return {"bootstrap_low": None, "bootstrap_high": None}
    if not isinstance(ratings, Patterns) and len(ratings) > MOST_REDRAWN:
        return {"bootstrap_low": None, "bootstrap_high": None, "bootstrap": f"left out above {MOST_REDRAWN:,} units"}
    drawn = plan.compute(ratings, Bootstrap(by.rng, by.resamples))
    words = drawn.reason or f"unit bootstrap of {by.resamples}, percentiles"
    return {"bootstrap_low": number(drawn.low), "bootstrap_high": number(drawn.high), "bootstrap": words}


def _worded(found: Estimate) -> Record:
    """Return the band of Landis and Koch that is reached with 95 % probability; none where there is no interval."""
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
