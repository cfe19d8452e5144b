"""A report's sentences claim what its tables hold, and no more."""

import pytest

from analysis.reports.sentences import best_of, in_short
from tests.analysis.reports.results import (
    aggregate,
    agreement,
    criterion,
    estimate,
    lead,
    mean,
    returned,
    rho,
    spread,
    tables,
)


def said(subject: str, **changes) -> str:
    """Return the paragraph on a subject; empty where there is none."""
    return next((row["text"] for row in in_short(tables(**changes)) if row["about"] == subject), "")


@pytest.mark.parametrize(("origin", "word"), [("simulated", "not by people"), ("imported", "not collected here")])
def test_origin_that_is_not_people_here_is_said_first(origin, word):
    found = in_short(tables(about={"origin": origin, "judgments": 12}))
    assert found[0]["about"] == "Origin"
    assert word in found[0]["text"]


def test_ratings_by_people_here_need_no_word_on_their_origin():
    assert said("Origin") == ""


def test_nothing_judged_is_said():
    assert "Nothing has been judged" in said("Origin", about={"origin": "judged", "judgments": 0})


def test_agreement_lists_alphas_from_the_highest_with_their_intervals():
    rows = agreement(estimate(0.4, 0.3, 0.5)) + agreement(estimate(0.7, 0.6, 0.8), key="depth")
    text = said("Agreement", agreement=rows, criteria=[criterion(), criterion("depth")])
    assert text == "Krippendorff's alpha is 0.70 (0.60 to 0.80) on depth and 0.40 (0.30 to 0.50) on clarity."


def test_agreement_on_two_points_is_told_by_the_nominal_alpha():
    rows = agreement(estimate(0.2, 0.1, 0.3)) + agreement(estimate(0.6, 0.5, 0.7), level="nominal")
    text = said("Agreement", agreement=rows, criteria=[criterion(points=[[0, "no"], [1, "yes"]])])
    assert text == "Krippendorff's alpha is 0.60 (0.50 to 0.70) on clarity."


def test_agreement_that_is_undefined_comes_with_its_reason():
    rows = agreement(estimate(None) | {"reason": "only one annotator"})
    assert said("Agreement", agreement=rows) == "On clarity alpha is undefined: only one annotator."


@pytest.mark.parametrize(
    ("low", "high", "word"), [(-0.3, -0.1, "less than chance"), (-0.1, 0.2, "the interval holds 0")]
)
def test_agreement_no_better_than_chance_is_said(low, high, word):
    assert word in said("Agreement", agreement=agreement(estimate((low + high) / 2, low, high)))


def test_skewed_ratings_explain_a_low_alpha():
    rows = agreement(estimate(0.2, 0.1, 0.3), equal=0.86)
    text = said("Agreement", agreement=rows, distributions=spread(3, 4, 93))
    assert "93 % of ratings on clarity are 3 (“yes”), so alpha is low by construction; 86 % of pairs" in text
    assert "construction" not in said("Agreement", agreement=rows, distributions=spread(30, 30, 40))


def test_skewed_ratings_with_perfect_alpha_need_no_excuse():
    rows = agreement(estimate(1.0, 1.0, 1.0), equal=1.0)
    assert "construction" not in said("Agreement", agreement=rows, distributions=spread(3, 4, 93))


def test_best_system_is_told_with_how_far_the_others_are():
    apart = [mean("a", 2.8, 2.7, 2.9), mean("b", 2.1, 2.0, 2.2)]
    assert (
        said("Systems", systems=apart) == "a has the best mean on clarity (2.80, 2.70 to 2.90, apart from all others)."
    )
    near = [mean("a", 2.8, 2.7, 2.9), mean("b", 2.6, 2.5, 2.75), mean("c", 1.0, 0.9, 1.1)]
    assert "overlapping with b)" in said("Systems", systems=near)


def test_best_system_is_told_apart_by_letters_where_pairs_were_tested():
    rows = [mean("a", 2.8, 2.7, 2.9), mean("b", 2.7, 2.6, 2.8), mean("c", 2.6, 2.5, 2.7)]
    letters = [
        {"criterion": "clarity", "system": s, "letters": held} for s, held in zip("abc", ["a", "ab", "b"], strict=True)
    ]
    assert "not told apart from b)" in said("Systems", systems=rows, groups=letters)
    letters[1]["letters"] = "b"
    assert "told apart from all others)" in said("Systems", systems=rows, groups=letters)


def test_systems_of_equal_means_share_the_place():
    rows = [mean("a", 2.751, 2.7, 2.8), mean("b", 2.749, 2.7, 2.8), mean("c", 1.0, 0.9, 1.1)]
    assert said("Systems", systems=rows) == "a and b share the best mean on clarity (2.75)."


