"""Metrics of sets and systems beside those of questions: what systems got, and how far metrics follow people."""

import numpy as np
import pytest

from analysis import frames
from analysis.actions import beyond, correlations, runs, scores
from analysis.actions.resampling import Resampling
from analysis.actions.scores import Chosen
from analysis.metrics.contract import RAW, Preparation
from analysis.reports import page, system_scores
from judging.actions import jobs
from judging.models import Metric, Score, System
from tests.analysis.studies import imported

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    made = imported()
    ids = ("bleu_1", "q_bleu_1", "f_rouge_l", "self_bleu_2", "corpus_bleu_4", "corpus_nist")
    scores.compute(made.collection, chosen=[Chosen(id) for id in ids], preparation=RAW, step=lambda *_: None)
    extrinsic = Metric.objects.create(
        collection=made.collection, name="QA F1", kind="imported", scale="percent", fingerprint="e" * 64
    )
    for value, system in enumerate(System.objects.filter(collection=made.collection).order_by("-name")):
        Score.objects.create(metric=extrinsic, system=system, value=50 + value)
    return made


def chance():
    return Resampling(np.random.default_rng(1), 100, lambda message: None)


def found(rows, **where):
    return [row for row in rows if where.items() <= row.items()]


def test_systems_get_means_of_questions_and_of_sets_and_scores_as_a_whole(campaign):
    rows = beyond.system_scores(frames.material(campaign))
    (mean,) = found(rows, metric="BLEU-1 (coco)", level="question", system="Alba")
    assert (mean["value"], mean["n"]) == (pytest.approx(1), 6)
    (whole,) = found(rows, metric="corpus BLEU-4 (coco)", level="system", system="Alba")
    assert whole["value"] == pytest.approx(1)
    (qa,) = found(rows, metric="QA F1", level="system", system="Alba")
    assert (qa["value"], qa["kind"]) == (52.0, "imported")
    named = found(rows, metric="F-ROUGE-L (beta 1.2)", level="set")
    assert {row["system"] for row in named} == {"Alba", "Brisa", "Corvo"}
    assert found(rows, metric="F-ROUGE-L (beta 1.2)", level="question") == []


def test_metrics_of_sets_and_systems_are_correlated_at_their_own_level(campaign):
    rows = beyond.correlations(frames.material(campaign), by=chance())
    of = {"metric": "F-ROUGE-L (beta 1.2)", "criterion": "correctness", "coefficient": "spearman", "level": "set"}
    (of_sets,) = found(rows, **of)
    assert of_sets["n"] == 18
    assert of_sets["value"] > 0.8
    assert of_sets["low"] < of_sets["value"] < of_sets["high"]
    (of_systems,) = found(rows, metric="QA F1", criterion="correctness", coefficient="spearman", level="system")
    assert (of_systems["value"], of_systems["n"]) == (1.0, 3)
    assert of_systems["p_holm"] >= of_systems["p"]


def test_a_run_puts_q_metrics_sets_and_systems_into_its_tables(campaign):
    parameters = {"metrics": ["bleu_1"], "prepare_hypothesis": "raw", "prepare_reference": "raw", "resamples": 50}
    run = runs.start(campaign=campaign, by=campaign.created_by, seed=1, parameters=parameters)
    work = jobs.Work(jobs.claim(job_id=run.job_id), worker="test")
    before = Score.objects.count()
    jobs.finish(job=work.job, result=runs.execute(run=run, work=work))
    tables = runs.tables_of(run)
    assert Score.objects.count() == before
    assert found(tables["correlations"], metric="Q-BLEU-1 (coco)", criterion="correctness", coefficient="pearson")
    assert {"question", "set", "system"} <= {row["level"] for row in tables["levels"]}
    laid = page.report(tables)["system_scores"]
    assert [table.title for table in laid] == list(system_scores.TITLES.values())
    assert laid[0].columns == ["Alba", "Brisa", "Corvo"]


def test_nothing_of_sets_or_systems_is_no_row():
    material = frames.material(imported())
    assert beyond.correlations(material, by=chance()) == []
    assert {row["level"] for row in beyond.system_scores(material)} == {"question"}


def test_columns_of_one_name_are_told_apart(campaign):
    chosen = [Chosen("bleu_1")]
    for preparation in (Preparation("nqg", "nqg"), Preparation("lower", "lower")):
        scores.compute(campaign.collection, chosen=chosen, preparation=preparation, step=lambda *_: None)
    other = [Chosen("q_bleu_1", {"delta": 0.1})]
    scores.compute(campaign.collection, chosen=other, preparation=RAW, step=lambda *_: None)
    named = list(correlations.metric_names(list(campaign.collection.metrics.order_by("pk"))).values())
    assert len(set(named)) == len(named)
    assert "BLEU-1 (coco) (nqg/nqg)" in named
