"""Letters, bold type, intervals, sentences and methods come from one test: that of the declared
design and of the allocation of annotators."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from analysis.sections.comparisons import Comparisons
from analysis.sections.exclusions import Exclusions
from analysis.sections.methods import _systems
from analysis.sections.mixed_models import MixedModels, takes_long
from analysis.sections.section import Found
from analysis.sections.slices import Slices
from analysis.sections.system_means import SystemMeans
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance, picked

RANDOM = "sources+annotators"
# Annotators differ on the systems: for these three the systems differ, for others they need not
TASTE = rated.drawn(3, 20, 3, seed=8, gap=0.3, taste=0.5)
# The first annotator is severe and rates Corvo much more often than Alba; the systems are alike
SEVERE = rated.drawn(3, 20, 3, seed=3, severity=0.0)
SEVERE[:, :, 0] = np.maximum(1, SEVERE[:, :, 0] - 2)
SEVERE[0, 4:, 0] = np.nan
SEVERE[2, :, 1] = np.nan


def letters(tables: dict[str, Any]) -> dict[str, str]:
    return {row["system"]: row["letters"] for row in tables["groups"]}


def holm_p(tables: dict[str, Any], test: str) -> dict[tuple[str, str], float]:
    """Return Holm's p of every pair by one test."""
    where = ("mixed_models", "effect") if test == "mixed_model" else ("comparisons", "test")
    value = "difference" if test == "mixed_model" else test
    return {
        (row["first"], row["second"]): row["p_holm"]
        for row in picked(tables[where[0]], **{where[1]: value})
    }


def sentences(tables: dict[str, Any]) -> str:
    return " ".join(stored.in_words(SystemMeans(), Found(tables)))


def methods(tables: dict[str, Any]) -> str:
    return " ".join(_systems(Found(tables)))


def shown(section: Any, tables: dict[str, Any]) -> Any:
    (table,) = section().tables(Found(tables))
    return table


def test_random_annotators_model_and_permutation_disagree_everything_follows_the_model() -> None:
    fixed = rated.computed(rated.study(TASTE))
    random = rated.computed(rated.study(TASTE), RANDOM)
    assert holm_p(fixed, "permutation") == holm_p(random, "permutation")
    assert max(holm_p(random, "permutation").values()) < 0.05
    assert min(holm_p(random, "mixed_model").values()) > 0.05

    assert letters(fixed) == {"Alba": "a", "Brisa": "b", "Corvo": "c"}
    assert set(letters(random).values()) == {"a"}
    assert {row["test"] for row in random["groups"]} == {"mixed_model"}
    (row,) = random["system_tests"]
    assert (row["test"], row["reason"]) == ("mixed_model", "annotators are declared random")

    table = shown(Comparisons, random)
    assert table.columns[2] == "p mixed model"
    assert table.notes[3:] == ["as published", "as published", "", "as published"]
    assert not any(cell.best for line in table.lines for cell in line.cells)
    assert any(cell.best for line in shown(Comparisons, fixed).lines for cell in line.cells)
    model = picked(random["mixed_models"], effect="difference")
    assert [line.cells[0].under for line in table.lines] == [
        f"[{row['low']:.2f}, {row['high']:.2f}]".replace("-", "−") for row in model
    ]

    assert "not significantly different from Brisa and Corvo" in sentences(random)
    assert "significantly different from all others" in sentences(fixed)
    assert "mixed model" in methods(random)
    assert "permutation" not in methods(random)
    assert "permutation" in methods(fixed)
    assert "mixed model" not in methods(fixed) + sentences(fixed)


def test_random_annotators_model_finds_a_difference_prints_it_bold_with_letters() -> None:
    tables = rated.computed(rated.study(rated.drawn(2, 20, 6, seed=1, gap=1.0, taste=0.2)), RANDOM)
    assert letters(tables) == {"Alba": "a", "Brisa": "b"}
    cells = [line.cells[0] for line in shown(SystemMeans, tables).lines]
    assert [cell.best for cell in cells] == [True, False]
    (line,) = shown(Comparisons, tables).lines
    assert line.cells[2].best
    assert "significantly different from all others" in sentences(tables)
    assert "fewer than 5" not in sentences(tables)


