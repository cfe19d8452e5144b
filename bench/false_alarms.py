"""False alarms of the tests of metrics, and coverage of their intervals.

    python bench/false_alarms.py [--studies 400] [--shape 50x6] [--bias 0.4]

A study has some sources, with a question of every system on each. A question's worth depends on its
system, its source and itself. Three annotators rate it from 1 to 3, near the upper end, and the
human score is their mean. A metric sees the worth with noise and a deviation of its own on every
source; with ``bias`` it also favours some systems, whatever they are worth. The truth about the
simulated ratings and metrics is known:

- "knows nothing" is a metric that does not see the worth; its correlation is 0
- "alike" are two metrics made in the same way; their difference is 0
- "15 %" is a metric with scores for that share of the questions

If the systems are fixed, the truth is the value of these very systems with 20,000 sources, or, over
systems, their average value with as many sources as the study. If they are random it is the value
of a great many systems.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quaestor_stats._associations import against_people
from quaestor_stats._design import Design, Facets, facets
from quaestor_stats._metric_differences import best_metrics, metric_differences
from quaestor_stats._pooled import pooled_values
from quaestor_stats._source_correlations import within_values
from quaestor_stats._system_level import RankedMeans, coefficients_of
from quaestor_stats._tie_calibration import accuracies_within
from quaestor_stats._williams import williams_matrix

SHAPES = ((50, 6), (200, 15), (30, 4))
LOADS = {"nothing": 0.0, "first": 0.6, "second": 0.6, "weaker": 0.3, "part": 0.6}
SETS, PART = 20, 0.15
MEASURES = ("pearson", "spearman", "kendall", "pairwise_accuracy")


@dataclass(frozen=True)
class Systems:
    """The worth of systems, and by how much each metric favours them."""

    worth: np.ndarray
    favour: np.ndarray  # (metrics, systems)

    @classmethod
    def drawn(cls, n: int, bias: float, rng: np.random.Generator) -> "Systems":
        return cls(0.4 * rng.normal(size=n), bias * rng.normal(size=(len(LOADS), n)))


@dataclass(frozen=True)
class Study:
    human: np.ndarray  # (n,)
    metrics: dict[str, np.ndarray]
    sources: np.ndarray
    systems: np.ndarray

    def facets(self, *, random: bool) -> Facets:
        return facets(
            self.sources, self.systems, design=Design(systems="random" if random else "fixed")
        )


def study(sources: int, systems: Systems, rng: np.random.Generator) -> Study:
    shape = (sources, systems.worth.size)
    worth = systems.worth + 0.5 * rng.normal(size=(sources, 1)) + 0.6 * rng.normal(size=shape)
    ratings = np.clip(np.round(2.4 + worth[..., None] + 0.5 * rng.normal(size=(*shape, 3))), 1, 3)
    metrics = {}
    for (name, load), favour in zip(LOADS.items(), systems.favour, strict=True):
        view = 0.5 * rng.normal(size=(sources, 1))
        scores = load * worth + view + favour + rng.normal(size=shape)
        if name == "part":
            scores[rng.random(shape) > PART] = np.nan
        metrics[name] = scores.ravel()
    places, names = np.indices(shape)
    return Study(ratings.mean(axis=-1).ravel(), metrics, places.ravel(), names.ravel())


def found(
    one: Study, rng: np.random.Generator, *, random: bool, resamples: int
) -> tuple[list, list]:
    people, of = {"human": one.human}, one.facets(random=random)
    each = against_people(
        people, one.metrics, facets=of, rng=rng, measures=MEASURES, resamples=resamples
    )
    pairs = [
        row
        for measure in ("pearson", "spearman", "kendall")
        for row in metric_differences(
            people, one.metrics, facets=of, rng=rng, measure=measure, resamples=resamples
        )
    ]
    return each, pairs


def truth_of(one: Study, levels: tuple[str, ...]) -> dict[tuple, float]:
    """Return every metric's coefficients in one large study."""
    of, true = one.facets(random=False), {}
    for name, scores in one.metrics.items():
        kept = ~np.isnan(scores)
        human, metric, here = one.human[kept, None], scores[kept, None], of.select(kept)
        if "pooled" in levels:
            values = pooled_values(human, metric, coefficients=MEASURES[:3])
            true |= {(name, "pooled", each): float(value[0, 0]) for each, value in values.items()}
        if "within_source" in levels:
            values = within_values(human, metric, here, coefficients=MEASURES[:3])
            true |= {(name, "within_source", each): float(v[0, 0]) for each, v in values.items()}
            some = here.source < 3000
            accuracies = accuracies_within(human[some], metric[some], here.select(some))
            true[name, "within_source", "pairwise_accuracy"] = float(accuracies.in_sample[0, 0])
        if "systems" in levels:
            means = [RankedMeans.of(column, here) for column in (human, metric)]
            for each in MEASURES:
                value = coefficients_of(*(mean.features(each) for mean in means), each)
                true[name, "systems", each] = float(value[0, 0])
    return true


def mean_of(many: Iterator[dict[tuple, float]]) -> dict[tuple, float]:
    every = defaultdict(list)
    for true in many:
        for place, value in true.items():
            every[place].append(value)
    return {place: float(np.nanmean(values)) for place, values in every.items()}


