"""NIST worked by hand on a corpus of two short references."""

from math import exp, log, log2

import pytest

from quaestor_metrics._contract import ScoredQuestion, ScoredSystem, Status
from quaestor_metrics._nist import (
    NIST,
    CorpusNIST,
    NormalizedNIST,
    information,
    nist,
    normalized_nist,
    tally_sentence,
)
from quaestor_metrics._scoring import score_items

CORPUS = ["a b c", "a b d"]
SONG = "who wrote the old song about the river"


def test_information_is_in_bits_and_rare_words_tell_more() -> None:
    info = information(CORPUS, 2)
    assert info[("a",)] == log2(6 / 2)
    assert info[("c",)] == log2(6 / 1)
    assert info[("a", "b")] == log2(2 / 2)
    assert info[("b", "c")] == log2(2 / 1)


def test_nist_by_hand() -> None:
    # "a b" against "a b c": two words matched of two, one pair of one; two thirds of the length
    one = tally_sentence("a b", ["a b c"], information(CORPUS, 2), 2)
    unpenalised = (log2(3) + log2(3)) / 2 + 0
    assert nist([one], penalty=False) == pytest.approx(unpenalised)
    assert nist([one]) == pytest.approx(unpenalised * 0.5)


def test_nist_penalty_is_gentle_near_full_length() -> None:
    beta = log(0.5) / log(1.5) ** 2
    info = information(["a b c d e f g h i j"], 1)
    one = tally_sentence("a b c d e f g h i", ["a b c d e f g h i j"], info, 1)
    assert nist([one]) == pytest.approx(nist([one], penalty=False) * exp(beta * log(0.9) ** 2))


def test_nist_does_not_reward_repeating_a_word() -> None:
    info = information(CORPUS, 1)
    assert tally_sentence("a a a", ["a b c"], info, 1).information == (log2(3),)


def test_metric_weighs_by_the_whole_batch() -> None:
    questions = [ScoredQuestion("a b c", ("a b c",)), ScoredQuestion("a b d", ("a b d",))]
    alone, together = score_items(NIST(), questions[:1]), score_items(NIST(), questions)
    assert together[0].value == pytest.approx(
        (log2(3) + log2(3) + log2(6)) / 3 + (0 + 1) / 2 + 1 / 1
    )
    assert alone[0].value != together[0].value


def test_metric_takes_order_and_penalty() -> None:
    question = ScoredQuestion("a b", ("a b c",))
    got = score_items(NIST(), [question], params={"order": 1, "penalty": False})
    assert got[0].value == pytest.approx(log2(3))


def test_no_match_is_0_and_no_reference_undefined() -> None:
    got = score_items(NIST(), [ScoredQuestion("x", ("a b",)), ScoredQuestion("x")])
    assert (got[0].value, got[1].status) == (0, Status.UNDEFINED)


def test_corpus_nist_of_one_question_is_its_nist() -> None:
    question = ScoredQuestion("a b", ("a b c",))
    assert (
        score_items(CorpusNIST(), [ScoredSystem((question,))])[0].value
        == score_items(NIST(), [question])[0].value
    )


def test_corpus_nist_counts_a_source_once_however_many_systems_answer_it() -> None:
    one = ScoredSystem((ScoredQuestion("a b", ("a b c",)), ScoredQuestion("a d", ("a b d",))))
    other = ScoredSystem((ScoredQuestion("a", ("a b c",)),))
    assert score_items(CorpusNIST(), [one, other])[0] == score_items(CorpusNIST(), [one])[0]


@pytest.mark.parametrize(
    ("hypothesis", "expected"),
    [
        ("who wrote the song about the river", 0.8802908958632377),
        (SONG, 1.0),
        ("what is the old river about", 0.47250596759292873),
        ("song about the old river who wrote the the", 0.84640522875817),
    ],
)
def test_normalized_nist_is_the_quotient_of_nltk(hypothesis: str, expected: float) -> None:
    """NLTK 3.10: sentence_nist([reference], hypothesis) / sentence_nist([reference], reference)."""
    info = information([SONG])
    assert normalized_nist(hypothesis, [SONG], info) == pytest.approx(expected, abs=1e-12)


def test_normalized_nist_above_its_reference_is_1() -> None:
    reference = "the the the the the the the the the the the end"
    info = information([reference], 1)
    one = tally_sentence("the the the the the the the the the the end", [reference], info, 1)
    itself = tally_sentence(reference, [reference], info, 1)
    assert nist([one]) > nist([itself])
    assert normalized_nist("the " * 10 + "end", [reference], info, order=1) == 1


def test_normalized_nist_of_a_reference_without_information_is_undefined() -> None:
    got = score_items(NormalizedNIST(), [ScoredQuestion("a", ("a",))])[0]
    assert (got.value, got.status) == (None, Status.UNDEFINED)


def test_normalized_nist_divides_by_the_best_of_several_references() -> None:
    info = information(CORPUS)
    assert normalized_nist("a b d", CORPUS, info) == 1
