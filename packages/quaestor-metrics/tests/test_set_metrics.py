"""Set metrics over any base, a failing one too: what reaches the base, and what an empty side
gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import pytest

from quaestor_metrics._bleu import BLEU, bleu
from quaestor_metrics._contract import (
    MetricResult,
    MetricSpec,
    Need,
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredUnit,
    Scorer,
    Status,
)
from quaestor_metrics._nist import NIST
from quaestor_metrics._q_metric import QMetric
from quaestor_metrics._scoring import EmptyReference, score_items
from quaestor_metrics._set_metrics import MEASURES, Average, Composed, PairScores, can_compose

SET = ScoredSet(("a b c", "x y"), ("a b d", "x y", "q"))


def of(base: Scorer, prefix: str) -> Scorer:
    return Composed(base, prefix) if prefix in MEASURES else Average(base, prefix)


@dataclass
class Counting:
    """A metric that counts what it is asked, and gives NaN or a negative score where told."""

    asked: list[ScoredQuestion] = field(default_factory=list)
    spec = MetricSpec("counting", "Counting", "1", ScoredUnit.PAIR)

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        self.asked.extend(batch)
        return [
            MetricResult({"nan": nan, "minus": -1.0}.get(question.hypothesis, 0.5))
            for question in batch
        ]


@pytest.mark.parametrize("prefix", ["p", "r", "f", "multi", "avg"])
def test_ids_and_scale_follow_the_base(prefix: str) -> None:
    spec = of(BLEU(4), prefix).spec
    assert (spec.id, spec.unit, spec.scale) == (
        f"{prefix}_bleu_4",
        ScoredUnit.SET,
        BLEU(4).spec.scale,
    )


def test_pair_scores_take_the_prediction_as_hypothesis() -> None:
    got = score_items(of(BLEU(1), "p"), [SET])[0].value
    assert got == pytest.approx((bleu("a b c", ["a b d"])[0] + bleu("x y", ["x y"])[0]) / 2)


def test_average_scores_each_prediction_against_all_references_at_once() -> None:
    got = score_items(of(BLEU(1), "avg"), [SET])[0].value
    assert got == pytest.approx(
        (bleu("a b c", SET.references)[0] + bleu("x y", SET.references)[0]) / 2
    )


def test_multi_shows_its_assignment() -> None:
    got = score_items(of(BLEU(1), "multi"), [SET])[0]
    assert [pair[:2] for pair in got.detail["assignment"]] == [(0, 0), (1, 1)]
    assert got.value == pytest.approx(2 * got.detail["total"] / 5)


def test_p_r_f_and_multi_of_a_batch_ask_each_pair_once() -> None:
    base = Counting()
    pairs = PairScores(base)
    for measure in MEASURES:
        score_items(Composed(base, measure, pairs=pairs), [SET, SET])
    assert len(base.asked) == 6


@pytest.mark.parametrize("prefix", ["p", "r", "f", "multi", "avg"])
def test_an_empty_side_is_0_and_two_are_undefined(prefix: str) -> None:
    metric = of(BLEU(1), prefix)
    none, few, both = score_items(
        metric, [ScoredSet((), ("a",)), ScoredSet(("a",), ()), ScoredSet((), ())]
    )
    assert (none.value, few.value) == (0, 0)
    assert (both.value, both.status) == (None, Status.UNDEFINED)


@pytest.mark.parametrize("prefix", ["p", "r", "f", "multi", "avg"])
def test_batch_equals_one_at_a_time(prefix: str) -> None:
    sets = [
        SET,
        ScoredSet(("x",), ("a b d",)),
        ScoredSet((), ("a",)),
        ScoredSet(("", "a"), ("a",)),
    ]
    metric = of(BLEU(2), prefix)
    assert score_items(metric, sets) == [score_items(metric, [one])[0] for one in sets]


@pytest.mark.parametrize("word", ["nan", "minus"])
def test_a_pair_without_a_usable_score_fails_its_set_alone(word: str) -> None:
    bad, good = score_items(
        of(Counting(), "multi"), [ScoredSet((word, "a"), ("a",)), ScoredSet(("a",), ("a",))]
    )
    assert (bad.value, bad.status) == (None, Status.FAILED)
    assert good.value == 0.5


def test_repeated_predictions_are_kept_unless_told() -> None:
    metric, twice = of(BLEU(1), "multi"), ScoredSet(("a b", "a b"), ("a b", "c d"))
    assert score_items(metric, [twice])[0].value == pytest.approx(0.5)
    assert score_items(metric, [twice], params={"dedupe": "exact"})[0].value == pytest.approx(2 / 3)


def test_an_empty_reference_of_a_set_is_refused_with_its_place() -> None:
    with pytest.raises(EmptyReference, match="item 0: reference 1 is empty"):
        score_items(of(BLEU(1), "f"), [ScoredSet(("a",), ("a", " "))])


def test_a_composed_q_metric_still_reads_capitals() -> None:
    metric = of(QMetric(BLEU(1)), "multi")
    one = ScoredSet(("Who is Ann?",), ("Who is Bob?",))
    assert Need.CASED in metric.spec.needs
    assert score_items(metric, [one], preparation=Preparation("lower", "lower")) == score_items(
        metric, [one]
    )


def test_a_composed_metric_that_weighs_by_the_study_says_so() -> None:
    assert Need.STUDY in of(NIST(), "f").spec.needs


def test_a_metric_of_sets_or_where_less_is_better_has_no_set_metric() -> None:
    assert not can_compose(of(BLEU(1), "f").spec)
    assert not can_compose(MetricSpec("a", "A", "1", ScoredUnit.PAIR, higher_is_better=False))


def test_conservative_and_liberal_evaluation_differ_on_sources_with_one_side_alone() -> None:
    """Four sources, by hand: found (BLEU-1 of 2 words of 3), chosen wrongly, missed, neither."""
    found = ScoredSet(("a b c",), ("a b d",))
    sets = [found, ScoredSet(("a",), ()), ScoredSet((), ("a",)), ScoredSet((), ())]
    conservative, liberal = (
        [result.value for result in score_items(metric, sets)]
        for metric in (of(BLEU(1), "conservative"), of(BLEU(1), "liberal"))
    )
    assert conservative == [pytest.approx(2 / 3), 0, 0, None]
    assert liberal == [pytest.approx(2 / 3), None, None, None]
    assert score_items(of(BLEU(1), "liberal"), sets)[1].status is Status.UNDEFINED


def test_conservative_evaluation_takes_all_references_of_a_source() -> None:
    several = ScoredSet(("a b c",), ("a b d", "a b c"))
    multi, conservative = of(BLEU(1), "multi"), of(BLEU(1), "conservative")
    assert score_items(conservative, [several])[0].value == pytest.approx(1)
    assert score_items(multi, [several])[0].value == pytest.approx(2 / 3)
