"""Wilcoxon's signed ranks: by hand, by all signs counted out, and beside scipy."""

import random
from itertools import product

import pytest
from scipy import stats

from judging.quality.quality import Checked
from judging.quality.signed_ranks import one_sided_p


def counted_out(differences: list[int]) -> float:
    """Give the ranks every sign in turn; the second road to the same share."""
    told = [each for each in differences if each]
    ranks = stats.rankdata([abs(each) for each in told])
    seen = sum(rank for rank, each in zip(ranks, told, strict=True) if each < 0)
    signs = list(product((0, 1), repeat=len(told)))
    return sum(
        sum(r for r, s in zip(ranks, own, strict=True) if s) >= seen - 1e-9 for own in signs
    ) / len(signs)


def test_five_copies_by_hand():
    """All lower: 1 of 32. The largest higher: ranks 1 to 4 make 10, which 10 of 32 choices reach."""
    assert one_sided_p([-1, -2, -3, -4, -5]) == pytest.approx(1 / 32)
    assert one_sided_p([-1, -2, -3, -4, 5]) == pytest.approx(10 / 32)
    assert one_sided_p([1, -2, -3, -4, -5]) == pytest.approx(2 / 32)


def test_shared_ranks_by_hand():
    """-1, -1, 1 share rank 2: two or more of three tosses negative, 4 of 8; zeros are omitted."""
    assert one_sided_p([0, -1, -1, 1, 0]) == pytest.approx(4 / 8)
    assert one_sided_p([0, 0]) == 1
    assert one_sided_p([]) is None


def test_exact_share_is_that_of_all_signs_and_of_scipy():
    chance = random.Random(3)
    for n in (3, 6, 9, 12):
        tied = [chance.randint(-4, 2) for _ in range(n)]
        if any(tied):
            assert one_sided_p(tied) == pytest.approx(counted_out(tied))
        untied = [size * chance.choice((-1, -1, 1)) for size in range(1, n + 1)]
        theirs = stats.wilcoxon(untied, alternative="less", method="exact").pvalue
        assert one_sided_p(untied) == pytest.approx(theirs)


def test_beyond_fifty_copies_it_is_the_normal_approximation_of_scipy():
    chance = random.Random(4)
    many = [chance.randint(-5, 4) or -1 for _ in range(120)]
    theirs = stats.wilcoxon(many, alternative="less", method="approx", correction=True).pvalue
    assert one_sided_p(many) == pytest.approx(theirs, rel=1e-6)


def test_ranks_weigh_by_how_much_copies_score_lower():
    """Four of five lower: the sign test gives 6 of 32 for any rank of the fifth, the rank test does
    not."""
    near, far = (
        Checked(differences=differences)
        for differences in ([-5, -4, -3, -2, 1], [-1, -2, -3, -4, 5])
    )
    assert near.p == far.p == pytest.approx(6 / 32)
    assert (near.p_of_ranks, far.p_of_ranks) == (pytest.approx(2 / 32), pytest.approx(10 / 32))
