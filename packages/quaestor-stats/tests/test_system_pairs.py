"""Pairs of systems where annotators are random: the test among all systems and that of the two
alone."""

from itertools import combinations
from typing import Any

import numpy as np

from quaestor_stats._system_pairs import pairs_of_systems
from quaestor_stats._variance_components import Components, variance_components


def study(seed: int, *, annotators: int = 3) -> dict[str, Any]:
    """Return ratings on 1-3: two systems in mid-scale, four near its end, annotators who differ on
    systems."""
    draw = np.random.default_rng(seed)
    shape = (40, 6, annotators)
    own = np.array([2.0, 2.0, 3.4, 3.4, 3.4, 3.4])[:, None] + 0.3 * draw.normal(size=shape[1:])
    y = (
        own
        + 0.6 * draw.normal(size=(40, 1, 1))
        + 0.3 * draw.normal(size=(40, 6, 1))
        + 0.5 * draw.normal(size=shape)
    )
    source, system, annotator = (axis.ravel() for axis in np.indices(shape))
    return {
        "ratings": np.clip(np.round(y), 1, 3).ravel(),
        "systems": system,
        "sources": source,
        "annotators": annotator,
        "questions": source * 6 + system,
    }


def of_two(columns: dict[str, Any], pair: tuple[int, int]) -> Components:
    kept = np.isin(columns["systems"], pair)
    return variance_components(**{name: column[kept] for name, column in columns.items()})


def test_the_larger_p_of_the_two_tests_stands_and_the_interval_holds_both() -> None:
    weaker = set()
    for seed in (0, 1):
        columns = study(seed)
        model = variance_components(**columns)
        found = pairs_of_systems(model, **columns)
        assert list(found) == list(combinations(range(6), 2))
        for pair in ((0, 1), (2, 3), (0, 5)):
            among_all, alone = model.difference(*pair), of_two(columns, pair).difference(*pair)
            assert found[pair].value == among_all.value
            assert found[pair].pvalue == max(among_all.pvalue, alone.pvalue)
            assert found[pair].ci.low == min(among_all.ci.low, alone.ci.low)
            assert found[pair].ci.high == max(among_all.ci.high, alone.ci.high)
            other = among_all if among_all.pvalue > alone.pvalue else alone
            assert (found[pair].df, found[pair].statistic) == (other.df, other.statistic)
            assert (found[pair].n, found[pair].clusters) == (40, 40)
            weaker.add(among_all.pvalue > alone.pvalue)
    assert weaker == {True, False}


def test_with_fixed_annotators_the_model_of_all_systems_tests_each_pair() -> None:
    columns = study(1)
    model = variance_components(**columns, annotators_random=False)
    assert pairs_of_systems(model, **columns)[0, 1] == model.difference(0, 1)


def test_a_study_of_two_systems_has_one_test() -> None:
    columns = study(1)
    kept = columns["systems"] < 2
    columns = {name: column[kept] for name, column in columns.items()}
    model = variance_components(**columns)
    assert pairs_of_systems(model, **columns) == {(0, 1): model.difference(0, 1)}


def test_two_annotators_are_too_few_to_test_a_pair_by_itself() -> None:
    columns = study(1, annotators=2)
    found = pairs_of_systems(variance_components(**columns), **columns)[0, 1]
    assert not np.isnan(found.value)
    assert np.isnan([found.pvalue, found.ci.low, found.ci.high, found.df, found.statistic]).all()
    assert found.reason == (
        "from these two systems alone it cannot be told how annotators differ on them: "
        "two annotators of two systems cannot show how annotators differ"
    )


def test_a_pair_that_its_own_ratings_cannot_be_fitted_to_has_no_test() -> None:
    """Annotators say the same of both systems throughout: alone, nothing is left to vary."""
    columns = study(1)
    both = columns["systems"] < 2
    first = columns["annotators"] == 0
    said = dict(zip(columns["questions"][first], columns["ratings"][first], strict=True))
    columns["ratings"][both] = [said[question] for question in columns["questions"][both]]
    model = variance_components(**columns)
    found = pairs_of_systems(model, **columns)
    assert found[0, 1].value == model.difference(0, 1).value
    assert np.isnan(found[0, 1].pvalue)
    assert found[0, 1].reason == (
        "from these two systems alone it cannot be told how annotators differ on them: "
        "the residual does not vary"
    )
    assert found[0, 5].pvalue < 1
