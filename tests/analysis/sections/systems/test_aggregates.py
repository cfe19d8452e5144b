"""What the systems got, by the protocol's own aggregate."""

from dataclasses import replace

import pytest

from analysis.sections.systems.aggregates import Aggregates, combined_best
from judging.protocols import documents
from judging.protocols.actions import protocols
from judging.protocols.protocol_schema import Aggregate
from tests import factories
from tests.analysis import studies
from tests.analysis.golden import material
from tests.analysis.sections import stored
from tests.analysis.sections.computing import picked, records

pytestmark = pytest.mark.django_db


@pytest.mark.long
def test_what_has_no_best_end_is_not_combined() -> None:
    small = documents.parse(factories.SMALL, "small.yaml")
    form, content = small.criteria
    changed = replace(
        small, criteria=(replace(form, best="none"), content), aggregate=Aggregate("mean", "mean")
    )
    campaign = studies.imported(protocol=protocols.install(document=changed))
    rows = records(Aggregates, campaign)
    combined = {row["system"]: row["aggregate"] for row in rows if row["criterion"] == ""}
    assert combined == {
        row["system"]: row["aggregate"] for row in rows if row["criterion"] == "correctness"
    }
    assert {row["criterion"] for row in rows} == {"", "correctness"}


@pytest.mark.parametrize(("combined", "divisor"), [("sum", 1), ("mean", 4)])
def test_combined_aggregate_weighs_its_criteria(combined, divisor) -> None:
    small = documents.parse(factories.SMALL, "small.yaml")
    form, content = (criterion.key for criterion in small.criteria)
    weighted = Aggregate("mean", combined, weights={form: 3})
    campaign = studies.imported(
        protocol=protocols.install(document=replace(small, aggregate=weighted))
    )
    rows = records(Aggregates, campaign)
    values = {(row["system"], row["criterion"]): row["aggregate"] for row in rows}
    for system in ("Alba", "Brisa", "Corvo"):
        by_hand = (3 * values[system, form] + values[system, content]) / divisor
        assert values[system, ""] == pytest.approx(by_hand)


def said(**documents) -> str:
    return " ".join(Aggregates().sentences(stored.found(**documents)))


def task_a(*rows, **more):
    """Return a run of a protocol whose first criterion has no better end, as the specificity of
    Task A."""
    criteria = [
        stored.criterion("specificity", best="none", level="nominal"),
        stored.criterion(best="lowest"),
    ]
    return stored.found(criteria=criteria, aggregates=list(rows), **more)


def test_the_combined_ranking_takes_its_direction_from_the_criteria_that_are_combined() -> None:
    shipped = documents.shipped("qgstec2010-a")
    assert shipped.criterion("specificity").best == "none"
    assert combined_best(shipped) == "lowest"


def test_combined_aggregate_low_is_best_ranks_upwards_and_prints_nothing_bold() -> None:
    """No test compares combined aggregates."""
    rows = [stored.aggregate("a", 1.17, best="lowest"), stored.aggregate("b", 1.85, best="lowest")]
    (table,) = Aggregates().tables(task_a(*rows))
    assert [(line.last, [cell.best for cell in line.cells]) for line in table.lines] == [
        ("a › b", [False, False])
    ]


def test_a_ranking_of_a_run_from_before_the_direction_was_stored_ignores_criteria_without_best_end() -> (
    None
):
    (table,) = Aggregates().tables(task_a(stored.aggregate("a", 1.17), stored.aggregate("b", 1.85)))
    assert table.lines[0].last == "a › b"


def test_where_the_combined_criteria_disagree_on_the_best_end_nothing_is_ranked() -> None:
    rows = [stored.aggregate("a", 1.0, best="none"), stored.aggregate("b", 2.0, best="none")]
    found = stored.found(aggregates=rows)
    (table,) = Aggregates().tables(found)
    assert table.lines[0].last.startswith("no ranking")
    assert not any(cell.best for cell in table.lines[0].cells)
    assert said(aggregates=rows) == ""


def test_missing_questions_that_change_which_mean_is_best_are_told() -> None:
    rows = [
        stored.aggregate(
            "a", 1.9, key="clarity", mean_expected=1.9, mean_returned=1.9, expected=10, returned=10
        ),
        stored.aggregate(
            "b", 1.2, key="clarity", mean_expected=1.2, mean_returned=2.8, expected=10, returned=2
        ),
    ]
    counts = [stored.returned("a", 10, 10), stored.returned("b", 10, 2)]
    assert said(aggregates=rows, coverage=counts) == (
        "8 questions are missing. Counting them as the protocol does changes which mean is best: "
        "a instead of b on clarity."
    )
    same = [*rows[:1], rows[0] | {"system": "b"}]
    assert said(aggregates=same, coverage=counts) == ""


def test_means_with_and_without_missing_questions_stand_in_two_tables_that_say_their_rule() -> None:
    rows = [
        stored.aggregate(
            "a", 1.9, key="clarity", mean_expected=1.9, mean_returned=1.9, expected=10, returned=10
        ),
        stored.aggregate(
            "b", 1.2, key="clarity", mean_expected=1.2, mean_returned=2.8, expected=10, returned=2
        ),
    ]
    over_returned, over_expected, *_ = Aggregates().tables(stored.found(aggregates=rows))
    assert [(line.cells[0].text, line.last) for line in over_returned.lines] == [
        ("1.90", "10"),
        ("2.80", "2"),
    ]
    assert [(line.cells[0].text, line.last) for line in over_expected.lines] == [
        ("1.90", "10"),
        ("1.20", "10"),
    ]
    assert "identical second question" in over_returned.caption
    assert "counts as the rules value it" in over_expected.caption


