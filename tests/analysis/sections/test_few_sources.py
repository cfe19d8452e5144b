"""A caution beside significant differences of systems that few sources carry."""

import pytest

from analysis.actions import runs
from analysis.sections.comparisons import Comparisons
from analysis.sections.few_sources import FewSources
from tests.analysis.sections import stored
from tests.analysis.sections.computing import picked
from tests.analysis.studies import analysed, imported

pytestmark = pytest.mark.django_db
PAIR = {"criterion": "clarity", "first": "a", "second": "b"}


@pytest.mark.long
def test_few_sources_of_a_run_are_significant_pairs_that_a_few_carry():
    """Nine sources: the smallest p is 2 / 2^9 = .004, and without three sources 2 / 2^6 = .031, which
    Holm's correction over three pairs does not let pass."""
    tables = dict(runs.StoredTables(analysed(imported(sources=9))))
    tests = picked(tables["comparisons"], criterion="correctness", test="difference")
    significant = [row for row in tests if row["p_holm"] < 0.05]
    rows = picked(tables["few_sources"], criterion="correctness")
    assert significant
    assert {(row["first"], row["second"]) for row in rows} <= {
        (row["first"], row["second"]) for row in significant
    }
    assert all(1 <= row["carried_by"] <= 3 and row["units"] == 9 for row in rows)
    assert rows


def test_few_sources_are_told_in_a_sentence_and_beside_the_pair():
    few = [{**PAIR, "p_holm": 0.03, "carried_by": 2, "units": 20}]
    tests = [
        stored.estimate(0.4, test=test, p=0.03, p_holm=0.03, **PAIR)
        for test in ("difference", "wilcoxon", "t_as_published", "cliffs_delta")
    ]
    found = stored.found(few_sources=few, comparisons=tests)
    [sentence] = FewSources().caveats(found)
    assert sentence == (
        "Caution: 1 significant difference depends on 3 sources or fewer and would not be "
        "significant without them."
    )
    [table] = Comparisons().tables(found)
    assert table.lines[0].under == "2 of 20 carry it"
    assert list(FewSources().caveats(stored.found())) == []
