"""The page of matched questions: works, forbidden, unknown, malformed, wrong verb; its numbers are
the stored ones."""

import json
import uuid

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.actions import matching, scores, scoring_jobs
from analysis.actions.scores import ChosenMetric
from analysis.evidence import source
from analysis.metrics.contract import Preparation
from analysis.reports import layout as tables
from analysis.reports import matching as layout
from judging.actions import campaigns, jobs
from judging.models import Job, Metric, Question, QuestionSet, Reference, Score, Unit
from tests import factories

pytestmark = pytest.mark.django_db
REFERENCES = ("Who built the old bridge?", "When was it built?", "How many arches has it?")
ASKED = {"Alba": ("When was it built?", "Who built the bridge?"), "Brisa": ("What?", "What?")}


@pytest.fixture
def collection():
    """A source with three references, and two sets of two questions."""
    made = factories.collection(sources=2, expected=2)
    source = made.sources.get(key="s1")
    for place, text in enumerate(REFERENCES, 1):
        Reference.objects.create(source=source, position=place, text=text)
    for system, texts in ASKED.items():
        for place, text in enumerate(texts, 1):
            asked = Question.objects.filter(unit__question_set__source=source, unit__position=place)
            asked.filter(unit__question_set__system__name=system).update(text=text)
    return made


@pytest.fixture
def owner(client, collection):
    client.force_login(collection.owner)
    return client


def address(name, collection, *more):
    return reverse(f"analysis:{name}", args=[collection.pk, *more])


def column(collection, id="multi_rouge_l", **params):
    prepared = Preparation("nqg", "nqg")
    found = scores.compute(
        collection, chosen=[ChosenMetric(id, params)], preparation=prepared, step=lambda *_: None
    )
    assert found.failures == {}
    return matching.columns(collection).last()


def matched(collection, metric, source="s1"):
    asked = {"metric": metric.pk, "source": source}
    job = scoring_jobs.start(
        collection=collection, by=collection.owner, kind=matching.KIND, parameters=asked
    )
    job = jobs.claim(job_id=job.pk)
    jobs.finish(job=job, result=matching.execute(jobs.Work(job, worker="test")))
    job.refresh_from_db()
    return job


def test_without_a_multi_metric_the_page_says_what_to_compute(owner, collection):
    assert (
        "compute one</a>, such as multi_bleu_4"
        in owner.get(address("matching", collection)).content.decode()
    )


def test_start_enqueues_what_was_chosen(owner, collection):
    metric = column(collection)
    answer = owner.post(
        address("matching_start", collection), {"metric": metric.pk, "source": " s1 "}
    )
    job = Job.objects.get(kind=matching.KIND)
    assert answer.url == reverse("judging:job", args=[job.pk])
    assert job.parameters == {"metric": metric.pk, "source": "s1"}
    assert (
        "A source is being matched." in owner.get(address("matching", collection)).content.decode()
    )


def test_each_systems_questions_are_matched_and_their_value_is_the_stored_score(owner, collection):
    job = matched(collection, column(collection))
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


def test_the_page_shows_pairs_matrix_and_drawing_and_gives_the_same_as_json(owner, collection):
    job = matched(collection, column(collection))
    page = owner.get(address("matching", collection)).content.decode()
    alba, _ = job.result["sets"]
    assert "<td>when was it built ?</td>" in page
    # among the pairs and in the matrix
    assert page.count(f"<b>{layout.written(alba['pairs'][1]['score'])}</b>") == 2
    for ink in ("light", "dark"):
        drawn = owner.get(address("matching_figure", collection, job.pk, f"0-{ink}"))
        assert drawn["Content-Type"] == "image/svg+xml"
        assert layout.written(alba["pairs"][1]["score"]) in drawn.content.decode()
    told = json.loads(owner.get(address("matching_document", collection, job.pk)).content)
    assert told == {key: value for key, value in job.result.items() if key != "figures"}
    assert (
        address("matching", collection)
        in owner.get(reverse("judging:job", args=[job.pk])).content.decode()
    )


def test_questions_that_the_metric_dropped_are_not_shown(collection):
    _, brisa = matched(collection, column(collection, dedupe="exact")).result["sets"]
    assert brisa["questions"] == ["what ?"]
    assert len(brisa["scores"]) == len(brisa["pairs"]) == 1


def test_a_set_without_questions_and_a_source_without_references_are_said(owner, collection):
    metric = column(collection)
    Question.objects.filter(unit__question_set__system__name="Brisa").delete()
    _, brisa = matched(collection, metric).result["sets"]
    assert (brisa["value"], brisa["pairs"], brisa["reason"]) == (0, [], "")
    result = matched(collection, metric, "s2").result
    assert [one["reason"] for one in result["sets"]][
        1
    ] == "the set has neither predictions nor references"
    assert result["figures"] == {}
    assert (
        "the set has neither predictions nor references"
        in owner.get(address("matching", collection)).content.decode()
    )