def test_random_annotators_intervals_of_means_are_wider_than_with_annotators_fixed() -> None:
    study = rated.study(TASTE)
    fixed, random = rated.computed(study)["systems"], rated.computed(study, RANDOM)["systems"]
    for one, other in zip(fixed, random, strict=True):
        assert one["value"] == pytest.approx(other["value"])  # every annotator rated everything
        assert other["low"] < one["low"]
        assert one["high"] < other["high"]
        assert one["method"] != other["method"]
        assert (one["n"], one["clusters"]) == (other["n"], other["clusters"]) == (20, 20)
        assert other["low"] >= 1
        assert other["high"] <= 7


def test_fewer_than_five_random_annotators_is_printed_and_nothing_falls_back() -> None:
    tables = rated.computed(rated.study(TASTE), RANDOM)
    caution = (
        "With fewer than 5 annotators declared random (here 3), the mixed model finds few "
        "differences significant."
    )
    assert tables["system_tests"][0]["caution"] == caution
    assert caution in sentences(tables)
    assert caution in methods(tables)


@pytest.mark.parametrize(
    ("ratings", "settings", "reason"),
    [
        (TASTE, {"mixed_model": "never"}, "the run does not fit the mixed model"),
        (TASTE[:, :, :1], {}, "one annotator cannot show how annotators differ"),
        (
            TASTE[:2, :, :2],
            {},
            "two annotators of two systems cannot show how annotators differ",
        ),
        (np.full((3, 6, 3), 4.0), {}, "every rating has the same value"),
    ],
)
def test_model_that_cannot_be_fitted_gives_no_letters_with_the_reason(
    ratings: Any, settings: dict[str, Any], reason: str
) -> None:
    tables = rated.computed(rated.study(ratings), RANDOM, **settings)
    assert {(row["letters"], row["reason"]) for row in tables["groups"]} == {("", reason)}
    assert f"no test compares the systems: {reason}" in sentences(tables)
    assert f"the mixed model compared no systems: {reason}." in methods(tables)
    assert f"Clarity: no test compares the systems: {reason}." in shown(SystemMeans, tables).reasons
    assert reason in shown(Comparisons, tables).reasons
    for table in (shown(SystemMeans, tables), shown(Comparisons, tables)):
        assert not any(cell.best or cell.letters for line in table.lines for cell in line.cells)


def test_unbalanced_allocation_severe_annotator_makes_no_difference_of_equal_systems() -> None:
    """Alba's mean is without most of the severe annotator's ratings, Corvo's is mostly of them."""
    tables = rated.computed(rated.study(SEVERE))
    pair = ("Alba", "Corvo")
    assert holm_p(tables, "permutation")[pair] < 0.05
    assert holm_p(tables, "mixed_model")[pair] > 0.05
    assert set(letters(tables).values()) == {"a"}

    reason = (
        "annotators rated the systems unequally often (on the sources that two systems have in "
        "common, one annotator rated 20 of 20 outputs of one system and 0 of 20 of the other)"
    )
    assert tables["system_tests"][0]["reason"] == reason
    told = f"The test of the systems is the mixed model of the declared design because {reason}."
    assert told in sentences(tables)
    assert told in methods(tables)
    table = shown(SystemMeans, tables)
    assert table.caption == (
        f"Test of the systems: mixed model of the declared design because {reason}."
    )
    rows = {row["system"]: row for row in tables["systems"]}
    unadjusted = rows["Alba"]["unadjusted"] - rows["Corvo"]["unadjusted"]
    assert abs(rows["Alba"]["value"] - rows["Corvo"]["value"]) < unadjusted / 2
    alba = next(line.cells[0] for line in table.lines if line.name == "Alba")
    assert f"unadjusted {rows['Alba']['unadjusted']:.2f}" in alba.under


