"""Runs for programs."""

import io
import json
import zipfile

import pytest

from analysis.models import Run
from judging.jobs.models.job import Job
from judging.people.models.event import Event
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.judging.programs import API, counted, done, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def analysed(lasting):
    return studies.analysed(studies.imported(sources=4))


@pytest.fixture
def campaign():
    return studies.imported(sources=4)


def path_of(campaign):
    return f"{API}/campaigns/{campaign.uuid}/runs/"


def test_run_starts_with_defaults_and_is_followed_to_its_end(campaign):
    api = program(campaign.created_by)
    answer = api.post(path_of(campaign), {"resamples": 100, "name": "First"})
    assert answer.json()["run"] == 1
    waiting = api.get(f"{path_of(campaign)}1/").json()
    assert (waiting["state"], waiting["name"], waiting["tables"]) == ("queued", "First", [])
    assert waiting["job"] == answer.json()["id"]
    assert api.get(f"{path_of(campaign)}1/tables/systems/").status_code == 409
    assert done(answer).state == "done"
    found = api.get(f"{path_of(campaign)}1/").json()
    assert found["state"] == "done"
    assert {"correlations", "systems"} <= set(found["tables"])
    assert found["figures"]
    [listed] = api.get(path_of(campaign)).json()["results"]
    assert listed == {name: found[name] for name in listed}


def test_run_on_a_draft_is_refused():
    draft = factories.campaign()
    answer = program(draft.created_by).post(path_of(draft), {})
    assert (answer.status_code, answer.json()["code"]) == (409, "is_draft")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"adjudicated": True}, "The campaign has no adjudicated ratings."),
        ({"judge_epsilon": 0.2}, "The campaign has no LLM judges."),
        ({"reading": "by_protocol"}, "No rule of the protocol is about a whole set of questions."),
        ({"design": "foo"}, "sources, sources+systems"),
        ({"further": ["foo"]}, "dawid_skene"),
        ({"without_systems": ["Alfa"]}, "“Alfa” is none of: "),
        ({"clusters": "colour"}, "“colour” is none of: "),
    ],
)
def test_setting_that_has_no_use_here_or_does_not_exist_is_refused(campaign, content, sentence):
    answer = program(campaign.created_by).post(path_of(campaign), content)
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert (error["field"], sentence in error["detail"]) == (next(iter(content)), True), error
    assert not Run.objects.filter(campaign=campaign).exists()


@pytest.mark.long
def test_run_of_a_dataset_without_references_starts_with_defaults(campaign):
    plain = annotated.opened(sources=2)
    client, enrollment = annotated.annotator(plain)
    held = annotated.held(enrollment)
    client.post(f"/tasks/{held.pk}/submit/?step=0", annotated.filled(held))
    api = program(plain.created_by)
    answer = api.post(path_of(plain), {"resamples": 100})
    assert answer.status_code == 202, answer.content
    assert "bleu_4" not in Run.objects.get().parameters["metrics"]
    assert done(answer).state == "done"


def test_same_run_that_waits_is_not_started_twice(campaign):
    api = program(campaign.created_by)
    first, second = (api.post(path_of(campaign), {"seed": 3}).json() for _ in range(2))
    assert first["id"] == second["id"]
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"resamples": "many"}, "resamples"),
        ({"metrics": ["nothing"]}, "metrics"),
        ({"design": "everything"}, "design"),
        ({"without_systems": ["Nobody"]}, "without_systems"),
        ({"seed": -1}, "seed"),
        ({"extras": "perhaps"}, "extras"),
    ],
)
def test_run_wrong_content_names_the_field(campaign, body, field):
    assert field in fields_of(program(campaign.created_by).post(path_of(campaign), body))
    assert not Job.objects.filter(kind="analysis.run").exists()


def test_run_is_cancelled(campaign):
    api = program(campaign.created_by)
    api.post(path_of(campaign), {})
    assert api.post(f"{path_of(campaign)}1/cancel/").json()["state"] == "cancelled"


def test_tables_come_as_json_csv_and_latex(analysed):
    api, path = program(analysed.campaign.created_by, "read"), f"{path_of(analysed.campaign)}1/"
    rows = api.get(f"{path}tables/correlations/").json()
    assert rows and {"metric", "criterion"} <= set(rows[0])
    everything = json.loads(api.get(f"{path}tables/").getvalue())
    assert everything["tables"]["correlations"] == rows
    assert list(everything["tables"]["correlations"][0]) == list(rows[0])
    csv = api.get(f"{path}tables/correlations/csv/", HTTP_ACCEPT="text/csv")
    assert csv.headers["Content-Type"] == "text/csv"
    assert len(csv.content.decode().strip().splitlines()) == len(rows) + 1
    assert csv.content.decode("utf-8-sig").splitlines()[0].split(",") == list(rows[0])
    latex = api.get(f"{path}tables/correlations/tex/").content.decode()
    assert "\\begin{tabular}" in latex
    for missing in ("tables/nothing/", "tables/nothing/csv/", "tables/correlations/xlsx/"):
        assert api.get(f"{path}{missing}").status_code == 404
    assert Event.objects.filter(act=Event.Act.EXPORTED).count() == 4


def test_reports_come_as_json_pdf_and_zip(analysed):
    api, path = program(analysed.campaign.created_by, "read"), f"{path_of(analysed.campaign)}1/"
    assert json.loads(api.get(f"{path}report/json/").getvalue())["made"]["run"] == 1
    assert api.get(f"{path}report/pdf/").content.startswith(b"%PDF")
    with zipfile.ZipFile(io.BytesIO(api.get(f"{path}report/zip/").content)) as archive:
        assert {"report.json", "data/judgments.csv"} <= set(archive.namelist())
    assert api.get(f"{path}report/doc/").status_code == 404
    names = api.get(path).json()["figures"]
    assert len(set(names)) == len(names)
    for name in names:
        assert b"<svg" in api.get(f"{path}figures/{name}/svg/").content
    assert api.get(f"{path}figures/{names[0]}/png/").content.startswith(b"\x89PNG")
    assert api.get(f"{path}figures/nothing/png/").status_code == 404


def test_archive_is_not_for_a_manager_who_judges(campaign):
    run = studies.analysed(campaign)
    open_now = factories.opened(dataset=campaign.dataset, manager=campaign.created_by)
    factories.enrollment(open_now, account=campaign.created_by)
    api = program(campaign.created_by)
    assert api.get(f"{path_of(campaign)}{run.number}/report/zip/").status_code == 403
    assert api.get(f"{path_of(campaign)}{run.number}/report/pdf/").status_code == 200


@pytest.mark.long
def test_runs_list_takes_a_constant_number_of_queries_and_goes_by_pages(campaign):
    api = program(campaign.created_by)
    api.post(path_of(campaign), {"seed": 1})
    with counted() as one:
        api.get(path_of(campaign))
    for seed in range(2, 6):
        api.post(path_of(campaign), {"seed": seed})
    with counted() as several:
        page = api.get(path_of(campaign)).json()
    assert len(one) == len(several)
    assert [run["number"] for run in page["results"]] == [5, 4, 3, 2, 1]
    first = api.get(path_of(campaign), {"limit": 3, "state": "queued"}).json()
    assert [run["number"] for run in api.get(first["next"]).json()["results"]] == [2, 1]
