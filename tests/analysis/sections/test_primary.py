"""The primary hypothesis is tested by the declared test, uncorrected, in the declared direction."""

from dataclasses import replace
from typing import Any

import pytest
from scipy.stats import binomtest

from analysis.sections.methods import _hypotheses
from analysis.sections.page import chapters, results_in_words
from analysis.sections.primary import PrimaryHypotheses
from analysis.sections.section import Found
from analysis.sections.summary import summary_of
from quaestor_stats._paired_tests import paired_permutation
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance, inputs_of, picked

GAP = rated.drawn(3, 14, 3, seed=8, gap=0.3, taste=0.3)
RANDOM = "sources+annotators"


def primary(**changes: Any) -> dict[str, Any]:
    declared = {"criterion": "clarity", "first": "Alba", "second": "Brisa", "level": 0.05}
    return {**declared, "direction": "greater", **changes}


def tables(design: str = "sources", **changes: Any) -> dict[str, Any]:
    return rated.computed(rated.study(GAP, primary=primary(**changes)), design)


def test_primary_fixed_annotators_is_the_uncorrected_permutation_test() -> None:
    found = tables(direction="two_sided", second="Corvo")
    (row,) = found["primary_hypothesis"]
    (pair,) = picked(found["comparisons"], test="difference", first="Alba", second="Corvo")
    assert pair["p"] < pair["p_holm"]
    assert (row["value"], row["p_declared"]) == (pair["value"], pair["p"])
    means = GAP.mean(axis=2)
    direct = paired_permutation(means[0], means[2], rng=chance().rng)
    assert row["p_declared"] == pytest.approx(direct.pvalue)


def test_primary_random_annotators_is_the_contrast() -> None:
    found = tables(RANDOM, direction="two_sided")
    (row,) = found["primary_hypothesis"]
    (pair,) = picked(found["comparisons"], test="difference", first="Alba", second="Brisa")
    assert row["test"] == "contrast"
    assert (row["value"], row["p_declared"]) == (pair["value"], pair["p"])
    (fixed,) = tables(direction="two_sided")["primary_hypothesis"]
    assert fixed["p_declared"] != row["p_declared"]


def test_primary_one_sided_halves_p_on_the_declared_side_only() -> None:
    (both,) = tables(direction="two_sided")["primary_hypothesis"]
    (right,) = tables()["primary_hypothesis"]
    (wrong,) = tables(first="Brisa", second="Alba")["primary_hypothesis"]
    assert right["p_declared"] == pytest.approx(both["p"] / 2)
    assert wrong["p_declared"] == pytest.approx(1 - both["p"] / 2)
    assert wrong["value"] == -right["value"]
    assert (wrong["low"], wrong["high"]) == (-right["high"], -right["low"])


def test_primary_low_is_best_the_lower_mean_is_better() -> None:
    read = rated.study(GAP, primary=primary())
    (criterion,) = read.rubric.criteria
    turned = replace(read.rubric, criteria=(replace(criterion, best="lowest"),))
    (row,) = rated.computed(replace(read, rubric=turned))["primary_hypothesis"]
    assert row["value"] > 0 and row["p_declared"] > 0.5


def test_primary_own_level_decides_significance() -> None:
    (row,) = tables()["primary_hypothesis"]
    p = row["p_declared"]
    (strict,) = tables(level=p / 2)["primary_hypothesis"]
    (mild,) = tables(level=min(0.5, p * 2))["primary_hypothesis"]
    assert (strict["significant"], mild["significant"]) == (False, True)


def test_primary_pair_missing_from_run_says_not_tested() -> None:
    found = Found(tables(second="Zeta"))
    text = " ".join(stored.in_words(PrimaryHypotheses(), found))
    assert "It is not tested: this run does not compare the two systems" in text


