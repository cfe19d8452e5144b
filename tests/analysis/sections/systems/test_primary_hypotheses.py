"""The primary hypothesis is tested by the declared test, uncorrected, in the declared direction."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, permutation_test
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from analysis.sections.methods import _hypotheses
from analysis.sections.page import chapters, results_in_words
from analysis.sections.section import Found
from analysis.sections.summary import summarise_run
from analysis.sections.systems.primary_hypotheses import PrimaryHypotheses, primary_in_short
from judging.campaigns.hypotheses import GREATER, HOLM, IN_ORDER, NON_INFERIOR, PrimaryHypothesis
from quaestor_stats._paired_tests import paired_permutation
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance, inputs_of, picked

GAP = rated.drawn(3, 14, 3, seed=8, gap=0.3, taste=0.3)
RANDOM = "sources+annotators"


PAIR = PrimaryHypothesis("clarity", "Alba", "Brisa", GREATER)


def tables(design: str = "sources", level: float = 0.05, **changes: Any) -> dict[str, Any]:
    primary = (replace(PAIR, **changes),)
    return rated.computed(rated.study(GAP, primary=primary, level=level), design)


def several(*primary: PrimaryHypothesis, multiplicity: str) -> list[dict[str, Any]]:
    ratings = rated.drawn(3, 30, 3, seed=8, gap=0.4)
    read = rated.study(ratings, primary=primary, multiplicity=multiplicity)
    return rated.computed(read)["primary_hypotheses"]


def test_primary_fixed_annotators_is_the_uncorrected_permutation_test() -> None:
    found = tables(direction="two_sided", second="Corvo")
    (row,) = found["primary_hypotheses"]
    (pair,) = picked(found["system_comparisons"], test="difference", first="Alba", second="Corvo")
    assert pair["p"] < pair["p_holm"]
    assert (row["value"], row["p_declared"]) == (pair["value"], pair["p"])
    means = GAP.mean(axis=2)
    direct = paired_permutation(means[0], means[2], rng=chance().rng)
    assert row["p_declared"] == pytest.approx(direct.pvalue)


def test_primary_random_annotators_is_the_contrast() -> None:
    found = tables(RANDOM, direction="two_sided")
    (row,) = found["primary_hypotheses"]
    (pair,) = picked(found["system_comparisons"], test="difference", first="Alba", second="Brisa")
    assert row["test"] == "contrast"
    assert (row["value"], row["p_declared"]) == (pair["value"], pair["p"])
    (fixed,) = tables(direction="two_sided")["primary_hypotheses"]
    assert fixed["p_declared"] != row["p_declared"]


def test_primary_one_sided_halves_p_on_the_declared_side_only() -> None:
    (both,) = tables(direction="two_sided")["primary_hypotheses"]
    (right,) = tables()["primary_hypotheses"]
    (wrong,) = tables(first="Brisa", second="Alba")["primary_hypotheses"]
    assert right["p_declared"] == pytest.approx(both["p"] / 2)
    assert wrong["p_declared"] == pytest.approx(1 - both["p"] / 2)
    assert wrong["value"] == -right["value"]
    assert (wrong["low"], wrong["high"]) == (-right["high"], -right["low"])


def test_primary_difference_against_the_declared_direction_gives_p_as_a_lower_bound() -> None:
    found = tables(first="Brisa", second="Alba")
    (row,) = found["primary_hypotheses"]
    means = GAP.mean(axis=2)
    exact = permutation_test(
        (means[1] - means[0],), np.mean, permutation_type="samples", alternative="greater"
    )
    assert row["p_declared"] <= exact.pvalue <= 1
    (sentence,) = primary_in_short(Found(found))
    assert f"p ≥ {row['p_declared']:.3f}".replace("0.", ".") in sentence


def test_primary_low_is_best_the_lower_mean_is_better() -> None:
    read = rated.study(GAP, primary=(PAIR,))
    (criterion,) = read.protocol.criteria
    turned = replace(read.protocol, criteria=(replace(criterion, best="lowest"),))
    (row,) = rated.computed(replace(read, protocol=turned))["primary_hypotheses"]
    assert row["value"] > 0 and row["p_declared"] > 0.5


def test_primary_own_level_decides_significance() -> None:
    (row,) = tables()["primary_hypotheses"]
    p = row["p_declared"]
    (strict,) = tables(level=p / 2)["primary_hypotheses"]
    (mild,) = tables(level=min(0.5, p * 2))["primary_hypotheses"]
    assert (strict["supported"], mild["supported"]) == (False, True)


def test_primary_pair_missing_from_run_says_not_tested() -> None:
    found = Found(tables(second="Zeta"))
    text = " ".join(stored.in_words(PrimaryHypotheses(), found))
    assert "not tested: this run does not compare the two systems" in text


def test_primary_several_by_holm_are_those_of_statsmodels() -> None:
    rows = several(PAIR, replace(PAIR, second="Corvo"), multiplicity=HOLM)
    p = [row["p_declared"] for row in rows]
    assert [row["p_adjusted"] for row in rows] == pytest.approx(
        multipletests(p, method="holm")[1].tolist()
    )


def test_primary_in_order_stops_at_the_first_that_is_not_supported() -> None:
    wrong = replace(PAIR, first="Corvo", second="Alba")
    rows = several(PAIR, wrong, replace(PAIR, second="Corvo"), multiplicity=IN_ORDER)
    p = [row["p_declared"] for row in rows]
    assert p[0] < 0.05 < p[1] and p[2] < 0.05
    assert [row["p_adjusted"] for row in rows] == [p[0], p[1], p[1]]
    assert [row["supported"] for row in rows] == [True, False, False]


def test_primary_non_inferiority_agrees_with_statsmodels() -> None:
    declared = replace(PAIR, first="Brisa", second="Alba", direction=NON_INFERIOR)
    read = rated.study(GAP, primary=(declared,), margins=rated.margin(0.6))
    (row,) = rated.computed(read)["primary_hypotheses"]
    alba, brisa, _ = GAP.mean(axis=2)
    _, above_the_margin, _ = ttost_paired(brisa, alba, -0.6, 0.6)
    assert row["p_declared"] == pytest.approx(above_the_margin[1])
    assert row["margin"] == 0.6
    (sentence,) = primary_in_short(Found(rated.computed(read)))
    assert "“Brisa” is not worse than “Alba” by the margin on clarity (one-sided)" in sentence


def test_primary_non_inferiority_low_is_best_takes_the_other_side() -> None:
    declared = replace(PAIR, first="Brisa", second="Alba", direction=NON_INFERIOR)
    read = rated.study(GAP, primary=(declared,), margins=rated.margin(0.6))
    (criterion,) = read.protocol.criteria
    turned = replace(read.protocol, criteria=(replace(criterion, best="lowest"),))
    (row,) = rated.computed(replace(read, protocol=turned))["primary_hypotheses"]
    alba, brisa, _ = GAP.mean(axis=2)
    _, _, below_the_margin = ttost_paired(brisa, alba, -0.6, 0.6)
    assert row["p_declared"] == pytest.approx(below_the_margin[1])


def of_metrics(hypothesis: PrimaryHypothesis, **tables: Any) -> dict[str, Any]:
    read = rated.study(GAP, primary=(hypothesis,))
    (row,) = PrimaryHypotheses().records(inputs_of(read), stored.found(**tables), chance())
    return row


def test_primary_metric_takes_the_spearman_correlation_at_its_level() -> None:
    level = {"criterion": "clarity", "metric": "BLEU-4", "coefficient": "spearman"}
    levels = [
        {**level, "level": "pooled", "value": 0.3, "low": 0.1, "high": 0.5, "p": 0.02},
        {**level, "level": "systems", "value": 0.9, "p": 0.4},
        {**level, "level": "pooled", "coefficient": "pearson", "value": 0.4, "p": 0.01},
    ]
    metric = PrimaryHypothesis("clarity", "BLEU-4", direction=GREATER, metric_level="pooled")
    row = of_metrics(metric, correlations=levels)
    assert (row["value"], row["p_declared"], row["supported"]) == (0.3, 0.01, True)
    text = " ".join(stored.in_words(PrimaryHypotheses(), stored.found(primary_hypotheses=[row])))
    assert "“BLEU-4” correlates positively with human ratings of clarity (pooled)" in text
    assert "ρ = .30, 95% CI [.10, .50], p = .010; supported" in text
    systems = of_metrics(replace(metric, metric_level="systems"), correlations=levels)
    assert (systems["value"], systems["p_declared"]) == (0.9, 0.2)


def test_primary_two_metrics_takes_their_difference_in_the_declared_order() -> None:
    pair = {"criterion": "clarity", "better": "METEOR", "other": "BLEU-4", "level": "pooled"}
    differences = [
        {**pair, "coefficient": "spearman", "value": 0.1, "low": 0.02, "high": 0.18, "p": 0.02},
        {**pair, "level": "systems", "coefficient": "spearman", "value": 0.4, "p": 0.3},
    ]
    expected = PrimaryHypothesis("clarity", "METEOR", "BLEU-4", GREATER, "pooled")
    right = of_metrics(expected, metric_comparisons=differences)
    assert (right["value"], right["p_declared"], right["supported"]) == (0.1, 0.01, True)
    wrong = of_metrics(
        replace(expected, first="BLEU-4", second="METEOR"), metric_comparisons=differences
    )
    assert (wrong["value"], wrong["low"], wrong["high"]) == (-0.1, -0.18, -0.02)
    assert wrong["p_declared"] == pytest.approx(0.99)
    text = " ".join(stored.in_words(PrimaryHypotheses(), stored.found(primary_hypotheses=[right])))
    assert "“METEOR” correlates more strongly than “BLEU-4” with human ratings of clarity" in text


def test_primary_two_metrics_without_a_comparison_says_why() -> None:
    asked = PrimaryHypothesis("clarity", "METEOR", "BLEU-4", GREATER, "pooled")
    row = of_metrics(asked, metric_comparisons=[])
    assert (row["p_declared"], row["supported"]) == (None, False)
    assert (
        row["reason"] == "this run does not compare the two metrics on this criterion at this level"
    )


def test_primary_declared_everything_else_is_marked_exploratory() -> None:
    found = Found(tables())
    shown = {each.key: each.mark for each in chapters(found, [])}
    assert shown["primary"] == "" and shown["systems"] == "exploratory"
    said = {each["about"]: each["text"] for each in results_in_words(found)}
    assert next(iter(said)) == "Primary hypotheses"
    assert "all other tests are exploratory." in said["Primary hypotheses"]
    methods = " ".join(_hypotheses(found))
    assert "“Alba” is better than “Brisa” on clarity (one-sided)." in methods
    assert "It was tested at the 5% level without a correction" in methods


def test_primary_none_declared_methods_call_all_tests_exploratory() -> None:
    found = Found(rated.computed(rated.study(GAP)))
    assert found.of(PrimaryHypotheses) == []
    assert {each.mark for each in chapters(found, [])} == {""}
    assert "No primary hypothesis was declared" in " ".join(_hypotheses(found))


def test_methods_several_criteria_name_the_missing_correction() -> None:
    criteria = [stored.criterion(key, averaged=True) for key in ("clarity", "form")]
    found = stored.found(criteria=criteria, system_comparisons=[{"criterion": "clarity"}])
    found.documents["primary_hypotheses"] = []  # type: ignore[index]
    assert "corrected within each criterion, not across the 2 criteria." in " ".join(
        _hypotheses(found)
    )


@pytest.mark.long
def test_primary_systems_equal_keeps_its_level() -> None:
    studies, significant = 300, {"greater": 0, "two_sided": 0}
    for seed in range(studies):
        ratings = rated.drawn(3, 12, 3, seed=seed)
        for direction in significant:
            read = rated.study(ratings, primary=(replace(PAIR, direction=direction),))
            (row,) = rated.computed(read, mixed_model="never")["primary_hypotheses"]
            significant[direction] += row["supported"]
    for count in significant.values():
        assert binomtest(count, studies).proportion_ci(method="exact").low <= 0.07
        assert count > 0.02 * studies


@pytest.mark.parametrize(
    ("level", "verdict"), [(0.5, "supported"), (1e-9, "not supported")], ids=["mild", "strict"]
)
def test_summary_primary_hypothesis_comes_first_with_its_result(level: float, verdict: str) -> None:
    found = tables(level=level)
    (row,) = found["primary_hypotheses"]

    first, *others = summarise_run(Found(found)).parts

    assert (first.chapter, first.about) == ("primary", "Declared results")
    assert first.text.startswith("“Alba” is better than “Brisa” on clarity (one-sided): ")
    assert f"difference {row['value']:+.2f}, 95% CI [" in first.text
    assert f"; {verdict}." in first.text
    assert [part.chapter for part in others] == ["systems"]


def test_summary_primary_hypothesis_without_a_test_says_why() -> None:
    first, *_ = summarise_run(Found(tables(second="Zeta"))).parts

    assert first.chapter == "primary"
    assert "not tested: this run does not compare the two systems on this criterion." in first.text
