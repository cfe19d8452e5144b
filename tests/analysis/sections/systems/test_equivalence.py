"""Equivalence within the declared margin, by the test that compares the systems."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from analysis.sections.methods import _hypotheses
from analysis.sections.section import Found
from analysis.sections.summary import summarise_run
from analysis.sections.systems.equivalence import Equivalences
from analysis.sections.systems.systems import Systems
from judging.campaigns.hypotheses import GREATER, NON_INFERIOR, PrimaryHypothesis
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import picked

RATINGS = rated.drawn(3, 30, 3, seed=8, gap=0.3, taste=0.3)
PAIR = PrimaryHypothesis("clarity", "Brisa", "Alba", GREATER)


def tables(
    design: str = "sources", margin: float | None = None, *primary: PrimaryHypothesis
) -> dict[str, Any]:
    return rated.computed(rated.study(RATINGS, **declared(margin, *primary)), design)


def declared(margin: float | None, *primary: PrimaryHypothesis) -> dict[str, Any]:
    return {"margins": rated.margin(margin) if margin else {}, "primary": primary}


def test_equivalence_fixed_annotators_agrees_with_statsmodels() -> None:
    rows = tables(margin=0.4)["equivalence"]
    assert len(rows) == 3
    means = RATINGS.mean(axis=2)
    for row in rows:
        first, second = (means[rated.SYSTEMS.index(row[side])] for side in ("first", "second"))
        p, lower, upper = ttost_paired(first, second, -0.4, 0.4)
        assert (row["p"], row["p_lower"], row["p_upper"]) == pytest.approx(
            (p, lower[1], upper[1]), rel=1e-9
        )
        assert row["p_holm"] >= row["p"]
        assert row["equivalent"] is (row["p_holm"] < 0.05)


def test_equivalence_random_annotators_takes_the_error_of_the_contrast() -> None:
    found = tables("sources+annotators", margin=0.4)
    for row in found["equivalence"]:
        pair = {name: row[name] for name in ("first", "second")}
        (own,) = picked(found["system_comparisons"], test="difference", **pair)
        error = (own["high"] - own["low"]) / 2 / stats.t.ppf(0.975, own["df"])
        upper = stats.t.cdf((own["value"] - 0.4) / error, own["df"])
        assert (row["test"], row["p_upper"]) == ("contrast", pytest.approx(upper))


def test_equivalence_pair_declared_is_the_only_pair_and_uncorrected() -> None:
    found = tables("sources", 0.5, PAIR)
    (row,) = found["equivalence"]
    assert {row["first"], row["second"]} == {"Alba", "Brisa"}
    assert row["p_holm"] == row["p"]
    (sentence,) = Equivalences().sentences(Found(found))
    assert "equivalent within ±0.5 scale points: “Alba” and “Brisa” (difference " in sentence
    assert "90% CI [" in sentence


def test_equivalence_pair_declared_on_another_criterion_leaves_all_pairs() -> None:
    other = replace(PAIR, criterion="form")
    assert len(tables("sources", 0.5, other)["equivalence"]) == 3


def test_equivalence_metric_declared_leaves_all_pairs() -> None:
    metric = PrimaryHypothesis("clarity", "BLEU-4", metric_level="pooled")
    assert len(tables("sources", 0.5, metric)["equivalence"]) == 3


def test_equivalence_non_inferiority_declared_uses_the_margin_alone() -> None:
    assert tables("sources", 0.5, replace(PAIR, direction=NON_INFERIOR))["equivalence"] == []


def test_equivalence_identical_ratings_are_equivalent() -> None:
    twice = np.concatenate([RATINGS[:1], RATINGS[:1]])
    (row,) = rated.computed(rated.study(twice, **declared(0.1)))["equivalence"]
    assert (row["value"], row["p"], row["equivalent"]) == (0, 0, True)


def test_equivalence_wide_and_narrow_margin_disagree() -> None:
    wide, narrow = (tables(margin=margin)["equivalence"] for margin in (3.0, 0.01))
    assert all(row["equivalent"] for row in wide)
    assert not any(row["equivalent"] for row in narrow)
    (sentence,) = Equivalences().sentences(Found(tables(margin=0.01)))
    assert sentence.startswith("On clarity, not shown to be equivalent within ±0.01 scale points: ")
    assert sentence.count("90% CI") == 3


def test_equivalence_no_margin_declared_is_absent() -> None:
    assert tables()["equivalence"] == []
    assert list(Equivalences().sentences(Found(tables()))) == []


def test_methods_margin_declared_is_named() -> None:
    told = " ".join(_hypotheses(Found(tables(margin=0.4))))
    assert "two one-sided tests within declared margins (±0.4 on clarity scale points)" in told


NOT_EQUAL = "not show that"  # the caveat on differences that are not significant
ALIKE = rated.drawn(2, 60, 3, seed=3)


def short(tables: dict[str, Any]) -> dict[str, str]:
    """Return the summary's texts by chapter."""
    return {part.chapter: part.text for part in summarise_run(Found(tables)).parts}


