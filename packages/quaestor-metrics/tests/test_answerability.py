"""Answerability: the four classes, both formulas and the empty class, worked by hand."""

from collections import Counter

import pytest

from quaestor_metrics._answerability import (
    FUNCTION_WORDS,
    PUBLISHED_WEIGHTS,
    Answerability,
    answerability,
    classes,
)
from quaestor_metrics._contract import Preparation, ScoredQuestion
from quaestor_metrics._scoring import MetricFailed, score_items

REFERENCE = "Who was the director of Titanic"
EQUAL = {"content": 0.25, "entity": 0.25, "question": 0.25, "function": 0.25}

MOVIE_STEMS = (
    "act",
    "write",
    "direct",
    "describ",
    "appear",
    "star",
    "genre",
    "language",
    "about",
    "cast",
)


def words(text: str) -> list[list[str]]:
    return [sorted(bag.elements()) for bag in classes(text)]


def test_there_are_119_function_words() -> None:
    assert len(FUNCTION_WORDS) == 119
    assert not FUNCTION_WORDS & {"what", "which", "who", "how"}


def test_classes_of_a_plain_question() -> None:
    assert words(REFERENCE) == [["director"], ["titanic"], ["who"], ["of", "the", "was"]]


def test_a_word_of_a_million_signs_is_read_at_once() -> None:
    """It took hours, in which nobody could cancel the job."""
    assert words("who " + "a" + "!" * 1_000_000 + "b?") == [
        ["a" + "!" * 1_000_000 + "b"],
        [],
        ["who"],
        [],
    ]


def test_the_word_after_what_is_a_question_word_everywhere_it_stands() -> None:
    assert words("What trade did the trade guild join") == [
        ["guild", "join"],
        [],
        ["trade", "what"],
        ["did", "the"],
    ]


def test_a_capital_at_the_beginning_is_an_entity_unless_it_asks() -> None:
    assert words("Is Ann here")[1] == ["ann", "is"]
    assert words("Where is Ann")[1] == ["ann"]


def test_a_question_word_counts_in_two_spellings_only() -> None:
    assert words("WHO asks who")[2] == ["who"]


def test_movie_stems_take_the_place_of_content_words() -> None:
    assert classes("Who directed or acted in it", stems=MOVIE_STEMS)[0] == Counter(
        ["directed", "acted"]
    )


@pytest.mark.parametrize("formula", ["paper", "per_class_f", "clipped_f", "unclipped_f"])
def test_an_identical_question_is_fully_answerable(formula: str) -> None:
    got = answerability(classes(REFERENCE), classes(REFERENCE), PUBLISHED_WEIGHTS, formula=formula)
    assert got == pytest.approx(1, abs=1e-6)


def test_paper_formula_by_hand() -> None:
    # without the entity: content 1/1, entity 0/0 and 0/1, question 1/1, function 3/3
    got = answerability(classes("Who was the director of"), classes(REFERENCE), (0.25,) * 4)
    assert got == pytest.approx(0.75)


def test_paper_formula_weighs_before_it_combines() -> None:
    # content: 1 of 2 words and 1 of 1; entity 1 of 1 and 1 of 2; the other classes are in neither
    mine, theirs = classes("red tall Ann"), classes("red Ann Bob")
    precision, recall = 0.5 * 0.5 + 0.5 * 1, 0.5 * 1 + 0.5 * 0.5
    got = answerability(mine, theirs, (0.5, 0.5, 0, 0))
    assert got == pytest.approx(2 * precision * recall / (precision + recall))
    assert answerability(mine, theirs, (0.5, 0.5, 0, 0), formula="clipped_f") == pytest.approx(
        2 / 3
    )


@pytest.mark.parametrize(
    ("policy", "expected"), [("one", 1.0), ("zero", 0.5), ("renormalise", 1.0)]
)
def test_a_class_neither_question_has(policy: str, expected: float) -> None:
    both = classes("red Ann")
    assert answerability(both, both, (0.25,) * 4, empty_class=policy) == pytest.approx(expected)


def test_renormalise_shares_the_weight_out() -> None:
    got = answerability(
        classes("red Bob"), classes("red Ann"), (0.6, 0.2, 0.1, 0.1), empty_class="renormalise"
    )
    assert got == pytest.approx(0.75)


def test_only_the_script_of_000_counts_a_repeated_word_twice() -> None:
    mine, theirs = classes("red red"), classes("red")
    weights = (1.0, 0.0, 0.0, 0.0)
    assert answerability(mine, theirs, weights, formula="clipped_f") == pytest.approx(2 / 3)
    assert answerability(mine, theirs, weights, formula="unclipped_f") == pytest.approx(4 / 3)


def test_metric_takes_the_nearest_reference() -> None:
    got = score_items(
        Answerability(), [ScoredQuestion(REFERENCE, ("How tall is Everest", REFERENCE))]
    )
    assert got[0].value == pytest.approx(1)


def test_metric_reads_the_raw_text_whatever_preparation_is_asked() -> None:
    question = ScoredQuestion("Who is Ann", ("Who is Bob",))
    assert score_items(
        Answerability(), [question], preparation=Preparation("lower", "lower")
    ) == score_items(Answerability(), [question])


def test_metric_says_when_there_were_no_capitals_to_tell_entities_by() -> None:
    got = score_items(
        Answerability(),
        [
            ScoredQuestion("who is ann", ("who is bob",)),
            ScoredQuestion("Who is it", ("who is it",)),
        ],
    )
    assert [one.detail["cased"] for one in got] == [False, True]


def test_weights_that_do_not_sum_to_1_are_refused() -> None:
    with pytest.raises(MetricFailed, match="not shares that sum to 1"):
        score_items(Answerability(), [ScoredQuestion("a", ("a",))], params=EQUAL | {"content": 0.5})
