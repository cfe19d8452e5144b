"""Ranks and clusters of systems follow the test that compares them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.sections.ranks import Ranks
from analysis.sections.section import Found
from tests.analysis.sections import rated

RANDOM = "sources+annotators"
TASTE = rated.drawn(3, 20, 3, seed=8, gap=0.3, taste=0.5)


def ranks(ratings: Any, design: str = "sources") -> dict[str, dict[str, Any]]:
    rows = rated.computed(rated.study(ratings), design)["ranks"]
    return {row["system"]: row for row in rows}


def test_ranks_best_system_first_and_probabilities_add_up() -> None:
    found = ranks(TASTE)
    assert list(found) == ["Alba", "Brisa", "Corvo"]
    table = np.array([row["probabilities"] for row in found.values()])
    assert table.sum(axis=0) == pytest.approx(1) and table.sum(axis=1) == pytest.approx(1)
    for row in found.values():
        assert row["best"] == row["probabilities"][0]
        assert row["expected_rank"] == pytest.approx(
            table[list(found).index(row["system"])] @ [1, 2, 3]
        )


def test_ranks_clusters_and_probabilities_follow_the_declared_design() -> None:
    fixed, random = ranks(TASTE), ranks(TASTE, RANDOM)
    assert [row["cluster"] for row in fixed.values()] == [1, 2, 3]
    assert {row["cluster"] for row in random.values()} == {1}
    assert fixed["Alba"]["best"] > random["Alba"]["best"] + 0.05
    assert random["Alba"]["method"] == "means drawn by the mixed model"


def test_ranks_low_is_best_turns_the_order() -> None:
    read = rated.study(TASTE)
    (criterion,) = read.rubric.criteria
    turned = replace(read.rubric, criteria=(replace(criterion, best="lowest"),))
    for design in ("sources", RANDOM):
        rows = rated.computed(replace(read, rubric=turned), design)["ranks"]
        assert rows[0]["system"] == "Corvo" and rows[0]["best"] > rows[-1]["best"]
    clusters = [row["cluster"] for row in rated.computed(replace(read, rubric=turned))["ranks"]]
    assert clusters == [1, 2, 3]


def test_ranks_few_sources_have_clusters_without_probabilities() -> None:
    found = ranks(TASTE[:, :9])
    assert {row["reason"] for row in found.values()} == {"fewer than 10 sources"}
    assert all(row["cluster"] for row in found.values())
    assert all(row["probabilities"] == [] for row in found.values())


def test_ranks_model_not_fitted_says_why() -> None:
    tables = rated.computed(rated.study(TASTE), RANDOM, mixed_model="never")
    rows = tables["ranks"]
    assert {row["reason"] for row in rows} == {"the run does not fit the mixed model"}
    assert {row["cluster"] for row in rows} == {None}


def test_ranks_table_shows_each_rank_and_the_cluster() -> None:
    (table,) = Ranks().tables(Found(rated.computed(rated.study(TASTE))))
    assert table.columns == ["cluster", "expected rank", "rank 1", "rank 2", "rank 3"]
    assert [line.cells[0].text for line in table.lines] == ["1", "2", "3"]
