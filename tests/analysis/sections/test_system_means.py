"""What a report says of the systems' means: who is best, from whom that cannot be told apart, and on what it rests."""

from dataclasses import replace

import pytest

from analysis.sections.system_means import SystemMeans
from judging.actions import rubrics
from judging.formats import rubric as documents
from tests import factories
from tests.analysis import studies
from tests.analysis.sections import stored
from tests.analysis.sections.computing import records
from tests.analysis.sections.stored import criterion, letters, mean

A, B = mean("a", 2.8, 2.7, 2.9), mean("b", 2.1, 2.0, 2.2)


def said(**documents) -> str:
    return " ".join(SystemMeans().sentences(stored.found(**documents)))


def table(**documents):
    (found,) = SystemMeans().tables(stored.found(**documents))
    return found


def test_the_best_mean_is_told_with_what_it_rests_on_and_from_whom_it_is_told_apart():
    text = said(systems=[A, B], groups=letters(a="a", b="b"))
    assert text.startswith(
        "Over 6 sources and 2 annotators, a has the best mean on clarity "
        "(2.80, 2.70 to 2.90, high is best, told apart from all others)."
    )


def test_the_best_mean_is_told_with_those_that_share_a_letter():
    rows = [A, mean("b", 2.7, 2.6, 2.8), mean("c", 2.6, 2.5, 2.7)]
    text = said(systems=rows, groups=letters(a="a", b="ab", c="b"))
    assert "not told apart from b)" in text


def test_without_tests_nothing_is_told_apart():
    assert "not told apart from b)" in said(systems=[A, B])


def test_low_values_that_are_best_win():
    text = said(systems=[A, B], criteria=[criterion(best="lowest")], groups=letters(a="a", b="b"))
    assert "b has the best mean on clarity (2.10, 2.00 to 2.20, low is best" in text


def test_one_system_has_nobody_to_be_better_than():
    assert said(systems=[A]) == ""


def test_criteria_without_best_end_have_no_best_system():
    assert said(systems=[A, B], criteria=[criterion(best="none", level="interval")]) == ""


def test_too_few_sources_are_said_to_tell_nothing_apart():
    pair = stored.estimate(0.7, test="permutation", criterion="clarity", first="a", second="b", floor=0.0625)
    text = said(systems=[A, B], comparisons=[pair | {"n": 5}])
    assert "With 5 sources in common no p of this test can fall below 0.0625" in text
    assert "no p" not in said(systems=[A, B], comparisons=[pair | {"floor": 0.03125}])


@pytest.mark.parametrize(
    ("own", "bold"), [({"a": "a", "b": "b"}, [True, False]), ({"a": "a", "b": "a"}, [False, False])]
)
def test_a_mean_is_bold_only_where_it_is_told_apart_from_all_others(own, bold):
    found = table(systems=[A, B], groups=letters(**own))
    assert [line.cells[0].best for line in found.lines] == bold
    assert [line.cells[0].letters for line in found.lines] == list(own.values())


def test_means_stand_by_merit_with_interval_n_and_what_was_returned():
    found = table(systems=[B, A], returned=[stored.returned("a", 10, 9)])
    assert [(line.name, line.cells[0].text, line.cells[0].under, line.last) for line in found.lines] == [
        ("a", "2.80", "2.70 to 2.90, n = 12", "9 of 10"),
        ("b", "2.10", "2.00 to 2.20, n = 12", ""),
    ]
    assert found.heads() == [{"name": "Clarity", "note": "high is best"}]


@pytest.mark.django_db
def test_values_that_may_not_be_averaged_have_no_mean():
    small = documents.parse(factories.SMALL, "small.yaml")
    form, content = small.criteria
    changed = replace(small, criteria=(replace(form, best="none"), content))
    campaign = studies.imported(rubric=rubrics.install(document=changed))
    assert {row["criterion"] for row in records(SystemMeans, campaign)} == {"correctness"}