def test_primary_metric_takes_the_pooled_spearman_correlation() -> None:
    level = {"criterion": "clarity", "metric": "BLEU-4", "coefficient": "spearman"}
    levels = [
        {**level, "level": "pooled", "value": 0.3, "low": 0.1, "high": 0.5, "p": 0.02},
        {**level, "level": "systems", "value": 0.9, "p": 0.4},
        {**level, "level": "pooled", "coefficient": "pearson", "value": 0.4, "p": 0.01},
    ]
    read = rated.study(GAP, primary=primary(first="", second="", metric="BLEU-4"))
    found = stored.found(levels=levels)
    (row,) = PrimaryHypotheses().records(inputs_of(read), found, chance())
    assert (row["value"], row["p_declared"], row["significant"]) == (0.3, 0.01, True)
    text = " ".join(stored.in_words(PrimaryHypotheses(), stored.found(primary_hypothesis=[row])))
    assert "Spearman's ρ .30, 95% CI [.10, .50]" in text


def test_primary_declared_everything_else_is_marked_exploratory() -> None:
    found = Found(tables())
    shown = {each.key: each.mark for each in chapters(found, [])}
    assert shown["primary"] == "" and shown["systems"] == "exploratory"
    said = {each["about"]: each["text"] for each in results_in_words(found)}
    assert next(iter(said)) == "Primary hypothesis"
    assert "All other tests are exploratory." in said["Primary hypothesis"]
    assert "“Alba” is better than “Brisa” on clarity (one-sided, 5% level)" in " ".join(
        _hypotheses(found)
    )


def test_primary_none_declared_methods_call_all_tests_exploratory() -> None:
    found = Found(rated.computed(rated.study(GAP)))
    assert found.of(PrimaryHypotheses) == []
    assert {each.mark for each in chapters(found, [])} == {""}
    assert "No primary hypothesis was declared" in " ".join(_hypotheses(found))


def test_methods_several_criteria_name_the_missing_correction() -> None:
    criteria = [stored.criterion(key, averaged=True) for key in ("clarity", "form")]
    found = stored.found(criteria=criteria, comparisons=[{"criterion": "clarity"}])
    found.documents["primary_hypothesis"] = []  # type: ignore[index]
    assert "corrected within each criterion, not across the 2 criteria." in " ".join(
        _hypotheses(found)
    )


@pytest.mark.long
def test_primary_systems_equal_keeps_its_level() -> None:
    studies, significant = 300, {"greater": 0, "two_sided": 0}
    for seed in range(studies):
        ratings = rated.drawn(3, 12, 3, seed=seed)
        for direction in significant:
            read = rated.study(ratings, primary=primary(direction=direction))
            (row,) = rated.computed(read, mixed_model="never")["primary_hypothesis"]
            significant[direction] += row["significant"]
    for count in significant.values():
        assert binomtest(count, studies).proportion_ci(method="exact").low <= 0.07
        assert count > 0.02 * studies


@pytest.mark.parametrize(
    ("level", "verdict"), [(0.5, "supported"), (1e-9, "not supported")], ids=["mild", "strict"]
)
def test_summary_primary_hypothesis_comes_first_with_its_result(level: float, verdict: str) -> None:
    found = tables(level=level)
    (row,) = found["primary_hypothesis"]

    first, *others = summary_of(Found(found)).parts

    assert (first.chapter, first.about) == ("primary", "Primary hypothesis")
    assert first.text.startswith("“Alba” is better than “Brisa” on clarity (one-sided, ")
    assert f"difference of means {row['value']:+.2f}, 95% CI [" in first.text
    assert f"; {verdict}." in first.text
    assert [part.chapter for part in others] == ["systems"]


def test_summary_primary_hypothesis_about_a_metric_gives_its_correlation() -> None:
    row = {
        "criterion": "clarity",
        "metric": "METEOR",
        "direction": "greater",
        "level": 0.05,
        "test": "pooled Spearman correlation",
        "value": 0.34,
        "low": 0.05,
        "high": 0.58,
        "p_declared": 0.012,
        "significant": True,
    }

    first, *_ = summary_of(stored.found(primary_hypothesis=[row])).parts

    assert "“METEOR” correlates positively with human ratings of clarity" in first.text
    assert "Spearman's ρ .34, 95% CI [.05, .58]" in first.text
    assert "p = .012; supported." in first.text


def test_summary_primary_hypothesis_without_a_test_says_why() -> None:
    first, *_ = summary_of(Found(tables(second="Zeta"))).parts

    assert first.chapter == "primary"
    assert "not tested: this run does not compare the two systems on this criterion." in first.text
