"""Nema and Khapra 2018: their example, and their released SQuAD judgments against every metric of
theirs.

The paper's tables of correlations are not in the text at hand, so most numbers here are
recomputations kept from drifting; what they say about the paper is in docs/metrics.md.
"""

import json
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from scipy.stats import spearmanr

from quaestor_metrics import (
    MetricUnavailable,
    Preparation,
    ScoredQuestion,
    keep_running,
    score_items,
)
from quaestor_metrics import _registry as registry
from quaestor_metrics._answerability import Bags, bleu_both_ways, classes, harmonic
from quaestor_metrics._bleu import bleu
from quaestor_metrics._weight_tuning import (
    HeldOut,
    JudgedScores,
    WeightSearch,
    class_scores,
    validate_weights,
)
from tests.shared_data import ROOT, path

WORDS = Preparation("ptb", "ptb")
ORACLE = ROOT.parent / "spec" / "metrics_oracle.json"


@pytest.fixture(scope="module", autouse=True)
def one_jvm() -> Iterator[None]:
    """METEOR's Java starts once for this file, if at all."""
    with keep_running([registry.get("meteor")]):
        yield


def test_section_1_bleu_3_of_the_two_questions() -> None:
    """Published: 81.9 for the question that lost its entity, 36.8 for the one that lost its
    question words."""
    reference = ["who was the director of titanic"]
    assert round(100 * bleu("who was the director of", reference)[2], 1) == 81.9
    assert round(100 * bleu("director of titanic", reference)[2], 1) == 36.8


def in_words(question: str) -> Bags:
    """Return a question's words as the authors' script takes them, punctuation left on."""
    return classes(question, words="whitespace")


@cache
def rows() -> list[list[str]]:
    lines = path("nema2018/squad.tsv").read_text(encoding="utf-8").splitlines()[1:]
    return [line.split("\t") for line in lines]


def questions() -> list[ScoredQuestion]:
    return [ScoredQuestion(noised, (original,)) for original, noised, *_ in rows()]


def gold() -> np.ndarray:
    """The mean of both ratings, each brought from 1-5 to 0-1."""
    return np.array([[(int(rating) - 1) / 4 for rating in row[2:4]] for row in rows()]).mean(axis=1)


def values(metric: str, preparation: Preparation = WORDS, **params: object) -> np.ndarray:
    try:
        found = score_items(
            registry.get(metric), questions(), params=params, preparation=preparation
        )
    except MetricUnavailable as missing:
        pytest.skip(str(missing))
    return np.array([result.value for result in found], dtype=float)


@cache
def oracle() -> dict[str, dict[str, dict[str, list[float]]]]:
    if not ORACLE.exists():
        pytest.skip("the recomputed scores are not available beside the project")
    found: dict[str, dict[str, dict[str, list[float]]]] = json.loads(ORACLE.read_text())[
        "nema_khapra_squad"
    ]
    return found


@pytest.mark.parametrize(
    ("metric", "r", "rho"),
    [
        ("bleu_1", 0.199, 0.189),
        ("bleu_2", 0.159, 0.150),
        ("bleu_3", 0.138, 0.138),
        ("bleu_4", 0.134, 0.124),
        ("rouge_l", 0.175, 0.169),
        ("nist", 0.215, 0.195),
    ],
)
def test_correlation_with_judged_answerability(metric: str, r: float, rho: float) -> None:
    got = values(metric)
    assert round(float(np.corrcoef(got, gold())[0, 1]), 3) == r
    assert round(float(spearmanr(got, gold())[0]), 3) == rho


def test_meteor_reads_the_raw_text_and_correlates_best() -> None:
    """Recomputed .352; the paper says NIST is best on SQuAD, which its released judgments do not
    show."""
    assert round(float(np.corrcoef(values("meteor", Preparation()), gold())[0, 1]), 3) == 0.352


def test_bleu_1_correlates_better_than_longer_n_grams() -> None:
    """Reproduced claim: BLEU1 > BLEU2 > BLEU3 > BLEU4."""
    found = [float(np.corrcoef(values(f"bleu_{order}"), gold())[0, 1]) for order in (1, 2, 3, 4)]
    assert found == sorted(found, reverse=True)


