"""Candidates of a simulated study, and the share of them that the qualification admits.

Candidates come in waves of as many annotators as a study wants; each wave has the same number of
careless ones. The probability of a right value differs between annotators by a beta distribution. A
wrong value is any other point of the scale. With the same probability a repeated item gets the same
answer as before, else a new one. A careless annotator picks any point, unless they take care in the
qualification.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.planning.simulated import OF_ARRIVAL, OF_TRY, Assumed, Newcomer, share_with_interval
from analysis.reports.rows import Record
from judging.quality import qualifying
from judging.quality.qualifying import QualificationItem

FORECAST = 2_000  # newcomers of a forecast
CONCENTRATION_FLOOR = 0.05  # of a beta distribution: annotators then know all or nothing


@dataclass(frozen=True, slots=True)
class Gate:
    """A qualification: its items by key, the points of each criterion's scale, the mark, and the
    tries."""

    items: Mapping[int, QualificationItem]
    points: Mapping[int, Sequence[int]]
    pass_mark: int
    tries: int


def newcomer(place: int, wanted: int, assumed: Assumed) -> Newcomer:
    """Return candidate number `place` (from 1) of a study that wants so many annotators."""
    wave, seat = divmod(place - 1, wanted)
    dealt = np.random.default_rng([assumed.seed, OF_ARRIVAL, 0, wave]).permutation(wanted)
    careless = seat in dealt[: assumed.careless].tolist()
    return _drawn(careless, np.random.default_rng([assumed.seed, OF_ARRIVAL, 1, place]), assumed)


def _drawn(careless: bool, rng: np.random.Generator, assumed: Assumed) -> Newcomer:
    """Draw a candidate's probability of right values, and their pace, which has a mean of 1."""
    spread = assumed.pace_spread
    pace = float(np.exp(rng.normal() * spread - spread**2 / 2))
    knows = _share(assumed.knows, assumed.knows_spread, rng)
    takes_care = rng.random() < assumed.wary
    if not careless:
        return Newcomer(False, knows, pace)
    return Newcomer(True, knows if takes_care else 0.0, pace * assumed.hurry)


def _share(mean: float, deviation: float, rng: np.random.Generator) -> float:
    """Draw from the beta distribution of a mean and a standard deviation."""
    if deviation == 0 or mean in (0, 1):
        return mean
    spread = mean * (1 - mean)
    concentration = max(spread / deviation**2 - 1, CONCENTRATION_FLOOR)
    return float(rng.beta(mean * concentration, (1 - mean) * concentration))


def simulate_candidate(
    who: Newcomer, gate: Gate, rng: np.random.Generator
) -> dict[tuple[int, int], int]:
    """Return a candidate's values in one try, by item and criterion; if they know nothing, any
    point."""
    given: dict[tuple[int, int], int] = {}
    for key, item in gate.items.items():
        for criterion, accepted in item.accepted.items():
            points = gate.points[criterion]
            before = given.get((item.repeats or 0, criterion))
            if before is not None and rng.random() < who.knows:
                given[key, criterion] = before
                continue
            wrong = [point for point in points if point not in accepted]
            if who.knows == 0:
                among = list(points)
            elif not wrong or rng.random() < who.knows:
                among = list(accepted)
            else:
                among = wrong
            given[key, criterion] = among[int(rng.integers(len(among)))]
    return given


def answers_of(
    place: int, attempt: int, who: Newcomer, gate: Gate, assumed: Assumed
) -> dict[tuple[int, int], int]:
    """Return the values of candidate number `place` in try number `attempt`."""
    return simulate_candidate(
        who, gate, np.random.default_rng([assumed.seed, OF_TRY, place, attempt])
    )


def forecast_arrivals(
    gate: Gate, wanted: int, assumed: Assumed, tell: Callable[[int], None] = lambda done: None
) -> Record:
    """Return from many more simulated candidates: the share screened out, of careful and of
    careless ones, and the share of the admitted ones that needed more than one try. `tell` is
    called with the number of candidates so far, and may stop the forecast by raising."""
    rng = np.random.default_rng([assumed.seed, OF_ARRIVAL, 2])
    careless = rng.random(FORECAST) < min(assumed.careless / wanted, 1)
    needed = np.zeros(FORECAST, dtype=int)
    for place, is_careless in enumerate(careless):
        tell(place)
        needed[place] = _tries(_drawn(bool(is_careless), rng, assumed), gate, rng)
    failed = needed == 0
    groups = {"all": np.ones(FORECAST, bool), "careful": ~careless, "careless": careless}
    shares: Record = {
        name: share_with_interval(failed[of]) if of.any() else None for name, of in groups.items()
    }
    again = share_with_interval(needed[~failed] > 1) if not failed.all() else None
    return shares | {"again": again, "newcomers": FORECAST}


def _tries(who: Newcomer, gate: Gate, rng: np.random.Generator) -> int:
    """Return which try passes; 0 where none does."""
    for attempt in range(1, gate.tries + 1):
        given = simulate_candidate(who, gate, rng)
        if qualifying.compare_with_key(gate.items, given, pass_mark=gate.pass_mark).passed:
            return attempt
    return 0
