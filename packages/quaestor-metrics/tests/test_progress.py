"""Whoever waits for scores is told before each text, within metrics too, and may end them."""

import pytest

from quaestor_metrics import _registry as registry
from quaestor_metrics._contract import (
    Preparation,
    ScoredQuestion,
    ScoredSet,
    ScoredSystem,
    ScoredUnit,
)
from quaestor_metrics._progress import interruptible, on_each_text
from quaestor_metrics._scoring import score_items

NQG = Preparation("nqg", "nqg")


class Enough(Exception):
    """No more is wanted."""


class Patience:
    """Counts how often it is told, and has enough after so many."""

    def __init__(self, most: float = float("inf")) -> None:
        self.most, self.times = most, 0

    def __call__(self) -> None:
        self.times += 1
        if self.times > self.most:
            raise Enough


def batch_for(id: str, canal: str) -> list[object]:
    """Return eight texts that no other call has, since metrics remember their last batch."""
    texts = tuple(f"Who built lock {place} of the {canal} canal?" for place in range(8))
    questions = tuple(ScoredQuestion(text, ("Who built it, and when?",)) for text in texts)
    unit = registry.get(id).spec.unit
    if unit is ScoredUnit.SET:
        return [ScoredSet(texts, texts[:2])]
    return [ScoredSystem(questions)] if unit is ScoredUnit.SYSTEM else list(questions)


@pytest.mark.parametrize(
    "id",
    [
        *("bleu_1", "rouge_l", "nist", "answerability", "q_bleu_1", "q_rouge_l"),
        *("f_bleu_1", "multi_q_bleu_1", "avg_bleu_4", "self_bleu_2", "near_duplicates"),
        *("corpus_bleu_4", "corpus_nist"),
    ],
)
def test_a_metric_tells_before_each_text_and_stops_when_told_to(id: str) -> None:
    metric = registry.get(id)
    values = score_items(metric, batch_for(id, "old"), preparation=NQG)
    score_items(metric, batch_for(id, "other"), preparation=NQG)
    whole = Patience()
    with on_each_text(whole):
        assert score_items(metric, batch_for(id, "old"), preparation=NQG) == values
    assert whole.times > 8
    for most in (0, whole.times // 2, whole.times - 1):  # while texts are prepared, and after
        with pytest.raises(Enough), on_each_text(Patience(most)):
            score_items(metric, batch_for(id, f"new {most}"), preparation=NQG)


def test_nobody_is_told_afterwards() -> None:
    before = Patience()
    with pytest.raises(Enough), on_each_text(Patience(1)):
        list(interruptible(range(3)))
    with on_each_text(before):
        pass
    assert list(interruptible(range(3))) == [0, 1, 2]
    assert before.times == 0
