"""The door: what it refuses, what it answers itself, and that a batch gives what one at a time
gives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import pytest

from quaestor_metrics._bleu import BLEU, CorpusBLEU
from quaestor_metrics._contract import (
    MetricFailed,
    MetricResult,
    MetricSpec,
    MetricUnavailable,
    Need,
    NotForLanguage,
    Parameter,
    Preparation,
    ScoredQuestion,
    ScoredSystem,
    ScoredUnit,
    Status,
)
from quaestor_metrics._preparation import UnknownPreparation
from quaestor_metrics._rouge import ROUGEL
from quaestor_metrics._scoring import EmptyReference, score_items

QUESTIONS = [
    ScoredQuestion("Who won the cup?", ("who won the cup ?",)),
    ScoredQuestion("Where is it?", ("where is the gate ?", "where is it found ?")),
    ScoredQuestion("", ("what is this ?",)),
    ScoredQuestion("What?"),
    ScoredQuestion("Why did it rain?", ("when did it rain ?",)),
]
NQG = Preparation(hypothesis="nqg")


@dataclass(frozen=True)
class SharedLetters:
    """A metric for one reference: how many letters both sides have; NaN where told."""

    higher_is_better: bool = True
    needs: frozenset[Need] = frozenset({Need.REFS})
    there: bool = True

    @property
    def spec(self) -> MetricSpec:
        return MetricSpec(
            "letters",
            "Letters",
            "1",
            ScoredUnit.PAIR,
            (0, 100),
            needs=self.needs,
            higher_is_better=self.higher_is_better,
        )

    def available(self) -> tuple[bool, str]:
        return self.there, "" if self.there else "no alphabet is installed"

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        if any(question.hypothesis == "break" for question in batch):
            raise RuntimeError("the alphabet ended")
        return [
            MetricResult(
                nan
                if q.hypothesis == "nan"
                else float(len(set(q.hypothesis) & set(q.references[0])))
            )
            for q in batch
        ]


@pytest.mark.parametrize("metric", [BLEU(1), BLEU(4), ROUGEL()])
def test_batch_equals_one_at_a_time(metric: Any) -> None:
    together = score_items(metric, QUESTIONS, preparation=NQG)
    assert together == [
        score_items(metric, [question], preparation=NQG)[0] for question in QUESTIONS
    ]


@pytest.mark.parametrize("metric", [BLEU(4), ROUGEL()])
def test_order_of_the_batch_changes_nothing(metric: Any) -> None:
    backwards = score_items(metric, QUESTIONS[::-1], preparation=NQG)
    assert backwards[::-1] == score_items(metric, QUESTIONS, preparation=NQG)


def test_each_side_has_its_own_preparation() -> None:
    (prepared,) = score_items(BLEU(1), QUESTIONS[:1], preparation=NQG)
    (raw,) = score_items(BLEU(1), QUESTIONS[:1])
    assert prepared.value == pytest.approx(1)
    assert raw.value is not None and raw.value < 0.5


def test_empty_hypothesis_scores_0() -> None:
    result = score_items(ROUGEL(), [ScoredQuestion(" ", ("a b",))])[0]
    assert (result.value, result.detail) == (0.0, {"note": "empty hypothesis"})


def test_empty_hypothesis_of_a_metric_where_lower_is_better_is_left_to_the_metric() -> None:
    assert (
        score_items(SharedLetters(higher_is_better=False), [ScoredQuestion("", ("ab",))])[0].detail
        == {}
    )


def test_empty_reference_is_refused_with_its_place() -> None:
    with pytest.raises(EmptyReference, match="item 1: reference 0 is empty"):
        score_items(ROUGEL(), [QUESTIONS[0], ScoredQuestion("a", (" ",))])


def test_empty_reference_inside_a_system_is_refused() -> None:
    with pytest.raises(EmptyReference, match="item 0: reference 1 is empty"):
        score_items(CorpusBLEU(), [ScoredSystem((ScoredQuestion("a", ("a", "")),))])


def test_no_reference_is_undefined_with_its_reason() -> None:
    result = score_items(ROUGEL(), [ScoredQuestion("a b")])[0]
    assert (result.value, result.status, result.reason) == (
        None,
        Status.UNDEFINED,
        "the question has no reference",
    )


@pytest.mark.parametrize(("need", "word"), [(Need.CONTEXT, "passage"), (Need.ANSWER, "answer")])
def test_a_missing_passage_or_answer_is_undefined_with_its_reason(need: Need, word: str) -> None:
    result = score_items(SharedLetters(needs=frozenset({need})), [ScoredQuestion("a b")])[0]
    assert (result.status, result.reason) == (Status.UNDEFINED, f"the question has no {word}")


def test_system_without_references_is_undefined_and_others_go_on() -> None:
    empty, full = (
        ScoredSystem((ScoredQuestion("a"),)),
        ScoredSystem((ScoredQuestion("a b c d", ("a b c d",)), ScoredQuestion("x"))),
    )
    got = score_items(CorpusBLEU(), [empty, full])
    assert got[0].status is Status.UNDEFINED
    assert (got[1].value, got[1].detail) == (pytest.approx(1), {"questions": 1})


def test_a_metric_of_pairs_takes_the_best_reference() -> None:
    question = ScoredQuestion("abc", ("a", "ab", "x"))
    assert score_items(SharedLetters(), [question])[0].value == 2
    assert score_items(SharedLetters(higher_is_better=False), [question])[0].value == 0


def test_a_value_that_is_not_a_number_fails_its_item_alone() -> None:
    got = score_items(SharedLetters(), [ScoredQuestion("nan", ("a",)), ScoredQuestion("a", ("a",))])
    assert (got[0].value, got[0].status) == (None, Status.FAILED)
    assert got[1].value == 1


def test_a_metric_that_breaks_is_named() -> None:
    with pytest.raises(MetricFailed, match="letters: the alphabet ended"):
        score_items(SharedLetters(), [ScoredQuestion("break", ("a",))])


def test_a_metric_that_is_not_available_says_why() -> None:
    with pytest.raises(MetricUnavailable, match="letters: no alphabet is installed"):
        score_items(SharedLetters(there=False), QUESTIONS)


def test_an_unknown_preparation_is_refused() -> None:
    with pytest.raises(UnknownPreparation):
        score_items(ROUGEL(), QUESTIONS, preparation=Preparation(hypothesis="stem"))


def test_an_empty_batch_has_no_results() -> None:
    assert score_items(ROUGEL(), []) == []


GERMAN = ScoredQuestion("Wo ist die Mühle?", ("wo steht die mühle ?",), language="de")
CHINESE = ScoredQuestion("谁建造了磨坊？", ("谁建造了这座磨坊？",), language="zh")


class Tokens:
    """A metric that counts tokens: words, or in Chinese characters."""

    spec = MetricSpec(
        "tokens",
        "Tokens",
        "1",
        ScoredUnit.MULTI_REF,
        (0, 100),
        parameters=(Parameter("by", "words", "what is counted", by_language={"zh": "characters"}),),
    )

    def available(self) -> tuple[bool, str]:
        return True, ""

    def score(
        self, batch: Sequence[ScoredQuestion], params: Mapping[str, Any]
    ) -> list[MetricResult]:
        texts = [question.hypothesis for question in batch]
        by_words = params["by"] == "words"
        return [MetricResult(float(len(text.split() if by_words else text))) for text in texts]


def test_score_of_items_in_several_languages_is_by_the_recipe_of_each() -> None:
    found = score_items(Tokens(), [QUESTIONS[0], CHINESE, GERMAN], language="en")

    assert [result.value for result in found] == [4, 7, 4]
    assert [result.value for result in score_items(Tokens(), [QUESTIONS[0]], language="zh")] == [16]


def test_score_leaves_items_undefined_in_a_language_that_the_metric_has_no_recipe_for() -> None:
    found = score_items(BLEU(4), [GERMAN, CHINESE])

    assert found[0].value is not None
    assert (found[1].status, found[1].value) == (Status.UNDEFINED, None)
    assert "Chinese has no spaces between words" in found[1].reason
    with pytest.raises(NotForLanguage):
        score_items(BLEU(4), [CHINESE])


def test_score_of_a_system_that_asks_in_several_languages_is_undefined() -> None:
    systems = [ScoredSystem((GERMAN, QUESTIONS[0])), ScoredSystem((GERMAN,))]

    found = score_items(CorpusBLEU(), systems)

    assert found[0].reason == "the system's questions are in several languages"
    assert found[1].value is not None
