"""The test that compares systems, by the declared design and the allocation of annotators."""

from dataclasses import dataclass

import numpy as np

from quaestor_stats._design import Design
from quaestor_stats._inputs import IntArray, Labels, grouped, same_length

PERMUTATION = "permutation"
MIXED_MODEL = "mixed_model"
MAX_DIFFERENCE = 20  # per cent by which an annotator's shares of two systems' outputs may differ
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


def system_test(
    design: Design, *, outputs: Labels, sources: Labels, systems: Labels, annotators: Labels
) -> SystemTest:
    """Return the test that compares systems.

    Parameters
    ----------
    design : what is declared random
    outputs, sources, systems, annotators : (n_ratings,) labels of each rating

    Notes
    -----
    The paired permutation test over sources takes annotators as fixed and both systems as rated by
    the same annotators on the sources that they have in common. The mixed model serves if
    annotators are declared random, or if an annotator's shares of the outputs of two systems on
    their common sources differ by more than 20%. An output without any rating is in no share: a
    system may have none on some sources.
    """
    _, output = grouped(outputs, name="outputs")
    _, source = grouped(sources, name="sources")
    _, system = grouped(systems, name="systems")
    _, annotator = grouped(annotators, name="annotators")
    same_length(outputs=output, sources=source, systems=system, annotators=annotator)
    size = np.unique(annotator).size
    if design.random_annotators:
        caution = ""
        if size < MIN_ANNOTATORS:
            caution = (
                f"With fewer than {MIN_ANNOTATORS} annotators declared random (here {size}), the "
                "mixed model finds few differences significant."
            )
        return SystemTest(MIXED_MODEL, "annotators are declared random", caution)
    imbalance = _imbalance(output, source, system, annotator) if size > 1 else ""
    return SystemTest(MIXED_MODEL, imbalance) if imbalance else SystemTest(PERMUTATION)


def _imbalance(output: IntArray, source: IntArray, system: IntArray, annotator: IntArray) -> str:
    """Return how unequally annotators are allocated to systems; empty if they are not."""
    has_output = np.zeros((source.max() + 1, system.max() + 1), dtype=np.intp)
    has_output[source, system] = 1
    # counts for each ordered pair of systems: of the first, on the sources that the second has too
    pairs = (has_output.shape[1], has_output.shape[1])
    rated = np.zeros((annotator.max() + 1, *pairs), dtype=np.intp)
    np.add.at(rated, (annotator, system), has_output[source])
    _, first = np.unique(output, return_index=True)
    outputs = np.zeros(pairs, dtype=np.intp)
    np.add.at(outputs, system[first], has_output[source[first]])

    # shares of the same denominator, so that they are compared as whole numbers
    share = rated * outputs.T
    other = share.transpose(0, 2, 1)
    excess = 100 * (share - other) - MAX_DIFFERENCE * share
    if excess.max() <= 0:
        return ""
    relative = np.divide(other, share, out=np.ones(share.shape), where=excess > 0)
    worst, more, less = np.unravel_index(relative.argmin(), share.shape)
    return (
        "annotators rated the systems unequally often (on the sources that two systems have in "
        f"common, one annotator rated {rated[worst, more, less]:,} of {outputs[more, less]:,} outputs "
        f"of one system and {rated[worst, less, more]:,} of {outputs[less, more]:,} of the other)"
    )
