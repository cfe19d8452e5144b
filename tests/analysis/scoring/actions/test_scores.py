"""Scores of a dataset: computed once, chunk by chunk, whatever happens in between."""

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone

import analysis.tasks  # noqa: F401  # registers the jobs
from analysis.models import Result
from analysis.runs.actions import runs
from analysis.scoring.actions import items, scores, scoring_jobs
from analysis.scoring.actions.scores import ChosenMetric
from analysis.scoring.actions.site_metrics import registry
from judging.datasets.models.dataset import Question, Reference, Unit
from judging.datasets.models.score import Metric, Score
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import MetricResult, MetricSpec, Need, Preparation, ScoredUnit
from quaestor_metrics._contract import RAW
from quaestor_metrics._registry import RegisteredMetric
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db
ALL = [
    ChosenMetric(id)
    for id in (
        "bleu_1",
        "rouge_l",
        "q_bleu_1",
        "nist",
        "f_bleu_1",
        "multi_bleu_1",
        "avg_rouge_l",
        "self_bleu_2",
        "cardinality_difference",
        "corpus_bleu_4",
    )
]


def nothing(done, total, name):
    """Tell nobody."""


@pytest.fixture
def dataset():
    made = factories.dataset(sources=4, expected=2)
    for source in made.sources.all():
        Reference.objects.create(
            source=source, position=1, text=f"Who built lock {source.position} ?"
        )
        Reference.objects.create(source=source, position=2, text="What is made of iron ?")
    return made


def values():
    rows = Score.objects.order_by("metric__fingerprint", "unit", "system")
    return list(rows.values_list("metric__fingerprint", "unit", "system", "value", "reason"))


def computed(dataset, chosen=ALL, preparation=RAW):
    return scores.compute_scores(dataset, chosen=chosen, preparation=preparation, step=nothing)


class Counting:
    """A metric of word counts that remembers what it was asked, and can be made to break."""

    spec = MetricSpec(
        id="counting",
        name="Counting",
        version="1",
        unit=ScoredUnit.MULTI_REF,
        needs=frozenset(),
        range=(0, 99),
    )

    def __init__(self):
        self.asked, self.calls, self.breaks_at = [], 0, None

    def available(self):
        return True, ""

    def score(self, batch, params):
        self.calls += 1
        if self.calls == self.breaks_at:
            raise KeyboardInterrupt
        self.asked += [question.hypothesis for question in batch]
        return [MetricResult(float(len(question.hypothesis.split()))) for question in batch]


@pytest.fixture
def counting(monkeypatch):
    metric = Counting()
    entry = RegisteredMetric("counting", "a test", metric)
    monkeypatch.setitem(registry().entries, "counting", entry)
    monkeypatch.setattr(scores, "CHUNK", 5)
    return metric


def test_scores_stand_on_the_question_the_set_or_the_system(dataset):
    found = computed(dataset)
    assert found.failures == {}
    assert found.values == 4 * 16 + 5 * 8 + 2
    by_name = {metric.made["id"]: metric for metric in Metric.objects.all()}
    assert by_name["q_bleu_1"].scores.filter(unit__position__isnull=False).count() == 16
    assert by_name["f_bleu_1"].scores.filter(unit__position__isnull=True).count() == 8
    assert (
        by_name["corpus_bleu_4"].scores.filter(unit__isnull=True, system__isnull=False).count() == 2
    )
    assert set(by_name["cardinality_difference"].scores.values_list("value", flat=True)) == {0.0}


def test_a_set_without_a_unit_of_its_own_gets_one(dataset):
    Unit.objects.filter(position__isnull=True).delete()
    assert computed(dataset, [ChosenMetric("self_bleu_2")]).values == 8
    assert Unit.objects.filter(position__isnull=True).count() == 8


def test_a_set_without_questions_scores_nothing_against_its_references(dataset):
    first = dataset.sources.first().question_sets.first()
    first.units.filter(position__isnull=False).delete()
    computed(dataset, [ChosenMetric("f_bleu_1")])
    assert Score.objects.get(unit__question_set=first).value == 0


def test_metrics_that_need_passage_or_answer_get_them(dataset):
    (question, *_) = items.read_metric_items(
        dataset, ScoredUnit.PAIR, items.targets(dataset, ScoredUnit.PAIR)
    )
    assert question.context == "Lock 1 was built by Agnes Tolliver. It has iron gates."
    assert question.answer == "Agnes Tolliver"
    assert question.references == ("Who built lock 1 ?", "What is made of iron ?")


def test_the_second_time_nothing_is_computed(dataset, counting):
    assert computed(dataset, [ChosenMetric("counting")]).values == 16
    assert computed(dataset, [ChosenMetric("counting")]).values == 0
    assert len(counting.asked) == 16


def test_chunks_give_what_one_at_a_time_gives(dataset, monkeypatch):
    computed(dataset)
    whole = values()
    Metric.objects.all().delete()
    monkeypatch.setattr(scores, "CHUNK", 1)
    monkeypatch.setattr(scores, "CHUNKS", {ScoredUnit.SET: 1, ScoredUnit.SYSTEM: 1})
    computed(dataset)
    assert values() == whole


def test_other_settings_or_preparation_are_another_column(dataset):
    computed(dataset, [ChosenMetric("q_bleu_1")])
    computed(dataset, [ChosenMetric("q_bleu_1", {"formula": "clipped_f"})])
    computed(dataset, [ChosenMetric("bleu_1")], Preparation("nqg", "nqg"))
    computed(dataset, [ChosenMetric("bleu_1")])
    assert Metric.objects.count() == 4
    assert Score.objects.count() == 64