def test_a_large_set_is_left_to_the_table(collection):
    made = QuestionSet.objects.get(source__key="s1", system__name="Alba")
    for place in range(3, 30):
        unit = Unit.objects.create(question_set=made, position=place)
        Question.objects.create(unit=unit, text=f"Who is number {place}?")
    QuestionSet.objects.filter(pk=made.pk).update(expected=30)
    result = matched(collection, column(collection)).result
    assert len(result["sets"][0]["scores"]) == 29
    assert set(result["figures"]) == {"1-light", "1-dark"}


@pytest.mark.long
def test_matching_page_cuts_a_long_reference_that_is_kept_whole(owner, collection):
    metric = column(collection)
    text = f"Who built the old bridge? {'<' * 3_000}"
    Reference.objects.filter(source__key="s1", position=1).update(text=text)
    whole = matched(collection, metric)
    assert len(whole.result["sets"][1]["references"][0]) > 3_000
    shown = owner.get(address("matching", collection)).text
    assert 0 < shown.count("&lt;") <= 2 * 2 * 500  # as a pair and as a head, of each of two sets
    item = reverse(
        "analysis:collection_item", args=[collection.pk, collection.sources.get(key="s1").pk]
    )
    assert 3_000 <= owner.get(item).text.count("&lt;") < 3_000 + 5 * 500


@pytest.mark.long
def test_of_very_many_sets_and_pairs_the_pages_show_the_first_and_say_so(
    owner, collection, monkeypatch
):
    job = matched(collection, column(collection))
    item = reverse(
        "analysis:collection_item", args=[collection.pk, collection.sources.get(key="s1").pk]
    )
    for there in (address("matching", collection), item):
        assert "not shown on this page" not in owner.get(there).text
    monkeypatch.setattr(layout, "MAX_PAGE_CELLS", 1)
    monkeypatch.setattr(source, "MAX_PAGE_CELLS", 1)
    page = owner.get(address("matching", collection)).text
    assert "1 more sets are not shown on this page; the JSON has all" in page
    assert (page.count('id="set-'), "Brisa" in page) == (1, False)
    assert "3 more pairs are not shown on this page" in owner.get(item).text
    monkeypatch.setattr(layout, "MAX_PAGE_CELLS", 20_000)
    monkeypatch.setattr(layout, "MAX_PAGE_ROWS", 1)
    monkeypatch.setattr(layout, "LISTED_REFERENCES", 1)
    monkeypatch.setattr(tables, "MAX_PAGE_ROWS", 1)
    page = owner.get(address("matching", collection)).text
    assert "1 more pairs are not shown on this page" in page
    assert "The first 1 of 2 lines; all of them stand in the JSON." in page
    assert "The first 1 of 3 references; the JSON has all of them." in page
    told = json.loads(owner.get(address("matching_document", collection, job.pk)).content)
    assert [len(one["scores"][0]) for one in told["sets"]] == [3, 3]


def test_scores_of_another_version_are_not_matched(collection):
    metric = column(collection)
    Metric.objects.filter(pk=metric.pk).update(fingerprint="0" * 64)
    with pytest.raises(jobs.CannotDo, match="computed by another version than is installed now"):
        matched(collection, metric)


@pytest.mark.parametrize(
    "change", [{"source": "s99"}, {"source": ""}, {"metric": "0"}, {"metric": "x"}]
)
def test_start_malformed_names_the_field(owner, collection, change):
    metric = column(collection)
    answer = owner.post(
        address("matching_start", collection), {"metric": metric.pk, "source": "s1"} | change
    )
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()


def test_strangers_find_nothing_and_the_unknown_is_a_404(owner, collection):
    job = matched(collection, column(collection))
    document, figure = address("matching_document", collection, job.pk), "matching_figure"
    assert owner.get(document).status_code == 200
    assert owner.get(address(figure, collection, job.pk, "7-light")).status_code == 404
    assert owner.get(address("matching_document", collection, uuid.uuid4())).status_code == 404
    owner.force_login(factories.researcher())
    for there in (
        address("matching", collection),
        document,
        address(figure, collection, job.pk, "0-light"),
    ):
        assert owner.get(there).status_code == 404
    assert owner.post(address("matching_start", collection)).status_code == 404


def test_who_judges_the_material_reads_no_matching_which_names_systems(owner, collection):
    job = matched(collection, column(collection))
    campaign = factories.opened(collection=collection, manager=collection.owner)
    factories.enrollment(campaign, account=collection.owner)
    pages = [
        address("matching", collection),
        address("matching_document", collection, job.pk),
        address("matching_figure", collection, job.pk, "0-light"),
    ]
    assert {owner.get(page).status_code for page in pages} == {403}
    assert owner.post(address("matching_start", collection)).status_code == 403
    campaigns.close(campaign=campaign, now=timezone.now())
    assert {owner.get(page).status_code for page in pages} == {200}


def test_wrong_verbs_are_refused(owner, collection):
    assert owner.get(address("matching_start", collection)).status_code == 405
    assert owner.post(address("matching", collection)).status_code == 405
