"""Permutation tests by swaps: two systems, or two metrics, change places on whole units."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from quaestor_stats._inputs import FloatArray

_CELLS = 500_000  # numbers in one block of swaps, which a processor's cache holds


@dataclass(frozen=True, slots=True)
class Swaps:
    """The swaps of a test: all that exist, or some drawn by chance. The first swaps nothing."""

    units: int
    number: int
    complete: bool

    @classmethod
    def of(cls, units: int, resamples: int, *, enumerated: int | None = None) -> Self:
        """Choose between all swaps of the units and drawn ones.

        Parameters
        ----------
        units : number of units, each swapped or not
        resamples : number of swaps to draw
        enumerated : take all swaps if there are no more than this; by default ``resamples``

        Notes
        -----
        Swapping all units is swapping none, so the first unit is never swapped among all swaps.
        """
        distinct = 2 ** (units - 1)
        if distinct <= (resamples if enumerated is None else enumerated):
            return cls(units, distinct, complete=True)
        return cls(units, resamples + 1, complete=False)

    def in_blocks(self, size: int, rng: np.random.Generator) -> Iterator[FloatArray]:
        """Yield signs (b, units), -1 where a unit is swapped.

        Parameters
        ----------
        size : numbers that the caller computes from one swap; it sets the length of the blocks, and
            the swaps do not depend on it
        """
        step = max(1, _CELLS // max(size, self.units))
        for start in range(0, self.number, step):
            places = np.arange(start, min(start + step, self.number), dtype=np.int32)
            if self.complete:
                bits = np.arange(self.units - 1, -1, -1, dtype=np.int32)
                is_swapped = places[:, None] >> bits & 1
                yield (1 - 2 * is_swapped).astype(np.float64)
            else:
                none = np.ones((int(start == 0), self.units))
                drawn = rng.choice([-1.0, 1.0], size=(len(places) - len(none), self.units))
                yield np.vstack([none, drawn])

    def share(
        self,
        as_extreme: Callable[[FloatArray], NDArray[Any]],
        rng: np.random.Generator,
        *,
        size: int,
    ) -> FloatArray:
        """Return the p of a test: the share of swaps that are as extreme as no swap.

        Parameters
        ----------
        as_extreme : of signs (b, units), whether each swap is as extreme (b, ...)
        size : numbers that ``as_extreme`` computes from one swap
        """
        counts = (as_extreme(signs).sum(axis=0) for signs in self.in_blocks(size, rng))
        return np.asarray(sum(counts) / self.number)