def test_readings_that_rank_differently_are_told_with_their_rankings() -> None:
    rows = [
        stored.aggregate("a", 5),
        stored.aggregate("b", 4),
        stored.aggregate("a", 3, reading="as_released"),
        stored.aggregate("b", 4, reading="as_released"),
    ]
    text = said(aggregates=rows)
    assert "depends on how the protocol's rules are read" in text
    assert "best first, a › b in 1 and b › a in 1." in text


def test_readings_are_compared_over_the_systems_that_each_of_them_has() -> None:
    rows = [
        stored.aggregate("a", 5),
        stored.aggregate("b", 4),
        stored.aggregate("", 3),
        stored.aggregate("a", 5, reading="as_released"),
        stored.aggregate("b", None, reading="as_released"),
        stored.aggregate("", 3, reading="as_released"),
    ]
    assert said(aggregates=rows) == (
        "All 2 readings of the protocol's rules rank the systems that have an aggregate in every "
        "reading alike, best first: a › (no name)."
    )


def test_readings_that_rank_alike_are_told_with_ties() -> None:
    rows = [
        stored.aggregate(system, 5, reading=reading)
        for system in "ab"
        for reading in ("by_protocol", "as_released")
    ]
    assert said(aggregates=rows) == (
        "All 2 readings of the protocol's rules rank the systems alike, best first: a = b."
    )


def pairs_of(lines: str) -> list[dict]:
    """Return the aggregates of a study of pairs, by the protocol and before the fatal rule."""
    lines = "\n".join(filter(None, lines.splitlines()))
    study = replace(material.QGSTEC_PLUS, name=f"{lines.count('|')} cells", lines=lines)
    form = {"reading": "by_protocol", "fatal_applied": ""}
    return picked(records(Aggregates, material.imported(study)), **form)


PAIRS = """
a|Alba |1|Who built a?  |111 111 222 111 111|
a|Alba |2|Who made it?  |111 111 222 111 111|
a|Brisa|1|Who was it?   |222 111 222 222 111|
a|Brisa|2|Was it a lock?|222 111 222 222 111|
"""
UNJUDGED = """
b|Alba |1|What was built?|                   |
b|Alba |2|               |                   |
b|Brisa|1|What is b?     |                   |
b|Brisa|2|What is oak?   |                   |
"""
ALONE = """
b|Alba |1|What was built?|111 111 222 111 111|
b|Alba |2|What is of oak?|111 111 222 111 111|
b|Brisa|1|What is b?     |222 111 222 222 111|
b|Brisa|2|What is oak?   |                   |
"""


def test_a_sum_is_not_known_where_returned_questions_have_no_value() -> None:
    rows = pairs_of(PAIRS + ALONE)
    combined = {row["system"]: row["aggregate"] for row in picked(rows, criterion="")}
    assert combined == {"Alba": 24.0, "Brisa": None}
    (of_brisa,) = picked(rows, criterion="relevance", system="Brisa")
    held = ("aggregate", "mean_expected", "mean_returned", "unrated", "unjudged")
    assert [of_brisa[name] for name in held] == [None, 2.0, 2.0, 1, 1]


def test_a_source_that_nobody_judged_adds_nothing_not_even_its_missing_questions() -> None:
    assert pairs_of(PAIRS + UNJUDGED) == pairs_of(PAIRS)


def test_a_mean_of_missing_questions_and_a_part_of_the_others_is_not_known() -> None:
    judged = "b|Brisa|1|What is b?     |222 111 222 222 111|"
    lines = PAIRS + ALONE.replace(judged, "b|Brisa|1|               |                   |")
    (of_brisa,) = picked(pairs_of(lines), criterion="relevance", system="Brisa")
    assert (of_brisa["mean_expected"], of_brisa["mean_returned"]) == (None, 2.0)


def test_a_system_without_a_sum_is_not_ranked_and_the_reason_is_told() -> None:
    of_criterion = {"fatal_applied": "", "expected": 4, "returned": 4, "mean_returned": 2.0}
    rows = [
        stored.aggregate("a", 6, key="clarity", mean_expected=1.5, unjudged=0, **of_criterion),
        stored.aggregate("a", 6, best="lowest"),
        stored.aggregate("b", None, key="clarity", mean_expected=2.0, unjudged=3, **of_criterion),
        stored.aggregate("b", None, best="lowest"),
    ]
    told = (
        "b: 3 returned questions have no value on clarity, so what counts every expected question "
        "is not known"
    )
    assert said(aggregates=rows) == f"{told}."
    twice = [
        row | {"reading": reading} for row in rows for reading in ("by_protocol", "as_released")
    ]
    alike = "All 2 readings of the protocol's rules rank the systems that have an aggregate in every reading alike"
    assert said(aggregates=twice) == f"{alike}, best first: a. {told}."
    combined = next(
        table
        for table in Aggregates().tables(stored.found(aggregates=rows))
        if table.title == "All criteria together"
    )
    (line,) = combined.lines
    assert ([(cell.text, cell.best) for cell in line.cells], line.last) == (
        [("6", False), ("–", False)],
        "a",
    )
    assert combined.reasons == [told]


def test_sums_over_different_numbers_of_questions_are_not_ranked() -> None:
    rows = [
        stored.aggregate("a", 6, key="clarity", expected=4, mean_expected=1.5, fatal_applied=""),
        stored.aggregate("a", 6, best="lowest"),
        stored.aggregate("b", 4, key="clarity", expected=2, mean_expected=2.0, fatal_applied=""),
        stored.aggregate("b", 4, best="lowest"),
    ]
    combined = next(
        table
        for table in Aggregates().tables(stored.found(aggregates=rows))
        if table.title == "All criteria together"
    )
    assert combined.lines[0].last == "no ranking: sums over different numbers of questions"
    assert not any(cell.best for cell in combined.lines[0].cells)
