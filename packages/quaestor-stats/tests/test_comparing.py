from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quaestor_stats import _permutation
from quaestor_stats._letters import letters
from quaestor_stats._paired_tests import (
    cliffs_delta,
    paired_permutation,
    permuted_p_of_many,
    smallest_p,
    sources_carrying,
    two_sample_t,
    wilcoxon,
)

NAN = np.nan


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def pair(n: int, *, effect: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    source = draw.normal(size=n)
    return source + effect + draw.normal(size=n) / 2, source + draw.normal(size=n) / 2


def test_paired_permutation_of_few_sources_is_exact() -> None:
    a, b = pair(10)
    theirs = stats.permutation_test(
        (a, b), lambda x, y: np.mean(x - y), permutation_type="samples", n_resamples=np.inf
    )
    found = paired_permutation(a, b, rng=rng())
    assert found.pvalue == pytest.approx(theirs.pvalue)
    assert "all swaps" in found.method
    interval = stats.ttest_rel(a, b).confidence_interval()
    assert (found.ci.low, found.ci.high) == pytest.approx((interval.low, interval.high))


def test_paired_permutation_of_many_sources_is_near_the_t_test_and_never_zero() -> None:
    a, b = pair(100, effect=0.15)
    assert paired_permutation(a, b, rng=rng()).pvalue == pytest.approx(
        stats.ttest_rel(a, b).pvalue, abs=0.01
    )
    far, near = pair(100, effect=9)
    assert paired_permutation(far, near, rng=rng(), resamples=999).pvalue == 0.001


def test_paired_permutation_drops_sources_with_one_score() -> None:
    found = paired_permutation([1.0, 2, 3, NAN], [1.0, 1, 1, 1], rng=rng())
    assert (found.value, found.n, found.dropped) == (1, 3, 1)


def test_paired_permutation_of_a_constant_difference_has_no_interval() -> None:
    found = paired_permutation([2.0, 3, 4], [1.0, 2, 3], rng=rng())
    assert (found.value, found.pvalue) == (1, 0.25)
    assert found.reason == "the same difference on every source: no interval can be estimated"
    assert np.isnan([found.ci.low, found.ci.high]).all()


def test_paired_permutation_of_one_source_is_undefined() -> None:
    assert (
        paired_permutation([1.0], [2.0], rng=rng()).reason == "1 sources have both scores: too few"
    )


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_no_p_is_below_the_smallest_and_unequal_systems_reach_it(n: int) -> None:
    """One system is better on every source: only the given signs and their opposites are as far
    from 0."""
    found = paired_permutation(np.arange(n) + 2.0, np.arange(n), rng=rng())
    assert found.pvalue == smallest_p(n) == 2 / 2**n


def test_sources_without_a_difference_raise_the_smallest_p() -> None:
    """Of five differences three are not 0, so 2 in 8 of the swaps are as far."""
    found = paired_permutation([2.0, 3, 4, 1, 1], [1.0, 1, 1, 1, 1], rng=rng())
    assert found.pvalue == 0.25
    none = paired_permutation([1.0, 2, 3], [1.0, 2, 3], rng=rng())
    assert none.pvalue == 1


def test_drawn_swaps_have_a_smallest_p_of_their_own() -> None:
    far, near = pair(30, effect=9)
    found = paired_permutation(far, near, rng=rng(), resamples=999)
    assert found.pvalue == smallest_p(30, resamples=999) == 0.001


def test_swaps_drawn_in_blocks_are_as_many_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a difference every swap is as extreme: more than 50 of them would make p larger
    than 1."""
    monkeypatch.setattr(_permutation, "_CELLS", 30 * 7)  # seven swaps at once
    same = np.arange(30.0)
    assert paired_permutation(same, same, rng=rng(), resamples=50).pvalue == 1
    assert permuted_p_of_many([same - same], rng=rng(), resamples=50).tolist() == [1]


@pytest.mark.parametrize("sources", [6, 20])
def test_many_studies_are_tested_as_each_alone(
    sources: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    gaps = np.random.default_rng(1).integers(-2, 4, (5, sources)).astype(float)
    each = [paired_permutation(row, row * 0, rng=rng(), resamples=99).pvalue for row in gaps]
    assert permuted_p_of_many(gaps, rng=rng(), resamples=99).tolist() == pytest.approx(each)
    monkeypatch.setattr(_permutation, "_CELLS", 200)  # ten swaps at once
    assert permuted_p_of_many(gaps, rng=rng(), resamples=99).tolist() == pytest.approx(each)
    assert np.isnan(permuted_p_of_many(gaps[:, :1], rng=rng())).tolist() == [True] * 5


def test_holm_over_pairs_raises_the_smallest_p() -> None:
    """With 5 sources nothing can be told apart; 6 pairs need 8 sources, 105 pairs 13."""
    assert smallest_p(5) == 0.0625
    assert smallest_p(5, pairs=3) == 0.1875
    assert smallest_p(3, pairs=10) == 1
    assert smallest_p(1) == 1
    for pairs, n in ((1, 6), (3, 7), (6, 8), (15, 10), (105, 13)):
        assert smallest_p(n, pairs=pairs) < 0.05 <= smallest_p(n - 1, pairs=pairs)


def test_swaps_that_are_equal_but_for_rounding_count() -> None:
    """Differences of thirds: p is that of the same differences as whole numbers."""
    thirds = np.array([1, 2, -1, 3, 1, -2, 1, 1]) / 3
    whole = paired_permutation(thirds * 3, np.zeros(8), rng=rng())
    for scale in (1.0, 1e-6, 1e9):
        assert (
            paired_permutation(thirds * scale + 7 * scale, np.full(8, 7 * scale), rng=rng()).pvalue
            == whole.pvalue
        )


def test_differences_that_are_nothing_but_rounding_are_no_differences() -> None:
    """Of 0.3 - 0.3, 0.1 + 0.2 - 0.3, and four true ones, four can be told apart: p cannot fall
    below 2 / 2^4."""
    first = np.array([0.3, 0.1 + 0.2, 1.0, 2.0, 3.0, 4.0])
    second = np.array([0.3, 0.3, 0.5, 1.0, 1.0, 1.0])
    found = paired_permutation(first, second, rng=np.random.default_rng(0))
    assert found.pvalue == pytest.approx(2 / 2**4)


def test_wilcoxon_is_scipys() -> None:
    a, b = pair(30)
    theirs = stats.wilcoxon(a, b, zero_method="pratt")
    found = wilcoxon(a, b)
    assert (found.statistic, found.pvalue) == (theirs.statistic, theirs.pvalue)
    assert found.value == np.median(a - b)
    gaps = wilcoxon([*a, NAN, 1.0], [*b, 1.0, NAN])
    assert (gaps.pvalue, gaps.n, gaps.dropped) == (found.pvalue, 30, 2)


@pytest.mark.parametrize(
    ("n", "times"),
    [(1, 4), (2, 6), (5, 6), (9, 4), pytest.param(13, 1, marks=pytest.mark.long)],
)
def test_wilcoxon_of_few_sources_with_ties_is_scipys(n: int, times: int) -> None:
    rng = np.random.default_rng(n)
    for a, b in rng.integers(1, 4, size=(times, 2, n)) / 3:
        b[0] = 2
        theirs = stats.wilcoxon(np.round(a - b, 10), zero_method="pratt")
        found = wilcoxon(a, b)
        assert found.statistic == theirs.statistic
        assert found.pvalue == pytest.approx(theirs.pvalue, rel=1e-12)


@pytest.mark.long
def test_wilcoxon_of_fourteen_sources_with_ties_is_scipys_large_sample_p() -> None:
    gap = np.array([1.0, 1, 1, 2, 2, -1, -1, 3, 0, 1, 2, -2, 1, 1])
    theirs = stats.wilcoxon(gap, zero_method="pratt", method="asymptotic")
    assert wilcoxon(gap, np.zeros(14)).pvalue == pytest.approx(theirs.pvalue, rel=1e-12)
    exact = stats.wilcoxon(gap[:13], zero_method="pratt", method=stats.PermutationMethod()).pvalue
    assert wilcoxon(gap[:13], np.zeros(13)).pvalue == pytest.approx(exact, rel=1e-12)


def test_wilcoxon_counts_swaps_of_mid_ranks() -> None:
    """Gaps 0, 1, -1, 2 have the ranks 1, 2.5, 2.5, 4; below stands 2.5. Of the eight swaps of the
    last three the sums 0, 2.5 and 2.5 are as small: p = 2 x 3/8."""
    found = wilcoxon([1.0, 2, 1, 3], [1.0, 1, 2, 1])
    assert (found.statistic, found.pvalue) == (2.5, 0.75)


def test_wilcoxon_of_equal_systems_is_undefined() -> None:
    assert wilcoxon([1.0, 2], [1.0, 2]).reason == "the systems never differ"
    assert wilcoxon([NAN], [1.0]).reason == "no source has both scores"


def test_two_sample_t_is_scipys() -> None:
    a, b = pair(30)
    theirs = stats.ttest_ind(a, b[:20])
    found = two_sample_t(a, [*b[:20], NAN])
    assert (found.statistic, found.pvalue) == pytest.approx(
        (theirs.statistic, theirs.pvalue), rel=1e-12
    )
    assert found.dropped == 1
    assert (found.ci.low, found.ci.high) == pytest.approx(tuple(theirs.confidence_interval()))


def test_two_sample_t_with_one_system_that_never_varies() -> None:
    found = two_sample_t([3.0] * 6, [1.0, 2, 3, 2, 1, 2])
    assert found.value == pytest.approx(7 / 6)
    assert found.ci.low < found.value < found.ci.high
    assert 0 < found.pvalue < 0.01


def test_two_sample_t_where_it_cannot_be() -> None:
    found = two_sample_t([1.0, NAN], [1.0, 2])
    assert (found.reason, found.n, found.dropped) == (
        "1 and 2 scores: two of each are needed",
        3,
        1,
    )
    assert two_sample_t([1.0, 1], [2.0, 2]).reason == "neither system's scores vary"


def test_cliffs_delta_counts_pairs() -> None:
    a, b = pair(12)
    above = np.sign(a[:, None] - b[None, :]).mean()
    assert cliffs_delta(a, b).value == pytest.approx(above)
    assert cliffs_delta([3.0, 4], [1.0, 2]).value == 1
    assert cliffs_delta([1.0, 1], [1.0, 1]).value == 0
    assert cliffs_delta([NAN], [1.0]).reason == "no source has both scores"


def test_the_interval_of_cliffs_delta_leaves_out_each_source_with_both_its_scores() -> None:
    a, b = pair(9)
    a[:4], b[2:6] = np.round(a[:4]), np.round(b[2:6])
    left_out = np.arctanh([delta(np.delete(a, i), np.delete(b, i)) for i in range(9)])
    reach = stats.t.ppf(0.975, 8) * np.sqrt(8 / 9 * ((left_out - left_out.mean()) ** 2).sum())
    middle = np.arctanh(delta(a, b))
    found = cliffs_delta(a, b)
    assert (found.ci.low, found.ci.high) == pytest.approx(np.tanh([middle - reach, middle + reach]))


def delta(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.sign(a[:, None] - b[None, :]).mean())


@pytest.mark.parametrize("sources", [4, 6, 12])
def test_the_interval_of_cliffs_delta_keeps_its_level_with_few_sources(sources: int) -> None:
    """Means of three ratings from 1 to 3; the true delta is that of 4,000 sources."""
    draw = np.random.default_rng(5)

    def scores(n: int) -> np.ndarray:
        questions = draw.normal(size=n) * 0.4 + draw.normal([[2.0], [2.3]], 0.5, (2, n))
        given = questions[..., None] + draw.normal(size=(2, n, 3)) * 0.5
        return np.clip(np.rint(given), 1, 3).mean(axis=2)

    truth = cliffs_delta(*scores(4000)).value
    found = [cliffs_delta(*scores(sources)) for _ in range(400)]
    held = [each.ci.low <= truth <= each.ci.high for each in found if not np.isnan(each.ci.low)]
    assert len(held) > 250
    assert np.mean(held) > 0.94


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ([3.0, 4, 5], [1.0, 2, 2], "every score of one system is above all of the other's"),
        ([3.0, 4, 5], [1.0, 2, 4], "without one of the sources"),
        ([1.0, 3], [2.0, 2], "fewer than three sources"),
        ([1.0, 2, 3], [1.0, 2, 3], "nothing changes it"),
    ],
)
def test_cliffs_delta_says_why_it_has_no_interval(
    first: list[float], second: list[float], why: str
) -> None:
    found = cliffs_delta(first, second)
    assert np.isnan([found.ci.low, found.ci.high]).all()
    assert found.reason.startswith(why)


@settings(deadline=None)
@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_letters_are_shared_exactly_by_what_does_not_differ(n: int, random) -> None:
    differ = {pair for pair in combinations(range(n), 2) if random.random() < 0.4}
    found = letters([random.random() for _ in range(n)], differ)
    for i, j in combinations(range(n), 2):
        assert bool(set(found[i]) & set(found[j])) == ((i, j) not in differ)
    assert all(found)


@pytest.mark.parametrize(
    ("n", "differ", "expected"),
    [
        (3, {(0, 2)}, ["a", "ab", "b"]),
        (4, {(0, 3)}, ["a", "ab", "ab", "b"]),
        (4, {(0, 2), (0, 3), (1, 3)}, ["a", "ab", "bc", "c"]),
        (4, {(0, 1), (2, 3)}, ["ab", "cd", "ac", "bd"]),
        (5, {(0, 1), (1, 3), (2, 4), (0, 4)}, ["a", "bc", "ab", "ad", "cd"]),
    ],
)
def test_letters_of_cases_worked_by_hand(
    n: int, differ: set[tuple[int, int]], expected: list[str]
) -> None:
    """The last by hand: the largest groups without a pair that differs are 023, 12, 14 and 34."""
    found = letters([float(n - i) for i in range(n)], differ)
    assert _groups(found) == _groups(expected)


def _groups(found: list[str]) -> set[frozenset[int]]:
    letters_used = set("".join(found))
    return {frozenset(i for i, own in enumerate(found) if letter in own) for letter in letters_used}


@pytest.mark.parametrize(
    ("n", "differ", "expected"),
    [
        (6, {(0, 4), (0, 5), (1, 5), (2, 5)}, ["a", "ab", "ab", "abc", "bc", "c"]),
        (5, {(0, 1), (2, 3)}, ["ac", "bd", "ab", "cd", "abcd"]),
    ],
)
def test_letters_are_multcompviews(
    n: int, differ: set[tuple[int, int]], expected: list[str]
) -> None:
    """`multcompLetters`, multcompView 0.1-8; 300 random cases gave the same groups."""
    assert _groups(letters([float(n - i) for i in range(n)], differ)) == _groups(expected)


def test_letters_go_on_with_capitals_and_end_with_them() -> None:
    """Of n systems that all differ each has its own letter."""
    for n, last in ((26, "z"), (27, "A"), (52, "Z"), (53, "")):
        found = letters([float(-i) for i in range(n)], set(combinations(range(n), 2)))
        assert found[-1] == last
        assert len(set(found)) == (n if last else 1)


def test_letters_of_systems_in_no_order_are_given_up_soon() -> None:
    random = np.random.default_rng(0)
    differ = {pair for pair in combinations(range(100), 2) if random.random() < 0.5}
    assert set(letters(random.normal(size=100), differ)) == {""}


def test_letters_start_with_the_best() -> None:
    assert letters([1.0, 3.0, 2.0], {(0, 1), (0, 2), (1, 2)}) == ["c", "a", "b"]
    assert letters([1.0, 2.0], set()) == ["a", "a"]


def test_ties_of_means_are_not_broken_by_rounding() -> None:
    # gaps of 1/3, 1/3 and -1/3: ranks 2, 2 and 2
    first, second = (
        [7 / 3, 2.0, 5 / 3],
        [2.0, 5 / 3, 2.0],
    )
    assert len(set(np.abs(np.subtract(first, second)))) > 1
    assert wilcoxon(first, second).statistic == 2.0
    thirds = [1 / 3 + 1 / 3 + 1 / 3, 0.1 + 0.2], [1.0, 0.3]
    assert cliffs_delta(*thirds).value == 0


def test_sources_carrying_are_those_without_which_the_test_finds_nothing() -> None:
    """Of eight equal differences seven give p = 2 / 2^7, six 2 / 2^6 = .031 and five .0625."""
    zero = np.zeros(12)
    gaps = np.append(np.ones(8), np.zeros(4))
    assert sources_carrying(gaps, zero, rng=rng()) == 3
    assert sources_carrying(zero, gaps, rng=rng()) == 3
    assert sources_carrying(gaps, zero, rng=rng(), level=0.02) == 2
    assert sources_carrying(np.append(gaps, 1), np.zeros(13), rng=rng()) is None


def test_sources_carrying_with_clusters_counts_these() -> None:
    gaps = np.append(np.ones(12), np.zeros(8))
    clusters = np.arange(20) // 2
    assert sources_carrying(gaps, gaps * 0, rng=rng(), clusters=clusters) == 1
