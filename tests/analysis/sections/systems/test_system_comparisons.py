"""Letters, bold type, intervals, sentences and methods come from one test: the difference within
sources, adjusted for annotators where these are random or differ."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from analysis.sections.agreement.exclusions import Exclusions
from analysis.sections.methods import _systems
from analysis.sections.section import Found
from analysis.sections.systems.fitted_models import takes_long
from analysis.sections.systems.mixed_models import MixedModels, sensitivity
from analysis.sections.systems.primary_hypotheses import across_criteria
from analysis.sections.systems.slices import Slices
from analysis.sections.systems.system_comparisons import SystemComparisons
from analysis.sections.systems.systems import Systems
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance, picked

RANDOM = "sources+annotators"
# Annotators differ on the systems: for these three the systems differ, for others they need not
TASTE = rated.drawn(3, 20, 3, seed=8, gap=0.3, taste=0.5)
# The first annotator is severe and rates Corvo much more often than Alba; the systems are alike
SEVERE = rated.drawn(3, 20, 3, seed=4, severity=0.0)
SEVERE[:, :, 0] = np.maximum(1, SEVERE[:, :, 0] - 2)
SEVERE[0, 4:, 0] = np.nan
SEVERE[2, :, 1] = np.nan


def letters(tables: dict[str, Any]) -> dict[str, str]:
    return {row["system"]: row["letters"] for row in tables["groups"]}


def holm_p(tables: dict[str, Any]) -> dict[tuple[str, str], float]:
    """Return Holm's p of every pair by the test that compares the systems."""
    return {
        (row["first"], row["second"]): row["p_holm"]
        for row in picked(tables["system_comparisons"], test="difference")
    }


def p_from(tables: dict[str, Any]) -> set[str]:
    return {row["p_from"] for row in picked(tables["system_comparisons"], test="difference")}


def sentences(tables: dict[str, Any]) -> str:
    return " ".join(stored.in_words(Systems(), Found(tables)))


def methods(tables: dict[str, Any]) -> str:
    return " ".join(_systems(Found(tables)))


def shown(section: Any, tables: dict[str, Any]) -> Any:
    (table,) = section().tables(Found(tables))
    return table


def test_random_annotators_everything_follows_the_contrast() -> None:
    fixed = rated.computed(rated.study(TASTE))
    random = rated.computed(rated.study(TASTE), RANDOM)
    assert (p_from(fixed), p_from(random)) == ({"permutation"}, {"contrast"})
    assert max(holm_p(fixed).values()) < 0.05 < min(holm_p(random).values())

    assert letters(fixed) == {"Alba": "a", "Brisa": "b", "Corvo": "c"}
    assert set(letters(random).values()) == {"a"}
    assert {row["test"] for row in random["groups"]} == {"contrast"}

    table = shown(SystemComparisons, random)
    assert not any(cell.best for line in table.lines for cell in line.cells)
    assert any(cell.best for line in shown(SystemComparisons, fixed).lines for cell in line.cells)
    rows = picked(random["system_comparisons"], test="difference")
    assert [line.cells[0].under for line in table.lines] == [
        f"[{row['low']:.2f}, {row['high']:.2f}]".replace("-", "−") for row in rows
    ]

    because = "because annotators are declared random"
    assert "not significantly different from Brisa and Corvo" in sentences(random)
    assert "significantly different from all others" in sentences(fixed)
    assert because in sentences(random)
    assert because in methods(random)
    assert "permutation" not in methods(random)
    assert "permutation" in methods(fixed)
    assert "contrast" not in methods(fixed) + sentences(fixed)


def test_random_annotators_contrast_finds_a_difference_prints_it_bold_with_letters() -> None:
    tables = rated.computed(rated.study(rated.drawn(2, 20, 6, seed=1, gap=1.0, taste=0.2)), RANDOM)
    assert letters(tables) == {"Alba": "a", "Brisa": "b"}
    cells = [line.cells[0] for line in shown(Systems, tables).lines]
    assert [cell.best for cell in cells] == [True, False]
    (line,) = shown(SystemComparisons, tables).lines
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


