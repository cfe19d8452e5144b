"""Datasets for programs."""

import json
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from rest_framework.test import APIClient

from judging.base.models.idempotent_request import IdempotentRequest
from judging.campaigns.actions import campaigns
from judging.datasets.actions import datasets
from judging.datasets.models.added_file import AddedFile
from judging.datasets.models.dataset import Dataset, Quarantine, Reference, Source
from judging.people.models.event import Event
from judging.people.models.user import ApiToken
from judging.work.models.judgment import Judgment
from tests import factories
from tests.judging.programs import API, counted, done, fields_of, program

pytestmark = pytest.mark.django_db
CSV = (
    "passage,answer,system,question\n"
    "Lock 1 was built by Agnes.,Agnes,Alba,Who built lock 1?\n"
    "Lock 1 was built by Agnes.,Agnes,Brisa,Lock 1 by whom?\n"
    "Lock 2 was built by Bert.,Bert,Alba,Who built lock 2?\n"
    "Lock 2 was built by Bert.,Bert,Brisa,Lock 2 by whom?\n"
)
QUESTION = {"question": {"role": "question"}}
RATED = {"answer": {"role": "ratings", "name": "c", "rater": "r"}}
ROWS = [
    dict(zip(CSV.splitlines()[0].split(","), line.split(","), strict=True))
    for line in CSV.splitlines()[1:]
]


@pytest.fixture
def owner():
    return factories.researcher()


@pytest.fixture
def api(owner):
    return program(owner)


@pytest.fixture
def dataset(owner):
    return factories.dataset(owner=owner)


def uploaded(api, dataset, text=CSV, name="outputs.csv"):
    file = SimpleUploadedFile(name, text.encode())
    return api.post(f"{API}/datasets/{dataset}/files/", {"file": file}, format="multipart")


def test_datasets_create_lists_and_retrieves_it(api):
    answer = api.post(f"{API}/datasets/", {"name": "Locks", "licence": "CC0", "language": "de"})
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["name"], made["language"], made["questions"]) == ("Locks", "de", 0)
    assert api.get(f"{API}/datasets/").json()["results"] == [made]
    assert api.get(f"{API}/datasets/{made['id']}/").json() == made


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "x" * 201}, "name"),
        ({"name": "x", "language": "not a tag"}, "language"),
        ({"name": "x", "rows": ["row"]}, "rows.0"),
        ({"name": "x", "rows": "table"}, "rows"),
        ({"name": "x", "accept_surprises": "perhaps"}, "accept_surprises"),
    ],
)
def test_datasets_create_wrong_content_names_the_field(api, body, field):
    assert field in fields_of(api.post(f"{API}/datasets/", body))
    assert not Dataset.objects.exists()


