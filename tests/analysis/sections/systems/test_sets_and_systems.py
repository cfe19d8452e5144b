"""Metrics of sets and systems beside those of questions: what systems got, and how far metrics
follow people."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from scipy import stats

from analysis import frames
from analysis.frames import Material
from analysis.reports.metric_names import metric_names
from analysis.runs.actions import runs
from analysis.scoring.actions import scores
from analysis.scoring.actions.scores import ChosenMetric
from analysis.sections.agreement.agreement import Agreement
from analysis.sections.agreement.dependability import DependabilityOfSystems
from analysis.sections.metrics.correlations import Correlations
from analysis.sections.metrics.metric_means import TITLES, MetricMeans
from analysis.sections.systems.mixed_models import MixedModels
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.dataset import System
from judging.datasets.models.score import Metric, Score
from judging.jobs.actions import jobs
from quaestor_metrics import Preparation
from quaestor_metrics._contract import RAW
from tests.analysis.golden import material
from tests.analysis.sections import stored
from tests.analysis.sections.computing import picked, records
from tests.analysis.studies import imported

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def scored(lasting):
    made = imported()
    ids = ("bleu_1", "q_bleu_1", "f_rouge_l", "self_bleu_2", "corpus_bleu_4", "corpus_nist")
    scores.compute_scores(
        made.dataset,
        chosen=[ChosenMetric(id) for id in ids],
        preparation=RAW,
        step=lambda *_: None,
    )
    extrinsic = Metric.objects.create(
        dataset=made.dataset,
        name="QA F1",
        kind="imported",
        scale="percent",
        fingerprint="e" * 64,
    )
    for value, system in enumerate(System.objects.filter(dataset=made.dataset).order_by("-name")):
        Score.objects.create(metric=extrinsic, system=system, value=50 + value)
    return made


@pytest.fixture
def campaign(scored, db):
    return Campaign.objects.get(pk=scored.pk)


def test_systems_get_means_of_questions_and_of_sets_and_scores_as_a_whole(campaign):
    rows = records(MetricMeans, campaign)
    (mean,) = picked(rows, metric="BLEU-1 (coco)", level="question", system="Alba")
    assert (mean["value"], mean["n"]) == (pytest.approx(1), 6)
    (whole,) = picked(rows, metric="corpus BLEU-4 (coco)", level="system", system="Alba")
    assert whole["value"] == pytest.approx(1)
    (qa,) = picked(rows, metric="QA F1", level="system", system="Alba")
    assert (qa["value"], qa["kind"]) == (52.0, "imported")
    named = picked(rows, metric="F-ROUGE-L (beta 1.2)", level="set")
    assert {row["system"] for row in named} == {"Alba", "Brisa", "Corvo"}
    assert picked(rows, metric="F-ROUGE-L (beta 1.2)", level="question") == []


def test_metrics_of_sets_and_systems_are_correlated_at_their_own_level(campaign):
    rows = records(Correlations, campaign)
    of: dict[str, str] = {
        "metric": "F-ROUGE-L (beta 1.2)",
        "criterion": "correctness",
        "coefficient": "pearson",
        "level": "sets",
    }
    (of_sets,) = picked(rows, **of)
    assert of_sets["n"] == 18
    assert of_sets["value"] > 0.8
    read = frames.read_campaign(campaign)
    slots = read.slots.set_index("unit")
    people = read.human("correctness").groupby(slots["question_set"]).mean()
    (metric,) = (each for each in read.metrics if each.name == "F-ROUGE-L (beta 1.2)")
    scores_of = read.score(metric).groupby(slots["question_set"]).first()
    source = slots.groupby("question_set")["source"].first().loc[people.index]
    sets = np.column_stack([people, scores_of.loc[people.index]])
    r = [stats.pearsonr(*sets[(source != each).to_numpy()].T).statistic for each in source.unique()]
    z = np.arctanh(r)
    reach = stats.t.ppf(0.975, 5) * np.sqrt(5 / 6 * ((z - z.mean()) ** 2).sum())
    limits = np.tanh(np.arctanh(of_sets["value"]) + np.array([-reach, reach]))
    assert (of_sets["low"], of_sets["high"]) == pytest.approx(tuple(limits))
    assert (of_sets["clusters"], of_sets["sources"]) == (6, 6)
    (of_systems,) = picked(
        rows, metric="QA F1", criterion="correctness", coefficient="spearman", level="whole_systems"
    )
    assert (of_systems["value"], of_systems["n"]) == (1.0, 3)
    assert of_systems["p_holm"] >= of_systems["p"]


@pytest.mark.long
def test_a_run_puts_q_metrics_sets_and_systems_into_its_tables(campaign):
    parameters = {
        "metrics": ["bleu_1"],
        "prepare_hypothesis": "raw",
        "prepare_reference": "raw",
        "resamples": 50,
        "further": ["metric_means"],
    }
    run = runs.start_run(campaign=campaign, by=campaign.created_by, seed=1, parameters=parameters)
    work = jobs.Work(jobs.claim_job(job_id=run.job_id), worker="test")
    before = Score.objects.count()
    jobs.finish_job(job=work.job, result=runs.execute_run(run=run, work=work))
    tables = dict(runs.StoredTables(run))
    assert Score.objects.count() == before
    assert picked(
        tables["correlations"], metric="Q-BLEU-1 (coco)", criterion="correctness", level="pooled"
    )
    assert {"pooled", "systems", "sets", "whole_systems"} <= {
        row["level"] for row in tables["correlations"]
    }
    laid = MetricMeans().tables(runs.found_by(run))
    assert [table.title for table in laid] == list(TITLES.values())
    assert laid[0].columns == ["Alba", "Brisa", "Corvo"]


def test_nothing_of_sets_or_systems_is_no_row():
    campaign = imported()
    assert {row["level"] for row in records(MetricMeans, campaign)} == {"question"}


def test_columns_of_one_name_are_told_apart(campaign):
    chosen = [ChosenMetric("bleu_1")]
    for preparation in (Preparation("nqg", "nqg"), Preparation("lower", "lower")):
        scores.compute_scores(
            campaign.dataset, chosen=chosen, preparation=preparation, step=lambda *_: None
        )
    other = [ChosenMetric("q_bleu_1", {"delta": 0.1})]
    scores.compute_scores(campaign.dataset, chosen=other, preparation=RAW, step=lambda *_: None)
    named = list(metric_names(list(campaign.dataset.metrics.order_by("pk"))).values())
    assert len(set(named)) == len(named)
    assert "BLEU-1 (coco) (nqg/nqg)" in named


@pytest.fixture(scope="module")
def pairs(lasting) -> Material:
    """Return pairs of questions whose two members hold the same three values of variety."""
    drawn = Random(1)
    lines = ""
    for source in "abcdefghij":
        for system in ("Alba", "Brisa"):
            variety = "".join(str(drawn.randint(1, 3)) for _ in range(3))
            for position in (1, 2):
                question = f"Who built {source} {position}?"
                lines += f"{source}|{system}|{position}|{question}|111 111 111 111 {variety}|\n"
    study = replace(material.QGSTEC_PLUS, name="pairs", lines=lines, reading="as_released")
    return frames.read_campaign(material.imported(study))


def of_first(read: Material) -> Material:
    """Return the dataset without the judgments of second questions."""
    first = read.slots[read.slots["position"] == 1]["unit"]
    return replace(read, judgments=read.judgments[read.judgments["unit"].isin(first)])


def test_agreement_on_what_is_asked_once_per_set_is_also_told_set_by_set(pairs: Material) -> None:
    def alphas(rows: list, basis: str) -> list:
        own = picked(rows, criterion="variety", coefficient="krippendorff_alpha", basis=basis)
        return [{**row, "basis": ""} for row in own]

    rows, alone = records(Agreement, pairs), records(Agreement, of_first(pairs))
    assert alphas(rows, "once per set") == alphas(alone, "all")
    assert [row["n"] for row in alphas(rows, "once per set")] == [20] * 3
    assert [row["n"] for row in alphas(rows, "all")] == [40] * 3
    assert {row["criterion"] for row in rows if row["basis"] == "once per set"} == {"variety"}
    criteria = [stored.criterion("variety")]
    (told, *_) = Agreement().small_print(stored.found(agreement=rows, criteria=criteria))
    assert told.startswith(
        "Variety is asked once per set, and each question of the set has its rating;"
    )
    assert told.endswith(", n = 20.")


def test_what_is_asked_once_per_set_is_one_rating_in_models(pairs: Material) -> None:
    for section in (MixedModels, DependabilityOfSystems):
        of_all, alone = (
            picked(records(section, each, mixed_model="always"), criterion="variety")
            for each in (pairs, of_first(pairs))
        )
        assert not any(row["reason"] for row in of_all)
        assert of_all == alone


def test_a_metric_whose_best_value_lies_between_is_not_correlated(campaign) -> None:
    chosen = [ChosenMetric(f"cardinality_{each}") for each in ("difference", "error")]
    scores.compute_scores(campaign.dataset, chosen=chosen, preparation=RAW, step=lambda *_: None)
    of_sets = {row["metric"] for row in picked(records(Correlations, campaign), level="sets")}
    assert "Absolute cardinality difference" in of_sets
    assert not any(name.startswith("Cardinality difference") for name in of_sets)
    named = {row["metric"] for row in records(MetricMeans, campaign)}
    assert any(name.startswith("Cardinality difference") for name in named)
