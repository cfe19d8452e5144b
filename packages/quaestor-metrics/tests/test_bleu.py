"""BLEU against the edge values of coco's scorer (pycocoevalcap 1.2) and examples worked by hand."""

from math import exp

import pytest

from quaestor_metrics._bleu import BLEU, CorpusBLEU, Sentences, bleu, corpus_bleu
from quaestor_metrics._contract import ScoredQuestion, ScoredSystem
from quaestor_metrics._scoring import score_items


@pytest.mark.parametrize(
    ("hypothesis", "reference", "expected"),
    [
        ("", "a b c", 0),
        ("a b c", "", 0),
        ("", "", 0),
        ("a a a a", "a", 0.25),
        ("a b", "a b", 1),
    ],
)
def test_bleu_1_at_the_edges_is_cocos(hypothesis: str, reference: str, expected: float) -> None:
    assert bleu(hypothesis, [reference])[0] == pytest.approx(expected, abs=1e-6)


def test_bleu_by_hand() -> None:
    # 5 of 6 words, 3 of 5 pairs, 2 of 4 triples, 1 of 3 quadruples; the reference is one word
    # longer
    got = bleu("a b c d x e", ["a b c d y e f"])
    penalty = exp(1 - 7 / 6)
    assert got[0] == pytest.approx(penalty * 5 / 6, abs=1e-8)
    assert got[1] == pytest.approx(penalty * (5 / 6 * 3 / 5) ** (1 / 2), abs=1e-8)
    assert got[2] == pytest.approx(penalty * (5 / 6 * 3 / 5 * 2 / 4) ** (1 / 3), abs=1e-8)
    assert got[3] == pytest.approx(penalty * (5 / 6 * 3 / 5 * 2 / 4 * 1 / 3) ** (1 / 4), abs=1e-8)


def test_bleu_of_an_identical_text_is_a_hair_below_1() -> None:
    assert bleu("a b c d e f g", ["a b c d e f g"])[3] == pytest.approx(1 - 2.1e-10, abs=1e-9)


def test_bleu_4_of_three_words_has_no_quadruple_to_divide_by() -> None:
    assert bleu("a b c", ["a b c"])[3] == pytest.approx(0.0316, abs=1e-4)


def test_bleu_without_a_matching_quadruple_is_tiny_but_not_zero() -> None:
    one_order_empty = bleu("a b c d e", ["a b c x d"])[3]
    two_orders_empty = bleu("a b c d e", ["a b x c d"])[3]
    assert 0 < two_orders_empty < one_order_empty < 1e-3


def test_bleu_clips_by_the_reference_that_has_a_word_most() -> None:
    assert bleu("a a a", ["a a x", "a y z"])[0] == pytest.approx(2 / 3, abs=1e-8)


def test_bleu_takes_the_closest_reference_length_and_the_shorter_of_two() -> None:
    assert bleu("a b c", ["a b", "a b c d"])[0] == pytest.approx(1, abs=1e-8)
    assert bleu("a b c", ["a b c d e", "a b c d"])[0] == pytest.approx(exp(1 - 4 / 3), abs=1e-8)


def test_bleu_ignores_doubled_spaces() -> None:
    assert bleu("a  b c d", ["a b c d"]) == bleu("a b c d", ["a b c d"])


def test_corpus_bleu_of_one_sentence_is_the_sentence_score() -> None:
    assert corpus_bleu([("a b c d e", ["a b c d f"])]) == bleu("a b c d e", ["a b c d f"])


def test_corpus_bleu_adds_counts_not_scores() -> None:
    # 3 of 4 words and 1 of 4 words, equal lengths: 4 of 8
    assert corpus_bleu([("a b c x", ["a b c d"]), ("a x y z", ["a b c d"])])[0] == pytest.approx(
        0.5, abs=1e-8
    )


def test_a_10_000_word_text_is_scored() -> None:
    text = " ".join(str(number % 997) for number in range(10_000))
    assert bleu(text, [text])[3] == pytest.approx(1, abs=1e-6)


def test_metrics_give_the_order_they_are_named_after() -> None:
    question = ScoredQuestion("a b c d x e", ("a b c d y e f",))
    got = [BLEU(order).score([question], {})[0].value for order in (1, 2, 3, 4)]
    assert got == list(bleu(question.hypothesis, question.references))


def test_corpus_metric_says_how_many_questions_it_saw() -> None:
    system = ScoredSystem((ScoredQuestion("a b c d", ("a b c d",)), ScoredQuestion("a", ("b",))))
    assert CorpusBLEU().score([system], {})[0].detail == {"questions": 2}


def test_orders_that_share_count_a_batch_once_and_never_take_another_for_it() -> None:
    sentences = Sentences()
    batch = [ScoredQuestion("a b c d", ("a b c e",)), ScoredQuestion("a", ("a",))]
    apart = [bleu(question.hypothesis, question.references) for question in batch]
    for order in (4, 1):
        assert [one.value for one in score_items(BLEU(order, sentences=sentences), batch)] == [
            each[order - 1] for each in apart
        ]
    assert sentences.scores(batch) is sentences.scores([*batch])
    assert sentences.scores(batch[1:]) == apart[1:]
