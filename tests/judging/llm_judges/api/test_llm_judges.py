"""LLM judges for programs."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from judging.jobs.models.file import StoredFile
from judging.jobs.models.job import Job
from judging.llm_judges.models.llm_judge import JudgeKey, LLMJudge, LLMJudgment
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.judging.programs import API, done, fields_of, program

pytestmark = pytest.mark.django_db
ADDRESS = "https://models.example/v1"


@pytest.fixture
def campaign():
    return studies.imported(sources=2)


@pytest.fixture
def api(campaign, settings):
    settings.JUDGE_ADDRESSES = [ADDRESS]
    return program(campaign.created_by)


def path_of(campaign):
    return f"{API}/campaigns/{campaign.uuid}/llm-judges/"


def items(api, campaign):
    answer = api.get(f"{path_of(campaign)}items/")
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def verdicts(api, campaign):
    return [{"item": each["item"], "correctness": 3} for each in items(api, campaign)]


def test_llm_judge_is_imported_from_json_listed_and_removed(api, campaign):
    body = {"name": "Judge", "model": "maker/small", "prompt": "Judge it.", "own_systems": ["Alba"]}
    job = done(api.post(path_of(campaign), body | {"verdicts": verdicts(api, campaign)}))
    assert (job.state, job.error) == ("done", "")
    [judge] = api.get(path_of(campaign)).json()["results"]
    assert (judge["name"], judge["verdicts"], judge["own_systems"]) == ("Judge", 6, ["Alba"])
    assert api.get(f"{path_of(campaign)}{judge['id']}/").json() == judge
    again = api.post(path_of(campaign), body | {"verdicts": verdicts(api, campaign)})
    assert fields_of(again) == {"name"}
    assert api.delete(f"{path_of(campaign)}{judge['id']}/").status_code == 204
    assert not LLMJudge.objects.exists()


def test_llm_judge_is_imported_from_a_file(api, campaign):
    rows = "\n".join(f"{each['item']},2" for each in items(api, campaign))
    file = SimpleUploadedFile("answers.csv", f"item,correctness\n{rows}".encode())
    body = {"name": "Judge", "model": "m", "own_systems": ["Alba", "Brisa"], "file": file}
    assert done(api.post(path_of(campaign), body, format="multipart")).state == "done"
    assert LLMJudgment.objects.count() == 6
    assert LLMJudge.objects.get().own_systems == ["Alba", "Brisa"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"model": "m", "verdicts": [{}]}, "name"),
        ({"name": "n", "model": "m"}, "file"),
        ({"name": "n", "model": "m", "verdicts": []}, "verdicts"),
        ({"name": "n", "model": "m", "verdicts": [{}], "temperature": "hot"}, "temperature"),
        ({"name": "n", "model": "m", "verdicts": [{}], "temperature": 11}, "temperature"),
        ({"name": "n", "model": "m", "verdicts": [{}], "cost": "-1"}, "cost"),
        ({"name": "n", "model": "m", "verdicts": [{}], "own_systems": ["Nobody"]}, "own_systems"),
        ({"name": "n", "model": "m", "verdicts": [{}], "judged_on": "soon"}, "judged_on"),
    ],
)
def test_llm_judge_wrong_content_names_the_field(api, campaign, body, field):
    assert field in fields_of(api.post(path_of(campaign), body))
    assert not Job.objects.exists()
    assert StoredFile.objects.get() == campaign.dataset.file


def test_ask_is_estimated_then_done_by_a_job_whose_key_is_kept_apart(api, campaign):
    body = {"address": ADDRESS, "model": "maker/small", "price_in": "2", "key": "secret-key"}
    estimated = api.post(f"{path_of(campaign)}estimate/", body).json()
    assert estimated["calls"] == 6
    assert "Is it grammatical?" in estimated["prompt"]
    assert "Passage: Lock" in estimated["example"]
    assert not Job.objects.exists()
    answer = api.post(f"{path_of(campaign)}ask/", body)
    assert answer.status_code == 202
    assert "secret-key" not in answer.content.decode()
    job = Job.objects.get()
    assert (job.kind, job.parameters["name"]) == ("judging.ask_judge", "maker/small")
    assert JudgeKey.objects.filter(job=job).exists()
    assert api.post(f"{path_of(campaign)}ask/", body).status_code == 409


@pytest.mark.long
@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"address": "https://elsewhere.example"}, "address"),
        ({"model": None}, "model"),
        ({"criteria": "x"}, "criteria"),
        ({"temperature": 9}, "temperature"),
        ({"repeats": 0}, "repeats"),
        ({"repeats": 21}, "repeats"),
        ({"first": 0}, "first"),
        ({"at_once": 0}, "at_once"),
        ({"price_in": "-1"}, "price_in"),
        ({"price_out": "-1"}, "price_out"),
        ({"own_systems": ["Nobody"]}, "own_systems"),
        ({"budget": "3"}, "budget"),
        ({"budget": "-3", "price_in": "1"}, "budget"),
        ({"key": "two words"}, "key"),
    ],
)
def test_ask_wrong_content_names_the_field(api, campaign, changed, field):
    body = {"address": ADDRESS, "model": "m"} | changed
    assert field in fields_of(api.post(f"{path_of(campaign)}ask/", body))


def test_manager_who_judges_sees_no_items_and_imports_no_verdicts():
    campaign = annotated.opened(selection={"systems": ["Alba"]})
    factories.enrollment(campaign, account=campaign.created_by)
    api = program(campaign.created_by)
    assert api.get(f"{path_of(campaign)}items/").status_code == 403
    body = {"name": "n", "model": "m", "verdicts": [{"item": "x"}]}
    assert api.post(path_of(campaign), body).status_code == 403
