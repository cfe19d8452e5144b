"""The page of matched questions: works, forbidden, unknown, malformed, wrong verb; its numbers are
the stored ones."""

import json
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.scoring.actions import matching, scores, scoring_jobs
from analysis.scoring.actions.scores import ChosenMetric
from analysis.scoring.reports import matching as layout
from judging.campaigns.actions import campaigns
from judging.datasets.models.dataset import Question, Reference
from judging.datasets.models.score import Metric, Score
from judging.jobs.actions import jobs
from judging.jobs.models.job import Job
from quaestor_metrics import Preparation
from tests import factories
from tests.refusing import refused

pytestmark = pytest.mark.django_db
REFERENCES = ("Who built the old bridge?", "When was it built?", "How many arches has it?")
ASKED = {"Alba": ("When was it built?", "Who built the bridge?"), "Brisa": ("What?", "What?")}


@pytest.fixture
def dataset():
    """A source with three references, and two sets of two questions."""
    made = factories.dataset(sources=2, expected=2)
    source = made.sources.get(key="s1")
    for place, text in enumerate(REFERENCES, 1):
        Reference.objects.create(source=source, position=place, text=text)
    for system, texts in ASKED.items():
        for place, text in enumerate(texts, 1):
            asked = Question.objects.filter(unit__question_set__source=source, unit__position=place)
            asked.filter(unit__question_set__system__name=system).update(text=text)
    return made


@pytest.fixture
def owner(client, dataset):
    client.force_login(dataset.owner)
    return client


def address(name, dataset, *more):
    return reverse(f"analysis:{name}", args=[dataset.pk, *more])


def column(dataset, id="multi_rouge_l", **params):
    prepared = Preparation("nqg", "nqg")
    found = scores.compute_scores(
        dataset, chosen=[ChosenMetric(id, params)], preparation=prepared, step=lambda *_: None
    )
    assert found.failures == {}
    return matching.multi_metrics(dataset).last()


def matched(dataset, metric, source="s1"):
    asked = {"metric": metric.pk, "source": source}
    job = scoring_jobs.start_scoring(
        dataset=dataset, by=dataset.owner, kind=matching.KIND, parameters=asked
    )
    job = jobs.claim_job(job_id=job.pk)
    jobs.finish_job(job=job, result=matching.execute_matching(jobs.Work(job, worker="test")))
    job.refresh_from_db()
    return job


def test_start_enqueues_what_was_chosen(owner, dataset):
    metric = column(dataset)
    answer = owner.post(address("matching_start", dataset), {"metric": metric.pk, "source": " s1 "})
    job = Job.objects.get(kind=matching.KIND)
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert job.parameters == {"metric": metric.pk, "source": "s1"}


def test_each_systems_questions_are_matched_and_their_value_is_the_stored_score(owner, dataset):
    job = matched(dataset, column(dataset))
    alba, brisa = job.result["sets"]
    assert [(pair["question"], pair["reference"]) for pair in alba["pairs"]] == [(1, 2), (2, 1)]
    assert alba["pairs"][0]["score"] == 1
    assert alba["total"] == pytest.approx(sum(pair["score"] for pair in alba["pairs"]))
    assert alba["value"] == pytest.approx(2 * alba["total"] / (2 + 3))
    assert (alba["questions"][0], brisa["value"]) == (
        "when was it built ?",
        pytest.approx(0.2, abs=0.2),
    )
    for one in (alba, brisa):
        stored = Score.objects.get(
            unit__question_set__system__name=one["system"], unit__question_set__source__key="s1"
        )
        assert one["value"] == pytest.approx(stored.value, abs=1e-12)


def test_the_page_shows_pairs_matrix_and_drawing_and_gives_the_same_as_json(owner, dataset):
    job = matched(dataset, column(dataset))
    page = owner.get(address("matching", dataset)).content.decode()
    alba, _ = job.result["sets"]
    assert "<td>when was it built ?</td>" in page
    # among the pairs and in the matrix
    assert page.count(f"<b>{layout.format_score(alba['pairs'][1]['score'])}</b>") == 2
    for ink in ("light", "dark"):
        drawn = owner.get(address("matching_figure", dataset, job.pk, f"0-{ink}"))
        assert drawn["Content-Type"] == "image/svg+xml"
        assert layout.format_score(alba["pairs"][1]["score"]) in drawn.content.decode()
    told = json.loads(owner.get(address("matching_document", dataset, job.pk)).content)
    assert told == {key: value for key, value in job.result.items() if key != "figures"}
    assert (
        address("matching", dataset)
        in owner.get(reverse("judging:job", args=[job.pk])).content.decode()
    )


@pytest.mark.long
def test_questions_that_the_metric_dropped_are_not_shown(dataset):
    _, brisa = matched(dataset, column(dataset, dedupe="exact")).result["sets"]
    assert brisa["questions"] == ["what ?"]
    assert len(brisa["scores"]) == len(brisa["pairs"]) == 1


@pytest.mark.long
def test_a_set_without_questions_and_a_source_without_references_are_said(owner, dataset):
    metric = column(dataset)
    Question.objects.filter(unit__question_set__system__name="Brisa").delete()
    _, brisa = matched(dataset, metric).result["sets"]
    assert (brisa["value"], brisa["pairs"], brisa["reason"]) == (0, [], "")
    result = matched(dataset, metric, "s2").result
    assert [one["reason"] for one in result["sets"]][
        1
    ] == "the set has neither predictions nor references"
    assert result["figures"] == {}


def test_scores_of_another_version_are_not_matched(dataset):
    metric = column(dataset)
    Metric.objects.filter(pk=metric.pk).update(fingerprint="0" * 64)
    with refused("cannot_do"):
        matched(dataset, metric)


def test_strangers_find_nothing_and_the_unknown_is_a_404(owner, dataset):
    job = matched(dataset, column(dataset))
    document, figure = address("matching_document", dataset, job.pk), "matching_figure"
    assert owner.get(document).status_code == 200
    assert owner.get(address(figure, dataset, job.pk, "7-light")).status_code == 404
    assert owner.get(address("matching_document", dataset, uuid.uuid4())).status_code == 404
    owner.force_login(factories.researcher())
    for there in (
        address("matching", dataset),
        document,
        address(figure, dataset, job.pk, "0-light"),
    ):
        assert owner.get(there).status_code == 404
    assert owner.post(address("matching_start", dataset)).status_code == 404


def test_who_judges_the_material_reads_no_matching_which_names_systems(owner, dataset):
    job = matched(dataset, column(dataset))
    campaign = factories.opened(dataset=dataset, manager=dataset.owner)
    factories.enrollment(campaign, account=dataset.owner)
    pages = [
        address("matching", dataset),
        address("matching_document", dataset, job.pk),
        address("matching_figure", dataset, job.pk, "0-light"),
    ]
    assert {owner.get(page).status_code for page in pages} == {403}
    assert owner.post(address("matching_start", dataset)).status_code == 403
    campaigns.close_campaign(campaign=campaign, now=timezone.now())
    assert {owner.get(page).status_code for page in pages} == {200}
