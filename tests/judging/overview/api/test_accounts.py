"""Accounts and the history of the site for administrators' programs."""

import pytest

from judging.people.models.user import User
from tests import factories
from tests.annotation import studies
from tests.judging.programs import API, fields_of, program

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator():
    return User.objects.create_superuser("ada")


@pytest.fixture
def api(administrator):
    return program(administrator)


def test_account_is_made_with_a_link_and_its_rights_changed(api):
    made = api.post(f"{API}/accounts/", {"username": "bert", "may_create_campaigns": True})
    assert made.status_code == 201, made.content
    account = made.json()
    assert "/password/new/" in account["password_link"]
    changed = api.patch(f"{API}/accounts/{account['id']}/", {"is_active": False}).json()
    assert (changed["is_active"], changed["may_create_campaigns"]) == (False, True)
    assert api.get(f"{API}/accounts/?username=bert").json()["results"] == [changed]
    assert fields_of(api.post(f"{API}/accounts/", {"username": "bert"})) == {"username"}


def test_last_administrator_stays(api, administrator):
    answer = api.patch(f"{API}/accounts/{administrator.pk}/", {"is_superuser": False})
    assert (answer.status_code, answer.json()["code"]) == (409, "last_administrator")


def test_accounts_and_history_are_not_for_researchers():
    api = program(factories.researcher())
    assert api.get(f"{API}/accounts/").status_code == 403
    assert api.get(f"{API}/history/").status_code == 403


def test_history_of_the_site_hides_what_happened_in_campaigns_of_others(api):
    campaign = studies.opened()
    rows = api.get(f"{API}/history/?limit=1000").json()["results"]
    of_campaign = [row for row in rows if row["campaign"] == str(campaign.uuid)]
    assert of_campaign
    assert {row["about"] + row["before"] + row["after"] for row in of_campaign} == {""}
