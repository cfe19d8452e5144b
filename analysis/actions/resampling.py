"""Chance in a run: a generator for each table, how often it is asked, and whom to tell how far it is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Resampling:
    """Chance with its seed, how often it is asked, and whom to tell how far it is."""

    rng: np.random.Generator
    resamples: int
    step: Callable[[str], None]