@pytest.mark.parametrize("body", ["{", "[", '{"name": NaN}', '"\\ud800"'])
def test_datasets_create_malformed_json_is_a_bad_request(api, body):
    answer = api.generic("POST", f"{API}/datasets/", body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_datasets_create_with_rows_adds_them_by_a_job(api):
    job = done(api.post(f"{API}/datasets/", {"name": "Locks", "rows": ROWS}))
    assert (job.state, job.error) == ("done", "")
    found = api.get(f"{API}/datasets/{job.dataset_id}/").json()
    assert (found["sources"], found["systems"], found["questions"]) == (2, 2, 4)


def test_datasets_create_with_rows_that_cannot_be_added_leaves_a_waiting_file(api):
    job = done(api.post(f"{API}/datasets/", {"name": "Locks", "rows": [{"x": 1}, {"x": 2}]}))
    assert job.state == "failed"
    [file] = api.get(f"{API}/datasets/{job.dataset_id}/files/").json()["results"]
    assert (file["name"], file["state"]) == ("rows.jsonl", "waiting")


def test_datasets_same_idempotency_key_creates_once(api):
    key = {"HTTP_IDEMPOTENCY_KEY": "abc"}
    first = api.post(f"{API}/datasets/", {"name": "Locks"}, **key)
    again = api.post(f"{API}/datasets/", {"name": "Locks"}, **key)
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert Dataset.objects.count() == 1
    other = api.post(f"{API}/datasets/", {"name": "Gates"}, **key)
    assert other.status_code == 422
    assert IdempotentRequest.objects.count() == 1


def test_token_expired_is_401(owner, api):
    ApiToken.objects.filter(user=owner).update(expires_at=timezone.now() - timedelta(1))
    assert api.get(f"{API}/datasets/").status_code == 401


def test_token_scopes_narrow_what_its_user_may(owner, dataset):
    path = f"{API}/datasets/{dataset.pk}/"
    reading = program(owner, "read")
    assert reading.get(path).status_code == 200
    assert reading.patch(path, {"name": "x"}).status_code == 403
    annotating = program(owner, "annotate")
    assert annotating.get(path).status_code == 403
    assert annotating.get(f"{API}/me/").status_code == 200


def test_datasets_change_its_name_and_licence_only(api, dataset):
    path = f"{API}/datasets/{dataset.pk}/"
    assert api.patch(path, {"name": "Gates"}).json()["name"] == "Gates"
    assert fields_of(api.patch(path, {"language": "fr"})) == {"language"}
    assert fields_of(api.patch(path, {"name": ""})) == {"name"}


def test_datasets_list_takes_a_constant_number_of_queries(owner, api):
    factories.dataset(owner=owner)
    api.get(f"{API}/datasets/")
    with counted() as one:
        api.get(f"{API}/datasets/")
    for _ in range(5):
        factories.dataset(owner=owner)
    with counted() as several:
        assert len(api.get(f"{API}/datasets/").json()["results"]) == 6
    assert len(one) == len(several)


def test_datasets_delete_needs_no_campaign_about_it(owner, api, dataset):
    campaign = factories.campaign(dataset=dataset, manager=owner)
    path = f"{API}/datasets/{dataset.pk}/"
    assert api.delete(path).status_code == 409
    campaigns.discard_draft(campaign=campaign)
    assert api.delete(path).status_code == 204
    assert not Dataset.objects.exists()


def test_datasets_delete_large_is_a_job(api, dataset, monkeypatch):
    monkeypatch.setattr(datasets, "LARGE", 2)
    done(api.delete(f"{API}/datasets/{dataset.pk}/"))
    assert not Dataset.objects.exists()


def test_datasets_delete_in_a_session_needs_a_confirmed_password(owner, dataset):
    session = APIClient()
    session.force_login(owner)
    stored = session.session
    stored["password_shown"] = 0
    stored.save()
    answer = session.delete(f"{API}/datasets/{dataset.pk}/")
    assert answer.status_code == 403
    assert "/confirm/" in answer.json()["detail"]


def test_shares_are_given_listed_and_ended(api, dataset):
    other = factories.researcher()
    path = f"{API}/datasets/{dataset.pk}/shares/"
    made = api.post(path, {"username": other.username})
    assert made.status_code == 201
    assert api.get(path).json() == [made.json()]
    assert made.json()["may_use"] is True
    assert fields_of(api.post(path, {"username": "nobody"})) == {"username"}
    assert api.delete(f"{path}{other.pk}/").status_code == 204
    assert api.delete(f"{path}{other.pk}/").status_code == 404
    assert api.get(path).json() == []


def test_hand_over_makes_another_user_the_owner(api, dataset):
    other, cannot = factories.researcher(), factories.user()
    path = f"{API}/datasets/{dataset.pk}/hand-over/"
    assert api.post(path, {"username": cannot.username}).status_code == 409
    assert api.post(path, {"username": other.username}).json()["owner"] == other.username
    assert api.post(path, {"username": other.username}).status_code == 403


def test_items_are_flat_rows_in_a_constant_number_of_queries(owner, api):
    few, many = (factories.dataset(owner=owner, sources=n) for n in (1, 5))
    api.get(f"{API}/datasets/{few.pk}/items/")
    with counted() as one:
        items = api.get(f"{API}/datasets/{few.pk}/items/").json()["results"]
    assert [(item["system"], item["position"]) for item in items] == [("Alba", 1), ("Brisa", 1)]
    assert items[0]["passage"].startswith("Lock 1")
    assert items[0]["question"] == "Who built lock 1, asks Alba (1)?"
    with counted() as several:
        page = api.get(f"{API}/datasets/{many.pk}/items/", {"limit": 9}).json()
    assert len(page["results"]) == 9
    assert len(one) == len(several)
    assert len(api.get(page["next"]).json()["results"]) == 1
    found = api.get(f"{API}/datasets/{many.pk}/items/", {"source_id": "s3"}).json()["results"]
    assert [item["source_id"] for item in found] == ["s3", "s3"]
    for system, number in {"Alba": 5, "Dora": 0}.items():
        of_system = api.get(f"{API}/datasets/{many.pk}/items/", {"system": system}).json()
        assert len(of_system["results"]) == number
    assert api.get(f"{API}/datasets/{many.pk}/items/{found[0]['item']}/").json() == found[0]


def test_references_and_quarantined_values_are_listed(api, dataset):
    source = Source.objects.get(dataset=dataset, key="s1")
    Reference.objects.create(source=source, position=1, text="Who was the builder of lock 1?")
    reason = "31 is not on the scale 1–3."
    Quarantine.objects.create(dataset=dataset, row=12, column="fluency", value="31", reason=reason)
    path = f"{API}/datasets/{dataset.pk}"
    [reference] = api.get(f"{path}/references/").json()["results"]
    assert (reference["source_id"], reference["position"]) == ("s1", 1)
    [value] = api.get(f"{path}/quarantine/").json()["results"]
    assert (value["row"], value["column"], value["value"]) == (12, "fluency", "31")


def test_items_of_a_user_who_judges_them_name_no_system(owner, api, dataset):
    campaign = factories.opened(dataset=dataset, manager=owner)
    factories.enrollment(campaign, account=owner)
    path = f"{API}/datasets/{dataset.pk}"
    items = api.get(f"{path}/items/")
    first = items.json()["results"][0]
    assert first["passage"].startswith("Lock 1")
    assert {first[name] for name in ("item", "system", "question", "references")} == {None}
    assert "Alba" not in items.content.decode()
    for hidden in (
        "items/?system=Alba",
        "references/",
        "quarantine/",
        "metrics/1/scores/",
        "export/jsonl/",
    ):
        assert api.get(f"{path}/{hidden}").status_code == 403, hidden


def test_export_streams_every_type_of_file_and_notes_it(api, dataset):
    path = f"{API}/datasets/{dataset.pk}/export"
    csv = api.get(f"{path}/csv/", HTTP_ACCEPT="text/csv")
    assert csv.headers["Content-Type"].startswith("text/csv")
    assert "Who built lock 1, asks Alba (1)?" in csv.getvalue().decode()
    lines = api.get(f"{path}/jsonl/").getvalue().decode().splitlines()
    assert len(lines) == 4
    assert json.loads(lines[0])["system"] == "Alba"
    assert len(json.loads(api.get(f"{path}/label-studio/").getvalue())) == 4
    assert api.get(f"{path}/xlsx/", HTTP_ACCEPT="text/csv").status_code == 404
    assert Event.objects.filter(act=Event.Act.EXPORTED).count() == 3


def test_file_goes_from_upload_to_dataset_and_back(api):
    dataset = api.post(f"{API}/datasets/", {"name": "Locks"}).json()["id"]
    answer = uploaded(api, dataset)
    path = f"{API}/datasets/{dataset}/files/{answer.json()['file']}/"
    assert api.put(f"{path}roles/", {"mapping": {}}).status_code == 409
    assert api.get(f"{path}roles/").status_code == 202
    assert done(answer).state == "done"
    proposal = api.get(f"{path}roles/").json()
    assert proposal["header"] == ["passage", "answer", "system", "question"]
    assert proposal["mapping"]["columns"]["question"]["role"] == "question"
    assert proposal["summary"] == "4 questions by 2 systems on 2 sources"
    assert api.get(f"{path}preview/").json()["expected"]["new"] == 4
    given = api.put(f"{path}roles/", {"mapping": proposal["mapping"]})
    assert given.json()["has_roles"] is True
    assert api.get(f"{path}preview/").status_code == 404
    assert done(api.post(f"{path}preview/")).state == "done"
    preview = api.get(f"{path}preview/").json()
    assert preview["expected"]["new"] == 4
    assert preview["surprises"] == []
    assert done(api.post(f"{path}add/")).state == "done"
    assert api.get(path).json()["state"] == "added"
    assert api.get(f"{API}/datasets/{dataset}/").json()["questions"] == 4
    assert api.post(f"{path}add/").status_code == 409
    assert api.delete(path).status_code == 409
    assert api.post(f"{path}take-back/").json()["state"] == "taken_back"
    assert api.get(f"{API}/datasets/{dataset}/").json()["questions"] == 0


def test_file_with_surprises_is_added_once_they_are_accepted(api):
    dataset = api.post(f"{API}/datasets/", {"name": "Locks"}).json()["id"]
    head, *lines = CSV.splitlines()
    text = "\n".join([f"{head},fluency", *(f"{line},{n % 3 + 1}" for n, line in enumerate(lines))])
    answer = uploaded(api, dataset, text)
    done(answer)
    path = f"{API}/datasets/{dataset}/files/1/"
    mapping = api.get(f"{path}roles/").json()["mapping"]
    mapping["columns"]["fluency"] = {"role": "metadata"}
    assert api.put(f"{path}roles/", {"mapping": mapping}).status_code == 200
    done(api.post(f"{path}preview/"))
    assert len(api.get(f"{path}preview/").json()["surprises"]) == 1
    assert fields_of(api.post(f"{path}add/")) == {"accept_surprises"}
    assert done(api.post(f"{path}add/", {"accept_surprises": True})).state == "done"
    assert AddedFile.objects.get().state == "added"


@pytest.mark.long
def test_file_with_many_ratings_off_the_scale_is_added_once_that_is_accepted(api):
    dataset = api.post(f"{API}/datasets/", {"name": "Locks"}).json()["id"]
    head, *lines = CSV.splitlines()
    columns = f"{head},grammaticality_A,grammaticality_B"
    text = "\n".join([columns, *(f"{line},{n + 2},{n + 1}" for n, line in enumerate(lines))])
    done(uploaded(api, dataset, text))
    path, protocol = f"{API}/datasets/{dataset}/files/1/", factories.protocol().pk
    proposal = api.get(f"{path}roles/").json()
    assert proposal["protocol"] is None
    chosen = {"mapping": proposal["mapping"], "protocol": protocol}
    assert api.put(f"{path}roles/", chosen).status_code == 200
    [beside] = api.get(f"{path}roles/").json()["scales"]
    assert (beside["off"], beside["total"]) == (3, 8)
    done(api.post(f"{path}preview/"))
    assert fields_of(api.post(f"{path}add/")) == {"accept_surprises"}
    assert done(api.post(f"{path}add/", {"accept_surprises": True})).state == "done"
    assert (Judgment.objects.count(), Quarantine.objects.count()) == (5, 3)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "mapping"),
        ({"mapping": {}}, "mapping.columns"),
        ({"mapping": {"header": "perhaps", "columns": QUESTION}}, "mapping.header"),
        ({"mapping": {"columns": {"nothing": {"role": "question"}}}}, "mapping.columns.nothing"),
        ({"mapping": {"columns": {"question": {"role": "x"}}}}, "mapping.columns.question.role"),
        ({"mapping": {"columns": QUESTION}, "protocol": 10**9}, "protocol"),
        ({"mapping": {"columns": QUESTION | RATED}}, "protocol"),
    ],
)
def test_file_roles_that_do_not_fit_name_the_field(api, body, field):
    dataset = api.post(f"{API}/datasets/", {"name": "Locks"}).json()["id"]
    done(uploaded(api, dataset))
    assert fields_of(api.put(f"{API}/datasets/{dataset}/files/1/roles/", body)) == {field}


