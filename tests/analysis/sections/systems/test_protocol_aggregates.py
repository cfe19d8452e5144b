"""Aggregates over whole studies equal the rules told set by set."""

from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.sections.systems.protocol_aggregates import arrange_study, scores
from judging.protocols.rules import (
    Fatal,
    Identical,
    Lone,
    Missing,
    Rating,
    Rule,
    RuleReading,
    Slot,
    apply_fatal_rule,
    apply_reading,
    fatal_variants,
    means,
    overall,
)

CRITERIA = ("relevance", "questionType", "variety")
WORST = {"relevance": 4, "questionType": 2, "variety": 3}
RULES: tuple[Rule, ...] = (
    Missing("missing"),
    Identical("identical", {"variety": 3}),
    Lone("lone", {"variety": 3}),
)
FATAL = Fatal("fatal", {"relevance": 4, "questionType": 2}, ("variety",))

ratings = st.lists(
    st.fixed_dictionaries({}, optional={name: st.integers(1, WORST[name]) for name in CRITERIA}),
    max_size=3,
)
slots = st.builds(
    lambda text, given: Slot(
        text, tuple(Rating(f"r{n}", row) for n, row in enumerate(given)) if text else ()
    ),
    st.sampled_from([None, "Who?", "Who ?", "What?", " Who?"]),
    ratings,
)
question_sets = st.lists(slots, min_size=1, max_size=4)
studies = st.dictionaries(
    st.sampled_from("abc"), st.lists(question_sets, min_size=1, max_size=4), min_size=1
)
rule_sets = st.tuples(st.permutations(RULES), st.integers(0, 3)).map(
    lambda drawn: drawn[0][: drawn[1]]
)
Material = dict[str, list[list[Slot]]]


def long(material: Material) -> tuple[list, list]:
    rows, judgments = [], []
    for system, sets in material.items():
        for source, members in enumerate(sets):
            for position, slot in enumerate(members, start=1):
                place = (system, source, position)
                rows.append((*place, slot.text))
                judgments += [
                    (*place, r.rater, key, value)
                    for r in slot.ratings
                    for key, value in r.values.items()
                ]
    return rows, judgments


def by_hand(
    sets: list[list[Slot]], rules: list[Rule], reading: RuleReading, rule: Fatal | None
) -> dict[str, float]:
    counted = [
        slot for members in sets for slot in apply_reading(members, rules, WORST, reading=reading)
    ]
    return overall(apply_fatal_rule(counted, rule, WORST) if rule else counted)


@given(
    studies,
    rule_sets,
    st.sampled_from(["by_protocol", "as_released"]),
    st.sampled_from([None, *fatal_variants(FATAL)]),
)
def test_scores_equal_the_rules_set_by_set(
    material: Material, rules: list[Rule], reading: RuleReading, rule: Fatal | None
) -> None:
    result = scores(
        arrange_study(*long(material), CRITERIA), rules, WORST, reading=reading, fatal=rule
    )
    assert result.systems == tuple(sorted(material))
    for row, system in enumerate(result.systems):
        expected = by_hand(material[system], rules, reading, rule)
        for column, name in enumerate(CRITERIA):
            assert isclose(result.sums[row, column], expected.get(name, 0.0), abs_tol=1e-9)


@given(studies, rule_sets)
def test_scores_count_expected_returned_and_unrated(material: Material, rules: list[Rule]) -> None:
    result = scores(arrange_study(*long(material), CRITERIA), rules, WORST, reading="by_protocol")
    for row, system in enumerate(result.systems):
        counted = [
            slot
            for members in material[system]
            for slot in apply_reading(members, rules, WORST, reading="by_protocol")
        ]
        assert result.expected[row] == len(counted)
        assert result.returned[row] == sum(slot.text is not None for slot in counted)
        for column, name in enumerate(CRITERIA):
            assert result.unrated[row, column] == sum(name not in means(slot) for slot in counted)


def test_scores_means_with_and_without_missing_questions() -> None:
    material = {
        "a": [
            [
                Slot("Who?", (Rating("r", {"relevance": 1, "questionType": 1, "variety": 1}),)),
                Slot(None),
            ]
        ]
    }
    result = scores(arrange_study(*long(material), CRITERIA), RULES, WORST, reading="as_released")
    assert result.means_returned.tolist() == [[1, 1, 1]]
    assert result.means_expected.tolist() == [[2.5, 1.5, 2]]
    assert result.total().tolist() == [12]


def test_scores_system_that_returned_nothing_has_no_mean_over_returned() -> None:
    result = scores(
        arrange_study([("a", 1, 1, None)], [], CRITERIA), RULES, WORST, reading="by_protocol"
    )
    assert np.isnan(result.means_returned).all()
    assert result.sums.tolist() == [[4, 2, 3]]


def test_study_without_slots_is_empty() -> None:
    result = scores(arrange_study([], [], CRITERIA), RULES, WORST, reading="by_protocol")
    assert result.systems == ()
    assert result.sums.shape == (0, 3)


def test_study_refuses_a_slot_given_twice() -> None:
    with pytest.raises(ValueError, match="slots"):
        arrange_study([("a", 1, 1, "Who?"), ("a", 1, 1, "What?")], [], CRITERIA)


def test_study_refuses_a_judgment_without_a_slot() -> None:
    with pytest.raises(ValueError, match="no slot"):
        arrange_study([("a", 1, 1, "Who?")], [("a", 1, 2, "r", "variety", 1)], CRITERIA)


def test_study_refuses_a_rater_who_judged_twice() -> None:
    row = ("a", 1, 1, "r", "variety", 1)
    with pytest.raises(ValueError, match="twice"):
        arrange_study([("a", 1, 1, "Who?")], [row, row], CRITERIA)


def test_study_leaves_out_criteria_that_are_not_asked_for() -> None:
    arranged = arrange_study([("a", 1, 1, "Who?")], [("a", 1, 1, "r", "charm", 1)], CRITERIA)
    assert arranged.ratings.values.shape == (0, 3)
