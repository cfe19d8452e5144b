"""The rules of protocols, one set of questions at a time."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judging.protocols.documents import shipped
from judging.protocols.rules import (
    BrokenRule,
    Fatal,
    Force,
    Forced,
    Identical,
    Lone,
    Missing,
    Rating,
    RuleCycle,
    Slot,
    TypeSpread,
    apply_fatal_rule,
    apply_reading,
    apply_slot_rules,
    fatal_variants,
    forced_values,
    means,
    overall,
    quota_scores,
    type_spread,
    unequal,
    violations,
)

TASK_B = shipped("qgstec2010-b")
WORST = TASK_B.worst()
FATAL = next(rule for rule in TASK_B.rules if isinstance(rule, Fatal))
GOOD = {"relevance": 1, "questionType": 1, "correctness": 2, "ambiguity": 1, "variety": 1}


def rated(text: str | None, *values: dict[str, int]) -> Slot:
    return Slot(text, tuple(Rating(f"r{n}", given) for n, given in enumerate(values)))


def test_forced_qgbench_understandability_one_locks_correctness_and_says_why() -> None:
    rules = shipped("qgbench").rules
    result = forced_values(rules, {"grammaticality": 3, "understandability": 1, "correctness": 3})
    assert result == {"correctness": Forced(1, "understandability", rules[0].explanation)}
    assert "too complex" in rules[0].explanation


def test_forced_other_values_leave_everything_alone() -> None:
    assert forced_values(shipped("qgbench").rules, {"understandability": 2, "correctness": 3}) == {}
    assert forced_values(shipped("qgbench").rules, {}) == {}


def test_forced_a_forced_value_is_a_cause_in_its_turn() -> None:
    rules = [Force("two", "b", 1, {"c": 5}, "then c"), Force("one", "a", 1, {"b": 1}, "then b")]
    assert forced_values(rules, {"a": 1, "b": 3}) == {
        "b": Forced(1, "a", "then b"),
        "c": Forced(5, "b", "then c"),
    }


def test_forced_value_that_was_overruled_causes_nothing() -> None:
    rules = [Force("one", "a", 1, {"b": 2}, ""), Force("two", "b", 1, {"c": 5}, "")]
    assert forced_values(rules, {"a": 1, "b": 1}) == {"b": Forced(2, "a", "")}


def test_forced_cycle_is_named() -> None:
    with pytest.raises(RuleCycle):
        forced_values(
            [Force("one", "a", 1, {"b": 1}, ""), Force("two", "b", 1, {"a": 2}, "")], {"a": 1}
        )


criteria = st.sampled_from("abcdef")
values = st.integers(1, 3)


@st.composite
def forces(draw: st.DrawFn) -> Force:
    """A force whose targets come after its cause in the alphabet, so that no circle can arise."""
    cause = draw(st.sampled_from("abcde"))
    later = st.sampled_from([letter for letter in "abcdef" if letter > cause])
    return Force(
        "key",
        cause,
        draw(values),
        draw(st.dictionaries(later, values, min_size=1)),
        draw(st.sampled_from("xy")),
    )


@given(st.lists(forces(), max_size=8), st.dictionaries(criteria, values), st.randoms())
def test_forced_order_never_matters(
    rules: list[Force], given_values: dict[str, int], chance: object
) -> None:
    shuffled = list(rules)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert forced_values(shuffled, given_values) == forced_values(rules, given_values)


@given(st.lists(forces(), max_size=8), st.dictionaries(criteria, values))
def test_forced_twice_is_forced_once(rules: list[Force], given_values: dict[str, int]) -> None:
    once = forced_values(rules, given_values)
    applied = {**given_values, **{key: entry.value for key, entry in once.items()}}
    assert forced_values(rules, applied) == once


def test_missing_pair_gets_the_worst_of_everything_twice() -> None:
    slots = apply_reading([Slot(None), Slot(None)], TASK_B.rules, WORST, reading="by_protocol")
    assert overall(slots) == {
        "relevance": 8,
        "questionType": 4,
        "correctness": 8,
        "ambiguity": 6,
        "variety": 6,
    }
    assert sum(overall(slots).values()) == 32


def test_lone_question_keeps_its_ratings_but_variety() -> None:
    slots = apply_reading(
        [rated("Who?", GOOD, GOOD), Slot(None)], TASK_B.rules, WORST, reading="by_protocol"
    )
    assert means(slots[0]) == {**GOOD, "variety": 3}
    assert means(slots[1]) == WORST


def test_lone_question_as_released_keeps_what_was_rated() -> None:
    slots = apply_reading(
        [rated("Who?", GOOD), Slot(None)], TASK_B.rules, WORST, reading="as_released"
    )
    assert means(slots[0]) == GOOD
    assert means(slots[1]) == WORST


def test_lone_question_without_a_rating_of_variety_gets_it_by_rule() -> None:
    without = {key: value for key, value in GOOD.items() if key != "variety"}
    slots = apply_reading(
        [rated("Who?", without), Slot(None)], TASK_B.rules, WORST, reading="by_protocol"
    )
    assert means(slots[0]) == {**without, "variety": 3}


def test_lone_rule_asks_for_more_than_one_expected() -> None:
    assert apply_slot_rules(["Who?"], [Lone("lone", {"variety": 3})], WORST)[0].values == {}


@pytest.mark.parametrize("second", ["Who was  it?", " Who\nwas it? ", "Who was\u00a0it?"])
def test_identical_second_is_missing_after_white_space_is_collapsed(second: str) -> None:
    pair = [rated("Who was it?", GOOD), rated(second, GOOD)]
    slots = apply_reading(pair, TASK_B.rules, WORST, reading="by_protocol")
    assert [means(slot) for slot in slots] == [{**GOOD, "variety": 3}, WORST]
    assert [
        means(slot) for slot in apply_reading(pair, TASK_B.rules, WORST, reading="as_released")
    ] == [
        GOOD,
        GOOD,
    ]


def test_identical_case_is_kept() -> None:
    pair = [rated("Who was it?", GOOD), rated("who was it?", GOOD)]
    assert apply_reading(pair, TASK_B.rules, WORST, reading="by_protocol") == tuple(pair)


def test_identical_two_empty_slots_are_missing_not_identical() -> None:
    marks = apply_slot_rules([None, " "], [Identical("identical", {"variety": 3})], WORST)
    assert [mark.missing for mark in marks] == [True, True]
    assert [mark.values for mark in marks] == [{}, {}]


def test_identical_in_a_set_of_six_leaves_the_others_alone() -> None:
    marks = apply_slot_rules(
        ["a", "b", "a", "c", None, "a"],
        [Missing("m"), Identical("i", {"v": 4}), Lone("l", {"v": 5})],
        {"v": 9},
    )
    assert [mark.missing for mark in marks] == [False, False, True, False, True, True]
    assert [mark.values for mark in marks] == [{"v": 4}, {}, {"v": 9}, {}, {"v": 9}, {"v": 9}]


def test_fatal_literal_per_rating_sets_all_remaining_to_worst() -> None:
    slots = [rated("Who?", {**GOOD, "relevance": 4}, GOOD)]
    revised = apply_fatal_rule(slots, FATAL, WORST)
    assert revised[0].ratings[0].values == WORST
    assert revised[0].ratings[1].values == GOOD
    assert means(revised[0])["questionType"] == 1.5


def test_fatal_wrong_type_revises_relevance_too_when_literal() -> None:
    revised = apply_fatal_rule([rated("Who?", {**GOOD, "questionType": 2})], FATAL, WORST)
    assert revised[0].ratings[0].values == WORST


def test_fatal_narrow_leaves_relevance_and_type() -> None:
    narrow = Fatal("fatal", FATAL.when, FATAL.named, others="named")
    revised = apply_fatal_rule([rated("Who?", {**GOOD, "questionType": 2})], narrow, WORST)
    assert revised[0].ratings[0].values == {**WORST, "relevance": 1}


def test_fatal_on_means_asks_all_raters_to_agree() -> None:
    on_means = Fatal("fatal", FATAL.when, FATAL.named, applied="on_means")
    split = apply_fatal_rule([rated("Who?", {**GOOD, "relevance": 4}, GOOD)], on_means, WORST)
    agreed = apply_fatal_rule(
        [rated("Who?", {**GOOD, "relevance": 4}, {**GOOD, "relevance": 4})], on_means, WORST
    )
    assert means(split[0]) == {**GOOD, "relevance": 2.5}
    assert means(agreed[0]) == WORST


def test_fatal_value_that_was_dropped_stays_out_of_the_mean() -> None:
    dropped = {key: value for key, value in GOOD.items() if key != "questionType"}
    revised = apply_fatal_rule([rated("Who?", {**dropped, "relevance": 4}, GOOD)], FATAL, WORST)
    assert means(revised[0])["questionType"] == 1


def test_fatal_variants_are_the_four_of_both_switches() -> None:
    assert [(rule.applied, rule.others) for rule in fatal_variants(FATAL)] == [
        ("per_rating", "all_remaining"),
        ("per_rating", "named"),
        ("on_means", "all_remaining"),
        ("on_means", "named"),
    ]


def test_violations_lone_question_with_rated_variety() -> None:
    slots = [Slot(None), rated("Who?", GOOD, {**GOOD, "variety": 3})]
    assert violations(slots, TASK_B.rules) == (BrokenRule("lone", 2, "r0", "variety", 1, 3),)


def test_violations_first_of_identical_questions() -> None:
    slots = [rated("Who?", GOOD), rated("Who?", GOOD)]
    assert violations(slots, TASK_B.rules) == (BrokenRule("identical", 1, "r0", "variety", 1, 3),)


def test_violations_forced_value_contradicted() -> None:
    slots = [
        rated(
            "Who?",
            {"understandability": 1, "correctness": 3},
            {"understandability": 1, "correctness": 1},
        )
    ]
    assert violations(slots, shipped("qgbench").rules) == (
        BrokenRule("too-complex", 1, "r0", "correctness", 3, 1),
    )


def test_violations_of_a_good_pair_are_none() -> None:
    assert violations([rated("Who?", GOOD), rated("What?", GOOD)], TASK_B.rules) == ()


def test_unequal_names_the_rater_who_split_a_pair() -> None:
    slots = [rated("Who?", GOOD, GOOD), rated("What?", GOOD, {**GOOD, "variety": 2})]
    assert unequal(slots, "variety") == ("r1",)


def test_quota_fourth_specific_question_is_surplus() -> None:
    assert quota_scores([3, 3, 3, 3, 2, 1], {1: 1, 2: 2, 3: 3}) == [1, 1, 1, 4, 1, 1]


def test_quota_target_distribution_is_perfect_in_any_order() -> None:
    assert quota_scores([3, 1, 2, 3, 2, 3], {1: 1, 2: 2, 3: 3}) == [1] * 6


def test_quota_missing_and_trivial_questions_are_surplus() -> None:
    assert quota_scores([4, None, None, 1], {1: 1, 2: 2, 3: 3}) == [4, 4, 4, 1]


def test_type_spread_balanced_beats_lopsided_at_equal_share() -> None:
    balanced = type_spread(["who"] * 2 + ["what"] * 2 + ["where"] * 2)
    lopsided = type_spread(["who"] * 4 + ["what", "where"])
    assert balanced == TypeSpread(0.5, 1.0)
    assert lopsided.share == 0.5
    assert round(lopsided.balance, 4) == 0.7897
    assert balanced.reaches(share=0.5, balance=0.9)
    assert not lopsided.reaches(share=0.5, balance=0.9)


def test_type_spread_of_one_type_is_unbalanced_unless_alone() -> None:
    assert type_spread(["who"] * 6) == TypeSpread(1 / 6, 0.0)
    assert type_spread(["who"]) == TypeSpread(1.0, 1.0)


def test_type_spread_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="types"):
        type_spread([])


def test_a_set_of_many_slots_is_settled_at_once() -> None:
    rules = [Identical("same", {"variety": 1})]
    texts = [f"Question {number}?" for number in range(20_000)]
    began = time.process_time()
    marks = apply_slot_rules([*texts, texts[0]], rules, {})
    assert time.process_time() - began < 2  # every slot beside every other takes half a minute
    assert (marks[0].values, marks[1].values) == ({"variety": 1}, {})
    assert (marks[0].missing, marks[-1].missing) == (False, True)