def test_low_values_that_are_best_are_said_to_be():
    rows = [mean("a", 2.8, 2.7, 2.9), mean("b", 2.1, 2.0, 2.2)]
    text = said("Systems", systems=rows, criteria=[criterion(best="lowest")])
    assert text.startswith("Low values are best here. b has the best mean")


def test_one_system_has_nobody_to_be_better_than():
    assert said("Systems", systems=[mean("a", 2.8, 2.7, 2.9)]) == ""


def test_criteria_without_best_end_have_no_best_system():
    rows = [mean("a", 2.8), mean("b", 2.1)]
    assert said("Systems", systems=rows, criteria=[criterion(best="none")]) == ""


def test_missing_questions_that_change_who_is_best_are_told():
    rows = [
        aggregate("a", 1.9, key="clarity", mean_expected=1.9, mean_returned=1.9),
        aggregate("b", 1.2, key="clarity", mean_expected=1.2, mean_returned=2.8),
    ]
    counts = [returned("a", 10, 10), returned("b", 10, 2)]
    text = said("Protocol", aggregates=rows, returned=counts)
    assert text == (
        "8 questions are missing. Counting them as the protocol does changes who is best: a instead of b on clarity."
    )
    assert said("Protocol", aggregates=[*rows[:1], rows[0] | {"system": "b"}], returned=counts) == ""


def test_readings_that_rank_differently_are_told_with_their_rankings():
    rows = [aggregate("a", 5), aggregate("b", 4), aggregate("a", 3, reading="as_released")]
    text = said("Protocol", aggregates=[*rows, aggregate("b", 4, reading="as_released")])
    assert "depends on how the protocol's rules are read" in text
    assert "best first, a › b in 1 and b › a in 1." in text


def test_readings_that_rank_alike_are_told_with_ties():
    rows = [aggregate(system, 5, reading=reading) for system in "ab" for reading in ("by_protocol", "as_released")]
    assert said("Protocol", aggregates=rows) == (
        "All 2 readings of the protocol's rules rank the systems alike, best first: a = b."
    )


def test_no_metric_follows_when_no_interval_is_above_zero():
    rows = [rho("bleu", 0.0), rho("meteor", -0.05, -0.2, 0.1)]
    assert said("Metrics", correlations=rows) == (
        "No metric can be said to follow clarity: none has an interval over sources above 0 "
        "(Spearman's rho −0.05 to 0.00)."
    )


def test_metrics_of_equal_rho_share_the_lead():
    rows = [rho("bleu", 0.9701, 0.9, 0.99), rho("rouge", 0.9699, 0.9, 0.99), rho("meteor", 0.5, 0.4, 0.6)]
    assert said("Metrics", correlations=rows) == (
        "No single metric follows clarity best: bleu and rouge share the highest Spearman's rho (0.97)."
    )


@pytest.mark.parametrize(("p", "word"), [(0.01, "is more than chance"), (0.31, "could be chance")])
def test_lead_of_the_best_metric_is_told_with_its_p(p, word):
    rows = [rho("bleu", 0.4, 0.3, 0.5), rho("meteor", 0.2, 0.1, 0.3)]
    text = said("Metrics", correlations=rows, differences=[lead("bleu", "meteor", 0.2, p)])
    assert text.startswith(
        "bleu follows clarity best (Spearman's rho 0.40, 0.30 to 0.50); its lead over meteor " + word
    )
    assert f"(p = {str(p).removeprefix('0')}" in text


def test_undefined_correlations_come_with_their_reason():
    rows = [rho("bleu", None) | {"reason": "all ratings are equal"}]
    assert said("Metrics", correlations=rows) == "How metrics follow clarity is undefined: all ratings are equal."


def test_no_sentence_grades_a_number():
    rows = agreement(estimate(0.7, 0.6, 0.8))
    text = " ".join(row["text"] for row in in_short(tables(agreement=rows, correlations=[rho("bleu", 0.8, 0.7, 0.9)])))
    assert not any(word in text for word in ("substantial", "moderate", "strong", "good", "poor", "significant"))


def test_best_of_takes_ties_at_two_decimals_and_leaves_out_the_undefined():
    assert best_of({"a": 1.004, "b": 1.0, "c": None, "d": 0.5}, best="highest") == ["a", "b"]
    assert best_of({"a": 1.0, "b": 2.0}, best="lowest") == ["a"]
    assert best_of({"a": 1.0, "b": None}, best="highest") == []
