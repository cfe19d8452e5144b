"""The four degradations: what goes, what stays, and that a seed settles it."""

from random import Random

import pytest

from quaestor_metrics._answerability import classes
from quaestor_metrics._degradations import DEGRADATIONS

QUESTION = "Which old castle did Ann Lee of York paint in Leeds last winter"


@pytest.mark.parametrize("kind", DEGRADATIONS)
def test_a_seed_settles_the_result(kind: str) -> None:
    first, second = (DEGRADATIONS[kind](QUESTION, Random(3)) for _ in range(2))
    assert first == second != QUESTION


def test_function_words_all_go_and_nothing_else() -> None:
    assert DEGRADATIONS["function_words"](QUESTION, Random(1)) == (
        "Which old castle Ann Lee York paint Leeds last winter"
    )


@pytest.mark.parametrize(("kind", "place"), [("content_words", 0), ("entities", 1)])
def test_one_to_three_words_of_the_class_go_and_no_others(kind: str, place: int) -> None:
    sizes = set()
    for seed in range(60):
        left = DEGRADATIONS[kind](QUESTION, Random(seed))
        assert left is not None
        gone = list(QUESTION.split())
        for word in left.split():
            gone.remove(word)
        assert all(word.lower() in classes(QUESTION, words="whitespace")[place] for word in gone)
        sizes.add(len(gone))
    assert sizes == {1, 2, 3}


def test_the_question_word_is_changed_in_its_place_with_its_capital() -> None:
    changed = {DEGRADATIONS["question_type"]("Who came?", Random(seed)) for seed in range(60)}
    assert changed == {f"{word} came?" for word in ("What", "Which", "When", "Where", "Why", "How")}


@pytest.mark.parametrize(
    ("kind", "question"),
    [
        ("function_words", "Who came"),
        ("entities", "Who came"),
        ("content_words", "Who is Ann"),
        ("question_type", "Is it Ann"),
        ("entities", ""),
    ],
)
def test_a_question_without_such_a_word_has_no_degradation(kind: str, question: str) -> None:
    assert DEGRADATIONS[kind](question, Random(1)) is None
