"""A caution beside significant differences of systems that few sources carry."""

from typing import Any

import numpy as np

from analysis.sections.section import Found
from analysis.sections.systems.few_sources import FewSources
from analysis.sections.systems.system_comparisons import SystemComparisons
from tests.analysis.sections import rated, stored
from tests.analysis.sections.computing import chance

PAIR = {"criterion": "clarity", "first": "a", "second": "b"}


def carried(sources: int) -> list[Any]:
    """Return the rows of two systems that differ on seven of these sources, by one point."""
    ratings = np.full((2, sources, 2), 4.0)
    ratings[0, :7] += 1
    read = rated.study(ratings)
    return FewSources().compute(rated.inputs(read), Found(rated.computed(read)), chance())


def test_few_sources_seven_of_sixteen_lose_significance_without_two():
    """Without two of them five differ: no p of five is below 2 / 2^5."""
    (row,) = carried(16)
    assert (row.carried_by, row.units) == (2, 16)


def test_few_sources_that_three_fewer_could_never_show_have_no_caution():
    """With eight sources three fewer leave five, whose p is never below .0625."""
    assert carried(8) == []


def test_few_sources_are_told_in_a_sentence_and_beside_the_pair():
    few = [{**PAIR, "p_holm": 0.03, "carried_by": 2, "units": 20}]
    tests = [
        stored.estimate(0.4, test=test, p=0.03, p_holm=0.03, **PAIR)
        for test in ("difference", "wilcoxon", "t_as_published", "cliffs_delta")
    ]
    found = stored.found(few_sources=few, system_comparisons=tests)
    [sentence] = FewSources().caveats(found)
    assert sentence == (
        "Caution: 1 significant difference depends on 3 sources or fewer and would not be "
        "significant without them."
    )
    [table] = SystemComparisons().tables(found)
    assert table.lines[0].under == "2 of 20 carry it"
    assert list(FewSources().caveats(stored.found())) == []
