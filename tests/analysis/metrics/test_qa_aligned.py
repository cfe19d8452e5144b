"""QAAligned F1: worked by hand; its pairs come from a passage's sources, or from a table."""

import csv

import pytest

from analysis.actions import items
from analysis.metrics import registry
from analysis.metrics.contract import ScoredSet, ScoredUnit, Status, qa_pair
from analysis.metrics.qa_aligned import QaAligned
from analysis.metrics.scoring import score
from judging.models import Question, Reference, Source, Unit
from tests import factories
from tests.analysis.metrics.test_score_command import run

GENERATED = (
    qa_pair("who built it", "Ann"),
    qa_pair("when", "1790"),
    qa_pair("where", "1790"),
)
GOLD = (qa_pair("who made it", "Ann"), qa_pair("when", "1790"))


def one(generated=GENERATED, gold=GOLD) -> ScoredSet:
    return ScoredSet(("q",), ("r",), qa_pairs=generated, reference_qa_pairs=gold)


def test_f1_of_pairs_is_worked_by_hand() -> None:
    # words: "question: who built it, answer: Ann" has 6, five of them in the first gold pair
    # best of each generated pair by BLEU-1: 5/6, 1, 3/4; best of each gold pair: 5/6, 1
    (found,) = score(registry.get("qa_aligned_bleu_1"), [one()])
    precision, recall = (5 / 6 + 1 + 3 / 4) / 3, (5 / 6 + 1) / 2
    assert found.detail["precision"] == pytest.approx(precision, abs=1e-8)
    assert found.detail["recall"] == pytest.approx(recall, abs=1e-8)
    assert found.value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-8)


def test_a_pair_that_comes_again_counts_once_unless_it_is_asked() -> None:
    metric, twice = registry.get("qa_aligned_bleu_1"), one((*GENERATED, GENERATED[2]))
    (once,) = score(metric, [twice])
    (all_,) = score(metric, [twice], params={"dedupe": "none"})
    assert once == score(metric, [one()])[0]
    assert all_.detail["precision"] == pytest.approx((5 / 6 + 1 + 3 / 4 + 3 / 4) / 4, abs=1e-8)


def test_a_set_without_pairs_is_0_and_without_gold_pairs_undefined() -> None:
    metric = registry.get("qa_aligned_rouge_l")
    none, nothing_to_meet = score(metric, [one(()), one(gold=())])
    assert none.value == 0
    assert (nothing_to_meet.status, nothing_to_meet.value) == (Status.UNDEFINED, None)
    assert qa_pair("who", " ") == qa_pair("", "Ann") == ""


def test_it_is_made_of_what_compares_with_references_alone() -> None:
    made = {
        entry.made_of for entry in registry.all_metrics() if isinstance(entry.metric, QaAligned)
    }
    assert {"bleu_4", "rouge_l", "meteor", "bertscore", "moverscore"} <= made
    assert not made & {"answer_consistency_f1", "answerability_q", "self_bleu_2"}


def test_a_table_gives_pairs_of_a_source_and_a_system(tmp_path) -> None:
    file = tmp_path / "in.csv"
    with file.open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["s", "h", "a", "r", "ra"])
        gold = ['["who made it", "when"]', '["Ann", "1790"]']
        writer.writerow(["1", "who built it", "Ann", *gold])
        writer.writerow(["1", "when", "1790", *gold])
        writer.writerow(["1", "where", "1790", *gold])
    columns = ("--source", "s", "--answer", "a", "--reference-answer", "ra")
    rows = run(file, *columns, metric="qa_aligned_bleu_1", reference="r")
    values = [float(row["qa_aligned_bleu_1"]) for row in rows]
    assert values == pytest.approx([0.8880208] * 3, abs=1e-6)


@pytest.mark.django_db
def test_pairs_of_a_collection_come_from_every_source_of_a_passage() -> None:
    made = factories.collection(sources=3, expected=1)
    first, second, third = made.sources.order_by("position")
    passage = first.passage
    Source.objects.filter(pk=second.pk).update(passage=passage)
    for source, answer in ((first, "Ann"), (second, "1790"), (third, "")):
        Source.objects.filter(pk=source.pk).update(answer=answer)
        Reference.objects.create(source=source, position=1, text=f"who or when {source.position}")
    asked = Question.objects.filter(unit__question_set__source=second)
    asked.update(submitted_answer="in 1791")
    keys = items.targets(made, ScoredUnit.SET)
    found = dict(zip(keys, items.read(made, ScoredUnit.SET, keys), strict=True))
    of_system = Unit.objects.filter(pk__in=keys, question_set__system__name="Alba")
    by_source = {
        source: found[key] for key, source in of_system.values_list("pk", "question_set__source")
    }
    own = Question.objects.filter(unit__question_set__system__name="Alba")
    texts = dict(own.values_list("unit__question_set__source", "text"))
    assert by_source[first.pk].qa_pairs == (
        qa_pair(texts[first.pk], "Ann"),
        qa_pair(texts[second.pk], "in 1791"),
    )
    assert by_source[second.pk].reference_qa_pairs == (
        qa_pair(f"who or when {first.position}", "Ann"),
        qa_pair(f"who or when {second.position}", "1790"),
    )
    nothing = by_source[third.pk]
    assert (nothing.qa_pairs, nothing.reference_qa_pairs) == ((), ())
