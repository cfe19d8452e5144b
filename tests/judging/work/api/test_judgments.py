"""Tasks and judgments for programs."""

import csv
import io
import json

import pytest
from django.db import connection
from django.utils import timezone

from judging.people.models.event import Event
from judging.quality.actions import exclusions
from judging.work.actions import judgment_rows
from judging.work.models.judgment import Judgment
from tests import factories
from tests.analysis import studies
from tests.annotation import studies as annotated
from tests.judging.programs import API, counted, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    return studies.imported(sources=2)


@pytest.fixture
def api(campaign):
    return program(campaign.created_by, "read")


def path_of(campaign):
    return f"{API}/campaigns/{campaign.uuid}"


def lines(answer):
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def test_judgments_are_listed_with_question_texts_and_labels(api, campaign):
    page = api.get(f"{path_of(campaign)}/judgments/").json()
    rows = page["results"]
    assert len(rows) == Judgment.objects.count() == 2 * 3 * 2 * 2
    assert {row["annotator"] for row in rows} == {"A1", "A2"}
    assert {row["system"] for row in rows} == set(studies.SYSTEMS)
    assert {row["question"] for row in rows if row["system"] == "Corvo"} == {"What?"}
    assert list(rows[0]) == list(judgment_rows.COLUMNS)
    assert Event.objects.filter(act=Event.Act.EXPORTED, campaign=campaign.uuid).count() == 1


def test_judgments_of_one_annotator_and_criterion_come_in_pages(api, campaign):
    asked = {"annotator": "A1", "criterion": "correctness", "limit": 4}
    page = api.get(f"{path_of(campaign)}/judgments/", asked).json()
    rest = api.get(page["next"]).json()
    assert (len(page["results"]), len(rest["results"]), rest["next"]) == (4, 2, None)
    assert {(row["annotator"], row["criterion"]) for row in page["results"] + rest["results"]} == {
        ("A1", "correctness")
    }


def test_judgments_list_takes_a_constant_number_of_queries(campaign):
    large = studies.imported(sources=6)
    numbers = []
    for each in (campaign, large):
        api = program(each.created_by, "read")
        api.get(f"{path_of(each)}/judgments/", {"limit": 1})
        with counted() as found:
            api.get(f"{path_of(each)}/judgments/")
        numbers.append(len(found))
    assert numbers[0] == numbers[1]


def test_judgments_stream_as_json_lines_equals_the_list(api, campaign):
    enrollment = campaign.enrollments.get(label="A2")
    exclusions.exclude_annotator(
        enrollment=enrollment, reason="Test", by=campaign.created_by, now=timezone.now()
    )
    streamed = lines(api.get(f"{path_of(campaign)}/judgments/export/jsonl/"))
    listed = api.get(f"{path_of(campaign)}/judgments/").json()["results"]
    for row in (*streamed, *listed):
        row["created_at"] = row["created_at"][:19]
    assert streamed == listed
    assert {row["annotator"] for row in streamed if row["excluded"]} == {"A2"}


def test_judgments_stream_as_csv_makes_formulas_inert(api, campaign):
    unit = Judgment.objects.filter(unit__question__text="What?").first().unit
    unit.question.text = "=1+1"
    unit.question.save()
    answer = api.get(
        f"{path_of(campaign)}/judgments/export/csv/", {"annotator": "A1"}, HTTP_ACCEPT="text/csv"
    )
    rows = list(csv.DictReader(io.StringIO(answer.getvalue().decode("utf-8-sig"))))
    assert list(rows[0]) == list(judgment_rows.COLUMNS)
    assert {row["annotator"] for row in rows} == {"A1"}
    assert "'=1+1" in {row["question"] for row in rows}


def test_judgments_stream_whose_client_leaves_closes_its_cursor(campaign, monkeypatch):
    monkeypatch.setattr(judgment_rows, "ROWS_A_PIECE", 1)
    rows = judgment_rows.campaign_judgments(campaign=campaign)
    pieces = judgment_rows.json_lines(rows, is_simulated=False)
    next(pieces)
    pieces.close()
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM pg_cursors WHERE name LIKE '_django%'")
        assert cursor.fetchall() == []


def test_judgments_of_a_simulated_campaign_say_so():
    campaign = annotated.opened(origin="simulated")
    client, enrollment = annotated.annotator(campaign)
    held = annotated.held(enrollment)
    client.post(f"/tasks/{held.pk}/submit/?step=0", annotated.filled(held))
    api = program(campaign.created_by)
    listed = api.get(f"{path_of(campaign)}/judgments/").json()["results"]
    streamed = lines(api.get(f"{path_of(campaign)}/judgments/export/jsonl/"))
    assert {row["origin"] for row in (*listed, *streamed)} == {"simulated"}


@pytest.mark.long
@pytest.mark.parametrize("cursor", ["abc", "cD0lMDA=", "cD14", "cD0" + "5" * 60])
def test_judgments_cursor_that_was_never_given_out_is_404(api, campaign, cursor):
    assert api.get(f"{path_of(campaign)}/judgments/", {"cursor": cursor}).status_code == 404


def test_tasks_have_texts_assignments_and_times():
    campaign = annotated.opened(sources=2)
    client, enrollment = annotated.annotator(campaign)
    held = annotated.held(enrollment)
    client.post(f"/tasks/{held.pk}/submit/?step=0", annotated.filled(held))
    api = program(campaign.created_by, "read")
    rows = api.get(f"{path_of(campaign)}/tasks/").json()["results"]
    assert [(row["round"], row["number"]) for row in rows] == [("main", 1), ("main", 2)]
    [row] = [row for row in rows if row["id"] == held.task_id]
    assert row["sources"][0]["passage"].startswith("Lock")
    assert {unit["system"] for unit in row["units"]} == {"Alba", "Brisa"}
    [own] = row["assignments"]
    assert (own["annotator"], own["state"]) == (enrollment.label, "submitted")
    assert own["held_at"] < own["submitted_at"]
    assert api.get(f"{path_of(campaign)}/tasks/{row['id']}/").json() == row
    asked = {"annotator": enrollment.label, "state": "submitted"}
    assert api.get(f"{path_of(campaign)}/tasks/", asked).json()["results"] == [row]


@pytest.mark.long
def test_tasks_list_takes_a_constant_number_of_queries():
    numbers = []
    for sources in (1, 5):
        campaign = annotated.opened(sources=sources)
        api = program(campaign.created_by, "read")
        api.get(f"{path_of(campaign)}/tasks/", {"limit": 1})
        with counted() as found:
            api.get(f"{path_of(campaign)}/tasks/")
        numbers.append(len(found))
    assert numbers[0] == numbers[1]


def test_manager_who_judges_reads_no_judgment_and_no_task_before_the_end():
    campaign = annotated.opened()
    factories.enrollment(campaign, account=campaign.created_by)
    api = program(campaign.created_by)
    for path in ("judgments/", "judgments/export/jsonl/", "tasks/"):
        answer = api.get(f"{path_of(campaign)}/{path}")
        assert answer.status_code == 403
        assert "Alba" not in answer.content.decode()
