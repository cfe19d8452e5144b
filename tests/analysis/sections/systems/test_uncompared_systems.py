"""Pairs of systems that no test compares: nothing says that they do not differ significantly."""

from typing import Any

import numpy as np
import pytest

from analysis.sections.methods import _systems
from analysis.sections.section import Found
from analysis.sections.summary import summarise_run
from analysis.sections.systems.system_comparisons import SystemComparisons
from analysis.sections.systems.systems import Systems
from tests.analysis.sections import rated, stored

NO_DIFFERENCE = ("not significantly different", "not differ significantly", "not show that")


def present(*parts: slice | list[int], seed: int = 1, gap: float = 0.0) -> dict[str, Any]:
    """Return the tables of a study of forty sources in which each system has outputs on its part of
    them."""
    ratings = rated.drawn(len(parts), 40, 3, seed=seed, gap=gap)
    for system, part in enumerate(parts):
        without = np.ones(40, dtype=bool)
        without[part] = False
        ratings[system, without] = np.nan
    return rated.computed(rated.study(ratings))


def words(tables: dict[str, Any]) -> str:
    """Return all that a report says of the systems: the chapter, the summary, methods and tables."""
    found = Found(tables)
    texts = [
        *stored.in_words(Systems(), found),
        *(part.text for part in summarise_run(found).parts),
        *_systems(found),
    ]
    for section in (Systems(), SystemComparisons()):
        for table in section.tables(found):
            texts += [table.caption, *table.reasons, *(line.under for line in table.lines)]
    return " ".join(texts)


def letters(tables: dict[str, Any]) -> set[str]:
    return {row["letters"] for row in tables["groups"]}


def test_systems_on_disjoint_sources_are_not_compared() -> None:
    tables = present(slice(0, 20), slice(20, 40))

    text = words(tables)

    assert "not compared: no common source" in text
    assert not any(claim in text for claim in NO_DIFFERENCE)
    assert letters(tables) == {""}
    assert {row["cluster"] for row in tables["ranks"]} == {None}


@pytest.mark.parametrize(
    ("apart", "why"),
    [(slice(20, 40), "no common source"), (slice(19, 40), "only one common source")],
)
def test_pair_without_common_sources_beside_compared_pairs_is_named(apart: slice, why: str) -> None:
    """Alba and Brisa have at most one source in common; Corvo has all."""
    tables = present(slice(0, 20), apart, slice(0, 40))
    found = Found(tables)

    (systems, *_rest) = stored.in_words(Systems(), found)
    short = summarise_run(found).parts[-1].text
    assert f"not significantly different from Corvo, not compared with Alba: {why}" in systems
    assert f"On clarity, it is not compared with “Alba”: {why}." in short
    assert letters(tables) == {""}
    (table,) = Systems().tables(found)
    assert [each for each in table.reasons if "Alba and Brisa" in each and why in each]
    (pairs,) = SystemComparisons().tables(found)
    unders = {line.name: line.under for line in pairs.lines}
    assert unders == {
        "Alba – Brisa": f"not compared: {why}",
        "Alba – Corvo": "",
        "Brisa – Corvo": "",
    }


def test_best_system_without_a_compared_pair_is_near_to_none() -> None:
    """Alba is best and has no source in common with Brisa; Corvo differs significantly from both."""
    tables = present(slice(0, 20), slice(20, 40), slice(0, 40), gap=1.5)

    (systems, *_rest) = stored.in_words(Systems(), Found(tables))

    assert "not compared with Brisa: no common source" in systems
    assert "not significantly different" not in systems
    assert "significantly different from all others" not in systems
    short = summarise_run(Found(tables)).parts[-1].text
    assert "it is not compared with “Brisa”: no common source" in short
    assert "differs significantly" not in short
    assert "equal" not in short


def test_systems_with_all_sources_in_common_keep_letters() -> None:
    tables = present(slice(0, 40), slice(0, 30), slice(10, 40))

    assert "" not in letters(tables)
    assert "not compared" not in words(tables)


def test_run_without_comparisons_says_nothing_of_differences() -> None:
    rows = [stored.mean("a", 2.8, 2.7, 2.9), stored.mean("b", 2.1, 2.0, 2.2)]

    text = " ".join(stored.in_words(Systems(), stored.found(systems=rows)))

    assert "a has the best mean" in text
    assert not any(claim in text for claim in NO_DIFFERENCE)
