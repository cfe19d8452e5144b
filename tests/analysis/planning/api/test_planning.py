"""Scoring, planning, dry runs and published studies for programs."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

import analysis.tasks  # noqa: F401  # registers the jobs
from judging.campaigns.actions import campaigns
from judging.campaigns.models.campaign import Campaign
from judging.datasets.models.score import Metric
from judging.jobs.models.job import Job
from tests import factories
from tests.analysis import studies
from tests.judging.programs import API, done, fields_of, program

pytestmark = pytest.mark.django_db
POWER = {"difference": 0.5, "annotators": 1, "power": 0.6}
CLEAR = {"gap": 30, "question": 5, "severity": 10, "noise": 10, "seed": 3}


@pytest.fixture
def campaign():
    return studies.imported(sources=2)


@pytest.fixture
def api(campaign):
    return program(campaign.created_by)


def of_dataset(campaign):
    return f"{API}/datasets/{campaign.dataset_id}/scoring/"


def of_campaign(campaign):
    return f"{API}/campaigns/{campaign.uuid}/"


def test_scoring_lists_metrics_estimates_and_computes(api, campaign):
    offers = {each["id"]: each for each in api.get(f"{of_dataset(campaign)}metrics/").json()}
    assert offers["bleu_1"]["reason"] == ""
    assert "q" in offers["bleu_1"]["variants"]
    body = {"metrics": ["bleu_1", "nist"], "settings": {"nist": {"order": 3}}}
    assert api.get(f"{of_dataset(campaign)}estimate/").status_code == 404
    assert done(api.post(f"{of_dataset(campaign)}estimate/", body)).state == "done"
    assert api.get(f"{of_dataset(campaign)}estimate/").json()["result"]
    answer = api.post(of_dataset(campaign), body)
    assert [each["id"] for each in api.get(of_dataset(campaign)).json()] == [answer.json()["id"]]
    assert done(answer).state == "done"
    assert Metric.objects.filter(kind=Metric.Kind.COMPUTED).count() == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"metrics": ["nothing"]}, "metrics"),
        ({"metrics": ["bleu_1"], "settings": {"bleu_1": {"nothing": 1}}}, "settings"),
        ({"metrics": ["nist"], "settings": {"nist": {"order": "x"}}}, "settings.nist.order"),
        ({"metrics": ["bleu_1"], "prepare_reference": "x"}, "prepare_reference"),
    ],
)
def test_scoring_wrong_content_names_the_field(api, campaign, body, field):
    assert field in fields_of(api.post(of_dataset(campaign), body))
    assert not Job.objects.filter(kind__contains="score").exists()


def test_power_analysis_is_asked_for_and_read(api, campaign):
    path = f"{of_campaign(campaign)}power-analyses/"
    kinds = {each["key"]: each for each in api.get(f"{path}variances/").json()}
    assert kinds
    job = done(api.post(path, POWER))
    assert (job.state, job.error) == ("done", "")
    [found] = api.get(path).json()["results"]
    assert found["parameters"]["difference"] == 0.5
    assert found["result"]["curve"]
    assert api.get(f"{path}{job.pk}/").json() == found


@pytest.mark.long
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"difference": "x"}, "difference"),
        ({"variances": "nothing"}, "variances"),
        ({"annotators": 99}, "annotators"),
    ],
)
def test_power_analysis_wrong_content_names_the_field(api, campaign, body, field):
    assert field in fields_of(api.post(f"{of_campaign(campaign)}power-analyses/", body))


@pytest.mark.long
def test_dry_run_fills_a_copy_and_is_removed_by_a_job(monkeypatch):
    draft = factories.campaign()
    api, path = program(draft.created_by), f"{of_campaign(draft)}dry-runs/"
    job = done(api.post(path, CLEAR))
    assert (job.state, job.error) == ("done", "")
    [run] = api.get(path).json()["results"]
    whole = api.get(f"{path}{run['copy']}/").json()
    assert whole["outcome"]["criteria"]
    csv = api.get(f"{path}{run['copy']}/pairs/", HTTP_ACCEPT="text/csv").getvalue().decode()
    assert len(csv.splitlines()) > 1
    monkeypatch.setattr(campaigns, "LARGE", -1)
    assert done(api.delete(f"{path}{run['copy']}/")).state == "done"
    assert not Campaign.objects.filter(uuid=run["copy"]).exists()


def test_published_study_is_reproduced_from_its_files():
    researcher = factories.researcher()
    api = program(researcher)
    studies_known = {each["key"] for each in api.get(f"{API}/published-studies/").json()}
    assert "qgbench" in studies_known
    path = f"{API}/published-studies/qgbench/reproduce/"
    assert fields_of(api.post(path, {}, format="multipart")) == {"files"}
    assert api.post(path, {"files": []}).status_code == 415
    file = SimpleUploadedFile("batch.csv", b"not,a,batch\n1,2,3\n")
    answer = api.post(path, {"files": [file]}, format="multipart")
    job = done(answer)
    assert job.state == "failed"
    assert api.get(f"{API}/jobs/{job.pk}/").json()["error"]
    unknown = api.post(f"{API}/published-studies/nothing/reproduce/", {}, format="multipart")
    assert unknown.status_code == 404


def test_published_numbers_of_a_campaign_that_reproduces_none_are_not_found(api, campaign):
    assert api.get(f"{of_campaign(campaign)}published/").status_code == 404
