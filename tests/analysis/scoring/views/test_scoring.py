"""The page of a dataset's metrics: works, forbidden, unknown, malformed, wrong verb."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analysis.scoring.actions import scores, scoring_jobs
from analysis.scoring.actions.scores import ChosenMetric
from analysis.sections.metrics.metric_means import MetricMeans
from judging.datasets.models.dataset import Reference
from judging.datasets.models.score import Metric, Score
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import QMetric
from quaestor_metrics._contract import RAW
from tests import factories
from tests.analysis.sections.computing import records

pytestmark = pytest.mark.django_db
FORM = {
    "metrics": ["bleu_1", "q_bleu_1", "f_bleu_1"],
    "prepare_hypothesis": "nqg",
    "prepare_reference": "raw",
}


@pytest.fixture
def dataset():
    made = factories.dataset(sources=2)
    for source in made.sources.all():
        Reference.objects.create(
            source=source, position=1, text=f"Who built lock {source.position}?"
        )
    return made


@pytest.fixture
def owner(client, dataset):
    client.force_login(dataset.owner)
    return client


def address(name, dataset):
    return reverse(f"analysis:{name}", args=[dataset.pk])


def done(dataset, ids=("bleu_1",), kind=scoring_jobs.KIND):
    asked = {
        "metrics": [{"id": id, "params": {}} for id in ids],
        "prepare_hypothesis": "raw",
        "prepare_reference": "raw",
    }
    job = scoring_jobs.start_scoring(dataset=dataset, by=dataset.owner, kind=kind, parameters=asked)
    job = jobs.claim_job(job_id=job.pk)
    work = jobs.Work(job, worker="test")
    jobs.finish_job(
        job=job,
        result=(
            scoring_jobs.execute_scoring
            if kind == scoring_jobs.KIND
            else scoring_jobs.estimate_scoring
        )(work),
    )
    return job


def test_the_page_names_every_metric_and_why_some_are_not_available(owner, dataset):
    page = owner.get(address("metrics", dataset)).content.decode()
    assert 'value="bleu_4" checked' in page
    for printed in ("q_bleu_4", "f_bleu_4", "multi_bleu_4"):
        assert f'value="{printed}"' in page
    assert 'value="p_bleu_4"' not in page
    assert "not available here" in page.partition('value="near_duplicates"')[2]  # after all others


def test_start_computes_the_variants_that_each_chosen_metric_has(owner, dataset):
    asked = FORM | {"metrics": ["bleu_1", "self_bleu_2"], "variants": ["p", "multi_q"]}
    owner.post(address("metrics_start", dataset), asked | {"bleu_1-dedupe": "none"})
    ids = [each["id"] for each in Job.objects.get().parameters["metrics"]]
    assert ids == ["bleu_1", "p_bleu_1", "multi_q_bleu_1", "self_bleu_2"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who built it?", "nqg"),
        ("who built it ?", "raw"),
        ("who built it ?" + " " * 500 + "(" * 1_000_000, "raw"),  # a page reads the beginning alone
    ],
    ids=["raw", "prepared", "long"],
)
def test_references_that_came_prepared_are_left_as_they_are(owner, dataset, text, expected):
    Reference.objects.update(text=text)
    page = owner.get(address("metrics", dataset)).content.decode()
    chosen = re.search(r'name="prepare_reference".*?value="(\w+)" selected', page, re.DOTALL)
    assert chosen[1] == expected


def test_without_references_only_what_needs_none_can_be_chosen(client):
    dataset = factories.dataset()
    client.force_login(dataset.owner)
    page = client.get(address("metrics", dataset)).content.decode()
    assert 'value="bleu_4"' not in page
    assert 'value="self_bleu_2"' in page


def test_start_enqueues_what_was_chosen_with_its_settings(owner, dataset):
    answer = owner.post(
        address("metrics_start", dataset),
        FORM | {"answerability-formula": "clipped_f", "-delta": "0.5", "-dedupe": "exact"},
    )
    job = Job.objects.get(kind="analysis.score")
    assert answer.url == reverse("judging:job", args=[job.pk])
    asked = {each["id"]: each["params"] for each in job.parameters["metrics"]}
    assert asked["bleu_1"] == {}
    assert asked["q_bleu_1"] == {"formula": "clipped_f", "delta": 0.5}
    assert asked["f_bleu_1"] == {"dedupe": "exact"}
    assert (job.parameters["prepare_hypothesis"], job.parameters["prepare_reference"]) == (
        "nqg",
        "raw",
    )


def test_pressing_twice_asks_once(owner, dataset):
    first, second = (owner.post(address("metrics_start", dataset), FORM) for _ in range(2))
    assert first.url == second.url
    assert Job.objects.count() == 1


def test_what_the_page_offers_comes_back_as_the_metrics_own_settings(owner, dataset):
    page = owner.get(address("metrics", dataset)).content.decode()
    offered = re.findall(r'<input type="(?:number|text)" name="([^"]+)" value="([^"]*)"', page)
    assert ("answerability-content", "0.36") in offered
    owner.post(address("metrics_start", dataset), FORM | dict(offered))
    job = Job.objects.get(kind="analysis.score")
    work = jobs.Work(jobs.claim_job(job_id=job.pk), worker="test")
    assert scoring_jobs.execute_scoring(work)["failures"] == {}
    chosen = [ChosenMetric(id) for id in ("bleu_1", "q_bleu_1", "f_bleu_1")]
    again = scores.compute_scores(
        dataset,
        chosen=chosen,
        preparation=scoring_jobs.Preparation("nqg", "raw"),
        step=lambda *_: None,
    )
    assert again.values == 0


def test_an_estimate_is_asked_for_by_its_own_button(owner, dataset):
    owner.post(address("metrics_start", dataset), FORM | {"estimate": "1"})
    assert Job.objects.get().kind == "analysis.estimate"


def test_the_last_estimate_and_the_last_failures_are_shown(owner, dataset):
    done(dataset, kind=scoring_jobs.ESTIMATE)
    done(dataset, ids=("bleu_1", "none_such"))
    page = owner.get(address("metrics", dataset)).content.decode()
    assert "The last estimate: about 1 s" in page
    assert "<code>none_such</code>: no metric is called none_such" in page


def test_the_columns_say_how_they_were_made(owner, dataset):
    done(dataset, ids=("f_bleu_1",))
    page = owner.get(address("metrics", dataset)).content.decode()
    assert "F-BLEU-1" in page
    assert "f_bleu_1, version" in page
    assert Metric.objects.get().fingerprint[:12] in page


def test_an_imported_column_stands_beside_a_computed_one(owner, dataset):
    scores.compute_scores(
        dataset, chosen=[ChosenMetric("bleu_1")], preparation=RAW, step=lambda *_: None
    )
    ours = Metric.objects.get()
    theirs = Metric.objects.create(
        dataset=dataset, name="BLEU-1", kind="imported", scale="percent", fingerprint="f" * 64
    )
    held = Score.objects.filter(metric=ours).order_by("pk")
    for place, score in enumerate(held):
        Score.objects.create(
            metric=theirs, unit=score.unit, value=100 * score.value + (25 if place == 3 else 0)
        )
    page = owner.get(
        address("metrics_compare", dataset), {"first": theirs.pk, "second": ours.pk}
    ).content.decode()
    assert "<dt>Largest difference</dt><dd>0.25</dd>" in page
    assert "<dt>Mean difference, sign aside</dt><dd>0.0625</dd>" in page
    assert "<dt>Equal within their digits (± 1e-06)</dt><dd>75%</dd>" in page
    campaign = factories.opened(dataset=dataset, manager=dataset.owner)
    factories.enrollment(campaign, account=dataset.owner)  # who judges reads no system's name
    asked = {"first": theirs.pk, "second": ours.pk}
    assert owner.get(address("metrics_compare", dataset), asked).status_code == 403


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("-prepare", "+".join(["nqg"] * 5)),
        ("-prepare", "mangled"),
        ("near_duplicates-threshold", "-1"),
        ("answerability-stems", "x" * 401),
    ],
)
def test_setting_beyond_its_ends_is_refused_at_its_field(owner, dataset, field, value):
    answer = owner.post(address("metrics_start", dataset), FORM | {field: value})
    assert answer.status_code == 422
    assert list(answer.context["form"].errors) == [field]
    assert not Job.objects.exists()


@pytest.mark.parametrize("doing", [scoring_jobs.execute_scoring, scoring_jobs.estimate_scoring])
def test_a_cancelled_job_stops_within_a_metric(dataset, monkeypatch, doing):
    kind = scoring_jobs.KIND if doing is scoring_jobs.execute_scoring else scoring_jobs.ESTIMATE
    asked = {"metrics": [{"id": "q_bleu_1", "params": {}}]}
    sides = {"prepare_hypothesis": "raw", "prepare_reference": "raw"}
    job = scoring_jobs.start_scoring(
        dataset=dataset, by=dataset.owner, kind=kind, parameters=asked | sides
    )
    work = jobs.Work(jobs.claim_job(job_id=job.pk), worker="test")
    scored = []

    def mixed(self, question, result, params):
        scored.append(question)
        work._cancelled.set()
        return result

    monkeypatch.setattr(QMetric, "_mixed", mixed)
    with pytest.raises(jobs.JobCancelled):
        doing(work)
    assert len(scored) == 1
    assert not Score.objects.exists()


def test_an_owner_finds_the_jobs_of_others_and_of_each_kind_all(owner, dataset):
    campaign = factories.campaign(dataset=dataset)
    analyst = campaign.created_by
    for ids in (["bleu_1"], ["bleu_2"]):
        asked = {"metrics": [{"id": id, "params": {}} for id in ids]}
        scoring_jobs.start_scoring(
            dataset=dataset, by=analyst, kind=scoring_jobs.ESTIMATE, parameters=asked
        )
    page = owner.get(address("metrics", dataset)).text
    for job in Job.objects.all():
        assert reverse("judging:job", args=[job.pk]) in page
        assert owner.post(reverse("judging:job_cancel", args=[job.pk])).status_code == 302
    assert set(Job.objects.values_list("state", flat=True)) == {"cancelled"}


@pytest.mark.long
@pytest.mark.parametrize(
    "change",
    [
        {"metrics": []},
        {"metrics": ["none_such"]},
        {"prepare_hypothesis": "mangled"},
        pytest.param({"nist-order": "9"}, marks=pytest.mark.long),
        pytest.param({"answerability-formula": "best"}, marks=pytest.mark.long),
        {"answerability-content": "much"},
    ],
)
def test_start_malformed_names_the_field(owner, dataset, change):
    answer = owner.post(address("metrics_start", dataset), FORM | change)
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize(
    "asked", [{}, {"first": "x", "second": "1"}, {"first": "0", "second": "0"}]
)
def test_compare_malformed_is_a_422(owner, dataset, asked):
    assert owner.get(address("metrics_compare", dataset), asked).status_code == 422


def test_another_datasets_column_cannot_be_compared(owner, dataset):
    other = factories.dataset(owner=dataset.owner)
    metric = Metric.objects.create(
        dataset=other, name="METEOR", kind="imported", fingerprint="a" * 64
    )
    asked = {"first": metric.pk, "second": metric.pk}
    assert owner.get(address("metrics_compare", dataset), asked).status_code == 422


def brought(client, dataset, text, **declared):
    file = SimpleUploadedFile("extrinsic.csv", text.encode())
    asked = {"file": file, "direction": "higher", "scale": "percent", **declared}
    return client.post(address("metrics_systems", dataset), asked)


def test_scores_of_systems_are_brought_from_a_file_and_stand_in_the_report(owner, dataset):
    assert (
        brought(owner, dataset, "system,QA F1,EM\nBrisa,61.20,\nAlba,58.1,40\n").status_code == 302
    )
    first, second = Metric.objects.order_by("pk")
    assert (first.name, first.kind, first.direction, first.scale) == (
        "QA F1",
        "imported",
        "higher",
        "percent",
    )
    rows = first.scores.order_by("system__name").values_list("system__name", "value", "text")
    assert list(rows) == [("Alba", 58.1, "58.1"), ("Brisa", 61.2, "61.20")]
    assert list(second.scores.values_list("system__name", flat=True)) == ["Alba"]
    page = owner.get(address("metrics", dataset)).content.decode()
    assert "column “QA F1” of extrinsic.csv" in page
    campaign = factories.campaign(dataset=dataset, manager=dataset.owner)
    (row, _, _) = records(MetricMeans, campaign)
    assert (row["metric"], row["level"], row["system"], row["value"]) == (
        "QA F1",
        "system",
        "Alba",
        58.1,
    )


def test_what_cannot_be_brought_is_said_with_its_row_and_nothing_is_kept(owner, dataset):
    answer = brought(owner, dataset, "system,F1\nAlba,1\nCorvo,2\n")
    assert answer.status_code == 422
    assert answer.context["systems_form"].has_error("file")
    assert brought(owner, dataset, "", scale="stars").status_code == 422
    assert not Metric.objects.exists()


def test_the_same_file_is_not_brought_twice(owner, dataset):
    brought(owner, dataset, "system,F1\nAlba,1\n")
    answer = brought(owner, dataset, "system,F1\nAlba,1\n")
    assert (answer.status_code, Score.objects.count()) == (422, 1)
    assert answer.context["systems_form"].has_error("file", "already_there")


def test_a_papers_recipe_fills_in_the_form(owner, dataset):
    page = owner.get(address("metrics", dataset), {"recipe": "qgbench"}).content.decode()
    assert re.search(r'value="rouge_l" checked', page)
    assert not re.search(r'value="bleu_1" checked', page)
    assert re.search(r'name="prepare_hypothesis".*?value="nqg" selected', page, re.DOTALL)
    chosen = re.search(r'name="prepare_reference".*?value="(\w+)" selected', page, re.DOTALL)
    assert chosen[1] == "raw"
    assert owner.get(address("metrics", dataset), {"recipe": "none-such"}).status_code == 200
