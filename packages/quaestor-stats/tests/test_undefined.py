"""What cannot be had says why, how many units it would rest on and how many were left out; counted
by hand."""

from collections.abc import Callable
from math import isnan, nan

import numpy as np
import pytest

from quaestor_stats._alpha import krippendorff_alpha
from quaestor_stats._alternative_annotator import alternative_test
from quaestor_stats._cohen_kappa import cohen_kappa
from quaestor_stats._correlation import correlate_columns
from quaestor_stats._fleiss import conger_kappa, fleiss_kappa
from quaestor_stats._gwet import gwet_ac
from quaestor_stats._human_ceiling import ceiling_of_arrays
from quaestor_stats._icc import intraclass
from quaestor_stats._llm_judges import bias_by_system, compare_judge, severity_of
from quaestor_stats._paired_tests import cliffs_delta, paired_permutation, two_sample_t, wilcoxon
from quaestor_stats._percent_agreement import percent_agreement
from quaestor_stats._prediction_powered import corrected_mean
from quaestor_stats._repeatability import cv_star, order_kept
from quaestor_stats._result import Result
from quaestor_stats._system_means import system_means
from quaestor_stats._tie_calibration import pairwise_accuracy
from quaestor_stats._williams import williams

LONE = [[1, nan], [nan, 2], [nan, nan]]  # nobody shares a unit
ALIKE = [[1, 1], [1, 1], [1, 1], [1, nan]]  # three units with two ratings, of one value
SCALE = [1, 2, 3]
GAP = [1.0, 2, 3, nan]  # three of four items
FEW = [3.0, 1, nan, 2]  # with `GAP` two of four
FLAT = [2.0, 2, 2, nan, 2, 2, 2]  # six of seven items
MANY = [1.0, 2, 3, 4, 5, 6, 7]


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def ceiling(ratings: list[list[float]], **how: str) -> Result:
    """The ceiling of annotators in columns, of questions in rows, four systems on each source."""
    table = np.array(ratings, dtype=float)
    question, annotator = np.indices(table.shape)
    return ceiling_of_arrays(
        table.ravel(),
        systems=(question % 4).ravel(),
        sources=(question // 4).ravel(),
        annotators=annotator.ravel(),
        **how,
    )


# how it is asked for; units, units left out; what it is, why it cannot be had
CASES: dict[str, tuple[Callable[[], Result], int, int, str, str]] = {
    "alpha": (
        lambda: krippendorff_alpha(ALIKE, level="ordinal"),
        3,
        1,
        "Krippendorff's alpha, ordinal",
        "every rating has the same value: agreement cannot be told from chance",
    ),
    "alpha, many values": (
        lambda: krippendorff_alpha(ALIKE, level="ratio", scale=np.arange(60)),
        3,
        1,
        "Krippendorff's alpha, ratio",
        "every rating has the same value: agreement cannot be told from chance",
    ),
    "alpha, nobody shares a unit": (
        lambda: krippendorff_alpha(LONE, level="nominal"),
        0,
        3,
        "Krippendorff's alpha, nominal",
        "no unit has two ratings",
    ),
    "percent": (
        lambda: percent_agreement(LONE),
        0,
        3,
        "percent agreement, pairs of raters within units",
        "no unit has two ratings",
    ),
    "Gwet": (lambda: gwet_ac(LONE, scale=SCALE), 0, 3, "Gwet's AC1", "no unit has two ratings"),
    "Fleiss": (
        lambda: fleiss_kappa(ALIKE, scale=SCALE),
        3,
        1,
        "Fleiss' kappa, unweighted, unequal raters after Gwet; unit jackknife-t, 95%",
        "every rating has the same value: agreement cannot be told from chance",
    ),
    "Conger": (
        lambda: conger_kappa(ALIKE),
        3,
        1,
        "Conger's kappa, unweighted; unit jackknife-t, 95%",
        "every rating has the same value: agreement cannot be told from chance",
    ),
    "Conger, nobody shares a unit": (
        lambda: conger_kappa(LONE),
        0,
        3,
        "Conger's kappa, unweighted",
        "no unit has two ratings",
    ),
    "Cohen": (
        lambda: cohen_kappa(*np.transpose(ALIKE), scale=SCALE),
        3,
        1,
        "Cohen's kappa, unweighted",
        "both raters gave one and the same value throughout",
    ),
    "Cohen, nothing shared": (
        lambda: cohen_kappa(*np.transpose(LONE), scale=SCALE),
        0,
        3,
        "Cohen's kappa, unweighted",
        "the two raters share no unit",
    ),
    "ICC, one unit": (
        lambda: intraclass([[1, 2], [nan, 2], [1, nan]])["1,1"],
        1,
        2,
        "ICC(1,1), k = 2",
        "1 units judged by all of 2 rater(s): two of each are needed",
    ),
    "ICC, one value": (
        lambda: intraclass(ALIKE)["2,k"],
        3,
        1,
        "ICC(2,k), k = 2",
        "the ratings do not vary between units and within them: nothing to divide",
    ),
    "ICC, nothing above the residual": (
        lambda: intraclass([[1, 2], [2, 1], [1, nan]])["1,k"],
        2,
        1,
        "ICC(1,k), k = 2",
        "the units differ less than their ratings do: nothing to divide by",
    ),
    "ceiling, nobody shares a question": (
        lambda: ceiling([[1, nan], [nan, 2]]),
        0,
        0,
        "Spearman's rho of one annotator with the mean of the others, over all questions",
        "no question has ratings of two annotators",
    ),
    "ceiling, two systems": (
        lambda: ceiling([[1, 2, 1], [2, 1, 2], *[[nan] * 3] * 2, [1, 1, 2]], level="systems"),
        2,
        3,
        "Spearman's rho of one annotator with the mean of the others, across the systems' means",
        "nobody shares 3 systems with others: a correlation of two tells nothing",
    ),
    "ceiling, nobody varies": (
        lambda: ceiling([[1, 2, 3]] * 8, level="pooled"),
        2,
        3,
        "Spearman's rho of one annotator with the mean of the others, over all questions",
        "no annotator's ratings vary with others'",
    ),
    "permutation": (
        lambda: paired_permutation([1.0, nan, nan], [2.0, 2, 3], rng=rng()),
        1,
        2,
        "paired permutation over sources",
        "1 sources have both scores: too few",
    ),
    "Wilcoxon, never different": (
        lambda: wilcoxon(GAP, GAP),
        3,
        1,
        "Wilcoxon signed-rank, zeros after Pratt",
        "the systems never differ",
    ),
    "Wilcoxon, nothing shared": (
        lambda: wilcoxon([nan, 1.0], [1.0, nan]),
        0,
        2,
        "Wilcoxon signed-rank, zeros after Pratt",
        "no source has both scores",
    ),
    "t, one score": (
        lambda: two_sample_t([1.0, nan, nan], [1.0, 2, 3]),
        4,
        2,
        "two-sample t, equal variances",
        "1 and 3 scores: two of each are needed",
    ),
    "t, no variance": (
        lambda: two_sample_t([1.0, 1, nan], [2.0, 2, 2]),
        5,
        1,
        "two-sample t, equal variances",
        "neither system's scores vary",
    ),
    "Cliff": (
        lambda: cliffs_delta([nan, 1.0], [1.0, nan]),
        0,
        2,
        "Cliff's delta",
        "no source has both scores",
    ),
    "correlation, few items": (
        lambda: correlate_columns(GAP, FEW),
        2,
        2,
        "Spearman's rho",
        "2 items have both scores: too few",
    ),
    "correlation, one value": (
        lambda: correlate_columns(MANY, FLAT),
        6,
        1,
        "Spearman's rho",
        "the second score is the same for every item",
    ),
    "Williams": (
        lambda: williams(0.1, 0.2, 0.3, 3),
        3,
        0,
        "Williams' test, two-sided",
        "3 items: the test needs 4",
    ),
    "Williams, the same metric": (
        lambda: williams(0.5, 0.5, 1.0, 30),
        30,
        0,
        "Williams' test, two-sided",
        "the two metrics order the items alike: nothing to test",
    ),
    "CV*": (
        lambda: cv_star([1.0, 2, nan], lowest=0),
        3,
        0,
        "CV*",
        "a study has no score of this system",
    ),
    "CV*, lowest": (
        lambda: cv_star([1.0, 1], lowest=1),
        2,
        0,
        "CV*",
        "every score is the scale's lowest point",
    ),
    "order of two systems": (
        lambda: order_kept(*[(np.eye(2, 5),) * 2] * 2, rng=rng()),
        2,
        0,
        "Spearman over systems; 95% of redrawn sources",
        "2 systems: too few to compare their order",
    ),
    "order of equal systems": (
        lambda: order_kept(*[(np.ones((4, 5)),) * 2] * 2, rng=rng()),
        4,
        0,
        "Spearman over systems; 95% of redrawn sources",
        "in one study all systems have the same mean",
    ),
    "judge follows nobody": (
        lambda: compare_judge([[1, nan], [2, nan]], [1, 2]).judge,
        0,
        0,
        "Spearman's rho of the judge with the mean of people but one",
        "no item has the judge and two people",
    ),
    "judge does not vary": (
        lambda: compare_judge([[1, 2], [2, 2], [3, 1], [1, nan]], [2, 2, 2, 2]).judge,
        3,
        0,
        "Spearman's rho of the judge with the mean of people but one",
        "the judge's values, or people's, do not vary",
    ),
    "judge shares nothing": (
        lambda: severity_of([[1], [nan]], [nan, 2]),
        0,
        0,
        "mean of the judge minus people",
        "the judge and people share no items",
    ),
    "bias, one system": (
        lambda: bias_by_system([[1], [2]], [1, 2], systems=["a", "a"], sources=[0, 1])["a"],
        0,
        0,
        "judge minus people on this system, minus the same on the others",
        "the judge and people share no items of this system, or none of others",
    ),
    "correction, every item judged": (
        lambda: corrected_mean(MANY, MANY).people,
        7,
        0,
        "mean of the judge, corrected by people where they judged",
        "people judged every item of the judge: nothing is left to predict",
    ),
    "alternative, nobody has enough items": (
        lambda: alternative_test([[1, 2, 1]] * 9, [1] * 9, level="ordinal", epsilon=0.1).advantage,
        0,
        0,
        "average advantage probability, mean over people",
        "nobody can be compared with the judge",
    ),
    "means of a system without scores": (
        lambda: system_means([nan, nan, 1.0], systems=list("aab"), sources=[1, 2, 1])["a"],
        0,
        2,
        "mean of question scores, sources as units",
        "no question has a score",
    ),
    "accuracy": (
        lambda: pairwise_accuracy([nan, 1.0, 2], [1.0, nan, 2]).accuracy,
        0,
        2,
        "pairwise accuracy",
        "no pair of items to compare",
    ),
    "accuracy held out": (
        lambda: pairwise_accuracy([nan, 1.0, 2], [1.0, nan, 2]).held_out,
        0,
        2,
        "pairwise accuracy",
        "no pair of items to compare",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_cannot_be_had_says_why_and_counts_its_units_and_those_left_out(name: str) -> None:
    asked, n, dropped, method, reason = CASES[name]
    found = asked()
    assert isnan(found.value)
    assert (found.n, found.dropped) == (n, dropped)
    assert (found.method, found.reason) == (method, reason)
