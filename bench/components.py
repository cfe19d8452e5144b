"""False alarms of the mixed model's differences, and coverage of the human ceiling's intervals.

    OMP_NUM_THREADS=1 python bench/components.py [--studies 400] [--only TEXT] [--processes 2]

A study has effects of sources (standard deviation .6), questions, annotators and annotators on
systems, and a residual (.5); most are rounded to a scale. The systems that are compared have the
same mean, so a test at the 5 % level should find a difference in 5 % of pairs. If annotators are
fixed, the truth is the mean of these annotators, and false alarms are intervals that miss it. The
ceiling's truth is its mean over 1 + STUDIES such studies of the same annotators.

`bench/inference.py` runs the report's sections; this bench runs the statistics, on more designs.
"""

import argparse
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


from quaestor_stats._human_ceiling import ceiling_of_arrays
from quaestor_stats._reml import Unfit
from quaestor_stats._variance_components import variance_components

METHODS = ("pearson", "spearman", "kendall")


@dataclass(frozen=True)
class Design:
    """A shape of study and the standard deviations of its effects."""

    sources: int
    systems: int
    annotators: int
    question: float = 0.4
    annotator: float = 0.3
    pair: float = 0.2  # annotator on system
    scale: tuple[int, int] | None = (1, 3)
    mean: float | tuple[float, ...] = 2.4
    each: int = 0  # annotators a question; 0: all
    missing: float = 0.0
    compared: tuple[tuple[int, int], ...] = ()  # pairs of systems; all

    def __str__(self) -> str:
        shape = f"{self.sources} x {self.systems} x {self.annotators}"
        shape += f", {self.each} annotators a question" * (self.each > 0)
        shape += f", {self.missing:.0%} missing" * (self.missing > 0)
        shape += ", systems unlike" * isinstance(self.mean, tuple)
        mean = (
            f"mean {self.mean}"
            if isinstance(self.mean, float)
            else f"means {self.mean[0]} and others"
        )
        rounded = f"{self.scale[0]}-{self.scale[1]}, {mean}" if self.scale else "not rounded"
        return f"{shape}; {rounded}; question {self.question}, annotator {self.annotator}, on system {self.pair}"

    def draw(
        self, rng: np.random.Generator, effects: np.random.Generator
    ) -> tuple[dict[str, Any], np.ndarray]:
        """Return ratings in long form, and what each annotator gives each system on average."""
        shape = (self.sources, self.systems, self.annotators)
        own = np.broadcast_to(self.mean, self.systems)[:, None] + self.annotator * effects.normal(
            size=shape[2]
        )
        own = own + self.pair * effects.normal(size=shape[1:])
        y = (
            own
            + 0.6 * rng.normal(size=(shape[0], 1, 1))
            + self.question * rng.normal(size=(*shape[:2], 1))
        )
        y = y + 0.5 * rng.normal(size=shape)
        if self.scale:
            low, high = self.scale
            y, spread = np.clip(np.round(y), low, high), np.sqrt(0.36 + self.question**2 + 0.25)
            own = high - sum(ndtr((point + 0.5 - own) / spread) for point in range(low, high))
        kept = rng.random(shape) >= self.missing
        if self.each:
            kept &= rng.random(shape).argsort(axis=2).argsort(axis=2) < self.each
        source, system, annotator = (axis[kept] for axis in np.indices(shape))
        return {
            "ratings": y[kept],
            "sources": source,
            "systems": system,
            "annotators": annotator,
        }, own


def alarms(design: Design, random: bool, seed: int) -> list[bool]:
    """Return for each pair of systems whether its interval misses the truth."""
    rng = np.random.default_rng([seed, design.sources, design.systems])
    data, own = design.draw(rng, rng)
    try:
        found = variance_components(**data, annotators_random=random)
    except Unfit:
        return []
    truth = np.zeros(design.systems) if random else own.mean(axis=1)
    missed = []
    for a, b in design.compared or combinations(range(design.systems), 2):
        tested = found.difference(a, b)
        if tested.ci.low == tested.ci.low:
            missed.append(not tested.ci.low <= truth[a] - truth[b] <= tested.ci.high)
    return missed


