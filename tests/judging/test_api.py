"""The programs' door shows what pages show, to the same people."""

import json
import re

import pytest

from analysis.models import Result, Run
from judging.models import AccessKey, Campaign, Event, Membership
from tests import factories
from tests.analysis import studies

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def imported(lasting):
    return studies.imported(sources=2)


@pytest.fixture
def campaign(imported):
    return Campaign.objects.get(pk=imported.pk)


@pytest.fixture
def api(client, campaign):
    client.force_login(campaign.created_by)
    return client


def test_campaigns_show_places_and_rubric(api, campaign):
    [row] = api.get("/api/campaigns/").json()["results"]
    assert (row["title"], row["state"], row["rubric"], row["filled"], row["places"]) == (
        campaign.title,
        "closed",
        "small",
        4,
        4,
    )
    assert api.get(f"/api/campaigns/{campaign.uuid}/").json() == row


def test_judgments_come_with_labels_and_no_accounts(api, campaign):
    rows = api.get(f"/api/campaigns/{campaign.uuid}/judgments/").json()["results"]
    assert len(rows) == 2 * 3 * 2 * 2
    assert {row["annotator"] for row in rows} == {"A1", "A2"}
    assert {row["system"] for row in rows} == set(studies.SYSTEMS)


def test_judgments_need_the_same_number_of_queries_however_many(
    api, campaign, django_assert_max_num_queries
):
    api.get(f"/api/campaigns/{campaign.uuid}/judgments/")  # the first request notes the browser
    with django_assert_max_num_queries(6):
        api.get(f"/api/campaigns/{campaign.uuid}/judgments/")


@pytest.mark.parametrize("cursor", ["abc", "cD0lMDA=", "cD14", "cD0" + "5" * 60])
def test_a_cursor_that_was_never_given_out_is_not_found(api, campaign, cursor):
    assert (
        api.get(f"/api/campaigns/{campaign.uuid}/judgments/", {"cursor": cursor}).status_code == 404
    )


@pytest.mark.parametrize("body", ["[]", "null", "1", '"x"', "{bad"])
def test_a_run_asked_for_by_no_object_is_refused(api, campaign, body):
    answer = api.post(
        f"/api/campaigns/{campaign.uuid}/runs/", body, content_type="application/json"
    )
    assert answer.status_code == 400
    assert not Run.objects.exists()


def test_what_a_list_names_again_and_again_is_looked_for_once(api, campaign):
    """A form looks for each among all choices, and a body of 5 MB names one a million times."""
    again = {"slices": ["day"] * 1000 + ["source"], "metrics": ["bleu_4"] * 1000}
    answer = api.post(
        f"/api/campaigns/{campaign.uuid}/runs/", again, content_type="application/json"
    )
    assert answer.status_code == 201, answer.text
    parameters = Run.objects.get().parameters
    assert (parameters["slices"], parameters["metrics"]) == (["day", "source"], ["bleu_4"])


def test_a_run_is_asked_for_and_read(api, campaign):
    answer = api.post(
        f"/api/campaigns/{campaign.uuid}/runs/", {"seed": 5}, content_type="application/json"
    )
    assert answer.status_code == 201
    assert Run.objects.get().seed == 5
    assert api.get(f"/api/campaigns/{campaign.uuid}/runs/").json()[0]["state"] == "queued"
    assert api.get(f"/api/campaigns/{campaign.uuid}/runs/1/").json()["tables"] == {}
    exported = Event.objects.filter(act=Event.Act.EXPORTED)
    assert not exported.exists()
    Result.objects.create(run=Run.objects.get(), key="annotators", document=[{"annotator": "A1"}])
    told = json.loads(api.get(f"/api/campaigns/{campaign.uuid}/runs/1/").getvalue())
    assert (told["number"], told["tables"]) == (1, {"annotators": [{"annotator": "A1"}]})
    assert exported.get().about == "run 1 by the API"


def test_a_malformed_run_names_the_field(api, campaign):
    for seed in ("x", -1, 2**31, [1], {}):
        answer = api.post(
            f"/api/campaigns/{campaign.uuid}/runs/", {"seed": seed}, content_type="application/json"
        )
        assert answer.status_code == 422
        assert list(answer.json()) == ["seed"]


def test_a_key_lets_a_program_in_until_it_is_replaced_or_revoked(client, campaign):
    def made() -> str:
        client.force_login(campaign.created_by)
        page = client.post("/key/", {"scope": "read", "days": 30}).content.decode()
        client.logout()
        return re.findall(r">([0-9a-f]{40})<", page)[0]

    def status(key: str) -> int:
        return client.get("/api/campaigns/", headers={"Authorization": f"Token {key}"}).status_code

    first, second = made(), made()
    kept = AccessKey.objects.get().digest
    assert (status(first), status(second), status(kept)) == (401, 200, 401)
    assert kept not in (first, second)
    client.force_login(campaign.created_by)
    client.post("/key/revoke/")
    client.logout()
    assert status(second) == 401


ADDRESSES = ["", "judgments/", "runs/", "runs/1/"]


@pytest.mark.parametrize("path", ADDRESSES)
def test_strangers_and_annotators_find_nothing(client, campaign, path):
    annotator = factories.user()
    Membership.objects.create(user=annotator, campaign=campaign, role="annotator")
    for user in (factories.researcher(), annotator):
        client.force_login(user)
        assert client.get(f"/api/campaigns/{campaign.uuid}/{path}").status_code == 404
    client.logout()
    assert client.get(f"/api/campaigns/{campaign.uuid}/{path}").status_code == 401


def test_lists_hold_only_what_one_may_see(client, campaign):
    client.force_login(factories.researcher())
    assert client.get("/api/campaigns/").json()["results"] == []
    assert client.get("/api/collections/").json()["results"] == []


@pytest.mark.parametrize("path", ["/api/campaigns/", "/api/collections/"])
def test_reading_only(api, path):
    assert api.post(path, {}).status_code == 405