def two_way_error(scores: Any) -> float:
    """Return the standard error of a mean of scores (sources, annotators) over both."""
    by_source, by_annotator = scores.mean(axis=1), scores.mean(axis=0)
    return float(np.hypot(stats.sem(by_source), stats.sem(by_annotator)))


def test_random_annotators_degrees_of_freedom_are_of_the_fewer_units() -> None:
    """Twenty sources and three annotators leave t two degrees of freedom."""
    tables = rated.computed(rated.study(TASTE), RANDOM)
    places = {name: place for place, name in enumerate(rated.SYSTEMS)}
    for row in picked(tables["system_comparisons"], test="difference"):
        gap = TASTE[places[row["first"]]] - TASTE[places[row["second"]]]
        low, high = stats.t.interval(0.95, 2, gap.mean(), two_way_error(gap))
        p = 2 * stats.t.sf(abs(gap.mean()) / two_way_error(gap), 2)
        assert (row["low"], row["high"], row["p"]) == pytest.approx((low, high, p))
    for row in tables["systems"]:
        scores = TASTE[places[row["system"]]]
        low, high = stats.t.interval(0.95, 2, scores.mean(), two_way_error(scores))
        expected = (max(low, 1), min(high, 7))
        assert (row["low"], row["high"]) == pytest.approx(expected)


def test_fewer_than_five_random_annotators_is_printed_and_nothing_falls_back() -> None:
    tables = rated.computed(rated.study(TASTE), RANDOM)
    caution = "With fewer than 5 random annotators (here 3) few differences are found significant."
    assert caution in sentences(tables)
    assert caution in methods(tables)


def test_one_random_annotator_gives_no_letters_with_the_reason() -> None:
    tables = rated.computed(rated.study(TASTE[:, :, :1]), RANDOM)
    reason = "the systems are not compared: one annotator cannot show how annotators differ"
    assert {(row["letters"], row["reason"]) for row in tables["groups"]} == {("", reason)}
    assert reason in sentences(tables)
    assert reason in shown(SystemComparisons, tables).reasons
    for table in (shown(Systems, tables), shown(SystemComparisons, tables)):
        assert not any(cell.best or cell.letters for line in table.lines for cell in line.cells)


def test_mixed_model_that_is_not_fitted_changes_no_letters() -> None:
    tables = rated.computed(rated.study(TASTE), RANDOM, mixed_model="never")
    assert set(letters(tables).values()) == {"a"}


def test_unbalanced_allocation_severe_annotator_makes_no_difference_of_equal_systems() -> None:
    """Alba's mean is without most of the severe annotator's ratings, Corvo's is mostly of them."""
    tables = rated.computed(rated.study(SEVERE))
    pair = ("Alba", "Corvo")
    means = {row["system"]: row["value"] for row in tables["systems"]}
    (row,) = picked(tables["system_comparisons"], test="difference", first=pair[0], second=pair[1])
    assert means["Alba"] - means["Corvo"] > 0.8
    assert abs(row["value"]) < 0.5
    assert (row["p_from"], row["p_holm"] > 0.05) == ("contrast", True)
    assert set(letters(tables).values()) == {"a"}

    because = "because different annotators rated the two systems on some sources"
    assert because in sentences(tables)
    assert because in methods(tables)
    assert "contrast within sources, adjusted for annotators" in shown(Systems, tables).caption


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
    [(True, False, "permutation"), (False, True, "contrast")],
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
        assert p_from(tables) == {test}
        found += holm_p(tables)["Alba", "Brisa"] < 0.05

    assert found <= 5  # one study in twenty, and three times the standard error of that


def test_balanced_fixed_annotators_model_is_no_test_of_the_page() -> None:
    tables = rated.computed(rated.study(TASTE), mixed_model="always")
    assert p_from(tables) == {"permutation"}
    table = shown(Systems, tables)
    assert table.caption == "Test of the systems: paired permutation test over sources."
    assert not any(cell.best for line in shown(MixedModels, tables).lines for cell in line.cells)