def test_file_choices_are_kept_and_checked(api, dataset):
    uploaded(api, dataset.pk)
    path = f"{API}/datasets/{dataset.pk}/files/1/choices/"
    assert api.get(path).json()["by"] == "auto"
    assert api.put(path, {"by": "texts", "systems": {"A": "Alba"}}).status_code == 200
    assert api.get(path).json()["systems"] == {"A": "Alba"}
    assert fields_of(api.put(path, {"by": "luck", "declined": 3})) == {"by", "declined"}


def test_file_is_read_in_another_way(api, dataset):
    done(uploaded(api, dataset.pk, CSV.replace(",", ";")))
    path = f"{API}/datasets/{dataset.pk}/files/1/"
    job = done(api.put(f"{path}reading/", {"delimiter": ",", "header": True}))
    assert job.state == "done"
    assert len(api.get(f"{path}roles/").json()["header"]) == 1
    assert fields_of(api.put(f"{path}reading/", {"delimiter": "x", "above": -1})) == {
        "delimiter",
        "above",
    }


def test_file_upload_without_a_file_twice_or_empty_is_refused(api, dataset):
    path = f"{API}/datasets/{dataset.pk}/files/"
    assert fields_of(api.post(path, {}, format="multipart")) == {"file"}
    assert api.post(path, {"file": "x"}).status_code == 415
    assert uploaded(api, dataset.pk).status_code == 202
    assert uploaded(api, dataset.pk).status_code == 409
    assert fields_of(uploaded(api, dataset.pk, "")) == {"file"}
    assert api.delete(f"{path}1/").status_code == 204
    assert api.get(path).json()["results"] == []


def test_files_are_previewed_and_added_together(api):
    dataset = api.post(f"{API}/datasets/", {"name": "Locks"}).json()["id"]
    path = f"{API}/datasets/{dataset}/files/"
    assert api.post(f"{path}preview/").status_code == 409
    head, *lines = CSV.splitlines()
    for number, part in enumerate((lines[:2], lines[2:]), 1):
        uploaded(api, dataset, "\n".join([head, *part]), f"part{number}.csv")
        answer = api.get(f"{path}{number}/roles/")
        done(answer) if answer.status_code == 202 else None
        mapping = api.get(f"{path}{number}/roles/").json()["mapping"]
        assert api.put(f"{path}{number}/roles/", {"mapping": mapping}).status_code == 200
    assert done(api.post(f"{path}preview/")).state == "done"
    assert done(api.post(f"{path}add/", {"confirm_new": True})).state == "done"
    assert api.get(f"{API}/datasets/{dataset}/").json()["questions"] == 4
