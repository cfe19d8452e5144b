"""Measure how often a 95 % interval of agreement contains the true value.

    python bench/coverage.py [--simulations 1000]            units drawn independently, alpha
    python bench/coverage.py --sources [--studies 400] [--bootstrap]   several systems on a source, all coefficients
    python bench/coverage.py --few [--studies 100]           3 to 200 sources, ceilings of every height

The first: five raters of differing reliability, a scale of five points, a tenth of the ratings
missing. The truth is alpha of two million units made the same way. With 1,000 simulations a share
of .95 has a standard error of .007. KALPHA (Hayes and Krippendorff) is taken from evalica if
that is installed.

The second: studies of the field's shapes. A question's quality is the sum of effects of its system,
its source and itself; annotators perceive it with an error and a severity of their own; the scale
cuts the perceived quality into points. All studies have the same systems and annotators, sources
and questions are drawn for each, and the truth is the coefficient of a million questions of the
same systems judged by the same annotators. Other programs may call `measured`, too.

The third shows that the bounds of `quaestor_stats._informative_clusters` are high enough: the same studies on
so few sources, or with so few ratings beside the commonest value, that many have no interval.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quaestor_stats._alpha import Level, krippendorff_alpha
from quaestor_stats._cohen_kappa import cohen_kappa
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa, randolph_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._icc import Form, intraclass
from quaestor_stats._inputs import Labels
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._resampling import Bootstrap, Interval, Jackknife
from quaestor_stats._result import Result

RELIABILITY = (0.5, 0.5, 0.6, 0.6, 0.7)  # chance that a rater sees the unit as it is
SIZES = (30, 100, 300)
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")


def study(units: int, rng: np.random.Generator) -> np.ndarray:
    """Return ratings that are the truth, or one point beside it, or anything."""
    truth = rng.choice(5, size=(units, 1), p=(0.1, 0.15, 0.2, 0.25, 0.3))
    shape = (units, len(RELIABILITY))
    seen = np.where(
        rng.random(shape) < 0.6, truth + rng.choice((-1, 1), size=shape), rng.integers(0, 5, shape)
    )
    table = np.where(rng.random(shape) < RELIABILITY, truth, np.clip(seen, 0, 4)) + 1.0
    table[rng.random(shape) < 0.1] = np.nan
    return table


def kalpha(table: np.ndarray, level: Level, seed: int) -> tuple[float, float]:
    import evalica
    import pandas as pd

    found = evalica.alpha_bootstrap(
        pd.DataFrame(table.T), distance=level, n_resamples=1000, random_state=seed
    )
    return found.low, found.high


def intervals(
    table: np.ndarray, level: Level, seed: int, *, with_kalpha: bool
) -> dict[str, tuple[float, float]]:
    jackknife = krippendorff_alpha(table, level=level)
    bootstrap = krippendorff_alpha(
        table, level=level, interval=Bootstrap(np.random.default_rng(seed))
    )
    found = {
        "jackknife-t": (jackknife.ci.low, jackknife.ci.high),
        "bootstrap": (bootstrap.ci.low, bootstrap.ci.high),
    }
    if with_kalpha:
        found["KALPHA"] = kalpha(table, level, seed)
    return found


@dataclass(frozen=True)
class Shape:
    """The size of a study, and the cut points of the scale on the perceived quality (mean 0)."""

    sources: int
    systems: int
    questions: int  # of each system on each source
    annotators: int
    cuts: tuple[float, ...]

    @property
    def scale(self) -> range:
        return range(1, len(self.cuts) + 2)


@dataclass(frozen=True)
class Parts:
    """Standard deviations of a rating's components; that of an annotator's error is .6."""

    source: float = 0.6
    question: float = 0.3
    annotator: float = 0.3
    missing: float = 0.0


SHAPES = {
    "200 x 15 x 3, 1-3, ceilings": Shape(200, 15, 1, 3, (-1.9, -1.2)),
    "500 x 6 x 5, 1-3": Shape(500, 6, 1, 5, (-1.0, 0.2)),
    "90 x 4 pairs x 2, 1-4": Shape(90, 4, 2, 2, (-1.2, -0.2, 0.7)),
    "30 x 4 x 3, 1-3": Shape(30, 4, 1, 3, (-1.0, 0.2)),
    "30 x 4 x 3, 1-3, ceilings": Shape(30, 4, 1, 3, (-1.9, -1.2)),
    "8 x 4 x 3, 1-3": Shape(8, 4, 1, 3, (-1.0, 0.2)),
}
VARIED = (
    Parts(question=0.0, annotator=0.0),
    Parts(question=0.0, annotator=0.5),
    Parts(question=0.3, annotator=0.3, missing=0.2),
    Parts(question=0.6, annotator=0.0),
    Parts(question=0.6, annotator=0.5),
)
FEW = (3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 60, 100, 200)  # sources
CEILINGS = ((-1.0, 0.2), (-1.2, -0.2, 0.7), (-1.9, -1.2), (-2.4, -1.8), (-3.0, -2.3), (-2.6,))
TOLD_FROM = 300  # intervals of studies with one ceiling: a share of .95 then has an error of .013
FORMS: tuple[Form, ...] = ("1,1", "2,1", "3,1", "2,k")


def ratings(
    shape: Shape, parts: Parts, rng: np.random.Generator, *, sources: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Return (n_units, n_annotators) and each unit's source; systems and annotators are always the
    same."""
    size = (sources or shape.sources, shape.systems, shape.questions, shape.annotators)
    fixed = np.random.default_rng(0)
    system = np.linspace(-0.5, 0.5, shape.systems)[:, None, None]
    severity = parts.annotator * np.linspace(-1.2, 1.2, shape.annotators)
    habits = 0.5 * parts.annotator * fixed.normal(size=(shape.systems, 1, shape.annotators))
    worth = parts.source * rng.normal(size=(size[0], 1, 1, 1)) + system
    worth = worth + parts.question * rng.normal(size=(*size[:3], 1))
    seen = worth + severity + habits + 0.6 * rng.normal(size=size)
    table = 1.0 + np.searchsorted(shape.cuts, seen.reshape(-1, shape.annotators))
    table[rng.random(table.shape) < parts.missing] = np.nan
    return table, np.repeat(np.arange(size[0]), shape.systems * shape.questions)


