"""Which test compares systems, by what is declared and by counts of ratings."""

import numpy as np
import pytest

from analysis.stats.inference import Inference
from analysis.stats.system_test import SystemTest, system_test

FIXED, RANDOM = Inference(), Inference(annotators=True)


def chosen(counts: list[list[int]], design: Inference = FIXED) -> SystemTest:
    """Return the test for counts of ratings, a row for each annotator and a column a system."""
    cells = [
        (annotator, system)
        for annotator, row in enumerate(counts)
        for system, count in enumerate(row)
        for _ in range(count)
    ]
    annotators, systems = np.array(cells).T
    return system_test(design, systems=systems, annotators=annotators)


@pytest.mark.parametrize(
    "counts",
    [
        [[30, 30, 30], [30, 30, 30]],
        [[30, 30, 30], [12, 12, 12]],  # one annotator rated less, of all systems alike
        [[30, 24, 30], [30, 30, 30]],  # 20% less, not more
        [[35, 28], [35, 35]],  # the same, where .8 * 35 is above 28 as a float
        [[30, 10, 30]],  # one annotator
    ],
)
def test_system_test_fixed_annotators_and_equal_counts_is_the_permutation_test(
    counts: list[list[int]],
) -> None:
    assert chosen(counts) == SystemTest("permutation")


def test_system_test_counts_that_differ_by_more_than_a_fifth_is_the_mixed_model() -> None:
    found = chosen([[30, 30, 30], [29, 30, 23]])
    assert (found.name, found.caution) == ("mixed_model", "")
    assert found.reason == (
        "annotators rated the systems unequally often (one rated 30 outputs of one system and 23 of "
        "another)"
    )


def test_system_test_empty_cell_is_the_mixed_model() -> None:
    found = chosen([[30, 30, 30], [30, 0, 30], [0, 30, 30]])
    assert found.name == "mixed_model"
    assert found.reason == "no rating exists for 2 of 9 combinations of annotator and system"


@pytest.mark.parametrize(("annotators", "is_cautious"), [(1, True), (4, True), (5, False)])
def test_system_test_random_annotators_is_the_mixed_model_whatever_the_counts(
    annotators: int, is_cautious: bool
) -> None:
    found = chosen([[30, 30]] * annotators, RANDOM)
    assert (found.name, found.reason) == ("mixed_model", "annotators are declared random")
    caution = (
        f"With fewer than 5 annotators declared random (here {annotators}), the mixed model finds "
        "few differences significant."
    )
    assert found.caution == (caution if is_cautious else "")


def test_system_test_systems_declared_random_keeps_the_permutation_test() -> None:
    assert chosen([[30, 30]] * 3, Inference(systems=True)).name == "permutation"
