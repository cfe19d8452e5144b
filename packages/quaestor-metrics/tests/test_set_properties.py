"""Self-BLEU2, cardinality, types and duplicates of question sets."""

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._bleu import bleu
from quaestor_metrics._contract import ScoredSet, Status
from quaestor_metrics._scoring import score_items
from quaestor_metrics._set_properties import exact_duplicates, near_duplicates, self_bleu_2


def value(id: str, *hypotheses: str, references: tuple[str, ...] = ()) -> float | None:
    return score_items(registry.get(id), [ScoredSet(hypotheses, references)])[0].value


def test_self_bleu_2_by_hand() -> None:
    expected = (bleu("a b c", ["a b d"])[1] + bleu("a b d", ["a b c"])[1]) / 2
    assert self_bleu_2(["a b c", "a b d"]) == pytest.approx(expected)


def test_self_bleu_2_of_copies_is_1_or_as_if_they_were_not_there() -> None:
    assert self_bleu_2(["a b c", "a b c"]) == pytest.approx(1)
    assert self_bleu_2(["a b c", "a b c"], duplicates="drop") == 0


def test_self_bleu_2_of_one_question_is_0() -> None:
    assert self_bleu_2(["a b c"]) == 0


def test_cardinality_difference_is_positive_where_questions_are_missing() -> None:
    assert value("cardinality_difference", "a", references=("a", "b", "c")) == 2
    assert value("cardinality_difference", "a", "b", references=("a",)) == -1
    assert value("cardinality_error", "a", "b", references=("a",)) == 1


def test_types_2_2_2_beat_4_1_1_by_balance_not_by_ratio() -> None:
    even = ("Who a?", "Who b?", "When a?", "When b?", "Why a?", "Why b?")
    uneven = ("Who a?", "Who b?", "Who c?", "Who d?", "When a?", "Why a?")
    assert value("type_ratio", *even) == value("type_ratio", *uneven) == 0.5
    assert value("type_balance", *even) == pytest.approx(1)
    assert value("type_balance", *uneven) == pytest.approx(0.7897, abs=1e-4)


def test_one_type_is_balanced_only_where_there_is_one_question() -> None:
    assert value("type_balance", "Who a?") == 1
    assert value("type_balance", "Who a?", "Who b?") == 0


def test_a_yes_no_answer_makes_a_question_other() -> None:
    one = ScoredSet(("Who is it?", "Who was it?"), answers=("Ann", "Yes."))
    assert score_items(registry.get("type_ratio"), [one])[0].detail["types"] == ["who", "other"]


def test_duplicates_are_counted_once_each_and_white_space_does_not_hide_them() -> None:
    assert exact_duplicates(["a b", "a  b", " a b ", "c"]) == 2


def test_near_duplicates_share_most_words_in_order() -> None:
    questions = [
        "Who built the old town hall?",
        "who built the old town hall",
        "Who built the new bridge?",
    ]
    assert near_duplicates(questions) == 1
    assert near_duplicates(questions, threshold=0.5) == 2


@pytest.mark.parametrize("id", ["self_bleu_2", "type_ratio", "type_balance"])
def test_an_empty_set_is_undefined(id: str) -> None:
    assert score_items(registry.get(id), [ScoredSet(())])[0].status is Status.UNDEFINED


@pytest.mark.parametrize("id", ["exact_duplicates", "near_duplicates", "cardinality_difference"])
def test_an_empty_set_has_no_duplicates(id: str) -> None:
    assert value(id) == 0


def test_types_by_head_of_the_phrase_differ_from_those_by_word() -> None:
    one = ScoredSet(("What year was it?", "What is it?"))
    by_word, by_head = (
        score_items(registry.get("type_ratio"), [one], params={"by": by})[0]
        for by in ("word", "head")
    )
    assert (by_word.value, by_word.detail["types"]) == (0.5, ["what", "what"])
    assert (by_head.value, by_head.detail["types"]) == (1.0, ["when", "what"])
    balance = score_items(registry.get("type_balance"), [one], params={"by": "head"})[0]
    assert balance.value == pytest.approx(1)