def ceilings(design: Design, seed: int) -> list[tuple[float, float, float]]:
    """Return value, low and high of the pooled and the within-source ceiling by each
    coefficient."""
    data, _ = design.draw(np.random.default_rng([seed, 1]), np.random.default_rng(99))
    found = [
        ceiling_of_arrays(**data, method=method, level=level)
        for level in ("pooled", "within_source")
        for method in METHODS
    ]
    return [(each.value, each.ci.low, each.ci.high) for each in found]


PLAIN = Design(30, 4, 3)
UNLIKE = (2.0, 2.0, 3.4, 3.4, 3.4, 3.4)
DESIGNS = (
    *(
        replace(PLAIN, annotators=k, question=q, annotator=a, pair=p, scale=None)
        for k in (3, 5)
        for q in (0.0, 0.3, 0.6)
        for a, p in ((0.0, 0.0), (0.5, 0.1), (0.5, 0.3))
    ),
    *(
        replace(PLAIN, mean=m, question=q, pair=p)
        for m in (2.2, 2.9, 3.3)
        for q in (0.0, 0.6)
        for p in (0.1, 0.3)
    ),
    Design(90, 4, 2, scale=(1, 4), mean=2.5),
    Design(100, 6, 5, pair=0.3),
    Design(200, 15, 3, mean=2.7),
    replace(PLAIN, systems=2),
    replace(PLAIN, sources=5),
    replace(PLAIN, sources=10),
    replace(PLAIN, missing=0.3),
    replace(PLAIN, sources=10, question=0.6, missing=0.5),
    Design(40, 5, 10, each=3),
    Design(60, 6, 30, each=3),
    Design(40, 5, 12, each=2, annotator=0.5, pair=0.3),
    Design(40, 4, 3, each=1),
    Design(30, 6, 3, question=0.6, mean=UNLIKE, compared=((0, 1),)),
    Design(30, 6, 5, question=0.6, pair=0.3, mean=UNLIKE, compared=((0, 1),)),
    Design(100, 6, 3, question=0.3, pair=0.3, mean=UNLIKE, compared=((0, 1),)),
    Design(30, 6, 3, question=0.6, mean=(3.2, 3.2, 2.0, 2.0, 2.0, 2.0), compared=((0, 1),)),
    Design(
        60, 15, 3, question=0.5, mean=(2.2, 2.2, *np.linspace(2.2, 3.2, 13)), compared=((0, 1),)
    ),
)
CEILINGS = (
    PLAIN,
    replace(PLAIN, annotators=5),
    replace(PLAIN, missing=0.3),
    Design(30, 6, 3, mean=2.9),
    Design(30, 4, 3, scale=(1, 5), mean=3.0),
    Design(100, 6, 5),
    Design(60, 15, 3),
)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--only", default="")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    with ProcessPoolExecutor(asked.processes) as pool:

        def each(work: Callable[[int], Any], studies: int) -> list[Any]:
            return list(pool.map(work, range(studies), chunksize=8))

        print("| design | annotators random | annotators fixed |\n|---|---|---|")
        for design in DESIGNS:
            if asked.only in str(design):
                studies = asked.studies * (3 if design.compared else 1)
                shares = [
                    np.mean(
                        [
                            miss
                            for one in each(partial(alarms, design, random), studies)
                            for miss in one
                        ]
                    )
                    for random in (True, False)
                ]
                print(f"| {design} | {shares[0]:.3f} | {shares[1]:.3f} |", flush=True)
        heads = " | ".join(
            f"{level}, {method}" for level in ("pooled", "within source") for method in METHODS
        )
        print(f"\n| design | {heads} |\n|---|---|---|---|---|---|---|")
        for design in CEILINGS:
            if asked.only in str(design):
                found = np.array(each(partial(ceilings, design), asked.studies))
                value, low, high = np.moveaxis(found, 2, 0)
                held = (low <= value.mean(axis=0)) & (value.mean(axis=0) <= high)
                print(
                    f"| {design} | {' | '.join(f'{share:.3f}' for share in held.mean(axis=0))} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