def test_what_cannot_be_computed_is_named_and_the_others_go_on(dataset):
    found = computed(
        dataset,
        [
            ChosenMetric("bleu_1"),
            ChosenMetric("none_such"),
            ChosenMetric("q_bleu_1", {"formula": "best"}),
        ],
    )
    assert found.values == 16
    assert "no metric is called none_such" in found.failures["none_such"]
    assert "formula is one of" in found.failures["q_bleu_1"]


def test_a_blank_reference_is_named_with_its_source(dataset):
    Reference.objects.filter(source__key="s2", position=2).update(text=" ")
    found = computed(dataset, [ChosenMetric("bleu_1"), ChosenMetric("self_bleu_2")])
    assert found.failures["bleu_1"] == "reference 2 of source s2 is empty"


def test_without_references_metrics_that_need_none_go_on():
    found = computed(
        factories.dataset(expected=2), [ChosenMetric("bleu_1"), ChosenMetric("self_bleu_2")]
    )
    assert found.failures == {"bleu_1": "no source of this dataset has a reference"}
    assert found.values == 4


def test_a_metric_that_needs_the_study_gets_it_in_one_piece(dataset, counting):
    counting.spec = MetricSpec(
        id="counting",
        name="Counting",
        version="1",
        unit=ScoredUnit.MULTI_REF,
        needs=frozenset({Need.STUDY}),
        range=(0, 99),
    )
    computed(dataset, [ChosenMetric("counting")])
    assert counting.calls == 1


PARAMETERS = {
    "metrics": [{"id": "counting", "params": {}}, {"id": "bleu_1", "params": {}}],
    "prepare_hypothesis": "raw",
    "prepare_reference": "raw",
}


def job_of(dataset, kind=scoring_jobs.KIND):
    return scoring_jobs.start_scoring(
        dataset=dataset, by=dataset.owner, kind=kind, parameters=PARAMETERS
    )


def carried_out(job):
    current_app.tasks[job.kind](str(job.pk))
    job.refresh_from_db()
    return job


def taken_over():
    """Let the time pass after which a silent worker is dead."""
    Job.objects.update(heartbeat_at=timezone.now() - jobs.LEASE - timedelta(seconds=1))
    assert len(jobs.requeue_lost()) == 1


@pytest.mark.django_db(transaction=True)
def test_the_successor_of_a_dead_worker_computes_nothing_twice(dataset, counting):
    job = job_of(dataset)
    counting.breaks_at = 2
    with pytest.raises(
        KeyboardInterrupt
    ):  # as when the process ends in the middle of its second chunk
        carried_out(job)
    assert Score.objects.filter(metric__name="Counting").count() == 5
    taken_over()
    job = carried_out(job)
    assert (job.state, job.attempts) == ("done", 2)
    assert sorted(counting.asked) == sorted(set(counting.asked))
    assert len(counting.asked) == 16
    resumed = values()
    Metric.objects.all().delete()
    carried_out(job_of(dataset))
    assert [row[1:] for row in resumed] == [row[1:] for row in values()]


@pytest.mark.django_db(transaction=True)
def test_a_run_whose_worker_died_goes_on_from_the_scores_that_were_committed(counting):
    campaign = studies.imported()
    run = runs.start_run(
        campaign=campaign,
        by=campaign.created_by,
        seed=1,
        parameters={"metrics": ["counting"], "resamples": 100},
    )
    counting.breaks_at = 3
    with pytest.raises(KeyboardInterrupt):
        carried_out(run.job)
    assert Score.objects.filter(metric__name="Counting").count() == 10
    assert not Result.objects.exists()
    taken_over()
    assert (carried_out(run.job).state, run.job.error) == ("done", "")
    assert len(counting.asked) == Score.objects.filter(metric__name="Counting").count() == 18
    assert "Counting" in {row["name"] for row in dict(runs.StoredTables(run))["metric_definitions"]}


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_job_keeps_what_is_computed(dataset, counting, monkeypatch):
    job = job_of(dataset)
    shown = jobs.Work.progress

    def cancelled_after_a_chunk(work, done, total, message=""):
        if done:
            work._cancelled.set()
        shown(work, done, total, message)

    monkeypatch.setattr(jobs.Work, "progress", cancelled_after_a_chunk)
    assert carried_out(job).state == "cancelled"
    assert Score.objects.count() == 5


@pytest.mark.django_db(transaction=True)
def test_an_estimate_times_a_sample_and_keeps_no_score(dataset, counting):
    job = carried_out(job_of(dataset, scoring_jobs.ESTIMATE))
    assert job.state == "done"
    assert [row["n"] for row in job.result["rows"]] == [16, 16]
    assert job.result["seconds"] > 0
    assert not Score.objects.exists()
    assert not Metric.objects.exists()


def test_core_metrics_that_a_dataset_brings_are_not_computed_by_default() -> None:
    dataset = factories.dataset()
    assert scores.core_metrics(dataset) == list(scores.CORE)
    dataset.metrics.create(
        name="Bleu_4", kind="imported", direction="higher", scale="fraction", fingerprint="x" * 64
    )

    assert scores.core_metrics(dataset) == ["rouge_l"]


def test_a_set_comes_with_the_passage_of_its_source_also_if_it_is_empty(dataset):
    Question.objects.all().delete()
    keys = items.targets(dataset, ScoredUnit.SET)
    passages = set(dataset.sources.values_list("passage__text", flat=True))
    assert {
        one.context for one in items.read_metric_items(dataset, ScoredUnit.SET, keys)
    } == passages
    assert all(passages)
