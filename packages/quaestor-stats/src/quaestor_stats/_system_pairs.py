"""Two systems under every test that a report prints."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import nan

from quaestor_stats._design import SOURCE, ClusterUnit
from quaestor_stats._equivalence import t_test
from quaestor_stats._inputs import FloatArray, Labels
from quaestor_stats._paired_tests import cliffs_delta, two_sample_t, wilcoxon
from quaestor_stats._result import ConfidenceInterval, Result
from quaestor_stats._system_differences import CONTRAST, SystemDifference

DIFFERENCE = "difference"  # the test that compares the systems
# Swaps for each pair of systems: Holm multiplies the smallest p by the number of pairs
PER_PAIR = 100
PERMUTATIONS = 20_000
SIGNS_DRAWN = 200_000_000  # swaps x sources x pairs: some four seconds


def swaps_for(pairs: int, sources: int, asked: int) -> int:
    """Return how many swaps to draw: enough for Holm's correction over the pairs, within bounded
    time."""
    affordable = SIGNS_DRAWN // max(1, pairs * sources)
    return max(100, min(max(asked, PER_PAIR * pairs), PERMUTATIONS, affordable))


def tests_of_pair(
    difference: SystemDifference,
    means: FloatArray,
    questions: Sequence[FloatArray],
    *,
    clusters: Labels,
    unit: ClusterUnit = SOURCE,
) -> Iterator[tuple[str, Result]]:
    """Yield the difference of two systems and the other tests of the pair, by name.

    Parameters
    ----------
    difference : from `system_differences`
    means : (2, n_sources) scores of either system, nan where it has none
    questions : of either system, the means of its questions
    clusters : (n_sources,) labels of what the sources belong to
    unit : name of the clusters, and how many an interval needs
    """
    groups = None if unit.is_source else clusters
    yield DIFFERENCE, difference
    yield CONTRAST, replace(difference, pvalue=t_test(difference), statistic=nan)
    yield "wilcoxon", wilcoxon(*means, clusters=groups)
    yield "t_as_published", two_sample_t(*questions)
    yield "cliffs_delta", _untested(cliffs_delta(*means, clusters=groups, unit=unit))


def _untested(effect: Result) -> Result:
    return Result(
        value=effect.value,
        ci=ConfidenceInterval(effect.ci.low, effect.ci.high),
        n=effect.n,
        dropped=effect.dropped,
        clusters=effect.clusters,
        method=effect.method,
        reason=effect.reason,
    )