def equal_systems(seed: int, *, silent: bool, is_allocated: bool) -> Any:
    """Draw a study of 100 sources, two equal systems, and two annotators, of whom one is severe.

    silent : whether the first system returned nothing on the hardest 30 sources
    is_allocated : whether every output has one annotator, 80% of a system's the same
    """
    rng = np.random.default_rng([51, seed])
    ease = rng.normal(0, 0.8, (1, 100, 1))
    drawn = 4.5 + ease + rng.normal(0, 0.5, (2, 100, 1)) + rng.normal(0, 0.4, (2, 100, 2))
    ratings = np.clip(np.rint(drawn - [0, 1]), 1, 7)
    if silent:
        ratings[0, np.argsort(ease[0, :, 0])[:30]] = np.nan
    if is_allocated:
        first = rng.random((2, 100)) < [[0.8], [0.2]]
        ratings[first, 1] = ratings[~first, 0] = np.nan
    return ratings


@pytest.mark.long
@pytest.mark.parametrize(
    ("silent", "is_allocated", "test"),
    [(True, False, "permutation"), (False, True, "mixed_model")],
    ids=["missing outputs", "unequal allocation"],
)
def test_equal_systems_rarely_differ_significantly(
    silent: bool, is_allocated: bool, test: str
) -> None:
    """With missing outputs the mixed model finds a difference in two fifths of these studies."""
    found = 0
    for seed in range(40):
        ratings = equal_systems(seed, silent=silent, is_allocated=is_allocated)
        tables = rated.computed(rated.study(ratings))
        assert tables["system_tests"][0]["test"] == test
        found += holm_p(tables, test)["Alba", "Brisa"] < 0.05

    assert found <= 5  # one study in twenty, and three times the standard error of that


def test_balanced_fixed_annotators_model_is_no_test_of_the_page() -> None:
    tables = rated.computed(rated.study(TASTE), mixed_model="always")
    (row,) = tables["system_tests"]
    assert (row["test"], row["reason"], row["caution"]) == ("permutation", "", "")
    table = shown(SystemMeans, tables)
    assert table.caption == "Test of the systems: paired permutation test over sources."
    assert not any(cell.best for line in shown(MixedModels, tables).lines for cell in line.cells)


def test_slices_and_exclusions_print_no_interval_of_another_test() -> None:
    study = rated.study(TASTE)
    study = replace(study, slots=study.slots.assign(target_type="fact"))
    given = rated.inputs(study, RANDOM, slices=["target_type"], with_excluded=False)
    sliced = picked(Slices().records(given, Found({}), chance()), measure="mean")
    assert {(row["low"], row["high"]) for row in sliced} == {(None, None)}
    assert {row["reason"] for row in sliced} == {
        "no interval: the mixed model is not fitted to slices"
    }
    everything = replace(given, other=study)
    rows = Exclusions().records(everything, Found({}), chance())
    means = {row["system"]: row["low"] for row in picked(rows, data="all", measure="mean")}
    expected = {row["system"]: row["low"] for row in SystemMeans().records(given, Found({}), None)}
    assert means == expected


def test_run_without_stored_tests_is_read_as_of_the_permutation_test() -> None:
    tables = rated.computed(rated.study(TASTE))
    del tables["system_tests"]
    for row in tables["systems"]:
        del row["unadjusted"]
    assert "permutation" in methods(tables)
    assert "significantly different from all others" in sentences(tables)
    assert "unadjusted" not in str(shown(SystemMeans, tables))


@pytest.mark.parametrize(
    ("questions", "annotators", "expected"),
    [(3_000, 250, False), (3_000, 300, True), (200_000, 9, False), (200_000, 10, True)],
)
def test_model_takes_long_by_its_questions_and_columns(
    questions: int, annotators: int, expected: bool
) -> None:
    """Six systems and their annotators make 1,756, 2,106, 69 and 76 columns."""
    unit = np.arange(questions * 3) // 3
    person = np.arange(len(unit)) % annotators
    system = (np.arange(len(unit)) // annotators) % 6
    rows = pd.DataFrame({"unit": unit, "annotator": person, "system": system})
    assert takes_long(rows) == expected
