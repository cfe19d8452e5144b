"""BERTScore and MoverScore on a real small model; without the extra they say what is missing."""

import csv
from pathlib import Path

import numpy as np
import pytest
from released_data import path

from quaestor_metrics._bertscore import BertScore
from quaestor_metrics._contract import MetricUnavailable, ScoredQuestion
from quaestor_metrics._encoder import MODEL_VARIABLE, encoder
from quaestor_metrics._moverscore import MoverScore, transport_cost
from quaestor_metrics._scoring import score

QUESTIONS = [
    ScoredQuestion("Who built the old bridge?", ("Who was the builder of the bridge?",)),
    ScoredQuestion(
        "Who built the old bridge?", ("How tall is the tower?", "Who built the old bridge?")
    ),
    ScoredQuestion("When did it rain?", ("Who was the builder of the bridge?",)),
    ScoredQuestion("", ("What?",)),
    ScoredQuestion(
        "A much longer question, so that texts of one batch are padded, is it not?", ("Short one?",)
    ),
]
METRICS = [BertScore(), MoverScore()]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.spec.id)
def test_without_a_model_the_reason_is_said(
    metric: BertScore, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(MODEL_VARIABLE, raising=False)
    assert metric.available()[0] is False
    assert "not installed" in metric.available()[1] or MODEL_VARIABLE in metric.available()[1]
    monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path))
    assert (
        "not installed" in metric.available()[1] or "holds no transformer" in metric.available()[1]
    )


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.spec.id)
def test_batch_equals_one_at_a_time(metric: BertScore, model: Path) -> None:
    together = [result.value for result in score(metric, QUESTIONS)]
    encoder.cache_clear()
    alone = [score(metric, [question])[0].value for question in QUESTIONS]
    assert together == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.spec.id)
def test_the_same_question_is_1_and_likeness_orders_the_rest(
    metric: BertScore, model: Path
) -> None:
    alike, same, unlike, empty, _ = (result.value for result in score(metric, QUESTIONS))
    assert same == pytest.approx(1, abs=1e-2)
    assert None not in (alike, unlike)
    assert same > alike > unlike  # type: ignore[operator]
    assert empty == 0


def test_bertscore_part_is_one_of_its_three(model: Path) -> None:
    got = {
        part: score(BertScore(), QUESTIONS[:1], params={"part": part})[0]
        for part in ("precision", "recall", "f1")
    }
    p, r, f = (got[part].value for part in ("precision", "recall", "f1"))
    assert p is not None
    assert r is not None
    assert f == pytest.approx(2 * p * r / (p + r))
    assert got["precision"].detail["recall"] == r


def test_bertscore_layer_changes_the_score(model: Path) -> None:
    assert score(BertScore(), QUESTIONS[:1], params={"layer": 3}) != score(
        BertScore(), QUESTIONS[:1]
    )


def test_a_text_longer_than_the_model_is_cut_and_says_so(model: Path) -> None:
    got = score(
        BertScore(),
        [ScoredQuestion("word " * 10_000, ("word",)), ScoredQuestion("word", ("word",))],
    )
    assert [one.detail["truncated"] for one in got] == [True, False]


def test_bertscore_equals_bert_score(model: Path) -> None:
    library = pytest.importorskip("bert_score")
    for question in QUESTIONS[:3]:
        p, r, f = library.score(
            [question.hypothesis],
            [question.references[0]],
            model_type=str(model),
            num_layers=6,
            verbose=False,
        )
        got = score(BertScore(), [ScoredQuestion(question.hypothesis, question.references[:1])])[
            0
        ].detail
        assert (got["precision"], got["recall"], got["f1"]) == pytest.approx(
            (float(p), float(r), float(f)), abs=1e-6
        )


def test_a_folder_that_holds_no_model_is_named(
    model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config.json").write_text("{}")
    monkeypatch.setenv(MODEL_VARIABLE, str(tmp_path))
    with pytest.raises(MetricUnavailable, match="does not load"):
        score(BertScore(), QUESTIONS[:1])


def test_the_model_is_named_by_its_content(model: Path) -> None:
    assert BertScore().spec.library.startswith("model sha256 ")


def test_transport_of_equal_sizes_is_the_best_assignment() -> None:
    assert transport_cost(np.array([[1.0, 0.2], [0.3, 5.0]])) == pytest.approx(0.25)


def test_transport_of_unequal_sizes_splits_mass() -> None:
    # one word's mass is shared by two: half of it travels 1, half travels 3
    assert transport_cost(np.array([[1.0, 3.0]])) == pytest.approx(2)
    assert transport_cost(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("metric", "column", "r"),
    [(BertScore(), "BERTScore", 0.774), (MoverScore(), "MoverScore", 0.929)],
)
def test_another_model_than_qg_benchs_follows_its_columns(
    metric: BertScore, column: str, r: float, model: Path
) -> None:
    """Published with roberta-large and distilbert, which are not at hand: the values differ, their
    order little."""
    with path("qgbench/sample_300.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = score(
        metric, [ScoredQuestion(row["prediction"], (row["reference_norm"],)) for row in rows]
    )
    published = [float(row[column]) for row in rows]
    assert np.corrcoef([one.value or 0 for one in found], published)[0, 1] == pytest.approx(
        r, abs=0.005
    )
