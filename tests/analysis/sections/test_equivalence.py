"""Equivalence within the declared margin, by the test that compares the systems."""

from typing import Any

import pytest
from scipy import stats
from statsmodels.stats.weightstats import ttost_paired

from analysis.sections.equivalence import Equivalences
from analysis.sections.methods import _hypotheses
from analysis.sections.section import Found
from analysis.sections.summary import summary_of
from analysis.sections.system_means import SystemMeans
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import picked

RATINGS = rated.drawn(3, 30, 3, seed=8, gap=0.3, taste=0.3)
PAIR = {
    "criterion": "clarity",
    "first": "Brisa",
    "second": "Alba",
    "direction": "greater",
    "level": 0.05,
}


def tables(design: str = "sources", **declared: Any) -> dict[str, Any]:
    return rated.computed(rated.study(RATINGS, **declared), design)


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
        (own,) = picked(found["comparisons"], test="difference", **pair)
        error = (own["high"] - own["low"]) / 2 / stats.t.ppf(0.975, own["df"])
        upper = stats.t.cdf((own["value"] - 0.4) / error, own["df"])
        assert (row["test"], row["p_upper"]) == ("contrast", pytest.approx(upper))


def test_equivalence_pair_declared_is_the_only_pair_and_uncorrected() -> None:
    found = tables(margin=0.5, primary=PAIR)
    (row,) = found["equivalence"]
    assert {row["first"], row["second"]} == {"Alba", "Brisa"}
    assert row["p_holm"] == row["p"]
    (sentence,) = Equivalences().sentences(Found(found))
    assert sentence.startswith("On clarity, “Alba” and “Brisa” are ")
    assert "within ±0.5 scale points" in sentence and "90% CI [" in sentence


def test_equivalence_wide_and_narrow_margin_disagree() -> None:
    wide, narrow = (tables(margin=margin)["equivalence"] for margin in (3.0, 0.01))
    assert all(row["equivalent"] for row in wide)
    assert not any(row["equivalent"] for row in narrow)
    assert "0 of 3 pairs of systems are equivalent within ±0.01 scale points" in next(
        Equivalences().sentences(Found({**tables(margin=0.01)}))
    )


def test_equivalence_no_margin_declared_is_absent() -> None:
    assert tables()["equivalence"] == []
    assert list(Equivalences().sentences(Found(tables()))) == []


def test_methods_margin_declared_is_named() -> None:
    told = " ".join(_hypotheses(Found(tables(margin=0.4))))
    assert "two one-sided tests within the declared margin of 0.4 scale points" in told


NOT_EQUAL = "not show that"  # the caveat on differences that are not significant
ALIKE = rated.drawn(2, 60, 3, seed=3)


def short(tables: dict[str, Any]) -> dict[str, str]:
    """Return the summary's texts by chapter."""
    return {part.chapter: part.text for part in summary_of(Found(tables)).parts}


def chapter(tables: dict[str, Any]) -> str:
    """Return what the report says of the systems and their equivalence."""
    found = Found(tables)
    sections = (SystemMeans(), Equivalences())
    return " ".join(text for section in sections for text in stored.in_words(section, found))


def alike(**declared: Any) -> dict[str, Any]:
    return rated.computed(rated.study(ALIKE, **declared))


def test_equivalence_shown_replaces_the_caveat_on_equality() -> None:
    found = alike(margin=0.5)

    assert [row["equivalent"] for row in found["equivalence"]] == [True]
    assert NOT_EQUAL not in chapter(found) + short(found)["systems"]
    assert "are equivalent within ±0.5 scale points" in chapter(found)
    assert "it is equivalent to “Alba” within ±0.5 scale points" in short(found)["systems"]


def test_equivalence_not_shown_is_said_in_place_of_the_caveat() -> None:
    found = alike(margin=0.01)

    assert [row["equivalent"] for row in found["equivalence"]] == [False]
    assert NOT_EQUAL not in chapter(found) + short(found)["systems"]
    assert "are not shown to be equivalent within ±0.01" in chapter(found)
    assert "The equivalence to “Alba” is not shown within ±0.01" in short(found)["systems"]


def test_equivalence_not_declared_keeps_the_caveat() -> None:
    found = alike()

    assert NOT_EQUAL in chapter(found)
    assert NOT_EQUAL in short(found)["systems"]


def test_equivalence_of_another_pair_keeps_the_caveat() -> None:
    """Alba is near to Brisa and Corvo; the plan declares a test of Brisa and Corvo alone."""
    declared = {"criterion": "clarity", "direction": "two_sided", "level": 0.05}
    found = rated.computed(
        rated.study(
            rated.drawn(3, 60, 3, seed=3, gap=0.02),
            margin=0.5,
            primary={**declared, "first": "Brisa", "second": "Corvo"},
        )
    )
    best = max(found["systems"], key=lambda row: row["value"])["system"]

    assert len(found["equivalence"]) == 1
    if best == "Alba":
        assert NOT_EQUAL in short(found)["systems"]
    assert NOT_EQUAL in chapter(found)
    assert "are equivalent within ±0.5" in short(found)["primary"]


def test_equivalence_some_pairs_shown_the_summary_names_each() -> None:
    """By hand: Brisa is 0.1 below Alba with a narrow interval, Corvo 0.4 with a wide one."""
    pair = {"criterion": "clarity", "first": "Alba", "margin": 0.5}
    rows = [
        {**pair, "second": "Brisa", "equivalent": True, "p_holm": 0.01},
        {**pair, "second": "Corvo", "equivalent": False, "p_holm": 0.3},
    ]
    means = [
        stored.mean(name, value) for name, value in (("Alba", 3), ("Brisa", 2.9), ("Corvo", 2.6))
    ]
    given = {
        "systems": means,
        "equivalence": rows,
        **stored.told_of(Alba="a", Brisa="a", Corvo="a"),
    }
    found = {**stored.found(**given).documents}

    text = short(found)["systems"]

    assert "equivalent to “Brisa” within ±0.5 scale points" in text
    assert "The equivalence to “Corvo” is not shown." in text
    assert NOT_EQUAL not in text
