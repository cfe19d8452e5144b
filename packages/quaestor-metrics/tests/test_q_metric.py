"""Q-metrics: the mixture, what either part reads, and which metrics have one."""

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._bleu import BLEU
from quaestor_metrics._contract import (
    MetricSpec,
    Need,
    Parameter,
    Preparation,
    Scale,
    ScoredQuestion,
    ScoredUnit,
    Status,
)
from quaestor_metrics._nist import NormalizedNIST
from quaestor_metrics._q_metric import QMetric, can_mix
from quaestor_metrics._scoring import score_items

QUESTION = ScoredQuestion("Who was the director of?", ("Who was the director of Titanic?",))
Q_BLEU_1 = QMetric(BLEU(1))


def test_q_metric_is_the_mixture_of_its_parts() -> None:
    got = score_items(Q_BLEU_1, [QUESTION])[0]
    base = score_items(BLEU(1), [QUESTION], preparation=Preparation("ptb", "ptb"))[0].value
    answer = score_items(registry.get("answerability"), [QUESTION])[0].value
    assert base is not None
    assert answer is not None
    assert got.value == pytest.approx(0.66 * answer + 0.34 * base)
    assert (got.detail["base"], got.detail["answerability"]) == (base, answer)


@pytest.mark.parametrize(("delta", "part"), [(0.0, "base"), (1.0, "answerability")])
def test_delta_runs_from_one_part_to_the_other(delta: float, part: str) -> None:
    got = score_items(Q_BLEU_1, [QUESTION], params={"delta": delta})[0]
    assert got.value == pytest.approx(got.detail[part])


def test_no_reference_is_undefined() -> None:
    assert score_items(Q_BLEU_1, [ScoredQuestion("Who?")])[0].status is Status.UNDEFINED


def test_q_metric_needs_capitals_and_carries_the_parameters_of_both() -> None:
    spec = Q_BLEU_1.spec
    assert (spec.id, Need.CASED in spec.needs) == ("q_bleu_1", True)
    assert {"delta", "prepare", "content", "formula", "empty_class"} <= {
        one.name for one in spec.parameters
    }


@pytest.mark.parametrize(
    ("spec", "can"),
    [
        (MetricSpec("a", "A", "1", ScoredUnit.PAIR), True),
        (MetricSpec("a", "A", "1", ScoredUnit.PAIR, scale=Scale.NUMBER), False),
        (MetricSpec("a", "A", "1", ScoredUnit.PAIR, higher_is_better=False), False),
        (
            MetricSpec("a", "A", "1", ScoredUnit.PAIR, parameters=(Parameter("delta", 1, ""),)),
            False,
        ),
    ],
)
def test_only_bounded_metrics_where_more_is_better_have_one(spec: MetricSpec, can: bool) -> None:
    assert can_mix(spec) is can


def test_q_nist_mixes_answerability_with_normalized_nist() -> None:
    q_nist = registry.get("q_nist")
    got = score_items(q_nist, [QUESTION])[0]
    normalized = score_items(NormalizedNIST(), [QUESTION], preparation=Preparation("ptb", "ptb"))[
        0
    ].value
    answer = score_items(registry.get("answerability"), [QUESTION])[0].value
    assert normalized is not None
    assert answer is not None
    assert got.value == pytest.approx(0.66 * answer + 0.34 * normalized)
    assert (q_nist.spec.scale, q_nist.spec.range) == (Scale.FRACTION, (0.0, 1.0))


def test_q_nist_of_a_perfect_question_is_1() -> None:
    question = ScoredQuestion("Who sang it first?", ("Who sang it first?",))
    assert score_items(registry.get("q_nist"), [question])[0].value == pytest.approx(1)