def truth(
    shape: tuple[int, int], systems: Systems | None, bias: float, rng: np.random.Generator
) -> dict[tuple, float]:
    """Return the true values for these systems, or for a great many."""
    sources, n = shape
    if systems is not None:
        true = truth_of(study(20_000, systems, rng), ("pooled", "within_source"))
        return true | mean_of(
            truth_of(study(sources, systems, rng), ("systems",)) for _ in range(200)
        )
    true = mean_of(
        truth_of(study(300, Systems.drawn(300, bias, rng), rng), ("pooled",)) for _ in range(20)
    )
    true |= mean_of(
        truth_of(study(sources, Systems.drawn(300, bias, rng), rng), ("systems",))
        for _ in range(20)
    )
    true |= mean_of(
        truth_of(study(200, Systems.drawn(n, bias, rng), rng), ("within_source",))
        for _ in range(300)
    )
    for place in list(true):  # metrics made alike are
        if place[0] == "second":
            true[place] = true["first", *place[1:]] = (true[place] + true["first", *place[1:]]) / 2
    return true


class Tally:
    """Counts of findings, by the kind of number and scenario."""

    def __init__(self) -> None:
        self.said: dict[tuple, list[bool]] = defaultdict(list)

    def add(self, place: tuple, said: bool) -> None:
        self.said[place].append(bool(said))

    def lines(self) -> Iterator[str]:
        for place, said in self.said.items():
            yield f"{' | '.join(place):78} {np.mean(said):.3f}  ({len(said)})"


def judge(
    tally: Tally,
    one: Study,
    true: dict[tuple, float],
    rng: np.random.Generator,
    random: bool,
    bias: float,
) -> None:
    """Add one study's findings, compared with the truth."""
    each, pairs = found(one, rng, random=random, resamples=400)
    for row in each:
        value, place = true.get((row.metric, row.level, row.measure)), (row.level, row.measure)
        if value is None or np.isnan(row.found.value):
            continue
        if (
            row.metric == "nothing"
            and (random or not bias or row.level == "systems")
            and row.found.pvalue == row.found.pvalue
        ):
            tally.add(("p of a metric that knows nothing", *place), row.found.pvalue < 0.05)
        if row.found.ci.low == row.found.ci.low:
            tally.add(
                (f"interval, {row.metric}", *place),
                row.found.ci.low - 1e-9 <= value <= row.found.ci.high + 1e-9,
            )
    for row in pairs:
        first, second = sorted((row.better, row.other))
        value = true[first, row.level, row.measure] - true[second, row.level, row.measure]
        sign = 1 if row.better == first else -1
        place = (row.level, row.measure)
        alike = (first, second) == ("first", "second") and (random or not bias)
        if alike and row.found.pvalue == row.found.pvalue:
            tally.add(("p of two alike", *place), row.found.pvalue < 0.05)
        if row.found.ci.low == row.found.ci.low and "nothing" not in (first, second):
            held = row.found.ci.low - 1e-9 <= sign * value <= row.found.ci.high + 1e-9
            tally.add((f"interval of {first} - {second}", *place), held)
    for level, measure in dict.fromkeys((row.level, row.measure) for row in pairs):
        own = {m: true[m, level, measure] for m in LOADS}
        truly_highest = max(own, key=lambda m: own[m])
        at = [row for row in each if (row.level, row.measure) == (level, measure)]
        values = {row.metric: row.found.value for row in at}
        best = best_metrics(
            values, [row for row in pairs if (row.level, row.measure) == (level, measure)]
        )
        if best:
            is_in = truly_highest in (*best.members, *best.unknown)
            tally.add(("the truly highest is not left out", level, measure), is_in)
    if random or not bias:
        for place, said in as_published(one):
            tally.add(("as published, two alike", *place), said)


def as_published(one: Study) -> Iterator[tuple[tuple, bool]]:
    columns = (one.human, one.metrics["first"], one.metrics["second"])
    yield (
        ("pooled", "Williams"),
        williams_matrix(columns[0], np.column_stack(columns[1:]))[1][0, 1] < 0.05,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--shape", help="as 50x6; all three if not given")
    parser.add_argument("--bias", type=float, help="0 and 0.4 if not given")
    parser.add_argument("--random", type=int, help="1: systems random, 0: fixed; both if not given")
    asked = parser.parse_args()
    shapes = [tuple(map(int, asked.shape.split("x")))] if asked.shape else SHAPES
    for shape in shapes:
        for bias in (0.0, 0.4) if asked.bias is None else (asked.bias,):
            for random in (False, True) if asked.random is None else (bool(asked.random),):
                run(shape, bias, random, asked.studies)


def run(shape: tuple[int, int], bias: float, random: bool, studies: int) -> None:
    tally, (sources, n) = Tally(), shape
    rng = np.random.default_rng([sources, n, round(10 * bias), random])
    true = truth(shape, None, bias, rng) if random else {}
    for place in range(studies):
        if random:
            systems = Systems.drawn(n, bias, rng)
        elif place % (studies // SETS) == 0:
            systems = Systems.drawn(n, bias, rng)
            true = truth(shape, systems, bias, rng)
        judge(tally, study(sources, systems, rng), true, rng, random, bias)
    kind = "random" if random else "fixed"
    print(f"\n{sources} sources x {n} systems, favour {bias:g}, systems {kind}, {studies} studies")
    for line in tally.lines():
        print(line, flush=True)


if __name__ == "__main__":
    main()
