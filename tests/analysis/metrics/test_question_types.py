"""The order of the question type rules (Ray Chowdhury et al. 2022, section 6.2)."""

import pytest

from analysis.metrics.question_types import TYPES, question_type


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
