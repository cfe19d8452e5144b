"""Which test compares systems, by what is declared and by the allocation of annotators."""

import numpy as np
import pytest

from quaestor_stats._design import Design
from quaestor_stats._system_test import SystemTest, system_test

FIXED, RANDOM = Design(), Design(annotators="random")


def given(ratings: list[tuple[int, str, str]], design: Design = FIXED) -> SystemTest:
    """Return the test for ratings of a source, a system and an annotator each, where a system has
    one output on a source."""
    sources, systems, annotators = np.array(ratings, dtype=object).T
    outputs = [f"{source} {system}" for source, system, _ in ratings]
    return system_test(
        design, outputs=np.array(outputs), sources=sources, systems=systems, annotators=annotators
    )


def chosen(counts: list[list[int]], design: Design = FIXED) -> SystemTest:
    """Return the test for counts of ratings, a row for each annotator and a column a system; a
    further annotator rates every output of every system."""
    sources = max(map(max, counts))
    cells = [
        (source, f"S{system}", f"A{annotator}")
        for annotator, row in enumerate([*counts, [sources] * len(counts[0])])
        for system, count in enumerate(row)
        for source in range(count)
    ]
    return given(cells, design)


@pytest.mark.parametrize(
    "counts",
    [
        [[30, 30, 30], [30, 30, 30]],
        [[30, 30, 30], [12, 12, 12]],  # one annotator rated less, of all systems alike
        [[30, 24, 30], [30, 30, 30]],  # 20% less, not more
        [[35, 28], [35, 35]],  # the same, where .8 * 35 is above 28 as a float
    ],
)
def test_system_test_fixed_annotators_and_equal_counts_is_the_permutation_test(
    counts: list[list[int]],
) -> None:
    assert chosen(counts) == SystemTest("permutation")


def test_system_test_one_annotator_is_the_permutation_test() -> None:
    one = [(source, system, "A") for system in "xy" for source in range(30 if system == "x" else 9)]
    assert given(one) == SystemTest("permutation")


def test_system_test_counts_that_differ_by_more_than_a_fifth_is_the_mixed_model() -> None:
    found = chosen([[30, 30, 30], [29, 30, 23]])
    assert (found.name, found.caution) == ("mixed_model", "")
    assert found.reason == (
        "annotators rated the systems unequally often (on the sources that two systems have in "
        "common, one annotator rated 30 of 30 outputs of one system and 23 of 30 of the other)"
    )


def test_system_test_annotator_who_did_not_rate_a_system_is_the_mixed_model() -> None:
    found = chosen([[30, 30, 30], [30, 0, 30], [0, 30, 30]])
    assert found.name == "mixed_model"
    assert "30 of 30 outputs of one system and 0 of 30 of the other" in found.reason


ALL = [(source, system, rater) for source in range(40) for system in "xyz" for rater in "ABC"]


@pytest.mark.parametrize(
    "missing",
    [
        {("x", source) for source in range(12)},
        {("x", source) for source in range(38)},
        {("x", source) for source in range(20)} | {("y", source) for source in range(20, 40)},
        {
            (system, source)
            for source in range(40)
            for system in "xyz"
            if (source + ord(system)) % 3
        },
    ],
    ids=["one system", "all but two", "no common source", "every third source"],
)
def test_system_test_missing_outputs_are_no_unequal_allocation(
    missing: set[tuple[str, int]],
) -> None:
    present = [rating for rating in ALL if (rating[1], rating[0]) not in missing]
    assert given(present) == SystemTest("permutation")


def test_system_test_sets_of_different_sizes_are_no_unequal_allocation() -> None:
    """One system has three outputs on each source, the others have one."""
    rows = [
        (f"{source} {system} {place}", source, system, rater)
        for source, system, rater in ALL
        for place in range(3 if system == "x" else 1)
    ]
    outputs, sources, systems, annotators = np.array(rows, dtype=object).T
    found = system_test(
        FIXED, outputs=outputs, sources=sources, systems=systems, annotators=annotators
    )
    assert found == SystemTest("permutation")


def test_system_test_other_annotators_of_each_source_are_no_unequal_allocation() -> None:
    """Each annotator rates all outputs of a part of the sources; one system has outputs on few."""
    present = [
        (source, system, rater)
        for source, system, rater in ALL
        if "ABC".index(rater) == source % 3 and not (system == "x" and source % 3 == 0)
    ]
    assert given(present) == SystemTest("permutation")


def test_system_test_unequal_allocation_beside_missing_outputs_is_the_mixed_model() -> None:
    """One system has a third of the sources; on these one annotator rates half of its outputs."""
    present = [
        (source, system, rater)
        for source, system, rater in ALL
        if not (system == "x" and (source % 3 or (rater == "A" and source % 2)))
    ]
    found = given(present)
    assert found.name == "mixed_model"
    assert "rated 14 of 14 outputs of one system and 7 of 14 of the other" in found.reason


@pytest.mark.parametrize(("annotators", "is_cautious"), [(1, True), (4, True), (5, False)])
def test_system_test_random_annotators_is_the_mixed_model_whatever_the_counts(
    annotators: int, is_cautious: bool
) -> None:
    found = chosen([[30, 30]] * (annotators - 1) or [[30, 30]], RANDOM)
    if annotators == 1:
        found = given([(n, system, "A") for n in range(30) for system in "xy"], RANDOM)
    assert (found.name, found.reason) == ("mixed_model", "annotators are declared random")
    caution = (
        f"With fewer than 5 annotators declared random (here {annotators}), the mixed model finds "
        "few differences significant."
    )
    assert found.caution == (caution if is_cautious else "")


def test_system_test_systems_declared_random_keeps_the_permutation_test() -> None:
    assert chosen([[30, 30]] * 3, Design(systems="random")).name == "permutation"


def test_system_test_no_ratings_is_the_permutation_test() -> None:
    nothing = np.array([], dtype=object)
    found = system_test(
        FIXED, outputs=nothing, sources=nothing, systems=nothing, annotators=nothing
    )
    assert found == SystemTest("permutation")
