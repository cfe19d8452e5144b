"""Time that simulated annotators take, and its cost.

The seconds of a value follow a lognormal distribution; a page takes the sum over its values, times
the annotator's pace, which is lognormal over annotators. The assumptions set the means of both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.planning.simulated import OF_REPEAT, OF_TIME, Assumed
from analysis.reports.rows import Record, stable_number
from judging.quality.pay import Rate
from quaestor_stats._inputs import FloatArray

REPEATS, MANY_VALUES, FEWER = 200, 100_000, 50


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """Work of one annotator of a copy: tasks of every kind, values on their pages, seconds."""

    tasks: int
    values: int
    seconds: float
    careless: bool


def seconds_of(
    values: int, mean: float, pace: float, stream: Sequence[int], assumed: Assumed
) -> float:
    """Draw the seconds of one page whose values take `mean` each; `stream` identifies the annotator
    and page."""
    rng = np.random.default_rng([assumed.seed, OF_TIME, *stream])
    return float(_of_values(values, mean, rng, assumed).sum() * pace)


def _of_values(count: int, mean: float, rng: np.random.Generator, assumed: Assumed) -> FloatArray:
    spread = assumed.seconds_spread
    return np.asarray(rng.lognormal(np.log(mean) - spread**2 / 2, spread, size=count))


def value_seconds(tasks: int, values: int, page: float, assumed: Assumed) -> float:
    """Return the seconds of a value: as assumed, else so that a page takes `page` seconds."""
    return assumed.seconds or page * tasks / max(values, 1)


def forecast_hours(
    spent: Sequence[TimeSpent], page: float, rate: Rate | None, assumed: Assumed
) -> Record:
    """Return the hours of the study as laid out, over repeated draws of simulated annotators: their
    sum, the longest of one annotator, and the cost by the rate and its floor.

    Amounts are in the rate's currency. `low` and `high` hold 95% of the repeats.
    """
    repeats = REPEATS if sum(each.values for each in spent) <= MANY_VALUES else FEWER
    rng = np.random.default_rng([assumed.seed, OF_REPEAT, OF_TIME])
    hours = np.array([_study(spent, page, rng, assumed) for _ in range(repeats)]) / 3600
    found: Record = {
        "repeats": repeats,
        "hours": _range(hours.sum(axis=1)),
        "each": _range(np.median(hours, axis=1)),
        "longest": _range(hours.max(axis=1)),
    }
    return found | _cost(hours, spent, rate) if rate else found


def _cost(hours: FloatArray, spent: Sequence[TimeSpent], rate: Rate) -> Record:
    """Return the cost of repeats whose annotators took so many hours."""
    paid = np.array([float(each.tasks * rate.amount) for each in spent])
    found: Record = {
        "paid": stable_number(float(paid.sum())),
        "hourly": _range(paid.sum() / hours.sum(axis=1)),
    }
    if rate.floor is not None:
        owed = np.maximum(hours * float(rate.floor) - paid, 0)
        found |= {
            "top_up": _range(owed.sum(axis=1)),
            "below_floor": _range((owed > 0).mean(axis=1)),
        }
    return found


def _study(
    spent: Sequence[TimeSpent], page: float, rng: np.random.Generator, assumed: Assumed
) -> FloatArray:
    """Draw the seconds of every annotator, whose values and carelessness stay as they were."""
    spread = assumed.pace_spread
    paces = np.exp(rng.normal(size=len(spent)) * spread - spread**2 / 2)
    means = [value_seconds(each.tasks, each.values, page, assumed) for each in spent]
    seconds = [
        _of_values(each.values, mean, rng, assumed).sum()
        for each, mean in zip(spent, means, strict=True)
    ]
    hurry = np.where([each.careless for each in spent], assumed.hurry, 1.0)
    return np.asarray(seconds * paces * hurry)


def _range(drawn: FloatArray) -> Record:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return {
        "value": stable_number(float(drawn.mean())),
        "low": stable_number(float(low)),
        "high": stable_number(float(high)),
    }
