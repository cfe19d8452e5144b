"""The test that compares systems, by the declared design and the allocation of annotators."""

from dataclasses import dataclass

import numpy as np

from analysis.stats.arrays import IntArray, Labels, grouped, same_length
from analysis.stats.inference import Inference

PERMUTATION = "permutation"
MIXED_MODEL = "mixed_model"
MAX_DIFFERENCE = 20  # per cent by which an annotator's counts of ratings may differ
MIN_ANNOTATORS = 5  # random annotators below which the model finds few differences


@dataclass(frozen=True, slots=True)
class SystemTest:
    """The test that compares systems on one criterion.

    ``reason`` says why it is the mixed model, and is empty otherwise; ``caution`` says why the test
    is weak.
    """

    name: str
    reason: str = ""
    caution: str = ""


def system_test(design: Inference, *, systems: Labels, annotators: Labels) -> SystemTest:
    """Return the test that compares systems.

    Parameters
    ----------
    design : what is declared random
    systems, annotators : (n_ratings,) labels of each rating

    Notes
    -----
    The paired permutation test over sources takes annotators as fixed and every system as rated by
    the same annotators. The mixed model serves if annotators are declared random, if an annotator
    did not rate a system, or if an annotator's counts of ratings differ between systems by more
    than 20%.
    """
    _, system = grouped(systems, name="systems")
    _, annotator = grouped(annotators, name="annotators")
    same_length(systems=system, annotators=annotator)
    size = np.unique(annotator).size
    if design.annotators:
        caution = ""
        if size < MIN_ANNOTATORS:
            caution = (
                f"With fewer than {MIN_ANNOTATORS} annotators declared random (here {size}), the "
                "mixed model finds few differences significant."
            )
        return SystemTest(MIXED_MODEL, "annotators are declared random", caution)
    imbalance = _imbalance(system, annotator)
    return SystemTest(MIXED_MODEL, imbalance) if imbalance else SystemTest(PERMUTATION)


def _imbalance(system: IntArray, annotator: IntArray) -> str:
    """Return how unequally annotators are allocated to systems; empty if they are not."""
    if system.size == 0 or np.ptp(annotator) == 0:
        return ""
    counts = np.zeros((annotator.max() + 1, system.max() + 1), dtype=np.intp)
    np.add.at(counts, (annotator, system), 1)
    least, most = counts.min(axis=1), counts.max(axis=1)
    empty = int((counts == 0).sum())
    if empty:
        return f"no rating exists for {empty} of {counts.size} combinations of annotator and system"
    worst = int((least / most).argmin())
    if 100 * (most[worst] - least[worst]) <= MAX_DIFFERENCE * most[worst]:
        return ""
    return (
        f"annotators rated the systems unequally often (one rated {most[worst]:,} outputs of one "
        f"system and {least[worst]:,} of another)"
    )
