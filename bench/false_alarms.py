"""How often tests find a difference of two metrics that is not there, when systems share sources.

    python bench/false_alarms.py [--studies 1000]

A study has some sources with ten systems each. What a question is worth depends on its source and on itself; people and
both metrics see it, each metric with noise per question and, from the second line on, its own view of every source.
Both metrics are made alike, so at the 5 % level a test should find a difference in 5 % of studies.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from analysis.stats.clustered import difference_interval, swap_test
from analysis.stats.dependent import williams_matrix

SYSTEMS = 10


def study(sources: int, view: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    source = np.repeat(np.arange(sources), SYSTEMS)
    worth = rng.normal(size=sources)[source] + rng.normal(size=source.size) / 2
    human = np.clip(np.round(3 + worth + rng.normal(size=source.size) / 2), 1, 5)
    metrics = worth + rng.normal(size=(2, source.size)) + view * rng.normal(size=(2, sources))[:, source]
    return human, metrics[0], metrics[1], source


def found(sources: int, view: float, seed: int) -> tuple[bool, bool, bool]:
    """Return what Williams, the swap permutation and the cluster bootstrap say at 5 %."""
    rng = np.random.default_rng([sources, seed])
    human, first, second, source = study(sources, view, rng)
    williams = williams_matrix(human, np.column_stack([first, second]), method="spearman")[1][0, 1]
    swap = swap_test(human, first, second, clusters=source, rng=rng, resamples=499)
    drawn = difference_interval(human, first, second, clusters=source, rng=rng, resamples=499)
    return bool(williams < 0.05), swap.p <= 0.05, not drawn.low <= 0 <= drawn.high


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=1000)
    studies = parser.parse_args().studies
    for sources, view in ((30, 0.0), (30, 1.0), (100, 1.0)):
        shares = np.mean([found(sources, view, seed) for seed in range(studies)], axis=0)
        words = ", ".join(f"{n} {s:.3f}" for n, s in zip(("Williams", "swaps", "bootstrap"), shares, strict=True))
        print(f"{sources:4} sources x {SYSTEMS} systems, own view of sources {view:g}: {words}", flush=True)


if __name__ == "__main__":
    main()