@pytest.mark.parametrize(
    ("key", "metric"),
    [("BLEU1", "bleu_1"), ("BLEU4", "bleu_4"), ("ROUGE_L", "rouge_l"), ("NIST5", "nist")],
)
def test_first_ten_questions_to_the_last_digit(key: str, metric: str) -> None:
    assert values(metric)[:10] == pytest.approx(oracle()["first10"]["metrics"][key], abs=1e-9)


@pytest.mark.parametrize(("key", "place"), [("imp", 0), ("ner", 1), ("qt", 2), ("sw", 3)])
def test_word_classes_and_their_scores_are_the_authors(key: str, place: int) -> None:
    pairs = [
        (in_words(noised)[place], in_words(original)[place]) for original, noised, *_ in rows()
    ]
    counts = [
        [(mine & theirs).total(), mine.total(), theirs.total()] for mine, theirs in pairs[:10]
    ]
    assert counts == oracle()["first10"]["clipped_match_hyp_ref_counts"][key]
    f = [
        harmonic(*bleu_both_ways(mine, theirs)) if mine or theirs else 1.0 for mine, theirs in pairs
    ]
    assert f[:10] == pytest.approx(oracle()["first10"]["components_repo_variant"][key], abs=1e-9)
    assert np.mean(f) == pytest.approx(oracle()["component_F_vs_gold_minmax"][key]["mean"])
    assert np.corrcoef(f, gold())[0, 1] == pytest.approx(
        oracle()["component_F_vs_gold_minmax"][key]["r"]
    )


@pytest.mark.parametrize(
    ("metric", "formula", "r"),
    [
        ("q_bleu_1", "paper", 0.394),
        ("q_bleu_1", "clipped_f", 0.409),
        ("q_bleu_1", "per_class_f", 0.425),
        ("q_bleu_4", "per_class_f", 0.376),
        ("q_rouge_l", "per_class_f", 0.400),
        ("q_nist", "paper", 0.401),
        ("q_nist", "per_class_f", 0.431),
        ("q_meteor", "per_class_f", 0.444),
    ],
)
def test_q_metrics_with_the_published_weights(metric: str, formula: str, r: float) -> None:
    prepare = "raw" if metric == "q_meteor" else "ptb"
    assert (
        round(
            float(
                np.corrcoef(
                    values(metric, formula=formula, prepare=prepare, words="whitespace"), gold()
                )[0, 1]
            ),
            3,
        )
        == r
    )


def tuned(method: str, formula: str = "per_class_f") -> list[HeldOut]:
    pairs = [(in_words(noised), in_words(original)) for original, noised, *_ in rows()]
    scores = class_scores(pairs, formula=formula)
    rng = np.random.default_rng(2018)
    judged = JudgedScores(scores, values("bleu_1"), gold())
    return validate_weights(judged, WeightSearch(formula, method), rng=rng)


@pytest.mark.parametrize(
    ("method", "formula"), [("grid", "per_class_f"), ("exact", "per_class_f"), ("grid", "paper")]
)
def test_tuning_q_bleu_1_gains_a_quarter_of_pearson_on_held_out_questions(
    method: str, formula: str
) -> None:
    """Recomputed: .195 to .491, the means of 5 splits of 300 and 597.

    Over 20 other seeds the mean gain of 5 splits was from .270 to .308 (formula paper: .248 to
    .292).
    """
    splits = tuned(method, formula)
    assert [split.n for split in splits] == [597] * 5
    assert np.mean([split.tuned_metric - split.base for split in splits]) >= 0.25
    assert np.mean([split.tuned_metric for split in splits]) == pytest.approx(0.49, abs=0.03)


def test_tuning_does_not_recover_the_published_weights() -> None:
    """Published: question words .20. On the released judgments their class correlates negatively
    and gets nothing."""
    splits = tuned("grid")
    content, entity, question, function = np.mean(
        [split.tuned.weights.words for split in splits], axis=0
    )
    assert question < 0.05
    assert function < 0.02
    assert content + entity > 0.93
    assert max(max(split.tuned.spread.words) for split in splits) < 0.12