def coefficients(
    table: np.ndarray,
    shape: Shape,
    clusters: Labels | None,
    interval: Interval = Jackknife(),  # noqa: B008  frozen
) -> Iterator[tuple[str, Result]]:
    """Yield every coefficient with its interval; intraclass correlations have no bootstrap."""
    how = {"scale": shape.scale, "clusters": clusters, "interval": interval}
    yield "percent agreement", percent_agreement(table, **how)
    for level in LEVELS:
        yield f"alpha, {level}", krippendorff_alpha(table, level=level, **how)
    yield "Fleiss", fleiss_kappa(table, **how)
    yield "Conger", conger_kappa(table, **how)
    yield "Randolph", randolph_kappa(table, **how)
    yield "AC1", gwet_ac(table, **how)
    yield "Brennan-Prediger, quadratic", randolph_kappa(table, weights="quadratic", **how)
    yield "AC2, quadratic", gwet_ac(table, weights="quadratic", **how)
    first, second = table[:, :2].T
    yield "Cohen, linear, first two", cohen_kappa(first, second, weights="linear", **how)
    if isinstance(interval, Jackknife):
        for form, found in intraclass(table, forms=FORMS, clusters=clusters).items():
            yield f"ICC({form})", found


@dataclass
class Held:
    """Coverage and widths of intervals over units and over sources."""

    studies: int = 0
    given: int = 0  # intervals over sources
    over_units: int = 0
    over_sources: int = 0
    wider: float = 0.0  # sum of the ratios of widths

    def add(self, alone: Result, over: Result, truth: float) -> None:
        self.studies += 1
        if np.isnan(over.ci.low) or np.isnan(alone.ci.low):
            return
        self.given += 1
        self.over_units += alone.ci.low <= truth <= alone.ci.high
        self.over_sources += over.ci.low <= truth <= over.ci.high
        self.wider += (over.ci.high - over.ci.low) / (alone.ci.high - alone.ci.low)


