"""Recipes of other programs are those programs' own numbers; answerability's two ways to take
words."""

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import NotForLanguage, Preparation, ScoredQuestion
from quaestor_metrics._other_programs import PROGRAMS, package_version
from quaestor_metrics._scoring import score_items

QUESTIONS = [
    ScoredQuestion("Who built the old bridges?", ("Who built the old bridge?", "Who made it?")),
    ScoredQuestion("Why is it red ?", ("What colour is the bridge ?",)),
]
BOTH = bool(package_version("rouge-score") and package_version("nltk"))


@pytest.mark.parametrize("metric", PROGRAMS, ids=lambda metric: metric.spec.id)
def test_a_missing_program_is_told_with_its_command(metric: object) -> None:
    usable, reason = metric.available()  # type: ignore[attr-defined]
    assert usable or reason.endswith("is not installed (extra recipes)")


@pytest.mark.skipif(
    not BOTH, reason="rouge-score and nltk are not installed (python3 run.py extras recipes)"
)
def test_rouge_score_is_the_packages_best_reference() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    for id, kind in (
        ("rouge_score_1", "rouge1"),
        ("rouge_score_2", "rouge2"),
        ("rouge_score_l", "rougeL"),
    ):
        got = [result.value for result in score_items(registry.get(id), QUESTIONS)]
        own = RougeScorer([kind], use_stemmer=True)
        for value, question in zip(got, QUESTIONS, strict=True):
            best = max(
                own.score(one, question.hypothesis)[kind].fmeasure for one in question.references
            )
            assert value == pytest.approx(best)
    plain = score_items(registry.get("rouge_score_1"), QUESTIONS[:1], params={"stemmer": False})[
        0
    ].value
    assert plain == pytest.approx(4 / 5)  # bridges and bridge are two words


@pytest.mark.skipif(
    not BOTH, reason="rouge-score and nltk are not installed (python3 run.py extras recipes)"
)
def test_nltk_scores_are_nltks() -> None:
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    prepared = Preparation("nqg", "nqg")
    (value, _) = score_items(registry.get("nltk_bleu"), QUESTIONS, preparation=prepared)
    words = ["who", "built", "the", "old", "bridges", "?"]
    others = [["who", "built", "the", "old", "bridge", "?"], ["who", "made", "it", "?"]]
    expected = sentence_bleu(others, words, smoothing_function=SmoothingFunction().method1)
    assert value.value == pytest.approx(expected)
    (one,) = score_items(
        registry.get("nltk_bleu"), QUESTIONS[:1], params={"order": 1}, preparation=prepared
    )
    assert one.value == pytest.approx(5 / 6)
    # exact and stem matches: all six words, in one chunk; NLTK takes .5 (1/6)^3 off
    (meteor, _) = score_items(registry.get("nltk_meteor"), QUESTIONS, preparation=prepared)
    assert meteor.value == pytest.approx(1 - 0.5 * (1 / 6) ** 3)


def test_rouge_score_is_for_english_alone() -> None:
    usable, _ = registry.get("rouge_score_l").available()
    if not usable:
        pytest.skip("rouge-score is not installed (python3 run.py extras recipes)")
    with pytest.raises(NotForLanguage):
        score_items(registry.get("rouge_score_l"), QUESTIONS, language="ru")


def test_punctuation_is_no_part_of_a_word_unless_it_is_asked() -> None:
    metric = registry.get("answerability")
    one = [ScoredQuestion("Who directed Titanic?", ("Who directed Titanic ?",))]
    (split,) = score_items(metric, one)
    (whole,) = score_items(metric, one, params={"words": "whitespace"})
    assert split.value == 1
    # content: 1 of 1 and 1 of 2; entity 0; question 1; function neither: P .36 + .20 + .03, R .18 +
    # .20 + .03
    precision, recall = 0.36 + 0.20 + 0.03, 0.18 + 0.20 + 0.03
    assert whole.value == pytest.approx(2 * precision * recall / (precision + recall))
