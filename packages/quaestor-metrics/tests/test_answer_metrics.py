"""Answer consistency: SQuAD's comparison of answers, and a real small reader where the extra is
installed."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import toy_reader
from metric_models import require

from quaestor_metrics import (
    AnswerConsistency,
    AnswerProbability,
    MetricUnavailable,
    Preparation,
    Registry,
    ScoredQuestion,
    ScoredSet,
    Status,
    TransformerModel,
    UnknownMetric,
    normalize_answer,
    recipe,
    score_items,
)
from quaestor_metrics import _answer_reader as reading
from quaestor_metrics._answer_metrics import exact_match, token_f1
from quaestor_metrics._answer_reader import (
    answer_probability,
    best_span,
    reader,
    reason_against_reader,
)
from quaestor_metrics._rank_at_5 import most_answerable


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The Amazon.", "amazon"),
        ("  an  “apple” a day", "“apple” day"),  # SQuAD strips ASCII punctuation only
        ("theatre", "theatre"),
        ("U.S. and the U.K.", "us and uk"),
        ("the", ""),
    ],
)
def test_normalised_is_squads(answer: str, expected: str) -> None:
    assert normalize_answer(answer) == expected


@pytest.mark.parametrize(
    ("answer", "given", "f1", "em"),
    [
        ("Agnes Tolliver", "agnes tolliver", 1, 1),
        ("Tolliver", "Agnes Tolliver", 2 / 3, 0),
        ("to to be", "to be", 4 / 5, 0),  # a word counts as often as it stands on both sides
        ("iron", "wood", 0, 0),
        ("the", "a", 1, 1),
        ("the", "iron", 0, 0),
    ],
)
def test_answers_are_compared_as_bags_of_words_and_as_wholes(
    answer: str, given: str, f1: float, em: float
) -> None:
    assert (token_f1(answer, given), exact_match(answer, given)) == (pytest.approx(f1), em)


def test_the_best_span_is_that_of_all_spans_looked_at_one_by_one() -> None:
    rng = np.random.default_rng(1)
    for size in (1, 2, 50):
        starts, ends = rng.normal(size=(2, size)).astype(np.float32)
        lawful = [
            (i, j) for i in range(size) for j in range(i, min(size, i + reading.ANSWER_PIECES))
        ]
        assert best_span(starts, ends)[:2] == max(
            lawful, key=lambda span: starts[span[0]] + ends[span[1]]
        )


@pytest.mark.parametrize("make", [AnswerConsistency, AnswerProbability])
def test_without_a_reader_the_reason_is_named(
    make: type[AnswerConsistency], tmp_path: Path
) -> None:
    assert make().available() == (False, "no reader is given")
    with pytest.raises(MetricUnavailable, match=make().spec.id):
        score_items(make(), [ScoredQuestion("Who?", (), "Agnes.", "Agnes")])
    usable, reason = make(str(tmp_path)).available()
    assert not usable
    assert "not installed" in reason or "holds no transformer" in reason


def test_a_model_that_was_not_trained_to_answer_is_refused(tmp_path: Path) -> None:
    require("torch", "transformers")
    config, model = tmp_path / "config.json", TransformerModel(str(tmp_path))
    config.write_text(json.dumps({"architectures": ["BertModel"]}))
    assert (
        reason_against_reader(model)
        == f"{tmp_path} holds BertModel, which was not trained to answer questions"
    )
    config.write_text("{}")
    assert "holds no model" in reason_against_reader(model)
    config.write_text(json.dumps({"architectures": ["RobertaForQuestionAnswering"]}))
    assert reason_against_reader(model) == ""


def test_nothing_is_composed_of_a_metric_that_reads_the_passage() -> None:
    assert Registry().variants("answer_consistency_f1") == ()


@pytest.fixture
def f1(trained_reader: Path) -> AnswerConsistency:
    return AnswerConsistency(str(trained_reader))


@pytest.fixture
def em(trained_reader: Path) -> AnswerConsistency:
    return AnswerConsistency(str(trained_reader), measure="em")


@pytest.fixture
def probability(trained_reader: Path) -> AnswerProbability:
    return AnswerProbability(str(trained_reader))


def lessons(count: int, *, fillers: int) -> list[ScoredQuestion]:
    rng = random.Random(fillers)
    found = []
    for _ in range(count):
        facts, kind = toy_reader.facts(rng), rng.choice(list(toy_reader.ASKS))
        text = toy_reader.passage(rng, list(facts.values()), fillers=fillers)
        found.append(ScoredQuestion(toy_reader.ASKS[kind], (), text, facts[kind]))
    return found


def values(metric, questions: list[ScoredQuestion]) -> list[float | None]:
    return [result.value for result in score_items(metric, questions)]


@pytest.mark.parametrize("fillers", [0, 20, 500], ids=["short", "one window", "many windows"])
def test_a_reader_finds_the_answers_wherever_they_stand(
    f1: AnswerConsistency, fillers: int
) -> None:
    questions = lessons(20, fillers=fillers)
    found = score_items(f1, questions)
    assert (
        sum(
            result.detail["answer"] == question.answer
            for result, question in zip(found, questions, strict=True)
        )
        > 18
    )


def test_a_question_that_asks_for_something_else_is_not_consistent(f1: AnswerConsistency) -> None:
    who = ScoredQuestion(
        "Who built the old bridge ?",
        (),
        "In 1851 Agnes Moss built the bridge of Arden .",
        "Agnes Moss",
    )
    when = ScoredQuestion("When was the bridge built ?", (), who.context, who.answer)
    assert values(f1, [who, when]) == [1.0, 0.0]


def test_batch_equals_one_at_a_time(f1: AnswerConsistency) -> None:
    questions = [*lessons(12, fillers=5), *lessons(12, fillers=90)]
    random.Random(3).shuffle(questions)
    together = [result.detail for result in score_items(f1, questions)]
    reader.cache_clear()
    assert together == [score_items(f1, [question])[0].detail for question in questions]


def test_f1_and_exact_match_read_a_question_once(
    f1: AnswerConsistency, em: AnswerConsistency, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = lessons(5, fillers=5)
    found = values(f1, questions)
    (model,) = f1.models.values()
    monkeypatch.setattr(reader(model), "_model", None)  # whatever is read again now fails
    assert values(em, questions) == [float(value == 1) for value in found]


def test_odd_texts_are_read(f1: AnswerConsistency) -> None:
    who, passage = "Who built the bridge ?", "Agnes Moss built the bridge ."
    odd = [
        ScoredQuestion("who " * 10_000, (), passage, "Agnes Moss"),
        ScoredQuestion(who, (), "\x00\x1f", "Agnes Moss"),  # nothing that the model can read
        ScoredQuestion("???\x00", (), passage, "Agnes Moss"),
        ScoredQuestion(who, (), " \n\n ".join([passage] * 3), "Agnes Moss"),
        ScoredQuestion(who, (), "", "Agnes Moss"),
        ScoredQuestion("", (), passage, "Agnes Moss"),
        ScoredQuestion(who, (), passage, " "),
    ]
    long, unreadable, marks, lines, no_passage, empty, no_answer = score_items(f1, odd)
    assert {long.value, marks.value} <= {0.0, 1.0, 2 / 3}
    assert (unreadable.value, unreadable.detail["answer"]) == (0.0, "")
    assert (lines.value, empty.value) == (1.0, 0.0)
    assert (no_passage.reason, no_answer.reason) == (
        "the question has no passage",
        "the question has no answer",
    )


def test_a_folder_whose_model_does_not_load_is_named(trained_reader: Path, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text((trained_reader / "config.json").read_text())
    with pytest.raises(MetricUnavailable, match="does not load"):
        score_items(AnswerConsistency(str(tmp_path)), lessons(1, fillers=0))


def test_the_recipe_names_the_reader_by_its_content(f1: AnswerConsistency) -> None:
    stored = recipe(f1.spec, {}, Preparation())["models"]["reader"]
    assert (stored["name"], stored["device"]) == ("toy-reader0", "cpu")
    assert stored["revision"].startswith("sha256 ")


@pytest.mark.parametrize(
    ("span", "no_answer", "expected"),
    [(2, 2, 0.5), (3, 1, 0.8807970779778823), (-900, 900, 0), (900, -900, 1), (-np.inf, 0, 0)],
)
def test_answer_probability_is_the_softmax_of_answer_and_none(
    span: float, no_answer: float, expected: float
) -> None:
    """The second: 1 / (1 + exp(-2)) as printed by tables of the logistic function."""
    assert answer_probability(span, no_answer) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [
        ([0.9, 0.5, 0.7, 0.4, 0.6, 0.8, 0.95], "gafce"),
        ([0.5, 0.49, 0.5, 0.1, 0, 0, 0], "ac"),
        ([0.1] * 7, ""),
    ],
)
def test_most_answerable_keeps_at_most_five_from_a_probability_of_one_half(
    probabilities: list[float], expected: str
) -> None:
    assert most_answerable("abcdefg", probabilities) == tuple(expected)


def without_answer(questions: list[ScoredQuestion]) -> list[ScoredQuestion]:
    return [
        replace(each, context=each.context.replace(each.answer, "the old lock"))
        for each in questions
    ]


@pytest.mark.parametrize("fillers", [0, 20], ids=["short", "one window"])
def test_answer_probability_parts_answered_questions_from_unanswered(
    probability: AnswerProbability, fillers: int
) -> None:
    answered = lessons(20, fillers=fillers)
    high = values(probability, answered)
    low = values(probability, without_answer(answered))
    assert sum(value > 0.5 for value in high) > 18
    assert sum(value < 0.5 for value in low) > 18


def test_answer_probability_of_many_windows_is_that_of_the_surest(
    probability: AnswerProbability,
) -> None:
    """The answer is in one of some ten windows, and the small model errs on a few of the others."""
    answered = lessons(20, fillers=200)
    high = values(probability, answered)
    low = values(probability, without_answer(answered))
    assert min(high) > 0.5
    assert np.mean(high) - np.mean(low) > 0.5


def test_answer_probability_is_that_of_the_logits_of_the_model(
    probability: AnswerProbability, trained_reader: Path
) -> None:
    """Computed a second time by torch, over all spans of one window."""
    import torch
    from transformers import AutoModelForQuestionAnswering, AutoTokenizer

    question = lessons(1, fillers=5)[0]
    tokenizer = AutoTokenizer.from_pretrained(str(trained_reader))
    model = AutoModelForQuestionAnswering.from_pretrained(str(trained_reader)).eval()
    pieces = tokenizer(question.hypothesis, question.context, return_tensors="pt")
    with torch.inference_mode():
        found = model(**pieces)
    passage = [place for place, part in enumerate(pieces.sequence_ids(0)) if part == 1]
    spans = [
        found.start_logits[0, i] + found.end_logits[0, j]
        for i in passage
        for j in passage
        if i <= j
    ]
    none = found.start_logits[0, 0] + found.end_logits[0, 0]
    expected = torch.softmax(torch.stack([max(spans), none]), dim=0)[0].item()
    assert values(probability, [question]) == [pytest.approx(expected, abs=1e-5)]


def test_rank_at_5_scores_the_questions_that_the_passage_answers(trained_reader: Path) -> None:
    passage = "In 1851 Agnes Moss built the bridge ."
    who, where, when = toy_reader.ASKS.values()
    one = ScoredSet((where, who, when), (who, when), context=passage)
    registry = Registry(readers={"toy": TransformerModel(str(trained_reader))})
    metric = registry.get("rank5_multi_rouge_l")
    plain = score_items(registry.get("multi_rouge_l"), [ScoredSet((when, who), (who, when))])[0]
    got, without, empty = score_items(
        metric, [one, ScoredSet((who,), (who,)), ScoredSet((), (who,), context=passage)]
    )
    assert got.value == plain.value == 1
    assert (without.status, without.reason) == (Status.UNDEFINED, "the source has no passage")
    assert empty.value == 0


def test_rank_at_5_is_a_variant_of_set_metrics_with_references() -> None:
    registry = Registry()
    assert registry.get("rank5_avg_bleu_4").spec.name == "Rank@5 Average-BLEU-4 (coco)"
    for base in ("bleu_4", "self_bleu_2", "multi_q_bleu_1", "rank5_avg_bleu_4"):
        with pytest.raises(UnknownMetric, match="has no variant rank5"):
            registry.get(f"rank5_{base}")