def measured(
    shape: Shape, parts: Parts, studies: int, *, bootstrap: bool = False
) -> dict[str, Held]:
    """Return the coverage of every coefficient's intervals; seeds are the same in every run."""
    each = shape.systems * shape.questions
    table, _ = ratings(shape, parts, np.random.default_rng(1), sources=1_000_000 // each)
    truth = {name: found.value for name, found in coefficients(table, shape, None)}
    held: dict[str, Held] = defaultdict(Held)
    for seed in range(studies):
        rng = np.random.default_rng([2, seed])
        table, sources = ratings(shape, parts, rng)
        how = Bootstrap(rng) if bootstrap else Jackknife()
        over = dict(coefficients(table, shape, sources, how))
        for name, alone in coefficients(table, shape, None, how):
            held[name].add(alone, over[name], truth[name])
    return held


def over_sources(studies: int, *, bootstrap: bool = False) -> None:
    """Print the shares over all studies, and the lowest and highest by the size of the parts."""
    print("| study | coefficient | over units | over sources | width | given |")
    print("|---|---|---|---|---|---|")
    for name, shape in SHAPES.items():
        found = [measured(shape, parts, studies, bootstrap=bootstrap) for parts in VARIED]
        for coefficient in found[0]:
            held = [each[coefficient] for each in found]
            given = sum(each.given for each in held)
            line = [
                name,
                coefficient,
                shares([(each.over_units, each.given) for each in held]),
                shares([(each.over_sources, each.given) for each in held]),
                f"x {sum(each.wider for each in held) / given:.2f}",
                f"{given / sum(each.studies for each in held):.2f}",
            ]
            print(f"| {' | '.join(line)} |", flush=True)


def where_few_tell(studies: int) -> None:
    """Print for each coefficient and number of sources how often the intervals that were given held
    the truth: of the ceiling where they did least, and of that where they did most."""
    held: dict[tuple[str, int], dict[tuple[float, ...], list[bool]]] = defaultdict(dict)
    made = 0
    for size, (cuts, parts) in product(((4, 3), (6, 2)), product(CEILINGS, VARIED)):
        systems, annotators = size
        shape = Shape(0, systems, 1, annotators, cuts)
        rng = np.random.default_rng(1)
        table, _ = ratings(shape, parts, rng, sources=300_000 // systems)
        truth = {name: found.value for name, found in coefficients(table, shape, None)}
        for sources, seed in product(FEW, range(studies)):
            rng = np.random.default_rng([3, made, sources, seed])
            table, of = ratings(shape, parts, rng, sources=sources)
            for name, found in coefficients(table, shape, of):
                each = held[name, sources].setdefault(cuts, [])
                if not np.isnan(found.ci.low):
                    each.append(bool(found.ci.low <= truth[name] <= found.ci.high))
        made += 1
    print("| coefficient | sources | held | given |")
    print("|---|---|---|---|")
    for (name, sources), by_ceiling in held.items():
        told = [np.mean(each) for each in by_ceiling.values() if len(each) >= TOLD_FROM]
        given = sum(map(len, by_ceiling.values())) / (made * studies)
        words = f"{min(told):.3f} to {max(told):.3f}" if told else "too few to say"
        print(f"| {name} | {sources} | {words} | {given:.2f} |")


def shares(counts: Sequence[tuple[int, int]]) -> str:
    """Return the share of all, and the lowest and highest of those that rest on fifty or more."""
    single = [held / given for held, given in counts if given >= 50]
    whole = sum(held for held, _ in counts) / sum(given for _, given in counts)
    return f"{whole:.3f} ({min(single):.2f} to {max(single):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument(
        "--sources", action="store_true", help="studies with several systems on a source"
    )
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument(
        "--bootstrap", action="store_true", help="with --sources: not the jackknife"
    )
    parser.add_argument("--few", action="store_true", help="studies in which few sources tell")
    asked = parser.parse_args()
    if asked.few:
        where_few_tell(asked.studies)
        return
    if asked.sources:
        over_sources(asked.studies, bootstrap=asked.bootstrap)
        return
    over_units(asked.simulations)


def over_units(simulations: int) -> None:
    try:
        import evalica  # noqa: F401

        with_kalpha = True
    except ImportError:
        with_kalpha = False
    for level in LEVELS:
        truth = krippendorff_alpha(
            study(2_000_000, np.random.default_rng(0)), level=level, interval=None
        ).value
        for units in SIZES:
            start, held, width = process_time(), {}, {}
            for seed in range(simulations):
                table = study(units, np.random.default_rng([units, seed]))
                for name, (low, high) in intervals(
                    table, level, seed, with_kalpha=with_kalpha
                ).items():
                    held[name] = held.get(name, 0) + (low <= truth <= high)
                    width[name] = width.get(name, 0.0) + high - low
            shares = "  ".join(
                f"{k} {held[k] / simulations:.3f} (width {width[k] / simulations:.3f})"
                for k in held
            )
            print(
                f"{level:8} {units:4} units, alpha {truth:.3f}: {shares}  [{process_time() - start:.0f} s]",
                flush=True,
            )


if __name__ == "__main__":
    main()
