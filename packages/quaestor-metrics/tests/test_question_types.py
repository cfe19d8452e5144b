"""The order of the question type rules (Ray Chowdhury et al. 2022, section 6.2)."""

import pytest

from quaestor_metrics._question_types import TYPES, head_of_phrase, question_type, type_by_head


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who built it?", "who"),
        ("To whom was it given?", "who"),
        ("Whose is it?", "who"),
        ("In what year was it built?", "what"),
        ("Since when?", "when"),
        ("Where is it?", "where"),
        ("How many rooms are there?", "quantity"),
        ("How much is it?", "quantity"),
        ("How does it work?", "how"),
        ("Why?", "why"),
        ("On which day?", "which"),
        ("Is it old?", "other"),
        ("Name the quantity.", "other"),
        ("", "other"),
        ("what are the estimations of how many fell?", "what"),
        ("when did the one who built it die?", "who"),
        ("What somewhere?", "what"),
    ],
)
def test_first_rule_that_fits_decides(question: str, expected: str) -> None:
    assert question_type(question) == expected
    assert expected in TYPES


@pytest.mark.parametrize("answer", ["yes", "No", "yes."])
def test_yes_and_no_make_it_other(answer: str) -> None:
    assert question_type("Who says so?", answer) == "other"


@pytest.mark.parametrize(
    ("question", "declared"),
    [
        ("What U.S. researcher discovered it?", "who"),
        ("The James Bond film series are inspired by which author's novels?", "who"),
        (
            "What percentage of the total mass of the solar system does the Sun comprise of?",
            "quantity",
        ),
        ("Where are Calloden and Bannickburn battlefields?", "where"),
        ("What was Caine's career?", "what"),
        ("Which hurricane did not cause a civilization to collapse?", "which"),
    ],
)
def test_type_by_head_of_published_questions_is_the_declared_one(
    question: str, declared: str
) -> None:
    """The first: Rus et al. 2010, Task A, criterion diversity. The others: questions of the
    development set of Task B with the type that their authors declared."""
    assert type_by_head(question) == declared


@pytest.mark.parametrize(
    ("question", "head", "expected"),
    [
        ("In what year was it built?", "year", "when"),
        ("On which two days?", "day", "when"),
        ("Which countries signed?", "country", "where"),
        ("What people lived there?", "people", "who"),
        ("Which men did he meet?", "man", "who"),
        ("By what means did he travel?", "means", "how"),
        ("For what reason?", "reason", "why"),
        ("What city council approved it?", "council", "what"),
        ("What is the name of the king?", "", "what"),
        ("Which of the kings was it?", "", "which"),
        ("Who wrote it, and in what year?", "year", "who"),
        ("Is it old?", "", "other"),
        ("", "", "other"),
    ],
)
def test_head_of_phrase_decides_only_what_and_which(
    question: str, head: str, expected: str
) -> None:
    assert (head_of_phrase(question), type_by_head(question)) == (head, expected)
    assert expected in TYPES


def test_type_by_head_answered_yes_is_other() -> None:
    assert type_by_head("What year?", "yes") == "other"
