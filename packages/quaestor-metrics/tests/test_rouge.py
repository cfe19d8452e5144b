"""ROUGE-L against coco's edge values, a plain dynamic programme, and examples worked by hand."""

import tracemalloc
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quaestor_metrics._contract import ScoredQuestion
from quaestor_metrics._rouge import ROUGEL, lcs_length, rouge_l


def by_table(left: list[str], right: list[str]) -> int:
    row = [0] * (len(right) + 1)
    for token in left:
        above = row[:]
        for place, other in enumerate(right):
            row[place + 1] = (
                above[place] + 1 if token == other else max(above[place + 1], row[place])
            )
    return row[-1]


@given(
    st.lists(st.sampled_from("abcd"), max_size=80), st.lists(st.sampled_from("abcde"), max_size=80)
)
def test_lcs_equals_the_textbook_table(left: list[str], right: list[str]) -> None:
    assert lcs_length(left, right) == by_table(left, right)


def test_lcs_of_10_000_words_takes_far_less_than_a_second() -> None:
    left = [str(number * number % 1013) for number in range(10_000)]
    right = [str(number * 7 % 1013) for number in range(10_000)]
    start = process_time()
    assert 0 < lcs_length(left, right) < 10_000
    assert process_time() - start < 1


def test_a_long_reference_of_different_words_takes_little_memory() -> None:
    """200,000 words took 2.7 gigabytes: each word kept where it stands among all of them."""
    reference = " ".join(str(number) for number in range(200_000))
    tracemalloc.start()
    try:
        assert rouge_l("7 150 99 30000", [reference]) > 0
        _now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100_000_000


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("", "a b c", 0),
        ("a b c", "", 0),
        ("", "", 1),
        ("a b c", "a b c", 1),
        ("a a a a", "a", 0.4485294),
        ("x y", "a b", 0),
    ],
)
def test_rouge_l_at_the_edges_is_cocos(hypothesis: str, reference: str, expected: float) -> None:
    assert rouge_l(hypothesis, [reference]) == pytest.approx(expected, abs=1e-6)


def test_rouge_l_counts_a_doubled_space_as_an_empty_word() -> None:
    assert rouge_l("a  b c", ["a b c"]) == pytest.approx(2.44 * 0.75 / (1 + 1.44 * 0.75))


def test_rouge_l_takes_best_precision_and_best_recall_from_different_references() -> None:
    # 3 of 4 words are in the long reference, 2 of the 2 of the short one
    assert rouge_l("a b c d", ["a b c x y z", "a b"]) == pytest.approx(
        2.44 * 0.75 * 1 / (1 + 1.44 * 0.75)
    )


def test_metric_equals_the_function() -> None:
    question = ScoredQuestion("a b d", ("a b c d",))
    assert ROUGEL().score([question], {})[0].value == rouge_l("a b d", ["a b c d"])
