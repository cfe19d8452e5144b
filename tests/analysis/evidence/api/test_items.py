"""Items with their ratings, kept examples and documents for programs."""

import pytest

from judging.campaigns.models.campaign import Campaign
from tests import factories
from tests.analysis import studies
from tests.judging.programs import API, Program, fields_of, program


@pytest.fixture(scope="module")
def campaign(lasting: None) -> Campaign:
    return studies.imported(by=factories.researcher(), sources=3)


@pytest.fixture
def api(campaign: Campaign, db: None) -> Program:
    return program(campaign.created_by)


@pytest.fixture
def path(campaign: Campaign) -> str:
    return f"{API}/campaigns/{campaign.uuid}/"


def test_items_are_listed_with_ratings_in_the_order_of_disagreement(api, path):
    page = api.get(f"{path}items/?sort=disagreement").json()
    assert page["items"]
    judged = {
        (row["item"], row["annotator"], row["criterion"]): row["value"]
        for row in api.get(f"{path}judgments/?limit=1000").json()["results"]
    }
    listed = {
        (row["item"], rating["annotator"], rating["criterion"]): rating["value"]
        for row in page["items"]
        for rating in row["ratings"]
    }
    assert listed
    assert listed.items() <= judged.items()
    assert fields_of(api.get(f"{path}items/?sort=gap")) == {"metric"}


def test_example_is_kept_and_dropped(api, path):
    item = api.get(f"{path}items/").json()["items"][0]["item"]
    made = api.post(f"{path}examples/", {"item": item, "note": "A clear one."}).json()
    assert (made["item"], made["note"]) == (item, "A clear one.")
    assert api.get(f"{path}examples/").json()["results"] == [made]
    assert api.delete(f"{path}examples/{made['id']}/").status_code == 204
    assert fields_of(api.post(f"{path}examples/", {"item": 10**9})) == {"item"}


@pytest.mark.parametrize("name", ["heds3.json", "heds3.md", "codebook.csv"])
def test_document_is_downloaded(api, path, name):
    answer = api.get(f"{path}documents/{name}/")
    assert answer.status_code == 200
    assert answer.content


def test_document_that_does_not_exist_names_those_that_do(api, path):
    answer = api.get(f"{path}documents/heds.pdf/")
    assert answer.status_code == 404
    assert "heds3.json" in answer.json()["detail"]
