"""Agreement of marked spans."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.stats.spans import (
    between_raters,
    set_overlap,
    token_f1,
    tokens,
    touched,
    with_submitted,
)

TEXT = "the engineer Agnes Tolliver, in 1796"
ENGINEER, AGNES, TOLLIVER, YEAR = (4, 12), (13, 18), (19, 27), (32, 36)
pairs = st.sets(st.integers(0, len(TEXT)), min_size=2, max_size=2).map(
    lambda ends: (min(ends), max(ends))
)
ranges = st.lists(pairs, max_size=3)


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(text)]


def test_tokens_leave_punctuation_out() -> None:
    assert words(TEXT) == ["the", "engineer", "Agnes", "Tolliver", "in", "1796"]


def test_tokens_of_spaceless_scripts_are_characters() -> None:
    assert words("東京は1868年") == ["東", "京", "は", "1868", "年"]
    assert words("𠮷野家") == ["𠮷", "野", "家"]
    for ends in ("ヿ", "㐀", "䶿", "一", "豈", "𠀀"):  # the first or last character of a script
        assert words(2 * ends) == [ends, ends]


def test_tokens_keep_combining_marks_with_their_letters() -> None:
    assert words("cafe\u0301 हिन्दी") == ["cafe\u0301", "हिन्दी"]


def test_tokens_of_nothing_are_none() -> None:
    assert tokens(" , ") == ()


def test_touched_by_a_part_of_a_token_is_enough() -> None:
    assert touched(TEXT, [(15, 20)]) == {2, 3}


@pytest.mark.parametrize("bad", [(3, 3), (5, 2), (-1, 2), (0, 99)])
def test_touched_refuses_ranges_outside_the_text(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="ranges"):
        touched(TEXT, [bad])


def test_token_f1_by_hand() -> None:
    assert token_f1(TEXT, [ENGINEER, AGNES, TOLLIVER], [AGNES, TOLLIVER]) == 0.8
    assert token_f1(TEXT, [AGNES], [YEAR]) == 0
    assert token_f1(TEXT, [(13, 27)], [AGNES, (18, 28)]) == 1


def test_token_f1_of_two_empty_marks_is_agreement_of_one_empty_is_not() -> None:
    assert token_f1(TEXT, [], []) == 1
    assert token_f1(TEXT, [], [YEAR]) == 0


@given(ranges, ranges)
def test_token_f1_is_symmetric_and_between_nought_and_one(
    first: list[tuple[int, int]], second: list[tuple[int, int]]
) -> None:
    assert token_f1(TEXT, first, second) == token_f1(TEXT, second, first)
    assert 0 <= token_f1(TEXT, first, second) <= 1
    assert token_f1(TEXT, first, first) == 1


def test_between_raters_is_the_mean_over_pairs() -> None:
    assert between_raters(TEXT, [[AGNES], [AGNES], [YEAR]]) == pytest.approx(1 / 3)
    assert isnan(between_raters(TEXT, [[AGNES]]))


def test_with_submitted_is_the_mean_over_raters() -> None:
    assert with_submitted(TEXT, [[AGNES, TOLLIVER], []], [AGNES, TOLLIVER]) == 0.5
    assert isnan(with_submitted(TEXT, [[AGNES]], []))
    assert isnan(with_submitted(TEXT, [], [AGNES]))


def test_set_overlap_leaves_out_questions_without_an_answer() -> None:
    assert set_overlap(TEXT, [[AGNES], [AGNES], []]) == 1
    assert set_overlap(TEXT, [[AGNES], [YEAR], [ENGINEER]]) == 0
    assert isnan(set_overlap(TEXT, [[AGNES], []]))
