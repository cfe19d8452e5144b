"""Ranks and clusters of systems follow the test that compares them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from analysis.sections.section import Found
from analysis.sections.systems.ranks import Ranks
from analysis.sections.systems.systems import Systems
from tests.analysis.sections import rated
from tests.analysis.sections.computing import picked

RANDOM = "sources+annotators"
TASTE = rated.drawn(3, 20, 3, seed=8, gap=0.3, taste=0.5)


def ranks(ratings: Any, design: str = "sources") -> dict[str, dict[str, Any]]:
    rows = rated.computed(rated.study(ratings), design)["ranks"]
    return {row["system"]: row for row in rows}


def test_ranks_best_system_first_and_shares_add_up() -> None:
    found = ranks(TASTE)
    assert list(found) == ["Alba", "Brisa", "Corvo"]
    table = np.array([row["shares"] for row in found.values()])
    assert table.sum(axis=0) == pytest.approx(1) and table.sum(axis=1) == pytest.approx(1)
    for row in found.values():
        assert row["best"] == row["shares"][0]
        assert row["expected_rank"] == pytest.approx(
            table[list(found).index(row["system"])] @ [1, 2, 3]
        )


def test_ranks_clusters_and_intervals_follow_the_declared_design() -> None:
    fixed, random = ranks(TASTE), ranks(TASTE, RANDOM)
    assert [row["cluster"] for row in fixed.values()] == [1, 2, 3]
    assert {row["cluster"] for row in random.values()} == {1}
    intervals = [
        [(row["highest_rank"], row["lowest_rank"]) for row in found.values()]
        for found in (fixed, random)
    ]
    assert intervals == [[(1, 1), (2, 2), (3, 3)], [(1, 3)] * 3]
    assert {row["reason"] for row in random.values()} == {
        "annotators are declared random, and a bootstrap of sources leaves them fixed"
    }


def test_ranks_low_is_best_turns_the_order() -> None:
    read = rated.study(TASTE)
    (criterion,) = read.protocol.criteria
    turned = replace(read.protocol, criteria=(replace(criterion, best="lowest"),))
    rows = rated.computed(replace(read, protocol=turned))["ranks"]
    assert rows[0]["system"] == "Corvo" and rows[0]["best"] > rows[-1]["best"]
    assert [row["cluster"] for row in rows] == [1, 2, 3]
    assert [(row["highest_rank"], row["lowest_rank"]) for row in rows] == [(1, 1), (2, 2), (3, 3)]


def test_ranks_few_sources_have_clusters_without_shares() -> None:
    found = ranks(TASTE[:, :9])
    assert {row["reason"] for row in found.values()} == {"fewer than 10 sources"}
    assert all(row["cluster"] for row in found.values())
    assert all(row["shares"] == [] for row in found.values())


def test_ranks_ten_sources_in_four_passages_have_no_shares_and_a_floor_of_four() -> None:
    """Ten sources would be enough, and the least p of ten is 2 / 2^10."""
    read = rated.in_passages(rated.study(rated.drawn(2, 10, 3, seed=1, gap=1.0)), 4)

    tables = rated.computed(read)

    assert read.cluster_unit.counted(4) == "4 passages"
    assert {row["reason"] for row in tables["ranks"]} == {"fewer than 10 passages"}
    assert all(row["shares"] == [] for row in tables["ranks"])
    (row,) = picked(tables["system_comparisons"], test="difference")
    assert (row["n"], row["clusters"], row["floor"]) == (10, 4, 2 / 2**4)
    tables["about"] = [{**tables["about"][0], "clusters": 4}]
    told = " ".join(Systems().caveats(Found(tables)))
    assert (
        "With 4 passages in common or fewer no p of the permutation test can fall below .125"
        in told
    )


def test_ranks_table_shows_each_rank_and_the_cluster() -> None:
    (table,) = Ranks().tables(Found(rated.computed(rated.study(TASTE))))
    assert table.columns == ["rank interval", "cluster", "mean rank", "rank 1", "rank 2", "rank 3"]
    assert [line.cells[0].text for line in table.lines] == ["1", "2", "3"]


def test_systems_table_gives_each_rank_interval() -> None:
    found = Found(rated.computed(rated.study(rated.drawn(3, 30, 3, seed=8, gap=0.3))))
    (table,) = Systems().tables(found)
    ends = {row.system: (row.highest_rank, row.lowest_rank) for row in found.of(Ranks)}
    assert len(set(ends.values())) > 1
    for line in table.lines:
        highest, lowest = ends[line.name]
        written = f"rank {highest}" if highest == lowest else f"rank {highest}–{lowest}"
        assert line.cells[0].under.endswith(written)