def chapter(tables: dict[str, Any]) -> str:
    """Return what the report says of the systems and their equivalence."""
    found = Found(tables)
    sections = (Systems(), Equivalences())
    return " ".join(text for section in sections for text in stored.in_words(section, found))


def alike(margin: float | None = None) -> dict[str, Any]:
    return rated.computed(rated.study(ALIKE, **declared(margin)))


def test_equivalence_shown_replaces_the_caveat_on_equality() -> None:
    found = alike(0.5)

    assert [row["equivalent"] for row in found["equivalence"]] == [True]
    assert NOT_EQUAL not in chapter(found) + short(found)["systems"]
    assert "equivalent within ±0.5 scale points: “Alba” and “Brisa”" in chapter(found)
    assert "On clarity, equivalent within ±0.5 scale points" in short(found)["primary"]


def test_equivalence_not_shown_is_said_in_place_of_the_caveat() -> None:
    found = alike(0.01)

    assert [row["equivalent"] for row in found["equivalence"]] == [False]
    assert NOT_EQUAL not in chapter(found) + short(found)["systems"]
    assert "not shown to be equivalent within ±0.01" in chapter(found)
    assert "not shown to be equivalent within ±0.01" in short(found)["primary"]


def test_equivalence_not_declared_keeps_the_caveat() -> None:
    found = alike()

    assert NOT_EQUAL in chapter(found)
    assert NOT_EQUAL in short(found)["systems"]


def test_equivalence_of_another_pair_keeps_the_caveat() -> None:
    """The plan declares a test of two systems alone, and the third has the best mean."""
    ratings = rated.drawn(3, 60, 3, seed=3, gap=0.02)
    means = dict(zip(rated.SYSTEMS, ratings.mean(axis=(1, 2)), strict=False))
    *others, best = sorted(means, key=lambda name: means[name])
    pair = PrimaryHypothesis("clarity", *others)
    found = rated.computed(rated.study(ratings, **declared(0.5, pair)))

    assert len(found["equivalence"]) == 1
    assert f"“{best}” has the best mean" in short(found)["systems"]
    assert NOT_EQUAL in short(found)["systems"]
    assert NOT_EQUAL in chapter(found)
    assert "equivalent within ±0.5" in short(found)["primary"]


def test_summary_some_equivalence_not_tested_names_the_others() -> None:
    """By hand: the equivalence of Alba and Brisa is tested, that of Alba and Corvo is not."""
    pair = {"criterion": "clarity", "first": "Alba", "second": "Brisa", "margin": 0.5}
    means = [
        stored.mean(name, value) for name, value in (("Alba", 3), ("Brisa", 2.9), ("Corvo", 2.6))
    ]
    given = {
        "systems": means,
        "equivalence": [{**pair, "equivalent": True, "p_holm": 0.01}],
        **stored.told_of(Alba="a", Brisa="a", Corvo="a"),
    }

    text = short({**stored.found(**given).documents})["systems"]

    assert "it does not differ significantly from “Brisa” (difference +0.70, " in text
    assert "Equivalence to the best is not tested for “Corvo”." in text