def test_slices_and_exclusions_have_intervals_of_the_declared_design() -> None:
    study = rated.study(TASTE)
    study = replace(study, slots=study.slots.assign(target_type="fact"))
    given = rated.inputs(study, RANDOM, slices=["target_type"], with_excluded=False)
    expected = {row["system"]: row["low"] for row in Systems().records(given, Found({}), None)}
    sliced = picked(Slices().records(given, Found({}), chance()), measure="mean")
    assert {row["system"]: row["low"] for row in sliced} == expected
    everything = replace(given, other=study)
    rows = Exclusions().records(everything, Found({}), chance())
    means = {row["system"]: row["low"] for row in picked(rows, data="all", measure="mean")}
    assert means == expected


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


def test_models_annotators_random_are_fitted_once_for_all_sections() -> None:
    read = rated.study(TASTE)
    random, fixed = rated.inputs(read, RANDOM), rated.inputs(read)
    assert random.models_of_random_annotators is random.models
    assert fixed.models_of_random_annotators["clarity"].components.random
    assert not fixed.models["clarity"].components.random
    assert fixed.models["clarity"].components is fixed.models["clarity"].components


def test_criteria_corrected_together_share_one_family_of_pairs() -> None:
    clarity, form = (rated.drawn(3, 12, 3, seed=seed, gap=0.3) for seed in (1, 2))

    def compared(*together: str) -> dict[str, Any]:
        read = rated.with_second_criterion(
            rated.study(clarity, corrected_together=together), form, key="form"
        )
        return rated.computed(read)

    found, alone = compared("clarity", "form"), compared()
    pairs = picked(found["system_comparisons"], test="difference")
    expected = multipletests([row["p"] for row in pairs], method="holm")[1]
    assert [row["p_holm"] for row in pairs] == pytest.approx(expected.tolist())
    assert {row["floor"] for row in pairs} == {6 * 2.0**-11}
    models = picked(found["mixed_models"], effect="difference")
    expected = multipletests([row["p"] for row in models], method="holm")[1]
    assert [row["p_holm"] for row in models] == pytest.approx(expected.tolist())
    assert {tuple(row["corrected_with"]) for row in found["groups"]} == {("clarity",), ("form",)}
    assert "corrected together over clarity and form" in " ".join(across_criteria(Found(found)))
    own = picked(alone["system_comparisons"], test="difference", criterion="form")
    expected = multipletests([row["p"] for row in own], method="holm")[1]
    assert [row["p_holm"] for row in own] == pytest.approx(expected.tolist())


def pair_tests(p_from: str, **p_holm: float) -> list[dict[str, Any]]:
    pair = {"criterion": "clarity", "first": "Alba", "second": "Brisa", "n": 9}
    return [
        {**pair, "test": test, "p_from": p_from if test == "difference" else "", "p_holm": p}
        for test, p in p_holm.items()
    ]


def test_sensitivity_tests_that_disagree_are_named_with_their_pair() -> None:
    rows = pair_tests("permutation", difference=0.06, contrast=0.04, wilcoxon=0.07)
    model = {"criterion": "clarity", "effect": "difference", "first": "Alba", "second": "Brisa"}
    found = stored.found(system_comparisons=rows, mixed_models=[{**model, "p_holm": 0.03}])
    assert list(sensitivity(found)) == [
        "Sensitivity: permutation test, contrast within sources, mixed model and signed-rank test (Holm, 5% level) "
        "disagree on 1 of 1 comparison of systems: Alba and Brisa on clarity (significant by contrast within sources "
        "and mixed model only)."
    ]


def test_sensitivity_unequal_annotators_count_neither_permutation_nor_ranks() -> None:
    rows = pair_tests("contrast", difference=0.04, contrast=0.04, wilcoxon=0.6)
    assert list(sensitivity(stored.found(system_comparisons=rows))) == []  # one valid test alone
    model = {"criterion": "clarity", "effect": "difference", "first": "Alba", "second": "Brisa"}
    found = stored.found(system_comparisons=rows, mixed_models=[{**model, "p_holm": 0.01}])
    assert list(sensitivity(found)) == [
        "Sensitivity: contrast within sources and mixed model (Holm, 5% level) agree on 1 comparison of systems."
    ]
